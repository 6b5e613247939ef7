/*
 * needles.h - which of some short texts occur in a long one, at a glance.
 *
 * The case of ASCII letters is ignored.  All are searched for at once: the
 * longer the shortest of them is, the faster.
 */
#ifndef PANEWARD_HOOK_NEEDLES_H
#define PANEWARD_HOOK_NEEDLES_H

#include <stdbool.h>
#include <stddef.h>

enum { NEEDLE_MIN = 3 };                /* bytes */

struct needle {
	const char *text;               /* lower case; borrowed */
	size_t      len;                /* NEEDLE_MIN or more */
	bool        seen;               /* the answer */
};

/* Sets seen of each. */
void needles_search(struct needle *, size_t count, const char *text,
    size_t len);

/* A letter of ASCII in lower case, any other byte as it is. */
unsigned char needles_lower(char);

#endif
