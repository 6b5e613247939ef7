/*
 * json.h - the one door to cJSON.
 *
 * Parsing is strict: the whole text must be one value, valid UTF-8, without
 * NUL, nested at most JSON_DEPTH deep, and without repeated keys.  The escape
 * of a NUL, or of half a surrogate pair, is read as U+FFFD.  Lookups are
 * case-sensitive.  Values are cJSON's, so that callers can walk them with
 * cJSON's own macros; json_free() frees them, and json_copy() copies them.
 */
#ifndef PANEWARD_JSON_H
#define PANEWARD_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"

enum { JSON_DEPTH = 64 };

struct json_error {
	unsigned line;                  /* from 1 */
	char     reason[128];
};

/*
 * NULL if the text breaks a rule above; then *error (which may be NULL) says
 * where and why.  With comments set, // and slash-star comments count as
 * blanks.
 */
cJSON *json_parse(const char *text, size_t len, bool comments,
    struct json_error *error);
/* With comments, an object of which one member is wanted: objects and lists
 * before it are skipped unchecked, and are null; what follows it is not read. */
cJSON *json_parse_member(const char *text, size_t len, const char *name,
    struct json_error *error);
#define json_free cJSON_Delete          /* NULL is fine */
/* cJSON_Duplicate() would borrow the keys. */
cJSON *json_copy(const cJSON *);
/* The line on which a value of the text begins; from 1. */
#define json_line(value) ((unsigned)(value)->valueint)

/* Where a value of a text stands. */
struct json_span {
	const cJSON *value;
	size_t   from;                  /* its key begins, or itself without */
	size_t   open, to;              /* itself, and behind it */
	size_t   container;             /* index of its container's span */
};

#define JSON_NOWHERE ((size_t)-1)       /* the container of the whole text */

/* In the order in which the values begin. */
struct json_spans {
	struct json_span *v;
	size_t n, room;
};

/* json_parse() that also fills in spans.  The caller releases them even after
 * NULL. */
cJSON *json_parse_spans(const char *text, size_t len, bool comments,
    struct json_spans *, struct json_error *error);
/* NULL for a value of another text. */
const struct json_span *json_span(const struct json_spans *, const cJSON *);
void   json_spans_release(struct json_spans *);

/* Members of an object; NULL, or the fallback, if the member is missing or of
 * another type.  Texts are borrowed from the object. */
const cJSON *json_member(const cJSON *object, const char *name);
/* Names of members, and numbers of lists, with dots between them. */
const cJSON *json_follow(const cJSON *from, const char *path);
const char  *json_text(const cJSON *object, const char *name);
int64_t      json_number(const cJSON *object, const char *name,
    int64_t fallback);          /* whole numbers within 2^53 only */
bool         json_bool(const cJSON *object, const char *name, bool fallback);

/* Adding to an object.  A NULL text adds nothing.  Invalid UTF-8 becomes
 * U+FFFD, byte by byte. */
void json_add_text(cJSON *object, const char *name, const char *text);
void json_add_time(cJSON *object, const char *name, msec wall);
#define json_add_number cJSON_AddNumberToObject
#define json_add_bool   cJSON_AddBoolToObject
#define json_add_null   cJSON_AddNullToObject
#define json_add_object cJSON_AddObjectToObject
cJSON *json_new_object(void);
/* Replaces a member that is there. */
#define json_set_null(object, name) \
	cJSON_ReplaceItemInObjectCaseSensitive(object, name, cJSON_CreateNull())
#define json_set_text(object, name, text) \
	cJSON_ReplaceItemInObjectCaseSensitive(object, name, \
	    cJSON_CreateString(text))
/* Takes a member out, if it is there. */
#define json_drop cJSON_DeleteItemFromObjectCaseSensitive

/* Adds the value as one line without any control.  Numbers keep their exact
 * value. */
void json_print(struct buf *, const cJSON *);
/* Prints the value as such a line on standard output, and frees it. */
void json_puts(cJSON *);

#endif
