#include "loop/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "marker/marker.h"

enum {
	BLOCK = 64 << 10,
	EARLIER = 4 << 10,              /* bytes, in which letters are found */
	TURN = 50                       /* ms of reading at once */
};

/* The last letters before the word, the nearest one first. */
struct letters {
	char   text[ECHO_LETTERS];
	size_t len;
};

struct keyword {
	struct marker_set   set;
	struct marker_scan *scan;
	struct letters     *echoes;
	size_t              nechoes;
	int                 log;
	uint64_t            at;         /* bytes of the log that were read */
	bool                found;
};

bool
keyword_valid(const char *word)
{
	struct marker_set set;

	return marker_set_init(&set, "0", NULL, word) == 0;
}

/* ---- echoes -------------------------------------------------------------- */

/* Digits are no letters: they number lines.  Nor are Latin-1's signs and
 * U+2000 to U+2FFF: boxes, bullets and dashes. */
static bool
is_letter(const char *p, const char *begin)
{
	const char *lead = p;

	if ((unsigned char)*p < 0x80)
		return (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z');
	while (lead > begin && p - lead < 2 &&
	    ((unsigned char)*lead & 0xc0) == 0x80)
		lead--;
	return *lead != '\xc2' && *lead != '\xe2';
}

/* Adds the letters before a place of a text. */
static void
add_letters(struct letters *l, const char *text, const char *place)
{
	const char *p;

	for (p = place; p > text && l->len < ECHO_LETTERS; p--)
		if (is_letter(p - 1, text))
			l->text[l->len++] = p[-1];
}

bool
keyword_tellable(const char *word, const char *prompt, size_t len)
{
	const char *p = prompt, *end = prompt + len;

	for (; (p = text_find(p, end, word, strlen(word))) != NULL; p++) {
		struct letters l = { .len = 0 };

		add_letters(&l, prompt, p);
		if (l.len < ECHO_LEAST)
			return false;
	}
	return true;
}

void
keyword_echo(struct keyword *k, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *word = k->set.custom;

	for (; (p = text_find(p, end, word, strlen(word))) != NULL; p++) {
		struct letters l = { .len = 0 };

		add_letters(&l, text, p);
		if (l.len >= ECHO_LEAST)
			*ARRAY_ADD(k->echoes, k->nechoes) = l;
	}
}

/* For the scan: is the occurrence at this offset an echo? */
static bool
is_echo(void *context, const struct marker_text *line, size_t at)
{
	const struct keyword *k = context;
	struct letters l = { .len = 0 };
	struct buf text = BUF_INIT;
	struct marker_state state;
	uint64_t from;
	size_t i;

	if (k->nechoes == 0)
		return false;
	add_letters(&l, line->text, line->text + at);
	/* The letters before the line that the scan reads. */
	if (l.len < ECHO_LETTERS && line->first) {
		marker_scan_state(k->scan, &state);
		from = state.offset > EARLIER ? state.offset - EARLIER : 0;
		tail_add(&text, k->log, from, state.offset);
		add_letters(&l, buf_str(&text), buf_str(&text) + text.len);
		buf_release(&text);
	}
	for (i = 0; i < k->nechoes; i++)
		if (l.len >= k->echoes[i].len && memcmp(l.text,
		    k->echoes[i].text, k->echoes[i].len) == 0)
			return true;
	return false;
}

/* ---- reading ------------------------------------------------------------- */

struct keyword *
keyword_new(const char *word)
{
	struct keyword *k = xcalloc(1, sizeof(*k));

	/* Of the set only the word counts; the issue has no meaning. */
	marker_set_init(&k->set, "0", NULL, word);
	k->set.keyword = true;
	k->set.ignored = is_echo;
	k->set.context = k;
	k->scan = marker_scan_new(&k->set, NULL);
	return k;
}

void
keyword_free(struct keyword *k)
{
	marker_scan_free(k->scan);
	free(k->echoes);
	free(k);
}

bool
keyword_read(struct keyword *k, int log, uint64_t end, bool settled,
    bool *grown)
{
	char *block = xmalloc(BLOCK);
	msec until = clock_now() + TURN;
	bool more = true;
	ssize_t n;

	k->log = log;
	*grown = false;
	if (!k->found && end < k->at) {         /* the log was emptied */
		marker_scan_free(k->scan);
		k->scan = marker_scan_new(&k->set, NULL);
		k->at = 0;
	}
	while (!k->found && more && clock_now() < until) {
		n = k->at >= end ? 0 : pread(log, block, end - k->at < BLOCK ?
		    (size_t)(end - k->at) : BLOCK, (off_t)k->at);
		more = n > 0 || (n == -1 && errno == EINTR);
		if (n <= 0)
			continue;
		*grown = true;
		marker_scan_feed(k->scan, block, (size_t)n);
		k->at += (uint64_t)n;
		k->found = marker_scan_hits(k->scan, false).complete > 0;
	}
	if (!k->found && !more && settled)
		k->found = marker_scan_hits(k->scan, true).complete > 0;
	free(block);
	return k->found;
}

bool
keyword_waits(const struct keyword *k)
{
	return !k->found && marker_scan_waits(k->scan);
}
