/*
 * runner.h - which command hands work off, and the runner that runs it, or
 * tells a parked agent to go on (run/parked.c).
 *
 * The runner is a process of its own (handoff-run, parked-run).  It inherits
 * the issue's lock and may outlive its parent, so that the end of a hand-off is
 * recorded whichever process is killed.
 */
#ifndef PANEWARD_HANDOFF_RUNNER_H
#define PANEWARD_HANDOFF_RUNNER_H

#include "base/command.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/spawn.h"
#include "project/context.h"
#include "run/journal.h"

/*
 * Sets config->handoff: option (a text, see config.h), no command if none
 * is set, else the configured one, else cleanup.sh.  Checks that it can be run;
 * -1 with the reason in *error.  Drops each way of config->notify that cannot be
 * used, with a warning.
 */
int  runner_choose(struct config *, const char *option, bool none,
    struct buf *error);

/*
 * The command of a run, after runner_choose(): that of an option, else the one
 * that the run was started with, else the configured one.  No words: none.
 */
char *const *runner_command(const struct config *, const struct status *);
/* Has it a command? */
bool runner_wanted(const struct config *, const struct status *);

enum runner_work { RUNNER_HANDOFF, RUNNER_PARKED };

struct runner {
	enum runner_work work;          /* set by the caller, as again is */
	bool  again;                    /* set by the caller: the last start
					   has failed, and warned */
	pid_t pid;
	int   fd;                       /* readable when it has ended; -1 */
};

#define RUNNER_INIT { .fd = -1 }

/*
 * Starts a runner for the record's issue, whose lock the caller holds.  -1 with
 * errno.  Until it has ended the caller must not write the record.
 *
 * The runner does nothing before the record names it (status.h).  If that
 * fails, it ends, after a warning.
 */
int  runner_start(struct runner *, const struct lock *,
    const struct status *, const struct context *);

/* Makes that process the runner of the issue, in its record.  -1 with errno. */
int  runner_claim(const char *issue, pid_t, const struct lock *,
    const struct context *);

/* Call this when the runner has ended; the record has the result.  Returns the
 * signal that killed the runner, 0: none. */
int  runner_reap(struct runner *);

/*
 * ---- one attempt of a hand-off, from its intent to its result: attempt.c ----
 *
 * The order is the promise.  Record and journal say that the command runs, and
 * as which process, before it begins; they have its end before the signal is
 * removed.  A process that is killed in between leaves a record from which the
 * next one continues.
 */

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
