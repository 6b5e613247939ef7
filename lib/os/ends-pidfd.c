/*
 * ends-pidfd.c - the end of a process, as Linux reports it.
 */
#include "os/proc.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/procsystem.h"

int
proc_ends_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int
proc_ends(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

int
proc_ends_set(int ends, int fd, bool in)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(ends, in ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &e);
}

int
proc_ends_next(int ends)
{
	struct epoll_event e;

	return epoll_wait(ends, &e, 1, 0) == 1 ? e.data.fd : -1;
}
