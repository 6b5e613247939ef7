/*
 * roundlog.c - a round's log: its end, the word that ends the loop, a limit.
 */
#include "loop/engine.h"

#include "os/compat.h"

enum {
	BLOCK = 64 << 10, PIECE = 4 << 10,
	EARLIER = 4 << 10,              /* bytes before a line */
	TURN = 50,                      /* ms of reading at once */
	LAST = 1024,                    /* bytes that may tell a limit */
	LONGEST = 8 * 24 * 60 * 60      /* of a limit, seconds */
};

/* ---- parts of it as text ------------------------------------------------- */

static void
tail_add(struct buf *text, int log, off_t from, off_t to)
{
	struct vt vt = { 0 };
	char block[PIECE];
	ssize_t n;

	for (; from < to; from += n) {
		n = pread(log, block, to - from < PIECE ?
		    (size_t)(to - from) : PIECE, from);
		if (n <= 0)
			break;
		vt_add_lines(&vt, block, (size_t)n, text);
	}
	if (vt.line.len > 0)
		vt_add_lines(&vt, "\n", 1, text);
	vt_release(&vt);
}

void
tail_read(struct buf *text, int log)
{
	struct stat st;
	off_t size = fstat(log, &st) == 0 ? st.st_size : 0;

	tail_add(text, log, size > TAIL_MAX ? size - TAIL_MAX : 0, size);
}

/* Most characters beyond Latin, Greek and Cyrillic take two columns. */
void
tail_last_line(struct buf *out, const struct buf *text, size_t columns)
{
	const char *end = text->data + text->len, *line;
	struct buf shown = BUF_INIT;
	size_t at, size, width;
	unsigned long c;

	for (; text->len > 0 && shown.len == 0 && end > text->data;
	    end = line - (line > text->data)) {
		line = memrchr(text->data, '\n', (size_t)(end - text->data));
		line = line != NULL ? line + 1 : text->data;
		utf8_add_shown(&shown, line, (size_t)(end - line), columns);
	}
	for (at = 0; at < shown.len; at += size) {
		size = utf8_decode(shown.data + at, shown.len - at, &c);
		width = c >= 0x1100 && (c < 0x2000 || c > 0x2e7f) ? 2 : 1;
		if (width > columns)
			break;
		columns -= width;
	}
	msg_escape(out, buf_str(&shown), at);
	buf_release(&shown);
}

/* ---- the word that ends the loop ----------------------------------------- */

/* Letters before the word, from right to left. */
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
	uint64_t            at;         /* bytes that were read */
	bool                found;
};

bool
keyword_valid(const char *word)
{
	struct marker_set set;

	return marker_set_init(&set, "0", NULL, word) == 0;
}

/* Digits are no letters: they number lines.  Nor are Latin-1's signs and U+2000
 * to U+2FFF: boxes, bullets and dashes. */
static void
add_letters(struct letters *l, const char *text, const char *place)
{
	const char *p, *lead;

	for (p = place; p > text && l->len < ECHO_LETTERS; p--) {
		for (lead = p - 1; lead > text && p - lead < 3 &&
		    ((unsigned char)*lead & 0xc0) == 0x80; )
			lead--;
		if ((unsigned char)p[-1] < 0x80 ? text_alnum(p[-1]) &&
		    p[-1] > '9' : *lead != '\xc2' && *lead != '\xe2')
			l->text[l->len++] = p[-1];
	}
}

bool
keyword_echo(struct keyword *k, const char *word, const char *text)
{
	const char *p = text;
	bool told = true;

	for (; (p = strstr(p, word)) != NULL; p++) {
		struct letters l = { .len = 0 };

		add_letters(&l, text, p);
		if (l.len < ECHO_LEAST)
			told = false;
		else if (k != NULL)
			*ARRAY_ADD(k->echoes, k->nechoes) = l;
	}
	return told;
}

static bool
is_echo(void *context, const struct marker_text *line, size_t at)
{
	const struct keyword *k = context;
	struct letters l = { .len = 0 };
	struct buf text = BUF_INIT;
	off_t to = (off_t)k->scan->begin.offset;
	size_t i;

	if (k->nechoes == 0)
		return false;
	add_letters(&l, line->text, line->text + at);
	if (l.len < ECHO_LETTERS && line->first) {
		tail_add(&text, k->log, to > EARLIER ? to - EARLIER : 0, to);
		add_letters(&l, buf_str(&text), buf_str(&text) + text.len);
		buf_release(&text);
	}
	for (i = 0; i < k->nechoes; i++)
		if (l.len >= k->echoes[i].len && memcmp(l.text,
		    k->echoes[i].text, k->echoes[i].len) == 0)
			return true;
	return false;
}

struct keyword *
keyword_new(const char *word)
{
	struct keyword *k = xcalloc(1, sizeof(*k));

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
	char block[BLOCK];
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
	return k->found;
}

bool
keyword_waits(const struct keyword *k)
{
	return !k->found && marker_scan_waits(k->scan);
}

/* ---- a usage limit ------------------------------------------------------- */

#define REACHED "(?:(?:usage|rate|request|session|opus|sonnet|weekly|5-hour)" \
    "[ _-]limit[ _](?:(?:is|was|has been) )?(?:reached|exceeded|hit)" \
    "|(?:hit|reached|exceed(?:ed|s)?) your(?: [\\w'-]+){0,3} limit" \
    ")(?![\\w/-]|\\.\\w)"

static const char anywhere[] = "(?i)\\b" REACHED
    "|\\b(?:hit|reached|exceed(?:ed|s)?) (?:the|an?|its) (?:usage|rate) limit"
	"(?![\\w/-])"
    "|\\b(?:are|is|were|was|been|being|got) rate[ -]limited\\b"
    "|\\b(?:error|status|code|rejected|http(?:/[\\d.]+)?)\\W{0,3}429\\b"
    "|\"rate_limit_error\""
    "|\\btoo many requests\\b"
    "|\\bquota (?:exceeded|exhausted)|\\bexceeded your (?:\\w+ )?quota";

/* No word follows, as in "limit reached test". */
static const char first[] = "(?im)^\\W*(?:[\\w'\xe2\x80\x99]+[: ]+){0,4}?"
    REACHED "(?! (?!(?:for|until|on|in|at|and|try|retry|will|resets?|please)"
	"\\b)\\w)";

bool
limit_find(const struct signs *signs, int log, bool failed, msec wall,
    msec *until)
{
	struct pattern *words = pattern_new(failed ? anywhere : first, false,
	    NULL, 0);
	struct buf text = BUF_INIT;
	struct sign_match m;
	const char *end;
	size_t len;
	bool is;

	tail_read(&text, log);
	len = text.len < LAST ? text.len : LAST;
	end = buf_str(&text) + text.len - len;
	m = signs_find(signs, SIGN_SCREEN, end, len, wall);
	is = m.sign != NULL && m.sign->kind == SIGN_LIMITED;
	*until = is && m.reset != 0 ? m.reset : reset_find(end, len, wall);
	is = (is || pattern_match(words, end, len)) && (failed || *until != 0);
	if (*until > wall + (msec)LONGEST * 1000)
		*until = 0;             /* not credible */
	pattern_free(words);
	buf_release(&text);
	return is;
}
