#include "marker/marker.h"

#include <string.h>

#include "base/text.h"

enum { INDENTED = 4 };          /* columns that make a block of code */

static bool
list_marker(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= '0' && p[n] <= '9')
		n++;
	return n + 1 < len && text_blank(p[n + 1]) &&
	    (n > 0 ? memchr(".)", p[n], 2) : memchr("-*+", p[n], 3)) != NULL;
}

static bool
only_shown(const char *p, size_t len)
{
	size_t i, column = 0;

	for (i = 0; i < len && text_blank(p[i]); i++)
		column = p[i] == '\t' ? (column / INDENTED + 1) * INDENTED :
		    column + 1;
	return column >= INDENTED || (i < len &&
	    (p[i] == '>' || list_marker(p + i, len - i)));
}

struct marker_hits
marker_source(const struct marker_set *set, const char *text, size_t len,
    struct fence *fence, struct buf *message)
{
	struct marker_text line = { .source = true };
	const char *end = text + len;
	struct marker_hits hits = { 0 };
	bool wanted = false;
	unsigned kinds;

	for (;;) {
		if (!text_line(&text, end, &line.text, &line.len)) {
			if (!wanted)
				break;
			line.text = end;        /* an error's message */
			line.len = 0;
		}
		if (line.len > 0 && line.text[line.len - 1] == '\r')
			line.len--;
		line.until = line.len;
		if (wanted && message != NULL) {
			buf_reset(message);
			marker_message_add(message, line.text, line.len);
		}
		kinds = fence_outside(fence, line.text, line.len) &&
		    !only_shown(line.text, line.len) ?
		    marker_set_find(set, &line, NULL) : 0;
		marker_hits_add(&hits, kinds);
		wanted = (kinds & MARKER_ERROR) != 0;
	}
	return hits;
}
