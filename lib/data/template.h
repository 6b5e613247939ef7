/*
 * template.h - <<name>> in a text (tests/vectors/README.md, "templates").
 *
 * <<name>> and {{name}} mean the same; name is [A-Za-z_][A-Za-z0-9_]*.  One
 * pass from left to right inserts values byte for byte and does not expand them
 * again.  <<name|sh>> (and {{name|sh}}) inserts the value quoted for a POSIX
 * shell.  A malformed or unknown placeholder stays as it is.
 *
 * \<<name>> is the placeholder as text, \\<<name>> a backslash and the
 * expansion of <<name>>, for unknown names too.  Any other backslash is text.
 *
 * Time is n log n in the size of text and output, times the number of values.
 */
#ifndef PANEWARD_TEMPLATE_H
#define PANEWARD_TEMPLATE_H

#include "base/base.h"

/* The most an expansion may add: a few bytes can ask for much. */
enum { TEMPLATE_OUT_MAX = 64 << 20 };

struct template_value {
	const char *name;               /* borrowed, NUL-ended */
	const char *value;              /* borrowed; may hold NUL */
	size_t      len;
};

/* Adds the expansion of text.  The first of several values of one name counts.
 * unknown (may be NULL) gets each name without a value once, in order of
 * appearance, ended by a NUL byte.  -1 with errno EFBIG, and a part of it in
 * out, if the expansion is larger than TEMPLATE_OUT_MAX. */
int  template_expand(struct buf *out, const char *text, size_t len,
    const struct template_value *, size_t count, struct buf *unknown);

bool template_name_valid(const char *name);

/* Adds text as one word of a POSIX shell, always in quotes.  It keeps NUL
 * bytes, which no shell word can have. */
void template_quote(struct buf *out, const char *text, size_t len);

#endif
