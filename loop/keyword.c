#include "keyword.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "marker.h"
#include "tail.h"
#include "xalloc.h"

enum {
	BLOCK = 64 << 10,
	TURNS = 256,            /* blocks at once: there is more to look at */
	PIECE = 4096,           /* of a line, when it is looked at closely */
	LINE = 16 << 10,        /* bytes of it that are searched */
	CONTEXT = 48            /* letters in front of the word */
};

/* The letters and digits before the word in the prompt, the last ones. */
struct context {
	char   letters[CONTEXT];
	size_t len;
};

struct keyword {
	struct marker_set   set;
	struct marker_scan *scan;
	struct context     *echoes;
	size_t              nechoes;
	uint64_t            at;         /* what was read of the log */
	unsigned            looked;     /* of the scan's lines, those that
					   were looked at */
	bool                found;
};

bool
keyword_valid(const char *word)
{
	struct marker_set set;

	return marker_set_init(&set, "0", NULL, word) == 0;
}

/* Beyond ASCII all but the lines of boxes (U+2500 to U+257F) are letters. */
static bool
letter(const char *p, const char *begin)
{
	const unsigned char *u = (const unsigned char *)p;

	if (*u < 0x80)
		return (*u >= '0' && *u <= '9') || (*u >= 'A' && *u <= 'Z') ||
		    (*u >= 'a' && *u <= 'z');
	if (*u == 0xe2 && (u[1] == 0x94 || u[1] == 0x95))
		return false;
	if (p > begin && u[-1] == 0xe2 && (*u == 0x94 || *u == 0x95))
		return false;
	return p < begin + 2 || u[-2] != 0xe2 ||
	    (u[-1] != 0x94 && u[-1] != 0x95);
}

/* What stands before a place of a text that ends with a NUL. */
static struct context
context_before(const char *text, const char *place)
{
	struct context c = { .len = 0 };
	const char *p;

	for (p = place; p > text && c.len < CONTEXT; p--)
		if (letter(p - 1, text))
			c.letters[CONTEXT - ++c.len] = p[-1];
	memmove(c.letters, c.letters + CONTEXT - c.len, c.len);
	return c;
}

static bool
context_ends_with(const struct context *c, const struct context *end)
{
	return c->len >= end->len && memcmp(c->letters + c->len - end->len,
	    end->letters, end->len) == 0;
}

bool
keyword_tellable(const char *word, const char *prompt, size_t len)
{
	const char *p = prompt, *end = prompt + len;

	for (; (p = memmem(p, (size_t)(end - p), word, strlen(word))) != NULL;
	    p++)
		if (context_before(prompt, p).len == 0)
			return false;
	return true;
}

void
keyword_echo(struct keyword *k, const char *text, size_t len)
{
	const char *word = k->set.custom, *p = text, *end = text + len;
	struct context before;

	for (; (p = memmem(p, (size_t)(end - p), word, strlen(word))) != NULL;
	    p++) {
		before = context_before(text, p);
		if (before.len == 0)
			continue;
		k->echoes = xreallocarray(k->echoes, k->nechoes + 1,
		    sizeof(*k->echoes));
		k->echoes[k->nechoes++] = before;
	}
}

struct keyword *
keyword_new(const char *word)
{
	struct keyword *k = xcalloc(1, sizeof(*k));

	/* The issue is of no meaning: nothing but the word counts. */
	marker_set_init(&k->set, "0", NULL, word);
	k->set.keyword = true;
	k->scan = marker_scan_new(&k->set, NULL);
	return k;
}

void
keyword_free(struct keyword *k)
{
	if (k == NULL)
		return;
	marker_scan_free(k->scan);
	free(k->echoes);
	free(k);
}

/* ---- the prompt's echo --------------------------------------------------- */

static bool
is_echo(const struct keyword *k, const char *text, const char *place)
{
	struct context before = context_before(text, place);
	size_t i;

	for (i = 0; i < k->nechoes; i++)
		if (context_ends_with(&before, &k->echoes[i]))
			return true;
	return false;
}

/* Does the agent itself say the word between two places of the log, the first
 * of which is where a line begins? */
static bool
said(const struct keyword *k, int log, uint64_t line, uint64_t end)
{
	struct buf text = BUF_INIT;
	struct marker_text place = { 0 };
	const char *p, *behind;
	bool own = false;
	size_t before;

	if (end - line > LINE)
		line = end - LINE;
	tail_add(&text, log, line > TAIL_MAX ? line - TAIL_MAX : 0, line);
	before = text.len;
	tail_add(&text, log, line, end);
	p = buf_str(&text) + before;
	behind = text.data + text.len;
	for (; !own && (p = memmem(p, (size_t)(behind - p), k->set.custom,
	    strlen(k->set.custom))) != NULL; p++) {
		place = (struct marker_text){ .text = text.data,
		    .len = text.len, .from = (size_t)(p - text.data),
		    .until = (size_t)(p - text.data) + 1 };
		own = marker_set_find(&k->set, &place, NULL) != 0 &&
		    !is_echo(k, text.data, p);
	}
	buf_release(&text);
	return own;
}

static ssize_t
read_piece(int log, char *bytes, size_t size, uint64_t at)
{
	ssize_t n;

	do
		n = pread(log, bytes, size, (off_t)at);
	while (n == -1 && errno == EINTR);
	return n;
}

/* From the beginning of a line, line by line: which of those that count is
 * more than an echo? */
static bool
look_closely(const struct keyword *k, int log, const struct marker_state *from,
    bool settled)
{
	struct marker_scan *scan = marker_scan_new(&k->set, from);
	unsigned seen = from->hits.complete, now;
	uint64_t at = from->offset, line = at;
	char bytes[PIECE];
	bool own = false;
	const char *end;
	ssize_t n;

	while (!own && at < k->at) {
		n = read_piece(log, bytes, k->at - at < PIECE ?
		    (size_t)(k->at - at) : PIECE, at);
		if (n <= 0)
			break;
		end = memchr(bytes, '\n', (size_t)n);
		if (end != NULL)
			n = end + 1 - bytes;
		marker_scan_feed(scan, bytes, (size_t)n);
		at += (uint64_t)n;
		now = marker_scan_hits(scan, settled && at == k->at).complete;
		own = now > seen && said(k, log, line, at);
		seen = now;
		if (end != NULL)
			line = at;
	}
	marker_scan_free(scan);
	return own;
}

/* ---- reading ------------------------------------------------------------- */

static void
count(struct keyword *k, int log, const struct marker_state *before,
    bool settled)
{
	unsigned now = marker_scan_hits(k->scan, settled).complete;

	if (now > k->looked)
		k->found = k->nechoes == 0 ||
		    look_closely(k, log, before, settled);
	k->looked = now;
}

bool
keyword_read(struct keyword *k, int log, bool settled, bool *grown)
{
	char *block = xmalloc(BLOCK);
	struct marker_state before;
	int turns;
	ssize_t n;

	*grown = false;
	for (turns = 0; turns < TURNS && !k->found; turns++) {
		marker_scan_state(k->scan, &before);
		n = read_piece(log, block, BLOCK, k->at);
		if (n <= 0)
			break;
		*grown = true;
		marker_scan_feed(k->scan, block, (size_t)n);
		k->at += (uint64_t)n;
		count(k, log, &before, false);
	}
	if (!k->found && settled && turns < TURNS) {
		marker_scan_state(k->scan, &before);
		count(k, log, &before, true);
	}
	free(block);
	return k->found;
}

bool
keyword_waits(const struct keyword *k)
{
	return !k->found && marker_scan_waits(k->scan);
}
