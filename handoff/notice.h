/*
 * notice.h - tells a person of a change: the command `notify`.
 *
 * There is one notice an episode: from entering a state until leaving it, or
 * until the agent asks something else.  A notice may be late but is not lost:
 * the write that records the state also records that the notice is due, and it
 * stays due until the command ends with 0.  .paneward/ISSUE.notice has the
 * result of the last try, "EPISODE WORD": begun, failed or sent.  A try that
 * was cut short is repeated with the same episode's id.
 *
 * Watchers and sweeps start the command under the issue's lock.  It runs below
 * a process of its own (notify-run), so that they do not wait for it; that
 * process ends it after NOTICE_LIMIT and records its end.
 */
#ifndef PANEWARD_HANDOFF_NOTICE_H
#define PANEWARD_HANDOFF_NOTICE_H

#include "handoff/jobenv.h"

enum {
	NOTICE_JOIN = 2000,             /* ms after a notice in which a run's
					   next ones become one */
	NOTICE_LIMIT = 10,              /* seconds that the command may take, */
	NOTICE_GRACE = 2                /* and until it is killed */
};

/*
 * Call this after judge_record(), with the state before it.  If an episode
 * begins, sets whether its notice is due.
 */
void notice_take(struct status *, enum state before, const struct config *);
/* The same after an attempt of its hand-off. */
void notice_take_handoff(struct status *, const struct config *);

/*
 * Time until the notice of the record is sent, or sent again, in ms;
 * CLOCK_NEVER: none is due.  Clears the notice in the record if it was sent or
 * is no longer wanted.
 */
msec notice_wait(struct status *, const struct config *, int state_fd,
    msec wall);

/* Starts the command; journals the first try.  -1 with errno. */
int  notice_send(const struct context *, const struct status *);

/* Records the end of the command, unless the notice of a later episode has
 * begun.  -1 with errno. */
int  notice_end(int state_fd, const char *issue, const char *episode,
    bool sent);

#endif
