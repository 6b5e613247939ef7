/*
 * noticemark.h - what of an episode's notice was tried: .paneward/ISSUE.notice.
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
#ifndef PANEWARD_NOTICE_NOTICEMARK_H
#define PANEWARD_NOTICE_NOTICEMARK_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/clock.h"

struct noticemark {
	char       word[8];             /* empty: the episode was not tried */
	msec       since;               /* the last line; wall time */
	struct buf lines;               /* without the episode */
};

#define NOTICEMARK_INIT { .since = 0 }

/* The caller releases it. */
void noticemark_read(struct noticemark *, int state_fd, const char *issue,
    const char *episode);
void noticemark_release(struct noticemark *);

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

#endif
