/*
 * text.h - bytes that may be anything.  A blank is a space or a tab.
 */
#ifndef PANEWARD_TEXT_H
#define PANEWARD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

bool text_blank(char);
/* In ASCII, whatever the locale. */
bool text_alnum(char);
/* Has it only those, and others? */
bool text_only(const char *text, const char *others);

const char *text_skip_blanks(const char *p, const char *end);

#define text_find(p, end, what, len) \
	memmem((p), (size_t)((end) - (p)), (what), (len))

/* Splits a line off.  False at the end. */
bool text_line(const char **rest, const char *end, const char **line,
    size_t *len);

bool text_empty(const char *text, size_t len);

/* A host for ssh: [A-Za-z0-9._@-]+, no option, which no shell expands. */
bool hostname_valid(const char *);
enum { HOSTNAME_MAX = 255 };

/* As for qsort(): bytes in order, but whole numbers by value. */
int text_order(const char *, const char *);

enum { TEXT_FEW = 24 };         /* names: compared one by one */

struct text_key {
	const char *text;
	size_t      len, place;
};

/* For qsort(): by name, then by place. */
int text_key_order(const void *, const void *);
/* A repeated name, or NULL.  May sort them. */
const struct text_key *text_twice(struct text_key *, size_t n);

/* A parser's refusal. */
struct text_error {
	unsigned line;                  /* from 1 */
	char     reason[128];
};

/* Always -1. */
int text_refuse(struct text_error *, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* FNV-1a: no defence against collisions. */
uint64_t text_hash(const char *text, size_t len);

#endif
