/*
 * run.h - what `loop run` was called with.
 */
#ifndef PANEWARD_LOOP_RUN_H
#define PANEWARD_LOOP_RUN_H

#include <stdbool.h>

#include "loop/state.h"

/* An option that was not given is NULL, or -1. */
struct loop_call {
	const char *issue, *backend, *manager, *prompt_file, *keyword;
	const char *reports[REPORTS];
	const char *status_dir;
	long max_iterations, idle_timeout, max_time, same_rounds;
	bool resume, json;
	char **words;                   /* COMMAND, NULL-ended; may be empty */
};

/* Runs the loop; returns the exit status. */
int run_loop(const struct loop_call *);

#endif
