/*
 * What must hold of any terminal output: lines are bounded and hold no control
 * bytes, and do not depend on how the stream is cut.
 */
#include "fuzz/fuzz.h"
#include "marker/marker.h"

static void
check_line(const struct vt *t)
{
	size_t i;

	assert(t->line.len <= VT_LINE_MAX);
	assert(t->at <= t->line.len);
	for (i = 0; i < t->line.len; i++) {
		unsigned char c = (unsigned char)t->line.data[i];

		assert((c >= 0x20 && c != 0x7f) || c == '\t');
	}
}

/* Adds the lines, each behind the event that ended it. */
static void
take_event(struct vt *t, enum vt_event event, struct buf *lines)
{
	/* A long line is checked once, at its end. */
	if (event == VT_MORE)
		return;
	check_line(t);
	buf_addc(lines, (char)('0' + event));
	buf_add(lines, t->line.data, t->line.len);
	buf_addc(lines, '\n');
	if (event == VT_FULL) {
		assert(t->line.len == VT_LINE_MAX);
		vt_drop(t, VT_LINE_MAX / 2);
		assert(t->line.len == VT_LINE_MAX - VT_LINE_MAX / 2);
	} else {
		assert(event == VT_HARD || t->line.len > 0);
		vt_next(t);
		assert(vt_begins(t));
	}
}

/* The lines, read in pieces of a size that keeps changing. */
static void
add_lines(struct buf *lines, const char *bytes, size_t len, size_t piece)
{
	struct vt t = { .mode = VT_GROUND };
	enum vt_event event;
	size_t i = 0, n = 0, used;

	for (; i < len; i += used) {
		if (n == 0)
			n = piece + i % 3;
		if (n > len - i)
			n = len - i;
		used = vt_feed(&t, bytes + i, n, &event);
		n -= used;
		assert(used > 0 || event != VT_MORE);
		take_event(&t, event, lines);
		if (event == VT_HARD)
			assert(vt_begins(&t));
	}
	vt_rest(&t);
	check_line(&t);
	buf_add(lines, t.line.data, t.line.len);
	vt_release(&t);
}

static void
check(const char *bytes, size_t len)
{
	static const size_t pieces[] = { 1, 2, 7, 100 };
	struct buf whole = BUF_INIT, cut = BUF_INIT;
	size_t i;

	add_lines(&whole, bytes, len, len + 1);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		buf_reset(&cut);
		add_lines(&cut, bytes, len, pieces[i]);
		assert(cut.len == whole.len);
		assert(memcmp(buf_str(&cut), buf_str(&whole), cut.len) == 0);
	}
	buf_release(&whole);
	buf_release(&cut);
}
