/*
 * cJSON is generous: it takes control bytes, 01 and \u0000, keeps a key that
 * stands twice, calls itself once per level of nesting.  So it sees only texts
 * that jsonscan.c found good; what is left is asked of the tree.  It also takes
 * its time with each byte of a string, so long ones, which are mostly the
 * message of an agent, are kept from it and put into its tree afterwards.
 */
#include "text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "text/jsonscan.h"

enum { LONG = 4096 };                   /* bytes of a string */

struct longtext {
	size_t from, to;                /* in the text, without its quotes */
	size_t nth;                     /* of the values of the text */
	cJSON *item;                    /* of the tree */
};

struct longtexts {
	struct longtext *v;
	size_t n;
};

static const double exact_max = 9007199254740992.0;     /* 2^53 */

/* cJSON gets its memory where everything else does, so it has it. */
static void
use_xmalloc(void)
{
	cJSON_Hooks hooks = { xmalloc, free };

	cJSON_InitHooks(&hooks);
}

static int __attribute__((format(printf, 3, 4)))
refuse(struct json_error *error, unsigned line, const char *format, ...)
{
	va_list ap;

	error->line = line;
	va_start(ap, format);
	vsnprintf(error->reason, sizeof(error->reason), format, ap);
	va_end(ap);
	return -1;
}

/* Finds item in the tree; *nth grows by the values that begin before it. */
static bool
find_item(const cJSON *tree, const cJSON *item, size_t *nth)
{
	const cJSON *child;

	if (tree == item)
		return true;
	++*nth;
	cJSON_ArrayForEach(child, tree)
		if (find_item(child, item, nth))
			return true;
	return false;
}

/*
 * The values of a text stand in the order of the tree, so that the item's
 * place in the tree tells where in the text it begins.
 */
static unsigned
line_of_item(struct jsonscan *scan, const cJSON *tree, const cJSON *item)
{
	enum jsonscan_token token;
	size_t nth = 0;

	find_item(tree, item, &nth);
	jsonscan_rewind(scan);
	do {
		token = jsonscan_next(scan);
		if (jsonscan_value(token) && nth-- == 0)
			return scan->line;
	} while (token != JSONSCAN_END && token != JSONSCAN_BAD);
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	const cJSON *const *x = a, *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

/* Of two members of an object, the one that stands behind the other. */
static const cJSON *
later(const cJSON *a, const cJSON *b)
{
	const cJSON *item;

	for (item = a; item != NULL; item = item->next)
		if (item == b)
			return b;
	return a;
}

/* A member whose key stands twice, or NULL.  Sorted, since hostile objects
 * have a hundred thousand members. */
static const cJSON *
find_repeated(const cJSON *object)
{
	const cJSON *child, *found = NULL, **members;
	size_t i, n = 0;

	cJSON_ArrayForEach(child, object)
		n++;
	if (n < 2)
		return NULL;
	members = xcalloc(n, sizeof(*members));
	n = 0;
	cJSON_ArrayForEach(child, object)
		members[n++] = child;
	qsort(members, n, sizeof(*members), by_name);
	for (i = 1; i < n && found == NULL; i++)
		if (strcmp(members[i - 1]->string, members[i]->string) == 0)
			found = later(members[i - 1], members[i]);
	free(members);
	return found;
}

static bool
infinite(const cJSON *item)
{
	return cJSON_IsNumber(item) && !isfinite(item->valuedouble);
}

/* What cJSON should not have let pass: an infinite number or a repeated
 * member somewhere in the tree, or NULL. */
static const cJSON *
find_fault(const cJSON *tree)
{
	const cJSON *child, *found = NULL;

	if (infinite(tree))
		return tree;
	if (cJSON_IsObject(tree))
		found = find_repeated(tree);
	cJSON_ArrayForEach(child, tree) {
		if (found != NULL)
			break;
		found = find_fault(child);
	}
	return found;
}

static int
check_tree(struct jsonscan *scan, const cJSON *tree, struct json_error *error)
{
	const cJSON *fault = find_fault(tree);
	struct buf key = BUF_INIT;
	unsigned line;

	if (fault == NULL)
		return 0;
	line = line_of_item(scan, tree, fault);
	if (infinite(fault))
		return refuse(error, line, "a number that is too large");
	utf8_add_shown(&key, fault->string, strlen(fault->string), 20);
	refuse(error, line, "the key '%s' stands twice", buf_str(&key));
	buf_release(&key);
	return -1;
}

static void
keep_long(struct longtexts *longs, const struct jsonscan *scan, size_t nth)
{
	struct longtext l = { scan->from + 1, scan->at - 1, nth, NULL };

	longs->v = xreallocarray(longs->v, longs->n + 1, sizeof(*longs->v));
	longs->v[longs->n++] = l;
}

static int
check_text(struct jsonscan *scan, struct longtexts *longs,
    struct json_error *error)
{
	enum jsonscan_token token;
	size_t values = 0;

	do {
		token = jsonscan_next(scan);
		if (token == JSONSCAN_STRING && scan->at - scan->from > LONG)
			keep_long(longs, scan, values);
		values += jsonscan_value(token);
	} while (token != JSONSCAN_END && token != JSONSCAN_BAD);
	if (token == JSONSCAN_BAD)
		return refuse(error, scan->line, "%s", scan->reason);
	return 0;
}

/* The tree of a text in which the long strings are empty. */
static cJSON *
parse_short(const struct jsonscan *scan, const struct longtexts *longs)
{
	struct buf text = BUF_INIT;
	cJSON *tree;
	size_t i, at = 0;

	if (longs->n == 0)
		return cJSON_ParseWithLength(scan->text, scan->len);
	for (i = 0; i < longs->n; i++) {
		buf_add(&text, scan->text + at, longs->v[i].from - at);
		at = longs->v[i].to;
	}
	buf_add(&text, scan->text + at, scan->len - at);
	tree = cJSON_ParseWithLength(buf_str(&text), text.len);
	buf_release(&text);
	return tree;
}

/* Finds the places of the long strings in the tree, whose values stand in the
 * order of the text. */
static void
find_long(cJSON *tree, struct longtexts *longs, size_t *nth, size_t *next)
{
	cJSON *child;

	if (*next < longs->n && longs->v[*next].nth == *nth)
		longs->v[(*next)++].item = tree;
	++*nth;
	cJSON_ArrayForEach(child, tree)
		find_long(child, longs, nth, next);
}

/* Puts a string into its place.  The memory is the item's from now on. */
static void
put_long(struct jsonscan *scan, const struct longtext *l, char *memory)
{
	jsonscan_meaning(memory, scan->text + l->from, l->to - l->from);
	free(l->item->valuestring);
	l->item->valuestring = memory;
}

/* The last one is given the text itself, whose memory is there already: that
 * counts where it is a megabyte. */
static void
put_all(struct jsonscan *scan, cJSON *tree, struct longtexts *longs)
{
	size_t i, nth = 0, next = 0;

	if (longs->n == 0)
		return;
	find_long(tree, longs, &nth, &next);
	for (i = 0; i + 1 < longs->n; i++)
		put_long(scan, &longs->v[i], xmalloc(longs->v[i].to -
		    longs->v[i].from + 1));
	put_long(scan, &longs->v[i], scan->text);
	scan->text = NULL;
}

/* The tree of a text that check_text() found good. */
static cJSON *
build(struct jsonscan *scan, struct longtexts *longs, struct json_error *error)
{
	cJSON *tree = parse_short(scan, longs);

	if (tree == NULL) {
		refuse(error, 1, "cJSON cannot read it");
		return NULL;
	}
	if (check_tree(scan, tree, error) == -1) {
		cJSON_Delete(tree);
		return NULL;
	}
	put_all(scan, tree, longs);
	return tree;
}

/* What the scan holds, which is released. */
static cJSON *
parse(struct jsonscan *scan, struct json_error *error)
{
	struct json_error ignored;
	struct longtexts longs = { NULL, 0 };
	cJSON *tree = NULL;

	if (error == NULL)
		error = &ignored;
	use_xmalloc();
	if (check_text(scan, &longs, error) == 0)
		tree = build(scan, &longs, error);
	free(longs.v);
	jsonscan_release(scan);
	return tree;
}

cJSON *
json_parse(const char *text, size_t len, bool comments,
    struct json_error *error)
{
	struct jsonscan scan;

	jsonscan_init(&scan, text, len, comments);
	return parse(&scan, error);
}

cJSON *
json_take(struct buf *text, struct json_error *error)
{
	struct jsonscan scan;

	jsonscan_take(&scan, text, false);
	return parse(&scan, error);
}

void
json_free(cJSON *value)
{
	cJSON_Delete(value);
}

unsigned
json_line(const char *text, size_t len, ...)
{
	struct jsonscan scan;
	const cJSON *item;
	const char *name;
	unsigned line = 0;
	cJSON *tree = json_parse(text, len, true, NULL);
	va_list ap;

	va_start(ap, len);
	for (item = tree; item && (name = va_arg(ap, const char *)) != NULL; )
		item = json_member(item, name);
	va_end(ap);
	jsonscan_init(&scan, text, len, true);
	if (item != NULL)
		line = line_of_item(&scan, tree, item);
	jsonscan_release(&scan);
	cJSON_Delete(tree);
	return line;
}

const cJSON *
json_member(const cJSON *object, const char *name)
{
	if (!cJSON_IsObject(object))
		return NULL;
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *
json_text(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(json_member(object, name));
}

static bool
whole(double d)
{
	return d >= -exact_max && d <= exact_max && (double)(int64_t)d == d;
}

int64_t
json_number(const cJSON *object, const char *name, int64_t fallback)
{
	const cJSON *item = json_member(object, name);

	if (!cJSON_IsNumber(item) || !whole(item->valuedouble))
		return fallback;
	return (int64_t)item->valuedouble;
}

bool
json_bool(const cJSON *object, const char *name, bool fallback)
{
	const cJSON *item = json_member(object, name);

	return cJSON_IsBool(item) ? cJSON_IsTrue(item) : fallback;
}

char *
json_copy(const cJSON *object, const char *name)
{
	const char *text = json_text(object, name);

	return text ? xstrdup(text) : NULL;
}

void
json_word(const cJSON *object, const char *name, char *word, size_t size)
{
	const char *text = json_text(object, name);
	size_t len = text ? strlen(text) : 0;

	if (len >= size)
		len = 0;
	memcpy(word, text ? text : "", len);
	word[len] = '\0';
}

msec
json_time(const cJSON *object, const char *name)
{
	const char *text = json_text(object, name);
	msec wall = text ? clock_parse(text) : -1;

	return wall == -1 ? 0 : wall;
}

cJSON *
json_new_object(void)
{
	use_xmalloc();
	return cJSON_CreateObject();
}

void
json_add_text(cJSON *object, const char *name, const char *text)
{
	struct buf good = BUF_INIT;
	size_t size, len;

	if (text == NULL)
		return;
	for (len = strlen(text); len > 0; len -= size, text += size) {
		size = utf8_decode(text, len, NULL);
		buf_add(&good, size ? text : "\xef\xbf\xbd", size ? size : 3);
		if (size == 0)
			size = 1;
	}
	cJSON_AddStringToObject(object, name, buf_str(&good));
	buf_release(&good);
}

void
json_add_number(cJSON *object, const char *name, int64_t number)
{
	cJSON_AddNumberToObject(object, name, (double)number);
}

void
json_add_time(cJSON *object, const char *name, msec wall)
{
	char text[CLOCK_TEXT];

	clock_format(text, wall);
	json_add_text(object, name, text);
}

void
json_add_bool(cJSON *object, const char *name, bool value)
{
	cJSON_AddBoolToObject(object, name, value);
}

void
json_add_null(cJSON *object, const char *name)
{
	cJSON_AddNullToObject(object, name);
}

cJSON *
json_add_object(cJSON *object, const char *name)
{
	return cJSON_AddObjectToObject(object, name);
}

/* The shortest text that is read as the same number.  cJSON is content with
 * one that is nearly the same. */
static char *
spell(double d)
{
	char text[32];
	int digits;

	if (whole(d))
		return xasprintf("%" PRId64, (int64_t)d);
	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return xstrdup(text);
}

static void
spell_numbers(cJSON *tree)
{
	cJSON *child;

	if (cJSON_IsNumber(tree)) {
		tree->type = (tree->type & ~0xff) | cJSON_Raw;
		tree->valuestring = spell(tree->valuedouble);
	}
	cJSON_ArrayForEach(child, tree)
		spell_numbers(child);
}

/* DEL and the controls from U+0080 on mean something to terminals; outside of
 * strings there are none. */
static void
add_shown(struct buf *out, const char *text)
{
	const char *from = text, *p = text;

	while ((p = strpbrk(p, "\x7f\xc2")) != NULL) {
		if (*p == '\x7f' || ((unsigned char)p[1] & 0xe0) == 0x80) {
			buf_add(out, from, (size_t)(p - from));
			p += *p != '\x7f';
			buf_printf(out, "\\u%04x", (unsigned char)*p);
			from = p + 1;
		}
		p++;
	}
	buf_adds(out, from);
}

void
json_print(struct buf *out, const cJSON *value)
{
	cJSON *copy = cJSON_Duplicate(value, true);
	char *text;

	spell_numbers(copy);
	text = cJSON_PrintUnformatted(copy);
	add_shown(out, text);
	free(text);
	cJSON_Delete(copy);
}
