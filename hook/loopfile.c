#include "hook/loopfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/file.h"

static const char folder[] = ".claude";

enum {
	PATIENCE = 500,                 /* ms for the lock, which is held for
					   a few */
	OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	NAME = LOOPFILE_AGENT + 40
};

const char *
loopfile_root(void)
{
	const char *said = getenv("CLAUDE_PROJECT_DIR");

	return said != NULL && said[0] == '/' ? said : ".";
}

bool
loopfile_agent_valid(const char *agent)
{
	size_t len = strspn(agent, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return len > 0 && agent[len] == '\0' && len <= LOOPFILE_AGENT;
}

const char *
loopfile_refusal(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_mode & S_IWOTH)
		return "any user can write to it; chmod it to 644";
	/* Root's own files are not the only ones in a container. */
	if (st->st_uid != geteuid() && st->st_uid != 0 && geteuid() != 0)
		return "it belongs to another user";
	return NULL;
}

/* The name in the folder. */
static const char *
name_of(const struct loopfile *f)
{
	return f->path + sizeof(folder);
}

/* ---- opening it ---------------------------------------------------------- */

/* Is the open file still the one of that name? */
static bool
is_current(const struct loopfile *f, struct stat *st)
{
	struct stat there;

	return fstat(f->fd, st) == 0 && fstatat(f->dir, name_of(f), &there,
	    AT_SYMLINK_NOFOLLOW) == 0 && st->st_dev == there.st_dev &&
	    st->st_ino == there.st_ino;
}

/* The file of that name, locked; -1 with errno. */
static int
open_locked(struct loopfile *f, struct stat *st)
{
	for (;;) {
		f->fd = openat(f->dir, name_of(f), O_RDONLY | O_NOFOLLOW |
		    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (f->fd == -1 || file_lock(f->fd, PATIENCE) == -1)
			return -1;
		if (is_current(f, st))
			return 0;
		close(f->fd);
	}
}

/* All of the open file; -1 with errno. */
static int
read_text(struct loopfile *f)
{
	struct buf *text = &f->state.text;
	ssize_t n;

	do {
		n = read(f->fd, buf_room(text, 4096), 4096);
		if (n == -1 && errno != EINTR)
			return -1;
		text->len += n > 0 ? (size_t)n : 0;
	} while (n != 0 && text->len <= LOOPSTATE_MAX);
	return 0;
}

static enum loopfile_result
say(const struct loopfile *f, struct buf *why, enum loopfile_result result,
    const char *what)
{
	buf_printf(why, "'%s': %s", f->path, what);
	return result;
}

static enum loopfile_result
open_failed(const struct loopfile *f, struct buf *why)
{
	switch (errno) {
	case ENOENT:
		return say(f, why, LOOPFILE_MISSING, "there is no such file");
	case ELOOP:
		return say(f, why, LOOPFILE_MALFORMED, "it is a link");
	case ENOTDIR:
		return say(f, why, LOOPFILE_MALFORMED,
		    "'.claude' is no folder, or a link");
	case ENXIO:
		return say(f, why, LOOPFILE_MALFORMED,
		    "it is not a regular file");
	case EWOULDBLOCK:
		return say(f, why, LOOPFILE_FAILED,
		    "another process has held its lock for half a second");
	default:
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	}
}

/* Reads what is open and locked. */
static enum loopfile_result
load(struct loopfile *f, const struct stat *st, struct buf *why)
{
	const char *refusal = loopfile_refusal(st);
	struct buf wrong = BUF_INIT;

	f->mode = st->st_mode & 07777;
	f->uid = st->st_uid;
	f->gid = st->st_gid;
	if (refusal != NULL)
		return say(f, why, LOOPFILE_MALFORMED, refusal);
	if (read_text(f) == -1)
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	if (f->state.text.len > LOOPSTATE_MAX)
		return say(f, why, LOOPFILE_MALFORMED,
		    "it has more than 64 KiB");
	if (loopstate_parse(&f->state, &wrong) == 0)
		return LOOPFILE_OK;
	say(f, why, LOOPFILE_MALFORMED, buf_str(&wrong));
	buf_release(&wrong);
	return LOOPFILE_MALFORMED;
}

static int
open_folder(const char *root)
{
	char *path = xasprintf("%s/%s", root, folder);
	int fd = open(path, OPEN_FOLDER), saved = errno;

	free(path);
	errno = saved;
	return fd;
}

enum loopfile_result
loopfile_open(struct loopfile *f, const char *root, const char *agent,
    struct buf *why)
{
	struct stat st;

	*f = (struct loopfile)LOOPFILE_INIT;
	snprintf(f->path, sizeof(f->path), "%s/th-loop%s%s.local.md", folder,
	    agent ? "-" : "", agent ? agent : "");
	f->dir = open_folder(root);
	if (f->dir == -1 || open_locked(f, &st) == -1)
		return open_failed(f, why);
	return load(f, &st, why);
}

/* ---- writing it ---------------------------------------------------------- */

/* The new file looks like the old one, whose owner it keeps where we may give
 * it away. */
static int
dress(const struct loopfile *f, int fd)
{
	struct stat st;

	if (fstat(fd, &st) == -1)
		return -1;
	if ((st.st_uid != f->uid || st.st_gid != f->gid) &&
	    fchown(fd, f->uid, f->gid) == -1 && errno != EPERM)
		return -1;
	return (st.st_mode & 07777) == f->mode ? 0 : fchmod(fd, f->mode);
}

/*
 * The name beside is ours as long as we hold the lock, of the file or, where
 * there is none, of the folder; what a writer that was killed has left there
 * goes.  The disk is not waited for: this happens at the end of each turn.
 */
static int
replace(struct loopfile *f)
{
	const struct buf *text = &f->state.text;
	char beside[NAME];
	int fd, ret = -1, saved;

	snprintf(beside, sizeof(beside), ".%s.tmp", name_of(f));
	fd = openat(f->dir, beside, NEW_FILE, 0600);
	if (fd == -1 && errno == EEXIST && unlinkat(f->dir, beside, 0) == 0)
		fd = openat(f->dir, beside, NEW_FILE, 0600);
	if (fd == -1)
		return -1;
	if (file_write(fd, text->data, text->len) == 0 && dress(f, fd) == 0 &&
	    renameat(f->dir, beside, f->dir, name_of(f)) == 0)
		ret = 0;
	saved = errno;
	close(fd);
	if (ret == -1)
		unlinkat(f->dir, beside, 0);
	errno = saved;
	return ret;
}

int
loopfile_write(struct loopfile *f)
{
	struct stat st;

	/* The file was replaced without the lock: the new one counts. */
	if (!is_current(f, &st)) {
		errno = ESTALE;
		return -1;
	}
	return replace(f);
}

static int
make_folder(const char *root)
{
	char *path = xasprintf("%s/%s", root, folder);
	int ret = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
	int saved = errno;

	free(path);
	errno = saved;
	return ret;
}

/* The folder is locked, so that of two that begin one finds the other's. */
int
loopfile_make(struct loopfile *f, const char *root)
{
	struct stat st;

	if (f->dir == -1 && make_folder(root) == 0)
		f->dir = open_folder(root);
	if (f->dir == -1 || file_lock(f->dir, PATIENCE) == -1)
		return -1;
	if (fstatat(f->dir, name_of(f), &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	f->mode = 0600;
	f->uid = geteuid();
	f->gid = getegid();
	return replace(f);
}

void
loopfile_close(struct loopfile *f)
{
	if (f->fd != -1)
		close(f->fd);
	if (f->dir != -1)
		close(f->dir);
	loopstate_release(&f->state);
	*f = (struct loopfile)LOOPFILE_INIT;
}
