/*
 * notify-inotify.c - Linux tells.
 *
 * Descriptors are watched by their name in /proc/self/fd, so that no rename
 * can come between open() and the watch.  A directory is not watched for
 * writes into its files: twenty watchers of one directory would all wake for
 * every line that one agent prints.  Whoever wants a file's growth watches
 * the file.
 */
#include "os/notify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/alloc.h"

struct files {
	int fd;
};

struct files *
files_new(int *without_kernel)
{
	struct files *f = xcalloc(1, sizeof(*f));

	f->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	*without_kernel = f->fd == -1 ? errno : 0;
	return f;
}

void
files_free(struct files *f)
{
	if (f == NULL)
		return;
	if (f->fd != -1)
		close(f->fd);
	free(f);
}

int
files_fd(const struct files *f)
{
	return f->fd;
}

msec
files_period(const struct files *f)
{
	return f->fd == -1 ? 2000 : CLOCK_NEVER;
}

/* Who has no watches left sees less than who looks from time to time. */
static void
look_from_now_on(struct files *f)
{
	close(f->fd);
	f->fd = -1;
	errno = ENOSPC;
}

static int
watch(struct files *f, int fd, uint32_t what)
{
	char path[32];
	int id;

	if (f->fd == -1) {
		errno = ENOSPC;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	id = inotify_add_watch(f->fd, path, what);
	if (id == -1 && errno == ENOSPC)
		look_from_now_on(f);
	return id;
}

int
files_watch_directory(struct files *f, int fd)
{
	return watch(f, fd, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE |
	    IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
}

int
files_watch_renames(struct files *f, int fd)
{
	return watch(f, fd, IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
	    IN_ONLYDIR);
}

int
files_watch_file(struct files *f, int fd)
{
	return watch(f, fd, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF |
	    IN_DELETE_SELF);
}

void
files_unwatch(struct files *f, int id)
{
	if (f->fd != -1 && id >= 0)
		inotify_rm_watch(f->fd, id);
}

static enum files_change
change_of(const struct inotify_event *e)
{
	if (e->mask & (IN_Q_OVERFLOW | IN_UNMOUNT | IN_MOVE_SELF |
	    IN_DELETE_SELF))
		return FILES_LOST;
	return e->len > 0 ? FILES_ENTRY : FILES_CONTENT;
}

void
files_read(struct files *f, files_told *told, void *context)
{
	_Alignas(struct inotify_event) char bytes[4096];
	const struct inotify_event *e;
	ssize_t n;
	char *p;

	if (f->fd == -1) {
		told(context, -1, FILES_LOST, NULL);
		return;
	}
	/* What one read leaves behind makes the descriptor readable again. */
	n = read(f->fd, bytes, sizeof(bytes));
	for (p = bytes; p < bytes + n; p += sizeof(*e) + e->len) {
		e = (const struct inotify_event *)(void *)p;
		/* IGNORED only says that a watch is gone, which DELETE_SELF,
		 * UNMOUNT or we ourselves have said. */
		if (e->mask & IN_IGNORED)
			continue;
		told(context, e->wd, change_of(e), e->len > 0 ? e->name : NULL);
	}
}
