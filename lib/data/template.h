/*
 * template.h - <<name>> in a text (tests/vectors/README.md, "templates").
 *
 * <<name>> and {{name}} mean the same; name is [A-Za-z_][A-Za-z0-9_]*.  Values
 * are not expanded again.  <<name|sh>> inserts the value quoted for a POSIX
 * shell.  A malformed or unknown placeholder stays as it is.
 *
 * \<<name>> is the placeholder as text, \\<<name>> a backslash and the
 * expansion of <<name>>.  Any other backslash is text.
 *
 * Time is n log n in the size of text and output, times the number of values.
 */
#ifndef PANEWARD_TEMPLATE_H
#define PANEWARD_TEMPLATE_H

#include "base/base.h"

/* A few bytes can ask for much. */
enum { TEMPLATE_OUT_MAX = 64 << 20 };

struct template_value {
	const char *name;               /* borrowed, NUL-ended */
	const char *value;              /* borrowed; may hold NUL */
	size_t      len;
};

/* Of several values of one name the first counts.  unknown (may be NULL) gets
 * each name without a value once, ended by a NUL byte.  -1 with errno EFBIG:
 * larger than TEMPLATE_OUT_MAX. */
int  template_expand(struct buf *out, const char *text, size_t len,
    const struct template_value *, size_t count, struct buf *unknown);

bool template_name_valid(const char *name);

/* As one word of a POSIX shell.  NUL bytes are kept. */
void template_quote(struct buf *out, const char *text, size_t len);

#endif
