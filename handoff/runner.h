/*
 * runner.h - which command hands work off, and the runner that runs it, or
 * tells a parked agent to go on (run/parked.h).
 *
 * The runner is a process of its own (handoff-run, parked-run).  It inherits
 * the issue's lock and may outlive its parent, so that the end of a hand-off is
 * recorded whichever process is killed; see attempt.h.
 */
#ifndef PANEWARD_HANDOFF_RUNNER_H
#define PANEWARD_HANDOFF_RUNNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/command.h"
#include "os/lock.h"
#include "project/context.h"
#include "run/status.h"

/*
 * Sets config->handoff: option (a text, see usercommand.h), no command if none
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

/* What a runner is called with. */
struct runner_call {
	struct lock lock;
	int    alive;
	bool   again;
	const char *status_dir, *issue; /* borrowed from argv */
	char **words;                   /* behind the issue, NULL-ended */
};

extern const struct command_option runner_options[];
/* Ends the program if that is no such call. */
void runner_parse(struct runner_call *, const struct command *, int argc,
    char **argv);
/* Opens context and record once the record names this process; false: it may
 * not act on the issue. */
bool runner_enter(const struct runner_call *, struct context *,
    struct status *);

/* Call this when the runner has ended; the record has the result.  Returns the
 * signal that killed the runner, 0: none. */
int  runner_reap(struct runner *);

#endif
