/*
 * jsonedit.h - a JSON text changed where it is to be changed, nowhere else.
 *
 * The text is one that json_parse() accepts without comments.  A value is
 * named by its place in the tree of the text.  Each change makes a new tree:
 * what pointed into the old one is gone.
 *
 * What is put in looks like its neighbours: on lines of its own with their
 * indentation and their line ends, or on their line.  Every other byte stays.
 * So what was appended and is removed again leaves the text as it was, but
 * for blanks in a container that held nothing.
 */
#ifndef PANEWARD_SETUP_JSONEDIT_H
#define PANEWARD_SETUP_JSONEDIT_H

#include "base/buf.h"
#include "text/json.h"

struct jsonedit {
	struct buf       *text;         /* borrowed */
	cJSON            *root;         /* its tree */
	struct json_spans spans;
};

/* -1 if the text is no JSON.  To be released in either case. */
int  jsonedit_init(struct jsonedit *, struct buf *text);
void jsonedit_release(struct jsonedit *);

/* Adds a value behind the last one of a container: with a key to an object,
 * with NULL to an array. */
void jsonedit_append(struct jsonedit *, const cJSON *container,
    const char *key, const cJSON *value);
/* Removes a value that is not the whole text, its key, and a comma. */
void jsonedit_remove(struct jsonedit *, const cJSON *);
/* Puts another value in the place of one. */
void jsonedit_replace(struct jsonedit *, const cJSON *, const cJSON *by);

#endif
