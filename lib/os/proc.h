/*
 * proc.h - processes.
 *
 * A pid may be reused.  So a process is its pid, its start time (in the
 * system's own unit, comparable within one boot) and the boot.
 */
#ifndef PANEWARD_PROC_H
#define PANEWARD_PROC_H

#include <sys/types.h>

#include "base/base.h"

struct proc {
	pid_t    pid;
	uint64_t start;                 /* system's unit, 0: not known */
	msec     began;                 /* wall time of start, rounded down */
	pid_t    parent, group;
	char     terminal[24];          /* the system's name; "": none */
	pid_t    foreground;            /* foreground process group of its
					   terminal; -1: none */
	unsigned threads;               /* 0: not known */
	bool     zombie;                /* ended, not yet waited for */
	bool     stopped;               /* by a signal or a debugger */
	char     name[16];              /* of its program, maybe cut */
};

enum { PROC_BOOT = 64 };

#define PROC_BOOT_UNKNOWN "unknown"

/* -1 with errno: ESRCH if there is no such process, another one if the lookup
 * fails. */
int  proc_read(struct proc *, pid_t);

/* Does this very process still run?  False of a zombie, true if the lookup
 * fails.  With start 0 any process of that pid counts. */
bool proc_alive(pid_t, uint64_t start);

/* Does this very process run in the foreground of the terminal of another one,
 * where it would get typed keys? */
bool proc_in_front(pid_t, uint64_t start, pid_t of);

/* The negation of proc_alive() with start 0, but cheaper: for a pid that is
 * known not to be reused. */
bool proc_ended(pid_t);

/* A descriptor that becomes readable when the process ends; -1 with ENOSYS if
 * the system has none, or with ESRCH if the process ended or did not start at
 * start. */
int  proc_open(pid_t, uint64_t start);

/* One descriptor for many of those, since polling each costs time: readable
 * while one of them is.  -1 if the system has none.  proc_ends_set() adds one
 * (-1 with errno), or drops it, before it is closed.  proc_ends_next() returns
 * a readable one, or -1. */
int  proc_ends(void);
int  proc_ends_set(int ends, int fd, bool in);
int  proc_ends_next(int ends);

/* The name of its program as ps shows it, cut to the size; "" if unknown. */
void proc_program_name(pid_t, char *name, size_t size);

/* The words of its command line, NULL-ended, for the caller to free; NULL if
 * the system does not separate them.  A program may have overwritten them. */
char **proc_words(pid_t);

/* The values of n variables of its environment, or of ours if the lookup fails,
 * for the caller to free; NULL: not set. */
void proc_variables(pid_t, const char *const *names, char **values, size_t n);

/* The process and its descendants, at most most; without a process that has
 * that word in its command line (NULL: none), and its descendants.  Returns how
 * many. */
size_t proc_family(pid_t, const char *without, pid_t *family, size_t most);

enum { PROC_FRONT = 64 };

/* A walk over the foreground group of a terminal: the group's leader first,
 * each process before its children. */
struct proc_front {
	pid_t  group;
	pid_t  root;                    /* began the group; 0: done with it */
	bool   deep;                    /* the leader is gone, so members may
					   be below other processes */
	struct proc leader;
	pid_t  pids[PROC_FRONT];        /* 0: no member */
	bool   alone[PROC_FRONT];       /* it has one thread */
	size_t n, given, expanded;
};

/* Begins at a process of that terminal that is a member or their ancestor. */
void proc_front_begin(struct proc_front *, const struct proc *);
/* The next one; false at the end, or if the system does not list them. */
bool proc_front_next(struct proc_front *, struct proc *);

/* The path of the first open file from that descriptor on, which is set; for
 * the caller to free.  NULL: none, or the system does not say. */
char *proc_open_file(pid_t, unsigned *fd);

/* Identifies this boot of this machine; PROC_BOOT_UNKNOWN if the system
 * cannot. */
void proc_boot(char id[PROC_BOOT]);
/* Are these certainly two boots?  False if one is unknown. */
bool proc_boot_differs(const char *, const char *);
/* Has that boot certainly ended? */
bool proc_boot_over(const char *);

/* Absolute path of the running program; "paneward" if the system cannot tell.
 */
const char *proc_program(void);
/* The path of another program in its folder; the caller frees it. */
char *proc_beside(const char *name);

/* ---- each system's own file ---------------------------------------------- */

/* The path for proc_program(); NULL: unknown. */
char *proc_own_path(void);

/* proc_open() without a start. */
int proc_ends_open(pid_t);

/* The words of the command line, or the texts NAME=value of the environment,
 * NULL-ended, for the caller to free; NULL if the lookup fails. */
char **proc_texts(pid_t, bool environment);

/* Adds the children to n pids, up to most, and returns how many there are. */
size_t proc_children(pid_t, pid_t *pids, size_t n, size_t most);

/* The members of a process group in any order, at most most.  Returns how
 * many. */
size_t proc_group(pid_t group, pid_t *pids, size_t most);

#endif
