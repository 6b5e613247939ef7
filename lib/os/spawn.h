/*
 * spawn.h - the one door to fork: other programs, with a time limit.
 *
 * A program is an argument vector, run without a shell, by default in a process
 * group of its own, with the default action for every signal.
 *
 * In a loop: spawn_begin() and spawn_follow().  Without one: spawn_finish().
 * Once pid is 0, status, output and errors are set.  fn may put the deadline
 * off.
 */
#ifndef PANEWARD_SPAWN_H
#define PANEWARD_SPAWN_H

#include <sys/types.h>

#include "os/loop.h"

/* An exit status, or: */
enum {
	SPAWN_TIMEOUT = -1,             /* killed at its deadline */
	SPAWN_FAILED = -2,
	SPAWN_SIGNAL = 256              /* killed by signal status - this */
};

struct spawn_how {
	const char *const *argv;        /* NULL-ended */
	const char *program;            /* NULL: argv[0] in PATH */
	int (*call)(void *);            /* replaces argv */
	void *context;
	const char *const *env;         /* NULL: ours */
	const char *const *without, *const *with;       /* names, NAME=value */
	const char *cwd;                /* NULL: ours */
	int in;                         /* 0: /dev/null */
	msec limit;
	size_t most;                    /* bytes kept; 0: 4 MiB */
	int to;                         /* for its output; 0: kept */
	bool stays;                     /* in our process group */
	bool terminal;                  /* gated: with out as terminal */
	bool child;                     /* detached: stays our child, */
	const int *keep;                /* and keeps these descriptors */
	size_t kept;
};

struct spawn {
	pid_t pid;                      /* 0: nothing runs */
	int   out, err;
	msec  deadline, stepped;
	size_t most;
	bool  out_eof, err_eof;
	int   status;
	struct buf output, errors;
	struct loop_wait waits[2];
	loop_fn *fn;
	void *context;
};

#define SPAWN_INIT { .out = -1, .err = -1 }

/* -1 with errno: not started.  127: not executed.  errors has the reason. */
int  spawn_begin(struct spawn *, const struct spawn_how *);
bool spawn_step(struct spawn *, msec now);
/* loop may be NULL.  fn follows each read and the end, and may release it. */
void spawn_follow(struct spawn *, struct loop *, loop_fn *fn, void *context);
void spawn_finish(struct spawn *);
int  spawn_run(struct spawn *, const struct spawn_how *);
void spawn_release(struct spawn *);

/* Returns only on failure. */
int  spawn_replace(const char *const *argv);

/* Starts a process that outlives us, in a session of its own: argv, env, cwd,
 * child and keep.  Returns a child's pid, else 0; -1 with errno. */
pid_t spawn_detached(const struct spawn_how *, int in, int out);

/* Gives a program our terminal; returns its status, or -1. */
int spawn_front(const char *const *argv, int in, int err);

/* A program at a gate: its process group can be recorded before it begins.  If
 * we end before, it never does. */
struct spawn_gated {
	pid_t pid;
	int   gate;
};

int  spawn_gated(struct spawn_gated *, const struct spawn_how *, int in,
    int out);
/* Opens the gate (false: it was killed), or ends the process. */
bool spawn_gate(struct spawn_gated *, bool opens);

/* For free(); NULL with errno: ENOENT, or a failed lookup. */
char *spawn_find(const char *program);

/* Raises our limit, not that of programs; returns it. */
size_t spawn_raise_files(void);
void spawn_lower_files(void);

#endif
