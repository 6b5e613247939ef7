/*
 * engine.h - the engine of `loop run`: round after round, until one of the
 * ends in engine.c applies.
 */
#ifndef PANEWARD_LOOP_ENGINE_H
#define PANEWARD_LOOP_ENGINE_H

#include <stdbool.h>

#include "chain/backend.h"
#include "loop/manager.h"
#include "loop/state.h"
#include "os/notify.h"
#include "run/context.h"

struct engine {
	struct context  context;
	struct backend  backend;
	const struct session_manager *manager;
	char            name[LOOP_NAME];
	struct loop_state state;
	struct files   *files;
	int             trap;
	bool            json, live;     /* how it tells what it does */
	bool            drawn;          /* the live line is on the screen */
	bool            unsaved;        /* the state, which was said */
	msec            began;          /* clock_now() of this engine */
	msec            before;         /* what engines before it took */

	/* Of the round under way, and the last one. */
	struct round    round;
	struct buf      prompt;         /* what the agents are told now */
	msec            drawn_at;       /* clock_now() of the live line */
	struct buf      why;            /* no session could be made */
};

/* Runs until the end; returns the exit status. */
int  engine_run(struct engine *);

/* How long all engines of the loop have run, in ms. */
msec engine_elapsed(const struct engine *);
/* Has the issue of the loop been reported complete since it began? */
bool engine_signalled(const struct engine *);
void engine_save(struct engine *);
/* Was the status directory, or what paneward keeps in it, taken away? */
bool engine_dir_gone(const struct engine *);
/* Ends whatever the engine that left this state has left running. */
void engine_clear(struct engine *, const struct loop_state *left);
/* Sleeps until then, until a signal comes, something happens in the status
 * directory or to what is watched, or fd is readable; fd may be -1. */
void engine_sleep(struct engine *, int fd, msec until);
msec engine_time_is_up(const struct engine *, msec now);

/* round.c: one session, from its beginning to its end; fills in round. */
void round_run(struct engine *);
/* Reads the agents' prompt; -1 with the reason in why. */
int  round_prompt(struct engine *);

/* progress.c */
void progress_begin(struct engine *, const struct loop_session *);
/* The one line of a terminal, once a second; returns when it is due again. */
msec progress_live(struct engine *, const struct loop_session *, msec now);
void progress_round(struct engine *, int log);
void progress_pause(struct engine *);
void progress_end(struct engine *, bool success);
/* Takes the live line away, so that something else can be said. */
void progress_wipe(struct engine *);

/* limit.c: does the end of a log say that a usage limit was reached?  *until:
 * when that is over, wall time; 0: it does not say. */
bool limit_find(const struct signs *, int log, bool failed, msec wall,
    msec *until);

/* report.c: which kind a file is by its name; REPORTS: none. */
enum report report_kind(const char *path);
/* -1 with errno. */
int  report_write(const struct engine *, enum report);

#endif
