/*
 * notify-inotify.c - changes on Linux.
 *
 * A watch names /proc/self/fd: a path may be renamed after open().  A file's
 * growth has a watch of its own, or each line that an agent prints would wake
 * all watchers of the directory.
 */
#include "os/notify.h"

#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/vfs.h>

#include "os/file.h"

/* No other machine changes these.  Overlayfs hides a file that is copied up. */
static const long notify_local[] = {
	EXT4_SUPER_MAGIC /* and ext2, ext3 */, XFS_SUPER_MAGIC,
	BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC, RAMFS_MAGIC
};

struct notify *
notify_new(int *without_kernel)
{
	struct notify *n = xcalloc(1, sizeof(*n));

	n->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	*without_kernel = n->fd == -1 ? errno : 0;
	n->period = 2000;
	n->sure = n->fd != -1;
	return n;
}

int
notify_watch(struct notify *n, int fd, enum notify_what what)
{
	static const uint32_t masks[] = {
		[NOTIFY_DIRECTORY] = IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE |
		    IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR,
		[NOTIFY_RENAMES] = IN_MOVED_TO | IN_DELETE_SELF |
		    IN_MOVE_SELF | IN_ONLYDIR,
		[NOTIFY_FILE] = IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF |
		    IN_DELETE_SELF,
	};
	size_t i = sizeof(notify_local) / sizeof(notify_local[0]);
	struct statfs fs;
	char path[32];
	int id;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	id = inotify_add_watch(n->fd, path, masks[what]);
	if (!n->sure || fstatfs(fd, &fs) == -1)
		i = 0;
	while (i > 0 && notify_local[i - 1] != (long)fs.f_type)
		i--;
	n->sure = i > 0;
	/* Without watches, comparing sees more. */
	if (id == -1 && errno == ENOSPC) {
		file_close(n->fd);
		n->fd = -1;
		n->sure = false;
	}
	return id;
}

void
notify_unwatch(struct notify *n, int id)
{
	if (n->fd != -1 && id >= 0)
		inotify_rm_watch(n->fd, id);
}

void
notify_read(struct notify *n, notify_fn *report, void *context)
{
	_Alignas(struct inotify_event) char bytes[4096];
	const struct inotify_event *e;
	enum notify_change change;
	ssize_t got;
	char *p;

	if (n->fd == -1) {
		report(context, -1, NOTIFY_LOST, NULL);
		return;
	}
	got = read(n->fd, bytes, sizeof(bytes));
	for (p = bytes; p < bytes + got; p += sizeof(*e) + e->len) {
		e = (const struct inotify_event *)(void *)p;
		/* IN_IGNORED follows a reported end, or our removal. */
		if (e->mask & IN_IGNORED)
			continue;
		change = e->len > 0 ? NOTIFY_ENTRY : NOTIFY_CONTENT;
		if (e->mask & (IN_Q_OVERFLOW | IN_UNMOUNT | IN_MOVE_SELF |
		    IN_DELETE_SELF))
			change = NOTIFY_LOST;
		report(context, e->wd, change, e->len > 0 ? e->name : NULL);
	}
}
