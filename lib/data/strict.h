/*
 * strict.h - reads a JSON object by a table of its keys.
 *
 * An unknown key, a wrong type or a number out of range fails with a message
 * that names file, line and key.
 */
#ifndef PANEWARD_STRICT_H
#define PANEWARD_STRICT_H

#include "data/json.h"

enum { STRICT_DEPTH = 8 };

struct strict {
	const char *from;               /* file or variable; NULL: none */
	const char *folder;             /* for relative paths */
	struct buf *error;
	bool shared;                    /* another person may write it */
	bool ours;                      /* paneward's own: patterns compile */
	bool lines;                     /* messages name from and line */
	const char *patterns;           /* sub-patterns; NULL: none */
	const char *keys[STRICT_DEPTH]; /* outermost first */
	size_t depth;
	const struct strict_row *row;
};

/* Sets the field from the value; -1 after strict_refuse(). */
typedef int strict_take(struct strict *, void *field, const struct json *value);

/* The last row has no key. */
struct strict_row {
	const char  *key;               /* "*": any other */
	strict_take *take;
	unsigned     at;                /* offset of the field */
	bool         personal;          /* refused in a shared file */
	bool         seconds;           /* may be "10m" */
	union {                         /* by take: */
		struct {                /* strict_number */
			int64_t least, most;
		};
		struct {                /* strict_word, strict_texts; or NULL */
			bool      (*valid)(const char *);
			const char *those;      /* valid ones, in words */
		};
	};
	const struct strict_row *rows;  /* of an object */
};

/* Allows comments.  NULL, -1 with the whole message in error. */
struct json *strict_parse(struct strict *, const struct buf *text);
int strict_file(struct strict *, const struct buf *text,
    const struct strict_row *, void *to);
int strict_read(struct strict *, const struct strict_row *, void *to,
    const struct json *object);

/* Frees texts and lists of texts; fields of other functions are the caller's.
 * NULL is fine. */
void strict_release(const struct strict_row *, void *of);

/* Adds place, key, and " is not a text".  Always -1. */
int strict_refuse(struct strict *, const struct json *value,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Kinds of field; each frees the former value. */
strict_take strict_text;                /* char * */
strict_take strict_filled;              /* the same, not empty */
strict_take strict_path;                /* the same, made absolute */
strict_take strict_word;                /* valid; those: "not an inbox" */
strict_take strict_texts;               /* char **, all valid */
strict_take strict_flag;                /* bool */
strict_take strict_number;              /* int64_t, least to most */
strict_take strict_object;              /* rows have offsets in it */
strict_take strict_ignored;             /* none; a text */
strict_take strict_ignored_texts;       /* none; a list of texts */
strict_take strict_ignored_object;      /* none; an object */

/* For argv_free(); NULL: no array of texts. */
char **strict_list(const struct json *array);

#endif
