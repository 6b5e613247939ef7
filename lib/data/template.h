/*
 * template.h - <<name>> in a text (tests/vectors/README.md, "templates").
 *
 * <<name>> and {{name}} are the same; name is [A-Za-z_][A-Za-z0-9_]*.  Values
 * are not expanded again.  <<name|sh>> quotes the value for a POSIX shell.
 * Malformed or unknown placeholders stay.
 *
 * \<<name>> is the placeholder as text, \\<<name>> a backslash and the value.
 * Any other backslash is text.
 *
 * Time is n log n in text and output, times the number of values.
 */
#ifndef PANEWARD_TEMPLATE_H
#define PANEWARD_TEMPLATE_H

#include "base/base.h"

enum { TEMPLATE_OUT_MAX = 64 << 20 };

struct template_value {
	const char *name;               /* borrowed */
	const char *value;              /* borrowed; may hold NUL */
	size_t      len;
};

/* The first value of a name counts.  unknown (may be NULL) gets each name
 * without a value once, ended by a NUL byte.  -1 with EFBIG: larger than
 * TEMPLATE_OUT_MAX. */
int  template_expand(struct buf *out, const char *text, size_t len,
    const struct template_value *, size_t count, struct buf *unknown);

bool template_name_valid(const char *name);

/* One word of a POSIX shell; NULs are kept. */
void template_quote(struct buf *out, const char *text, size_t len);

#endif
