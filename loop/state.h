/*
 * state.h - the state of a loop: .paneward/loop-<issue>.json.
 *
 * It is written before and after each round, beside and renamed.  After any end
 * of the engine the next one knows where to continue, and which agent it may
 * have to end.
 */
#ifndef PANEWARD_LOOP_STATE_H
#define PANEWARD_LOOP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/issue.h"
#include "loop/manager.h"
#include "os/proc.h"

enum { STATE_ROUNDS = 1000 };           /* so many are kept */

enum report { REPORT_JSON, REPORT_HTML, REPORTS };

/* How a round ended. */
enum round_end {
	ROUND_EXITED,                   /* the agent exited by itself */
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
	int      exit_code, exit_signal;        /* -1: none */
	uint64_t bytes;                 /* of output */
};

struct loop_state {
	char    *loop;                  /* its name, of a state that was read */

	/* What it was called with. */
	char    *issue;                 /* NULL: none */
	char    *backend, *manager, *keyword, *cwd;
	char    *prompt_file;           /* absolute; NULL: none */
	char   **words;                 /* COMMAND; NULL: the backend's */
	char    *reports[REPORTS];      /* absolute; NULL: none */
	int64_t  max_iterations, max_time, idle_timeout;        /* 0: none */
	int64_t  same_rounds;           /* that end it; 0: no limit */

	/* Its progress. */
	msec     started;               /* wall time */
	msec     elapsed;               /* ms of all engines so far */
	long     done;                  /* rounds that are over */
	long     iteration;             /* the last one that was begun */
	long     failures, same;        /* of the last rounds, in a row */
	msec     limited_until;         /* wall time; 0: no usage limit */
	char    *reason;                /* why it ended; NULL: it has not */

	/* The current session, for the next engine if this one is killed. */
	char     run[RUN_ID_LEN + 1];   /* empty: none */
	char     boot[PROC_BOOT];
	char    *title, *socket;        /* socket NULL: not known, or none */

	struct round *rounds;           /* the last ones */
	size_t   nrounds;
};

/* Can the state hold it?  JSON is UTF-8. */
bool loop_state_holds(const char *);

/* 1: read, 0: there is none, -1 with errno; EBADMSG: it is malformed. */
int  loop_state_read(struct loop_state *, int state_fd, const char *loop);
int  loop_state_write(const struct loop_state *, int state_fd,
    const char *loop);
/* How many ms the engine ran after it wrote the state, by the log of the
 * current round; 0: there was none. */
msec loop_state_since(const struct loop_state *, int state_fd,
    const char *loop);
void loop_state_release(struct loop_state *);

/* Replaces a text of a state by a copy; NULL: by none. */
void loop_state_text(char **, const char *text);
void loop_state_add(struct loop_state *, const struct round *);

/* "exited", "keyword", ...; "lost": the exit status is not known. */
const char *round_end_name(const struct round *);
bool round_lost(const struct round *);
/* Did the agent fail? */
bool round_failed(const struct round *);
/* False: it was broken off, and is repeated. */
bool round_counts(const struct round *);

#endif
