/*
 * proc.h - processes.  A pid may be reused; with its start it is unique in a
 * boot.
 */
#ifndef PANEWARD_PROC_H
#define PANEWARD_PROC_H

#include <sys/types.h>

#include "base/base.h"

struct proc {
	pid_t    pid, parent, group;
	uint64_t start;                 /* system's unit; 0: unknown */
	msec     began;                 /* wall time of start, rounded down */
	char     terminal[24];          /* or "" */
	pid_t    foreground;            /* its terminal's group; or -1 */
	unsigned threads;               /* 0: unknown */
	bool     zombie, stopped;
	char     name[16];              /* maybe cut */
};

enum { PROC_BOOT = 64 };

#define PROC_BOOT_UNKNOWN "unknown"

/* -1 with errno; ESRCH: no process. */
int  proc_read(struct proc *, pid_t);

/* False of a zombie, true if the lookup fails.  Start 0: any. */
bool proc_alive(pid_t, uint64_t start);

/* 0: unknown. */
uint64_t proc_start(pid_t);

/* Unique in all boots. */
struct proc_id {
	pid_t    pid;                   /* 0: none */
	uint64_t start;
	char     boot[PROC_BOOT];
};

void proc_identify(struct proc_id *, pid_t);
bool proc_id_alive(const struct proc_id *);

/* Does it get the keys of the other's terminal? */
bool proc_in_front(pid_t, uint64_t start, pid_t of);

/* !proc_alive(pid, 0), but cheaper. */
bool proc_ended(pid_t);

/* Readable once the process ends; -1 with ENOSYS or ESRCH. */
int  proc_open(pid_t, uint64_t start);

/* One descriptor for many of those, or -1.  proc_ends_set() adds one, or drops
 * it before its close; proc_ends_next() returns a readable one, or -1. */
int  proc_ends(void);
int  proc_ends_set(int ends, int fd, bool in);
int  proc_ends_next(int ends);

/* Cut to the size; "" if unknown. */
void proc_program_name(pid_t, char *name, size_t size);

/* For argv_free(), or NULL; the program may change them. */
#define proc_words(pid) proc_texts((pid), false)

/* Sets n values for free(), or NULL; ours if the lookup fails. */
void proc_variables(pid_t, const char *const *names, char **values, size_t n);

/* Sets the process and its descendants, but no subtree under that word; returns
 * how many. */
size_t proc_family(pid_t, const char *without, pid_t *family, size_t most);

enum { PROC_FRONT = 64 };

/* Walks a terminal's foreground group, parents first. */
struct proc_front {
	pid_t  group, root;             /* root began it; 0: done */
	bool   deep;                    /* the leader is gone */
	struct proc leader;
	pid_t  pids[PROC_FRONT];        /* 0: no member */
	bool   alone[PROC_FRONT];       /* has one thread */
	size_t n, given, expanded;
};

/* Begins at a member or their ancestor. */
void proc_front_begin(struct proc_front *, const struct proc *);
bool proc_front_next(struct proc_front *, struct proc *);

/* The first open file from *fd on, for free(); sets *fd. */
char *proc_open_file(pid_t, unsigned *fd);

/* Or PROC_BOOT_UNKNOWN. */
void proc_boot(char id[PROC_BOOT]);
/* False if one is unknown. */
bool proc_boot_differs(const char *, const char *);
bool proc_boot_over(const char *);

/* A path, or "paneward" with errno.  Once the file is gone: "paneward" in PATH,
 * if there is one. */
const char *proc_program(void);
/* In its folder, for free(). */
char *proc_beside(const char *name);
/* The same, or us (NULL), by a path that outlives an upgrade: Homebrew and nix
 * have a folder for each version, and a link to it in PATH. */
char *proc_lasting(const char *name);

/* Each system's own file: */

/* Or NULL with errno. */
char *proc_own_path(void);

/* proc_open() without a start. */
int proc_ends_open(pid_t);

/* For argv_free(), or NULL. */
char **proc_texts(pid_t, bool environment);

/* Adds to n pids; both return how many. */
size_t proc_children(pid_t, pid_t *pids, size_t n, size_t most);

size_t proc_group(pid_t group, pid_t *pids, size_t most);

#endif
