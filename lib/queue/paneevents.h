/*
 * paneevents.h - the files of a pane that belongs to no issue.
 *
 * In the user's folder of state (userfolder.h), "panes" stands for .paneward;
 * "12-34567", pane %12 of tmux server 34567, for the issue.  The files stay a
 * day longer than the server.
 */
#ifndef PANEWARD_PANEEVENTS_H
#define PANEWARD_PANEEVENTS_H

#include "os/userfolder.h"
#include "project/statusdir.h"
#include "run/events.h"

/* -1 with errno. */
#define paneevents_open(make) userfolder_state("panes", (make))
/* As a status directory: fd is -1, and state_fd if opening fails. */
struct statusdir paneevents_dir(bool make);

/* False: no valid id. */
bool paneevents_name(char name[ISSUE_MAX + 1], const char *pane, pid_t server);

void paneevents_tidy(int folder);

/* A new session tidies first.  -1 with errno. */
int  paneevents_add(const struct event *, int folder, const char *name);

#endif
