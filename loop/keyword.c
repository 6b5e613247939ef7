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
	AGAIN = 64 << 10,       /* of it, to be looked at more than once */
	CONTEXT = 48,           /* letters on a side of the word */
	ENOUGH = 8              /* that tell the prompt's words from others */
};

/* The letters on one side of the word, the nearest ones first. */
struct context {
	char   letters[CONTEXT];
	size_t len;
};

struct echo {
	struct context before;
	struct context behind;          /* up to the end of the line */
};

struct keyword {
	struct marker_set   set;
	struct marker_scan *scan;
	struct echo        *echoes;
	size_t              nechoes;
	uint64_t            at;         /* what was read of the log */
	unsigned            looked;     /* of the scan's lines, those that
					   were looked at */
	bool                waits;      /* one counts if nothing follows */
	bool                found;
};

bool
keyword_valid(const char *word)
{
	struct marker_set set;

	return marker_set_init(&set, "0", NULL, word) == 0;
}

/* Digits are not: line numbers come between.  Nor are the signs of
 * Latin-1 and from U+2000 to U+2FFF: lines of boxes, bullets, dashes. */
static bool
letter(const char *p, const char *begin)
{
	const char *lead = p;

	if ((unsigned char)*p < 0x80)
		return (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z');
	while (lead > begin && p - lead < 2 &&
	    ((unsigned char)*lead & 0xc0) == 0x80)
		lead--;
	return *lead != '\xc2' && *lead != '\xe2';
}

static void
add_letter(struct context *c, const char *p, const char *begin)
{
	if (letter(p, begin))
		c->letters[c->len++] = *p;
}

/* What stands before a place, back to the beginning of a text. */
static struct context
context_before(const char *text, const char *place)
{
	struct context c = { .len = 0 };
	const char *p;

	for (p = place; p > text && c.len < CONTEXT; p--)
		add_letter(&c, p - 1, text);
	return c;
}

/* What stands from a place on, to the end of its line. */
static struct context
context_behind(const char *place)
{
	struct context c = { .len = 0 };
	const char *p;

	for (p = place; *p != '\0' && *p != '\n' && c.len < CONTEXT; p++)
		add_letter(&c, p, place);
	return c;
}

bool
keyword_tellable(const char *word, const char *prompt, size_t len)
{
	const char *p = prompt, *end = prompt + len;
	bool number;

	for (; (p = memmem(p, (size_t)(end - p), word, strlen(word))) != NULL;
	    p++) {
		number = strcspn(prompt, "0123456789") < (size_t)(p - prompt);
		if (context_before(prompt, p).len == 0 && (!number ||
		    context_behind(p + strlen(word)).len == 0))
			return false;
	}
	return true;
}

/* Does a line or a sentence begin there? */
static bool
part_begins(const char *text, const char *p)
{
	return p == text || p[-1] == '\n' || (p[-1] == ' ' && p - text > 1 &&
	    (p[-2] == '.' || p[-2] == '!' || p[-2] == '?'));
}

static void
add_echo(struct keyword *k, const struct echo *echo)
{
	if (echo->before.len + echo->behind.len == 0)
		return;
	k->echoes = xreallocarray(k->echoes, k->nechoes + 1,
	    sizeof(*k->echoes));
	k->echoes[k->nechoes++] = *echo;
}

/* The sentence may be shown without what stands before it, the line as well;
 * so each is an echo, up to the first one that has letters enough. */
static void
add_echoes(struct keyword *k, const char *text, const char *place)
{
	struct echo e = {
		.behind = context_behind(place + strlen(k->set.custom))
	};
	size_t told = CONTEXT;
	const char *p;

	for (p = place; e.before.len < CONTEXT; p--) {
		if (part_begins(text, p) && e.before.len != told) {
			add_echo(k, &e);
			told = e.before.len;
			if (told >= ENOUGH)
				return;
		}
		if (p == text)
			return;
		add_letter(&e.before, p - 1, text);
	}
	add_echo(k, &e);
}

void
keyword_echo(struct keyword *k, const char *text, size_t len)
{
	const char *word = k->set.custom, *p = text, *end = text + len;

	for (; (p = memmem(p, (size_t)(end - p), word, strlen(word))) != NULL;
	    p++)
		add_echoes(k, text, p);
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

/* Where the word stands in the output. */
struct place {
	struct echo sides;
	size_t      on_line;            /* letters before it on its line */
	bool        open;               /* the line may go on */
};

static struct place
place_of(const char *text, const char *word, size_t len, bool open)
{
	const char *line = memrchr(text, '\n', (size_t)(word - text));

	line = line != NULL ? line + 1 : text;
	return (struct place){
		.sides = { context_before(text, word),
		    context_behind(word + len) },
		.on_line = context_before(line, word).len,
		.open = open && strchr(word, '\n') == NULL,
	};
}

/* Few letters before the word may be there by chance.  Then those behind it
 * must agree, or there be nothing else before it on its line. */
static bool
echoes(const struct echo *e, const struct place *at)
{
	const struct context *before = &at->sides.before;
	const struct context *behind = &at->sides.behind;
	size_t n = e->behind.len < behind->len ? e->behind.len : behind->len;

	if (before->len < e->before.len || memcmp(before->letters,
	    e->before.letters, e->before.len) != 0)
		return false;
	if (e->before.len >= ENOUGH)
		return true;
	if (memcmp(behind->letters, e->behind.letters, n) != 0)
		return false;
	return n > 0 || (at->open && behind->len == 0) ||
	    (e->before.len > 0 && at->on_line == e->before.len);
}

static bool
is_echo(const struct keyword *k, const struct place *at)
{
	size_t i;

	for (i = 0; i < k->nechoes; i++)
		if (echoes(&k->echoes[i], at))
			return true;
	return false;
}

static bool
counts(const struct keyword *k, const struct buf *text, const char *word,
    bool open)
{
	struct marker_text there = {
		.text = text->data, .len = text->len,
		.from = (size_t)(word - text->data),
		.until = (size_t)(word - text->data) + 1,
		.open = open,
	};
	struct place at;

	if (marker_set_find(&k->set, &there, NULL) == 0)
		return false;
	at = place_of(text->data, word, strlen(k->set.custom), open);
	return !is_echo(k, &at);
}

/* Does the agent itself say the word between two places of the log, the first
 * of which is where a line begins?  That is open: it may go on. */
static bool
said(const struct keyword *k, int log, uint64_t line, uint64_t end, bool open)
{
	const char *word = k->set.custom, *p;
	struct buf text = BUF_INIT;
	bool own = false;
	size_t before;

	if (end - line > LINE)
		line = end - LINE;
	tail_add(&text, log, line > TAIL_MAX ? line - TAIL_MAX : 0, line);
	before = text.len;
	tail_add(&text, log, line, end);
	if (open && text.len > before)  /* the line feed is tail_add()'s */
		text.len--;
	p = buf_str(&text) + before;
	for (; !own && (p = memmem(p, (size_t)(text.data + text.len - p), word,
	    strlen(word))) != NULL; p++)
		own = counts(k, &text, p, open);
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

/* Is the line that the scan reads among its hits? */
static bool
line_counted(const struct marker_scan *scan, unsigned hits)
{
	struct marker_state state;

	marker_scan_state(scan, &state);
	return hits > state.hits.complete;
}

/* From the beginning of a line, line by line: which of those that count is
 * more than an echo?  The agent's word may stand behind one, on its line. */
static bool
look_closely(struct keyword *k, int log, const struct marker_state *from,
    bool settled)
{
	struct marker_scan *scan = marker_scan_new(&k->set, from);
	unsigned seen = from->hits.complete, now;
	uint64_t at = from->offset, line = at;
	bool own = false, open = false, again;
	char bytes[PIECE];
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
		again = line_counted(scan, seen) && at - line <= AGAIN;
		marker_scan_feed(scan, bytes, (size_t)n);
		at += (uint64_t)n;
		now = marker_scan_hits(scan, settled && at == k->at).complete;
		open = end == NULL && (!settled || at < k->at);
		own = (now > seen || again) && said(k, log, line, at, open);
		seen = now;
		if (end != NULL)
			line = at;
	}
	k->waits = !own && open && line_counted(scan, seen) &&
	    said(k, log, line, at, false);
	marker_scan_free(scan);
	return own;
}

/* ---- reading ------------------------------------------------------------- */

/* A line is among the hits once, and has to be looked at until it ends. */
static void
count(struct keyword *k, int log, const struct marker_state *before,
    bool settled)
{
	unsigned now = marker_scan_hits(k->scan, settled).complete;
	bool again = k->looked > before->hits.complete &&
	    k->at - before->offset <= AGAIN;

	k->waits = false;
	if (now > k->looked || again)
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
	return !k->found && (k->waits || marker_scan_waits(k->scan));
}
