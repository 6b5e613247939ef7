#include "inbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "file.h"

enum {
	OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	NAME = INBOX_TARGET + 16,       /* bytes of a file name */
	WAKE = 100000                   /* us between looks at a deadline */
};

bool
inbox_target_valid(const char *target)
{
	const char *p;

	for (p = target; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '/')
			return false;
	return target[0] != '\0' && target[0] != '.' &&
	    p - target <= INBOX_TARGET;
}

/* ---- reading ------------------------------------------------------------ */

/* A folder in another one; -1 with errno. */
static int
open_folder(int dir, const char *name, bool make)
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
		next = open_folder(fd, names[i], make);
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
say(struct buf *why, const char *target, const char *format, ...)
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
		say(why, target, "there is no such inbox");
		return INBOX_MISSING;
	case ELOOP:
		say(why, target, "it is a link");
		return INBOX_REFUSED;
	case EINVAL:
	case ENXIO:
		say(why, target, "it is not a regular file");
		return INBOX_REFUSED;
	default:
		say(why, target, "%s", strerror(errno));
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
	say(why, target, "line %u: %s", error.line, error.reason);
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
	const struct yaml_node *m;

	if (node->key != NULL)
		hash = hash_bytes(hash, node->key, node->key_len);
	if (node->text != NULL)
		hash = hash_bytes(hash, node->text, node->len);
	for (m = node->first; m != NULL; m = m->next)
		if (m != yaml_member(node, "read"))
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

static void
woken(int unused)
{
	(void)unused;
}

/* flock() for so long; the timer goes on ticking, since a tick may come just
 * before the call that it should end. */
static int
wait_lock(int fd, msec patience)
{
	struct sigaction action = { .sa_handler = woken }, before;
	struct itimerval tick = { { 0, WAKE }, { 0, WAKE } }, none = { 0 };
	msec until = clock_now() + patience;
	int ret;

	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK || patience == 0)
		return -1;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &tick, NULL);
	while ((ret = flock(fd, LOCK_EX)) == -1 && errno == EINTR)
		if (clock_now() >= until) {
			errno = EWOULDBLOCK;
			break;
		}
	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &before, NULL);
	return ret;
}

/* Is it the file that everybody else would lock? */
static bool
counts(int fd, int dir, const char *name)
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
		if (wait_lock(fd, patience) == -1) {
			saved = errno;
			close(fd);
			errno = saved;
			return -1;
		}
		if (counts(fd, dir, name))
			return fd;
		close(fd);
	}
}

static enum inbox_result
lock_failed(const char *target, const struct inbox_how *how, struct buf *why)
{
	if (errno != EWOULDBLOCK) {
		say(why, target, "cannot lock '%s.yaml.lock': %s", target,
		    strerror(errno));
		return INBOX_FAILED;
	}
	if (how->patience == 0)
		say(why, target, "somebody else holds its lock");
	else
		say(why, target, "somebody else has held its lock for %d "
		    "seconds; see who has '%s.yaml.lock' open",
		    (int)(how->patience / 1000), target);
	return INBOX_BUSY;
}

/* ---- writing it --------------------------------------------------------- */

/* The new file looks like the old one to everybody who may read it. */
static int
dress(int dir, const char *name, int fd)
{
	struct stat old, new;
	mode_t mask;

	if (fstatat(dir, name, &old, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno != ENOENT)
			return -1;
		mask = umask(0);
		umask(mask);
		return fchmod(fd, 0666 & ~mask);
	}
	if (fstat(fd, &new) == -1)
		return -1;
	if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
	    fchown(fd, old.st_uid, old.st_gid) == -1)
		return -1;
	return fchmod(fd, old.st_mode & 07777);
}

/* Under the lock, so that the name beside is ours; what a writer that was
 * killed has left there goes. */
static int
replace(int dir, const char *target, const struct buf *text, bool sync)
{
	char name[NAME], beside[NAME];
	int fd, ret = -1, saved;

	snprintf(name, sizeof(name), "%s.yaml", target);
	snprintf(beside, sizeof(beside), ".%s.yaml.tmp", target);
	if (unlinkat(dir, beside, 0) == -1 && errno != ENOENT)
		return -1;
	fd = openat(dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	if (file_write(fd, text->data, text->len) == 0 &&
	    dress(dir, name, fd) == 0 && (!sync || fsync(fd) == 0) &&
	    renameat(dir, beside, dir, name) == 0)
		ret = 0;
	saved = errno;
	close(fd);
	if (ret == -1)
		unlinkat(dir, beside, 0);
	else if (sync && fsync(dir) == -1)
		ret = -1;
	else
		return 0;
	errno = saved;
	return ret;
}

static enum inbox_result
write_text(int dir, const char *target, const struct buf *text,
    const struct inbox_how *how, struct buf *why)
{
	if (text->len > YAML_MAX) {
		say(why, target, "it would have more than %d MiB; take out "
		    "what is no longer needed", YAML_MAX >> 20);
		return INBOX_REFUSED;
	}
	if (replace(dir, target, text, how->sync) == 0)
		return INBOX_OK;
	say(why, target, "cannot write it: %s", strerror(errno));
	return INBOX_FAILED;
}

/* Reads an inbox that is to be changed; one that is missing is empty. */
static enum inbox_result
load_or_begin(struct inbox *inbox, int dir, const char *target,
    struct buf *why)
{
	struct buf missing = BUF_INIT;
	enum inbox_result result = inbox_load(inbox, dir, target, &missing);

	if (result == INBOX_MISSING)
		result = INBOX_OK;
	else
		buf_adds(why, buf_str(&missing));
	buf_release(&missing);
	return result;
}

/* Tells of the entries that go; false: somebody wants them to stay. */
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
 * Once, under the lock.  With push set the oldest notices go; *again says
 * that it did not work with that, and has to be tried without.
 */
static enum inbox_result
add(int dir, const char *target, const struct inbox_notice *notice,
    const struct inbox_how *how, bool push, bool *again, struct buf *why)
{
	struct inboxtext_entries gone = { NULL, 0 };
	struct buf text = BUF_INIT;
	struct inbox inbox;
	const char *wrong;
	enum inbox_result result = load_or_begin(&inbox, dir, target, why);

	if (result != INBOX_OK)
		return result;
	wrong = inboxtext_add(&inbox, notice, push, &gone, &text);
	*again = gone.n > 0 && (wrong != NULL ||
	    !tell_gone(&inbox, &gone, how));
	if (!*again && wrong != NULL) {
		say(why, target, "%s", wrong);
		result = INBOX_REFUSED;
	} else if (!*again) {
		result = write_text(dir, target, &text, how, why);
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
	enum inbox_result result;
	int held = lock(dir, target, how->patience);
	bool again = false;

	if (held == -1)
		return lock_failed(target, how, why);
	result = add(dir, target, notice, how, true, &again, why);
	if (again)
		result = add(dir, target, notice, how, false, &again, why);
	close(held);
	return result;
}

static enum inbox_result
mark(struct inbox *inbox, int dir, const char *target,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    const struct inbox_how *how, size_t *marked, struct buf *why)
{
	struct buf text = BUF_INIT;
	const char *wrong = inboxtext_mark(inbox, wanted, context, marked,
	    &text);
	enum inbox_result result = INBOX_OK;

	if (wrong != NULL) {
		say(why, target, "%s", wrong);
		result = INBOX_REFUSED;
	} else if (*marked > 0) {
		result = write_text(dir, target, &text, how, why);
	}
	buf_release(&text);
	return result;
}

enum inbox_result
inbox_mark(int dir, const char *target,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    const struct inbox_how *how, size_t *marked, struct buf *why)
{
	struct inbox inbox;
	enum inbox_result result;
	int held = lock(dir, target, how->patience);

	*marked = 0;
	if (held == -1)
		return lock_failed(target, how, why);
	result = inbox_load(&inbox, dir, target, why);
	if (result == INBOX_OK) {
		result = mark(&inbox, dir, target, wanted, context, how,
		    marked, why);
		inbox_release(&inbox);
	}
	close(held);
	return result;
}
