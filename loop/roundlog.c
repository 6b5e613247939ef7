/*
 * roundlog.c - what a round's log says: its end as text, the word that ends the
 * loop, a usage limit.
 */
#include "loop/engine.h"

#include "agent/signs.h"
#include "data/pattern.h"
#include "marker/marker.h"
#include "marker/vt.h"
#include "os/compat.h"

enum {
	BLOCK = 64 << 10,
	EARLIER = 4 << 10,              /* bytes, in which letters are found */
	TURN = 50,                      /* ms of reading at once */
	LAST = 1024,                    /* bytes of text that tell a limit */
	LONGEST = 8 * 24 * 60 * 60      /* seconds that one may last */
};

/* ---- parts of it as text ------------------------------------------------- */

/* Adds the part between two offsets of the log, as far as it can be read. */
static void
tail_add(struct buf *text, int log, uint64_t from, uint64_t to)
{
	struct vt vt = { 0 };
	char block[4096];
	ssize_t n;

	for (; from < to; from += (uint64_t)n) {
		n = pread(log, block, to - from < sizeof(block) ?
		    (size_t)(to - from) : sizeof(block), (off_t)from);
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
	uint64_t size = fstat(log, &st) == 0 ? (uint64_t)st.st_size : 0;

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
		c = 0;
		size = utf8_decode(shown.data + at, shown.len - at, &c);
		if (size == 0)
			size = 1;
		width = c >= 0x1100 && (c < 0x2000 || c > 0x2e7f) ? 2 : 1;
		if (width > columns)
			break;
		columns -= width;
	}
	msg_escape(out, buf_str(&shown), at);
	buf_release(&shown);
}

/* ---- the word that ends the loop ----------------------------------------- */

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

/* ---- its echoes ---------------------------------------------------------- */

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
		state = k->scan->begin;
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

/* ---- reading it ---------------------------------------------------------- */

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

/* Not followed by a word that it modifies, as in "limit reached test". */
static const char first[] = "(?im)^\\W*(?:[\\w'\xe2\x80\x99]+[: ]+){0,4}?"
    REACHED "(?! (?!(?:for|until|on|in|at|and|try|retry|will|resets?|please)"
	"\\b)\\w)";

static bool
speaks_of_limit(const char *words, const char *text, size_t len)
{
	char error[200];
	struct pattern *p = pattern_new(words, error, sizeof(error));
	bool is = p != NULL && pattern_match(p, text, len);

	pattern_free(p);
	return is;
}

bool
limit_find(const struct signs *signs, int log, bool failed, msec wall,
    msec *until)
{
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
	if (failed)
		is = is || speaks_of_limit(anywhere, end, len);
	else
		is = (is || speaks_of_limit(first, end, len)) && *until != 0;
	if (*until > wall + (msec)LONGEST * 1000)
		*until = 0;             /* not credible */
	buf_release(&text);
	return is;
}
