/*
 * A change is a list of cuts and insertions at places that the tree of the
 * text names.  Whether it was right is not thought through for every way to
 * write YAML: the new text is parsed, and refused if it does not say the same
 * as before in all but what was meant.
 */
#include "inbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "file.h"
#include "utf8.h"
#include "xalloc.h"

enum {
	OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	NAME = INBOX_TARGET + 16,       /* bytes of a file name */
	WAKE = 100000                   /* us between looks at a deadline */
};

static const char REPORTS[] = "reports";
static const char NOTICE[] = "stophook_notification";

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

/* ---- reading ---------------------------------------------------------------- */

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

bool
inbox_next(const struct inbox *inbox, const struct yaml_node **list,
    const struct yaml_node **entry)
{
	const struct yaml_node *root = inbox->yaml.root;

	if (*entry != NULL)
		*entry = (*entry)->next;
	else if (root != NULL && root->kind == YAML_MAP)
		*list = root->first;
	while (*entry == NULL && *list != NULL) {
		if ((*list)->kind == YAML_LIST && *entry == NULL)
			*entry = (*list)->first;
		if (*entry == NULL)
			*list = (*list)->next;
	}
	return *entry != NULL;
}

bool
inbox_unread(const struct yaml_node *entry)
{
	return yaml_is_bool(yaml_member(entry, "read"), false);
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

/* ---- the lock --------------------------------------------------------------- */

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

/* ---- changing the text ------------------------------------------------------ */

/* cut bytes at a place go, and text comes there. */
struct edit {
	size_t at, cut;
	char  *text;                    /* or NULL */
};

/* In the order of their places. */
struct edits {
	struct edit *v;
	size_t       n;
};

static void
edit(struct edits *e, size_t at, size_t cut, char *text)
{
	e->v = xreallocarray(e->v, e->n + 1, sizeof(*e->v));
	e->v[e->n++] = (struct edit){ at, cut, text };
}

static void
edits_release(struct edits *e)
{
	while (e->n > 0)
		free(e->v[--e->n].text);
	free(e->v);
}

static void
edits_apply(const struct edits *e, const struct buf *text, struct buf *out)
{
	size_t i, at = 0;

	buf_room(out, text->len + 4096);
	for (i = 0; i < e->n; i++) {
		buf_add(out, text->data + at, e->v[i].at - at);
		if (e->v[i].text != NULL)
			buf_adds(out, e->v[i].text);
		at = e->v[i].at + e->v[i].cut;
	}
	buf_add(out, text->data + at, text->len - at);
}

static size_t
line_begin(const struct buf *text, size_t at)
{
	while (at > 0 && text->data[at - 1] != '\n')
		at--;
	return at;
}

/* Behind the line feed. */
static size_t
line_end(const struct buf *text, size_t at)
{
	const char *p = memchr(text->data + at, '\n', text->len - at);

	return p != NULL ? (size_t)(p - text->data) + 1 : text->len;
}

/* Behind the line on which a node ends.  The end of a block text stands at the
 * beginning of the next one. */
static size_t
behind(const struct buf *text, size_t to)
{
	return to > 0 && text->data[to - 1] == '\n' ? to :
	    line_end(text, to);
}

/* Only blanks between two places? */
static bool
blanks(const struct buf *text, size_t from, size_t to)
{
	while (from < to && text->data[from] == ' ')
		from++;
	return from == to;
}

/* How lines end here. */
static const char *
eol(const struct buf *text)
{
	const char *p = text->len > 0 ?
	    memchr(text->data, '\n', text->len) : NULL;

	return p != NULL && p > text->data && p[-1] == '\r' ? "\r\n" : "\n";
}

void
inbox_defuse(struct buf *out, const char *text, size_t len, const char *hash)
{
	const char *p = text, *end = text + len, *from = text;

	/* One letter is enough: the rest may stand on the next line. */
	while ((p = memchr(p, '#', (size_t)(end - p))) != NULL) {
		if (end - p >= 4 && memcmp(p, "###", 3) == 0 &&
		    (p[3] == 'T' || p[3] == 'C' || p[3] == 'E')) {
			buf_add(out, from, (size_t)(p - from));
			buf_adds(out, hash);
			from = p + 1;
		}
		p++;
	}
	buf_add(out, from, (size_t)(end - from));
}

/* Characters that are not written as they are. */
static bool
escaped(unsigned long c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c ||
	    (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || c >= 0xfffe;
}

static void
add_character(struct buf *out, const char *p, size_t size, unsigned long c)
{
	static const char special[] = "\"\\\n\t\r", letters[] = "\"\\ntr";
	const char *known = c != 0 && c < 0x80 ? strchr(special, (int)c) : NULL;

	if (known != NULL)
		buf_printf(out, "\\%c", letters[known - special]);
	else if (!escaped(c) || c > 0xffff)
		buf_add(out, p, size);
	else
		buf_printf(out, c < 0x100 ? "\\x%02lx" : "\\u%04lx", c);
}

/* A text as both YAML 1.1 and 1.2 read it, on one line.  What is no UTF-8
 * becomes U+FFFD. */
static void
add_quoted(struct buf *out, const char *text)
{
	struct buf inner = BUF_INIT;
	size_t size, len = strlen(text);
	unsigned long c;

	for (; len > 0; text += size, len -= size) {
		size = utf8_decode(text, len, &c);
		if (size == 0) {
			size = 1;
			buf_adds(&inner, "\xef\xbf\xbd");
		} else {
			add_character(&inner, text, size, c);
		}
	}
	buf_addc(out, '"');
	inbox_defuse(out, buf_str(&inner), inner.len, "\\x23");
	buf_addc(out, '"');
	buf_release(&inner);
}

/* The members of a new entry, each behind what separates it from the last. */
static void
add_members(struct buf *out, const struct inbox_notice *n, const char *between)
{
	const struct { const char *key, *text; } quoted[] = {
		{ "summary", n->content }, { "type", n->type },
		{ "message", n->message },
	};
	char now[CLOCK_TEXT];
	size_t i;

	clock_format(now, clock_wall());
	buf_printf(out, "subtask_id: %s%sworker: ", NOTICE, between);
	add_quoted(out, n->from);
	buf_printf(out, "%sstatus: notification%sreported_at: \"%s\"", between,
	    between, now);
	for (i = 0; i < sizeof(quoted) / sizeof(quoted[0]); i++) {
		if (quoted[i].text == NULL)
			continue;
		buf_printf(out, "%s%s: ", between, quoted[i].key);
		add_quoted(out, quoted[i].text);
	}
	buf_printf(out, "%sread: false", between);
}

static char *
block_entry(const struct inbox_notice *n, const char *before, size_t column,
    const char *end)
{
	struct buf out = BUF_INIT, between = BUF_INIT;

	buf_printf(&between, "%s%*s", end, (int)column + 2, "");
	buf_printf(&out, "%s%*s- ", before, (int)column, "");
	add_members(&out, n, buf_str(&between));
	buf_adds(&out, end);
	buf_release(&between);
	return buf_steal(&out);
}

static char *
flow_entry(const struct inbox_notice *n, const char *before,
    const char *behind)
{
	struct buf out = BUF_INIT;

	buf_printf(&out, "%s{", before);
	add_members(&out, n, ", ");
	buf_printf(&out, "}%s", behind);
	return buf_steal(&out);
}

/* What a line needs before it at a place: an end for the last one. */
static const char *
fresh(const struct buf *text, size_t at)
{
	return at > 0 && text->data[at - 1] != '\n' ? eol(text) : "";
}

/* The change of an inbox by a notice. */
struct change {
	const struct inbox *inbox;
	const struct inbox_notice *notice;
	struct edits edits;
	const struct yaml_node **out;   /* entries that go */
	size_t nout;
};

/* A block list on the lines behind its key. */
static void
begin_block_list(struct change *c, const struct yaml_node *key)
{
	const struct buf *text = &c->inbox->text;
	size_t column = key->key_from - line_begin(text, key->key_from);
	size_t at = line_end(text, key->to);

	if (key->to > key->from)
		edit(&c->edits, key->from, key->to - key->from, NULL);
	edit(&c->edits, at, 0, block_entry(c->notice, fresh(text, at),
	    column + 2, eol(text)));
}

static const struct yaml_node *
last_of(const struct yaml_node *node)
{
	const struct yaml_node *last = node->first;

	while (last != NULL && last->next != NULL)
		last = last->next;
	return last;
}

static void
add_to_flow_list(struct change *c, const struct yaml_node *list)
{
	const struct yaml_node *last = last_of(list);

	if (last != NULL)
		edit(&c->edits, last->to, 0, flow_entry(c->notice, ", ", ""));
	else
		edit(&c->edits, list->from + 1, 0, flow_entry(c->notice, "",
		    ""));
}

static void
add_to_block_list(struct change *c, const struct yaml_node *list)
{
	const struct buf *text = &c->inbox->text;
	size_t at = behind(text, list->to);

	edit(&c->edits, at, 0, block_entry(c->notice, fresh(text, at),
	    list->from - line_begin(text, list->from), eol(text)));
}

/* The inbox has no list so far. */
static void
add_list(struct change *c)
{
	const struct buf *text = &c->inbox->text;
	const struct yaml_node *root = c->inbox->yaml.root, *last;
	size_t at = text->len, column = 0;
	struct buf before = BUF_INIT;

	if (root != NULL && root->flow) {
		last = last_of(root);
		edit(&c->edits, last ? last->to : root->from + 1, 0,
		    flow_entry(c->notice, last ? ", reports: [" : "reports: [",
		    "]"));
		return;
	}
	if (root != NULL && root->first != NULL) {
		at = behind(text, root->to);
		column = root->from - line_begin(text, root->from);
	}
	buf_printf(&before, "%s%*sreports:%s", fresh(text, at), (int)column,
	    "", eol(text));
	edit(&c->edits, at, 0, block_entry(c->notice, buf_str(&before),
	    column + 2, eol(text)));
	buf_release(&before);
}

/* Why nothing can be added to an inbox; NULL: it can. */
static const char *
add_notice(struct change *c)
{
	const struct yaml *yaml = &c->inbox->yaml;
	const struct yaml_node *root = yaml->root, *list;
	bool empty = yaml_is_null(root);

	if (empty ? root != NULL && root->len > 0 : root->kind != YAML_MAP)
		return "it is not a mapping";
	if (empty && yaml->closed)
		return "it ends with '...' before anything can be added";
	list = yaml_member(root, REPORTS);
	if (list != NULL && list->marked)
		return "its list 'reports' has an anchor or a tag";
	if (list == NULL)
		add_list(c);
	else if (yaml_is_null(list) && root->flow)
		edit(&c->edits, list->from, list->to - list->from,
		    flow_entry(c->notice, " [", "]"));
	else if (list->kind != YAML_LIST && !yaml_is_null(list))
		return "'reports' is not a list";
	else if (list->first == NULL && !root->flow && (!list->flow ||
	    blanks(&c->inbox->text, list->from + 1, list->to - 1)))
		begin_block_list(c, list);
	else if (list->flow)
		add_to_flow_list(c, list);
	else
		add_to_block_list(c, list);
	return NULL;
}

/* The comma behind an item of a flow list, which is not the last. */
static size_t
comma(const struct buf *text, size_t at)
{
	while (at < text->len && text->data[at] != ',')
		at = text->data[at] == '#' ? line_end(text, at) : at + 1;
	return at;
}

/* Takes an entry out of its list; false where its dash does not begin a
 * line. */
static bool
cut_entry(struct change *c, const struct yaml_node *list,
    const struct yaml_node *entry)
{
	const struct buf *text = &c->inbox->text;
	size_t column = list->from - line_begin(text, list->from), from, at;

	if (list->flow) {
		at = comma(text, entry->to);
		edit(&c->edits, entry->from, entry->to - entry->from, NULL);
		edit(&c->edits, at, 1, NULL);
		return true;
	}
	/* The dash may stand on a line before its entry. */
	at = entry->from;
	while (at > 0 && text->data[at] != '-')
		at--;
	from = line_begin(text, at);
	if (at != from + column || !blanks(text, from, at))
		return false;
	edit(&c->edits, from, behind(text, entry->to) - from, NULL);
	return true;
}

static bool
is_notice(const struct yaml_node *entry)
{
	return yaml_is_text(yaml_member(entry, "subtask_id"), NOTICE);
}

/* Takes out the oldest notices, so that there is room for one more. */
static void
push_out(struct change *c)
{
	const struct yaml_node *list = yaml_member(c->inbox->yaml.root,
	    REPORTS), *e;
	size_t n = 0;

	if (list == NULL || list->kind != YAML_LIST)
		return;
	for (e = list->first; e != NULL; e = e->next)
		n += is_notice(e);
	for (e = list->first; e != NULL && n >= INBOX_NOTICES; e = e->next) {
		if (!is_notice(e) || !cut_entry(c, list, e))
			continue;
		c->out = xreallocarray(c->out, c->nout + 1, sizeof(*c->out));
		c->out[c->nout++] = e;
		n--;
	}
}

/* The next entry that is to be there afterwards. */
static const struct yaml_node *
staying(const struct change *c, const struct yaml_node *entry, size_t *gone)
{
	while (entry != NULL && *gone < c->nout && c->out[*gone] == entry) {
		++*gone;
		entry = entry->next;
	}
	return entry;
}

static bool
says_notice(const struct yaml_node *entry)
{
	return entry != NULL && entry->next == NULL && is_notice(entry) &&
	    inbox_unread(entry) && yaml_member(entry, "summary") != NULL;
}

/* Does the new list hold what stayed of the old one, and the notice? */
static bool
list_right(const struct change *c, const struct yaml_node *old,
    const struct yaml_node *new)
{
	const struct yaml_node *a, *b;
	size_t gone = 0;

	if (new == NULL || new->kind != YAML_LIST)
		return false;
	a = staying(c, old != NULL ? old->first : NULL, &gone);
	for (b = new->first; a != NULL && b != NULL; b = b->next) {
		if (!yaml_same(a, b))
			return false;
		a = staying(c, a->next, &gone);
	}
	return a == NULL && says_notice(b);
}

static bool
is_reports(const struct yaml_node *list)
{
	return list->key != NULL && list->key_len == sizeof(REPORTS) - 1 &&
	    memcmp(list->key, REPORTS, list->key_len) == 0;
}

/* Is everything else in the inbox as it was? */
static bool
rest_right(const struct yaml_node *old, const struct yaml_node *new)
{
	const struct yaml_node *a = old != NULL ? old->first : NULL, *b;

	for (b = new->first; b != NULL; b = b->next) {
		if (is_reports(b)) {
			if (a != NULL && is_reports(a))
				a = a->next;
			continue;
		}
		if (a == NULL || !yaml_same(a, b))
			return false;
		a = a->next;
	}
	return a == NULL;
}

static bool
change_right(const struct change *c, const struct yaml_node *new)
{
	const struct yaml_node *old = c->inbox->yaml.root;

	return new != NULL && new->kind == YAML_MAP && rest_right(old, new) &&
	    list_right(c, yaml_member(old, REPORTS),
	    yaml_member(new, REPORTS));
}

static void
change_release(struct change *c)
{
	edits_release(&c->edits);
	free(c->out);
	c->edits = (struct edits){ NULL, 0 };
	c->out = NULL;
	c->nout = 0;
}

/* ---- writing it ------------------------------------------------------------- */

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

static enum inbox_result
not_right(const char *target, struct buf *why)
{
	say(why, target, "it cannot be changed without changing more than "
	    "that; write it more plainly");
	return INBOX_REFUSED;
}

/* Makes the change in memory: the new text in out. */
static enum inbox_result
make_change(struct change *c, bool push, const char *target, struct buf *out,
    struct buf *why)
{
	struct yaml_error error;
	struct yaml yaml;
	const char *wrong;
	bool right;

	if (push)
		push_out(c);
	wrong = add_notice(c);
	if (wrong != NULL) {
		say(why, target, "%s", wrong);
		return INBOX_REFUSED;
	}
	edits_apply(&c->edits, &c->inbox->text, out);
	if (yaml_load(&yaml, out->data, out->len, &error) == -1)
		return not_right(target, why);
	right = change_right(c, yaml.root);
	yaml_release(&yaml);
	return right ? INBOX_OK : not_right(target, why);
}

/* Is there an unread notice of the same message? */
static bool
repeats(const struct inbox *inbox, const struct inbox_notice *n)
{
	const struct yaml_node *e, *list;

	list = yaml_member(inbox->yaml.root, REPORTS);
	if (n->message == NULL || list == NULL)
		return false;
	for (e = list->first; e != NULL; e = e->next)
		if (inbox_unread(e) &&
		    yaml_is_text(yaml_member(e, "message"), n->message) &&
		    yaml_is_text(yaml_member(e, "worker"), n->from) &&
		    yaml_is_text(yaml_member(e, "type"), n->type))
			return true;
	return false;
}

/* Where the inbox is loaded and locked. */
static enum inbox_result
add(int dir, const char *target, const struct inbox *inbox,
    const struct inbox_notice *notice, const struct inbox_how *how,
    struct buf *why)
{
	struct change c = { .inbox = inbox, .notice = notice };
	struct buf text = BUF_INIT;
	enum inbox_result result;

	result = make_change(&c, true, target, &text, why);
	if (result == INBOX_OK && c.nout > 0 && how->pushed_out != NULL &&
	    !how->pushed_out(how->context, c.out, c.nout)) {
		change_release(&c);
		buf_reset(&text);
		result = make_change(&c, false, target, &text, why);
	}
	if (result == INBOX_OK)
		result = write_text(dir, target, &text, how, why);
	change_release(&c);
	buf_release(&text);
	return result;
}

enum inbox_result
inbox_add(int dir, const char *target, const struct inbox_notice *notice,
    const struct inbox_how *how, struct buf *why)
{
	struct inbox inbox = { BUF_INIT, YAML_INIT };
	struct buf missing = BUF_INIT;
	enum inbox_result result;
	int held = lock(dir, target, how->patience);

	if (held == -1)
		return lock_failed(target, how, why);
	result = inbox_load(&inbox, dir, target, &missing);
	if (result == INBOX_MISSING) {
		buf_str(&inbox.text);
		result = INBOX_OK;
	} else {
		buf_adds(why, buf_str(&missing));
	}
	if (result == INBOX_OK && !repeats(&inbox, notice))
		result = add(dir, target, &inbox, notice, how, why);
	inbox_release(&inbox);
	buf_release(&missing);
	close(held);
	return result;
}

/* ---- marking ---------------------------------------------------------------- */

struct marks {
	struct edits edits;
	bool (*wanted)(void *, const struct yaml_node *);
	void *context;
};

static void
find_marks(struct marks *m, const struct inbox *inbox)
{
	const struct yaml_node *list = NULL, *entry = NULL, *read;

	while (inbox_next(inbox, &list, &entry)) {
		if (!inbox_unread(entry) || !m->wanted(m->context, entry))
			continue;
		read = yaml_member(entry, "read");
		edit(&m->edits, read->from, read->to - read->from,
		    xstrdup("true"));
	}
}

/* The same, but for `read` of an entry that has been marked? */
static bool
marked_right(const struct yaml_node *old, const struct yaml_node *new,
    bool marked)
{
	const struct yaml_node *a, *b, *read = yaml_member(old, "read");

	if (!marked)
		return yaml_same(old, new);
	for (a = old->first, b = new->first; a && b; a = a->next, b = b->next)
		if (a == read ? !yaml_is_bool(b, true) : !yaml_same(a, b))
			return false;
	return a == b;
}

static bool
marks_right(const struct marks *m, const struct inbox *old,
    const struct inbox *new)
{
	const struct yaml_node *lists[2] = { NULL }, *entries[2] = { NULL };
	size_t i = 0;
	bool marked;

	while (inbox_next(old, &lists[0], &entries[0])) {
		marked = i < m->edits.n && inbox_unread(entries[0]) &&
		    yaml_member(entries[0], "read")->from ==
		    m->edits.v[i].at;
		i += marked;
		if (!inbox_next(new, &lists[1], &entries[1]) ||
		    !marked_right(entries[0], entries[1], marked))
			return false;
	}
	return i == m->edits.n && !inbox_next(new, &lists[1], &entries[1]);
}

static enum inbox_result
make_marks(const struct marks *m, const struct inbox *inbox,
    const char *target, struct buf *text, struct buf *why)
{
	struct yaml_error error;
	struct inbox new = { BUF_INIT, YAML_INIT };
	bool right;

	edits_apply(&m->edits, &inbox->text, text);
	if (yaml_load(&new.yaml, text->data, text->len, &error) == -1)
		return not_right(target, why);
	right = marks_right(m, inbox, &new);
	inbox_release(&new);
	return right ? INBOX_OK : not_right(target, why);
}

enum inbox_result
inbox_mark(int dir, const char *target,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    const struct inbox_how *how, size_t *marked, struct buf *why)
{
	struct marks m = { .wanted = wanted, .context = context };
	struct inbox inbox;
	struct buf text = BUF_INIT;
	enum inbox_result result;
	int held = lock(dir, target, how->patience);

	*marked = 0;
	if (held == -1)
		return lock_failed(target, how, why);
	result = inbox_load(&inbox, dir, target, why);
	if (result != INBOX_OK)
		goto out;
	find_marks(&m, &inbox);
	if (m.edits.n > 0) {
		result = make_marks(&m, &inbox, target, &text, why);
		if (result == INBOX_OK)
			result = write_text(dir, target, &text, how, why);
	}
	if (result == INBOX_OK)
		*marked = m.edits.n;
	edits_release(&m.edits);
	inbox_release(&inbox);
out:
	buf_release(&text);
	close(held);
	return result;
}
