/*
 * A look at three bytes, a trigram, tells whether a needle may stand there, and
 * not every place needs one: where the shortest needle has n bytes, one of any
 * n - 2 places in a row is looked at, since each needle has a trigram of its
 * own there, wherever it begins.  So the table holds the first n - 2 trigrams
 * of each.
 */
#include "needles.h"

#include <stdint.h>
#include <string.h>

enum { HASH_BITS = 12 };

struct search {
	struct needle *needles;
	size_t         count;
	const char    *text, *end;
	size_t         step;            /* from one look to the next */
	unsigned char  may[1 << HASH_BITS];     /* a trigram with that hash */
};

unsigned char
needles_lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Of the trigram at a place with four bytes at least.  It is the same for
 * letters of both cases, and for some other bytes: the comparison knows. */
static size_t
hash(const char *p)
{
	static const unsigned char mask[4] = { 0xdf, 0xdf, 0xdf, 0 };
	uint32_t gram, use;

	memcpy(&gram, p, sizeof(gram));
	memcpy(&use, mask, sizeof(use));
	return (gram & use) * UINT32_C(0x9e3779b1) >> (32 - HASH_BITS);
}

static void
fill(struct search *s)
{
	const struct needle *n;
	char gram[NEEDLE_MIN + 1] = "";
	size_t at;

	s->step = SIZE_MAX;
	for (n = s->needles; n < s->needles + s->count; n++)
		if (n->len - (NEEDLE_MIN - 1) < s->step)
			s->step = n->len - (NEEDLE_MIN - 1);
	for (n = s->needles; n < s->needles + s->count; n++)
		for (at = 0; at < s->step; at++) {
			memcpy(gram, n->text + at, NEEDLE_MIN);
			s->may[hash(gram)] = 1;
		}
}

static bool
begins(const struct needle *n, const char *text, size_t len)
{
	size_t i;

	if (n->len > len)
		return false;
	for (i = 0; i < n->len; i++)
		if (needles_lower(text[i]) != (unsigned char)n->text[i])
			return false;
	return true;
}

/* Looks for the needles of which this may be one of the first trigrams. */
static void
compare(struct search *s, const char *gram)
{
	size_t before = (size_t)(gram - s->text);
	const char *p = gram - (before < s->step ? before : s->step - 1);
	size_t i;

	for (; p <= gram; p++)
		for (i = 0; i < s->count; i++)
			if (!s->needles[i].seen)
				s->needles[i].seen = begins(&s->needles[i], p,
				    (size_t)(s->end - p));
}

void
needles_search(struct needle *needles, size_t count, const char *text,
    size_t len)
{
	struct search s = { needles, count, text, text + len, 0, { 0 } };
	size_t i, at = 0;

	for (i = 0; i < count; i++)
		needles[i].seen = false;
	if (count == 0)
		return;
	fill(&s);
	for (; at + s.step + NEEDLE_MIN < len; at += 2 * s.step)
		if (s.may[hash(text + at)] | s.may[hash(text + at + s.step)]) {
			compare(&s, text + at);
			compare(&s, text + at + s.step);
		}
	for (; at + NEEDLE_MIN <= len; at += s.step)
		compare(&s, text + at);
}
