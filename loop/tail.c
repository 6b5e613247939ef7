#include "loop/engine.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/utf8.h"
#include "marker/vt.h"
#include "os/compat.h"

void
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
