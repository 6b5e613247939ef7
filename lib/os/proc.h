/*
 * proc.h - what the system knows of a process.
 *
 * A pid alone says nothing: it may be used again.  A process is its pid, the
 * time at which it started (in a unit of the system's own, comparable within
 * one boot) and the boot.
 */
#ifndef PANEWARD_PROC_H
#define PANEWARD_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

struct proc {
	pid_t    pid;
	uint64_t start;                 /* system's unit, 0: not known */
	msec     began;                 /* wall time of start, rounded down */
	pid_t    parent, group;
	char     terminal[24];          /* the system's name; "": none */
	pid_t    front;                 /* foreground process group of its
					   terminal; -1: none */
	bool     zombie;                /* ended, not yet waited for */
	bool     stopped;               /* by a signal or a debugger */
};

enum { PROC_BOOT = 64 };

#define PROC_BOOT_UNKNOWN "unknown"

/* -1 with errno: ESRCH where there is no such process, another one where that
 * cannot be looked up. */
int  proc_read(struct proc *, pid_t);

/* Does this very process still run?  A zombie does not; one that cannot be
 * looked up does.  With start 0 any process of that pid counts. */
bool proc_alive(pid_t, uint64_t start);

/*
 * Has the process of that pid ended?  What proc_alive() says of any start, at
 * less cost: for a pid of which somebody else says that it is the same one.
 */
bool proc_ended(pid_t);

/*
 * A descriptor that poll() finds readable when the process ends; -1 where the
 * system has none (errno ENOSYS), or with ESRCH.  A process that is not alive
 * any more, or not the one that started at start, gives ESRCH.
 */
int  proc_open(pid_t, uint64_t start);

/*
 * One descriptor for many of those, since polling each costs time: it is
 * readable while one of them is.  -1 where the system has none.  One is dropped
 * before it is closed.  proc_ends_next() returns one that is readable, as long
 * as there is one, else -1.
 */
int  proc_ends(void);
int  proc_ends_add(int ends, int fd);   /* -1 with errno */
void proc_ends_drop(int ends, int fd);
int  proc_ends_next(int ends);

/* The name of what it runs, as ps shows it, cut to the size; "" if that is not
 * known. */
void proc_name(pid_t, char *name, size_t size);

/* The words of its command line, NULL-ended, for the caller to free; NULL where
 * the system does not tell them apart.  A program may have overwritten them. */
char **proc_words(pid_t);

/* Identifies this boot of this machine; PROC_BOOT_UNKNOWN where the system
 * does not. */
void proc_boot(char id[PROC_BOOT]);
/* Are these certainly two boots?  One that is not known is no other one. */
bool proc_boot_differs(const char *, const char *);

/* Absolute path of the running program; the caller frees it.  NULL with
 * errno. */
char *proc_program(void);

#endif
