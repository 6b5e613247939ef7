/*
 * notify-kqueue.c - changes, and ends of processes, on macOS and the BSDs.
 *
 * A watch's number is its own descriptor.  A directory does not report writes
 * into its files, so nothing is sure.  A process has a kqueue of its own, never
 * read, so that it stays readable.
 */
#include "os/notify.h"

#include <sys/event.h>
#include <time.h>

#include "os/file.h"
#include "os/proc.h"

enum { KQUEUE_LOST = NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE };

static int
kqueue_change(int kq, int ident, int filter, int flags, unsigned fflags)
{
	struct kevent e;

	EV_SET(&e, (uintptr_t)ident, filter, flags, fflags, 0, 0);
	return kevent(kq, &e, 1, NULL, 0, NULL);
}

static bool
kqueue_next(int kq, struct kevent *e)
{
	const struct timespec none = { 0, 0 };

	return kevent(kq, NULL, 0, e, 1, &none) == 1;
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

	if (kq != -1 && kqueue_change(kq, pid, EVFILT_PROC, EV_ADD,
	    NOTE_EXIT) == -1) {
		file_close(kq);
		return -1;
	}
	return kq;
}

int
proc_ends_set(int ends, int fd, bool in)
{
	return kqueue_change(ends, fd, EVFILT_READ, in ? EV_ADD : EV_DELETE, 0);
}

int
proc_ends_next(int ends)
{
	struct kevent e;

	return kqueue_next(ends, &e) ? (int)e.ident : -1;
}

struct notify *
notify_new(int *without_kernel)
{
	struct notify *n = xcalloc(1, sizeof(*n));

	n->fd = proc_ends();
	*without_kernel = n->fd == -1 ? errno : 0;
	n->period = 2000;
	return n;
}

/* NOTIFY_RENAMES reports every change. */
int
notify_watch(struct notify *n, int fd, enum notify_what what)
{
	struct notify_row row = { .directory = what != NOTIFY_FILE };

	row.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (row.fd == -1)
		return -1;
	if (kqueue_change(n->fd, row.fd, EVFILT_VNODE, EV_ADD | EV_CLEAR,
	    KQUEUE_LOST | NOTE_WRITE | (row.directory ? 0 : NOTE_EXTEND |
	    NOTE_ATTRIB | NOTE_LINK)) == -1) {
		file_close(row.fd);
		return -1;
	}
	*ARRAY_ADD(n->rows, n->count) = row;
	return row.fd;
}

static struct notify_row *
watched_find(const struct notify *n, int id)
{
	size_t i;

	for (i = 0; i < n->count; i++)
		if (n->rows[i].fd == id)
			return &n->rows[i];
	return NULL;
}

/* close() drops unread events, too. */
void
notify_unwatch(struct notify *n, int id)
{
	struct notify_row *row = watched_find(n, id);

	if (row == NULL)
		return;
	close(row->fd);
	*row = n->rows[--n->count];
}

/* Reads single events: report() may reuse a watch's number. */
void
notify_read(struct notify *n, notify_fn *report, void *context)
{
	const struct notify_row *row;
	struct kevent e;
	size_t most = n->count;

	if (n->fd == -1) {
		report(context, -1, NOTIFY_LOST, NULL);
		return;
	}
	while (most-- > 0 && kqueue_next(n->fd, &e)) {
		row = watched_find(n, (int)e.ident);
		if (row != NULL)
			report(context, row->fd, e.fflags & KQUEUE_LOST ?
			    NOTIFY_LOST : row->directory ? NOTIFY_ENTRY :
			    NOTIFY_CONTENT, NULL);
	}
}
