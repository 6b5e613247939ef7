/*
 * spawn.h - the one door to fork: other programs, run with a time limit.
 *
 * A program is an argument vector, found in PATH, run without a shell, with
 * /dev/null as its input unless another is given, in a process group of its own
 * (unless it stays in ours), with the default action for every signal.  Its
 * output and its messages are collected.  SPAWN_INIT is one that runs nothing.
 *
 * In a loop: spawn_begin() and spawn_follow().  Without one: spawn_finish().  Once
 * pid is 0, status, output and errors are set.
 */
#ifndef PANEWARD_SPAWN_H
#define PANEWARD_SPAWN_H

#include <sys/types.h>

#include "os/loop.h"

enum {
	SPAWN_TIMEOUT = -1,     /* a status: it was killed at its deadline */
	SPAWN_UNREAD = -2,      /* a status: killed, its output is unreadable */
	SPAWN_FAILED = -3,      /* a status: it could not be started */
	SPAWN_SIGNAL = 256      /* a status: killed by signal status - this */
};

struct spawn_how {
	const char *const *argv;        /* NULL-ended */
	const char *program;            /* its path; NULL: found by argv[0] */
	int (*call)(void *);            /* instead of a program: runs in the
					   child, which ends with its status and
					   leaves buffers of stdio alone */
	void *context;                  /* for call */
	const char *const *env;         /* NULL: ours */
	const char *const *without;     /* variables it does not get; NULL */
	const char *const *with;        /* more, as in "NAME=value"; NULL */
	const char *cwd;                /* NULL: ours */
	int in;                         /* its input; 0: /dev/null */
	msec limit;                     /* how long it may take */
	size_t most;                    /* bytes of output kept; 0: 4 MiB */
	int to;                         /* output goes to this descriptor
					   instead; 0: it is kept */
	bool stays;                     /* in our process group, so that what
					   ends us ends it, too */
	bool terminal;                  /* at a gate: out is a terminal, and
					   becomes that of a new session */
};

struct spawn {
	pid_t pid;                      /* 0: nothing runs */
	int   out, err;                 /* while pid is not 0 */
	msec  deadline;
	msec  stepped;                  /* time of the last step */
	size_t most;
	bool  out_eof, err_eof;
	int   status;                   /* exit status, or one of the above */
	struct buf output, errors;
	struct loop_wait waits[2];      /* of out, with the deadline, and err */
	loop_fn *fn;
	void *context;
};

#define SPAWN_INIT { .out = -1, .err = -1 }

/* -1 with errno: it could not be started.  A program that cannot be executed
 * has status 127.  Both have the reason in errors. */
int  spawn_begin(struct spawn *, const struct spawn_how *);
bool spawn_step(struct spawn *, msec now);
/* From now on in that loop (NULL: in none).  fn is called whenever something was
 * read of it, and once it is over; it may release it. */
void spawn_follow(struct spawn *, struct loop *, loop_fn *fn, void *context);
/* It may take until then. */
void spawn_extend(struct spawn *, msec deadline);
/* Waits until it is over. */
void spawn_finish(struct spawn *);
/* Begins and finishes it; returns its status. */
int  spawn_run(struct spawn *, const struct spawn_how *);
/* Kills what runs; forgets everything. */
void spawn_release(struct spawn *);

/* The program takes our place, with our streams and terminal, and the default
 * action for every signal.  Returns only if it cannot be executed: -1 with
 * errno. */
int  spawn_replace(const char *const *argv);

/*
 * A process that outlives us: in a session of its own, without a terminal.  -1
 * with errno if it could not be executed.
 *
 * _detached: not our child; argv, env and cwd of how count.  Input comes from
 * in (-1: none), output and messages go to out.
 * _apart: our child, without input and with our standard error for output; it
 * keeps the descriptors keep[0] to keep[n - 1].  Returns its pid.
 */
int   spawn_detached(const struct spawn_how *, int in, int out);
pid_t spawn_apart(const char *const *argv, const char *cwd, const int *keep,
    size_t n);

/* A program that has our terminal until it ends; it reads from in, and its
 * messages go to err.  It stays in our process group, and what is typed to
 * interrupt it does not interrupt us.  Returns its status as struct spawn has
 * it; -1 with errno. */
int spawn_front(const char *const *argv, int in, int err);

/*
 * A program at a gate: its process exists, leads a process group of its own,
 * and can be recorded before the program begins.  It begins when the gate is
 * opened; if we end before that, it never does.  in is its standard input, out
 * takes its output and messages; limit and most of how are ignored.
 */
struct spawn_gated {
	pid_t pid;
	int   gate;
};

int  spawn_gated(struct spawn_gated *, const struct spawn_how *, int in,
    int out);
/* Opens it; false: the process was killed before.  Or the program never begins,
 * and its process is waited for. */
bool spawn_gate(struct spawn_gated *, bool opens);

/* Absolute path of a program as PATH finds it; NULL with errno: ENOENT, or why a
 * candidate could not be looked at.  The
 * caller frees it. */
char *spawn_find(const char *program);

/* Raises the limit of open files as far as the system allows; returns it.
 * Programs still get the old one, since they may rely on low numbers. */
size_t spawn_raise_files(void);

#endif
