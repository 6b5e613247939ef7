/*
 * panes.h - agents without an issue: --everywhere gives each a run of its own.
 *
 * They have a site of the user's: the folder of panes (queue/paneevents.h) is
 * its .paneward, with no status directory around it, so there is no signal, no
 * log and no pipe; and no hand-off, no rule that answers, no prompt after a
 * limit.  A track's issue is the name of its pane there, its run that of one
 * process.  Evidence from tmux replaces the log.
 */
#ifndef PANEWARD_WATCHER_PANES_H
#define PANEWARD_WATCHER_PANES_H

#include "watcher/track.h"

/* Opens their site; ends the program if the user's configuration or folder
 * cannot be used. */
void panes_open(struct site *);
/* Asks all servers of the user, when that is due. */
void panes_turn(struct watch *);
/* Follows the agents in a listing that no issue has.  True: it is to be looked
 * at again, though nothing may change. */
bool panes_listing(struct watch *, struct tmux_server *);

/* Does the verdict say only that it stands at the prompt with which its agent
 * began? */
bool panes_begins(const struct track *, const struct verdict *);
/* Did a person end the agent, as far as the evidence shows?  Then the run is
 * over, and nothing is left of it but its journal. */
bool panes_quit(struct track *);

/* The record is of a new run of an issue, in a pane in which an agent had a run
 * without one: that run goes on as the issue's. */
void panes_hand_over(struct status *, const struct statusdir *);

#endif
