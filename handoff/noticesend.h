/*
 * noticesend.h - one notice, sent in one way.
 */
#ifndef PANEWARD_HANDOFF_NOTICESEND_H
#define PANEWARD_HANDOFF_NOTICESEND_H

#include "handoff/noticetext.h"
#include "project/noticeway.h"
#include "tmux/listing.h"

enum {
	NOTICE_LIMIT = 10,              /* seconds that a way may take, */
	NOTICE_GRACE = 2                /* and until its command is killed */
};

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
	const char                *issue;
	const char                *socket;      /* of the server whose clients
						   are listed */
	const struct tmux_listing *listing;
	const char *const         *env;         /* of a command; NULL: ours */
};

/* Adds what was done, or what failed, without the way's name or address. */
enum noticesend noticesend_by(const struct notice_out *,
    const struct noticeway *, struct buf *said);

#endif
