/*
 * takeover.h - another tool's configuration becomes the project's.
 *
 * What becomes of which key is data, templates/from/TOOL.json.  The new
 * .paneward.json is signed (data/ownfile.h).  One that init did not write, or
 * that a person has changed since, stays, and what would be written is printed.
 */
#ifndef PANEWARD_TAKEOVER_H
#define PANEWARD_TAKEOVER_H

#include <stdbool.h>

#include "base/buf.h"
#include "data/json.h"

struct takeover {
	const char *tool;
	const char *root;               /* of the project */
	bool        print;              /* nothing is written */
};

/* Prints what becomes of each key, and the difference; then writes the file.
 * Ends the program if it is refused. */
void takeover_run(const struct takeover *);

/*
 * Adds to config the text of the configuration, and to notes a line for each
 * key that is set, with its place in the file.  scripts is our folder of them.
 * -1 with the reason if the YAML text is none, or is no mapping.
 */
int takeover_translate(const cJSON *rules, const struct buf *yaml,
    const char *scripts, struct buf *config, struct buf *notes,
    struct buf *why);

#endif
