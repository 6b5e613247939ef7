#include "hook/inboxfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "run/mailrules.h"

enum {
	OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	NAME = INBOX_TARGET + 16,       /* bytes of a file name */
	PAUSE = 20                      /* ms until we try again */
};

/* ---- reading ------------------------------------------------------------ */

/* A folder in another one; -1 with errno. */
static int
queue_folder(int dir, const char *name, bool make)
{
	int fd = openat(dir, name, OPEN_FOLDER);

	if (fd == -1 && errno == ENOENT && make) {
		if (mkdirat(dir, name, 0777) == -1 && errno != EEXIST)
			return -1;
		fd = openat(dir, name, OPEN_FOLDER);
	}
	/* Of a link that is not followed some systems say so, and some that
	 * it is no folder. */
	if (fd == -1 && errno == ENOTDIR)
		errno = ELOOP;
	return fd;
}

int
inbox_open(const char *root, bool make, struct buf *why)
{
	static const char *const names[] = { "queue", "inbox" };
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), next, saved;
	struct buf path = BUF_INIT;
	size_t i;

	buf_adds(&path, root);
	for (i = 0; fd != -1 && i < 2; i++) {
		buf_printf(&path, "/%s", names[i]);
		next = queue_folder(fd, names[i], make);
		saved = errno;
		close(fd);
		errno = saved;
		fd = next;
	}
	saved = errno;
	if (fd == -1)
		buf_printf(why, "cannot open '%s': %s", buf_str(&path),
		    saved == ELOOP ? "it is no folder, or a link" :
		    strerror(saved));
	buf_release(&path);
	errno = saved;
	return fd;
}

static void __attribute__((format(printf, 3, 4)))
inbox_explain(struct buf *why, const char *target, const char *format, ...)
{
	va_list ap;
	char text[300];

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	buf_printf(why, "'queue/inbox/%s.yaml': %s", target, text);
}

static enum inbox_result
read_failed(const char *target, struct buf *why)
{
	switch (errno) {
	case ENOENT:
		inbox_explain(why, target, "there is no such inbox");
		return INBOX_MISSING;
	case ELOOP:
		inbox_explain(why, target, "it is a link");
		return INBOX_REFUSED;
	case EINVAL:
	case ENXIO:
		inbox_explain(why, target, "it is not a regular file");
		return INBOX_REFUSED;
	default:
		inbox_explain(why, target, "%s", strerror(errno));
		return INBOX_FAILED;
	}
}

enum inbox_result
inbox_load(struct inbox *inbox, int dir, const char *target, struct buf *why)
{
	struct yaml_error error;
	char name[NAME];

	*inbox = (struct inbox){ BUF_INIT, YAML_INIT };
	snprintf(name, sizeof(name), "%s.yaml", target);
	if (file_read(dir, name, FILE_NOFOLLOW, &inbox->text,
	    YAML_MAX + 1) == -1) {
		buf_release(&inbox->text);
		return read_failed(target, why);
	}
	if (yaml_load(&inbox->yaml, buf_str(&inbox->text), inbox->text.len,
	    &error) == 0)
		return INBOX_OK;
	inbox_explain(why, target, "line %u: %s", error.line, error.reason);
	buf_release(&inbox->text);
	return INBOX_REFUSED;
}

void
inbox_release(struct inbox *inbox)
{
	yaml_release(&inbox->yaml);
	buf_release(&inbox->text);
}

/* FNV-1a. */
static uint32_t
hash_bytes(uint32_t hash, const char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
	return (hash ^ 0x1f) * 16777619u;
}

static uint32_t
hash_node(uint32_t hash, const struct yaml_node *node)
{
	const struct yaml_node *m, *read = yaml_member(node, "read");

	if (node->key != NULL)
		hash = hash_bytes(hash, node->key, node->key_len);
	if (node->text != NULL)
		hash = hash_bytes(hash, node->text, node->len);
	for (m = node->first; m != NULL; m = m->next)
		if (m != read)
			hash = hash_node(hash, m);
	return hash;
}

void
inbox_id(char id[INBOX_ID], const struct yaml_node *entry)
{
	snprintf(id, INBOX_ID, "%08x", (unsigned)hash_node(2166136261u,
	    entry));
}

/* ---- the lock ----------------------------------------------------------- */

/* Does the lock file still have its name? */
static bool
entry_counts(int fd, int dir, const char *name)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 &&
	    fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* The lock of an inbox: what is to be closed, or -1 with errno. */
static int
lock(int dir, const char *target, msec patience)
{
	char name[NAME];
	int fd, saved;

	snprintf(name, sizeof(name), "%s.yaml.lock", target);
	for (;;) {
		fd = openat(dir, name, O_RDONLY | O_CREAT | O_NOFOLLOW |
		    O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
		if (fd == -1)
			return -1;
		if (file_lock(fd, patience) == -1) {
			saved = errno;
			close(fd);
			errno = saved;
			return -1;
		}
		if (entry_counts(fd, dir, name))
			return fd;
		close(fd);
	}
}

static enum inbox_result
lock_failed(const char *target, const struct inbox_how *how, struct buf *why)
{
	if (errno != EWOULDBLOCK) {
		inbox_explain(why, target, "cannot lock '%s.yaml.lock': %s",
		    target, strerror(errno));
		return INBOX_FAILED;
	}
	if (how->patience == 0)
		inbox_explain(why, target, "another process holds its lock");
	else
		inbox_explain(why, target, "another process has held its lock "
		    "for %d seconds; find out which has '%s.yaml.lock' open",
		    (int)(how->patience / 1000), target);
	return INBOX_BUSY;
}

/* ---- a change ----------------------------------------------------------- */

/* Under the lock. */
struct change {
	int dir;
	const char *target;
	const struct inbox_how *how;
	struct buf *why;
	char name[NAME];                /* of the file */
	struct stat seen;               /* as it was read; zero: none was */
	int held;                       /* the lock */
	msec until;                     /* its patience */
};

/* The file of that name; all zero: there is none.  -1 with errno. */
static int
change_read(const struct change *c, struct stat *st)
{
	*st = (struct stat){ .st_size = 0 };
	return fstatat(c->dir, c->name, st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    errno == ENOENT ? 0 : -1;
}

/*
 * Did a writer without the lock change the file since it was read?  Then it is
 * read again.  A write in the microseconds between this and the rename, or to a
 * descriptor opened before the rename, is lost.
 */
static bool
overtaken(const struct change *c)
{
	struct stat now;

	return change_read(c, &now) == -1 || now.st_dev != c->seen.st_dev ||
	    now.st_ino != c->seen.st_ino || now.st_size != c->seen.st_size ||
	    !file_same_times(&now, &c->seen);
}

/* The new file gets the mode and group of the old one. */
static int
change_dress(const struct stat *old, int fd)
{
	struct stat new;
	mode_t mask;

	if (old->st_mode == 0) {
		mask = umask(0);
		umask(mask);
		return fchmod(fd, 0666 & ~mask);
	}
	if (fstat(fd, &new) == -1)
		return -1;
	if ((old->st_uid != new.st_uid || old->st_gid != new.st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) == -1)
		return -1;
	return fchmod(fd, old->st_mode & 07777);
}

/* Fills the new file and puts it into its place; ESTALE: the old one is not
 * the one that was read. */
static int
finish(const struct change *c, const char *beside, int fd,
    const struct buf *text)
{
	if (file_write(fd, text->data, text->len) == -1 ||
	    change_dress(&c->seen, fd) == -1 || (c->how->sync && fsync(fd) ==
		-1)) return -1;
	if (overtaken(c)) {
		errno = ESTALE;
		return -1;
	}
	return renameat(c->dir, beside, c->dir, c->name);
}

/* The name beside is ours, since the lock is; what a writer that was killed
 * has left there goes. */
static int
change_replace(const struct change *c, const struct buf *text)
{
	char beside[NAME + 8];
	int fd, ret, saved;

	snprintf(beside, sizeof(beside), ".%s.tmp", c->name);
	if (unlinkat(c->dir, beside, 0) == -1 && errno != ENOENT)
		return -1;
	fd = openat(c->dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	ret = finish(c, beside, fd, text);
	saved = errno;
	close(fd);
	if (ret == -1)
		unlinkat(c->dir, beside, 0);
	errno = saved;
	return ret == 0 && c->how->sync ? fsync(c->dir) : ret;
}

/* INBOX_BUSY: the file was changed meanwhile; try again. */
static enum inbox_result
write_text(const struct change *c, const struct buf *text)
{
	if (text->len > YAML_MAX) {
		inbox_explain(c->why, c->target,
		    "it would have more than %d MiB; take "
		    "out what is no longer needed", YAML_MAX >> 20);
		return INBOX_REFUSED;
	}
	if (change_replace(c, text) == 0)
		return INBOX_OK;
	if (errno == ESTALE)
		return INBOX_BUSY;
	inbox_explain(c->why, c->target, "cannot write it: %s",
	    strerror(errno));
	return INBOX_FAILED;
}

static enum inbox_result
change_begin(struct change *c)
{
	snprintf(c->name, sizeof(c->name), "%s.yaml", c->target);
	c->until = clock_now() + c->how->patience;
	c->held = lock(c->dir, c->target, c->how->patience);
	return c->held == -1 ? lock_failed(c->target, c->how, c->why) :
	    INBOX_OK;
}

/* Is it to be done again? */
static bool
again(const struct change *c, enum inbox_result result)
{
	if (result != INBOX_BUSY || clock_now() >= c->until)
		return false;
	poll(NULL, 0, PAUSE);
	return true;
}

static enum inbox_result
change_end(struct change *c, enum inbox_result result)
{
	if (result == INBOX_BUSY)
		inbox_explain(c->why, c->target,
		    "another process changes it without " "its lock");
	close(c->held);
	return result;
}

/* ---- adding ------------------------------------------------------------- */

/* Reads an inbox that is to get a notice; one that is missing is empty. */
static enum inbox_result
load_or_begin(struct change *c, struct inbox *inbox)
{
	struct buf missing = BUF_INIT;
	enum inbox_result result;

	if (change_read(c, &c->seen) == -1)
		return read_failed(c->target, c->why);
	result = inbox_load(inbox, c->dir, c->target, &missing);
	if (result == INBOX_MISSING)
		result = INBOX_OK;
	else
		buf_adds(c->why, buf_str(&missing));
	buf_release(&missing);
	return result;
}

/* Reports the entries that go; false: they must stay. */
static bool
tell_gone(const struct inbox *inbox, const struct inboxtext_entries *gone,
    const struct inbox_how *how)
{
	size_t i;

	for (i = 0; i < gone->n && how->gone != NULL; i++)
		if (!how->gone(how->context, inbox->text.data +
		    gone->v[i].from, gone->v[i].to - gone->v[i].from))
			return false;
	return true;
}

/*
 * Once.  With push set the oldest notices go; *stay says that it did not work
 * with that, and has to be tried without.
 */
static enum inbox_result
change_add(struct change *c, const struct inbox_notice *notice, bool push,
    bool *stay)
{
	struct inboxtext_entries gone = { NULL, 0 };
	struct buf text = BUF_INIT;
	struct inbox inbox;
	const char *wrong;
	enum inbox_result result = load_or_begin(c, &inbox);

	if (result != INBOX_OK)
		return result;
	wrong = inboxtext_add(&inbox, notice, push, &gone, &text);
	*stay = gone.n > 0 && (wrong != NULL ||
	    !tell_gone(&inbox, &gone, c->how));
	if (!*stay && wrong != NULL) {
		inbox_explain(c->why, c->target, "%s", wrong);
		result = INBOX_REFUSED;
	} else if (!*stay) {
		result = write_text(c, &text);
	}
	free(gone.v);
	buf_release(&text);
	inbox_release(&inbox);
	return result;
}

enum inbox_result
inbox_add(int dir, const char *target, const struct inbox_notice *notice,
    const struct inbox_how *how, struct buf *why)
{
	struct change c = { .dir = dir, .target = target, .how = how,
	    .why = why };
	enum inbox_result result = change_begin(&c);
	bool stay = false;

	if (result != INBOX_OK)
		return result;
	do {
		result = change_add(&c, notice, true, &stay);
		if (stay)
			result = change_add(&c, notice, false, &stay);
	} while (again(&c, result));
	return change_end(&c, result);
}

/* ---- marking ------------------------------------------------------------ */

/* Once, an inbox that was read. */
static enum inbox_result
change_mark(struct change *c, struct inbox *inbox,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    size_t *marked)
{
	struct buf text = BUF_INIT;
	const char *wrong = inboxtext_mark(inbox, wanted, context, marked,
	    &text);
	enum inbox_result result = INBOX_OK;

	if (wrong != NULL) {
		inbox_explain(c->why, c->target, "%s", wrong);
		result = INBOX_REFUSED;
	} else if (*marked > 0) {
		result = write_text(c, &text);
	}
	buf_release(&text);
	return result;
}

enum inbox_result
inbox_mark(int dir, const char *target,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    const struct inbox_how *how, size_t *marked, struct buf *why)
{
	struct change c = { .dir = dir, .target = target, .how = how,
	    .why = why };
	struct inbox inbox;
	enum inbox_result result = change_begin(&c);

	*marked = 0;
	if (result != INBOX_OK)
		return result;
	do {
		result = change_read(&c, &c.seen) == 0 ?
		    inbox_load(&inbox, dir, target, why) :
		    read_failed(target, why);
		if (result == INBOX_OK) {
			result = change_mark(&c, &inbox, wanted, context,
			    marked);
			inbox_release(&inbox);
		}
	} while (again(&c, result));
	return change_end(&c, result);
}
