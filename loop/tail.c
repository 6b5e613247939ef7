#include "loop/tail.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/utf8.h"
#include "marker/vt.h"
#include "os/compat.h"

static void
add_tail_line(struct buf *text, const struct vt *vt)
{
	buf_add(text, vt->line.data, vt->line.len);
	buf_addc(text, '\n');
}

static void
add_tail_lines(struct buf *text, const char *bytes, size_t len)
{
	struct vt vt = { 0 };
	enum vt_event event;
	size_t used;

	for (; len > 0; bytes += used, len -= used) {
		used = vt_feed(&vt, bytes, len, &event);
		if (event == VT_FULL) {
			buf_add(text, vt.line.data, vt.line.len / 2);
			vt_drop(&vt, vt.line.len / 2);
		} else if (event != VT_MORE) {
			add_tail_line(text, &vt);
			vt_next(&vt);
		}
	}
	if (vt.line.len > 0)
		add_tail_line(text, &vt);
	vt_release(&vt);
}

int
tail_add(struct buf *text, int log, uint64_t from, uint64_t to)
{
	size_t size = (size_t)(to - from), have = 0;
	struct buf raw = BUF_INIT;
	char *bytes = buf_room(&raw, size + 1);
	ssize_t n = 1;

	while (have < size && n > 0) {
		n = pread(log, bytes + have, size - have,
		    (off_t)(from + have));
		if (n == -1 && errno == EINTR)
			n = 1;
		else if (n > 0)
			have += (size_t)n;
	}
	add_tail_lines(text, bytes, have);
	buf_release(&raw);
	return n == -1 ? -1 : 0;
}

int
tail_read(struct buf *text, int log)
{
	struct stat st;
	uint64_t size;

	if (fstat(log, &st) == -1)
		return -1;
	size = (uint64_t)st.st_size;
	return tail_add(text, log, size > TAIL_MAX ? size - TAIL_MAX : 0, size);
}

/* How many bytes of a text fit into so many columns, if most characters beyond
 * Latin, Greek and Cyrillic take two. */
static size_t
fitting(const char *text, size_t len, size_t columns)
{
	size_t at = 0, size, width;
	unsigned long c;

	for (; at < len; at += size) {
		c = 0;
		size = utf8_decode(text + at, len - at, &c);
		if (size == 0)
			size = 1;
		width = c >= 0x1100 && (c < 0x2000 || c > 0x2e7f) ? 2 : 1;
		if (width > columns)
			break;
		columns -= width;
	}
	return at;
}

void
tail_last_line(struct buf *out, const struct buf *text, size_t columns)
{
	const char *end = text->data + text->len, *line;
	struct buf shown = BUF_INIT;

	for (; text->len > 0 && shown.len == 0 && end > text->data;
	    end = line - (line > text->data)) {
		line = memrchr(text->data, '\n', (size_t)(end - text->data));
		line = line != NULL ? line + 1 : text->data;
		utf8_add_shown(&shown, line, (size_t)(end - line), columns);
	}
	msg_escape(out, buf_str(&shown), fitting(shown.data, shown.len,
	    columns));
	buf_release(&shown);
}
