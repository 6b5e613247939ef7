/*
 * fields.h - a struct as a JSON object and back, from one table.
 *
 * A table has one row per member, in the order of writing, and ends with a row
 * of zeros.  A missing or unsuitable field gets its fallback; if required, it
 * refuses the object.  Allocated members are empty before reading;
 * fields_release() frees them, after a failed read too.
 *
 * The table of a file has a FIELD_CONSTANT, its format.  A change that an older
 * paneward would misread raises it, and the older one refuses the file; a new
 * member that it may ignore, and lose, does not.
 */
#ifndef PANEWARD_FIELDS_H
#define PANEWARD_FIELDS_H

#include "base/base.h"

enum field_kind {
	FIELD_CONSTANT,                 /* the number fallback: the format */
	FIELD_TEXT,                     /* char *; NULL is not written */
	FIELD_WORD,                     /* char[]; too long: empty */
	FIELD_LETTER,                   /* char, one of names[0]; 0: empty */
	/* Numbers in the struct: */
	FIELD_SIGNED,                   /* int, long, int64_t, pid_t */
	FIELD_UNSIGNED,                 /* unsigned, uint64_t */
	FIELD_BOOL,
	FIELD_TIME,                     /* msec, as UTC text; 0: unknown */
	FIELD_NAME,                     /* enum, as one of names */
	FIELD_CODED,                    /* text of print and parse */
	FIELD_WORDS,                    /* char ** */
	FIELD_OBJECT,                   /* a struct */
	FIELD_LIST                      /* pointer to structs, size_t */
};

struct field {
	const char *key;
	enum field_kind kind;
	uint16_t at, size;              /* FIELD_AT() */
	/* FIELD_LIST: a struct's size, the offset of their number. */
	uint16_t each, count, nnames;
	bool omit;                      /* does not write the fallback */
	bool required;
	bool inside;                    /* for us alone */
	int64_t fallback;
	bool (*when)(const void *);     /* false: not written */
	const char *const *names;       /* FIELD_NAMES() */
	/* FIELD_CODED: adds the struct's text. */
	void (*print)(struct buf *, const void *);
	/* Reads a FIELD_CODED; called for any FIELD_OBJECT. */
	void (*parse)(void *, const char *text);
	/* FIELD_WORD: copies what fits, instead of nothing; or NULL. */
	void (*fit)(char *to, size_t size, const char *text, size_t len);
	const struct field *fields;
};

#define FIELD_AT(type, member) \
	.at = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define FIELD_NAMES(array) \
	.names = (array), .nnames = sizeof(array) / sizeof((array)[0])

struct json;

/* False: all are their fallbacks. */
bool fields_add(struct json *object, const struct field *, const void *,
    bool inside);
/* Adds JSON without a line feed. */
void fields_print(struct buf *, const struct field *, const void *);
void fields_release(const struct field *, void *);
/* -1: refused, with some members set. */
int  fields_parse(const struct field *, void *, const char *text, size_t len);
int  fields_take(const struct field *, void *, const struct json *);

/* Replaces the file.  -1 with errno: the old one stands. */
int fields_write(int dirfd, const char *name, const struct field *,
    const void *);
/* 1; 0: no file; -1 with errno, EBADMSG: refused, ENEWER: by its format.  A
 * file without a format has the oldest one.  Callers set nested objects to their
 * fallbacks. */
int fields_read(int dirfd, const char *name, size_t limit,
    const struct field *, void *);

#endif
