/*
 * parked.h - a run that a usage limit holds: when its agent is told to go on.
 *
 * That is when the limit ends, and some moments later, other ones for each run;
 * if its end is not known, after 5, 10 and 20 minutes.  A limit that has not
 * ended parks the run again, by its new end.  Within an episode the agent is
 * told three times at most; an agent that then works for ten minutes begins a
 * new one.
 */
#ifndef PANEWARD_PARKED_H
#define PANEWARD_PARKED_H

#include "run/status.h"

enum {
	PARKED_MOST = 3,                /* times in an episode */
	PARKED_SPREAD = 3000            /* ms */
};

/*
 * Takes a verdict into the record; on: such runs are told to go on.  True if
 * that changes the record.  reset: the end of the limit, wall time; 0: it is
 * not known.
 */
bool parked_take(struct status *, enum state, msec reset, bool on, msec wall);

/* In how many ms is the agent to be told?  CLOCK_NEVER: it is not. */
msec parked_wait(const struct status *, msec wall);

/* It is told now, once more. */
void parked_begin(struct status *, msec wall);

/* Adds "; goes on at 15:00 (in 42m), 1 of 3"; nothing if it is not parked. */
void parked_describe(struct buf *, const struct status *, msec wall);

#endif
