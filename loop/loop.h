/*
 * loop.h - a loop while its engine runs: what engine and rounds share.
 */
#ifndef PANEWARD_LOOP_H
#define PANEWARD_LOOP_H

#include <stdbool.h>

#include "backend/backend.h"
#include "loop/manager.h"
#include "loop/progress.h"
#include "loop/state.h"
#include "os/notify.h"
#include "project/context.h"

struct loop {
	struct context  context;
	struct backend  backend;
	const struct session_manager *manager;
	char            name[LOOP_NAME];
	struct loop_state state;
	struct progress progress;
	struct notify  *notify;
	int             trap;
	bool            unsaved;        /* the state; that was warned of */
	msec            began;          /* clock_now() of this engine */
	msec            before;         /* ms that earlier engines took */
	struct round    round;          /* the current one, or the last */
	struct buf      prompt;         /* of the current round */
	struct buf      why;            /* no session could be made */
};

/* How long all engines of the loop have run, in ms. */
msec loop_elapsed(const struct loop *);
/* When --max-time is over, by clock_now(); CLOCK_NEVER: it is not set. */
msec loop_deadline(const struct loop *, msec now);
/* Has the signal-complete been written since the loop began? */
bool loop_signalled(const struct loop *);
/* Writes the state; warns once if that fails. */
void loop_save(struct loop *);
/* Was the status directory, or its .paneward, removed? */
bool loop_dir_gone(const struct loop *);
/* Sleeps until then, until a signal, until the status directory or a watched
 * file changes, or until fd is readable; fd may be -1. */
void loop_sleep(struct loop *, int fd, msec until);

/* engine.c: round after round, until one of the ends in find_end() applies.
 * Returns the exit status. */
int  engine_run(struct loop *);

/* round.c: reads the prompt of the next round; -1 with the reason in why. */
int  round_prompt(struct loop *);
/* Runs its session from its beginning to its end, and fills in round. */
void round_run(struct loop *);

#endif
