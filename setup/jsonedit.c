#include "setup/jsonedit.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* ---- the text and its tree ------------------------------------------------
    */

int
jsonedit_init(struct jsonedit *e, struct buf *text, struct json_error *error)
{
	*e = (struct jsonedit){ .text = text };
	e->root = json_parse_spans(text->data, text->len, false, &e->spans,
	    error);
	return e->root != NULL ? 0 : -1;
}

void
jsonedit_release(struct jsonedit *e)
{
	json_free(e->root);
	json_spans_release(&e->spans);
	e->root = NULL;
}

/* Puts other bytes, or none, in the place of these. */
static void
edit_splice(struct jsonedit *e, size_t from, size_t to, struct buf *by)
{
	struct buf out = BUF_INIT;
	int ret;

	buf_add(&out, e->text->data, from);
	if (by != NULL)
		buf_add(&out, buf_str(by), by->len);
	buf_add(&out, e->text->data + to, e->text->len - to);
	buf_release(e->text);
	*e->text = out;
	jsonedit_release(e);
	ret = jsonedit_init(e, e->text, NULL);
	assert(ret == 0);
	(void)ret;
}

static const struct json_span *
last_child(const struct jsonedit *e, const cJSON *container)
{
	return container->child == NULL ? NULL :
	    json_span(&e->spans, container->child->prev);
}

/* ---- how it is written -------------------------------------------------- */

struct style {
	const char *line;               /* how a line ends; NULL: all on one */
	char       *indent;             /* of the line that it stands on */
	char       *unit;               /* how much deeper the next level is */
	bool        tight;              /* no blank behind a colon or comma */
};

static void
style_release(struct style *s)
{
	free(s->indent);
	free(s->unit);
}

/* The blanks with which the line begins on which this byte stands. */
static char *
indent_at(const struct buf *text, size_t at)
{
	size_t from = at, n = 0;

	while (from > 0 && text->data[from - 1] != '\n')
		from--;
	while (from + n < at && strchr(" \t", text->data[from + n]) != NULL)
		n++;
	return xstrndup(text->data + from, n);
}

/* Is it the first thing on a line that is not the text's first? */
static bool
begins_line(const struct buf *text, size_t at)
{
	while (at > 0 && strchr(" \t", text->data[at - 1]) != NULL)
		at--;
	return at > 0 && text->data[at - 1] == '\n';
}

static const char *
style_line_end(const struct buf *text)
{
	const char *first = memchr(text->data, '\n', text->len);

	return first != NULL && first > text->data && first[-1] == '\r' ?
	    "\r\n" : "\n";
}

/* How much deeper than its container is the first value that shows it? */
static char *
unit_of(const struct buf *text, const struct json_spans *all)
{
	char *own, *outer, *unit = NULL;
	size_t i, n;

	for (i = 1; i < all->n && unit == NULL; i++) {
		if (!begins_line(text, all->v[i].from))
			continue;
		own = indent_at(text, all->v[i].from);
		outer = indent_at(text, all->v[all->v[i].container].from);
		n = strlen(outer);
		if (strncmp(own, outer, n) == 0 && own[n] != '\0')
			unit = xstrdup(own + n);
		free(own);
		free(outer);
	}
	return unit != NULL ? unit : xstrdup("  ");
}

static bool
is_tight(const struct buf *text, const struct json_spans *all)
{
	size_t i;

	for (i = 1; i < all->n; i++)
		if (all->v[i].open > all->v[i].from)
			return text->data[all->v[i].open - 1] == ':';
	return false;
}

/* How something is to be written that stands behind the last child, or is to
 * be the first one: like what is there, or like the container itself. */
static struct style
style_for(const struct jsonedit *e, const cJSON *container)
{
	const struct json_span *outer = json_span(&e->spans, container);
	const struct json_span *last = last_child(e, container);
	bool lines = last != NULL ? begins_line(e->text, last->from) :
	    outer->container == JSON_NOWHERE ||
	    begins_line(e->text, outer->from);
	struct style s = { .unit = unit_of(e->text, &e->spans),
	    .tight = is_tight(e->text, &e->spans) };
	char *indent = indent_at(e->text, last ? last->from : outer->from);

	if (lines) {
		s.line = style_line_end(e->text);
		s.tight = s.tight && last != NULL;
	}
	s.indent = xasprintf("%s%s", indent, last != NULL ? "" : s.unit);
	free(indent);
	return s;
}

static void
style_add_line(struct buf *out, const struct style *s, unsigned depth)
{
	if (s->line == NULL)
		return;
	buf_adds(out, s->line);
	buf_adds(out, s->indent);
	for (; depth > 0; depth--)
		buf_adds(out, s->unit);
}

static void
style_add_key(struct buf *out, const char *key, const struct style *style)
{
	cJSON *name = cJSON_CreateString(key);

	json_print(out, name);
	buf_adds(out, style->tight ? ":" : ": ");
	json_free(name);
}

static void
style_add_value(struct buf *out, const cJSON *value, const struct style *style,
    unsigned depth)
{
	const cJSON *child;

	if (value->child == NULL) {
		json_print(out, value);
		return;
	}
	buf_addc(out, cJSON_IsObject(value) ? '{' : '[');
	cJSON_ArrayForEach(child, value) {
		if (child != value->child)
			buf_adds(out, style->line || style->tight ? "," : ", ");
		style_add_line(out, style, depth + 1);
		if (cJSON_IsObject(value))
			style_add_key(out, child->string, style);
		style_add_value(out, child, style, depth + 1);
	}
	style_add_line(out, style, depth);
	buf_addc(out, cJSON_IsObject(value) ? '}' : ']');
}

/* ---- changing it -------------------------------------------------------- */

void
jsonedit_append(struct jsonedit *e, const cJSON *container, const char *key,
    const cJSON *value)
{
	const struct json_span *outer = json_span(&e->spans, container);
	const struct json_span *last = last_child(e, container);
	struct style style = style_for(e, container);
	struct buf added = BUF_INIT;
	char *indent;

	if (last != NULL)
		buf_adds(&added, style.line || style.tight ? "," : ", ");
	style_add_line(&added, &style, 0);
	if (key != NULL)
		style_add_key(&added, key, &style);
	style_add_value(&added, value, &style, 0);
	if (last == NULL && style.line != NULL) {
		indent = indent_at(e->text, outer->from);
		buf_adds(&added, style.line);
		buf_adds(&added, indent);
		free(indent);
	}
	edit_splice(e, last ? last->to : outer->open + 1,
	    last ? last->to : outer->to - 1, &added);
	buf_release(&added);
	style_release(&style);
}

void
jsonedit_remove(struct jsonedit *e, const cJSON *value)
{
	const struct json_span *v = json_span(&e->spans, value);
	const struct json_span *outer = &e->spans.v[v->container];

	if (value != outer->value->child)
		edit_splice(e, json_span(&e->spans, value->prev)->to, v->to,
		    NULL);
	else if (value->next != NULL)
		edit_splice(e, v->from, json_span(&e->spans, value->next)->from,
		    NULL);
	else
		edit_splice(e, outer->open + 1, outer->to - 1, NULL);
}

void
jsonedit_replace(struct jsonedit *e, const cJSON *value, const cJSON *by)
{
	const struct json_span *v = json_span(&e->spans, value);
	struct buf text = BUF_INIT;

	json_print(&text, by);
	edit_splice(e, v->open, v->to, &text);
	buf_release(&text);
}
