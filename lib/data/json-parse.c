/*
 * json-parse.c - where trees come from.
 *
 * The parser is ours, since cJSON's is generous: it accepts control bytes, 01,
 * NUL and repeated keys, and knows no lines.  The tree is cJSON's.
 */
#include "data/json.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/utf8.h"

enum {
	NUMBER_MAX = 60,                /* bytes of a number */
	EXACT_DIGITS = 15,              /* a double holds any such number */
	FEW = 24                        /* keys: compared one by one */
};

struct key {
	const char *name;               /* the tree's */
	size_t      len;
	unsigned    line;
};

struct parser {
	const char *text;
	size_t   len, at;
	bool     comments;
	unsigned line, depth;
	const char *key;                /* the next node's; NULL: it has none */
	size_t   key_len;
	struct key *keys;               /* of the objects that are open */
	size_t   nkeys, room;
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
	const char *q, *end = p->text + p->len;
	int ret = 0;

	while (ret == 0) {
		/* Of a file that people read they are a quarter. */
		for (q = p->text + p->at; q < end; q++)
			if (*q == '\n')
				p->line++;
			else if (*q != ' ' && *q != '\t' && *q != '\r')
				break;
		p->at = (size_t)(q - p->text);
		if (p->comments && q < end && *q == '/' && peek(p, 1) == '/')
			ret = skip_comment(p, "\n");
		else if (p->comments && q < end && *q == '/' &&
		    peek(p, 1) == '*')
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
 * string and no UTF-8 can hold them: U+FFFD stands for them.  Returns the end
 * of what was written, which is shorter than the escape; NULL: refused. */
static char *
parse_escape(struct parser *p, char *to)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	unsigned char c = peek(p, 1);
	const char *letter = c != 0 ? strchr(letters, c) : NULL;
	long unit, low;

	if (letter != NULL) {
		*to = meanings[letter - letters];
		p->at += 2;
		return to + 1;
	}
	unit = c == 'u' ? hex4(p, 2) : -1;
	if (unit == -1) {
		bad(p, c == 'u' ? "a bad \\u escape in a string" :
		    "an unknown escape in a string");
		return NULL;
	}
	p->at += 6;
	if (unit >= 0xd800 && unit < 0xdc00 && peek(p, 0) == '\\' &&
	    peek(p, 1) == 'u' && (low = hex4(p, 2)) >= 0xdc00 && low < 0xe000) {
		unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		p->at += 6;
	}
	return to + utf8_encode(to, unit == 0 ||
	    (unit >= 0xd800 && unit < 0xe000) ? 0xfffd : (unsigned long)unit);
}

/* Skips characters that mean themselves; the byte behind them, 0 at the end.
 * ASCII goes eight at a time: the top bit of a byte of `odd` is set if that
 * means something else, and perhaps beside one. */
static unsigned char
skip_plain(struct parser *p)
{
	static const uint64_t each = UINT64_MAX / 255;
	const unsigned char *from = (const unsigned char *)p->text + p->at;
	const unsigned char *end = from + (p->len - p->at), *q = from;
	uint64_t eight, odd;
	size_t size;

	for (;; q += size) {
		for (; end - q >= (ptrdiff_t)sizeof(each); q += sizeof(each)) {
			memcpy(&eight, q, sizeof(eight));
			odd = eight | (eight - each * ' ') |
			    ((eight ^ each * '"') - each) |
			    ((eight ^ each * '\\') - each);
			if (odd & each * 0x80)
				break;
		}
		while (q < end && *q >= ' ' && *q < 0x80 && *q != '"' &&
		    *q != '\\')
			q++;
		size = q == end || *q < 0x80 ? 0 : utf8_decode((const char *)q,
		    (size_t)(end - q), NULL);
		if (size == 0)
			break;
	}
	p->at += (size_t)(q - from);
	return peek(p, 0);
}

/* Refuses a string for the byte that stands here. */
static int
bad_string(struct parser *p)
{
	unsigned char c = peek(p, 0);

	if (p->at == p->len || c == '\n')
		return bad(p, "a string that does not end");
	if (c == 0 || c > 0x7f)
		return bad_byte(p);
	return bad(p, "a control byte in a string");
}

/* The quote that ends a string, of which `from` is a part; NULL: none. */
static const char *
string_end(const struct parser *p, const char *from)
{
	const char *q = from, *end = p->text + p->len, *before;

	for (;; q++) {
		q = memchr(q, '"', (size_t)(end - q));
		for (before = q; q != NULL && before[-1] == '\\'; )
			before--;
		if (q == NULL || (q - before) % 2 == 0)
			return q;
	}
}

/* A string as it stands in the text. */
struct quoted {
	const char *bytes;
	size_t      plain;              /* so many mean themselves */
	size_t      size;               /* it means at most so many */
};

/* Reads the string that begins here up to its end, or to its first escape. */
static int
parse_quoted(struct parser *p, struct quoted *s)
{
	const char *end;
	unsigned char c;

	s->bytes = p->text + ++p->at;
	c = skip_plain(p);
	s->size = s->plain = (size_t)(p->text + p->at - s->bytes);
	if (c == '"') {
		p->at++;
		return 0;
	}
	if (c != '\\')
		return bad_string(p);
	end = string_end(p, p->text + p->at);
	s->size = (size_t)((end ? end : p->text + p->len) - s->bytes);
	return 0;
}

/* Writes what the string means, and a NUL; its length, or -1: refused. */
static ssize_t
parse_meaning(struct parser *p, const struct quoted *s, char *to)
{
	char *begin = to;
	unsigned char c;
	size_t from;

	memcpy(to, s->bytes, s->plain);
	to += s->plain;
	while (s->size > s->plain) {
		from = p->at;
		c = skip_plain(p);
		memcpy(to, p->text + from, p->at - from);
		to += p->at - from;
		if (c == '"') {
			p->at++;
			break;
		}
		if (c != '\\' && bad_string(p) == -1)
			return -1;
		to = parse_escape(p, to);
		if (to == NULL)
			return -1;
	}
	*to = '\0';
	return to - begin;
}

/* ---- values -------------------------------------------------------------- */

/*
 * A node with its key and size bytes for a text of its own, all in one piece of
 * memory: malloc() was half of a parser's time.  The two flags keep cJSON from
 * freeing the key and the text.
 */
static cJSON *
json_node(struct parser *p, int type, size_t size)
{
	size_t key = p->key != NULL ? p->key_len + 1 : 0;
	cJSON *node = xmalloc(sizeof(*node) + key + size);
	char *behind = (char *)(node + 1);

	*node = (cJSON){ .type = type };
	if (size > 0) {
		node->type |= cJSON_IsReference;
		node->valuestring = behind + key;
	}
	if (key > 0) {
		node->type |= cJSON_StringIsConst;
		node->string = memcpy(behind, p->key, key - 1);
		behind[key - 1] = '\0';
		p->key = NULL;
	}
	return node;
}

static cJSON *
parse_text(struct parser *p)
{
	struct quoted s;
	cJSON *value;

	if (parse_quoted(p, &s) == -1)
		return NULL;
	value = json_node(p, cJSON_String, s.size + 1);
	if (parse_meaning(p, &s, value->valuestring) != -1)
		return value;
	cJSON_Delete(value);
	return NULL;
}

static cJSON *
parse_word(struct parser *p)
{
	static const struct { const char *word; int type; } words[] = {
		{ "true", cJSON_True }, { "false", cJSON_False },
		{ "null", cJSON_NULL },
	};
	size_t i, len;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		len = strlen(words[i].word);
		if (p->len - p->at < len ||
		    memcmp(p->text + p->at, words[i].word, len) != 0)
			continue;
		p->at += len;
		return json_node(p, words[i].type, 0);
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

static cJSON *
parse_number(struct parser *p)
{
	char digits[NUMBER_MAX + 1] = "";
	size_t from = p->at, len;
	double number = 0;
	cJSON *value;
	size_t i;

	if (skip_number(p) == -1)
		return NULL;
	len = p->at - from;
	if (len > NUMBER_MAX) {
		bad(p, "a number that is too long");
		return NULL;
	}
	memcpy(digits, p->text + from, len);
	/* A short whole number needs no strtod(), for which musl takes 8 KiB of
	 * the stack. */
	for (i = 0; i < len && digits[i] >= '0' && digits[i] <= '9'; i++)
		number = number * 10 + (digits[i] - '0');
	if (i < len || len > EXACT_DIGITS)
		number = strtod(digits, NULL);
	if (!isfinite(number)) {
		bad(p, "a number that is too large");
		return NULL;
	}
	value = json_node(p, cJSON_Number, 0);
	value->valuedouble = number;
	return value;
}

static cJSON *parse_container(struct parser *);

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
	switch (peek(p, 0)) {
	case '{': case '[': value = parse_container(p); break;
	case '"': value = parse_text(p); break;
	case 't': case 'f': case 'n': value = parse_word(p); break;
	default: value = parse_number(p);
	}
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

static int
keys_by_name(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Of the object whose first key that is. */
static int
check_keys(struct parser *p, size_t first)
{
	struct key *keys = p->keys + first;
	size_t n = p->nkeys - first, i, earlier;
	const struct key *twice = NULL;
	struct buf name = BUF_INIT;

	/* Hostile objects have a hundred thousand keys, which are sorted. */
	if (n > FEW)
		qsort(keys, n, sizeof(*keys), keys_by_name);
	for (i = 1; i < n && twice == NULL; i++)
		for (earlier = n > FEW ? i - 1 : 0; earlier < i; earlier++)
			if (keys[earlier].len == keys[i].len &&
			    memcmp(keys[earlier].name, keys[i].name,
			    keys[i].len) == 0)
				twice = &keys[i];
	if (twice == NULL)
		return 0;
	p->line = twice->line;
	utf8_add_shown(&name, twice->name, twice->len, 20);
	bad(p, "the key '%s' stands twice", buf_str(&name));
	buf_release(&name);
	return -1;
}

/* Skips the container that begins here, to the bracket that closes it. */
static int
skip_container(struct parser *p)
{
	unsigned depth = 0;
	const char *q;
	int ret = 0;
	char c;

	while (ret == 0 && p->at < p->len) {
		c = p->text[p->at];
		if (c == '"') {
			q = string_end(p, p->text + p->at + 1);
			if (q == NULL)
				return bad(p, "a string that does not end");
			p->at = (size_t)(q + 1 - p->text);
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

static cJSON *
parse_member(struct parser *p)
{
	size_t from = p->at, len;
	unsigned line = p->line;
	char *meaning = NULL;
	cJSON *value = NULL;
	struct quoted key;
	bool wanted;

	if (peek(p, 0) != '"') {
		unexpected(p);
		return NULL;
	}
	if (parse_quoted(p, &key) == -1)
		return NULL;
	p->key = key.bytes;
	p->key_len = len = key.plain;
	if (key.size > key.plain) {
		p->key = meaning = xmalloc(key.size + 1);
		p->key_len = len = (size_t)parse_meaning(p, &key, meaning);
	}
	if (len == (size_t)-1 || skip_gap(p) == -1 ||
	    (!skip_byte(p, ':') && unexpected(p) == -1) || skip_gap(p) == -1)
		goto out;
	wanted = p->only != NULL && p->depth == 1 && strlen(p->only) == len &&
	    memcmp(p->only, p->key, len) == 0;
	p->found = p->found || wanted;
	if (p->only == NULL || p->depth > 1 || wanted ||
	    (peek(p, 0) != '{' && peek(p, 0) != '['))
		value = parse_value(p, from);
	else if (skip_container(p) == 0)
		value = json_node(p, cJSON_NULL, 0);    /* not looked into */
	if (value == NULL)
		goto out;
	if (p->nkeys == p->room) {
		p->room = p->room > 0 ? p->room * 2 : 32;
		p->keys = xreallocarray(p->keys, p->room, sizeof(*p->keys));
	}
	p->keys[p->nkeys++] = (struct key){ value->string, len, line };
out:
	free(meaning);
	return value;
}

/* Everything up to the closing bracket, or to the end of what is wanted. */
static int
parse_inside(struct parser *p, cJSON *container)
{
	bool object = cJSON_IsObject(container);
	char last = object ? '}' : ']';
	size_t first = p->nkeys;
	cJSON *value;
	int ret = 0;

	if (skip_gap(p) == -1)
		return -1;
	if (skip_byte(p, last))
		return 0;
	for (;;) {
		value = object ? parse_member(p) : parse_value(p, p->at);
		if (value == NULL)
			return -1;
		cJSON_AddItemToArray(container, value);
		if (p->found && p->depth == 1)
			break;
		if (skip_gap(p) == -1)
			return -1;
		if (skip_byte(p, last)) {
			ret = check_keys(p, first);
			break;
		}
		if (!skip_byte(p, ','))
			return unexpected(p);
		if (skip_gap(p) == -1)
			return -1;
	}
	p->nkeys = first;
	return ret;
}

static cJSON *
parse_container(struct parser *p)
{
	cJSON *container;

	if (p->depth == JSON_DEPTH) {
		bad(p, "nested too deep");
		return NULL;
	}
	p->depth++;
	container = json_node(p, p->text[p->at++] == '{' ? cJSON_Object :
	    cJSON_Array, 0);
	if (parse_inside(p, container) == -1) {
		cJSON_Delete(container);
		container = NULL;
	}
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
	free(p->keys);
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

/* ---- trees that are not parsed ------------------------------------------- */

cJSON *
json_new_object(void)
{
	use_xmalloc();
	return cJSON_CreateObject();
}

/* Members of a parsed object do not own their keys, and cJSON's copy borrows
 * them. */
static void
json_own_keys(cJSON *tree)
{
	cJSON *child;

	if (tree->type & cJSON_StringIsConst) {
		tree->string = xstrdup(tree->string);
		tree->type &= ~cJSON_StringIsConst;
	}
	cJSON_ArrayForEach(child, tree)
		json_own_keys(child);
}

cJSON *
json_copy(const cJSON *value)
{
	cJSON *copy;

	use_xmalloc();
	copy = cJSON_Duplicate(value, true);
	json_own_keys(copy);
	return copy;
}
