/*
 * turn.h - a track whose lock we hold is judged, and the verdict is acted on.
 *
 * The order of acting is a promise; see paneward-watch(1).  A verdict is
 * printed at once, then journaled, then recorded, and only a recorded verdict
 * removes a signal or ends the watch.  A failed write is retried.
 */
#ifndef PANEWARD_WATCHER_TURN_H
#define PANEWARD_WATCHER_TURN_H

#include "watcher/track.h"

void turn_judge(struct track *);
/* Starts a runner, if the record calls for one. */
void turn_start(struct track *);
/* Its runner has ended: the signal that killed it, or 0. */
int  turn_handed(struct track *);
/* The watch is stopped: records how far everything was read. */
void turn_stop(struct track *);

/* Prints the recorded state, or hand-off unless it was printed already. */
void turn_print_state(struct track *);
void turn_print_handoff(struct track *);
/* Finishes the track if its record calls for that. */
void turn_settle(struct track *);

#endif
