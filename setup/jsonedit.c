#include "setup/jsonedit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/json.h"

/* A text, its values and where they stand. */
struct doc {
	cJSON            *tree;
	struct json_spans spans;
};

/* ---- what is where ------------------------------------------------------ */

static void
doc_release(struct doc *doc)
{
	json_free(doc->tree);
	json_spans_release(&doc->spans);
}

static const struct json_span *
child_at(const struct doc *doc, const struct json_span *of, size_t place)
{
	return json_span(&doc->spans, cJSON_GetArrayItem(of->value,
	    (int)place));
}

static size_t
children(const struct json_span *of)
{
	return (size_t)cJSON_GetArraySize(of->value);
}

/* The value at a path of a text; NULL with errno.  doc is to be released. */
static const struct json_span *
find(struct doc *doc, const struct buf *text, struct jsonedit_path path)
{
	const cJSON *value;
	size_t i;

	*doc = (struct doc){ .tree = NULL };
	doc->tree = json_parse_spans(text->data, text->len, false,
	    &doc->spans, NULL);
	value = doc->tree;
	for (i = 0; value != NULL && i < path.depth; i++)
		value = cJSON_GetArrayItem(value, (int)path.places[i]);
	if (value != NULL)
		return json_span(&doc->spans, value);
	errno = EINVAL;
	return NULL;
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
line_end(const struct buf *text)
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
style_for(const struct buf *text, const struct doc *doc,
    const struct json_span *container)
{
	size_t n = children(container);
	const struct json_span *last = n == 0 ? NULL :
	    child_at(doc, container, n - 1);
	bool lines = last != NULL ? begins_line(text, last->from) :
	    container->container == JSON_NOWHERE ||
	    begins_line(text, container->from);
	struct style s = { .unit = unit_of(text, &doc->spans),
	    .tight = is_tight(text, &doc->spans) };
	char *outer;

	if (lines) {
		s.line = line_end(text);
		s.tight = s.tight && last != NULL;
	}
	outer = indent_at(text, last != NULL ? last->from : container->from);
	s.indent = xasprintf("%s%s", outer, last != NULL ? "" : s.unit);
	free(outer);
	return s;
}

static void
add_line(struct buf *out, const struct style *s, unsigned depth)
{
	if (s->line == NULL)
		return;
	buf_adds(out, s->line);
	buf_adds(out, s->indent);
	for (; depth > 0; depth--)
		buf_adds(out, s->unit);
}

static void
add_key(struct buf *out, const char *key, const struct style *style)
{
	cJSON *name = cJSON_CreateString(key);

	json_print(out, name);
	buf_adds(out, style->tight ? ":" : ": ");
	json_free(name);
}

static void
add_value(struct buf *out, const cJSON *value, const struct style *style,
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
		add_line(out, style, depth + 1);
		if (cJSON_IsObject(value))
			add_key(out, child->string, style);
		add_value(out, child, style, depth + 1);
	}
	add_line(out, style, depth);
	buf_addc(out, cJSON_IsObject(value) ? '}' : ']');
}

/* ---- changing it -------------------------------------------------------- */

/* Puts other bytes, or none, in the place of these. */
static void
splice(struct buf *text, size_t from, size_t to, struct buf *by)
{
	struct buf out = BUF_INIT;

	buf_add(&out, text->data, from);
	if (by != NULL)
		buf_add(&out, buf_str(by), by->len);
	buf_add(&out, text->data + to, text->len - to);
	buf_release(text);
	*text = out;
}

static void
append(struct buf *text, const struct doc *doc,
    const struct json_span *container, const char *key, const cJSON *value)
{
	struct style style = style_for(text, doc, container);
	size_t n = children(container);
	size_t from = container->open + 1, to = container->to - 1;
	struct buf added = BUF_INIT;
	char *outer;

	if (n > 0) {
		from = to = child_at(doc, container, n - 1)->to;
		buf_adds(&added, style.line || style.tight ? "," : ", ");
	}
	add_line(&added, &style, 0);
	if (key != NULL)
		add_key(&added, key, &style);
	add_value(&added, value, &style, 0);
	if (n == 0 && style.line != NULL) {
		outer = indent_at(text, container->from);
		buf_adds(&added, style.line);
		buf_adds(&added, outer);
		free(outer);
	}
	splice(text, from, to, &added);
	buf_release(&added);
	style_release(&style);
}

int
jsonedit_append(struct buf *text, struct jsonedit_path path, const char *key,
    const cJSON *value)
{
	struct doc doc;
	const struct json_span *v = find(&doc, text, path);
	int ret = -1;

	if (v != NULL && (key ? cJSON_IsObject(v->value) :
	    cJSON_IsArray(v->value))) {
		append(text, &doc, v, key, value);
		ret = 0;
	}
	doc_release(&doc);
	if (ret == -1)
		errno = EINVAL;
	return ret;
}

int
jsonedit_remove(struct buf *text, struct jsonedit_path path)
{
	struct doc doc;
	const struct json_span *v = find(&doc, text, path), *outer, *next;
	size_t place = path.depth > 0 ? path.places[path.depth - 1] : 0;

	if (v == NULL || path.depth == 0) {
		doc_release(&doc);
		errno = EINVAL;
		return -1;
	}
	outer = &doc.spans.v[v->container];
	next = child_at(&doc, outer, 1);
	if (place > 0)
		splice(text, child_at(&doc, outer, place - 1)->to, v->to, NULL);
	else if (next != NULL)
		splice(text, v->from, next->from, NULL);
	else
		splice(text, outer->open + 1, outer->to - 1, NULL);
	doc_release(&doc);
	return 0;
}

int
jsonedit_replace(struct buf *text, struct jsonedit_path path,
    const cJSON *value)
{
	struct doc doc;
	struct buf by = BUF_INIT;
	const struct json_span *v = find(&doc, text, path);

	if (v != NULL) {
		json_print(&by, value);
		splice(text, v->open, v->to, &by);
	}
	buf_release(&by);
	doc_release(&doc);
	return v != NULL ? 0 : -1;
}
