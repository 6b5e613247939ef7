/*
 * row.h - one agent in the queue: its record, and what a person has to know.
 *
 * The record of a pane without an issue may be in memory alone.  A row of
 * another host comes from JSON.
 */
#ifndef PANEWARD_ROW_H
#define PANEWARD_ROW_H

#include "os/loop.h"
#include "project/context.h"
#include "run/status.h"

/* .paneward/<issue>.seen has the episode that a person has seen.  The state
 * ends it, or a hand-off that needs a person. */

enum seen { SEEN_NOT, SEEN_ONCE, SEEN_FORGOTTEN };

enum { SEEN_EPISODE = RUN_ID_LEN + 48 };
void seen_episode(char episode[SEEN_EPISODE], const struct status *);

enum seen seen_read(int state_fd, const char *issue, const char *episode);
int  seen_write(int state_fd, const char *issue, const char *episode,
    enum seen);

/* Worst first. */
enum row_rank {
	ROW_ASKING, ROW_ERROR, ROW_HANDOFF, ROW_DEAD, ROW_GONE, ROW_STALLED,
	ROW_WAITING, ROW_COMPLETE, ROW_LIMITED, ROW_UNKNOWN, ROW_WORKING,
	ROW_QUEUED, ROW_SEEN,
	ROW_RANKS
};

extern const struct row_style {
	const char *word;
	int  color;                     /* a terminal's, from 1 to 7; or 0 */
	bool bold, dim;
	const char *mark[2];            /* one column; [1]: UTF-8 */
} row_styles[ROW_RANKS];

/* Pointers may be NULL. */
struct row {
	char    *host;                  /* NULL: this one */
	char    *key;                   /* the other host's */
	char    *version;               /* of another paneward there */
	char    *problem;               /* of a host without agents */
	struct status status;
	char    *doing;                 /* the tool in use */
	bool     pane;                  /* without an issue */
	char    *directory;             /* status directory; NULL of a pane */
	char    *project;               /* its folder */
	char    *where;                 /* "session:1.0" */
	msec     unwatched;             /* wall time since when; or 0 */
	bool     alive, shown;          /* shown: on a tmux client's screen */
	enum seen seen;
	enum row_rank rank;
};

void row_release(struct row *);

/* Is it a session in its client's background, without pane and issue? */
bool row_session(const struct row *);

/* Sets the rank. */
void row_rate(struct row *);
bool row_needs(const struct row *);
/* Over and seen, or forgotten, it leaves the list. */
bool row_finished(const struct row *);

/* For qsort() of pointers: worst first, then longest waiting. */
int  row_compare(const void *, const void *);

/* The issue, or the place of the pane. */
const char *row_name(const struct row *);
/* Its last folder; or "". */
const char *row_project(const struct row *);

/* Adds a key, unique in the queue. */
void row_key(struct buf *, const struct row *);
/* Adds the question, or the reason of the state. */
void row_text(struct buf *, const struct row *, msec wall);
/* Adds what the state does not tell: the question, the tool, the answer. */
void row_says(struct buf *, const struct row *, msec wall);
/* "main, 3 files changed", or nothing. */
void row_tree(struct buf *, const struct row *);
/* While it works; "": nothing.  True: that is new. */
bool row_does(struct row *, const char *doing);
/* As in templates/output.schema.json. */
struct json *row_object(const struct row *);
/* Without a line feed. */
#define row_json(out, row) json_give((out), row_object(row))
/* Begins the object of an act on an agent, which is named as the person did;
 * did may be NULL.  The row (NULL: it is gone) gives its names and state. */
struct json *row_done(const struct row *, const char *target, const char *did);

/* False: the struct is empty. */
bool row_parse(struct row *, const char *line, size_t len);
bool row_take(struct row *, struct json *);

/* ---- layout.c ----------------------------------------------------------- */

enum cell {
	CELL_HOST, CELL_NAME, CELL_STATE, CELL_AGE, CELL_AGENT, CELL_PROJECT,
	CELL_PANE, CELL_TOKENS, CELL_TASK, CELL_TEXT,
	CELLS
};

extern const struct layout_column {
	const char *title;
	unsigned most;                  /* in a terminal of 80 */
	unsigned text;                  /* left out if CELL_TEXT has fewer
					   columns; 0: stays */
} layout_columns[CELLS];

struct layout {
	unsigned width[CELLS];          /* columns; 0: left out */
};

void layout_cell(struct buf *, const struct row *, enum cell, msec wall);

/* Fits rows and titles into a width or COLUMNS_ALL; leaves out the last
 * cells. */
void layout_fit(struct layout *, struct row *const *, size_t n,
    unsigned width, bool titled, msec wall);

/* Adds one line, without its end. */
void layout_line(struct buf *, const struct layout *, const struct row *,
    bool color, msec wall);

/* ---- presence.c --------------------------------------------------------- */

/* Finds ends since the last verdict by pid and start, without tmux.  It judges
 * nothing. */

struct presence {
	int         state_fd;
	msec        wall;
	msec        swept, followed;    /* end of the last sweep, and of a
					   watch of all issues; or 0 */
	char *const *names;             /* of the folder's files, sorted; or
					   NULL */
	size_t      nnames;
	int         blind;              /* errno of the folder's look, */
	int         unsure;             /* and of the last run's; or 0 */
	char        boot[PROC_BOOT];
	struct proc server, last;       /* last look-ups, which runs share */
};

void presence_init(struct presence *);
void presence_enter(struct presence *, int state_fd);

/* Wall time since when no watcher held the record and no recent sweep judged
 * it.  0: one did, the run is over, or that is unknown. */
msec presence_unwatched(struct presence *, const struct status *);
/* May the pane be there, since its tmux server runs? */
bool presence_served(struct presence *, const struct status *);
/* "its tmux server has ended", of a run without a report; or NULL. */
const char *presence_ended(struct presence *, const struct status *);
/* Does the agent's process run, or without one the pane's? */
bool presence_alive(struct presence *, const struct status *);

#endif
