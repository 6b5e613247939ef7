/*
 * state.h - how far a loop has come: .paneward/loop-<issue>.json.
 *
 * It is written before a round begins and when it is over, beside and renamed,
 * so that after any end of the engine the next one knows where to go on, and
 * which agent it may have to end.
 */
#ifndef PANEWARD_LOOP_STATE_H
#define PANEWARD_LOOP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/issue.h"
#include "loop/manager.h"
#include "os/proc.h"

enum { STATE_ROUNDS = 1000 };           /* that are kept */

enum report { REPORT_JSON, REPORT_HTML, REPORTS };

/* How a round ended. */
enum round_end {
	ROUND_EXITED,                   /* the agent has ended by itself */
	ROUND_KEYWORD,
	ROUND_SIGNAL,                   /* signal-complete of the issue */
	ROUND_IDLE,
	ROUND_TIME,                     /* the loop's time is over */
	ROUND_LIMITED,                  /* by a usage limit */
	ROUND_INTERRUPTED,
	ROUND_NO_SESSION,
	ROUND_ENDS
};

struct round {
	long     iteration;
	msec     began, ended;          /* wall time */
	enum round_end end;
	int      exit_code, exit_signal;        /* -1: not so */
	uint64_t bytes;                 /* of output */
};

struct loop_state {
	/* What it was called with. */
	char    *issue;                 /* NULL: none */
	char    *backend, *manager, *keyword, *cwd;
	char    *prompt_file;           /* absolute; NULL: none */
	char   **words;                 /* COMMAND; NULL: the backend's */
	char    *reports[REPORTS];      /* absolute; NULL: none */
	int64_t  max_iterations, max_time, idle_timeout;        /* 0: none */
	int64_t  same_rounds;           /* that end it; 0: none do */

	/* How far it is. */
	msec     started;               /* wall time */
	msec     elapsed;               /* by all engines so far */
	long     done;                  /* rounds that are over */
	long     iteration;             /* the last one that was begun */
	long     failures, same;        /* of the last rounds, in a row */
	msec     limited_until;         /* wall time; 0: no usage limit */
	char    *reason;                /* why it ended; NULL: it has not */

	/* The session under way, of which this is left if the engine dies. */
	char     run[RUN_ID_LEN + 1];   /* empty: none */
	char     boot[PROC_BOOT];
	char    *title, *socket;        /* socket NULL: not known, or none */

	struct round *rounds;           /* the last ones */
	size_t   nrounds;
};

/* What it holds is JSON, which is text: other words would be lost. */
bool loop_state_holds(const char *);

/* The file's name in .paneward. */
void loop_state_name(char name[LOOP_FILE], const char *loop);

/* 1: read, 0: there is none, -1 with errno; EBADMSG: it is something else. */
int  loop_state_read(struct loop_state *, int state_fd, const char *loop);
int  loop_state_write(const struct loop_state *, int state_fd,
    const char *loop);
/* How long the engine that wrote it has run since then, as far as the log of
 * the round under way tells: 0 where none was. */
msec loop_state_since(const struct loop_state *, int state_fd,
    const char *loop);
void loop_state_release(struct loop_state *);

void loop_state_add(struct loop_state *, const struct round *);

/* "exited", "keyword", ...; "lost": it has ended, and nobody knows how. */
const char *round_end_name(const struct round *);
bool round_lost(const struct round *);
/* Did the agent fail? */
bool round_failed(const struct round *);
/* Has it done its work?  What was broken off is done again. */
bool round_counts(const struct round *);

#endif
