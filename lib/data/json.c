#include "data/json.h"

#include <inttypes.h>
#include <math.h>

enum {
	NUMBER_MAX = 60,                /* bytes */
	EXACT_DIGITS = 15,              /* exact in a double */
	TEXT_LONG = 64 << 10            /* bytes */
};

/* ---- trees --------------------------------------------------------------- */

void
json_append(struct json *to, struct json *v)
{
	struct json *first = to->child;

	v->parent = to;
	v->prev = first != NULL ? first->prev : v;
	if (first != NULL)
		first->prev = first->prev->next = v;
	else
		to->child = v;
}

/* One allocation holds value, name and text, for speed. */
static struct json *
json_new(struct json *to, enum json_type type, const char *key, size_t key_len,
    const char *text, size_t len)
{
	size_t size = key != NULL ? key_len + 1 : 0;
	struct json *v = xmalloc(sizeof(*v) + size + (text ? len + 1 : 0));
	char *behind = (char *)(v + 1);

	*v = (struct json){ .type = (unsigned char)type,
	    .key_len = (uint32_t)key_len };
	if (key != NULL) {
		v->key = memcpy(behind, key, key_len);
		behind[key_len] = '\0';
	}
	if (text != NULL) {
		v->text = memcpy(behind + size, text, len);
		behind[size + len] = '\0';
	}
	if (to != NULL)
		json_append(to, v);
	return v;
}

struct json *
json_add(struct json *to, const char *name, enum json_type type,
    const char *text, double number)
{
	struct json *v = json_new(to, type, name, name ? strlen(name) : 0, text,
	    text ? strlen(text) : 0);

	v->number = number;
	return v;
}

void
json_free(struct json *v)
{
	struct json *child, *next;

	if (v == NULL)
		return;
	for (child = v->child; child != NULL; child = next) {
		next = child->next;
		json_free(child);
	}
	if (v->apart)
		free((char *)(uintptr_t)v->text);
	free(v);
}

void
json_remove(struct json *v)
{
	struct json *first = v != NULL ? v->parent->child : NULL;

	if (v == NULL)
		return;
	(v->next != NULL ? v->next : first)->prev = v->prev;
	if (v == first)
		v->parent->child = v->next;
	else
		v->prev->next = v->next;
	json_free(v);
}

void
json_set_text(struct json *v, const char *text)
{
	char *copy = text != NULL ? xstrdup(text) : NULL;

	while (v->child != NULL)
		json_remove(v->child);
	if (v->apart)
		free((char *)(uintptr_t)v->text);
	v->text = copy;
	v->apart = copy != NULL;
	v->type = copy != NULL ? JSON_TEXT : JSON_NULL;
	v->number = 0;
}

struct json *
json_copy(struct json *to, const struct json *v)
{
	struct json *copy = json_add(to, v->key, v->type, v->text, v->number);
	const struct json *child;

	json_each(child, v)
		json_copy(copy, child);
	return copy;
}

bool
json_is(const struct json *v, enum json_type type)
{
	return v != NULL && v->type == type;
}

bool
json_is_true(const struct json *v)
{
	return json_is(v, JSON_BOOL) && v->number != 0;
}

size_t
json_size(const struct json *v)
{
	const struct json *child;
	size_t n = 0;

	json_each(child, v)
		n++;
	return n;
}

struct json *
json_at(const struct json *list, size_t i)
{
	struct json *child = list != NULL ? list->child : NULL;

	for (; child != NULL && i > 0; i--)
		child = child->next;
	return child;
}

struct json *
json_member(const struct json *object, const char *name)
{
	size_t len = strlen(name);
	struct json *v = json_is(object, JSON_OBJECT) ? object->child : NULL;

	while (v != NULL && (v->key_len != len ||
	    memcmp(v->key, name, len) != 0))
		v = v->next;
	return v;
}

bool
json_same(const struct json *a, const struct json *b)
{
	const struct json *x, *y;

	if (a == NULL || b == NULL || a->type != b->type ||
	    a->number != b->number || json_size(a) != json_size(b) ||
	    (a->text != NULL && strcmp(a->text, b->text) != 0))
		return false;
	y = b->child;
	json_each(x, a) {
		if (a->type == JSON_OBJECT)
			y = json_member(b, x->key);
		if (!json_same(x, y))
			return false;
		y = y->next;
	}
	return true;
}

const struct json *
json_follow(const struct json *from, const char *path)
{
	char name[64], *end;
	unsigned long i;
	size_t len;

	for (; from != NULL; path += len + 1) {
		len = strcspn(path, ".");
		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = '\0';
		i = strtoul(name, &end, 10);
		from = !json_is(from, JSON_LIST) ? json_member(from, name) :
		    len > 0 && *end == '\0' ? json_at(from, i) : NULL;
		if (path[len] == '\0')
			break;
	}
	return from;
}

const char *
json_text_of(const struct json *v)
{
	return json_is(v, JSON_TEXT) ? v->text : NULL;
}

bool
json_whole(double d)
{
	return d >= -0x1p53 && d <= 0x1p53 && (double)(int64_t)d == d;
}

int64_t
json_number(const struct json *object, const char *name, int64_t fallback)
{
	const struct json *v = json_member(object, name);

	return json_is(v, JSON_NUMBER) && json_whole(v->number) ?
	    (int64_t)v->number : fallback;
}

void
json_add_text(struct json *object, const char *name, const char *text)
{
	struct buf good = BUF_INIT;

	if (text == NULL)
		return;
	utf8_add_valid(&good, text, strlen(text), SIZE_MAX);
	json_add(object, name, JSON_TEXT, buf_str(&good), 0);
	buf_release(&good);
}

void
json_add_pairs(struct json *o, const char *const *pair)
{
	for (; *pair != NULL; pair += 2)
		json_add_text(o, pair[0], pair[1]);
}

/* ---- parsing: errors ----------------------------------------------------- */

struct parser {
	const char *text;
	size_t   len, at;
	bool     comments;
	unsigned line, depth;
	const char *only;               /* see json_parse_member() */
	bool     found;
	struct buf key, value;          /* strings with escapes */
	struct json *whole;
	struct text_error *error;
};

#define bad(p, ...) text_refuse((p)->error, (p)->line, __VA_ARGS__)

static int
unexpected(struct parser *p)
{
	const char *at = p->text + p->at;
	unsigned long c;

	if (p->at == p->len)
		return bad(p, "it ends too early");
	if (*at == '\0')
		return bad(p, "a NUL byte");
	if (utf8_decode(at, p->len - p->at, &c) == 0)
		return bad(p, "byte 0x%02x is not UTF-8", (unsigned char)*at);
	return bad(p, c > 0x20 && c < 0x7f ? "unexpected '%c'" :
	    "unexpected U+%04X", (unsigned)c);
}

/* ---- parsing: bytes ------------------------------------------------------ */

/* 0 behind the end. */
static unsigned char
peek(const struct parser *p, size_t ahead)
{
	return ahead < p->len - p->at ?
	    (unsigned char)p->text[p->at + ahead] : 0;
}

static int
skip_gap(struct parser *p)
{
	const char *q, *end = p->text + p->len, *last;
	unsigned char kind;
	unsigned long c;
	size_t size;

	for (;;) {
		for (q = p->text + p->at; q < end; q++)
			if (*q == '\n')
				p->line++;
			else if (*q != ' ' && *q != '\t' && *q != '\r')
				break;
		p->at = (size_t)(q - p->text);
		kind = p->comments && q < end && *q == '/' ? peek(p, 1) : 0;
		if (kind != '/' && kind != '*')
			return 0;
		last = kind == '/' ? "\n" : "*/";
		q = memmem(q + 2, (size_t)(end - q) - 2, last, strlen(last));
		if (q == NULL && kind == '*')
			return bad(p, "a comment that does not end");
		q = q != NULL ? q + strlen(last) : end;
		for (; p->text + p->at < q; p->at += size) {
			p->line += p->text[p->at] == '\n';
			size = utf8_decode(p->text + p->at, p->len - p->at, &c);
			if (size == 0 || c == 0)
				return unexpected(p);
		}
	}
}

static bool
skip_byte(struct parser *p, char c)
{
	if (p->at == p->len || p->text[p->at] != c)
		return false;
	p->at++;
	return true;
}

static int
need_byte(struct parser *p, char c)
{
	return skip_byte(p, c) ? 0 : unexpected(p);
}

static bool
skip_digits(struct parser *p)
{
	size_t from = p->at;

	while (peek(p, 0) >= '0' && peek(p, 0) <= '9')
		p->at++;
	return p->at > from;
}

/* ---- parsing: values ----------------------------------------------------- */

static long
hex4(const struct parser *p, size_t ahead)
{
	char digits[5] = "";
	size_t i;

	for (i = 0; i < 4; i++)
		digits[i] = (char)peek(p, ahead + i);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ?
	    strtol(digits, NULL, 16) : -1;
}

/* The buffer has room for a byte.  Node writes NUL and half a surrogate
 * pair. */
static int
parse_escape(struct parser *p, struct buf *to)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	unsigned char c = peek(p, 1);
	const char *letter = c != 0 ? strchr(letters, c) : NULL;
	long unit, low;

	if (letter != NULL) {
		to->data[to->len++] = meanings[letter - letters];
		p->at += 2;
		return 0;
	}
	unit = c == 'u' ? hex4(p, 2) : -1;
	if (unit == -1)
		return bad(p, c == 'u' ? "a bad \\u escape in a string" :
		    "an unknown escape in a string");
	p->at += 6;
	if (unit >= 0xd800 && unit < 0xdc00 && peek(p, 0) == '\\' &&
	    peek(p, 1) == 'u' && (low = hex4(p, 2)) >= 0xdc00 && low < 0xe000) {
		unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		p->at += 6;
	}
	utf8_add(to, unit == 0 || (unit >= 0xd800 && unit < 0xe000) ? 0xfffd :
	    (unsigned long)unit);
	return 0;
}

/* Returns the byte behind plain characters, 0 at the end.  ASCII goes eight at
 * a time: the top bit of a byte of `odd` marks that byte, or one beside it, as
 * not plain. */
static unsigned char
skip_plain(struct parser *p)
{
	static const uint64_t each = UINT64_MAX / 255;
	const char *q = p->text + p->at, *end = p->text + p->len;
	uint64_t eight, odd = 0;
	size_t size = 1;

	for (; q < end && size > 0; q += size) {
		for (; end - q >= 8; q += 8) {
			memcpy(&eight, q, 8);
			odd = eight | (eight - each * ' ') |
			    ((eight ^ each * '"') - each) |
			    ((eight ^ each * '\\') - each);
			if (odd & each * 0x80)
				break;
		}
		while (q < end && *q >= ' ' && *q < 0x7f && *q != '"' &&
		    *q != '\\')
			q++;
		if (q == end || ((unsigned char)*q < 0x80 && *q != 0x7f))
			break;
		size = utf8_decode(q, (size_t)(end - q), NULL);
	}
	p->at = (size_t)(q - p->text);
	return peek(p, 0);
}

/* Returns a part of the text, or the buffer with escapes; NULL: refused. */
static const char *
parse_string(struct parser *p, struct buf *meaning, size_t *len)
{
	const char *from;
	unsigned char c;

	buf_reset(meaning);
	if (need_byte(p, '"') == -1)
		return NULL;
	for (;;) {
		from = p->text + p->at;
		c = skip_plain(p);
		*len = (size_t)(p->text + p->at - from);
		if (c == '"' && meaning->len == 0) {
			p->at++;
			return from;
		}
		if (meaning->cap - meaning->len <= *len)
			buf_room(meaning, *len + 1);
		memcpy(meaning->data + meaning->len, from, *len);
		meaning->len += *len;
		if (c == '"')
			break;
		if (c == '\\' && parse_escape(p, meaning) == 0)
			continue;
		if (p->at == p->len || c == '\n')
			bad(p, "a string that does not end");
		else if (c == 0 || c > 0x7f)
			unexpected(p);
		else if (c != '\\')
			bad(p, "a control byte in a string");
		return NULL;
	}
	p->at++;
	*len = meaning->len;
	return meaning->data;
}

static int
parse_number(struct parser *p, double *number)
{
	char digits[NUMBER_MAX + 1] = "";
	size_t from = p->at, first, len, i;

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
	len = p->at - from;
	if (len > NUMBER_MAX)
		return bad(p, "a number that is too long");
	memcpy(digits, p->text + from, len);
	/* Short whole numbers avoid strtod(): musl's takes 8 KiB of stack. */
	for (i = 0; i < len && digits[i] >= '0' && digits[i] <= '9'; i++)
		*number = *number * 10 + (digits[i] - '0');
	if (i < len || len > EXACT_DIGITS)
		*number = strtod(digits, NULL);
	return isfinite(*number) ? 0 : bad(p, "a number that is too large");
}

static int
check_keys(struct parser *p, const struct json *object, size_t n)
{
	struct text_key few[TEXT_FEW], *keys = n > TEXT_FEW ?
	    xcalloc(n, sizeof(*keys)) : few;
	const struct text_key *twice;
	struct buf name = BUF_INIT;
	const struct json *v;
	size_t i = 0;

	json_each(v, object)
		keys[i++] = (struct text_key){ v->key, v->key_len, v->from };
	twice = text_twice(keys, n);
	if (twice != NULL) {
		p->line = 1;
		for (i = 0; i < twice->place; i++)
			p->line += p->text[i] == '\n';
		utf8_add_shown(&name, twice->text, twice->len, 20);
		bad(p, "the key '%s' stands twice", buf_str(&name));
		buf_release(&name);
	}
	if (n > TEXT_FEW)
		free(keys);
	return twice == NULL ? 0 : -1;
}

static struct json *parse_value(struct parser *, struct json *to,
    const char *key, size_t key_len, size_t from);

/* Ends at the closing bracket, or behind the wanted member. */
static int
parse_inside(struct parser *p, struct json *v)
{
	bool object = v->type == JSON_OBJECT;
	char last = object ? '}' : ']';
	const char *key = NULL;
	size_t key_len = 0, from, n = 0;
	const struct json *member;

	if (p->depth == JSON_DEPTH)
		return bad(p, "nested too deep");
	p->depth++;
	p->at++;
	if (skip_gap(p) == -1)
		return -1;
	if (!skip_byte(p, last))
		do {
			if (skip_gap(p) == -1)
				return -1;
			from = p->at;
			if (object)
				key = parse_string(p, &p->key, &key_len);
			if (object && (key == NULL || skip_gap(p) == -1 ||
			    need_byte(p, ':') == -1 || skip_gap(p) == -1))
				return -1;
			member = parse_value(p, v, key, key_len, from);
			if (member == NULL)
				return -1;
			p->found = p->only != NULL && p->depth == 1 && object &&
			    strcmp(member->key, p->only) == 0;
			if (p->found || skip_gap(p) == -1)
				return p->found ? 0 : -1;
			n++;
		} while (skip_byte(p, ','));
	if (n > 0 && need_byte(p, last) == -1)
		return -1;
	p->depth--;
	return object ? check_keys(p, v, n) : 0;
}

static struct json *
parse_value(struct parser *p, struct json *to, const char *key, size_t key_len,
    size_t from)
{
	enum json_type type = JSON_NUMBER;
	size_t open = p->at, len = 0;
	unsigned line = p->line;
	unsigned char c = peek(p, 0);
	const char *text = NULL, *word;
	double number = c == 't';
	struct json *v;
	bool own;

	switch (c) {
	case '{': type = JSON_OBJECT; break;
	case '[': type = JSON_LIST; break;
	case '"':
		type = JSON_TEXT;
		text = parse_string(p, &p->value, &len);
		if (text == NULL)
			return NULL;
		break;
	case 't': case 'f': case 'n':
		word = c == 't' ? "true" : c == 'f' ? "false" : "null";
		type = c == 'n' ? JSON_NULL : JSON_BOOL;
		if (p->len - p->at < strlen(word) ||
		    memcmp(p->text + p->at, word, strlen(word)) != 0) {
			unexpected(p);
			return NULL;
		}
		p->at += strlen(word);
		break;
	default:
		if (parse_number(p, &number) == -1)
			return NULL;
	}
	/* A long text with escapes is not copied. */
	own = text == p->value.data && len >= TEXT_LONG;
	v = json_new(to, type, key, key_len, own ? NULL : text, len);
	if (own) {
		v->text = buf_steal(&p->value);
		v->apart = true;
	}
	v->number = number;
	v->line = line;
	v->from = (uint32_t)from;
	v->open = (uint32_t)open;
	if (to == NULL)
		p->whole = v;
	if ((type == JSON_OBJECT || type == JSON_LIST) &&
	    parse_inside(p, v) == -1)
		return NULL;
	v->to = (uint32_t)p->at;
	return v;
}

struct json *
json_parse_member(const char *text, size_t len, bool comments, const char *name,
    struct text_error *error)
{
	struct text_error ignored;
	struct parser p = { .text = text ? text : "", .len = len,
	    .comments = comments, .line = 1, .only = name,
	    .error = error ? error : &ignored };

	if (skip_gap(&p) == -1 || parse_value(&p, NULL, NULL, 0, p.at) == NULL
	    || (!p.found && (skip_gap(&p) == -1 || (p.at < p.len &&
	    unexpected(&p) == -1)))) {
		json_free(p.whole);
		p.whole = NULL;
	}
	buf_release(&p.key);
	buf_release(&p.value);
	return p.whole;
}

/* ---- printing ------------------------------------------------------------ */

static void
json_print_text(struct buf *out, const char *text)
{
	static const char bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *from = text, *end = text + strlen(text), *known;
	unsigned long c;
	size_t size;

	buf_room(out, (size_t)(end - text) + 2);
	buf_addc(out, '"');
	while (text < end) {
		if (*text >= ' ' && *text < 0x7f && *text != '"' &&
		    *text != '\\') {
			text++;
			continue;
		}
		size = utf8_decode(text, (size_t)(end - text), &c);
		if (size > 0 && (c == '"' || c == '\\' || utf8_harmful(c))) {
			buf_add(out, from, (size_t)(text - from));
			known = c > 0 && c < 0x7f ? strchr(bytes, (int)c) :
			    NULL;
			if (known != NULL)
				buf_printf(out, "\\%c", letters[known - bytes]);
			else
				buf_printf(out, "\\u%04lx", c);
			from = text + size;
		}
		text += size > 0 ? size : 1;
	}
	buf_add(out, from, (size_t)(end - from));
	buf_addc(out, '"');
}

void
json_print(struct buf *out, const struct json *value)
{
	bool object = json_is(value, JSON_OBJECT);
	double d = value->number;
	const struct json *child;
	int digits = 15;
	char text[32];

	if (json_is(value, JSON_TEXT)) {
		json_print_text(out, value->text);
	} else if (json_is(value, JSON_NUMBER)) {
		/* The shortest text that reads as the same number. */
		if (json_whole(d))
			snprintf(text, sizeof(text), "%" PRId64, (int64_t)d);
		else
			do
				snprintf(text, sizeof(text), "%.*g", digits, d);
			while (strtod(text, NULL) != d && digits++ < 17);
		buf_adds(out, text);
	} else if (object || json_is(value, JSON_LIST)) {
		buf_addc(out, object ? '{' : '[');
		json_each(child, value) {
			if (child != value->child)
				buf_addc(out, ',');
			if (object) {
				json_print_text(out, child->key);
				buf_addc(out, ':');
			}
			json_print(out, child);
		}
		buf_addc(out, object ? '}' : ']');
	} else {
		buf_adds(out, json_is(value, JSON_NULL) ? "null" :
		    json_is_true(value) ? "true" : "false");
	}
}

void
json_give(struct buf *out, struct json *v)
{
	json_print(out, v);
	json_free(v);
}

void
json_puts(struct json *value)
{
	struct buf line = BUF_INIT;

	json_give(&line, value);
	puts(buf_str(&line));
	buf_release(&line);
}
