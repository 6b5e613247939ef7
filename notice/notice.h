/*
 * notice.h - tells a person of a change, in the ways of `notify`.
 *
 * There is one notice an episode: from entering a state until leaving it, or
 * until the agent asks something else.  A notice may be late but is not lost:
 * the write that records the state also records that the notice is due, and it
 * stays due until each way has sent it, or a person saw the agent in its state;
 * see queue/row.h.  A try that was cut short is repeated with the same
 * episode's id, by the ways that have not sent it.
 *
 * Watchers and sweeps start a try under the issue's lock.  It runs in a process
 * of its own (notify-run), so that they do not wait for it.
 */
#ifndef PANEWARD_NOTICE_NOTICE_H
#define PANEWARD_NOTICE_NOTICE_H

#include "os/file.h"
#include "queue/row.h"
#include "run/jobenv.h"
#include "tmux/tmux.h"

enum {
	NOTICE_JOIN = 2000              /* ms after a notice in which a run's
					   next ones become one */
};

/* Does the configuration want a notice of that kind, of the record? */
bool notice_wanted(const struct status *, enum notice, const struct config *);

/* An episode begins: sets whether its notice is due. */
void notice_take(struct status *, const struct config *);
/* The same after an attempt of its hand-off. */
void notice_take_handoff(struct status *, const struct config *);

/*
 * Time until the notice of the record is sent, or sent again, or until that is
 * worth another question, in ms; 0: now; CLOCK_NEVER: none is due.  Clears the
 * notice in the record if it was sent or seen, or is no longer wanted.
 */
msec notice_wait(struct status *, const struct config *, int state_fd,
    msec wall);

/* Starts a try; journals the first one.  -1 with errno. */
int  notice_send(const struct context *, const struct status *);

/*
 * ---- what of an episode's notice was tried: .paneward/ISSUE.notice
 *
 * Each line begins with the episode.  Behind it is what the last try came to,
 *
 *	begun, again    notify-run is to send it; again: though it was sent
 *	sent, failed    by all ways; not by all ways
 *	seen            a person looked at the pane, so nothing was to be sent
 *
 * or sent, later or failed with one way's id.  A try replaces the file and
 * keeps what is known of the ways.  Its process only adds lines: if another
 * episode has begun meanwhile, they are of no episode that matters.
 */

struct noticemark {
	char       word[8];             /* empty: the episode was not tried */
	msec       since;               /* the last line; wall time */
	struct buf lines;               /* without the episode */
};

#define NOTICEMARK_INIT { .since = 0 }

/* The caller releases its lines. */
void noticemark_read(struct noticemark *, int state_fd, const char *issue,
    const char *episode);

/* Is there such a line of that way? */
bool noticemark_has(const struct noticemark *, const char *word,
    const char *way);

/* A try begins; before is what is known of the ways, NULL: forget it.  -1 with
 * errno. */
int  noticemark_begin(int state_fd, const char *issue, const char *episode,
    const char *word, const struct noticemark *before);
/* Adds a line; way may be NULL.  -1 with errno. */
int  noticemark_add(int state_fd, const char *issue, const char *episode,
    const char *word, const char *way);

/*
 * ---- one notice: what it says, and one way to send it; noticesend.c -----------
 *
 * It says who, where, what is asked, and how to get there.  The agent's own
 * words are data: a text holds nothing that a terminal obeys, and each way of
 * sending escapes what it would obey itself.
 */

enum {
	NOTICE_LIMIT = 10,              /* seconds that a way may take, */
	NOTICE_GRACE = 2                /* and until its command is killed */
};

struct noticetext {
	char *title;            /* "paneward 42 asking (claude in shop)" */
	char *body;             /* "May I ...? | paneward attach 42" */
	bool  urgent;           /* without a person nothing goes on */
};

/* The agent's name for people, and for `attach`.  agent, project and message
 * may be NULL; of a long message the begin is used. */
void noticetext_init(struct noticetext *, const char *name, const char *target,
    const char *state, const char *agent, const char *project,
    const char *message);
void noticetext_release(struct noticetext *);

/* Adds text for a program that reads markup. */
void noticetext_add_markup(struct buf *, const char *text);
/* Adds a line of a configuration of curl: name = "value". */
void noticetext_add_curl(struct buf *, const char *name, const char *value);

enum noticesend {
	NOTICESEND_DONE,                /* given away; whether a person sees it
					   is not known */
	NOTICESEND_LATER,               /* no terminal is there to show it */
	NOTICESEND_FAILED
};

/* What is sent; all is borrowed. */
struct notice_out {
	const struct noticetext   *text;
	const struct buf          *record;      /* a line of JSON */
	const char                *socket;      /* of the server whose clients
						   are listed */
	const struct tmux_listing *listing;
	const char *const         *env;         /* of a command; NULL: ours */
};

/* Adds what was done, or what failed, without the way's name or address. */
enum noticesend noticesend_by(const struct notice_out *,
    const struct noticeway *, struct buf *said);

#endif
