/*
 * journal.h - .paneward/journal.ndjson: one line per change.
 *
 * The lines are CloudEvents 1.0.  They only report; nothing is decided by them.
 * A change whose record could not be written is journaled again with the same
 * id, so that readers recognise it.
 */
#ifndef PANEWARD_JOURNAL_H
#define PANEWARD_JOURNAL_H

#include "run/status.h"

enum journal_type {
	JOURNAL_RUN,            /* a run began */
	JOURNAL_STATE,          /* its state changed */
	JOURNAL_STALE,          /* a signal or marker of another run */
	JOURNAL_REFUSED,        /* a file that is no signal */
	JOURNAL_HANDOFF,        /* an attempt of its hand-off began or ended */
	JOURNAL_NOTIFY,         /* a notification was begun */
	JOURNAL_WARNING
};

/*
 * Appends one line about the record, synced.  dir is the path of the status
 * directory, the source of the event.  detail says what the line is about; NULL
 * for JOURNAL_STATE, which is about the verdict.  If a crash cut the last line,
 * it is ended first.  -1 with errno.
 */
int journal_add(int state_fd, const char *dir, enum journal_type,
    const struct status *, const char *detail);

/* A warning about an inbox (paneward-inbox(1)). */
struct journal_inbox {
	const char *target;             /* whose file is the subject */
	const char *detail;             /* why the entry is not in it */
	const char *entry;              /* its text */
	size_t      len;
};

/* Appends that warning; synced if sync is set.  -1 with errno: EWOULDBLOCK if
 * the journal stays locked that long. */
int journal_add_inbox(int state_fd, const char *dir,
    const struct journal_inbox *, msec patience, bool sync);

#endif
