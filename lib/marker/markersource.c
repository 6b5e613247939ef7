#include "marker/markersource.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

enum { INDENTED = 4 };          /* columns that make a block of code */

/* The size of a list marker and the blank behind it, or 0. */
static size_t
list_marker(const char *p, size_t len)
{
	size_t n = 0;

	if (len > 0 && (*p == '-' || *p == '*' || *p == '+')) {
		n = 1;
	} else {
		while (n < len && p[n] >= '0' && p[n] <= '9')
			n++;
		if (n == 0 || n == len || (p[n] != '.' && p[n] != ')'))
			return 0;
		n++;
	}
	return n < len && text_blank(p[n]) ? n + 1 : 0;
}

/* Is the line part of a list, a quote, or an indented block? */
static bool
only_shown(const char *p, size_t len)
{
	size_t i, column = 0;

	for (i = 0; i < len && text_blank(p[i]); i++)
		column = p[i] == '\t' ? (column / INDENTED + 1) * INDENTED :
		    column + 1;
	if (column >= INDENTED)
		return true;
	return i < len && (p[i] == '>' || list_marker(p + i, len - i) > 0);
}

static unsigned
source_line_kinds(const struct marker_set *set, const char *line, size_t len)
{
	struct marker_text text = { .text = line, .len = len, .until = len,
	    .source = true };

	return only_shown(line, len) ? 0 : marker_set_find(set, &text, NULL);
}

struct marker_hits
marker_source(const struct marker_set *set, const char *text, size_t len,
    struct fence *fence, struct buf *message)
{
	struct marker_hits hits = { 0 };
	const char *p = text, *end = text + len, *next;
	bool wanted = false;
	unsigned kinds;

	for (; p < end; p = next) {
		const char *line_end = memchr(p, '\n', (size_t)(end - p));
		struct fence_line line = { .place = FENCE_BEFORE };
		bool inside = fence->mark != 0;
		size_t n;

		next = line_end ? line_end + 1 : end;
		n = (size_t)((line_end ? line_end : end) - p);
		if (n > 0 && p[n - 1] == '\r')
			n--;
		if (wanted && message != NULL) {
			buf_reset(message);
			marker_message_add(message, p, n);
		}
		fence_line_add(&line, p, n);
		kinds = fence_pass(fence, &line) || inside ? 0 :
		    source_line_kinds(set, p, n);
		marker_hits_add(&hits, kinds);
		wanted = (kinds & MARKER_ERROR) != 0;
	}
	if (wanted && message != NULL) {
		buf_reset(message);
		marker_message_add(message, "", 0);
	}
	return hits;
}
