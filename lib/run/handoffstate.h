/*
 * handoffstate.h - completed work is handed on, exactly once.
 *
 * The status record decides.  A completion makes its hand-off pending.  The
 * holder of the lock starts a runner for one that is due.  The runner
 * records that the command runs, runs it, records its result, and removes the
 * signal last.  It inherits the descriptor of the lock, so it may outlive its
 * parent, and no other process acts on the issue meanwhile.
 *
 *	none -> pending -> running -> done
 *	           ^          |   \-> refused
 *	           +- later --+   \-> failed
 *
 * If the lock is free and the record says running, the runner was killed.  A
 * new runner waits for the command itself, if that still runs, counts a
 * failure, and repeats it at once, with the same id and a higher number.
 *
 * A person may start an attempt of a hand-off that is not open.  If it succeeds
 * the hand-off is done; otherwise its state is restored, and it is not retried.
 */
#ifndef PANEWARD_HANDOFFSTATE_H
#define PANEWARD_HANDOFFSTATE_H

#include "run/sigfile.h"

enum {
	HANDOFF_LATER = 75,             /* exit status: not yet, ask again */
	HANDOFF_NEVER = 77,             /* refused: do not ask again */
	HANDOFF_LATE = 124,             /* of ours: ended at its deadline */
	HANDOFF_LOST = 255              /* and: its runner was killed */
};

/* Is it pending or running? */
bool handoff_open(const struct handoff *);

/* A run has completed: pending.  A run is handed off once, so the hand-off has
 * the run's id.  An attempt by hand that runs meanwhile counts as its first. */
void handoff_want(struct handoff *, const char *run);

/* Milliseconds until an open one is due; 0: now. */
msec handoff_wait(const struct handoff *, msec wall);

/* The next attempt begins, of an open one or, by hand, of any. */
void handoff_begin(struct handoff *, msec wall);

/* It ended, with an exit status; so many attempts may fail. */
void handoff_end(struct handoff *, int status, int64_t most, msec wall);
/* It may not begin: HANDOFF_LATER or HANDOFF_NEVER.  That is no attempt. */
void handoff_withhold(struct handoff *, int status, msec wall);
/* It was interrupted: the former state is restored. */
void handoff_interrupt(struct handoff *);

/* Records the signal on which an attempt acts: the run's completion that is
 * there now, if any.  -1 with errno if the lookup fails. */
int  handoff_take_signal(struct status *, const struct statusdir *);
/* 1: the signal is there on which the done hand-off acted, in *s; 0: it is not;
 * -1 with errno. */
int  handoff_find_signal(const struct status *, const struct statusdir *,
    struct sigfile *s);
/* Removes that one, and no other.  -1 with errno. */
int  handoff_remove_signal(const struct status *, const struct statusdir *);

/* For people: "handed off", "hand-off failed (exit 3), ...". */
void handoff_describe(struct buf *, const struct handoff *, msec wall);
/* How the last attempt ended, whatever that means for the hand-off. */
void handoff_describe_end(struct buf *, const struct handoff *);

#endif
