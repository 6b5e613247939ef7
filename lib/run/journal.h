/*
 * journal.h - .paneward/journal.ndjson: a line per change, CloudEvents 1.0.
 *
 * A change that is journaled again has the same id.  Readers skip incomplete
 * lines.  A failure returns -1 with errno.
 */
#ifndef PANEWARD_JOURNAL_H
#define PANEWARD_JOURNAL_H

#include "run/status.h"

enum journal_type {
	JOURNAL_RUN,
	JOURNAL_STATE, JOURNAL_STALE,
	JOURNAL_REFUSED,        /* a file that is no signal */
	JOURNAL_HANDOFF, JOURNAL_NOTIFY, JOURNAL_ANSWER, JOURNAL_SENT,
	JOURNAL_MERGE,          /* a branch into its base */
	JOURNAL_PARKED,         /* its agent was prompted */
	JOURNAL_WARNING,
	JOURNAL_TYPES
};

/* Syncs the line.  dir is the status directory's path; detail may be NULL. */
int journal_add(int state_fd, const char *dir, enum journal_type,
    const struct status *, const char *detail);

struct journal_inbox {
	const char *target;
	const char *detail, *entry;     /* why the entry is not in it */
	size_t      len;
};

/* EWOULDBLOCK: locked for patience ms. */
int journal_add_inbox(int state_fd, const char *dir,
    const struct journal_inbox *, msec patience, bool sync);

/* A missing text is NULL, a missing run empty. */
struct journal_event {
	enum journal_type type;
	msec  time;
	char *source;
	char *host;                     /* of an event from a fleet */
	char *subject;                  /* an issue or inbox */
	char  run[RUN_ID_LEN + 1];
	char *state;                    /* of run or hand-off */
	char *id, *why, *message, *detail, *task, *said;
	int   exit;                     /* of the hand-off; -1: none */
};

void journal_event_release(struct journal_event *);

struct journal_reader {
	int    fd;                      /* -1: there is no journal */
	bool   stream;                  /* set by callers: it is a pipe */
	struct buf text;
	size_t at;
	off_t  offset, from;            /* of the text, of the line */
	bool   skipping;
	unsigned skipped;
	struct journal_event event;     /* callers may take texts over */
	const char *line;               /* without its line feed */
	size_t len;
};

/* No journal is no failure. */
int  journal_open(struct journal_reader *, int state_fd);
/* 1: an event.  Skips lines over a MiB. */
int  journal_next(struct journal_reader *);
int  journal_next_line(struct journal_reader *);
void journal_seek(struct journal_reader *, off_t);
void journal_close(struct journal_reader *);

#endif
