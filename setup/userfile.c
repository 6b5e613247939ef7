#include "setup/userfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/file.h"
#include "setup/agenthooks.h"

enum { PATIENCE = 5000 };       /* ms for the lock; a person waits */

static const char beside[] = ".paneward-init.tmp";

void
userfile_init(struct userfile *f, char *root, char *folder, const char *name)
{
	*f = (struct userfile){ .root = root, .folder = folder, .fd = -1 };
	f->name = xstrdup(name);
	f->path = xasprintf("%s/%s%s%s", strcmp(root, "/") == 0 ? "" : root,
	    folder, folder[0] ? "/" : "", name);
}

/* ---- reading ------------------------------------------------------------- */

/*
 * Opens the next folder on the way to the file, below fd; makes it if make is
 * set.  -1 with ENOENT if it is missing, with ELOOP if it is refused.
 */
static int
enter(const struct userfile *f, int fd, const char *name, bool make)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, next;

	next = openat(fd, name, flags);
	if (next == -1 && errno == ENOENT && make) {
		if (mkdirat(fd, name, 0777) == -1 && errno != EEXIST)
			fatal("cannot make the folder '%s' on the way to '%s'",
			    name, f->path);
		next = openat(fd, name, flags);
	}
	if (next == -1 && errno == ENOTDIR)
		errno = ELOOP;
	if (next == -1 && errno != ELOOP && errno != ENOENT)
		fatal("cannot open the folder '%s' on the way to '%s'", name,
		    f->path);
	return next;
}

/* Opens the folder of the file; fd stays -1 if it is missing.  -1: refused. */
static int
userfile_folder(struct userfile *f, bool make, struct buf *why)
{
	char *names = xstrdup(f->folder), *name, *rest = names;
	int next;

	f->fd = open(f->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->fd == -1)
		fatal("cannot open '%s'", f->root);
	while (f->fd != -1 && (name = strsep(&rest, "/")) != NULL) {
		if (name[0] == '\0')
			continue;
		next = enter(f, f->fd, name, make);
		if (next == -1 && errno == ELOOP)
			buf_printf(why, "'%s' on the way to it is a link, or "
			    "no folder", name);
		close(f->fd);
		f->fd = next;
		if (next != -1 && !make)
			f->had = (size_t)(name - names) + strlen(name);
	}
	free(names);
	return why->len > 0 ? -1 : 0;
}

/* Why a file is refused; NULL: it is not. */
static const char *
userfile_wrong(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return "is a link, and none is followed";
	if (!S_ISREG(st->st_mode))
		return "is no regular file";
	if (st->st_uid != geteuid())
		return "belongs to another user";
	if (st->st_nlink > 1)
		return "has several names (hard links)";
	return NULL;
}

int
userfile_text(const struct userfile *f, const char *name, struct buf *text,
    struct buf *why)
{
	const char *wrong;
	struct stat st;

	if (f->fd == -1)
		return 0;
	if (fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno != ENOENT)
			fatal("cannot look at '%s'", f->path);
		return 0;
	}
	wrong = userfile_wrong(&st);
	if (wrong == NULL && file_read(f->fd, name, FILE_NOFOLLOW, text,
	    OURHOOKS_MAX + 1) == -1)
		fatal("cannot read '%s'", f->path);
	if (wrong != NULL)
		buf_printf(why, "'%s' %s", name, wrong);
	else if (text->len > OURHOOKS_MAX)
		buf_printf(why, "'%s' has more than %d bytes", name,
		    OURHOOKS_MAX);
	return why->len > 0 ? -1 : 1;
}

int
userfile_read(struct userfile *f, struct buf *why)
{
	int found = -1;

	if (userfile_folder(f, false, why) == 0)
		found = userfile_text(f, f->name, &f->before, why);
	f->there = f->stays = found == 1;
	return found;
}

/* ---- changing ------------------------------------------------------------ */

bool
userfile_changes(const struct userfile *f)
{
	return f->there != f->stays ||
	    (f->stays && !buf_same(&f->before, &f->after));
}

void
userfile_begin(struct userfile *f)
{
	struct buf now = BUF_INIT, why = BUF_INIT;

	if (f->fd == -1 && f->stays && userfile_folder(f, true, &why) == -1)
		fatalx("'%s' is left as it is: %s", f->path, buf_str(&why));
	if (f->fd == -1)
		return;
	/* Without locks, the hidden file may be another process's. */
	if (file_lock(f->fd, PATIENCE) == 0)
		f->cleared = unlinkat(f->fd, beside, 0) == 0;
	else if (errno == EWOULDBLOCK)
		fatalx("'%s' is being changed by another process; try again",
		    f->path);
	if (userfile_text(f, f->name, &now, &why) != f->there ||
	    !buf_same(&now, &f->before))
		fatalx("'%s' was changed by another process just now; "
		    "try again", f->path);
	buf_release(&now);
}

/* Removes empty folders from the innermost on, down to the length keep. */
static void
remove_folders(const struct userfile *f, size_t keep)
{
	int root = open(f->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *folder = xstrdup(f->folder), *slash = folder;

	while (root != -1 && slash != NULL && strlen(folder) > keep &&
	    unlinkat(root, folder, AT_REMOVEDIR) == 0)
		if ((slash = strrchr(folder, '/')) != NULL)
			*slash = '\0';
	if (root != -1)
		close(root);
	free(folder);
}

void
userfile_put(const struct userfile *f, const char *name,
    const struct buf *text)
{
	/* One that has vanished since it was read may have been private. */
	struct stat st = { .st_mode = f->there ? 0600 : 0666 };
	const char *why;
	int fd;

	if (f->there)
		fstatat(f->fd, f->name, &st, AT_SYMLINK_NOFOLLOW);
	fd = openat(f->fd, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, st.st_mode & 0777);
	if (fd == -1 && errno == EEXIST)
		fatalx("'%s' beside '%s' is in the way; if no other init runs, "
		    "remove it", beside, f->path);
	if (fd == -1 || (f->there && fchmod(fd, st.st_mode & 07777) == -1) ||
	    file_write(fd, text->data, text->len) == -1 || fsync(fd) == -1 ||
	    renameat(f->fd, beside, f->fd, name) == -1) {
		why = strerror(errno);
		if (fd != -1)
			unlinkat(f->fd, beside, 0);
		remove_folders(f, f->had);
		fatalx("cannot write '%s'; '%s' is left as it was: %s", name,
		    f->path, why);
	}
	close(fd);
	if (fsync(f->fd) == -1)
		warn("cannot sync the folder of '%s'", f->path);
}

bool
userfile_remove(const struct userfile *f, const char *name)
{
	return f->fd != -1 && unlinkat(f->fd, name, 0) == 0;
}

void
userfile_end(struct userfile *f)
{
	if (f->fd != -1)
		close(f->fd);
	f->fd = -1;
	if (!f->stays && (f->there || f->cleared))
		remove_folders(f, 0);
}
