/*
 * queued.h - the issues that wait for their start, in order: .paneward/queued.
 *
 * An issue stays in the file until the record has its run and pane: it starts
 * once wherever a process is killed.  A writer of the file holds queued_open();
 * the starter of an issue holds QUEUED_STARTS.  A failure returns -1 with
 * errno.
 */
#ifndef PANEWARD_QUEUED_H
#define PANEWARD_QUEUED_H

#include "project/statusdir.h"
#include "run/status.h"

enum { QUEUED_MOST = 1000 };

#define QUEUED_FILE "queued"
#define QUEUED_STARTS ".starts"

struct queued {
	char     issue[ISSUE_MAX + 1];
	char     run[RUN_ID_LEN + 1];
	msec     since;                 /* wall time */
	unsigned at_once;               /* the most agents, with itself; or 0 */
	bool     begun;
	char    *backend, *cwd;
	char   **words, **env;          /* of `start` */
};

struct queued_list {
	struct queued *v;
	size_t         n;
	char         **holders;
};

int  queued_read(struct queued_list *, int state_fd);
int  queued_write(const struct queued_list *, int state_fd);
void queued_release(struct queued_list *);

struct queued *queued_find(const struct queued_list *, const char *issue);
void queued_drop(struct queued_list *, struct queued *);
/* Drops the issue, or only that run.  ENOENT: it is not there; EBUSY: its start
 * has begun and run is NULL. */
int  queued_forget(int state_fd, const char *issue, const char *run);

/* The caller always releases the lock. */
int  queued_open(struct lock *, struct queued_list *, int state_fd);

bool queued_started(const struct queued *, const struct status *);

/* An agent lives until its run is over or failed, and handed off. */
bool queued_lives(const struct status *);
/* At its prompt it leaves its place of --at-once.  0: not at work; ms until
 * then; CLOCK_NEVER. */
msec queued_rest(const struct status *, msec wall);
/* The issues whose agents live, or are at work; NULL with errno. */
char **queued_agents(int state_fd, bool at_work);

void queued_record(struct queued_list *, const struct queued *, int state_fd,
    struct status *);

/* Begins a process that starts the next.  Failure is silent: another look
 * follows. */
void queued_go(const struct statusdir *);

#endif
