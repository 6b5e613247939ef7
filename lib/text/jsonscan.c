#include "text/jsonscan.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

/* Bytes of a number: cJSON copies no more than 63 before it converts. */
enum { NUMBER_MAX = 60 };

static void
begin(struct jsonscan *s, char *text, size_t len, bool comments)
{
	memset(s, 0, sizeof(*s));
	s->text = text;
	s->len = len;
	s->comments = comments;
	s->line = 1;
}

void
jsonscan_init(struct jsonscan *s, const char *text, size_t len, bool comments)
{
	char *copy = xmalloc(len + 1);

	if (len > 0)
		memcpy(copy, text, len);
	copy[len] = '\0';
	begin(s, copy, len, comments);
}

void
jsonscan_take(struct jsonscan *s, struct buf *text, bool comments)
{
	size_t len = text->len;

	begin(s, buf_steal(text), len, comments);
}

void
jsonscan_release(struct jsonscan *s)
{
	free(s->text);
	s->text = NULL;
}

void
jsonscan_rewind(struct jsonscan *s)
{
	s->at = s->from = 0;
	s->line = 1;
	s->last = JSONSCAN_START;
	s->depth = 0;
}

bool
jsonscan_value(enum jsonscan_token token)
{
	return token == JSONSCAN_STRING || token == JSONSCAN_PLAIN ||
	    token == JSONSCAN_OPEN;
}

static enum jsonscan_token __attribute__((format(printf, 2, 3)))
bad(struct jsonscan *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->reason, sizeof(s->reason), format, ap);
	va_end(ap);
	return JSONSCAN_BAD;
}

/* Refuses a byte that is no part of a text, whatever stands around it. */
static enum jsonscan_token
bad_byte(struct jsonscan *s, size_t at)
{
	if (s->text[at] == '\0')
		return bad(s, "a NUL byte");
	return bad(s, "byte 0x%02x is not UTF-8", (unsigned char)s->text[at]);
}

static enum jsonscan_token
unexpected(struct jsonscan *s, size_t at)
{
	unsigned long c;

	if (at == s->len)
		return bad(s, "it ends too early");
	if (utf8_decode(s->text + at, s->len - at, &c) == 0 || c == 0)
		return bad_byte(s, at);
	if (c > 0x20 && c < 0x7f)
		return bad(s, "unexpected '%c'", (int)c);
	return bad(s, "unexpected U+%04lX", c);
}

/* Eight bytes at once: the highest bit of each says what is true of it. */
static const uint64_t ones = UINT64_C(0x0101010101010101);
static const uint64_t highs = UINT64_C(0x8080808080808080);

/* The first byte is the lowest, on any machine; the compilers make one load of
 * it where memory has that order too. */
static inline uint64_t
load(const unsigned char *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
	    (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
	    (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* Which bytes, where none before them is, are less than n, at most 0x80?  Only
 * of ASCII is the answer right. */
static uint64_t
less(uint64_t x, unsigned n)
{
	return x - n * ones;
}

/* How many bytes the character takes; 0: it is none, or a NUL.  Texts that are
 * not ASCII consist mostly of characters of three bytes. */
static size_t
character(const unsigned char *p, size_t len)
{
	if (len >= 3 && *p > 0xe0 && *p < 0xed && (p[1] & 0xc0) == 0x80 &&
	    (p[2] & 0xc0) == 0x80)
		return 3;
	return *p != '\0' ? utf8_decode((const char *)p, len, NULL) : 0;
}

/* Behind the comment that begins at p; p where none does; NULL where nothing
 * ends it. */
static const char *
comment_end(const char *p)
{
	if (strncmp(p, "//", 2) == 0)
		return p + strcspn(p, "\n");
	if (strncmp(p, "/*", 2) != 0)
		return p;
	p = strstr(p + 2, "*/");
	return p ? p + 2 : NULL;
}

/* Goes over the next bytes, of which blanks are made; lines stay lines. */
static int
blank_out(struct jsonscan *s, size_t len)
{
	size_t end = s->at + len, size;
	unsigned char *p;

	for (; s->at < end; s->at += size) {
		p = (unsigned char *)s->text + s->at;
		size = character(p, end - s->at);
		if (size == 0) {
			bad_byte(s, s->at);
			return -1;
		}
		if (*p == '\n')
			s->line++;
		else
			memset(p, ' ', size);
	}
	return 0;
}

/* Is the next byte one of the characters? */
static bool
is_any(const struct jsonscan *s, const char *characters)
{
	char c = s->text[s->at];

	return c != '\0' && strchr(characters, c) != NULL;
}

/* Goes over blanks, and over comments where they are allowed. */
static int
skip_blanks(struct jsonscan *s)
{
	const char *p, *end;

	for (;;) {
		while (is_any(s, " \t\r\n"))
			s->line += s->text[s->at++] == '\n';
		p = s->text + s->at;
		end = s->comments ? comment_end(p) : p;
		if (end == p)
			return 0;
		if (end == NULL) {
			bad(s, "a comment that does not end");
			return -1;
		}
		if (blank_out(s, (size_t)(end - p)) == -1)
			return -1;
	}
}

/* The four hexadecimal digits of an escape; -1 where they are something
 * else. */
static int
hex4(const char *p)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *d;
	int value = 0, i;

	for (i = 0; i < 4; i++) {
		d = p[i] != '\0' ? strchr(digits, p[i]) : NULL;
		if (d == NULL)
			return -1;
		value = value << 4 | ((int)(d - digits) & 15);
	}
	return value;
}

/* Is it the first, or the second, half of a surrogate pair? */
static bool
high_half(int unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool
low_half(int unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

/* What a letter behind a backslash means; 0: nothing. */
static const char meanings[UCHAR_MAX + 1] = {
	['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
};

/*
 * Goes over the escape at the backslash; what is wrong with it, or NULL.  NUL
 * and half of a surrogate pair are good JSON, which Node writes, but no C
 * string and no UTF-8 can hold them: U+FFFD is put into their place.
 */
static const char *
scan_escape(struct jsonscan *s)
{
	char *p = s->text + s->at;
	int unit;

	if (p[1] != 'u') {
		if (meanings[(unsigned char)p[1]] == '\0')
			return "an unknown escape in a string";
		s->at += 2;
		return NULL;
	}
	unit = hex4(p + 2);
	if (unit == -1)
		return "a bad \\u escape in a string";
	s->at += 6;
	if (high_half(unit) && p[6] == '\\' && p[7] == 'u' &&
	    low_half(hex4(p + 8)))
		s->at += 6;
	else if (unit == 0 || high_half(unit) || low_half(unit))
		memcpy(p + 2, "fffd", 4);
	return NULL;
}

/* Which bytes, up to the first one, may mean something else than themselves in
 * a string? */
static uint64_t
special(uint64_t x)
{
	return (less(x, 0x20) | less(x ^ '"' * ones, 1) |
	    less(x ^ '\\' * ones, 1) | x) & highs;
}

/* Behind the ASCII from p on that means itself in a string. */
static const unsigned char *
skip_ascii(const unsigned char *p, const unsigned char *end)
{
	size_t words = (size_t)(end - p) / 8;
	uint64_t found;

	for (; words > 0; words--, p += 8) {
		found = special(load(p));
		if (found != 0)
			return p + __builtin_ctzll(found) / 8;
	}
	while (*p >= 0x20 && *p <= 0x7f && *p != '"' && *p != '\\')
		p++;
	return p;
}

/* Goes over what may stand in a string and means itself. */
static void
skip_letters(struct jsonscan *s)
{
	const unsigned char *text = (const unsigned char *)s->text;
	const unsigned char *end = text + s->len;
	const unsigned char *p = skip_ascii(text + s->at, end);
	size_t size;

	while (*p > 0x7f && (size = character(p, (size_t)(end - p))) > 0) {
		p += size;
		if (*p <= 0x7f)
			p = skip_ascii(p, end);
	}
	s->at = (size_t)(p - text);
}

static enum jsonscan_token
scan_string(struct jsonscan *s)
{
	const char *reason;
	unsigned char c;

	for (s->at++; ; ) {
		skip_letters(s);
		c = (unsigned char)s->text[s->at];
		if (c == '"')
			break;
		if (s->at == s->len || c == '\n')
			return bad(s, "a string that does not end");
		if (c == '\0' || c > 0x7f)
			return bad_byte(s, s->at);
		if (c < 0x20)
			return bad(s, "a control byte in a string");
		reason = scan_escape(s);
		if (reason != NULL)
			return bad(s, "%s", reason);
	}
	s->at++;
	return JSONSCAN_STRING;
}

static size_t
encode(char *to, unsigned long c)
{
	size_t i, size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (size == 1) {
		to[0] = (char)c;
		return 1;
	}
	for (i = size - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(0xf0 << (4 - size) | c);
	return size;
}

/* What the good escape at the backslash p means; behind it. */
static const char *
unescape(const char *p, unsigned long *c)
{
	if (p[1] != 'u') {
		*c = (unsigned char)meanings[(unsigned char)p[1]];
		return p + 2;
	}
	*c = (unsigned long)hex4(p + 2);
	if (*c < 0xd800 || *c > 0xdfff)
		return p + 6;
	*c = 0x10000 + ((*c - 0xd800) << 10) +
	    ((unsigned long)hex4(p + 8) - 0xdc00);
	return p + 12;
}

void
jsonscan_meaning(char *to, const char *string, size_t len)
{
	const char *p = string, *end = string + len, *next;
	unsigned long c;

	while (p < end) {
		next = memchr(p, '\\', (size_t)(end - p));
		if (next == NULL)
			next = end;
		memmove(to, p, (size_t)(next - p));
		to += next - p;
		p = next;
		if (p < end) {
			p = unescape(p, &c);
			to += encode(to, c);
		}
	}
	*to = '\0';
}

/* Goes over one digit or more. */
static bool
scan_digits(struct jsonscan *s)
{
	size_t size = strspn(s->text + s->at, "0123456789");

	s->at += size;
	return size > 0;
}

/* Goes over one of the characters, if one is there. */
static bool
scan_any(struct jsonscan *s, const char *characters)
{
	if (!is_any(s, characters))
		return false;
	s->at++;
	return true;
}

static enum jsonscan_token
scan_number(struct jsonscan *s)
{
	size_t first;

	scan_any(s, "-");
	first = s->at;
	if (!scan_digits(s))
		return unexpected(s, s->at);
	if (s->text[first] == '0' && s->at - first > 1)
		return bad(s, "a number that begins with 0");
	if (scan_any(s, ".") && !scan_digits(s))
		return unexpected(s, s->at);
	if (scan_any(s, "eE")) {
		scan_any(s, "+-");
		if (!scan_digits(s))
			return unexpected(s, s->at);
	}
	if (s->at - s->from > NUMBER_MAX)
		return bad(s, "a number that is too long");
	return JSONSCAN_PLAIN;
}

static enum jsonscan_token
scan_word(struct jsonscan *s)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i, size;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size = strlen(words[i]);
		if (strncmp(s->text + s->at, words[i], size) == 0) {
			s->at += size;
			return JSONSCAN_PLAIN;
		}
	}
	return unexpected(s, s->at);
}

static enum jsonscan_token
scan_mark(struct jsonscan *s, enum jsonscan_token token)
{
	s->at++;
	return token;
}

/* The next token by itself. */
static enum jsonscan_token
scan_token(struct jsonscan *s)
{
	if (skip_blanks(s) == -1)
		return JSONSCAN_BAD;
	s->from = s->at;
	switch (s->text[s->at]) {
	case '\0':
		return s->at == s->len ? JSONSCAN_END : bad_byte(s, s->at);
	case '{':
	case '[':
		return scan_mark(s, JSONSCAN_OPEN);
	case '}':
	case ']':
		return scan_mark(s, JSONSCAN_CLOSE);
	case ':':
		return scan_mark(s, JSONSCAN_COLON);
	case ',':
		return scan_mark(s, JSONSCAN_COMMA);
	case '"':
		return scan_string(s);
	case 't':
	case 'f':
	case 'n':
		return scan_word(s);
	default:
		return scan_number(s);
	}
}

/* May the token follow the last one where the scan stands? */
static bool
fits(const struct jsonscan *s, enum jsonscan_token token)
{
	char inside = s->depth > 0 ? s->open[s->depth - 1] : '\0';
	bool begun = s->last == JSONSCAN_OPEN || s->last == JSONSCAN_COMMA;
	bool finished = s->last == JSONSCAN_STRING ||
	    s->last == JSONSCAN_PLAIN || s->last == JSONSCAN_CLOSE;

	switch (token) {
	case JSONSCAN_KEY:
		return inside == '{' && begun;
	case JSONSCAN_STRING:
	case JSONSCAN_PLAIN:
	case JSONSCAN_OPEN:
		return s->last == JSONSCAN_START ||
		    s->last == JSONSCAN_COLON || (inside == '[' && begun);
	case JSONSCAN_CLOSE:
		return inside == (s->text[s->from] == '}' ? '{' : '[') &&
		    (finished || s->last == JSONSCAN_OPEN);
	case JSONSCAN_COLON:
		return s->last == JSONSCAN_KEY;
	case JSONSCAN_COMMA:
		return finished && inside != '\0';
	case JSONSCAN_END:
		return finished && inside == '\0';
	default:
		return false;
	}
}

enum jsonscan_token
jsonscan_next(struct jsonscan *s)
{
	enum jsonscan_token token = scan_token(s);

	if (token == JSONSCAN_BAD)
		return token;
	if (token == JSONSCAN_STRING && fits(s, JSONSCAN_KEY))
		token = JSONSCAN_KEY;
	if (!fits(s, token))
		return unexpected(s, s->from);
	if (token == JSONSCAN_OPEN) {
		if (s->depth == JSONSCAN_DEPTH)
			return bad(s, "nested too deep");
		s->open[s->depth++] = s->text[s->from];
	}
	if (token == JSONSCAN_CLOSE)
		s->depth--;
	s->last = token;
	return token;
}
