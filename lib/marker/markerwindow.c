#include "marker/marker.h"

#include <string.h>

#include "base/text.h"

/* The blocks inside which the window may begin, if in any. */
static const struct fence beginnings[] = {
	{ 0, 0 }, { '`', 3 }, { '~', 3 },
};

enum { READINGS = sizeof(beginnings) / sizeof(beginnings[0]) };

struct window_line {
	const char *text;
	size_t      len;
};

/* The window may begin in a block if one of its lines could close it. */
static void
find_readings(struct fence block[READINGS], const struct buf *lines)
{
	const char *rest = lines->data, *end = rest + lines->len;
	struct fence_line fence;
	struct window_line l;
	size_t i;

	while (text_line(&rest, end, &l.text, &l.len)) {
		fence = (struct fence_line){ .place = FENCE_BEFORE };
		fence_line_add(&fence, l.text, l.len);
		for (i = 0; i < READINGS; i++)
			if (fence_closes(&beginnings[i], &fence))
				block[i] = beginnings[i];
	}
}

static struct window_line
without_end(struct window_line l)
{
	for (;;) {
		if (l.len > 0 && text_blank(l.text[l.len - 1]))
			l.len--;
		else if (l.len >= 3 &&
		    fence_skipped(l.text + l.len - 3, 3) == 3)
			l.len -= 3;
		else
			return l;
	}
}

static struct window_line
without_beginning(struct window_line l)
{
	size_t size;

	while (l.len > 0 && *l.text != '>' &&
	    (size = fence_skipped(l.text, l.len)) > 0) {
		l.text += size;
		l.len -= size;
	}
	return l;
}

/* The kinds of the markers that begin on one line and end on the next. */
static unsigned
wrapped(const struct marker_set *set, struct window_line l,
    struct window_line next)
{
	const size_t most = MARKER_BYTES_MAX + 4;
	struct marker_text text = { .text = NULL };
	struct buf joined = BUF_INIT;
	unsigned kinds, least = 4;      /* characters on the first line */
	size_t last;

	l = without_end(l);
	next = without_beginning(next);
	for (last = l.len; least > 0 && last > 0; least--)
		do
			last--;
		while (last > 0 && ((unsigned char)l.text[last] & 0xc0) == 0x80);
	if (next.len == 0 || least > 0)
		return 0;
	buf_add(&joined, l.text, l.len);
	buf_add(&joined, next.text, next.len < most ? next.len : most);
	text.text = joined.data;
	text.len = joined.len;
	text.from = l.len > most ? l.len - most : 0;
	text.until = last + 1;
	text.beyond = l.len;
	kinds = marker_set_find(set, &text, NULL);
	buf_release(&joined);
	return kinds;
}

/* Counts the lines; *message becomes the line after the last error. */
static struct marker_hits
count_lines(const struct marker_set *set, const struct buf *lines,
    struct window_line *message)
{
	struct fence block[READINGS] = { { 0, 0 } };
	struct marker_hits hits = { 0 };
	struct window_line l, next;
	const char *rest = lines->data, *end = rest + lines->len, *after;
	unsigned kinds, over;
	bool counts;
	size_t i;

	find_readings(block, lines);
	while (text_line(&rest, end, &l.text, &l.len)) {
		struct marker_text text = { .text = l.text, .len = l.len,
		    .until = l.len };

		/* Outside fences, whatever the window began in? */
		counts = true;
		for (i = 0; i < READINGS; i++)
			counts &= fence_outside(&block[i], l.text, l.len);
		if (!counts)
			continue;
		after = rest;
		if (!text_line(&after, end, &next.text, &next.len))
			next = (struct window_line){ l.text, 0 };
		kinds = marker_set_find(set, &text, NULL);
		over = wrapped(set, l, next);
		marker_hits_add(&hits, kinds | over);
		if (!((kinds | over) & MARKER_ERROR))
			continue;
		*message = next;
		if (!(kinds & MARKER_ERROR) &&
		    !text_line(&after, end, &message->text, &message->len))
			*message = (struct window_line){ l.text, 0 };
	}
	return hits;
}

struct marker_hits
marker_window(const struct marker_set *set, const char *text, size_t len,
    struct buf *message)
{
	struct vt vt = { .mode = VT_GROUND };
	struct buf lines = BUF_INIT;
	struct window_line after = { "", 0 };
	struct marker_hits hits;

	if (len > MARKER_WINDOW_MAX) {
		text += len - MARKER_WINDOW_MAX;
		len = MARKER_WINDOW_MAX;
	}
	vt_add_lines(&vt, text, len, &lines);
	if (vt.line.len > 0)
		vt_add_lines(&vt, "\n", 1, &lines);
	vt_release(&vt);
	buf_str(&lines);
	hits = count_lines(set, &lines, &after);
	if (message != NULL && hits.error > 0)
		marker_message_add(message, after.text, after.len);
	buf_release(&lines);
	return hits;
}
