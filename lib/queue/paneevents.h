/*
 * paneevents.h - the files of a pane that belongs to no issue.
 *
 * The folder "panes" in the user's folder of state (userfolder.h) stands for
 * .paneward, and "12-34567", pane %12 of the tmux server 34567, for the issue:
 * its events (events.h), what was seen of its agent (row.h), and its record if a
 * watcher follows it.  The files stay a day longer than the server.
 */
#ifndef PANEWARD_PANEEVENTS_H
#define PANEWARD_PANEEVENTS_H

#include <sys/types.h>

#include "base/issue.h"
#include "project/statusdir.h"
#include "run/events.h"
#include "tmux/paneref.h"

/* The folder; with make set it is made.  -1 with errno. */
int  paneevents_open(bool make);
/* The same as a status directory without signals and logs: fd is -1, and so is
 * state_fd, with errno, if it cannot be opened. */
struct statusdir paneevents_dir(bool make);

/* The name of a pane.  False: it is no pane's id or no server's. */
bool paneevents_name(char name[ISSUE_MAX + 1], const char *pane, pid_t server);

/* Removes files of servers that are gone for a day, a thousand at most. */
void paneevents_tidy(int folder);

/* Appends an event.  The first of a session tidies the folder, and removes the
 * pane's events if they are large.  -1 with errno. */
int  paneevents_add(const struct event *, int folder, const char *name);

#endif
