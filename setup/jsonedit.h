/*
 * jsonedit.h - changes to a JSON text that leave every other byte as it is.
 *
 * The text is one that json_parse() accepts without comments.  A value is named
 * by its place in the tree of the text.  Each change makes a new tree: pointers
 * into the old one are invalid.
 *
 * A new value looks like its neighbours: on lines of its own with their
 * indentation and their line ends, or on their line.  So removing what was
 * appended restores the text, but for blanks in a container that was empty.
 */
#ifndef PANEWARD_SETUP_JSONEDIT_H
#define PANEWARD_SETUP_JSONEDIT_H

#include "base/buf.h"
#include "data/json.h"

struct jsonedit {
	struct buf       *text;         /* borrowed */
	cJSON            *root;         /* its tree */
	struct json_spans spans;
};

/* -1 if the text is no JSON.  Release it in either case. */
int  jsonedit_init(struct jsonedit *, struct buf *text);
void jsonedit_release(struct jsonedit *);

/* Adds a value behind the last one of a container: with a key to an object,
 * with NULL to an array. */
void jsonedit_append(struct jsonedit *, const cJSON *container,
    const char *key, const cJSON *value);
/* Removes a value that is not the whole text, its key, and a comma. */
void jsonedit_remove(struct jsonedit *, const cJSON *);
/* Replaces a value by another one. */
void jsonedit_replace(struct jsonedit *, const cJSON *, const cJSON *by);

#endif
