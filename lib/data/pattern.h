/*
 * pattern.h - the one door to pcre2: patterns of users and backends.
 *
 * Patterns are UTF; a line feed ends a line.  Invalid bytes match nothing.
 * Limits keep every search below a fraction of a second.
 */
#ifndef PANEWARD_PATTERN_H
#define PANEWARD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum { PATTERN_MAX = 4096 };            /* bytes */

struct pattern;

/* lines: ^ and $ match at each line.  NULL: refused; error (of size bytes) says
 * why.  With error NULL it compiles at the first use; a bad one matches
 * nothing. */
struct pattern *pattern_new(const char *text, bool lines, char *error,
    size_t size);
void pattern_free(struct pattern *);            /* NULL is fine */

bool pattern_has_group(struct pattern *, const char *name);

/* False also if a limit is hit. */
bool pattern_match(struct pattern *, const char *subject, size_t len);

/* The group's place in the last subject; name NULL: the whole match.  False: no
 * match, or the group took no part. */
bool pattern_group(const struct pattern *, const char *name, size_t *start,
    size_t *size);

#endif
