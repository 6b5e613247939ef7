/*
 * attempt.h - one attempt of a hand-off, from its intent to its result.
 *
 * The order is the promise (SPEC 6).  The record says that the command runs,
 * and as which process, before it begins; it says what became of it before the
 * signal is removed; the journal tells both.  Whoever is killed anywhere in
 * between leaves a record from which the next one goes on.
 */
#ifndef PANEWARD_HANDOFF_ATTEMPT_H
#define PANEWARD_HANDOFF_ATTEMPT_H

#include <stdbool.h>

#include "run/context.h"
#include "run/status.h"

struct attempt {
	struct context *context;        /* its config.handoff is the command */
	struct status *record;          /* of an issue whose lock we hold */
	const char *const *options;     /* added to the command, NULL-ended */
	int out;                        /* takes the command's output; -1: the
					   file in .paneward */
	bool again;                     /* it could not be begun before, which
					   was said */
	bool interrupted;               /* by a signal: tells the caller of
					   attempt_run() */
};

/*
 * Waits for a command that a killed runner has left behind, until its deadline
 * at the latest; then its attempt has failed, unless its runner lives and says
 * how it ended.  Nothing where there is none.
 */
void attempt_recover(struct attempt *);

/*
 * Runs the command once and writes down what became of it, in the record and
 * on the disk.  0; -1 if nothing was run or its end could not be written down,
 * which was then said.  After the attempt that a signal has interrupted the
 * hand-off is what it was before; it counts as begun.
 */
int  attempt_run(struct attempt *);

/* Runs it without writing anything down; its exit status, -1 with errno. */
int  attempt_try(struct attempt *);

#endif
