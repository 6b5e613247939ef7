/* The scan skips lines by their raw bytes, which is several times faster. */
#include "marker/marker.h"

enum {
	MESSAGE_BYTES = 4 * MARKER_MESSAGE_MAX,
	STRETCH_MIN = 64, STRETCH_MAX = 4096    /* bytes of one search */
};

static void
begin_line(struct marker_scan *s)
{
	s->begin = s->now;
	s->line = (struct scan_line){ .kinds = 0 };
}

struct marker_scan *
marker_scan_new(const struct marker_set *set, const struct marker_state *from)
{
	struct marker_scan *s = xcalloc(1, sizeof(*s));

	s->set = *set;
	if (from != NULL)
		s->now = *from;
	begin_line(s);
	return s;
}

void
marker_scan_free(struct marker_scan *s)
{
	if (s == NULL)
		return;
	vt_release(&s->vt);
	buf_release(&s->message);
	free(s);
}

static void
add_message(struct buf *message, const struct buf *line)
{
	const char *p = line->data;
	size_t len = line->len, room = MESSAGE_BYTES - message->len;

	if (message->len == 0)
		for (; len > 0 && text_blank(*p); len--)
			p++;
	buf_add(message, p, len < room ? len : room);
}

void
marker_hits_add(struct marker_hits *hits, unsigned kinds)
{
	hits->complete += (kinds & MARKER_COMPLETE) != 0;
	hits->error += (kinds & MARKER_ERROR) != 0;
	hits->bound_complete += (kinds & MARKER_BOUND_COMPLETE) != 0;
	hits->bound_error += (kinds & MARKER_BOUND_ERROR) != 0;
	hits->stale += (kinds & MARKER_STALE) != 0;
}

void
marker_hits_sum(struct marker_hits *hits, const struct marker_hits *more,
    int times)
{
	hits->complete += (unsigned)times * more->complete;
	hits->error += (unsigned)times * more->error;
	hits->bound_complete += (unsigned)times * more->bound_complete;
	hits->bound_error += (unsigned)times * more->bound_error;
	hits->stale += (unsigned)times * more->stale;
}

static void
count_line(struct marker_scan *s, unsigned kinds)
{
	kinds &= ~s->line.counted;
	s->line.counted |= kinds;
	marker_hits_add(&s->now.hits, kinds);
	if (kinds & MARKER_ERROR) {
		buf_reset(&s->message);
		s->now.want_message = false;
	}
}

static struct marker_text
line_text(const struct marker_scan *s, size_t len)
{
	return (struct marker_text){ .text = s->vt.line.data, .len = len,
	    .from = s->line.from, .until = len, .word = s->line.word,
	    .first = s->line.from == 0 };
}

/* early: a line that may become a fence waits. */
static unsigned
line_kinds(const struct marker_scan *s, bool early)
{
	struct marker_text text = line_text(s, early ? s->vt.at :
	    s->vt.line.len);
	struct fence_line fence = s->line.fence;

	if (s->now.fence.mark != 0)
		return 0;
	fence_line_add(&fence, s->vt.line.data, s->vt.line.len);
	if (early ? fence.place != FENCE_NONE : fence_opens(&fence))
		return 0;
	text.open = early;
	return s->line.kinds | marker_set_find(&s->set, &text);
}

bool
marker_scan_idle(const struct marker_scan *s)
{
	return vt_begins(&s->vt) && !s->now.want_message;
}

/* The next line must be read up to *until at least. */
static void
skip_lines(struct marker_scan *s, const char **bytes, const char *end,
    const char **until)
{
	const char *from = *bytes, *p;
	size_t stretch = STRETCH_MIN, n, found;

	for (p = from; p < end; p += n) {
		n = (size_t)(end - p) < stretch ? (size_t)(end - p) : stretch;
		if (stretch < STRETCH_MAX)
			stretch *= 2;
		found = fence_search(p, marker_set_search(&s->set, p, n));
		if (found < n) {
			p += found;
			break;
		}
	}
	*until = p;
	while (p > from && p[-1] != '\n')
		p--;
	if (p == from)
		return;
	s->now.offset += (uint64_t)(p - from);
	*bytes = p;
	begin_line(s);
}

void
marker_scan_feed(struct marker_scan *s, const char *bytes, size_t len)
{
	const char *end = bytes + len, *p = bytes, *until = NULL;
	struct buf *line = &s->vt.line, gone;
	struct marker_text text;
	struct fence_line fence;
	enum vt_event event;
	size_t used, half;

	while (p < end) {
		if (marker_scan_idle(s) && (until == NULL || p > until))
			skip_lines(s, &p, end, &until);
		used = vt_feed(&s->vt, p, (size_t)(end - p), &event);
		p += used;
		s->now.offset += used;
		if (event == VT_FULL) {
			/* The first half is judged and dropped, but for the
			 * bytes beside the rest. */
			text = line_text(s, line->len);
			half = text.until = line->len / 2;
			s->line.kinds |= marker_set_find(&s->set, &text);
			gone = *line;
			gone.len = half - 4;
			while (gone.len > half - 8 &&
			    (gone.data[gone.len] & 0xc0) == 0x80)
				gone.len--;
			s->line.word = marker_text_word(&text, gone.len);
			fence_line_add(&s->line.fence, gone.data, gone.len);
			if (s->now.want_message)
				add_message(&s->message, &gone);
			s->line.from = half - gone.len;
			vt_drop(&s->vt, gone.len);
		} else if (event != VT_MORE) {
			if (s->now.want_message)
				add_message(&s->message, line);
			count_line(s, line_kinds(s, false));
			fence = s->line.fence;
			fence_line_add(&fence, line->data, line->len);
			fence_pass(&s->now.fence, &fence);
			s->now.want_message = (s->line.counted &
			    MARKER_ERROR) != 0;
			vt_next(&s->vt);
			begin_line(s);
		}
	}
}

void
marker_scan_skip(struct marker_scan *s, uint64_t nuls)
{
	/* The first may end an open sequence. */
	marker_scan_feed(s, "", 1);
	s->now.offset += nuls - 1;
	if (marker_scan_idle(s))
		begin_line(s);
}

struct marker_hits
marker_scan_hits(struct marker_scan *s, bool unfinished)
{
	count_line(s, line_kinds(s, !unfinished));
	return s->now.hits;
}

bool
marker_scan_waits(const struct marker_scan *s)
{
	unsigned counted = s->line.counted;

	return s->now.want_message || (counted & MARKER_ERROR) != 0 ||
	    (line_kinds(s, false) & ~(counted | line_kinds(s, true))) != 0;
}

void
marker_message_add(struct buf *out, const char *line, size_t len)
{
	size_t before = out->len;

	utf8_add_shown(out, line, len, MARKER_MESSAGE_MAX);
	if (out->len == before)
		buf_adds(out, "Unknown error");
}

void
marker_scan_message(const struct marker_scan *s, struct buf *out)
{
	struct buf message = BUF_INIT;

	buf_add(&message, s->message.data, s->message.len);
	if (s->now.want_message)
		add_message(&message, &s->vt.line);
	marker_message_add(out, message.data, message.len);
	buf_release(&message);
}

void
marker_scan_rest(struct marker_scan *s)
{
	vt_rest(&s->vt);
	if (s->message.len == 0)
		buf_release(&s->message);
}
