/*
 * runner.h - the command of a hand-off, and the runner of it, or of the words
 * to a parked agent (run/parked.c): a process of its own, which inherits the
 * issue's lock and may outlive its parent.
 */
#ifndef PANEWARD_HANDOFF_RUNNER_H
#define PANEWARD_HANDOFF_RUNNER_H

#include "base/command.h"
#include "os/spawn.h"
#include "project/context.h"
#include "run/journal.h"

/* Sets config->handoff: none, the option, the configured one or cleanup.sh.  -1
 * with the reason in *error if it cannot be run.  Drops each unusable way of
 * config->notify, with a warning. */
int  runner_choose(struct config *, const char *option, bool none,
    struct buf *error);

/* The command of a run, after runner_choose(): an option, its own, or the
 * configured one.  No words: none. */
char *const *runner_command(const struct config *, const struct status *);
bool runner_wanted(const struct config *, const struct status *);

enum runner_work { RUNNER_HANDOFF, RUNNER_PARKED };

struct runner {
	enum runner_work work;
	bool  again;                    /* the last start failed, and warned */
	pid_t pid;
	int   fd;                       /* readable when it has ended; -1 */
};

#define RUNNER_INIT { .fd = -1 }

/* Starts a runner for the record's issue, whose lock the caller holds.  -1 with
 * errno.  The caller must not write the record until it has ended; it does
 * nothing before the record names it. */
int  runner_start(struct runner *, const struct lock *,
    const struct status *, const struct context *);

/* Records that process as the runner of the issue.  -1 with errno. */
int  runner_claim(const char *issue, pid_t, const struct lock *,
    const struct context *);

/* At its end; returns the signal that killed it, or 0. */
int  runner_reap(struct runner *);

/* ---- one attempt of a hand-off: attempt.c -------------------------------- */

/* Record and journal name the command's process before it begins, and have its
 * end before the signal is removed: the next process continues from there. */
struct attempt {
	struct context *context;        /* its config.handoff is the command */
	struct status *record;          /* of an issue whose lock we hold */
	int out;                        /* for the command's output; -1: the
					   file in .paneward */
	bool again;
	bool interrupted;               /* by a signal; set by attempt_run() */
};

/* Waits for the command of a killed runner; that attempt has failed. */
void attempt_recover(struct attempt *);

/* Runs the command and records its end, in memory and on the disk.  0; -1 after
 * a warning.  An interrupted attempt counts as begun, and leaves the hand-off
 * as it was. */
int  attempt_run(struct attempt *);

/* Records nothing; the exit status, -1 with errno. */
int  attempt_try(struct attempt *);

#endif
