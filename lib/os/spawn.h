/*
 * spawn.h - the one door to fork: other programs, run with a time limit.
 *
 * A program is an argument vector, found in PATH, run without a shell.  Unless
 * told otherwise it has /dev/null as input, a process group of its own, and the
 * default action for every signal.
 *
 * In a loop: spawn_begin() and spawn_follow().  Without one: spawn_finish().
 * Once pid is 0, status, output and errors are set.
 */
#ifndef PANEWARD_SPAWN_H
#define PANEWARD_SPAWN_H

#include <sys/types.h>

#include "os/loop.h"

/* A status is an exit status, or: */
enum {
	SPAWN_TIMEOUT = -1,             /* killed at its deadline */
	SPAWN_UNREAD = -2,              /* killed, its output is unreadable */
	SPAWN_FAILED = -3,              /* not started */
	SPAWN_SIGNAL = 256              /* killed by signal status - this */
};

struct spawn_how {
	const char *const *argv;        /* NULL-ended */
	const char *program;            /* its path; NULL: argv[0] in PATH */
	int (*call)(void *);            /* runs in the child instead */
	void *context;                  /* for call */
	const char *const *env;         /* NULL: ours */
	const char *const *without, *const *with;       /* names to drop,
					   "NAME=value" to add; or NULL */
	const char *cwd;                /* NULL: ours */
	int in;                         /* its input; 0: /dev/null */
	msec limit;
	size_t most;                    /* bytes of output kept; 0: 4 MiB */
	int to;                         /* descriptor for its output; 0: kept */
	bool stays;                     /* in our process group */
	bool terminal;                  /* gated: with out as terminal */
	bool child;                     /* detached: stays our child */
};

struct spawn {
	pid_t pid;                      /* 0: nothing runs */
	int   out, err;                 /* while pid is not 0 */
	msec  deadline, stepped;        /* time of the last step */
	size_t most;
	bool  out_eof, err_eof;
	int   status;
	struct buf output, errors;
	struct loop_wait waits[2];      /* of out, with the deadline, and err */
	loop_fn *fn;
	void *context;
};

#define SPAWN_INIT { .out = -1, .err = -1 }

/* -1 with errno: not started.  127: not executed.  errors has the reason. */
int  spawn_begin(struct spawn *, const struct spawn_how *);
bool spawn_step(struct spawn *, msec now);
/* Moves it to a loop, or none.  fn follows each read and the end, and may
 * release it. */
void spawn_follow(struct spawn *, struct loop *, loop_fn *fn, void *context);
void spawn_extend(struct spawn *, msec deadline);
void spawn_finish(struct spawn *);
int  spawn_run(struct spawn *, const struct spawn_how *);
void spawn_release(struct spawn *);

/* Becomes the program; returns -1 with errno. */
int  spawn_replace(const char *const *argv);

/*
 * A process that outlives us, in a session of its own.  -1 with errno.
 *
 * _detached reads argv, env, cwd and child of how.  It returns the pid of a
 * child, else 0.  _apart returns the pid of a child that keeps n descriptors.
 */
pid_t spawn_detached(const struct spawn_how *, int in, int out);
pid_t spawn_apart(const char *const *argv, const char *cwd, const int *keep,
    size_t n);

/* Gives a program our terminal; returns its status, or -1 with errno. */
int spawn_front(const char *const *argv, int in, int err);

/*
 * A program at a gate: its process exists, leads a process group, and can be
 * recorded before the program begins.  If we end before the gate opens, it
 * never does.
 */
struct spawn_gated {
	pid_t pid;
	int   gate;
};

int  spawn_gated(struct spawn_gated *, const struct spawn_how *, int in,
    int out);
/* Opens the gate; false: it was killed.  Or ends the process. */
bool spawn_gate(struct spawn_gated *, bool opens);

/* A path in PATH, for the caller to free; NULL with errno: ENOENT, or a failed
 * lookup. */
char *spawn_find(const char *program);

/* Raises our limit of open files, not that of programs; returns it. */
size_t spawn_raise_files(void);

#endif
