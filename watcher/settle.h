/*
 * settle.h - when an issue is settled, and what a command that waits for
 * issues exits with (SPEC 5).
 */
#ifndef PANEWARD_WATCHER_SETTLE_H
#define PANEWARD_WATCHER_SETTLE_H

#include "run/status.h"

struct command;

/*
 * "error,dead" as the sum of 1 << enum state.  A word that is no state ends
 * the program; option is whose argument it is, with its dashes.
 */
unsigned settle_states(const struct command *, const char *option,
    const char *list);

/*
 * The exit status of an issue that has reached one of the states.  -1 for one
 * that has not, or is complete with a hand-off that is still to be done.
 */
int settle_exit(const struct status *, unsigned states);

/* What issues exit with together, of which one has the first status and one
 * the second. */
int settle_both(int, int);

#endif
