/*
 * notify-kqueue.c - changes as macOS and the BSDs report them.
 *
 * Each watch holds a descriptor of its own, whose number is the watch.  A
 * directory does not report what is written into its files, so it is never
 * sure, and callers check them at a slow tick.
 */
#include "os/notify.h"

#include <sys/event.h>
#include <time.h>

#include "os/file.h"

enum { KQUEUE_LOST = NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE };

struct notify *
notify_new(int *without_kernel)
{
	struct notify *n = xcalloc(1, sizeof(*n));

	n->fd = kqueue();
	*without_kernel = n->fd == -1 ? errno : 0;
	n->period = 2000;
	if (n->fd != -1)
		fcntl(n->fd, F_SETFD, FD_CLOEXEC);
	return n;
}

/* A rename looks like any other change of a directory. */
int
notify_watch(struct notify *n, int fd, enum notify_what what)
{
	struct notify_row row = { .directory = what != NOTIFY_FILE };
	struct kevent e;

	if (n->fd == -1) {
		errno = ENOSPC;
		return -1;
	}
	row.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (row.fd == -1)
		return -1;
	EV_SET(&e, (uintptr_t)row.fd, EVFILT_VNODE, EV_ADD | EV_CLEAR,
	    KQUEUE_LOST | NOTE_WRITE | (row.directory ? 0 : NOTE_EXTEND |
	    NOTE_ATTRIB | NOTE_LINK), 0, 0);
	if (kevent(n->fd, &e, 1, NULL, 0, NULL) == -1) {
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

/* Its events, those that are not read yet as well, go with the descriptor. */
void
notify_unwatch(struct notify *n, int id)
{
	struct notify_row *row = watched_find(n, id);

	if (row == NULL)
		return;
	close(row->fd);
	*row = n->rows[--n->count];
}

/* One event at a time: what is called may give a number to another watch. */
void
notify_read(struct notify *n, notify_fn *report, void *context)
{
	const struct timespec none = { 0, 0 };
	const struct notify_row *row;
	struct kevent e;
	size_t most = n->count;

	if (n->fd == -1) {
		report(context, -1, NOTIFY_LOST, NULL);
		return;
	}
	while (most-- > 0 && kevent(n->fd, NULL, 0, &e, 1, &none) == 1) {
		row = watched_find(n, (int)e.ident);
		if (row != NULL)
			report(context, row->fd, e.fflags & KQUEUE_LOST ?
			    NOTIFY_LOST : row->directory ? NOTIFY_ENTRY :
			    NOTIFY_CONTENT, NULL);
	}
}
