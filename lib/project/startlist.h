/*
 * startlist.h - a list of issues to start: a line "ISSUE", a tab and its
 * prompt, or an object of JSON.  Empty lines and lines with '#' are skipped.
 */
#ifndef PANEWARD_STARTLIST_H
#define PANEWARD_STARTLIST_H

#include "base/base.h"
#include "base/issue.h"

struct startlist_item {
	char  *issue;
	char  *place;                   /* "FILE:7" */
	char **options;                 /* of start, one word each */
	char **command;                 /* or NULL */
};

struct startlist {
	struct startlist_item *v;
	size_t                 n;
};

/* "-" is standard input.  EXIT_COULD_NOT or, for a wrong line, EXIT_USAGE, with
 * the whole message.  The list lives as long as the program. */
enum exit_status startlist_read(struct startlist *, const char *path,
    size_t most, struct buf *error);

#endif
