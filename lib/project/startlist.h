/*
 * startlist.h - a list of issues to start: a line "ISSUE", a tab and its
 * prompt, or an object of JSON.  Lines that are empty or begin with '#' are
 * skipped.
 */
#ifndef PANEWARD_STARTLIST_H
#define PANEWARD_STARTLIST_H

#include <stddef.h>

#include "base/issue.h"

struct startlist_item {
	char   issue[ISSUE_MAX + 1];
	char  *place;                   /* "FILE:7" */
	char **options;                 /* of start, one word each */
	char **command;                 /* NULL: none of its own */
};

struct startlist {
	struct startlist_item *v;
	size_t                 n;
};

/* Reads a file; "-" is standard input.  Ends the program at a line that is
 * wrong, with its place. */
void startlist_read(struct startlist *, const char *path);
void startlist_release(struct startlist *);

#endif
