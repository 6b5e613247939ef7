/*
 * run.h - one agent at work on one issue, in one pane.
 *
 * A run that paneward did not start is adopted: it began when the process in
 * front of its pane did, or, where there is no pane any more, with the oldest
 * thing that it left behind.
 */
#ifndef PANEWARD_RUN_H
#define PANEWARD_RUN_H

#include <stdbool.h>

#include "run/project.h"
#include "run/status.h"
#include "run/statusdir.h"
#include "tmux/servers.h"

/* What a new run begins with. */
struct run_how {
	const struct project   *project;
	const struct statusdir *dir;
	const struct server_pane *where;        /* NULL: of what was left
						   behind */
	const char *marker;             /* a custom one, or NULL */
	bool        fresh;              /* what was there before is stale */
};

/*
 * Ends the log writer of the record's run, before a new run begins in another
 * pane.
 */
void run_stop_writer(const struct status *, const struct statusdir *,
    const struct server_pane *where);

/*
 * Replaces the record, that of the issue's last run or an empty one, by that of
 * a new run.  Nothing is written.  -1 with errno where no id can be made; then
 * the record is unchanged.
 */
int  run_begin(struct status *, const struct run_how *);

/* The record has a run but no place, since its start was cut short, and this
 * pane says that it is the run's. */
bool run_find_place(struct status *, const struct server_pane *);

/*
 * The run that a pane of the issue has to know, if it knows any; see
 * paneowner.h.  Empty where every pane may begin one: nothing is known, or only what was left
 * behind by a run whose pane was never seen.
 */
const char *run_of_panes(const struct status *);

/*
 * Does the record's run go on to be the issue's?  old is its own pane, as far
 * as it is there; found are the n panes that belong to the issue.
 */
bool run_stands(const struct status *, const struct server_pane *old,
    const struct server_pane *found, size_t n);

/*
 * Which run does the issue have?  old and found are those of run_stands(); the
 * caller has to have at least RUN_LISTED of the n found.
 */
enum { RUN_LISTED = 4 };
enum run_answer {
	RUN_STANDS,             /* that of the record */
	RUN_NEW,                /* one in the only pane, or, without a pane, of
				   what was left behind */
	RUN_MANY,               /* more than one pane: lists them in *panes */
	RUN_NOTHING
};
enum run_answer run_resolve(const struct status *, const struct statusdir *,
    const struct server_pane *old, const struct server_pane *found, size_t n,
    struct buf *panes);

/* What lies there of the issue, and since when (wall time); false: nothing. */
bool run_oldest(const struct statusdir *, const char *issue, msec *oldest);

/*
 * What became of a run's pane, as far as the servers tell: PANE_NONE without a
 * place, PANE_SILENT where its server lives and has not answered.
 */
enum pane_life run_life(const struct servers *, const struct status *,
    struct server_pane *);

#endif
