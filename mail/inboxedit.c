#include "mail/mail.h"

#include "marker/defang.h"

static const char REPORTS[] = "reports", NOTICE[] = "stophook_notification";
static const char NOT_RIGHT[] = "this change would change more than the entry; "
    "write the YAML more simply";

bool
inbox_next(const struct inbox *inbox, struct yaml_node **list,
    struct yaml_node **entry)
{
	const struct yaml_node *root = inbox->yaml.root;
	bool begins = *list == NULL;

	*entry = begins ? NULL : (*entry)->next;
	for (; *entry == NULL; begins = false) {
		*list = !begins ? (*list)->next :
		    root != NULL && root->kind == YAML_MAP ? root->first : NULL;
		if (*list == NULL)
			return false;
		*entry = (*list)->kind == YAML_LIST ? (*list)->first : NULL;
	}
	return true;
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

enum { NOTICE_NODES = 17 };             /* with keys and texts */

/* ---- splicing ----------------------------------------------------------- */

/* A text, changed from its beginning on. */
struct edit {
	const struct buf *text;
	struct buf *out;
	size_t at;                      /* out has the text before it */
	bool   apart;                   /* entries follow directly on those that
					   were cut */
};

/* Keeps the text before from, drops it up to to. */
static void
edit_cut(struct edit *e, size_t from, size_t to)
{
	if (from > e->at)
		buf_add(e->out, e->text->data + e->at, from - e->at);
	e->at = to;
}

static size_t
line_begin(const struct buf *text, size_t at)
{
	/* A byte order mark is no part of a line. */
	size_t begin = text->len >= 3 &&
	    memcmp(text->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (at > begin && text->data[at - 1] != '\n')
		at--;
	return at;
}

static size_t
edit_column(const struct edit *e, size_t at)
{
	return at - line_begin(e->text, at);
}

/* The end of a block text is the beginning of the next line. */
static size_t
behind(const struct buf *text, size_t to)
{
	size_t from = to > 0 ? to - 1 : 0;
	const char *p = memchr(text->data + from, '\n', text->len - from);

	return p != NULL ? (size_t)(p - text->data) + 1 : text->len;
}

static bool
blanks(const struct buf *text, size_t from, size_t to)
{
	while (from < to && text->data[from] == ' ')
		from++;
	return from == to;
}

/* Both YAML 1.1 and 1.2 read it, on one line.  Invalid UTF-8 becomes U+FFFD. */
static void
add_quoted(struct buf *out, const char *text)
{
	static const char special[] = "\"\\\n\t\r", letters[] = "\"\\ntr";
	struct buf inner = BUF_INIT;
	size_t size, len = strlen(text);
	unsigned long c;
	const char *known;

	for (; len > 0; text += size, len -= size) {
		size = utf8_decode(text, len, &c);
		known = strchr(special, *text);
		if (known != NULL)
			buf_printf(&inner, "\\%c", letters[known - special]);
		else if (size == 0)
			buf_adds(&inner, "\xef\xbf\xbd");
		else if (c <= 0xffff && (utf8_harmful(c) || c == 0xfeff ||
		    c >= 0xfffe))
			buf_printf(&inner, c < 0x100 ? "\\x%02lx" :
			    "\\u%04lx", c);
		else
			buf_add(&inner, text, size);
		size += size == 0;
	}
	buf_addc(out, '"');
	defang_add(out, buf_str(&inner), inner.len, NULL, DEFANG_TEXT);
	buf_addc(out, '"');
	buf_release(&inner);
}

/* ---- adding ------------------------------------------------------------- */

void
inboxedit_entry(struct buf *out, const struct inbox_notice *n,
    const char *between)
{
	const char *subtask = n->subtask != NULL ? n->subtask : NOTICE;
	const struct {
		const char *key, *text; /* NULL: without it */
		bool plain;
	} members[] = {
		{ "request_id", n->request },
		{ "subtask_id", subtask, strcmp(subtask, NOTICE) == 0 },
		{ "worker", n->from },
		{ "status", "notification", true },
		{ "reported_at", CLOCK_WORDS(clock_wall()) },
		{ "summary", n->content },
		{ "type", n->type },
		{ "read", "false", true },
	};
	const char *gap = "";
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (members[i].text == NULL)
			continue;
		buf_printf(out, "%s%s: ", gap, members[i].key);
		if (members[i].plain)
			buf_adds(out, members[i].text);
		else
			add_quoted(out, members[i].text);
		gap = between;
	}
}

/* Adds lines, with the dash in that column; a new list behind its key. */
static void
add_in_block(struct edit *e, const struct inbox_notice *n, size_t at,
    size_t column, bool new_list)
{
	const struct buf *text = e->text;
	const char *lf = text->len > 0 ?
	    memchr(text->data, '\n', text->len) : NULL;
	const char *eol = lf != NULL && lf > text->data && lf[-1] == '\r' ?
	    "\r\n" : "\n";
	struct buf between = BUF_INIT;

	edit_cut(e, at, at);
	if (line_begin(text, at) < at)
		buf_adds(e->out, eol);
	if (new_list) {
		buf_printf(e->out, "%*s%s:%s", (int)column, "", REPORTS, eol);
		column += 2;
	}
	buf_printf(&between, "%s%*s", eol, (int)column + 2, "");
	buf_printf(e->out, "%*s- ", (int)column, "");
	inboxedit_entry(e->out, n, buf_str(&between));
	buf_adds(e->out, eol);
	buf_release(&between);
}

static const char *
add_notice(struct edit *e, const struct yaml *yaml,
    const struct inbox_notice *n)
{
	const struct yaml_node *root = yaml->root;
	const struct yaml_node *list = yaml_member(root, REPORTS), *node, *last;
	bool empty = yaml_is_null(root), null;
	size_t at;

	if (empty ? root != NULL && root->len > 0 : root->kind != YAML_MAP)
		return "it is not a mapping";
	if (empty && yaml->closed)
		return "it ends with '...' before anything can be added";
	if (list != NULL && list->marked)
		return "its list 'reports' has an anchor or a tag";
	if (list != NULL && list->kind != YAML_LIST && !yaml_is_null(list))
		return "'reports' is not a list";
	if (empty) {
		add_in_block(e, n, e->text->len, 0, true);
	} else if (root->flow || (list != NULL && list->flow &&
	    !blanks(e->text, list->from + 1, list->to - 1))) {
		/* Behind the last member, or in the place of a null. */
		node = list != NULL ? list : root;
		null = node->kind == YAML_TEXT;
		last = node->last;
		at = last != NULL ? last->to : node->from + !null;
		edit_cut(e, at, null ? node->to : at);
		buf_printf(e->out, "%s%s{", last != NULL ? ", " : "",
		    list == NULL ? "reports: [" : null ? " [" : "");
		inboxedit_entry(e->out, n, ", ");
		buf_adds(e->out, list == NULL || null ? "}]" : "}");
	} else if (list == NULL) {
		add_in_block(e, n, behind(e->text, root->to),
		    edit_column(e, root->from), true);
	} else if (list->first == NULL) {
		edit_cut(e, list->from, list->to);
		add_in_block(e, n, behind(e->text, list->to),
		    edit_column(e, list->key_from) + 2, false);
	} else {
		add_in_block(e, n, behind(e->text, list->to),
		    edit_column(e, list->from), false);
	}
	return NULL;
}

/* False: the dash does not begin a line. */
static bool
cut_entry(struct edit *e, const struct yaml_node *list,
    const struct yaml_node *entry)
{
	const struct buf *text = e->text;
	size_t from, at;

	if (list->flow) {
		edit_cut(e, entry->from, entry->to);
		/* Another entry follows its comma. */
		for (at = entry->to; at < text->len && text->data[at] != ','; )
			at = text->data[at] == '#' ? behind(text, at + 1) :
			    at + 1;
		edit_cut(e, at, at + 1);
		return true;
	}
	/* The dash may stand on a line before its entry. */
	at = entry->from;
	while (at > 0 && text->data[at] != '-')
		at--;
	from = line_begin(text, at);
	if (at - from != edit_column(e, list->from) || !blanks(text, from, at))
		return false;
	edit_cut(e, from, behind(text, entry->to));
	at = e->at + edit_column(e, at);
	e->apart = e->apart && entry->next != NULL && at < entry->next->from &&
	    blanks(text, e->at, at) && text->data[at] == '-';
	return true;
}

static bool
is_notice(const struct yaml_node *entry)
{
	return yaml_is_text(yaml_member(entry, "subtask_id"), NOTICE);
}

const char *
inboxedit_add(struct inbox *inbox, const struct inbox_notice *notice,
    bool push, struct buf *out)
{
	struct edit e = { &inbox->text, out, 0, true };
	const struct yaml_node *root = inbox->yaml.root;
	struct yaml_node *list = yaml_member(root, REPORTS), *reports, *last;
	struct yaml_node *oldest = NULL, *entry;
	struct text_error error;
	struct yaml new;
	const char *wrong;
	size_t n = 0;

	if (push && (notice->subtask == NULL ||
	    strcmp(notice->subtask, NOTICE) == 0) && list != NULL &&
	    list->kind == YAML_LIST)
		oldest = list->first;
	for (entry = oldest; entry != NULL; entry = entry->next)
		n += is_notice(entry);
	for (entry = oldest; entry != NULL && n >= INBOX_NOTICES;
	    entry = entry->next)
		if (is_notice(entry) && cut_entry(&e, list, entry)) {
			entry->gone = true;
			n--;
		}
	wrong = add_notice(&e, &inbox->yaml, notice);
	if (wrong != NULL)
		return wrong;
	edit_cut(&e, inbox->text.len, inbox->text.len);
	/* Places alone may prove the change: a block entry means the same
	 * beside any others, but for anchors.  Only a blank line or comment
	 * behind the cut could join the text before it. */
	if (e.apart && !inbox->yaml.anchors &&
	    inbox->yaml.count < YAML_NODES - NOTICE_NODES &&
	    list != NULL && list->first != NULL && !list->flow &&
	    blanks(e.text, line_begin(e.text, list->from), list->from) &&
	    blanks(e.text, behind(e.text, list->to), list->after))
		return NULL;
	/* The new tree may differ by a last notice, and its list. */
	yaml_load(&new, out->data, out->len, &error);
	reports = yaml_member(new.root, REPORTS);
	last = reports != NULL ? reports->last : NULL;
	wrong = NOT_RIGHT;
	if (yaml_member(last, "subtask_id") != NULL && inbox_unread(last) &&
	    yaml_member(last, "summary") != NULL) {
		last->gone = true;
		reports->gone = reports->first == last;
		if (list != NULL)
			list->gone = list->first == NULL;
		if (yaml_is_null(root) ? reports->gone &&
		    new.root->last == reports && new.root->first == reports :
		    yaml_same(root, new.root))
			wrong = NULL;
	}
	yaml_release(&new);
	return wrong;
}

const char *
inboxedit_mark(struct inbox *inbox,
    bool (*wanted)(void *, const struct yaml_node *), void *context,
    struct buf *out)
{
	struct yaml_node *list = NULL, *entry = NULL, *read;
	struct edit e = { &inbox->text, out, 0, true };
	struct text_error error;
	struct yaml new;
	bool right;

	while (inbox_next(inbox, &list, &entry)) {
		if (!inbox_unread(entry) || !wanted(context, entry))
			continue;
		read = yaml_member(entry, "read");
		edit_cut(&e, read->from, read->to);
		buf_adds(out, "true");
		read->text = "true";
		read->len = 4;
	}
	if (out->len == 0)
		return NULL;
	edit_cut(&e, inbox->text.len, inbox->text.len);
	right = yaml_load(&new, out->data, out->len, &error) == 0 &&
	    yaml_same(inbox->yaml.root, new.root);
	yaml_release(&new);
	return right ? NULL : NOT_RIGHT;
}
