/*
 * ends-none.c - only the slow tick notices the end of a process.
 */
#include "os/proc.h"

int
proc_ends_open(pid_t pid)
{
	(void)pid;
	errno = ENOSYS;
	return -1;
}

int
proc_ends(void)
{
	return proc_ends_open(0);
}

int
proc_ends_set(int ends, int fd, bool in)
{
	(void)ends, (void)fd, (void)in;
	return proc_ends();
}

int
proc_ends_next(int ends)
{
	(void)ends;
	return -1;
}
