/*
 * queued.h - the issues that wait for their start: .paneward/queued.
 *
 * One file has all of them, in their order.  It is replaced whole, so a list is
 * queued at once or not at all.  Without such issues there is no file.
 *
 * An issue has the id of its future run.  It stays in the file until the record
 * has that run and its pane, so that it is started once wherever a process is
 * killed.  A writer of the file holds queued_open(); the starter of an issue
 * holds QUEUED_STARTS.
 */
#ifndef PANEWARD_QUEUED_H
#define PANEWARD_QUEUED_H

#include "project/statusdir.h"
#include "run/status.h"

enum { QUEUED_MOST = 1000 };            /* issues */

#define QUEUED_FILE "queued"            /* in .paneward */
#define QUEUED_STARTS ".starts"         /* a lock; no issue has that name */

struct queued {
	char     issue[ISSUE_MAX + 1];
	char     run[RUN_ID_LEN + 1];
	msec     since;                 /* wall time */
	unsigned at_once;               /* the most agents of the project, with
					   itself; 0: any number */
	bool     begun;                 /* its start has made something */
	char    *backend;
	char    *cwd;                   /* of `start` */
	char   **words;                 /* of `start`, with its options */
	char   **env;                   /* "NAME=value", of its start */
};

struct queued_list {
	struct queued *v;
	size_t         n;
	char         **holders;         /* NULL: not read */
};

/* -1 with errno; EBADMSG: the file is damaged. */
int  queued_read(struct queued_list *, int state_fd);
/* Replaces the file; removes it if the list is empty.  -1 with errno. */
int  queued_write(const struct queued_list *, int state_fd);
void queued_release(struct queued_list *);

/* NULL: it is not in the list. */
struct queued *queued_find(const struct queued_list *, const char *issue);
void queued_drop(struct queued_list *, struct queued *);
/* Drops the issue from the file, with a run only that one.  -1 with errno:
 * ENOENT if it is not there, EBUSY if its start has begun and run is NULL. */
int  queued_forget(int state_fd, const char *issue, const char *run);

/* Locks the file for a change, and reads it.  -1 with errno.  The caller always
 * releases the lock. */
int  queued_open(struct lock *, struct queued_list *, int state_fd);

/* Has its run a pane, or ended, by this record of the issue? */
bool queued_started(const struct queued *, const struct status *);

/* Does the record's agent hold a place?  Until its run is over or has failed,
 * and complete work is handed off. */
bool queued_holds(const struct status *);
/* The issues whose agents do, for argv_free().  NULL with errno. */
char **queued_holders(int state_fd);

/* Fills in the record that a waiting issue shows.  Reads the holders once. */
void queued_record(struct queued_list *, const struct queued *, int state_fd,
    struct status *);

/* If issues wait, begins a process that starts the next ones.  Failures are
 * silent: another look follows. */
void queued_go(const struct statusdir *);

#endif
