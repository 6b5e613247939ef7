/*
 * attempt.h - one attempt of a hand-off, from its intent to its result.
 *
 * The order is the promise.  Record and journal say that the command runs, and
 * as which process, before it begins; they have its end before the signal is
 * removed.  A process that is killed in between leaves a record from which the
 * next one continues.
 */
#ifndef PANEWARD_HANDOFF_ATTEMPT_H
#define PANEWARD_HANDOFF_ATTEMPT_H

#include <stdbool.h>

#include "project/context.h"
#include "run/status.h"

struct attempt {
	struct context *context;        /* its config.handoff is the command */
	struct status *record;          /* of an issue whose lock we hold */
	const char *const *options;     /* added to the command, NULL-ended */
	int out;                        /* takes the command's output; -1: the
					   file in .paneward */
	bool again;                     /* its start has failed before: do not
					   warn again */
	bool interrupted;               /* set by attempt_run(): a signal
					   ended it */
};

/*
 * Waits for a command that a killed runner left behind, until its deadline at
 * the latest.  Then the attempt has failed.  Does nothing if no command runs.
 */
void attempt_recover(struct attempt *);

/*
 * Runs the command once and records its end, in memory and on the disk.  0; -1,
 * after a warning, if nothing was run or the end could not be recorded.  An
 * interrupted attempt counts as begun, and the hand-off is what it was before.
 */
int  attempt_run(struct attempt *);

/* Runs it and records nothing; its exit status, -1 with errno. */
int  attempt_try(struct attempt *);

#endif
