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

/* What a new run begins with. */
struct run_how {
	const struct project   *project;
	const struct statusdir *dir;
	const struct server_pane *where;        /* NULL: only files are left */
	const char *marker;             /* a custom one, or NULL */
	bool        fresh;              /* everything older is stale */
};

/* Ends the log writer of the record's run, before a new run begins in another
 * pane. */
void run_stop_writer(const struct status *, const struct statusdir *,
    const struct server_pane *where);

/* Replaces the record, of the issue's last run or empty, by that of a new run.
 * Writes nothing.  -1 with *why, a whole message, if no id can be made or its
 * work tree cannot be looked for: the record stays. */
int  run_begin(struct status *, const struct run_how *, struct buf *why);

/* Does the record have a run but no place, since its start was interrupted, and
 * does this pane name the run?  Then the record gets the place. */
bool run_find_place(struct status *, const struct server_pane *);

/* The run that a pane of the issue has to name, if it names any; paneowner.h.
 * Empty if every pane may begin one: nothing is known, or only files of a run
 * whose pane was never seen. */
const char *run_of_panes(const struct status *);

/* Does the record's run stay the issue's?  old is its own pane, if it is there;
 * found are the n panes of the issue. */
bool run_stands(const struct status *, const struct server_pane *old,
    const struct server_pane *found, size_t n);

/* Which run does the issue have?  old and found as above; the caller has at
 * least RUN_LISTED of the n found. */
enum { RUN_LISTED = 4 };
enum run_answer {
	RUN_STANDS,             /* that of the record */
	RUN_NEW,                /* one in the only pane; without a pane, one
				   that only left files */
	RUN_MANY,               /* more than one pane: lists them in *panes */
	RUN_NOTHING
};
enum run_answer run_resolve(const struct status *, const struct statusdir *,
    const struct server_pane *old, const struct server_pane *found, size_t n,
    struct buf *panes);

/* Are there files of the issue?  1, and when the oldest was written; 0; -1 with
 * errno. */
int  run_oldest(const struct statusdir *, const char *issue, msec *oldest);

/* What became of a run's pane, by what the servers answer: PANE_NONE without a
 * place, PANE_SILENT if its server lives and has not answered.  Fills in the
 * pane, or none if it is not in the listing. */
enum pane_life run_life(const struct servers *, const struct status *,
    struct server_pane *);

#endif
