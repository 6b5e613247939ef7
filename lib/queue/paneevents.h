/*
 * paneevents.h - what is kept of a pane that belongs to no issue.
 *
 * The events of pane %12 of the tmux server 34567 are in 12-34567.records in
 * "panes" of the user's folder of state (userfolder.h), in the form of
 * events.h: the folder stands for .paneward, the name for the issue.  Beside it
 * is what was seen of its agent (row.h), and its record, if a watcher follows
 * it.  A pane keeps its files a day longer than its server lives.
 */
#ifndef PANEWARD_PANEEVENTS_H
#define PANEWARD_PANEEVENTS_H

#include <sys/types.h>

#include "base/issue.h"
#include "project/statusdir.h"
#include "run/events.h"
#include "tmux/paneref.h"

/* The folder, to be closed; with make set it is made.  -1 with errno. */
int  paneevents_open(bool make);
/* The same as a status directory without signals and logs: fd is -1, so is
 * state_fd, with errno, if it cannot be opened. */
struct statusdir paneevents_dir(bool make);

/* The name of a pane's file, without ".records"; false if it is no pane's id or
 * no server's. */
bool paneevents_name(char name[ISSUE_MAX + 1], const char *pane, pid_t server);

/* Removes files of servers that are gone for a day, of a thousand at most. */
void paneevents_tidy(int folder);

/* Appends an event to those of the pane.  One that begins a session also tidies
 * the folder, and removes what the pane's sessions before have left if that is
 * much.  -1 with errno. */
int  paneevents_add(const struct event *, int folder, const char *name);

#endif
