#include "setup/setup.h"

#include <assert.h>

int
jsonedit_init(struct jsonedit *e, struct buf *text)
{
	*e = (struct jsonedit){ .text = text };
	e->root = json_parse(text->data, text->len, false, NULL);
	return e->root != NULL ? 0 : -1;
}

/* by may be NULL. */
static void
edit_splice(struct jsonedit *e, size_t from, size_t to, struct buf *by)
{
	struct buf out = BUF_INIT;

	buf_add(&out, e->text->data, from);
	if (by != NULL)
		buf_add(&out, buf_str(by), by->len);
	buf_add(&out, e->text->data + to, e->text->len - to);
	buf_release(e->text);
	*e->text = out;
	json_free(e->root);
	jsonedit_init(e, e->text);
	assert(e->root != NULL);
}

struct blanks {
	const char *p;
	size_t      n;
};

/* How values are written behind the last one of a container, or first. */
struct style {
	const char   *line;             /* how a line ends; NULL: all on one */
	struct blanks indent;           /* of the last value or the container */
	struct blanks unit;             /* how much deeper the next level is */
	bool          tight;            /* no blank behind a colon or comma */
};

static struct blanks
indent_at(const struct buf *text, size_t at)
{
	size_t from = at, n = 0;

	while (from > 0 && text->data[from - 1] != '\n')
		from--;
	while (from + n < at && text_blank(text->data[from + n]))
		n++;
	return (struct blanks){ text->data + from, n };
}

/* Does the byte begin a line, but for blanks, that is not the first? */
static bool
begins_line(const struct buf *text, size_t at)
{
	while (at > 0 && text_blank(text->data[at - 1]))
		at--;
	return at > 0 && text->data[at - 1] == '\n';
}

/* The first value deeper than its container shows the indentation of a level;
 * *member is the first one with a key. */
static void
style_learn(struct style *s, const struct buf *text,
    const struct json *container, const struct json **member)
{
	struct blanks own, around = { NULL, 0 };
	const struct json *v;

	/* A text of one long line is searched once. */
	json_each(v, container) {
		if (s->unit.p == NULL && begins_line(text, v->from)) {
			own = indent_at(text, v->from);
			if (around.p == NULL)
				around = indent_at(text, container->from);
			if (own.n > around.n &&
			    memcmp(own.p, around.p, around.n) == 0)
				s->unit = (struct blanks){ own.p + around.n,
				    own.n - around.n };
		}
		if (*member == NULL && v->key != NULL)
			*member = v;
		style_learn(s, text, v, member);
	}
}

static void
style_add_line(struct buf *out, const struct style *s, unsigned depth)
{
	if (s->line == NULL)
		return;
	buf_adds(out, s->line);
	buf_add(out, s->indent.p, s->indent.n);
	for (; depth > 0; depth--)
		buf_add(out, s->unit.p, s->unit.n);
}

static void
style_add_key(struct buf *out, const char *key, const struct style *style)
{
	json_give(out, json_new_text(key));
	buf_adds(out, style->tight ? ":" : ": ");
}

static void
style_add_value(struct buf *out, const struct json *value,
    const struct style *style, unsigned depth)
{
	const struct json *child;

	if (value->child == NULL) {
		json_print(out, value);
		return;
	}
	buf_addc(out, json_is(value, JSON_OBJECT) ? '{' : '[');
	json_each(child, value) {
		if (child != value->child)
			buf_adds(out, style->line || style->tight ? "," : ", ");
		style_add_line(out, style, depth + 1);
		if (json_is(value, JSON_OBJECT))
			style_add_key(out, child->key, style);
		style_add_value(out, child, style, depth + 1);
	}
	style_add_line(out, style, depth);
	buf_addc(out, json_is(value, JSON_OBJECT) ? '}' : ']');
}

void
jsonedit_append(struct jsonedit *e, const struct json *container,
    const char *key, struct json *value)
{
	const struct json *last = container->child != NULL ?
	    container->child->prev : NULL, *member = NULL;
	size_t model = last != NULL ? last->from : container->from;
	const char *end = memchr(e->text->data, '\n', e->text->len);
	struct style s = { .indent = indent_at(e->text, model) };
	unsigned depth = last == NULL;
	struct buf added = BUF_INIT;

	style_learn(&s, e->text, e->root, &member);
	if (s.unit.p == NULL)
		s.unit = (struct blanks){ "  ", 2 };
	s.tight = member != NULL && e->text->data[member->open - 1] == ':';
	if (begins_line(e->text, model) ||
	    (last == NULL && container->parent == NULL)) {
		s.line = end > e->text->data && end[-1] == '\r' ? "\r\n" : "\n";
		s.tight = s.tight && last != NULL;
	}
	if (last != NULL)
		buf_adds(&added, s.line || s.tight ? "," : ", ");
	style_add_line(&added, &s, depth);
	if (key != NULL)
		style_add_key(&added, key, &s);
	style_add_value(&added, value, &s, depth);
	if (last == NULL)
		style_add_line(&added, &s, 0);
	edit_splice(e, last ? last->to : container->open + 1,
	    last ? last->to : container->to - 1, &added);
	json_free(value);
	buf_release(&added);
}

void
jsonedit_remove(struct jsonedit *e, const struct json *value)
{
	const struct json *outer = value->parent;

	if (value != outer->child)
		edit_splice(e, value->prev->to, value->to, NULL);
	else if (value->next != NULL)
		edit_splice(e, value->from, value->next->from, NULL);
	else
		edit_splice(e, outer->open + 1, outer->to - 1, NULL);
}

void
jsonedit_replace(struct jsonedit *e, const struct json *value, struct json *by)
{
	struct buf text = BUF_INIT;

	json_give(&text, by);
	edit_splice(e, value->open, value->to, &text);
	buf_release(&text);
}
