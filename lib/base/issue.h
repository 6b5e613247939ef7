/*
 * issue.h - the id of a piece of work, and the id of one run of it.
 *
 * An issue is [A-Za-z0-9][A-Za-z0-9_-]{0,63} (SPEC 1).  Whatever is not is
 * refused before it becomes part of a path, a name or a command, so the rest
 * of the program may use an issue wherever it likes.  Ids are texts: 7 and 07
 * are two issues.
 */
#ifndef PANEWARD_ISSUE_H
#define PANEWARD_ISSUE_H

#include <stdbool.h>
#include <stddef.h>

enum { ISSUE_MAX = 64, RUN_ID_LEN = 36, NONCE_LEN = 8 };

bool issue_valid(const char *);
bool issue_valid_n(const char *, size_t len);

/*
 * The issue in a name that is made of it and what stands before and behind it,
 * as in "signal-complete-42"; false where the name is another one.
 */
bool issue_in_name(const char *name, const char *before, const char *behind,
    char issue[ISSUE_MAX + 1]);

/* A random UUID, lower case.  -1 where the system has no randomness. */
int  run_id_make(char id[RUN_ID_LEN + 1]);
bool run_id_valid(const char *);

#endif
