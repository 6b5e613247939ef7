/*
 * channel.h - what people and agents write to the agents in loops:
 * temp/th-channel/YYYY-MM-DD.md (tests/vectors/README.md, section "th-loop").
 *
 * A day's file has sections, which begin with `## HH:MM[:SS] ...` or with
 * `## YYYY-MM-DD HH:MM[:SS] ...`, local time.  Two things are looked for: a
 * line that is only `stop`, and what is new since the last time.
 *
 * Stopping does no harm, so a stop in any file counts.  News becomes an agent's
 * next prompt: only files that loopfile_refusal() accepts may have it.
 */
#ifndef PANEWARD_HOOK_CHANNEL_H
#define PANEWARD_HOOK_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	CHANNEL_DAY = 11,               /* "2026-01-31" and NUL */
	CHANNEL_TIME = 20,              /* "2026-01-31 23:59:59" and NUL */
	CHANNEL_FILE = 1 << 20,         /* bytes of a file that are read: its
					   last ones */
	CHANNEL_NEWS = 128 << 10        /* bytes of news that are kept: at least
					   the last ones so many */
};

#define CHANNEL_FOLDER "temp/th-channel"

struct channel_question {
	int64_t now;                    /* all times are epoch seconds */
	int64_t started;                /* of the loop; -1: not known */
	int64_t last_read;              /* -1: this is the first time */
};

struct channel {
	bool       stop;
	char       stop_day[CHANNEL_DAY];       /* in whose file */
	struct buf news;                /* empty: nothing is new */
};

#define CHANNEL_INIT { .news = BUF_INIT }

/*
 * Reads the files from the day of the last time (else of the start, else from
 * today's) to today's, in the channel below the folder root.  Adds to why what
 * cannot be read or is not given to the agent.
 */
void channel_read(struct channel *, const char *root,
    const struct channel_question *, struct buf *why);
void channel_release(struct channel *);

/* Local time, as it stands in a heading. */
void channel_time(char text[CHANNEL_TIME], int64_t when);

/*
 * The same for the text of one file, which is what channel_read() does with
 * each.  True if the last section so far, of this file or of one before (which
 * was says), holds the stop word.
 */
struct channel_file {
	char        day[CHANNEL_DAY];
	const char *text;
	size_t      len;
	bool        trusted;            /* its messages are handed on */
};

struct channel_limits {
	char stop[CHANNEL_TIME];        /* what is not older may stop */
	char since[CHANNEL_TIME];       /* what is newer, or may be for want of
					   seconds, is news; empty: all */
};

bool channel_look(struct channel *, const struct channel_limits *,
    const struct channel_file *, bool was);

#endif
