/*
 * engine.h - what runs a loop: what engine and rounds share.
 */
#ifndef PANEWARD_LOOP_ENGINE_H
#define PANEWARD_LOOP_ENGINE_H

#include <stdbool.h>

#include "backend/backend.h"
#include "loop/manager.h"
#include "loop/state.h"
#include "os/notify.h"
#include "project/context.h"

/* What is printed while it runs: one live line on a terminal, else a line for
 * each round, or objects with --json. */
struct progress {
	bool json, live;
	bool drawn;                     /* the live line is on the screen */
	msec drawn_at;                  /* clock_now() */
};

struct engine {
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
msec engine_elapsed(const struct engine *);
/* When --max-time is over, by clock_now(); CLOCK_NEVER: it is not set. */
msec engine_deadline(const struct engine *, msec now);
/* Has the signal-complete been written since the loop began? */
bool engine_signalled(const struct engine *);
/* Writes the state; warns once if that fails. */
void engine_save(struct engine *);
/* Was the status directory, or its .paneward, removed? */
bool engine_dir_gone(const struct engine *);
/* Sleeps until then, until a signal, until the status directory or a watched
 * file changes, or until fd is readable; fd may be -1. */
void engine_sleep(struct engine *, int fd, msec until);

/* Round after round, until one of the ends in find_end() applies.  Returns the
 * exit status. */
int  engine_run(struct engine *);

/* round.c: reads the prompt of the next round; -1 with the reason in why. */
int  round_prompt(struct engine *);
/* Runs its session from its beginning to its end, and fills in round. */
void round_run(struct engine *);

/* ---- what it prints while it runs: progress.c ---------------------------- */

/* Removes the live line, so that something else can be printed. */
void progress_wipe(struct progress *);
/* Draws the live line once a second; returns when it is due again. */
msec progress_live(struct progress *, const struct loop_state *,
    const struct loop_session *, msec now);

void progress_begin(struct progress *, const struct loop_session *);
/* log may be -1. */
void progress_round(struct progress *, const struct round *, int log);
/* The loop waits until then, wall time, for the end of a usage limit. */
void progress_pause(struct progress *, msec until);
/* logs: the pattern of the logs' paths. */
void progress_end(struct progress *, const struct loop_state *, bool success,
    const char *logs);

/* ---- did it run into a usage limit?  limit.c ----------------------------- */

/*
 * Does the very end of a round's output say that?  Agents also write about
 * limits, and name files and tests after them.  So only words that report a
 * limit as reached count, and only of an agent that has failed.  Some agents end
 * with such a message and status 0: then it counts if it begins a line or is a
 * sign of the backend, and names the limit's end.
 *
 * *until: the limit's end, wall time; 0: not known.
 */
bool limit_find(const struct signs *, int log, bool failed, msec wall,
    msec *until);

#endif
