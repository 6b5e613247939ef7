/*
 * noticesend.h - one notice: what it says, and one way to send it.
 *
 * It says who, where, what is asked, and how to get there.  The agent's own
 * words are data: a text holds nothing that a terminal obeys, and each way of
 * sending escapes what it would obey itself.
 */
#ifndef PANEWARD_NOTICE_NOTICESEND_H
#define PANEWARD_NOTICE_NOTICESEND_H

#include <stdbool.h>

#include "base/buf.h"
#include "project/noticeway.h"
#include "tmux/listing.h"

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
