#include "mail/mail.h"

#include "os/loop.h"
#include "os/sharedfile.h"

#define OF_INBOX "'queue/inbox/%s.yaml': "

enum { NAME = INBOX_TARGET + 16, PAUSE = 20 };  /* bytes; ms to a retry */

int
inbox_open(const char *root, bool make, struct buf *why)
{
	int fd = file_folder(root, "queue/inbox", make), saved = errno;

	if (fd == -1)
		buf_printf(why, "cannot open '%s/queue/inbox': %s", root,
		    sharedfile_why(saved));
	errno = saved;
	return fd;
}

static enum inbox_result
read_failed(const char *target, struct buf *why)
{
	int error = errno;

	buf_printf(why, OF_INBOX "%s", target, error == ENOENT ?
	    "there is no such inbox" : sharedfile_why(error));
	return error == ENOENT ? INBOX_MISSING : error == ELOOP ||
	    error == EINVAL || error == ENXIO ? INBOX_REFUSED : INBOX_FAILED;
}

enum inbox_result
inbox_load(struct inbox *inbox, int dir, const char *target, bool unread,
    struct buf *why)
{
	struct text_error error;
	const char *text;
	char name[NAME];

	*inbox = (struct inbox){ BUF_INIT, YAML_INIT };
	snprintf(name, sizeof(name), "%s.yaml", target);
	if (file_read(dir, name, FILE_NOFOLLOW, &inbox->text,
	    YAML_MAX + 1) == -1) {
		buf_release(&inbox->text);
		return read_failed(target, why);
	}
	text = buf_str(&inbox->text);
	if ((unread && !yaml_may_have_false(text, inbox->text.len)) ||
	    yaml_load(&inbox->yaml, text, inbox->text.len, &error) == 0)
		return INBOX_OK;
	buf_printf(why, OF_INBOX "line %u: %s", target, error.line,
	    error.reason);
	buf_release(&inbox->text);
	return INBOX_REFUSED;
}

void
inbox_release(struct inbox *inbox)
{
	yaml_release(&inbox->yaml);
	buf_release(&inbox->text);
}

/* Hashes key, text and members. */
static uint64_t
hash_node(uint64_t hash, const struct yaml_node *node)
{
	const struct yaml_node *m, *read = yaml_member(node, "read");

	if (node->key != NULL)
		hash = hash * 31 + text_hash(node->key, node->key_len);
	if (node->kind == YAML_TEXT || node->kind == YAML_ALIAS)
		hash = hash * 31 + text_hash(node->text, node->len);
	for (m = node->first; m != NULL; m = m->next)
		if (m != read)
			hash = hash_node(hash, m);
	return hash;
}

void
inbox_id(char id[INBOX_ID], const struct yaml_node *entry)
{
	snprintf(id, INBOX_ID, "%08x", (unsigned)hash_node(0, entry));
}

/* ---- a change ----------------------------------------------------------- */

/* INBOX_BUSY: to be tried again. */
static enum inbox_result
change_try(struct inbox_change *c, const char *name, struct buf *why)
{
	struct buf text = BUF_INIT;
	struct yaml_node *list = NULL, *entry = NULL;
	enum inbox_result result;
	struct text_error error;
	struct inbox inbox;
	size_t said = why->len;
	struct stat seen;
	const char *wrong;
	bool go = true;

	if (sharedfile_look(c->dir, name, &seen) == -1)
		return read_failed(c->target, why);
	result = inbox_load(&inbox, c->dir, c->target, false, why);
	if (result == INBOX_MISSING && c->notice != NULL) {
		result = INBOX_OK;      /* it is empty */
		why->len = said;
	}
	if (result != INBOX_OK)
		return result;
	if (c->notice == NULL) {
		wrong = inboxedit_mark(&inbox, c->wanted, c->context, &text);
	} else {
		wrong = inboxedit_add(&inbox, c->notice, true, &text);
		while (wrong == NULL && go && inbox_next(&inbox, &list, &entry))
			go = !entry->gone || c->gone(c->context,
			    inbox.text.data + entry->from,
			    entry->to - entry->from);
		if (wrong != NULL || !go) {
			buf_reset(&text);
			yaml_release(&inbox.yaml);
			yaml_load(&inbox.yaml, buf_str(&inbox.text),
			    inbox.text.len, &error);
			wrong = inboxedit_add(&inbox, c->notice, false, &text);
		}
	}
	if (wrong != NULL) {
		buf_printf(why, OF_INBOX "%s", c->target, wrong);
		result = INBOX_REFUSED;
	} else if (text.len > YAML_MAX) {
		buf_printf(why, OF_INBOX "it would have more than %d MiB; "
		    "remove old entries", c->target, YAML_MAX >> 20);
		result = INBOX_REFUSED;
	} else if (text.len > 0 && sharedfile_replace(c->dir, name, &seen, 0666,
	    SHAREDFILE_OWNER | (c->sync ? SHAREDFILE_SYNC : 0), &text) == -1) {
		result = errno == ESTALE ? INBOX_BUSY : INBOX_FAILED;
		if (result == INBOX_FAILED)
			buf_printf(why, OF_INBOX "cannot write it: %s",
			    c->target, strerror(errno));
	}
	buf_release(&text);
	inbox_release(&inbox);
	return result;
}

enum inbox_result
inbox_change(struct inbox_change *c, struct buf *why)
{
	msec until = clock_now() + c->patience;
	char name[NAME], lock[NAME];
	enum inbox_result result;
	int held;

	snprintf(name, sizeof(name), "%s.yaml", c->target);
	snprintf(lock, sizeof(lock), "%s.yaml.lock", c->target);
	held = sharedfile_lock(c->dir, lock, O_CREAT, c->patience);
	if (held == -1) {
		result = errno == EWOULDBLOCK ? INBOX_BUSY : INBOX_FAILED;
		buf_printf(why, OF_INBOX, c->target);
		if (result == INBOX_FAILED)
			buf_printf(why, "cannot lock '%s': %s", lock,
			    strerror(errno));
		else
			buf_printf(why, "another process has held its lock for "
			    "%d seconds; find out which has '%s' open",
			    (int)(c->patience / 1000), lock);
		return result;
	}
	while ((result = change_try(c, name, why)) == INBOX_BUSY &&
	    clock_now() < until)
		loop_pause(PAUSE);
	if (result == INBOX_BUSY)
		buf_printf(why, OF_INBOX "another process changes it without "
		    "its lock", c->target);
	close(held);
	return result;
}
