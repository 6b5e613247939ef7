/*
 * jsonedit.h - a JSON text changed where it is to be changed, nowhere else.
 *
 * The text is one that json_parse() accepts without comments.  A value is
 * named by its path: at which place it stands in its container, from 0 on,
 * and that one in its own, the outermost first; cJSON keeps the same order.
 * The path of the whole text is empty.
 *
 * What is put in looks like its neighbours: on lines of its own with their
 * indentation and their line ends, or on their line.  Every other byte stays.
 * So what was appended and is removed again leaves the text as it was, but
 * for blanks in a container that held nothing.
 *
 * -1 with errno EINVAL where there is no such place; then the text stays.
 */
#ifndef PANEWARD_SETUP_JSONEDIT_H
#define PANEWARD_SETUP_JSONEDIT_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "base/buf.h"

struct jsonedit_path {
	const size_t *places;           /* borrowed */
	size_t        depth;
};

/* Adds a value behind the last one of a container: with a key to an object,
 * with NULL to an array. */
int jsonedit_append(struct buf *text, struct jsonedit_path container,
    const char *key, const cJSON *value);

/* Removes a value, its key, and the comma that nobody needs any more. */
int jsonedit_remove(struct buf *text, struct jsonedit_path);

/* Puts another value in the place of one. */
int jsonedit_replace(struct buf *text, struct jsonedit_path,
    const cJSON *value);

#endif
