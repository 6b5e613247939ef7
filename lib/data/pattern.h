/*
 * pattern.h - the one door to pcre2: patterns that users and backends write.
 *
 * Patterns are UTF; lines end with a line feed.  Invalid bytes of a subject
 * match nothing.  Limits on memory and work keep every search below a fraction
 * of a second.
 */
#ifndef PANEWARD_PATTERN_H
#define PANEWARD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum { PATTERN_MAX = 4096 };            /* bytes */

struct pattern;

/* NULL: it does not compile; error (of size bytes) says why.  With error NULL
 * it compiles at the first use, and matches nothing if it does not: most of
 * paneward's own are never used. */
struct pattern *pattern_new(const char *text, char *error, size_t size);
void pattern_free(struct pattern *);            /* NULL is fine */

bool pattern_has_group(struct pattern *, const char *name);

/* Does it match somewhere in the subject?  False if a limit is hit. */
bool pattern_match(struct pattern *, const char *subject, size_t len);

/* In the last subject; name NULL: the whole match.  False if that did not
 * match, or the group took no part. */
bool pattern_group(const struct pattern *, const char *name, size_t *start,
    size_t *size);

#endif
