#include "marker/marker.h"

enum { BS = 0x08, CAN = 0x18, SUB = 0x1a, ESC = 0x1b, DEL = 0x7f };

static bool
vt_plain(unsigned char c)
{
	return (c >= 0x20 && c != DEL) || c == '\t';
}

static bool
within(unsigned char c, unsigned char first, unsigned char last)
{
	return c >= first && c <= last;
}

bool
vt_invisible(char c)
{
	return !vt_plain((unsigned char)c) && (c < '\n' || c > '\r');
}

/* Does c continue the character before the cursor? */
static bool
vt_continues(const struct vt *t, unsigned char c)
{
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned char before;
	size_t i;

	if ((c & 0xc0) != 0x80)
		return false;
	for (i = 1; i <= 3 && i <= t->at; i++) {
		before = (unsigned char)t->line.data[t->at - i];
		if ((before & 0xc0) != 0x80)
			return before >= lead[i];
	}
	return false;
}

static void
put(struct vt *t, unsigned char c)
{
	struct buf *line = &t->line;
	size_t old = 0;
	char *p;

	if (t->at < line->len && !vt_continues(t, c)) {
		old = utf8_decode(line->data + t->at, line->len - t->at, NULL);
		old += old == 0;
	}
	p = buf_room(line, 1) - line->len + t->at;
	memmove(p + 1, p + old, line->len - t->at - old);
	*p = (char)c;
	line->len += 1 - old;
	t->at++;
}

static enum vt_event
move(struct vt *t)
{
	if (t->line.len == 0)
		t->again = false;
	return t->line.len > 0 ? VT_SOFT : VT_MORE;
}

static enum vt_event
ground(struct vt *t, unsigned char c)
{
	size_t size;

	t->mode = c == ESC ? VT_ESCAPE : VT_GROUND;
	t->cr = c == '\r';
	if (c == '\n' || c == '\v' || c == '\f')
		return VT_HARD;
	if (c == BS && t->at > 0) {
		size = utf8_decode_last(t->line.data, t->at, NULL);
		t->at -= size > 0 ? size : 1;
	} else if (vt_plain(c)) {
		put(t, c);
	}
	return VT_MORE;
}

static enum vt_event
escape(struct vt *t, unsigned char c)
{
	if (!within(c, 0x20, 0x7e))
		return ground(t, c);
	t->mode = c < 0x30 ? VT_INTERMEDIATE : c == '[' ? VT_CSI :
	    c == ']' ? VT_OSC : strchr("PX^_k", c) != NULL ? VT_STRING :
	    VT_GROUND;
	return strchr("DEM", c) != NULL ? move(t) : VT_MORE;
}

static enum vt_event
step(struct vt *t, unsigned char c)
{
	bool csi = t->mode == VT_CSI;

	switch (t->mode) {
	case VT_ESCAPE:
		return escape(t, c);
	case VT_INTERMEDIATE:
	case VT_CSI:
		if (within(c, 0x20, csi ? 0x3f : 0x2f))
			return VT_MORE;
		if (!within(c, 0x20, 0x7e))
			return ground(t, c);
		t->mode = VT_GROUND;
		if (csi && strchr("ABEFHfd", c) != NULL)
			return move(t);
		if (csi && (c == 'C' || c == 'G') && t->line.len > 0)
			put(t, ' ');
		return VT_MORE;
	case VT_OSC:
	case VT_STRING:
		if (c == '\n')
			return ground(t, c);
		if (c == ESC)
			t->mode = VT_STRING_ESCAPE;
		else if (c == CAN || c == SUB ||
		    (c == '\a' && t->mode == VT_OSC))
			t->mode = VT_GROUND;
		return VT_MORE;
	case VT_STRING_ESCAPE:
		if (c != '\\')
			return escape(t, c);
		t->mode = VT_GROUND;
		return VT_MORE;
	default:
		return ground(t, c);
	}
}

size_t
vt_feed(struct vt *t, const char *bytes, size_t len, enum vt_event *event)
{
	size_t i = 0, from, room, end;
	unsigned char c;

	*event = VT_MORE;
	while (*event == VT_MORE) {
		if (t->mode == VT_GROUND && !t->cr && t->at == t->line.len) {
			from = i;
			room = VT_LINE_MAX - t->line.len;
			end = len - i < room ? len : i + room;
			while (i < end && vt_plain((unsigned char)bytes[i]))
				i++;
			buf_add(&t->line, bytes + from, i - from);
			t->at += i - from;
		}
		if (i == len)
			break;
		c = (unsigned char)bytes[i];
		if (t->line.len >= VT_LINE_MAX) {
			*event = VT_FULL;
		} else if (t->cr && c != '\r' && c != '\n') {
			t->cr = false;
			t->returned = t->line.len > 0;
			*event = t->returned ? VT_SOFT : VT_MORE;
		} else {
			*event = step(t, c);
			i++;
		}
	}
	return i;
}

void
vt_add_lines(struct vt *t, const char *bytes, size_t len, struct buf *lines)
{
	enum vt_event event;
	size_t used;

	for (; len > 0; bytes += used, len -= used) {
		used = vt_feed(t, bytes, len, &event);
		if (event == VT_FULL) {
			buf_add(lines, t->line.data, t->line.len / 2);
			vt_drop(t, t->line.len / 2);
		} else if (event != VT_MORE) {
			buf_add(lines, t->line.data, t->line.len);
			buf_addc(lines, '\n');
			vt_next(t);
		}
	}
}

void
vt_next(struct vt *t)
{
	buf_reset(&t->line);
	t->at = 0;
	t->again = t->returned;
	t->returned = false;
}

void
vt_drop(struct vt *t, size_t size)
{
	memmove(t->line.data, t->line.data + size, t->line.len - size);
	t->line.len -= size;
	t->at -= t->at < size ? t->at : size;
}

bool
vt_begins(const struct vt *t)
{
	return t->mode == VT_GROUND && !t->cr && t->line.len == 0;
}

void
vt_rest(struct vt *t)
{
	if (t->line.len == 0) {
		buf_release(&t->line);
	} else if (t->line.cap > t->line.len + 1) {
		t->line.cap = t->line.len + 1;
		t->line.data = xreallocarray(t->line.data, t->line.cap, 1);
	}
}

void
vt_release(struct vt *t)
{
	buf_release(&t->line);
	*t = (struct vt){ .mode = VT_GROUND };
}
