/*
 * progress.h - what a loop prints while it runs: one live line on a terminal,
 * else a line for each round, or objects with --json.
 */
#ifndef PANEWARD_LOOP_PROGRESS_H
#define PANEWARD_LOOP_PROGRESS_H

#include <stdbool.h>

#include "loop/manager.h"
#include "loop/state.h"

struct progress {
	bool json, live;
	bool drawn;                     /* the live line is on the screen */
	msec drawn_at;                  /* clock_now() */
};

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

#endif
