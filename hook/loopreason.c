#include "hook/loopreason.h"

#include <string.h>

#include "base/utf8.h"
#include "marker/defang.h"

/* Control characters are dropped, of CR LF the CR; tabs and lines stay. */
static void
add_printable(struct buf *out, const char *text, size_t len)
{
	unsigned long c;
	size_t size;

	for (; len > 0; text += size, len -= size) {
		size = utf8_decode(text, len, &c);
		if (size == 0)
			size = 1;
		else if (c != '\n' && c != '\t' &&
		    (c < 0x20 || (c >= 0x7f && c < 0xa0)))
			continue;
		buf_add(out, text, size);
	}
}

void
loopreason_add(struct buf *out, const char *text, size_t len)
{
	struct buf printable = BUF_INIT;
	const char *end, *p;

	if (len == 0)
		return;                 /* text may be NULL */
	end = text + len;
	if (len > LOOPREASON_MAX) {
		p = memchr(end - LOOPREASON_MAX, '\n', LOOPREASON_MAX);
		text = p != NULL ? p + 1 : end - LOOPREASON_MAX;
		buf_adds(out, "(What is older has been left out.)\n");
	}
	add_printable(&printable, text, (size_t)(end - text));
	defang_add(out, buf_str(&printable), printable.len, NULL,
	    DEFANG_BLANK);
	buf_release(&printable);
}
