/*
 * fixture.h - what the unit tests of several files build.
 */
#ifndef PANEWARD_FIXTURE_H
#define PANEWARD_FIXTURE_H

#include <string.h>

#include "base/buf.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The text with another one in the place of each from, in one of a few buffers. */
static inline const char *
replaced(const char *text, const char *from, const char *to)
{
	static struct buf all[8];
	static unsigned next;
	struct buf *out = &all[next++ % COUNT(all)];

	for (buf_reset(out); *text != '\0'; text++)
		if (strncmp(text, from, strlen(from)) == 0) {
			buf_adds(out, to);
			text += strlen(from) - 1;
		} else {
			buf_addc(out, *text);
		}
	return buf_str(out);
}

#define quoted(text) replaced((text), "'", "\"")       /* JSON, legibly */

/* The words with a '|' behind each; "-" for no list. */
static inline const char *
joined(char *const *words)
{
	static struct buf out;

	buf_reset(&out);
	for (; words != NULL && *words != NULL; words++)
		buf_printf(&out, "%s|", *words);
	return words == NULL ? "-" : buf_str(&out);
}

#endif
