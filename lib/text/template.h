/*
 * template.h - <<name>> in a text (tests/vectors/README.md, "templates").
 *
 * <<name>> and {{name}} mean the same; name is [A-Za-z_][A-Za-z0-9_]*.  One
 * pass from left to right: values are inserted byte for byte and never looked
 * at again.  <<name|sh>> (and {{name|sh}}) inserts the value quoted for a
 * POSIX shell.  What is not well-formed or not known stays as it stands.
 *
 * \<<name>> is the placeholder as text, \\<<name>> a backslash and what
 * <<name>> gives, both whether the name is known or not.  Any other backslash
 * is text.
 *
 * Time is linear in the size of values, text and output.
 */
#ifndef PANEWARD_TEMPLATE_H
#define PANEWARD_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A few bytes can ask for much: what an expansion may add at most. */
enum { TEMPLATE_OUT_MAX = 64 << 20 };

struct template_value {
	const char *name;               /* borrowed, NUL-ended */
	const char *value;              /* borrowed; may hold NUL */
	size_t      len;
};

/*
 * Adds the expansion of text to out.  The first of the count values with the
 * right name is taken.  Names without a value are added to unknown, each
 * once, in order of appearance, each ended by a NUL byte; unknown may be NULL.
 * -1 with errno EFBIG, and a part of it in out, where the expansion is larger
 * than TEMPLATE_OUT_MAX.
 */
int  template_expand(struct buf *out, const char *text, size_t len,
    const struct template_value *, size_t count, struct buf *unknown);

/* Could <<name>> be a placeholder? */
bool template_name_valid(const char *name);

/* Adds text as one word of a POSIX shell, always in quotes.  A shell has no
 * word with a NUL byte in it; here it is kept. */
void template_quote(struct buf *out, const char *text, size_t len);

#endif
