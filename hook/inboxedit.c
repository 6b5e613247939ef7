#include "hook/inboxedit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/utf8.h"
#include "marker/defang.h"

static const char REPORTS[] = "reports";
static const char NOTICE[] = "stophook_notification";
static const char NOT_RIGHT[] = "it cannot be changed without changing more "
    "than that; write it more plainly";

/* The first of these lists that has an entry, or NULL. */
static struct yaml_node *
filled(struct yaml_node *list)
{
	while (list != NULL && (list->kind != YAML_LIST ||
	    list->first == NULL))
		list = list->next;
	return list;
}

bool
inbox_next(const struct inbox *inbox, struct yaml_node **list,
    struct yaml_node **entry)
{
	const struct yaml_node *root = inbox->yaml.root;

	if (*entry != NULL && (*entry)->next != NULL) {
		*entry = (*entry)->next;
		return true;
	}
	if (*entry != NULL)
		*list = filled((*list)->next);
	else if (root != NULL && root->kind == YAML_MAP)
		*list = filled(root->first);
	*entry = *list != NULL ? (*list)->first : NULL;
	return *entry != NULL;
}

bool
inbox_unread(const struct yaml_node *entry)
{
	return yaml_is_bool(yaml_member(entry, "read"), false);
}

const struct yaml_node *
inbox_text(const struct yaml_node *entry, const char *key)
{
	const struct yaml_node *text = yaml_member(entry, key);

	return text != NULL && text->kind == YAML_TEXT &&
	    !text_empty(text->text, text->len) ? text : NULL;
}

const struct yaml_node *
inbox_about(const struct yaml_node *entry)
{
	static const char *const keys[] = { "summary", "description", "title",
	    "subtask_id" };
	const struct yaml_node *text = NULL;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && text == NULL; i++)
		text = inbox_text(entry, keys[i]);
	return text;
}

/* ---- splicing ----------------------------------------------------------- */

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
edits_add(struct edits *e, size_t at, size_t cut, char *text)
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

/* Behind the byte order mark, which is no part of a line. */
static size_t
text_begin(const struct buf *text)
{
	return text->len >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0 ?
	    3 : 0;
}

static size_t
line_begin(const struct buf *text, size_t at)
{
	size_t begin = text_begin(text);

	while (at > begin && text->data[at - 1] != '\n')
		at--;
	return at;
}

/* Behind the line feed. */
static size_t
edit_line_end(const struct buf *text, size_t at)
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
	    edit_line_end(text, to);
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

/* Characters that are not written as they are. */
static bool
escaped(unsigned long c)
{
	return utf8_harmful(c) || c == 0xfeff || c >= 0xfffe;
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
	defang_add(out, buf_str(&inner), inner.len, NULL, DEFANG_TEXT);
	buf_addc(out, '"');
	buf_release(&inner);
}

/* ---- adding ------------------------------------------------------------- */

/* The members of a new entry, each behind what separates it from the last. */
static void
add_members(struct buf *out, const struct inbox_notice *n, const char *between)
{
	const struct { const char *key, *text; } quoted[] = {
		{ "summary", n->content }, { "type", n->type },
	};
	char now[CLOCK_TEXT];
	size_t i;

	clock_format(now, clock_wall());
	buf_printf(out, "subtask_id: %s%sworker: ", NOTICE, between);
	add_quoted(out, n->from);
	buf_printf(out, "%sstatus: notification%sreported_at: \"%s\"", between,
	    between, now);
	for (i = 0; i < sizeof(quoted) / sizeof(quoted[0]); i++) {
		buf_printf(out, "%s%s: ", between, quoted[i].key);
		add_quoted(out, quoted[i].text);
	}
	buf_printf(out, "%sread: false", between);
}

void
inboxtext_entry(struct buf *out, const struct inbox_notice *n)
{
	add_members(out, n, "\n");
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
	return line_begin(text, at) < at ? eol(text) : "";
}

/* The change of an inbox by a notice. */
struct change {
	struct inbox *inbox;
	const struct inbox_notice *notice;
	struct edits edits;
};

/* A block list on the lines behind its key. */
static void
begin_block_list(struct change *c, const struct yaml_node *key)
{
	const struct buf *text = &c->inbox->text;
	size_t column = key->key_from - line_begin(text, key->key_from);
	size_t at = edit_line_end(text, key->to);

	if (key->to > key->from)
		edits_add(&c->edits, key->from, key->to - key->from, NULL);
	edits_add(&c->edits, at, 0, block_entry(c->notice, fresh(text, at),
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
		edits_add(&c->edits, last->to, 0, flow_entry(c->notice, ", ",
		    ""));
	else
		edits_add(&c->edits, list->from + 1, 0, flow_entry(c->notice,
		    "", ""));
}

static void
add_to_block_list(struct change *c, const struct yaml_node *list)
{
	const struct buf *text = &c->inbox->text;
	size_t at = behind(text, list->to);

	edits_add(&c->edits, at, 0, block_entry(c->notice, fresh(text, at),
	    list->from - line_begin(text, list->from), eol(text)));
}

/* The inbox has no list so far. */
static void
edit_add_list(struct change *c)
{
	const struct buf *text = &c->inbox->text;
	const struct yaml_node *root = c->inbox->yaml.root, *last;
	size_t at = text->len, column = 0;
	struct buf before = BUF_INIT;

	if (root != NULL && root->flow) {
		last = last_of(root);
		edits_add(&c->edits, last ? last->to : root->from + 1, 0,
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
	edits_add(&c->edits, at, 0, block_entry(c->notice, buf_str(&before),
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
		edit_add_list(c);
	else if (yaml_is_null(list) && root->flow)
		edits_add(&c->edits, list->from, list->to - list->from,
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
		at = text->data[at] == '#' ? edit_line_end(text, at) : at + 1;
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
		edits_add(&c->edits, entry->from, entry->to - entry->from,
		    NULL);
		edits_add(&c->edits, at, 1, NULL);
		return true;
	}
	/* The dash may stand on a line before its entry. */
	at = entry->from;
	while (at > 0 && text->data[at] != '-')
		at--;
	from = line_begin(text, at);
	if (at != from + column || !blanks(text, from, at))
		return false;
	edits_add(&c->edits, from, behind(text, entry->to) - from, NULL);
	return true;
}

static bool
is_notice(const struct yaml_node *entry)
{
	return yaml_is_text(yaml_member(entry, "subtask_id"), NOTICE);
}

/* The link that leads to the member `reports`, or to the end of the members. */
static struct yaml_node **
reports_link(struct yaml_node *root)
{
	struct yaml_node **link = &root->first;

	while (*link != NULL && ((*link)->key == NULL ||
	    (*link)->key_len != sizeof(REPORTS) - 1 ||
	    memcmp((*link)->key, REPORTS, sizeof(REPORTS) - 1) != 0))
		link = &(*link)->next;
	return link;
}

static size_t
count_notices(const struct yaml_node *list)
{
	const struct yaml_node *e;
	size_t n = 0;

	for (e = list->first; e != NULL; e = e->next)
		n += is_notice(e);
	return n;
}

/* Takes out the oldest notices, so that there is room for one more: of the
 * text, and of the tree as well. */
static void
push_out(struct change *c, struct inboxtext_entries *gone)
{
	struct yaml_node *root = c->inbox->yaml.root, *list, **link, *e;
	size_t n;

	if (root == NULL || root->kind != YAML_MAP)
		return;
	list = *reports_link(root);
	if (list == NULL || list->kind != YAML_LIST)
		return;
	n = count_notices(list);
	for (link = &list->first; (e = *link) != NULL && n >= INBOX_NOTICES; ) {
		if (!is_notice(e) || !cut_entry(c, list, e)) {
			link = &e->next;
			continue;
		}
		gone->v = xreallocarray(gone->v, gone->n + 1,
		    sizeof(*gone->v));
		gone->v[gone->n].from = e->from;
		gone->v[gone->n++].to = e->to;
		*link = e->next;
		n--;
	}
}

/* Takes the last entry out of the list `reports` of a tree, and the list
 * itself if nothing stays in it; false if the entry is not our notice. */
static bool
take_notice(struct yaml_node *root)
{
	struct yaml_node **list, **last;

	if (root == NULL || root->kind != YAML_MAP)
		return false;
	list = reports_link(root);
	if (*list == NULL || (*list)->kind != YAML_LIST ||
	    (*list)->first == NULL)
		return false;
	for (last = &(*list)->first; (*last)->next != NULL; )
		last = &(*last)->next;
	if (!is_notice(*last) || !inbox_unread(*last) ||
	    yaml_member(*last, "summary") == NULL)
		return false;
	*last = NULL;
	if ((*list)->first == NULL)
		*list = (*list)->next;
	return true;
}

/* Would a notice come behind a text that is not plain, such as that behind '|',
 * on a last line without an end? */
static bool
open_end(const struct inbox *inbox)
{
	const struct yaml_node *root = inbox->yaml.root, *node = root;
	const struct yaml_node *list = yaml_member(root, REPORTS);

	while (node != NULL && node->first != NULL)
		node = last_of(node);
	return node != NULL && node->kind == YAML_TEXT && !node->plain &&
	    (list == NULL || list == last_of(root)) &&
	    node->to == inbox->text.len && *fresh(&inbox->text, node->to);
}

/* The line feed that is missing there belongs to that text; so what is to stay
 * is what the inbox says with it. */
static int
end_last_line(struct inbox *inbox)
{
	struct yaml_error error;

	buf_adds(&inbox->text, eol(&inbox->text));
	yaml_release(&inbox->yaml);
	return yaml_load(&inbox->yaml, buf_str(&inbox->text),
	    inbox->text.len, &error);
}

/* Is all of the new tree as the old one was, but for the notice? */
static bool
added_right(struct yaml_node *old, struct yaml_node *new)
{
	struct yaml_node **list;

	if (!take_notice(new))
		return false;
	if (yaml_is_null(old))
		return new->first == NULL;
	list = reports_link(old);
	if (*list != NULL && (*list)->first == NULL)
		*list = (*list)->next;
	return yaml_same(old, new);
}

const char *
inboxtext_add(struct inbox *inbox, const struct inbox_notice *notice,
    bool push, struct inboxtext_entries *gone, struct buf *out)
{
	struct change c = { .inbox = inbox, .notice = notice };
	struct yaml_error error;
	struct yaml new;
	const char *wrong;

	if (open_end(inbox) && end_last_line(inbox) == -1)
		return NOT_RIGHT;
	if (push)
		push_out(&c, gone);
	wrong = add_notice(&c);
	if (wrong == NULL) {
		edits_apply(&c.edits, &inbox->text, out);
		if (yaml_load(&new, out->data, out->len, &error) == -1 ||
		    !added_right(inbox->yaml.root, new.root))
			wrong = NOT_RIGHT;
		yaml_release(&new);
	}
	edits_release(&c.edits);
	return wrong;
}

/* ---- marking ------------------------------------------------------------ */

/* What an entry says under `read` is from now on true, here and in the tree. */
static void
entry_mark(struct edits *edits, const struct yaml_node *entry)
{
	struct yaml_node *read = entry->first;

	while (read != yaml_member(entry, "read"))
		read = read->next;
	edits_add(edits, read->from, read->to - read->from, xstrdup("true"));
	read->text = "true";
	read->len = 4;
}

const char *
inboxtext_mark(struct inbox *inbox,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    size_t *marked, struct buf *out)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct edits edits = { NULL, 0 };
	struct yaml_error error;
	struct yaml new;
	bool right;

	while (inbox_next(inbox, &list, &entry))
		if (inbox_unread(entry) && wanted(context, entry))
			entry_mark(&edits, entry);
	*marked = edits.n;
	edits_apply(&edits, &inbox->text, out);
	right = yaml_load(&new, out->data, out->len, &error) == 0 &&
	    yaml_same(inbox->yaml.root, new.root);
	yaml_release(&new);
	edits_release(&edits);
	return right ? NULL : NOT_RIGHT;
}
