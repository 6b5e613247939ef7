/*
 * A pattern that consists of nothing but words and dots, as most do, matches
 * only a line that has all of its words in that order.  Words are found fast,
 * so that pcre2 is asked of such lines alone.  They have no letters of which
 * pcre2 knows another case than that of ASCII: such a letter ends a word.
 */
#include "hook/mailjudge.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hook/needles.h"
#include "text/pattern.h"

enum { WORDS_MAX = 8 };

/* A pattern, and the words that a line must have for it to match: none are
 * known where it is made of more than words and dots. */
struct test {
	enum inbox_kind kind;
	const char     *pattern;
	struct { const char *text; size_t len; } words[WORDS_MAX];
	size_t          nwords;
	const struct needle *longest;   /* of the words; NULL: of none */
};

struct tests {
	struct test   *v;
	size_t         n;
	struct needle *needles;         /* the longest words */
	size_t         nneedles;
	struct buf     lower;           /* what the words borrow from */
};

static bool
is_plain(const char *pattern)
{
	const char *p;

	for (p = pattern; *p != '\0'; p++) {
		if (strchr("*+?", *p) != NULL && (p == pattern || p[-1] != '.'))
			return false;
		if (strchr("\\[](){}|^$#", *p) != NULL)
			return false;
	}
	return true;
}

/*
 * How many bytes of a pattern in lower case, from a place on, a word can have.
 * Beyond ASCII these are kana, kanji and most of Hangul: U+3000 to U+9FFF and
 * U+B000 to U+DFFF, where no letter has a case.  Of ASCII k and s are not among
 * them, which are also the Kelvin sign's and the long s's lower case.
 */
static size_t
word_len(const char *text)
{
	size_t len = 0;
	unsigned char c;

	while ((c = (unsigned char)text[len]) != '\0') {
		if (c >= 0x80 ? c < 0xe3 || c > 0xed || c == 0xea :
		    strchr(".*+?ks", c) != NULL)
			break;
		len += c >= 0x80 ? 3 : 1;
	}
	return len;
}

static void
add_words(struct tests *t, struct test *test, const char *lower)
{
	struct needle longest = { NULL, NEEDLE_MIN - 1, false };
	size_t len;

	for (; *lower != '\0'; lower += len + (lower[len] != '\0')) {
		len = word_len(lower);
		if (len == 0 || test->nwords == WORDS_MAX)
			continue;
		test->words[test->nwords].text = lower;
		test->words[test->nwords++].len = len;
		if (len > longest.len)
			longest = (struct needle){ lower, len, false };
	}
	if (longest.text == NULL)
		return;
	t->needles[t->nneedles] = longest;
	test->longest = &t->needles[t->nneedles++];
}

/* All patterns in the order in which they are tried. */
static void
tests_init(struct tests *t, const struct inboxrules *r)
{
	const char *const *p, *c;
	size_t i, at;

	*t = (struct tests){ .lower = BUF_INIT };
	for (i = 0; i < INBOX_KINDS; i++)
		for (p = inboxrules_patterns(r, (enum inbox_kind)i); *p != NULL; p++) {
			t->v = xreallocarray(t->v, t->n + 1, sizeof(*t->v));
			t->v[t->n++] = (struct test){ i, .pattern = *p };
			for (c = *p; *c != '\0'; c++)
				buf_addc(&t->lower, (char)needles_lower(*c));
			buf_addc(&t->lower, '\0');
		}
	t->needles = xcalloc(t->n + 1, sizeof(*t->needles));
	for (i = at = 0; i < t->n; i++) {
		if (is_plain(t->v[i].pattern))
			add_words(t, &t->v[i], t->lower.data + at);
		at += strlen(t->v[i].pattern) + 1;
	}
}

static void
tests_release(struct tests *t)
{
	buf_release(&t->lower);
	free(t->needles);
	free(t->v);
}

/* A message, and the same in lower case. */
struct message {
	const char *text;
	size_t      len;
	struct buf  lower;
};

/* Where a line begins that may match, from a place on; the end: nowhere. */
static size_t
next_line(const struct test *t, const struct message *m, size_t at)
{
	const char *text = m->lower.data, *p;

	if (t->longest == NULL || at == m->len)
		return at;
	p = memmem(text + at, m->len - at, t->longest->text, t->longest->len);
	if (p == NULL)
		return m->len;
	while (p > text + at && p[-1] != '\n')
		p--;
	return (size_t)(p - text);
}

/* Has a line the words in their order? */
static bool
in_order(const struct test *t, const char *line, size_t len)
{
	const char *p = line, *end = line + len;
	size_t i;

	for (i = 0; i < t->nwords; i++) {
		p = memmem(p, (size_t)(end - p), t->words[i].text,
		    t->words[i].len);
		if (p == NULL)
			return false;
		p += t->words[i].len;
	}
	return true;
}

static bool
matches(const struct test *t, const struct message *m)
{
	struct pattern *pattern = inboxrules_compile(t->pattern, NULL, 0);
	const char *end;
	size_t at, next, len;
	bool found = false;

	for (at = next_line(t, m, 0); at < m->len && !found;
	    at = next_line(t, m, next)) {
		end = memchr(m->text + at, '\n', m->len - at);
		next = end ? (size_t)(end - m->text) + 1 : m->len;
		len = next - at - (end != NULL);
		if (len > 0 && m->text[at + len - 1] == '\r')
			len--;
		found = in_order(t, m->lower.data + at, len) &&
		    pattern_match(pattern, m->text + at, len);
	}
	pattern_free(pattern);
	return found;
}

static void
lower_message(struct message *m)
{
	char *to;
	size_t i;

	if (m->lower.len > 0)
		return;
	to = buf_room(&m->lower, m->len);
	for (i = 0; i < m->len; i++)
		to[i] = (char)needles_lower(m->text[i]);
	m->lower.len = m->len;
}

bool
mailjudge(const struct inboxrules *r, const char *text, size_t len,
    enum inbox_kind *kind)
{
	struct message m = { text, len, BUF_INIT };
	struct tests t;
	size_t i;
	bool found = false;

	tests_init(&t, r);
	needles_search(t.needles, t.nneedles, text, len);
	for (i = 0; i < t.n && !found && len > 0; i++) {
		if (t.v[i].longest != NULL && !t.v[i].longest->seen)
			continue;
		lower_message(&m);
		found = matches(&t.v[i], &m);
		*kind = t.v[i].kind;
	}
	buf_release(&m.lower);
	tests_release(&t);
	return found;
}
