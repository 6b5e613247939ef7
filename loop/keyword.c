#include "loop/keyword.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "loop/tail.h"
#include "marker/marker.h"
#include "marker/vt.h"

enum {
	BLOCK = 64 << 10,
	TURN = 50,              /* ms at once: there is more to look at */
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

/* A second reader, of the lines that hold the word. */
struct look {
	struct marker_scan *scan;       /* NULL: there is none to be read */
	struct vt   vt;
	struct buf  text;               /* before what vt has of the line */
	uint64_t    at;                 /* what was read of the log */
	unsigned    before;             /* lines that count, before this one */
};

struct keyword {
	struct marker_set   set;
	struct marker_scan *scan;
	struct look         look;
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

static void
look_end(struct look *l)
{
	marker_scan_free(l->scan);
	vt_release(&l->vt);
	buf_release(&l->text);
	*l = (struct look){ .text = BUF_INIT };
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
	look_end(&k->look);
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

/* ---- looking closely ----------------------------------------------------- */

static ssize_t
read_piece(int log, char *bytes, size_t size, uint64_t at)
{
	ssize_t n;

	do
		n = pread(log, bytes, size, (off_t)at);
	while (n == -1 && errno == EINTR);
	return n;
}

/* From the beginning of a line; what is before it may tell an echo. */
static void
look_begin(struct keyword *k, int log, const struct marker_state *from)
{
	struct look *l = &k->look;
	uint64_t at = from->offset;

	l->scan = marker_scan_new(&k->set, from);
	l->before = from->hits.complete;
	l->at = at;
	tail_add(&l->text, log, at > TAIL_MAX ? at - TAIL_MAX : 0, at);
}

/* Is the line that is read among the hits? */
static bool
line_counts(const struct look *l, bool unfinished)
{
	return marker_scan_hits(l->scan, unfinished).complete > l->before;
}

/* Is a word of what there is of the line more than an echo?  The agent's may
 * stand behind one.  Where the line is open it may go on. */
static bool
own_word(struct keyword *k, bool open)
{
	struct buf *text = &k->look.text;
	const struct vt *vt = &k->look.vt;
	size_t before = text->len;
	const char *p, *end, *word = k->set.custom;
	bool own = false;

	buf_add(text, vt->line.data, open ? vt->at : vt->line.len);
	p = buf_str(text) + before;
	end = text->data + text->len;
	for (; !own && (p = memmem(p, (size_t)(end - p), word, strlen(word))) !=
	    NULL; p++)
		own = counts(k, text, p, open);
	text->len = before;
	return own;
}

/* What was looked at becomes what stands before the rest. */
static void
pass(struct look *l, enum vt_event event)
{
	size_t len = l->vt.line.len;

	if (event == VT_FULL)
		len /= 2;
	buf_add(&l->text, l->vt.line.data, len);
	if (event == VT_FULL) {
		vt_drop(&l->vt, len);
	} else {
		buf_addc(&l->text, '\n');
		vt_next(&l->vt);
		l->before = marker_scan_hits(l->scan, true).complete;
	}
	if (l->text.len > 4 * TAIL_MAX) {
		memmove(l->text.data, l->text.data + l->text.len - TAIL_MAX,
		    TAIL_MAX);
		l->text.len = TAIL_MAX;
	}
}

static bool
look_on(struct keyword *k, const char *bytes, size_t len)
{
	struct look *l = &k->look;
	enum vt_event event;
	bool own = false, open;
	size_t used;

	for (; !own && len > 0; bytes += used, len -= used) {
		used = vt_feed(&l->vt, bytes, len, &event);
		marker_scan_feed(l->scan, bytes, used);
		if (event == VT_MORE)
			continue;
		open = event == VT_FULL;
		/* A line that has ended may do so in the scan a byte later. */
		own = line_counts(l, !open) && own_word(k, open);
		pass(l, event);
	}
	return own;
}

/* As far as the log was read, and as long as there is a line that counts. */
static bool
look_closely(struct keyword *k, int log, bool settled)
{
	struct look *l = &k->look;
	char *block = xmalloc(BLOCK);
	bool own = false;
	ssize_t n = 1;

	while (!own && l->at < k->at) {
		n = read_piece(log, block, k->at - l->at < BLOCK ?
		    (size_t)(k->at - l->at) : BLOCK, l->at);
		if (n <= 0)
			break;
		own = look_on(k, block, (size_t)n);
		l->at += (uint64_t)n;
	}
	free(block);
	if (!own && !line_counts(l, settled)) {
		look_end(l);
		return false;
	}
	own = own || own_word(k, !settled);
	k->waits = !own && own_word(k, false);
	return own;
}

/* ---- reading ------------------------------------------------------------- */

/* A line is among the hits once, and has to be looked at until it ends. */
static void
count(struct keyword *k, int log, const struct marker_state *before,
    bool settled)
{
	unsigned now = marker_scan_hits(k->scan, settled).complete;
	bool more = now > k->looked;

	k->waits = false;
	k->looked = now;
	if (more && k->nechoes > 0 && k->look.scan == NULL)
		look_begin(k, log, before);
	k->found = k->look.scan != NULL ? look_closely(k, log, settled) : more;
}

/* Somebody has emptied the log: what is in it now was not read. */
static void
begin_again(struct keyword *k)
{
	look_end(&k->look);
	marker_scan_free(k->scan);
	k->scan = marker_scan_new(&k->set, NULL);
	k->at = 0;
	k->looked = 0;
	k->waits = false;
}

/* True if there was something to read. */
static bool
read_block(struct keyword *k, int log, uint64_t end, char *block)
{
	struct marker_state before;
	ssize_t n;

	if (k->at >= end)
		return false;
	marker_scan_state(k->scan, &before);
	n = read_piece(log, block, end - k->at < BLOCK ?
	    (size_t)(end - k->at) : BLOCK, k->at);
	if (n <= 0)
		return false;
	marker_scan_feed(k->scan, block, (size_t)n);
	k->at += (uint64_t)n;
	count(k, log, &before, false);
	return true;
}

bool
keyword_read(struct keyword *k, int log, uint64_t end, bool settled,
    bool *grown)
{
	char *block = xmalloc(BLOCK);
	msec until = clock_now() + TURN;
	struct marker_state before;
	bool more = true;

	*grown = false;
	if (!k->found && end < k->at)
		begin_again(k);
	while (!k->found && more && clock_now() < until) {
		more = read_block(k, log, end, block);
		*grown = *grown || more;
	}
	if (!k->found && !more && settled) {
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
