/*
 * row.h - one agent in the queue: what a person has to know of it.
 *
 * A row has a status record: that of an issue as the system shows it now, or
 * one that was never written, of a pane in which a known agent runs.  A row of
 * another host was read from its JSON.
 */
#ifndef PANEWARD_ROW_H
#define PANEWARD_ROW_H

#include "os/loop.h"
#include "os/proc.h"
#include "project/context.h"
#include "run/status.h"

/* ---- what a person has seen ---------------------------------------------- */

/*
 * Which agents a person has seen in their present state: <issue>.seen in
 * .paneward, with the episode.  It is seen if a tmux client has shown its pane,
 * if a command of paneward went there, or if the person said so.  The next state
 * has not been seen.
 */

enum seen {
	SEEN_NOT,
	SEEN_ONCE,
	SEEN_FORGOTTEN                  /* and is to leave the list */
};

/* The state of this moment, which ends when the agent does something else, or
 * its hand-off comes to need a person. */
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
	ROW_SEEN,                       /* and nothing more to do */
	ROW_RANKS
};
extern const char *const row_ranks[ROW_RANKS];  /* in a word */

struct row {
	char    *host;                  /* NULL: this one */
	char    *key;                   /* that the other host gave it; NULL: of
					   this one */
	char    *version;               /* of paneward there, if it is another;
					   NULL */
	char    *problem;               /* of the host itself, which has no
					   agent then; NULL: none */
	struct status status;
	bool     pane;                  /* a pane without an issue */
	char    *directory;             /* the status directory; NULL of a
					   pane */
	char    *project;               /* its folder; NULL: not known */
	char    *where;                 /* "session:1.0"; NULL: not known */
	msec     unwatched;             /* wall time since when; 0: watched */
	bool     alive;                 /* the agent, as far as is known */
	enum seen seen;                 /* in this state */
	bool     shown;                 /* a tmux client shows its pane now */
	enum row_rank rank;             /* set by row_rate() */
};

void row_release(struct row *);

/* Sets the rank, which depends on the state, the hand-off and seen. */
void row_rate(struct row *);

/* Does it need a person? */
bool row_needs(const struct row *);

/* Is the run over, and was that seen?  Or was it forgotten?  Then it leaves the
 * list. */
bool row_finished(const struct row *);

/* For qsort() of pointers: worst first, then what has waited longest. */
int  row_compare(const void *, const void *);

/* What a person calls it: the issue, or the place of the pane. */
const char *row_name(const struct row *);
/* The last folder of its project; "" if it is not known. */
const char *row_project(const struct row *);

/* Adds what no other row of the queue has, as long as the agent is there. */
void row_key(struct buf *, const struct row *);

/* What is asked, or why it is believed: "it asks for permission: rm -r build;
 * not watched since 14:02". */
void row_text(struct buf *, const struct row *, msec wall);

/* Adds the row as one line of JSON, without a line feed. */
void row_json(struct buf *, const struct row *);

/* Reads a row from its line, or its object of json.h.  False: it is none, and
 * the row is empty.  The host is the one that is named there, or NULL. */
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

/* By cell. */
extern const struct layout_column {
	const char *title;
	unsigned most;                  /* columns; more are cut off */
	unsigned text;                  /* the cell is left out if the text got
					   fewer columns; 0: it stays */
} layout_columns[CELLS];

struct layout {
	unsigned width[CELLS];          /* columns; 0: left out */
};

/* Adds what a cell of the row says.  If its text is wider than that, what the
 * agent said is worth more than why its state is believed. */
void layout_cell(struct buf *, const struct row *, enum cell, unsigned width,
    msec wall);

/* Fits the columns of all rows into a width, or into COLUMNS_ALL.  In a narrow
 * one cells are left out, the last one first, before the text gets too short. */
void layout_fit(struct layout *, struct row *const *, size_t n,
    unsigned width, msec wall);

/* Adds the row as one line, without its end.  color: with the sequences of
 * select graphic rendition. */
void layout_line(struct buf *, const struct layout *, const struct row *,
    bool color, msec wall);

/* How a rank stands out: a color from 1 to 7 as terminals number them, or 0;
 * bold, or dim. */
extern const struct layout_style {
	int  color;
	bool bold, dim;
} layout_styles[ROW_RANKS];

/* ---- its record, compared with the system: presence.c -------------------- */

/*
 * A record has the last verdict.  Since then the machine may have restarted,
 * and a tmux server, a pane's process, an agent or a watcher may have ended.
 * Processes are found by pid and start, without a call of tmux.
 *
 * Nothing is judged here: whether an ended run left a report is found by the
 * next watch or sweep.
 */

/* Records are compared with the system: its processes, sockets and locks. */
struct presence {
	int         state_fd;           /* .paneward of their status directory;
					   -1: none was entered */
	msec        wall;               /* the time */
	msec        swept;              /* the end of the last sweep; 0: none */
	msec        followed;           /* when one watcher last had all issues;
					   0: never */
	bool        listed;             /* locks are known */
	char *const *locks;             /* issues that have a lock's file */
	int         unsure;             /* errno of the last lock, if it could
					   not be looked at */
	char        boot[PROC_BOOT];
	struct proc server, last;       /* looked up last: runs share them */
};

void presence_init(struct presence *);
/* From now on it is about the records of this directory. */
void presence_enter(struct presence *, int state_fd);
/* The same with the issues that have a lock's file (lock.h) there, as argv_sort()
 * leaves them: the others are not looked up.  The list is used until
 * presence_leave(). */
void presence_locks(struct presence *, int state_fd, char *const *locks);
void presence_leave(struct presence *);

/*
 * Since when (wall time) did neither a watcher hold the record nor a sweep of
 * the last ten minutes judge it?  0: one did, the run is over, or
 * the lock could not be looked at.
 */
msec presence_unwatched(struct presence *, const struct status *);

/* Does the tmux server of its pane run, so that the pane may be there, if only
 * with what its process has left? */
bool presence_served(struct presence *, const struct status *);

/*
 * The end of something since the last verdict, as in "its tmux server has
 * ended", of a run that has not reported.  NULL: no end is known.
 */
const char *presence_ended(struct presence *, const struct status *);

/* Does the agent's process run?  Without one, that of its pane? */
bool presence_alive(struct presence *, const struct status *);

/* ---- which rows a queue has ---------------------------------------------- */

/* Called for a status record in that directory that cannot be read (error is its
 * errno), for an issue that was named and has none (0), and without an issue for
 * a file or folder that cannot; path NULL: the registry. */
typedef void queue_trouble(void *, const char *path, const char *issue,
    int error);

struct queue_how {
	const struct context *context;  /* where we are; borrowed */
	bool all;                       /* the projects of the registry, too */
	bool panes;                     /* tmux is asked for the agents in
					   panes */
	bool hosts;                     /* the configured hosts are asked */
	struct loop *loop;              /* it is live, in this one; or NULL */
	msec pace;                      /* of a live one: between looks at what
					   no event reports; 0: a second */
	bool names;                     /* only who is there: no issue is
					   judged */
	char *const *issues;            /* only these; NULL: all */
	size_t nissues;
	queue_trouble *trouble;         /* NULL: none is told */
	void *trouble_context;
};

#endif
