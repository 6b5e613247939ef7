/*
 * row.h - one agent in the queue: what a person has to know of it.
 *
 * A row has a status record: of an issue, compared with the system, or of a pane
 * in which a known agent runs, which may be in memory alone.  The row of another
 * host was read from its JSON.
 */
#ifndef PANEWARD_ROW_H
#define PANEWARD_ROW_H

#include "os/loop.h"
#include "os/proc.h"
#include "project/context.h"
#include "run/status.h"

/* ---- what a person has seen ---------------------------------------------- */

/*
 * <issue>.seen in .paneward has the episode of an agent that a person has seen:
 * a tmux client has shown its pane, a command of paneward went there, or the
 * person said so.  The next episode is not seen.
 */

enum seen {
	SEEN_NOT,
	SEEN_ONCE,
	SEEN_FORGOTTEN                  /* leaves the list */
};

/* An episode ends when the agent does something else, or its hand-off comes to
 * need a person. */
enum { SEEN_EPISODE = RUN_ID_LEN + 48 };
void seen_episode(char episode[SEEN_EPISODE], const struct status *);

/* SEEN_NOT also if the file cannot be read. */
enum seen seen_read(int state_fd, const char *issue, const char *episode);
/* -1 with errno. */
int  seen_write(int state_fd, const char *issue, const char *episode,
    enum seen);

/* ---- a row --------------------------------------------------------------- */

/* Worst first. */
enum row_rank {
	ROW_ASKING, ROW_ERROR, ROW_HANDOFF, ROW_DEAD, ROW_GONE, ROW_STALLED,
	ROW_WAITING, ROW_COMPLETE, ROW_LIMITED, ROW_UNKNOWN, ROW_WORKING,
	ROW_QUEUED,
	ROW_SEEN,                       /* nothing is left to do */
	ROW_RANKS
};

extern const struct row_style {
	const char *word;
	int  color;                     /* from 1 to 7 as terminals number
					   them, or 0 */
	bool bold, dim;
} row_styles[ROW_RANKS];

struct row {
	char    *host;                  /* NULL: this one */
	char    *key;                   /* given by the other host; or NULL */
	char    *version;               /* of paneward there, if it differs;
					   or NULL */
	char    *problem;               /* of the host, which then has no
					   agent; or NULL */
	struct status status;
	bool     pane;                  /* a pane without an issue */
	char    *directory;             /* status directory; NULL of a pane */
	char    *project;               /* its folder; NULL: unknown */
	char    *where;                 /* "session:1.0"; NULL: unknown */
	msec     unwatched;             /* wall time since when; 0: watched */
	bool     alive;                 /* the agent, as far as is known */
	bool     shown;                 /* on a tmux client's screen now */
	enum seen seen;                 /* in this state */
	enum row_rank rank;             /* set by row_rate() */
};

void row_release(struct row *);

/* Sets the rank by state, hand-off and seen. */
void row_rate(struct row *);

/* Does it need a person? */
bool row_needs(const struct row *);

/* Is the run over and seen, or was it forgotten?  Then it leaves the list. */
bool row_finished(const struct row *);

/* For qsort() of pointers: worst first, then longest waiting. */
int  row_compare(const void *, const void *);

/* The issue, or the place of the pane. */
const char *row_name(const struct row *);
/* The last folder of its project; "" if unknown. */
const char *row_project(const struct row *);

/* Adds a key, unique in the queue as long as the agent is there. */
void row_key(struct buf *, const struct row *);

/* Adds what is asked, or why the state is believed. */
void row_text(struct buf *, const struct row *, msec wall);

/* Adds the row as one line of JSON, without a line feed. */
void row_json(struct buf *, const struct row *);

/* Reads a row from its line, or its object of json.h.  The host is named there,
 * or NULL.  False: it is no row, and the struct is empty. */
bool row_parse(struct row *, const char *line, size_t len);
struct json;
bool row_take(struct row *, struct json *);

/* ---- as the columns of a terminal: layout.c ------------------------------ */

/* In their order on the line. */
enum cell {
	CELL_HOST, CELL_NAME, CELL_STATE, CELL_AGE, CELL_AGENT, CELL_PROJECT,
	CELL_PANE, CELL_TOKENS, CELL_TEXT,
	CELLS
};

extern const struct layout_column {
	const char *title;
	unsigned most;                  /* columns before it is cut */
	unsigned text;                  /* the text needs so many columns, or
					   the cell is left out; 0: it stays */
} layout_columns[CELLS];

struct layout {
	unsigned width[CELLS];          /* columns; 0: left out */
};

/* Adds a cell of the row.  A text that is wider than that becomes the agent's
 * own message, if there is one. */
void layout_cell(struct buf *, const struct row *, enum cell, unsigned width,
    msec wall);

/* Fits the columns of all rows into a width, or into COLUMNS_ALL.  Cells are
 * left out from the last one on before the text gets too short. */
void layout_fit(struct layout *, struct row *const *, size_t n,
    unsigned width, msec wall);

/* Adds the row as one line, without its end.  color: with escape sequences. */
void layout_line(struct buf *, const struct layout *, const struct row *,
    bool color, msec wall);

/* ---- its record, compared with the system: presence.c -------------------- */

/*
 * Since the last verdict the machine may have restarted, and a tmux server, a
 * pane's process, an agent or a watcher may have ended.  Processes are found by
 * pid and start, without tmux.  Only a watch or a sweep can judge whether an
 * ended run left a report.
 */

struct presence {
	int         state_fd;           /* the .paneward that was entered; or
					   -1 */
	msec        wall;               /* now */
	msec        swept;              /* end of the last sweep; 0: none */
	msec        followed;           /* when a watcher last held all issues;
					   0: never */
	bool        listed;             /* locks has all lock files, sorted: no
					   other lock is looked up */
	char *const *locks;             /* their issues */
	int         unsure;             /* errno of the last lock look-up; 0 */
	char        boot[PROC_BOOT];
	struct proc server, last;       /* last look-ups, which runs share */
};

void presence_init(struct presence *);
/* The next records are those of this directory. */
void presence_enter(struct presence *, int state_fd);

/* Wall time since when neither a watcher held the record nor a sweep of the last
 * ten minutes judged it.  0: one did, the run is over, or the lock could not be
 * looked up. */
msec presence_unwatched(struct presence *, const struct status *);

/* Does the pane's tmux server run, so that the pane may be there, if only with
 * what its process has left? */
bool presence_served(struct presence *, const struct status *);

/* The end of something since the last verdict, "its tmux server has ended", of a
 * run that has not reported.  NULL: no end is known. */
const char *presence_ended(struct presence *, const struct status *);

/* Does the agent's process run, or if it has none, its pane's? */
bool presence_alive(struct presence *, const struct status *);

#endif
