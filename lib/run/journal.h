/*
 * journal.h - .paneward/journal.ndjson: one line per change, CloudEvents 1.0.
 *
 * The lines only report.  A change whose record could not be written is
 * journaled again with the same id.  A user may cut the journal, and a killed
 * writer may leave half a line: a reader skips what is no whole event.
 */
#ifndef PANEWARD_JOURNAL_H
#define PANEWARD_JOURNAL_H

#include "run/status.h"

enum journal_type {
	JOURNAL_RUN,            /* a run began */
	JOURNAL_STATE,          /* its state changed */
	JOURNAL_STALE,          /* a signal or marker of another run */
	JOURNAL_REFUSED,        /* a file that is no signal */
	JOURNAL_HANDOFF,        /* an attempt began or ended */
	JOURNAL_NOTIFY,         /* a notification was begun */
	JOURNAL_ANSWER,         /* a dialog of its agent was answered */
	JOURNAL_PARKED,         /* its agent was prompted after a limit */
	JOURNAL_WARNING,
	JOURNAL_TYPES
};

/* Appends a line about the record, synced.  dir is the path of the status
 * directory; detail the line's subject, NULL for JOURNAL_STATE.  -1 with
 * errno. */
int journal_add(int state_fd, const char *dir, enum journal_type,
    const struct status *, const char *detail);

/* A warning about an inbox (paneward-inbox(1)). */
struct journal_inbox {
	const char *target;             /* its file is the subject */
	const char *detail;             /* why the entry is not in it */
	const char *entry;              /* its text */
	size_t      len;
};

/* Appends that warning.  -1 with errno: EWOULDBLOCK if the journal stays locked
 * that many ms. */
int journal_add_inbox(int state_fd, const char *dir,
    const struct journal_inbox *, msec patience, bool sync);

/* One line.  A missing text is NULL, a missing run empty. */
struct journal_event {
	enum journal_type type;
	msec  time;
	char *id;
	char *source;                   /* the status directory */
	char *host;                     /* of an event from a fleet */
	char *subject;                  /* an issue, or the path of an inbox */
	char  run[RUN_ID_LEN + 1];
	char *state;                    /* of the run, or of its hand-off */
	char *why, *message, *detail;
	int   exit;                     /* of the hand-off; -1: none */
};

void journal_event_release(struct journal_event *);

struct journal_reader {
	int    fd;                      /* -1: there is no journal */
	bool   stream;                  /* set by callers: it is a pipe */
	struct buf text;
	size_t at;                      /* the next line in it */
	off_t  offset;                  /* of the text, in the journal */
	bool   skipping;                /* the line was too long already */
	unsigned skipped;               /* lines */
	struct journal_event event;     /* a caller may take over its texts by
					   setting them NULL */
	const char *line;               /* without its line feed */
	size_t len;
	off_t  from;                    /* where it begins in the journal */
};

/* 0, also if there is no journal; -1 with errno. */
int  journal_open(struct journal_reader *, int state_fd);
/* 1: there is a next event, 0, -1 with errno.  Lines of more than a MiB are
 * skipped. */
int  journal_next(struct journal_reader *);
/* The same for any line: line, len and from. */
int  journal_next_line(struct journal_reader *);
/* The next line begins there. */
void journal_seek(struct journal_reader *, off_t);
void journal_close(struct journal_reader *);

#endif
