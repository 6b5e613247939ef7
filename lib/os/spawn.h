/*
 * spawn.h - the one door to fork: other programs, run with a time limit.
 *
 * A program is an argument vector, found in PATH, run without a shell, with
 * /dev/null as its input, in a process group of its own, with the default
 * action for every signal.  Its output and its messages are collected.  A
 * struct spawn that is all zero (SPAWN_INIT) runs nothing.
 *
 * In a loop: spawn_begin(); poll out and err for reading, as long as closed
 * and quiet are not set, until spawn_deadline(); call spawn_step() each time;
 * when it says true, status, output and errors are there.  Without a loop:
 * spawn_finish().
 */
#ifndef PANEWARD_SPAWN_H
#define PANEWARD_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"

enum {
	SPAWN_TIMEOUT = -1,     /* a status: it was killed at its deadline */
	SPAWN_UNREAD = -2,      /* a status: killed, its output cannot be read */
	SPAWN_SIGNAL = 256      /* a status: killed by signal status - this */
};

struct spawn_how {
	const char *const *argv;        /* NULL-ended */
	const char *const *env;         /* NULL: ours */
	const char *cwd;                /* NULL: ours */
	msec limit;                     /* how long it may take */
	size_t most;                    /* bytes of output kept; 0: 4 MiB */
	bool terminal;                  /* of one at a gate: out is a terminal,
					   and becomes that of a session of its
					   own */
};

struct spawn {
	pid_t pid;                      /* 0: nothing runs */
	int   out, err;                 /* while pid is not 0 */
	msec  deadline;
	msec  stepped;                  /* when it was looked at last */
	size_t most;
	bool  closed, quiet;            /* out, err has ended */
	int   status;                   /* exit status, or one of the above */
	struct buf output, errors;
};

#define SPAWN_INIT { .out = -1, .err = -1 }

/* -1 with errno; a program that cannot be executed is its status 127, with
 * the reason in errors. */
int  spawn_begin(struct spawn *, const struct spawn_how *);
bool spawn_step(struct spawn *, msec now);
msec spawn_deadline(const struct spawn *, msec now);
/* Waits until it is over. */
void spawn_finish(struct spawn *);
/* Kills what runs; forgets everything. */
void spawn_release(struct spawn *);

/*
 * A process that lives on without us: a session of its own, no terminal,
 * the directory cwd, input /dev/null, output and messages appended to the
 * descriptor log.  The caller does not wait for it.  -1 with errno if it could
 * not be executed.
 */
int  spawn_detached(const char *const *argv, const char *cwd, int log);

/*
 * The same, but as a child, with our own standard error for its output and
 * messages; it keeps the descriptors keep[0] to keep[n - 1].  Its pid, -1 with
 * errno where it could not be executed.
 */
pid_t spawn_apart(const char *const *argv, const char *cwd, const int *keep,
    size_t n);

/* The same, but nobody's child and with how's environment and in as its
 * standard input.  -1 with errno where it could not be executed. */
int  spawn_beside(const struct spawn_how *, int in);

/*
 * A program at a gate: its process is there, leader of a process group of its
 * own, and can be written down before it begins.  It begins when the gate is
 * opened; if we end before that, it never does.  in is its standard input, out
 * takes its output and messages; of how, limit and most are not looked at.
 */
struct spawn_gated {
	pid_t pid;
	int   gate;
};

int  spawn_gated(struct spawn_gated *, const struct spawn_how *, int in,
    int out);
/* False: the process was killed before. */
bool spawn_open_gate(struct spawn_gated *);
/* It shall not begin after all. */
void spawn_shut_gate(struct spawn_gated *);

/* Absolute path of a program as PATH finds it; NULL with errno ENOENT.  The
 * caller frees it. */
char *spawn_find(const char *program);

#endif
