#include "marker/marker.h"

enum { INDENTED = 4 };          /* columns that make a block of code */

static bool
only_shown(const char *p, size_t len)
{
	size_t i, n, column = 0;

	for (i = 0; i < len && text_blank(p[i]); i++)
		column = p[i] == '\t' ? (column / INDENTED + 1) * INDENTED :
		    column + 1;
	if (column >= INDENTED || (i < len && p[i] == '>'))
		return true;
	for (n = i; n < len && p[n] >= '0' && p[n] <= '9'; n++)
		continue;
	return n + 1 < len && text_blank(p[n + 1]) &&
	    strchr(n > i ? ".)" : "-*+", p[n]) != NULL;
}

static const struct fence beginnings[] = {
	{ 0, 0 }, { '`', 3 }, { '~', 3 },
};

enum { READINGS = sizeof(beginnings) / sizeof(beginnings[0]) };

struct marker_line {
	const char *text;
	size_t      len;
};

/* Drops a carriage return; empty if there is no line. */
static bool
take_line(const char **rest, const char *end, struct marker_line *l)
{
	bool there = text_line(rest, end, &l->text, &l->len);

	if (!there)
		*l = (struct marker_line){ end, 0 };
	else if (l->len > 0 && l->text[l->len - 1] == '\r')
		l->len--;
	return there;
}

/* Markers across two lines. */
static unsigned
wrapped(const struct marker_set *set, struct marker_line l,
    struct marker_line next)
{
	const size_t most = MARKER_BYTES_MAX + 4;
	struct marker_text text = { .beyond = 0 };
	struct buf joined = BUF_INIT;
	unsigned kinds, least = 4;      /* characters on the first line */
	size_t size, last;

	while (l.len > 0 && (size = text_blank(l.text[l.len - 1]) ? 1 :
	    l.len >= 3 && fence_skipped(l.text + l.len - 3, 3) == 3 ? 3 : 0))
		l.len -= size;
	while (next.len > 0 && *next.text != '>' &&
	    (size = fence_skipped(next.text, next.len)) > 0) {
		next.text += size;
		next.len -= size;
	}
	for (last = l.len; least > 0 && last > 0; least--)
		do
			last--;
		while (last > 0 && (l.text[last] & 0xc0) == 0x80);
	if (next.len == 0 || least > 0)
		return 0;
	buf_add(&joined, l.text, l.len);
	buf_add(&joined, next.text, next.len < most ? next.len : most);
	text.text = joined.data;
	text.len = joined.len;
	text.from = l.len > most ? l.len - most : 0;
	text.until = last + 1;
	text.beyond = l.len;
	kinds = marker_set_find(set, &text);
	buf_release(&joined);
	return kinds;
}

/* A line counts outside each of n blocks. */
static struct marker_hits
count_lines(const struct marker_set *set, const char *rest, size_t len,
    struct fence *blocks, size_t n, bool source, struct buf *message)
{
	const char *end = rest + len, *after;
	struct marker_line l, next, told = { end, 0 };
	struct marker_hits hits = { 0 };
	unsigned kinds, over;
	bool counts, outside;
	size_t i;

	while (take_line(&rest, end, &l)) {
		struct marker_text text = { .text = l.text, .len = l.len,
		    .until = l.len, .source = source };
		struct fence_line fence = { .place = FENCE_BEFORE };

		fence_line_add(&fence, l.text, l.len);
		counts = !source || !only_shown(l.text, l.len);
		for (i = 0; i < n; i++) {
			outside = blocks[i].mark == 0;
			counts &= !fence_pass(&blocks[i], &fence) && outside;
		}
		if (!counts)
			continue;
		after = rest;
		take_line(&after, end, &next);
		kinds = marker_set_find(set, &text);
		over = source ? 0 : wrapped(set, l, next);
		marker_hits_add(&hits, kinds | over);
		if (!((kinds | over) & MARKER_ERROR))
			continue;
		told = next;
		if (!(kinds & MARKER_ERROR))
			take_line(&after, end, &told);
	}
	if (message != NULL && hits.error > 0)
		marker_message_add(message, told.text, told.len);
	return hits;
}

struct marker_hits
marker_source(const struct marker_set *set, const char *text, size_t len,
    struct fence *fence, struct buf *message)
{
	return count_lines(set, text, len, fence, 1, true, message);
}

struct marker_hits
marker_window(const struct marker_set *set, const char *text, size_t len,
    struct buf *message)
{
	struct fence blocks[READINGS] = { { 0, 0 } };
	struct vt vt = { .mode = VT_GROUND };
	struct buf lines = BUF_INIT;
	struct fence_line fence;
	struct marker_hits hits;
	struct marker_line l;
	const char *rest;
	size_t i;

	if (len > MARKER_WINDOW_MAX) {
		text += len - MARKER_WINDOW_MAX;
		len = MARKER_WINDOW_MAX;
	}
	vt_add_lines(&vt, text, len, &lines);
	if (vt.line.len > 0)
		vt_add_lines(&vt, "\n", 1, &lines);
	vt_release(&vt);
	/* The window may begin in a block that it closes. */
	rest = buf_str(&lines);
	while (text_line(&rest, lines.data + lines.len, &l.text, &l.len)) {
		fence = (struct fence_line){ .place = FENCE_BEFORE };
		fence_line_add(&fence, l.text, l.len);
		for (i = 0; i < READINGS; i++)
			if (fence_closes(&beginnings[i], &fence))
				blocks[i] = beginnings[i];
	}
	hits = count_lines(set, lines.data, lines.len, blocks, READINGS, false,
	    message);
	buf_release(&lines);
	return hits;
}
