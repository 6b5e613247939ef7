/*
 * json.h - JSON as trees.
 *
 * A text is one value, valid UTF-8, without NUL, nested at most JSON_DEPTH
 * deep, and without repeated keys.  The escape of a NUL, or of half a
 * surrogate pair, is read as U+FFFD.  A list or object owns its values.
 */
#ifndef PANEWARD_JSON_H
#define PANEWARD_JSON_H

#include "base/base.h"

enum { JSON_DEPTH = 64 };

enum json_type {
	JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT
};

struct json {
	/* The child is the first one, whose prev is the last one. */
	struct json *parent, *child, *next, *prev;
	const char *key, *text;         /* of a member, of a text; or NULL */
	double number;                  /* 1 for true */
	unsigned char type;             /* enum json_type */
	bool apart;                     /* text is memory of its own */
	/* The line from 1; bytes: the key or value, the value, its end. */
	uint32_t line, from, open, to, key_len;
};

struct json_error {
	unsigned line;                  /* from 1 */
	char     reason[128];
};

/* NULL: refused; error may be NULL.  Comments are // and slash-star. */
struct json *json_parse(const char *text, size_t len, bool comments,
    struct json_error *error);
/* Stops reading behind the member of that name. */
struct json *json_parse_member(const char *text, size_t len, bool comments,
    const char *name, struct json_error *error);
void json_free(struct json *);          /* NULL is fine */
/* Takes it out of its parent, and frees it; NULL is fine. */
void json_remove(struct json *);
/* Copies into to, or without a parent (NULL). */
struct json *json_copy(struct json *to, const struct json *);

/* NULL is of no type. */
bool json_is(const struct json *, enum json_type);
bool json_is_true(const struct json *);
/* The order of members does not count. */
bool json_same(const struct json *, const struct json *);

#define json_each(each, of) \
	for ((each) = (of) != NULL ? (of)->child : NULL; (each) != NULL; \
	    (each) = (each)->next)
size_t json_size(const struct json *);
struct json *json_at(const struct json *list, size_t);  /* or NULL */
/* Or NULL. */
const char *json_text_of(const struct json *);
/* Is it a whole number within 2^53? */
bool json_whole(double);

/* NULL, or the fallback: the member is missing, of another type, or a number
 * that is not whole. */
struct json *json_member(const struct json *object, const char *name);
/* "a.0.b": names of members, numbers of lists. */
const struct json *json_follow(const struct json *from, const char *path);
#define json_text(object, name) json_text_of(json_member((object), (name)))
int64_t      json_number(const struct json *object, const char *name,
    int64_t fallback);
bool         json_bool(const struct json *object, const char *name,
    bool fallback);

/* Adds to an object by name, to a list without one, or to no parent (NULL).
 * text is for JSON_TEXT, number for JSON_NUMBER and JSON_BOOL. */
struct json *json_add(struct json *to, const char *name, enum json_type,
    const char *text, double number);
#define json_new_object()         json_add(NULL, NULL, JSON_OBJECT, NULL, 0)
#define json_new_list()           json_add(NULL, NULL, JSON_LIST, NULL, 0)
#define json_new_text(text)       json_add(NULL, NULL, JSON_TEXT, (text), 0)
#define json_add_object(to, name) json_add((to), (name), JSON_OBJECT, NULL, 0)
#define json_add_list(to, name)   json_add((to), (name), JSON_LIST, NULL, 0)
#define json_add_null(to, name)   json_add((to), (name), JSON_NULL, NULL, 0)
#define json_add_bool(to, name, is) \
	json_add((to), (name), JSON_BOOL, NULL, (is) ? 1 : 0)
#define json_add_number(to, name, number) \
	json_add((to), (name), JSON_NUMBER, NULL, (double)(number))
/* A NULL text adds nothing.  Each invalid byte becomes U+FFFD. */
void json_add_text(struct json *, const char *name, const char *text);
/* The same for names and texts in turn. */
#define json_add_texts(to, ...) \
	json_add_pairs((to), (const char *const[]){ __VA_ARGS__, NULL })
void json_add_pairs(struct json *, const char *const *);
void json_add_time(struct json *, const char *name, msec wall);
/* Adds a value without a parent. */
void json_append(struct json *list, struct json *);
/* Makes a text or null (NULL) of a value. */
void json_set_text(struct json *, const char *text);
#define json_drop(object, name) json_remove(json_member((object), (name)))

/* Adds the value as one line without any control. */
void json_print(struct buf *, const struct json *);
/* The same, and frees the value. */
void json_give(struct buf *, struct json *);
/* The same on standard output. */
void json_puts(struct json *);

#endif
