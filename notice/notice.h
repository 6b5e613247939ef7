/*
 * notice.h - tells a person of a change, in the ways of `notify`.
 *
 * An episode lasts until the agent leaves its state, or asks something else.
 * Its notice is not lost: the write that records the state also records that
 * the notice is due, until each way has sent it once, or a person saw the agent
 * in its state (queue/row.h).  Watchers and sweeps start a try, notify-run,
 * under the issue's lock.
 */
#ifndef PANEWARD_NOTICE_NOTICE_H
#define PANEWARD_NOTICE_NOTICE_H

#include "queue/row.h"
#include "run/jobenv.h"
#include "tmux/tmux.h"

enum { NOTICE_JOIN = 2000 };            /* ms; joins a run's notices */

bool notice_wanted(const struct status *, enum notice, const struct config *);

/* An episode, or an attempt of its hand-off, begins or ends a notice. */
void notice_take(struct status *, const struct config *);
void notice_take_handoff(struct status *, const struct config *);

/* ms until the notice is sent or repeated, or this is worth another call;
 * CLOCK_NEVER: none is due.  Clears a notice that was sent, seen, or is no
 * longer wanted. */
msec notice_wait(struct status *, const struct config *, int state_fd,
    msec wall);

/* Journals the first try.  -1 with errno. */
int  notice_send(const struct context *, const struct status *);

/*
 * ---- the tries of an episode: .paneward/ISSUE.notice
 *
 * Each line begins with the episode, then has the result of the last try,
 *
 *	begun, again    notify-run is to send it, or to repeat it
 *	sent, failed    by all ways; not by all ways
 *	seen            a person looked at the pane: nothing is sent
 *
 * or sent, later or failed with one way's id.  A try replaces the file, but
 * keeps the ways' results; its process adds lines.
 */

struct noticemark {
	char   word[8];                 /* empty: not tried */
	msec   since;                   /* of the last line, wall time */
	char **lines;
};

/* The caller frees the lines. */
void noticemark_read(struct noticemark *, int state_fd, const char *issue,
    const char *episode);

bool noticemark_has(const struct noticemark *, const char *word,
    const char *way);

int  noticemark_begin(int state_fd, const char *issue, const char *episode,
    const char *word, const struct noticemark *before);
/* Adds a line; way may be NULL.  -1 with errno. */
int  noticemark_add(int state_fd, const char *issue, const char *episode,
    const char *word, const char *way);

/*
 * ---- one notice, and one way to send it; noticesend.c
 *
 * A text holds nothing that a terminal obeys, and each way escapes what its
 * reader would obey.  Only short commands send; they leave their texts to the
 * system.
 */

/* Seconds that a way may take, then until a kill. */
enum { NOTICE_LIMIT = 10, NOTICE_GRACE = 2 };

struct noticetext {
	char *title;            /* "paneward 42 asking (claude in shop)" */
	char *body;             /* "rm -r build - its task | paneward attach
				   42" */
	bool  urgent;
};

/* target is for `attach`.  agent, project, message and task may be NULL.  Long
 * ones are cut. */
void noticetext_init(struct noticetext *, const char *name, const char *target,
    const char *state, const char *agent, const char *project,
    const char *message, const char *task);

/* LATER: no terminal is there to show it. */
enum noticesend { NOTICESEND_DONE, NOTICESEND_LATER, NOTICESEND_FAILED };

/* All is borrowed. */
struct notice_out {
	const struct noticetext   *text;
	const struct buf          *record;
	const char                *socket;
	const struct tmux_listing *listing;
	const char *const         *env;         /* of a command; NULL: ours */
};

/* Adds the result in words, without the way's name or address. */
enum noticesend noticesend_by(const struct notice_out *,
    const struct noticeway *, struct buf *said);

#endif
