/*
 * ends-none.c - for systems that do not report the end of a process: it is
 * noticed at the slow tick.
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
	errno = ENOSYS;
	return -1;
}

int
proc_ends_set(int ends, int fd, bool in)
{
	(void)ends, (void)fd, (void)in;
	errno = ENOSYS;
	return -1;
}

int
proc_ends_next(int ends)
{
	(void)ends;
	return -1;
}
