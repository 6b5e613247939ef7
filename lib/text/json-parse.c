/*
 * json-parse.c - where trees come from.
 *
 * The parser is ours, since cJSON's is generous: it accepts control bytes, 01,
 * NUL and repeated keys, and knows no lines.  The tree is cJSON's.
 */
#include "text/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

enum {
	NUMBER_MAX = 60,                /* bytes of a number */
	EXACT_DIGITS = 15,              /* a double holds any such number */
	FEW = 24                        /* keys: compared one by one */
};

struct parser {
	const char *text;
	size_t   len, at;
	bool     comments;
	unsigned line, depth;
	size_t   container;             /* its span */
	struct json_spans *spans;       /* NULL: not wanted */
	const char *only;               /* see json_parse_member() */
	bool     found;
	struct json_error *error;
};

/* cJSON gets its memory where everything else does, so it has it. */
static void
use_xmalloc(void)
{
	cJSON_Hooks hooks = { xmalloc, free };

	cJSON_InitHooks(&hooks);
}

/* ---- errors -------------------------------------------------------------- */

static int __attribute__((format(printf, 2, 3)))
bad(struct parser *p, const char *format, ...)
{
	va_list ap;

	p->error->line = p->line;
	va_start(ap, format);
	vsnprintf(p->error->reason, sizeof(p->error->reason), format, ap);
	va_end(ap);
	return -1;
}

/* Refuses a byte that is never part of a text. */
static int
bad_byte(struct parser *p)
{
	if (p->text[p->at] == '\0')
		return bad(p, "a NUL byte");
	return bad(p, "byte 0x%02x is not UTF-8",
	    (unsigned char)p->text[p->at]);
}

static int
unexpected(struct parser *p)
{
	unsigned long c;

	if (p->at == p->len)
		return bad(p, "it ends too early");
	if (utf8_decode(p->text + p->at, p->len - p->at, &c) == 0 || c == 0)
		return bad_byte(p);
	if (c > 0x20 && c < 0x7f)
		return bad(p, "unexpected '%c'", (int)c);
	return bad(p, "unexpected U+%04lX", c);
}

/* ---- bytes --------------------------------------------------------------- */

/* The byte that many places ahead; 0 behind the end. */
static unsigned char
peek(const struct parser *p, size_t ahead)
{
	return ahead < p->len - p->at ?
	    (unsigned char)p->text[p->at + ahead] : 0;
}

/* Skips a comment of either kind, up to what ends it. */
static int
skip_comment(struct parser *p, const char *last)
{
	const char *from = p->text + p->at + 2;
	const char *end = memmem(from, p->len - p->at - 2, last, strlen(last));
	size_t to = end ? (size_t)(end - p->text) + strlen(last) : p->len, size;
	unsigned long c;

	if (end == NULL && last[0] == '*')
		return bad(p, "a comment that does not end");
	for (; p->at < to; p->at += size) {
		p->line += p->text[p->at] == '\n';
		size = utf8_decode(p->text + p->at, p->len - p->at, &c);
		if (size == 0 || c == 0)
			return bad_byte(p);
	}
	return 0;
}

/* Skips blanks, and comments if they are allowed. */
static int
skip_gap(struct parser *p)
{
	int ret = 0;
	char c;

	while (ret == 0 && p->at < p->len) {
		c = p->text[p->at];
		if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
			p->line += p->text[p->at++] == '\n';
		else if (p->comments && c == '/' && peek(p, 1) == '/')
			ret = skip_comment(p, "\n");
		else if (p->comments && c == '/' && peek(p, 1) == '*')
			ret = skip_comment(p, "*/");
		else
			break;
	}
	return ret;
}

static bool
skip_byte(struct parser *p, char c)
{
	if (p->at == p->len || p->text[p->at] != c)
		return false;
	p->at++;
	return true;
}

static bool
skip_digits(struct parser *p)
{
	size_t from = p->at;

	while (peek(p, 0) >= '0' && peek(p, 0) <= '9')
		p->at++;
	return p->at > from;
}

/* ---- strings ------------------------------------------------------------- */

/* The value of four hexadecimal digits; -1 if they are something else. */
static long
hex4(const struct parser *p, size_t ahead)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *d;
	long value = 0;
	size_t i;

	for (i = ahead; i < ahead + 4; i++) {
		d = peek(p, i) != 0 ? strchr(digits, peek(p, i)) : NULL;
		if (d == NULL)
			return -1;
		value = value << 4 | ((d - digits) & 15);
	}
	return value;
}

/* NUL and half of a surrogate pair are good JSON, which Node writes, but no C
 * string and no UTF-8 can hold them: U+FFFD stands for them. */
static int
parse_escape(struct parser *p, struct buf *out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	unsigned char c = peek(p, 1);
	const char *letter = c != 0 ? strchr(letters, c) : NULL;
	long unit, low;

	if (letter != NULL) {
		buf_addc(out, meanings[letter - letters]);
		p->at += 2;
		return 0;
	}
	if (c != 'u')
		return bad(p, "an unknown escape in a string");
	unit = hex4(p, 2);
	if (unit == -1)
		return bad(p, "a bad \\u escape in a string");
	p->at += 6;
	if (unit >= 0xd800 && unit < 0xdc00 && peek(p, 0) == '\\' &&
	    peek(p, 1) == 'u' && (low = hex4(p, 2)) >= 0xdc00 && low < 0xe000) {
		unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		p->at += 6;
	}
	utf8_add(out, unit == 0 || (unit >= 0xd800 && unit < 0xe000) ? 0xfffd :
	    (unsigned long)unit);
	return 0;
}

/* The bytes of ASCII that mean themselves in a string. */
static const bool plain[256] = {
	[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... 0x7f] = true
};

/* Skips characters that mean themselves; the byte behind them, 0 at the end. */
static unsigned char
skip_plain(struct parser *p)
{
	const unsigned char *from = (const unsigned char *)p->text + p->at;
	const unsigned char *end = from + (p->len - p->at), *q = from;
	size_t size;

	for (;; q += size) {
		while (q < end && plain[*q])
			q++;
		size = q == end || *q < 0x80 ? 0 : utf8_decode((const char *)q,
		    (size_t)(end - q), NULL);
		if (size == 0)
			break;
	}
	p->at += (size_t)(q - from);
	return peek(p, 0);
}

static char *
string_copy(const char *bytes, size_t len)
{
	char *string = xmalloc(len + 1);

	memcpy(string, bytes, len);
	string[len] = '\0';
	return string;
}

/* The meaning of the string that begins here, to be freed; NULL: refused. */
static char *
parse_string(struct parser *p)
{
	struct buf out = BUF_INIT;
	size_t from = ++p->at;
	unsigned char c;
	int ret = 0;

	while (ret == 0 && (c = skip_plain(p)) != '"') {
		buf_add(&out, p->text + from, p->at - from);
		if (p->at == p->len || c == '\n')
			ret = bad(p, "a string that does not end");
		else if (c == 0 || c > 0x7f)
			ret = bad_byte(p);
		else if (c != '\\')
			ret = bad(p, "a control byte in a string");
		else
			ret = parse_escape(p, &out);
		from = p->at;
	}
	if (ret == -1) {
		buf_release(&out);
		return NULL;
	}
	p->at++;
	if (out.len == 0)
		return string_copy(p->text + from, p->at - 1 - from);
	buf_add(&out, p->text + from, p->at - 1 - from);
	return buf_steal(&out);
}

/* Skips the string that begins here, whatever is in it. */
static int
skip_string(struct parser *p)
{
	const char *q = p->text + p->at, *end = p->text + p->len, *before;

	do {
		q = memchr(q + 1, '"', (size_t)(end - q - 1));
		for (before = q; q != NULL && before[-1] == '\\'; )
			before--;
	} while (q != NULL && (q - before) % 2 == 1);
	if (q == NULL)
		return bad(p, "a string that does not end");
	p->at = (size_t)(q + 1 - p->text);
	return 0;
}

/* ---- values -------------------------------------------------------------- */

static cJSON *
parse_text(struct parser *p)
{
	char *text = parse_string(p);
	cJSON *value = NULL;

	if (text != NULL) {
		value = cJSON_CreateNull();
		value->type = cJSON_String;
		value->valuestring = text;
	}
	return value;
}

static cJSON *
parse_word(struct parser *p)
{
	static const struct { const char *word; int type; } words[] = {
		{ "true", cJSON_True }, { "false", cJSON_False },
		{ "null", cJSON_NULL },
	};
	cJSON *value;
	size_t i, len;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		len = strlen(words[i].word);
		if (p->len - p->at < len ||
		    memcmp(p->text + p->at, words[i].word, len) != 0)
			continue;
		p->at += len;
		value = cJSON_CreateNull();
		value->type = words[i].type;
		return value;
	}
	unexpected(p);
	return NULL;
}

static int
skip_number(struct parser *p)
{
	size_t first;

	skip_byte(p, '-');
	first = p->at;
	if (!skip_digits(p))
		return unexpected(p);
	if (p->text[first] == '0' && p->at - first > 1)
		return bad(p, "a number that begins with 0");
	if (skip_byte(p, '.') && !skip_digits(p))
		return unexpected(p);
	if (skip_byte(p, 'e') || skip_byte(p, 'E')) {
		if (!skip_byte(p, '+'))
			skip_byte(p, '-');
		if (!skip_digits(p))
			return unexpected(p);
	}
	return 0;
}

/* A short whole number needs no strtod(), for which musl takes 8 KiB of the
 * stack. */
static double
number_meant(const char *digits, size_t len)
{
	double number = 0;
	size_t i;

	for (i = 0; i < len && digits[i] >= '0' && digits[i] <= '9'; i++)
		number = number * 10 + (digits[i] - '0');
	return i == len && len <= EXACT_DIGITS ? number : strtod(digits, NULL);
}

static cJSON *
parse_number(struct parser *p)
{
	char digits[NUMBER_MAX + 1] = "";
	size_t from = p->at, len;
	double number;

	if (skip_number(p) == -1)
		return NULL;
	len = p->at - from;
	if (len > NUMBER_MAX) {
		bad(p, "a number that is too long");
		return NULL;
	}
	memcpy(digits, p->text + from, len);
	number = number_meant(digits, len);
	if (isfinite(number))
		return cJSON_CreateNumber(number);
	bad(p, "a number that is too large");
	return NULL;
}

static cJSON *parse_container(struct parser *);

static cJSON *
parse_plain(struct parser *p)
{
	switch (peek(p, 0)) {
	case '{':
	case '[':
		return parse_container(p);
	case '"':
		return parse_text(p);
	case 't':
	case 'f':
	case 'n':
		return parse_word(p);
	default:
		return parse_number(p);
	}
}

/* The value that begins here; from is where its key begins, if it has one.  Its
 * line stands in valueint, which nothing else reads. */
static cJSON *
parse_value(struct parser *p, size_t from)
{
	struct json_spans *all = p->spans;
	size_t i = all != NULL ? all->n : 0, outer = p->container;
	unsigned line = p->line;
	cJSON *value;

	if (all != NULL && all->n == all->room) {
		all->room = all->room > 0 ? all->room * 2 : 64;
		all->v = xreallocarray(all->v, all->room, sizeof(*all->v));
	}
	if (all != NULL) {
		all->v[all->n++] = (struct json_span){ .from = from,
		    .open = p->at, .container = outer };
		p->container = i;
	}
	value = parse_plain(p);
	if (value != NULL)
		value->valueint = (int)line;
	if (all != NULL) {
		p->container = outer;
		all->v[i].value = value;
		all->v[i].to = p->at;
	}
	return value;
}

/* ---- objects and arrays -------------------------------------------------- */

struct key {
	const char *name;               /* the tree's */
	unsigned    line;
};

struct keys {
	struct key *v;
	size_t      n, room;
};

static int
keys_by_name(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* The first of a few keys that an earlier one is, too, or NULL. */
static const struct key *
twice_of_few(const struct keys *keys)
{
	size_t i, earlier;

	for (i = 1; i < keys->n; i++)
		for (earlier = 0; earlier < i; earlier++)
			if (strcmp(keys->v[earlier].name,
			    keys->v[i].name) == 0)
				return &keys->v[i];
	return NULL;
}

/* Sorted, since hostile objects have a hundred thousand keys. */
static const struct key *
twice_of_many(struct keys *keys)
{
	size_t i;

	qsort(keys->v, keys->n, sizeof(*keys->v), keys_by_name);
	for (i = 1; i < keys->n; i++)
		if (strcmp(keys->v[i - 1].name, keys->v[i].name) == 0)
			return &keys->v[i];
	return NULL;
}

static int
check_keys(struct parser *p, struct keys *keys)
{
	const struct key *twice = keys->n <= FEW ? twice_of_few(keys) :
	    twice_of_many(keys);
	struct buf name = BUF_INIT;

	if (twice == NULL)
		return 0;
	p->line = twice->line;
	utf8_add_shown(&name, twice->name, strlen(twice->name), 20);
	bad(p, "the key '%s' stands twice", buf_str(&name));
	buf_release(&name);
	return -1;
}

/* Skips the container that begins here, to the bracket that closes it. */
static int
skip_container(struct parser *p)
{
	unsigned depth = 0;
	int ret = 0;
	char c;

	while (ret == 0 && p->at < p->len) {
		c = p->text[p->at];
		if (c == '"') {
			ret = skip_string(p);
		} else if (c == '\n' || (c == '/' && (peek(p, 1) == '/' ||
		    peek(p, 1) == '*'))) {
			ret = skip_gap(p);
		} else {
			p->at++;
			depth += c == '{' || c == '[';
			if ((c == '}' || c == ']') && --depth == 0)
				return 0;
		}
	}
	return ret == 0 ? unexpected(p) : ret;
}

/* The value of a key, or null for one that is not looked into. */
static cJSON *
parse_wanted(struct parser *p, const char *key, size_t from)
{
	bool wanted = p->only != NULL && p->depth == 1 &&
	    strcmp(key, p->only) == 0;

	p->found = p->found || wanted;
	if (p->only == NULL || p->depth > 1 || wanted ||
	    (peek(p, 0) != '{' && peek(p, 0) != '['))
		return parse_value(p, from);
	return skip_container(p) == 0 ? cJSON_CreateNull() : NULL;
}

static cJSON *
parse_member(struct parser *p, struct keys *keys)
{
	size_t from = p->at;
	unsigned line = p->line;
	cJSON *value = NULL;
	char *key = NULL;

	if (peek(p, 0) != '"') {
		unexpected(p);
	} else if ((key = parse_string(p)) != NULL && skip_gap(p) == 0) {
		if (!skip_byte(p, ':'))
			unexpected(p);
		else if (skip_gap(p) == 0)
			value = parse_wanted(p, key, from);
	}
	if (value == NULL) {
		free(key);
	} else {
		value->string = key;
		if (keys->n == keys->room) {
			keys->room = keys->room > 0 ? keys->room * 2 : 16;
			keys->v = xreallocarray(keys->v, keys->room,
			    sizeof(*keys->v));
		}
		keys->v[keys->n++] = (struct key){ value->string, line };
	}
	return value;
}

/* Everything up to the closing bracket, or to the end of what is wanted. */
static int
parse_inside(struct parser *p, cJSON *container, struct keys *keys)
{
	bool object = cJSON_IsObject(container);
	char last = object ? '}' : ']';
	cJSON *value;

	if (skip_gap(p) == -1)
		return -1;
	if (skip_byte(p, last))
		return 0;
	for (;;) {
		value = object ? parse_member(p, keys) : parse_value(p, p->at);
		if (value == NULL)
			return -1;
		cJSON_AddItemToArray(container, value);
		if (p->found && p->depth == 1)
			return 0;
		if (skip_gap(p) == -1)
			return -1;
		if (skip_byte(p, last))
			return check_keys(p, keys);
		if (!skip_byte(p, ','))
			return unexpected(p);
		if (skip_gap(p) == -1)
			return -1;
	}
}

static cJSON *
parse_container(struct parser *p)
{
	struct keys keys = { NULL, 0, 0 };
	cJSON *container;

	if (p->depth == JSON_DEPTH) {
		bad(p, "nested too deep");
		return NULL;
	}
	p->depth++;
	container = p->text[p->at++] == '{' ? cJSON_CreateObject() :
	    cJSON_CreateArray();
	if (parse_inside(p, container, &keys) == -1) {
		cJSON_Delete(container);
		container = NULL;
	}
	free(keys.v);
	p->depth--;
	return container;
}

/* ---- a whole text -------------------------------------------------------- */

static cJSON *
parse_whole(struct parser *p, struct json_error *error)
{
	struct json_error ignored;
	cJSON *value = NULL;

	use_xmalloc();
	p->line = 1;
	p->container = JSON_NOWHERE;
	p->error = error ? error : &ignored;
	if (skip_gap(p) == 0)
		value = parse_value(p, p->at);
	if (value != NULL && !p->found && (skip_gap(p) == -1 ||
	    (p->at < p->len && unexpected(p) == -1))) {
		cJSON_Delete(value);
		value = NULL;
	}
	return value;
}

cJSON *
json_parse_spans(const char *text, size_t len, bool comments,
    struct json_spans *spans, struct json_error *error)
{
	struct parser p = { .text = text, .len = len, .comments = comments,
	    .spans = spans };

	return parse_whole(&p, error);
}

cJSON *
json_parse(const char *text, size_t len, bool comments,
    struct json_error *error)
{
	return json_parse_spans(text, len, comments, NULL, error);
}

cJSON *
json_parse_member(const char *text, size_t len, const char *name,
    struct json_error *error)
{
	struct parser p = { .text = text, .len = len, .comments = true,
	    .only = name };

	return parse_whole(&p, error);
}

cJSON *
json_new_object(void)
{
	use_xmalloc();
	return cJSON_CreateObject();
}

const struct json_span *
json_span(const struct json_spans *all, const cJSON *value)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->v[i].value == value)
			return &all->v[i];
	return NULL;
}

void
json_spans_release(struct json_spans *all)
{
	free(all->v);
	*all = (struct json_spans){ NULL, 0, 0 };
}
