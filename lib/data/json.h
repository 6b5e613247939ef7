/*
 * json.h - JSON as trees.
 *
 * A text is one value, valid UTF-8, without NULs or repeated keys, nested at
 * most JSON_DEPTH deep.  The escape of a NUL, or half a surrogate pair, becomes
 * U+FFFD.  Lists and objects own their values.
 */
#ifndef PANEWARD_JSON_H
#define PANEWARD_JSON_H

#include "base/base.h"

enum { JSON_DEPTH = 64 };

enum json_type {
	JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT
};

struct json {
	/* child is the first; its prev is the last. */
	struct json *parent, *child, *next, *prev;
	const char *key, *text;         /* NULL: none */
	double number;                  /* 1 for true */
	unsigned char type;             /* enum json_type */
	bool apart;                     /* text is separate memory */
	/* line counts from 1; bytes: from (key, else value), open (value), to
	 * (end). */
	uint32_t line, from, open, to, key_len;
};

/* NULL: refused; error may be NULL.  Comments are // and slash-star.  Stops
 * behind the member of that name, unless it is NULL. */
struct json *json_parse_member(const char *text, size_t len, bool comments,
    const char *name, struct text_error *error);
#define json_parse(text, len, comments, error) \
	json_parse_member((text), (len), (comments), NULL, (error))
void json_free(struct json *);          /* NULL is fine */
/* Unlinks and frees it; NULL is fine. */
void json_remove(struct json *);
/* Adds a copy; to NULL: without a parent. */
struct json *json_copy(struct json *to, const struct json *);

/* NULL is of no type. */
bool json_is(const struct json *, enum json_type);
bool json_is_true(const struct json *);
/* Ignores the order of members. */
bool json_same(const struct json *, const struct json *);

#define json_each(each, of) \
	for ((each) = (of) != NULL ? (of)->child : NULL; (each) != NULL; \
	    (each) = (each)->next)
size_t json_size(const struct json *);
struct json *json_at(const struct json *list, size_t);  /* or NULL */
/* Or NULL. */
const char *json_text_of(const struct json *);
/* A whole number within 2^53? */
bool json_whole(double);

/* NULL or the fallback: the member is missing, of another type, or not
 * whole. */
struct json *json_member(const struct json *object, const char *name);
/* "a.0.b": names of members, numbers of lists. */
const struct json *json_follow(const struct json *from, const char *path);
#define json_text(object, name) json_text_of(json_member((object), (name)))
int64_t      json_number(const struct json *object, const char *name,
    int64_t fallback);
#define json_true(object, name) json_is_true(json_member((object), (name)))

/* name NULL: into a list; to NULL: no parent.  text is for JSON_TEXT, number
 * for JSON_NUMBER and JSON_BOOL. */
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
/* NULL adds nothing.  Invalid bytes become U+FFFD. */
void json_add_text(struct json *, const char *name, const char *text);
/* Names and texts in turn. */
#define json_add_texts(to, ...) \
	json_add_pairs((to), (const char *const[]){ __VA_ARGS__, NULL })
void json_add_pairs(struct json *, const char *const *);
#define json_add_time(to, name, wall) \
	json_add((to), (name), JSON_TEXT, CLOCK_WORDS(wall), 0)
/* The value has no parent yet. */
void json_append(struct json *list, struct json *);
/* Turns it into a text, or null (NULL). */
void json_set_text(struct json *, const char *text);
#define json_drop(object, name) json_remove(json_member((object), (name)))

/* Adds one line without controls. */
void json_print(struct buf *, const struct json *);
/* Prints and frees the value. */
void json_give(struct buf *, struct json *);
/* The same to standard output. */
void json_puts(struct json *);

#endif
