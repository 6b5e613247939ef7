/*
 * settle.h - when an issue is settled, and the exit status of a command that
 * waits for issues; see paneward(1).
 */
#ifndef PANEWARD_WATCHER_SETTLE_H
#define PANEWARD_WATCHER_SETTLE_H

#include "run/status.h"

struct command;

/*
 * "error,dead" as the sum of 1 << enum state.  A word that is no state ends
 * the program with a message that names the option (with its dashes).
 */
unsigned settle_states(const struct command *, const char *option,
    const char *list);

/* Has its run ended, and is no hand-off open? */
bool settle_over(const struct status *);

/*
 * The exit status of an issue that has reached one of the states.  -1 if it has
 * not, or if it is complete and its hand-off is still open.
 */
int settle_exit(const struct status *, unsigned states);

/* The exit status of two issues together: the more urgent one. */
int settle_both(int, int);

#endif
