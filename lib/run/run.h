/*
 * run.h - one agent at work on one issue, in one pane.
 *
 * A run that paneward did not start is adopted: it began with the process in
 * front of its pane, or, without a pane, with the oldest file that it left.
 */
#ifndef PANEWARD_RUN_H
#define PANEWARD_RUN_H

#include "project/statusdir.h"
#include "run/status.h"
#include "tmux/servers.h"

struct run_how {
	const struct project   *project;
	const struct statusdir *dir;
	const struct server_pane *where;        /* NULL: only files are left */
	const char *marker;             /* a custom one, or NULL */
	bool        fresh;              /* everything older is stale */
};

/* Kills the log writer of the record's pane, unless that is `where` (or NULL),
 * before a new run begins: its log must not hold this output. */
void run_stop_writer(const struct status *, const struct statusdir *,
    const struct server_pane *where);

/* Replaces the record, of the issue's last run or empty, by that of a new run.
 * Writes nothing.  -1 with the whole message in *why: the record stays. */
int  run_begin(struct status *, const struct run_how *, struct buf *why);

/* Gives the record the pane as its place, if its start was interrupted before
 * that and the pane names the run.  True if it did. */
bool run_find_place(struct status *, const struct server_pane *);

/* The run that the issue's panes may name (paneowner.h).  Empty: any pane may
 * begin one. */
const char *run_of_panes(const struct status *);

/* Does the record's run stay the issue's?  old is its own pane, if it is there;
 * found are the n panes of the issue. */
bool run_stands(const struct status *, const struct server_pane *old,
    const struct server_pane *found, size_t n);

/* The run of the issue; old and found as above, of which the caller has
 * RUN_LISTED at least. */
enum { RUN_LISTED = 4 };
enum run_answer {
	RUN_STANDS,             /* the record's */
	RUN_NEW,                /* one in the only pane, or of files alone */
	RUN_MANY,               /* several panes, listed in *panes */
	RUN_NOTHING
};
enum run_answer run_resolve(const struct status *, const struct statusdir *,
    const struct server_pane *old, const struct server_pane *found, size_t n,
    struct buf *panes);

/* 1, and when the oldest file of the issue was written; 0: there is none; -1
 * with errno. */
int  run_oldest(const struct statusdir *, const char *issue, msec *oldest);

/* The life of a run's pane by the servers' answers: PANE_NONE without a place,
 * PANE_SILENT if its server lives and has not answered.  Fills in the pane, or
 * none if it is not listed. */
enum pane_life run_life(const struct servers *, const struct status *,
    struct server_pane *);

#endif
