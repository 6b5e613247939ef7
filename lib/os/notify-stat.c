/*
 * notify-stat.c - changes by comparing, never sure: the resolution of the times
 * hides some.
 */
#include "os/notify.h"

#include "os/compat.h"
#include "os/file.h"

struct notify *
notify_new(int *without_kernel)
{
	struct notify *n = xcalloc(1, sizeof(*n));

	*without_kernel = 0;
	n->fd = -1;
	n->period = 1000;
	return n;
}

/* NOTIFY_RENAMES reports every change. */
int
notify_watch(struct notify *n, int fd, enum notify_what what)
{
	struct notify_row row = { .directory = what != NOTIFY_FILE };
	size_t i;

	for (i = 0; i < n->count && n->rows[i].fd != -1; i++)
		continue;
	row.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (row.fd == -1 || fstat(row.fd, &row.st) == -1)
		return -1;
	if (i == n->count)
		(void)ARRAY_ADD(n->rows, n->count);
	n->rows[i] = row;
	return (int)i;
}

void
notify_unwatch(struct notify *n, int id)
{
	if (id < 0 || (size_t)id >= n->count || n->rows[id].fd == -1)
		return;
	close(n->rows[id].fd);
	n->rows[id].fd = -1;
}

void
notify_read(struct notify *n, notify_fn *report, void *context)
{
	enum notify_change change;
	struct stat st;
	size_t i;

	for (i = 0; i < n->count; i++) {
		struct notify_row *row = &n->rows[i];

		if (row->fd == -1 || fstat(row->fd, &st) == -1)
			continue;
		/* A ctime in whole seconds may hide a second change. */
		if (file_same_times(&st, &row->st) &&
		    st.st_size == row->st.st_size &&
		    st.st_nlink == row->st.st_nlink && (st.st_ctim.tv_nsec != 0
		    || st.st_ctim.tv_sec < time(NULL) - 2))
			continue;
		change = row->directory ? NOTIFY_ENTRY : NOTIFY_CONTENT;
		/* ctime alone: a moved directory, or new rights. */
		if (st.st_nlink == 0 || (row->directory &&
		    st.st_mtim.tv_sec == row->st.st_mtim.tv_sec &&
		    st.st_mtim.tv_nsec == row->st.st_mtim.tv_nsec))
			change = NOTIFY_LOST;
		row->st = st;
		report(context, (int)i, change, NULL);
	}
}
