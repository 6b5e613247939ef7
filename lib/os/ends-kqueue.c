/*
 * ends-kqueue.c - the end of a process, as macOS and the BSDs report it.
 *
 * A process has a kqueue of its own, with one event, which is never taken out
 * of it: so it stays readable.
 */
#include "os/proc.h"

#include <sys/event.h>
#include <time.h>

#include "os/file.h"

/* One event to or from the kqueue. */
static int
ends_change(int kq, uintptr_t ident, int filter, int flags, unsigned fflags)
{
	struct kevent e;

	EV_SET(&e, ident, filter, flags, fflags, 0, 0);
	return kevent(kq, &e, 1, NULL, 0, NULL);
}

int
proc_ends(void)
{
	int kq = kqueue();

	if (kq != -1)
		fcntl(kq, F_SETFD, FD_CLOEXEC);
	return kq;
}

int
proc_ends_open(pid_t pid)
{
	int kq = proc_ends();

	if (kq != -1 && ends_change(kq, (uintptr_t)pid, EVFILT_PROC, EV_ADD,
	    NOTE_EXIT) == -1) {
		file_close(kq);
		return -1;
	}
	return kq;
}

int
proc_ends_set(int ends, int fd, bool in)
{
	return ends_change(ends, (uintptr_t)fd, EVFILT_READ, in ? EV_ADD :
	    EV_DELETE, 0);
}

int
proc_ends_next(int ends)
{
	const struct timespec none = { 0, 0 };
	struct kevent e;

	return kevent(ends, NULL, 0, &e, 1, &none) == 1 ? (int)e.ident : -1;
}
