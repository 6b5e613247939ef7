/*
 * runner.h - which command hands work off, and the runner that runs it.
 *
 * The runner is a process of its own.  It inherits the issue's lock and may
 * outlive its parent; see attempt.h.
 */
#ifndef PANEWARD_HANDOFF_RUNNER_H
#define PANEWARD_HANDOFF_RUNNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "os/lock.h"
#include "run/config.h"
#include "run/project.h"
#include "run/statusdir.h"

/*
 * Settles which command is run: option (a text, see usercommand.h), no command
 * at all with none set, else the configured one, else our own.  That and the
 * command of notify are looked at; -1 with the reason in *error.
 */
int  runner_choose(struct config *, const char *option, bool none,
    struct buf *error);

/* Is a command configured?  Asked after runner_choose(). */
bool runner_wanted(const struct config *);

/* Somebody who runs a hand-off for us. */
struct runner {
	bool  again;                    /* set by the caller: the one before
					   could not begin, and has said so */
	pid_t pid;
	int   fd;                       /* readable when it has ended; -1 */
};

#define RUNNER_INIT { .fd = -1 }

/*
 * Starts a runner for the issue, whose lock is ours.  -1 with errno.  Until it
 * has ended the record is not ours to write.
 */
int  runner_start(struct runner *, const struct lock *,
    const char *issue, const struct statusdir *, const struct config *,
    const struct project *);

/* It has ended: forgets it.  The record says what became of the hand-off; the
 * signal that killed the runner is returned, 0: none. */
int  runner_reap(struct runner *);

#endif
