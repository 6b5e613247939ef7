#include "hook/inboxfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hook/sharedfile.h"
#include "os/file.h"
#include "run/mailrules.h"

enum {
	NAME = INBOX_TARGET + 16,       /* bytes of a file name */
	PAUSE = 20                      /* ms until we try again */
};

/* ---- reading ------------------------------------------------------------ */

int
inbox_open(const char *root, bool make, struct buf *why)
{
	int fd = file_folder(root, "queue/inbox", make), saved = errno;

	if (fd == -1)
		buf_printf(why, "cannot open '%s/queue/inbox': %s", root,
		    saved == ENOTDIR ? "it is no folder, or a link" :
		    strerror(saved));
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
	if (node->kind == YAML_TEXT || node->kind == YAML_ALIAS)
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

/* ---- a change ----------------------------------------------------------- */

struct change {
	int dir;
	const char *target;
	const struct inbox_how *how;
	struct buf *why;
	char name[NAME];                /* of the file */
	/* It adds a notice, or marks what is wanted. */
	const struct inbox_notice *notice;
	bool (*wanted)(void *, const struct yaml_node *);
	void *context;
	size_t *marked;
};

static enum inbox_result
lock_failed(const struct change *c)
{
	if (errno != EWOULDBLOCK) {
		inbox_explain(c->why, c->target, "cannot lock '%s.lock': %s",
		    c->name, strerror(errno));
		return INBOX_FAILED;
	}
	if (c->how->patience == 0)
		inbox_explain(c->why, c->target,
		    "another process holds its lock");
	else
		inbox_explain(c->why, c->target, "another process has held "
		    "its lock for %d seconds; find out which has '%s.lock' "
		    "open", (int)(c->how->patience / 1000), c->name);
	return INBOX_BUSY;
}

/* Reports the entries that go; false: they must stay. */
static bool
tell_gone(const struct inbox *inbox, const struct inbox_how *how)
{
	struct yaml_node *list = NULL, *entry = NULL;

	while (how->gone != NULL && inbox_next(inbox, &list, &entry))
		if (entry->gone && !how->gone(how->context,
		    inbox->text.data + entry->from, entry->to - entry->from))
			return false;
	return true;
}

/* Where the oldest notices cannot go, it is tried without that. */
static const char *
change_add(const struct change *c, struct inbox *inbox, struct buf *out)
{
	const char *wrong = inboxtext_add(inbox, c->notice, true, out);
	struct yaml_error error;

	if (wrong == NULL && tell_gone(inbox, c->how))
		return NULL;
	buf_reset(out);
	yaml_release(&inbox->yaml);
	yaml_load(&inbox->yaml, buf_str(&inbox->text), inbox->text.len,
	    &error);
	return inboxtext_add(inbox, c->notice, false, out);
}

/* INBOX_BUSY: the file was changed meanwhile; try again. */
static enum inbox_result
write_text(const struct change *c, const struct stat *seen,
    const struct buf *text)
{
	if (text->len > YAML_MAX) {
		inbox_explain(c->why, c->target,
		    "it would have more than %d MiB; take out what is no "
		    "longer needed", YAML_MAX >> 20);
		return INBOX_REFUSED;
	}
	if (sharedfile_replace(c->dir, c->name, seen, 0666,
	    SHAREDFILE_OWNER | (c->how->sync ? SHAREDFILE_SYNC : 0),
	    text) == 0)
		return INBOX_OK;
	if (errno == ESTALE)
		return INBOX_BUSY;
	inbox_explain(c->why, c->target, "cannot write it: %s",
	    strerror(errno));
	return INBOX_FAILED;
}

/* Once, under the lock. */
static enum inbox_result
change_try(const struct change *c)
{
	struct buf text = BUF_INIT, why = BUF_INIT;
	enum inbox_result result;
	struct inbox inbox;
	struct stat seen;
	const char *wrong;

	if (sharedfile_look(c->dir, c->name, &seen) == -1)
		return read_failed(c->target, c->why);
	result = inbox_load(&inbox, c->dir, c->target, &why);
	if (result == INBOX_MISSING && c->notice != NULL)
		result = INBOX_OK;      /* it is empty */
	else
		buf_adds(c->why, buf_str(&why));
	buf_release(&why);
	if (result != INBOX_OK)
		return result;
	wrong = c->notice != NULL ? change_add(c, &inbox, &text) :
	    inboxtext_mark(&inbox, c->wanted, c->context, c->marked, &text);
	if (wrong != NULL) {
		inbox_explain(c->why, c->target, "%s", wrong);
		result = INBOX_REFUSED;
	} else if (text.len > 0) {
		result = write_text(c, &seen, &text);
	}
	buf_release(&text);
	inbox_release(&inbox);
	return result;
}

static enum inbox_result
change_run(struct change *c)
{
	msec until = clock_now() + c->how->patience;
	char lock[NAME + 8];
	enum inbox_result result;
	int held;

	snprintf(c->name, sizeof(c->name), "%s.yaml", c->target);
	snprintf(lock, sizeof(lock), "%s.lock", c->name);
	held = sharedfile_lock(c->dir, lock, O_CREAT, c->how->patience);
	if (held == -1)
		return lock_failed(c);
	while ((result = change_try(c)) == INBOX_BUSY && clock_now() < until)
		poll(NULL, 0, PAUSE);
	if (result == INBOX_BUSY)
		inbox_explain(c->why, c->target,
		    "another process changes it without its lock");
	close(held);
	return result;
}

enum inbox_result
inbox_add(int dir, const char *target, const struct inbox_notice *notice,
    const struct inbox_how *how, struct buf *why)
{
	struct change c = { .dir = dir, .target = target, .how = how,
	    .why = why, .notice = notice };

	return change_run(&c);
}

enum inbox_result
inbox_mark(int dir, const char *target,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    const struct inbox_how *how, size_t *marked, struct buf *why)
{
	struct change c = { .dir = dir, .target = target, .how = how,
	    .why = why, .wanted = wanted, .context = context,
	    .marked = marked };

	*marked = 0;
	return change_run(&c);
}
