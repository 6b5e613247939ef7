/*
 * notify-stat.c - nobody tells, so somebody looks, once a second.
 */
#include "os/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/file.h"

enum { FILES_MOST = 4096, LOOK_EVERY = 1000 };

struct looked {
	int         fd;                 /* our own; -1: a free row */
	bool        directory;
	struct stat st;
};

struct files {
	struct looked *rows;
	int            count;
};

struct files *
files_new(int *without_kernel)
{
	*without_kernel = 0;
	return xcalloc(1, sizeof(struct files));
}

void
files_free(struct files *f)
{
	int i;

	if (f == NULL)
		return;
	for (i = 0; i < f->count; i++)
		files_unwatch(f, i);
	free(f->rows);
	free(f);
}

int
files_fd(const struct files *f)
{
	(void)f;
	return -1;
}

msec
files_period(const struct files *f)
{
	(void)f;
	return LOOK_EVERY;
}

static int
watch(struct files *f, int fd, bool directory)
{
	struct looked row = { .directory = directory };
	int i;

	for (i = 0; i < f->count && f->rows[i].fd != -1; i++)
		continue;
	if (i == FILES_MOST) {
		errno = ENOSPC;
		return -1;
	}
	row.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (row.fd == -1 || fstat(row.fd, &row.st) == -1)
		return -1;
	if (i == f->count)
		f->rows = xreallocarray(f->rows, (size_t)++f->count,
		    sizeof(*f->rows));
	f->rows[i] = row;
	return i;
}

int
files_watch_directory(struct files *f, int fd)
{
	return watch(f, fd, true);
}

int
files_watch_renames(struct files *f, int fd)
{
	return files_watch_directory(f, fd);    /* it cannot tell them apart */
}

int
files_watch_file(struct files *f, int fd)
{
	return watch(f, fd, false);
}

void
files_unwatch(struct files *f, int id)
{
	if (id < 0 || id >= f->count || f->rows[id].fd == -1)
		return;
	close(f->rows[id].fd);
	f->rows[id].fd = -1;
}

/* Every change shows in the time of the last one.  Where the file system only
 * knows seconds, what changed just now may change again within the same. */
static bool
same(const struct stat *a, const struct stat *b)
{
	return file_same_time(&a->st_ctim, &b->st_ctim) &&
	    a->st_size == b->st_size && a->st_nlink == b->st_nlink &&
	    (a->st_ctim.tv_nsec != 0 || a->st_ctim.tv_sec < time(NULL) - 2);
}

/* Of a directory that has changed and in which nothing has: it was moved, or
 * other rights were given to it. */
static enum files_change
change_of(const struct looked *before, const struct stat *st)
{
	if (st->st_nlink == 0)
		return FILES_LOST;
	if (!before->directory)
		return FILES_CONTENT;
	return file_same_time(&st->st_mtim, &before->st.st_mtim) ? FILES_LOST :
	    FILES_ENTRY;
}

void
files_read(struct files *f, files_told *told, void *context)
{
	enum files_change change;
	struct stat st;
	int i;

	for (i = 0; i < f->count; i++) {
		struct looked *row = &f->rows[i];

		if (row->fd == -1 || fstat(row->fd, &st) == -1)
			continue;
		if (same(&st, &row->st))
			continue;
		change = change_of(row, &st);
		row->st = st;
		told(context, i, change, NULL);
	}
}
