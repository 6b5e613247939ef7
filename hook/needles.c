/*
 * A look at three bytes, a trigram, tells whether a needle may stand there, and
 * not every place needs one: where the shortest needle has n bytes, one of any
 * n - 2 places in a row is looked at, since each needle has a trigram of its
 * own there, wherever it begins.  So the table holds the first n - 2 trigrams
 * of each.
 *
 * Most looks end at one byte of the table.  Where it says that there may be a
 * trigram, a chain has the needles with it, and where in them it stands: one
 * that is common in the text costs no more than a comparison or two.
 */
#include "hook/needles.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
	HASH_BITS = 12,
	CHAINS = 256,
	STEP_MAX = 64                   /* longer ones save nothing */
};

/* One of the first trigrams of a needle. */
struct trigram {
	struct needle  *needle;
	size_t          at;
	struct trigram *next;           /* of the same chain */
};

struct search {
	const char     *text, *end;
	size_t          step;           /* from one look to the next */
	struct trigram *grams;
	struct trigram *first[CHAINS];  /* of each chain, by their hashes */
	unsigned char   may[1 << HASH_BITS];    /* is there one? */
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

/* The same where no fourth byte may be. */
static size_t
hash_alone(const char *p)
{
	char gram[NEEDLE_MIN + 1] = "";

	memcpy(gram, p, NEEDLE_MIN);
	return hash(gram);
}

static void
fill(struct search *s, struct needle *needles, size_t count)
{
	struct needle *n, *end = needles + count;
	struct trigram *gram;
	size_t at, slot;

	s->step = STEP_MAX;
	for (n = needles; n < end; n++)
		if (n->len - (NEEDLE_MIN - 1) < s->step)
			s->step = n->len - (NEEDLE_MIN - 1);
	gram = s->grams = xcalloc(count * s->step, sizeof(*gram));
	for (n = needles; n < end; n++)
		for (at = 0; at < s->step; at++) {
			slot = hash_alone(n->text + at);
			s->may[slot] = 1;
			slot %= CHAINS;
			*gram = (struct trigram){ n, at, s->first[slot] };
			s->first[slot] = gram++;
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

/* Looks for the needles that may have this trigram. */
static void
compare(struct search *s, const char *p)
{
	const struct trigram *g = s->first[hash_alone(p) % CHAINS];

	for (; g != NULL; g = g->next)
		if (!g->needle->seen && (size_t)(p - s->text) >= g->at)
			g->needle->seen = begins(g->needle, p - g->at,
			    (size_t)(s->end - p) + g->at);
}

void
needles_search(struct needle *needles, size_t count, const char *text,
    size_t len)
{
	struct search s = { .text = text, .end = text + len };
	size_t i, at = 0;

	for (i = 0; i < count; i++)
		needles[i].seen = false;
	if (count == 0)
		return;
	fill(&s, needles, count);
	for (; at + s.step + NEEDLE_MIN < len; at += 2 * s.step)
		if (s.may[hash(text + at)] | s.may[hash(text + at + s.step)]) {
			compare(&s, text + at);
			compare(&s, text + at + s.step);
		}
	for (; at + NEEDLE_MIN <= len; at += s.step)
		compare(&s, text + at);
	free(s.grams);
}
