/*
 * issue.h - the id of a piece of work, and the id of one run of it.
 *
 * An issue is [A-Za-z0-9][A-Za-z0-9_-]{0,63}; other texts are refused before
 * they become part of a path or a command.  7 and 07 are two issues.
 */
#ifndef PANEWARD_ISSUE_H
#define PANEWARD_ISSUE_H

#include <stdbool.h>
#include <string.h>

enum { ISSUE_MAX = 64, ISSUE_FILE = ISSUE_MAX + 32 };
enum { RUN_ID_LEN = 36, NONCE_LEN = 8 };

bool issue_valid_n(const char *, size_t len);
bool issue_valid(const char *);

/* The issue in a name, as in "signal-complete-42"; or false. */
bool issue_in_name(const char *name, const char *before, const char *behind,
    char issue[ISSUE_MAX + 1]);

const char *issue_file(char name[ISSUE_FILE], const char *issue,
    const char *kind);
/* "<issue>.<kind>", in memory of the block. */
#define ISSUE_NAME(issue, kind) \
	issue_file((char[ISSUE_FILE]){ "" }, (issue), (kind))

/* A random UUID, lower case; or -1. */
int  run_id_make(char id[RUN_ID_LEN + 1]);
bool run_id_valid(const char *);

#endif
