/* quoted.h - JSON in tests: "{'a': 'b'}" instead of "{\"a\": \"b\"}". */
#ifndef PANEWARD_QUOTED_H
#define PANEWARD_QUOTED_H

#include "base/buf.h"

/* With double quotes in the place of single ones, until the next call. */
static inline const char *
quoted(const char *text)
{
	static struct buf json;

	buf_reset(&json);
	for (; *text != '\0'; text++)
		buf_addc(&json, *text == '\'' ? '"' : *text);
	return buf_str(&json);
}

#endif
