#include "marker/marker.h"

#include <string.h>

#include "base/text.h"

enum { INDENTED = 4 };          /* columns that make a block of code */

/* Does a list marker with a blank behind it begin here? */
static bool
list_marker(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= '0' && p[n] <= '9')
		n++;
	return n + 1 < len && text_blank(p[n + 1]) &&
	    (n > 0 ? memchr(".)", p[n], 2) : memchr("-*+", p[n], 3)) != NULL;
}

/* Is the line part of a list, a quote, or an indented block? */
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

/* ---- commands ------------------------------------------------------------ */

/* Does a line of shell commands give the text to an echo or printf? */
static bool
prints(const char *line, const char *text)
{
	static const char *const before[] = { "do", "then", "else", "!", "{" };
	const char *p, *from;
	size_t i, len;

	for (p = line; (p = strstr(p, text)) != NULL; p++) {
		for (from = p; from > line && !strchr(";|&\n(", from[-1]); )
			from--;
		from += strspn(from, " \t");
		for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
			len = strlen(before[i]);
			if (strncmp(from, before[i], len) == 0 &&
			    text_blank(from[len]))
				from += len + strspn(from + len, " \t");
		}
		len = strcspn(from, " \t");
		if (from[len] != '\0' &&
		    ((len == 4 && memcmp(from, "echo", len) == 0) ||
		    (len == 6 && memcmp(from, "printf", len) == 0)))
			return true;
	}
	return false;
}

bool
marker_command(const struct marker_set *markers, const char *command)
{
	const char *begin;
	size_t i;

	for (i = 0; (begin = marker_set_begin(i)) != NULL; i++)
		if (prints(command, begin))
			return true;
	return markers->custom[0] != '\0' && prints(command, markers->custom);
}
