/*
 * procsystem.h - what proc.c, and front-group.c, ask the system's own files.
 */
#ifndef PANEWARD_PROCSYSTEM_H
#define PANEWARD_PROCSYSTEM_H

#include <stddef.h>
#include <sys/types.h>

/* proc_open(), but of any process that has this pid now. */
int proc_ends_open(pid_t);

/* The texts NAME=value of its environment, NULL-ended, for the caller to free;
 * NULL if they cannot be read. */
char **proc_environment(pid_t);

/* Adds those that it began to n pids, up to most, and returns how many there
 * are. */
size_t proc_children(pid_t, pid_t *pids, size_t n, size_t most);

/* The members of a process group in any order, most of them at most.  Returns
 * how many. */
size_t proc_group(pid_t group, pid_t *pids, size_t most);

#endif
