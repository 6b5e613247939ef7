#include "setup/jsonedit.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/json.h"
#include "text/jsonscan.h"

/* A value of the text; they are listed in the order in which they begin. */
struct value {
	size_t from;            /* its key begins, or itself without one */
	size_t open, to;        /* itself, and where it has ended */
	size_t parent, place;   /* its container in the list, and where in it */
	size_t children;
};

struct values {
	struct value *v;
	size_t        n, room;
};

enum { NOWHERE = -1 };                  /* the parent of the whole text */

/* ---- what is where ------------------------------------------------------ */

static struct value *
add_value(struct values *all, size_t parent, size_t from, size_t open)
{
	struct value *v;

	if (all->n == all->room) {
		all->room = all->room > 0 ? all->room * 2 : 64;
		all->v = xreallocarray(all->v, all->room, sizeof(*all->v));
	}
	v = &all->v[all->n++];
	*v = (struct value){ .from = from, .open = open, .parent = parent };
	if (parent != (size_t)NOWHERE)
		v->place = all->v[parent].children++;
	return v;
}

/* Lists every value of the text; -1 if it is none that we may change. */
static int
list_values(struct values *all, const struct buf *text)
{
	size_t inside[JSONSCAN_DEPTH + 1] = { (size_t)NOWHERE };
	enum jsonscan_token token;
	struct jsonscan s;
	size_t key = 0;
	bool keyed = false;
	unsigned depth = 0;

	jsonscan_init(&s, text->data, text->len, false);
	token = jsonscan_next(&s);
	while (token != JSONSCAN_BAD && token != JSONSCAN_END) {
		if (token == JSONSCAN_KEY) {
			key = s.from;
			keyed = true;
		} else if (jsonscan_value(token)) {
			add_value(all, inside[depth], keyed ? key : s.from,
			    s.from)->to = s.at;
			keyed = false;
		}
		if (token == JSONSCAN_OPEN)
			inside[++depth] = all->n - 1;
		else if (token == JSONSCAN_CLOSE)
			all->v[inside[depth--]].to = s.at;
		token = jsonscan_next(&s);
	}
	jsonscan_release(&s);
	if (token == JSONSCAN_END)
		return 0;
	errno = EINVAL;
	return -1;
}

static const struct value *
child_at(const struct values *all, const struct value *of, size_t place)
{
	size_t parent = (size_t)(of - all->v), i;

	for (i = parent + 1; i < all->n && all->v[i].open < of->to; i++)
		if (all->v[i].parent == parent && all->v[i].place == place)
			return &all->v[i];
	return NULL;
}

static const struct value *
find(const struct values *all, struct jsonedit_path path)
{
	const struct value *v = all->v;
	size_t i;

	for (i = 0; v != NULL && i < path.depth; i++)
		v = child_at(all, v, path.places[i]);
	if (v == NULL)
		errno = EINVAL;
	return v;
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
unit_of(const struct buf *text, const struct values *all)
{
	char *own, *outer, *unit = NULL;
	size_t i, n;

	for (i = 1; i < all->n && unit == NULL; i++) {
		if (!begins_line(text, all->v[i].from))
			continue;
		own = indent_at(text, all->v[i].from);
		outer = indent_at(text, all->v[all->v[i].parent].from);
		n = strlen(outer);
		if (strncmp(own, outer, n) == 0 && own[n] != '\0')
			unit = xstrdup(own + n);
		free(own);
		free(outer);
	}
	return unit != NULL ? unit : xstrdup("  ");
}

static bool
is_tight(const struct buf *text, const struct values *all)
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
style_for(const struct buf *text, const struct values *all,
    const struct value *container)
{
	const struct value *last = container->children == 0 ? NULL :
	    child_at(all, container, container->children - 1);
	bool lines = last != NULL ? begins_line(text, last->from) :
	    container->parent == (size_t)NOWHERE ||
	    begins_line(text, container->from);
	struct style s = { .unit = unit_of(text, all),
	    .tight = is_tight(text, all) };

	if (lines) {
		s.line = line_end(text);
		s.tight = s.tight && last != NULL;
	}
	s.indent = indent_at(text, last != NULL ? last->from :
	    container->from);
	if (last == NULL) {
		char *deeper = xasprintf("%s%s", s.indent, s.unit);

		free(s.indent);
		s.indent = deeper;
	}
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

/* What json_print() wrote, token by token, as it looks in the style. */
static void
spread(struct buf *out, struct buf *plain, const struct style *style)
{
	enum jsonscan_token token, before = JSONSCAN_START;
	struct jsonscan s;

	jsonscan_init(&s, buf_str(plain), plain->len, false);
	while ((token = jsonscan_next(&s)) != JSONSCAN_END) {
		assert(token != JSONSCAN_BAD);
		if (token == JSONSCAN_CLOSE ? before != JSONSCAN_OPEN :
		    before == JSONSCAN_OPEN || before == JSONSCAN_COMMA)
			add_line(out, style, s.depth -
			    (token == JSONSCAN_OPEN ? 1 : 0));
		buf_add(out, s.text + s.from, s.at - s.from);
		if (!style->tight && (token == JSONSCAN_COLON ||
		    (token == JSONSCAN_COMMA && style->line == NULL)))
			buf_addc(out, ' ');
		before = token;
	}
	jsonscan_release(&s);
}

static void
add_styled(struct buf *out, const char *key, const cJSON *value,
    const struct style *style)
{
	struct buf plain = BUF_INIT;
	cJSON *name;

	if (key != NULL) {
		name = cJSON_CreateString(key);
		json_print(out, name);
		buf_adds(out, style->tight ? ":" : ": ");
		json_free(name);
	}
	json_print(&plain, value);
	spread(out, &plain, style);
	buf_release(&plain);
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
append(struct buf *text, const struct values *all,
    const struct value *container, const char *key, const cJSON *value)
{
	struct style style = style_for(text, all, container);
	bool empty = container->children == 0;
	size_t from = container->open + 1, to = container->to - 1;
	struct buf added = BUF_INIT;
	char *outer;

	if (!empty)
		from = to = child_at(all, container, container->children - 1)->
		    to;
	if (!empty)
		buf_adds(&added, style.line || style.tight ? "," : ", ");
	add_line(&added, &style, 0);
	add_styled(&added, key, value, &style);
	if (empty && style.line != NULL) {
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
	struct values all = { NULL, 0, 0 };
	const struct value *v;
	int ret = list_values(&all, text);

	if (ret == 0) {
		v = find(&all, path);
		if (v != NULL && text->data[v->open] == (key ? '{' : '[')) {
			append(text, &all, v, key, value);
		} else {
			errno = EINVAL;
			ret = -1;
		}
	}
	free(all.v);
	return ret;
}

/* The bytes that go when a value goes. */
static int
find_removed(const struct values *all, const struct value *v, size_t *from,
    size_t *to)
{
	const struct value *container, *next;

	if (v->parent == (size_t)NOWHERE) {
		errno = EINVAL;
		return -1;
	}
	container = &all->v[v->parent];
	if (v->place > 0) {
		*from = child_at(all, container, v->place - 1)->to;
		*to = v->to;
	} else if ((next = child_at(all, container, 1)) != NULL) {
		*from = v->from;
		*to = next->from;
	} else {
		*from = container->open + 1;
		*to = container->to - 1;
	}
	return 0;
}

int
jsonedit_remove(struct buf *text, struct jsonedit_path path)
{
	struct values all = { NULL, 0, 0 };
	const struct value *v = NULL;
	size_t from, to;
	int ret = list_values(&all, text);

	if (ret == 0 && (v = find(&all, path)) == NULL)
		ret = -1;
	if (ret == 0)
		ret = find_removed(&all, v, &from, &to);
	if (ret == 0)
		splice(text, from, to, NULL);
	free(all.v);
	return ret;
}

int
jsonedit_replace(struct buf *text, struct jsonedit_path path,
    const cJSON *value)
{
	struct values all = { NULL, 0, 0 };
	struct buf by = BUF_INIT;
	const struct value *v = NULL;
	int ret = list_values(&all, text);

	if (ret == 0 && (v = find(&all, path)) == NULL)
		ret = -1;
	if (ret == 0) {
		json_print(&by, value);
		splice(text, v->open, v->to, &by);
	}
	buf_release(&by);
	free(all.v);
	return ret;
}
