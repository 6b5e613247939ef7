/*
 * Each needle has a bit (more of them share one).  For each of the first three
 * bytes a table says which needles may have such a byte there; a place whose
 * three bytes agree on a bit is worth a comparison, and there are few.  Over a
 * byte that is in none of the tables, a step of three goes.
 */
#include "needles.h"

#include <stdint.h>
#include <string.h>

enum { BITS = 16 };

struct tables {
	uint16_t may[NEEDLE_MIN][256];
	uint16_t any[256];              /* all three of them */
};

unsigned char
needles_lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static void
fill(struct tables *t, struct needle *needles, size_t count)
{
	unsigned char c;
	uint16_t bit;
	size_t i, at;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < count; i++) {
		needles[i].seen = false;
		bit = (uint16_t)(1u << i % BITS);
		for (at = 0; at < NEEDLE_MIN; at++) {
			c = (unsigned char)needles[i].text[at];
			t->may[at][c] |= bit;
			if (c >= 'a' && c <= 'z')
				t->may[at][c - 'a' + 'A'] |= bit;
		}
	}
	for (i = 0; i < 256; i++)
		t->any[i] = t->may[0][i] | t->may[1][i] | t->may[2][i];
}

static bool
begins(const struct needle *n, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < n->len; i++)
		if (i == len || needles_lower(text[i]) !=
		    (unsigned char)n->text[i])
			return false;
	return true;
}

static void
compare(struct needle *needles, size_t count, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!needles[i].seen)
			needles[i].seen = begins(&needles[i], text, len);
}

void
needles_search(struct needle *needles, size_t count, const char *text,
    size_t len)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len;
	struct tables t;

	fill(&t, needles, count);
	while (end - p >= NEEDLE_MIN) {
		if (t.any[p[2]] == 0) {
			p += NEEDLE_MIN;
			continue;
		}
		if (t.may[0][p[0]] & t.may[1][p[1]] & t.may[2][p[2]])
			compare(needles, count, (const char *)p,
			    (size_t)(end - p));
		p++;
	}
}
