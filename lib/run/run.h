/*
 * run.h - one agent at work on one issue, in one pane.
 *
 * An adopted run began with the process in front of its pane, or without a pane
 * with its oldest file.
 */
#ifndef PANEWARD_RUN_H
#define PANEWARD_RUN_H

#include "project/statusdir.h"
#include "run/status.h"
#include "tmux/servers.h"

struct run_how {
	const struct project   *project;
	const struct statusdir *dir;
	const struct server_pane *where;        /* or NULL */
	const char *marker;             /* a custom one, or NULL */
	bool        fresh;
};

/* Kills the log writer of the record's pane, unless that is `where` (or NULL):
 * a new run's log must not hold its output. */
void run_stop_writer(const struct status *, const struct statusdir *,
    const struct server_pane *where);

/* -1 with the message: the record stays. */
int  run_begin(struct status *, const struct run_how *, struct buf *why);

/* Gives an interrupted start's record the pane that names its run. */
bool run_find_place(struct status *, const struct server_pane *);

/* The run for paneowner_past().  Empty: any pane may begin one. */
const char *run_of_panes(const struct status *);

/* Does the record's run stay the issue's?  old: its pane or none; found: the
 * issue's n panes. */
bool run_stands(const struct status *, const struct server_pane *old,
    const struct server_pane *found, size_t n);

enum { RUN_LISTED = 4 };
enum run_answer {
	RUN_STANDS,
	RUN_NEW,                /* in the only pane, or of files */
	RUN_MANY,               /* *panes lists them */
	RUN_NOTHING
};
enum run_answer run_resolve(const struct status *, const struct statusdir *,
    const struct server_pane *old, const struct server_pane *found, size_t n,
    struct buf *panes);

/* 1 with the time of the oldest file; 0: none; -1 with errno. */
int  run_oldest(const struct statusdir *, const char *issue, msec *oldest);

/* PANE_NONE without a place, PANE_SILENT if its server lives and has not
 * answered. Fills in the pane, or none. */
enum pane_life run_life(const struct servers *, const struct status *,
    struct server_pane *);

#endif
