/*
 * startlist.h - a list of issues to start: a line "ISSUE", a tab and its
 * prompt, or an object of JSON.  Lines that are empty or begin with '#' are
 * skipped.
 */
#ifndef PANEWARD_STARTLIST_H
#define PANEWARD_STARTLIST_H

#include "base/base.h"
#include "base/issue.h"

struct startlist_item {
	char  *issue;
	char  *place;                   /* "FILE:7" */
	char **options;                 /* of start, one word each */
	char **command;                 /* NULL: none of its own */
};

struct startlist {
	struct startlist_item *v;
	size_t                 n;
};

/* Reads a file of at most that many issues; "-" is standard input.
 * EXIT_COULD_NOT if it cannot be read, EXIT_USAGE if a line is wrong, with the
 * whole message in *error, its place first.  The list is released in any
 * case. */
enum exit_status startlist_read(struct startlist *, const char *path,
    size_t most, struct buf *error);
void startlist_release(struct startlist *);

#endif
