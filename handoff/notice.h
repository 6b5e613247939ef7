/*
 * notice.h - a person hears of a change: the command `notify`.
 *
 * One notice an episode: from entering a state until it is left, or until the
 * agent asks something else.  Late rather than lost: the record says that the
 * notice is due in the same write that says the state, and goes on to say so
 * until the command has ended with 0.  What became of the last try stands in
 * .paneward/ISSUE.notice, "EPISODE WORD": begun, failed or sent.  A try that was
 * cut short is repeated with the same episode's id.
 *
 * Watchers and sweeps begin the command under the issue's lock; it runs below
 * a process of its own (notify-run), which writes down how it ended.
 */
#ifndef PANEWARD_HANDOFF_NOTICE_H
#define PANEWARD_HANDOFF_NOTICE_H

#include "handoff/jobenv.h"
#include "run/config.h"
#include "run/status.h"

enum {
	NOTICE_JOIN = 2000,             /* ms after a notice in which a run's
					   next ones become one */
	NOTICE_LIMIT = 10,              /* seconds that the command may take, */
	NOTICE_GRACE = 2                /* and until it is killed */
};

/*
 * judge_record() has just been called, and the state was another one before,
 * or the same.  Does an episode begin, and is it to be told of?
 */
void notice_take(struct status *, enum state before, const struct config *);
/* The same of what became of its hand-off. */
void notice_take_handoff(struct status *, const struct config *);

/*
 * How long until the notice of the record is to be sent, or sent again, in ms;
 * CLOCK_NEVER: none is due.  Where it was sent, or is not wanted any more, the
 * record says so from now on.
 */
msec notice_wait(struct status *, const struct config *, int state_fd,
    msec wall);

/* Starts the command beside us; journaled the first time.  -1 with errno. */
int  notice_send(const struct job_env *);

/* The command of that episode has ended.  Nothing is written where the notice
 * of a later one has begun.  -1 with errno. */
int  notice_end(int state_fd, const char *issue, const char *episode,
    bool sent);

#endif
