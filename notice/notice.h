/*
 * notice.h - tells a person of a change, in the ways of `notify`.
 *
 * There is one notice an episode: from entering a state until leaving it, or
 * until the agent asks something else.  A notice may be late but is not lost:
 * the write that records the state also records that the notice is due, and it
 * stays due until each way has sent it, or a person saw the agent in its state;
 * see queue/row.h.  A try that was cut short is repeated with the same
 * episode's id, by the ways that have not sent it; noticemark.h has which those
 * are.
 *
 * Watchers and sweeps start a try under the lock.  It runs in a process
 * of its own (notify-run), so that they do not wait for it.
 */
#ifndef PANEWARD_NOTICE_NOTICE_H
#define PANEWARD_NOTICE_NOTICE_H

#include "run/jobenv.h"

enum {
	NOTICE_JOIN = 2000              /* ms after a notice in which a run's
					   next ones become one */
};

/* Does the configuration want a notice of that kind, of the record? */
bool notice_wanted(const struct status *, enum notice,
    const struct config *);

/* An episode begins: sets whether its notice is due. */
void notice_take(struct status *, const struct config *);
/* The same after an attempt of its hand-off. */
void notice_take_handoff(struct status *, const struct config *);

/*
 * Time until the notice of the record is sent, or sent again, or until that is
 * worth another question, in ms; 0: now; CLOCK_NEVER: none is due.  Clears the
 * notice in the record if it was sent or seen, or is no longer wanted.
 */
msec notice_wait(struct status *, const struct config *, int state_fd,
    msec wall);

/* Starts a try; journals the first one.  -1 with errno. */
int  notice_send(const struct context *, const struct status *);

#endif
