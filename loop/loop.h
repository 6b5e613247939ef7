/*
 * loop.h - what `loop` was called with, for its verbs.
 *
 * run is an engine of its own, which begins a session per round (engine.h).
 * start, stop and status are about the loop inside one agent session, which
 * the agent's own hook drives (hook/loop.c): they write and read its state.
 */
#ifndef PANEWARD_LOOP_H
#define PANEWARD_LOOP_H

#include <stdbool.h>

struct command;

struct loop_call {
	const struct command *command;
	const char *agent;              /* NULL: the one without a name */
	const char *prompt;             /* NULL: the channel */
	long max, duration;
	bool json;

	/* Of run; what was not given is NULL, or -1. */
	const char *issue, *backend, *manager, *prompt_file, *keyword;
	const char *reports[2];         /* by enum report (engine.h) */
	const char *status_dir;
	long max_iterations, idle_timeout, max_time, same_rounds;
	bool resume;
	char **words;                   /* COMMAND, NULL-ended; may be none */
};

/* Each returns the exit status. */
int loop_rounds(const struct loop_call *);
int loop_start(const struct loop_call *);
int loop_stop(const struct loop_call *);
int loop_status(const struct loop_call *);

#endif
