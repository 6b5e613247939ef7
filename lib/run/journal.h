/*
 * journal.h - .paneward/journal.ndjson: one line per change.
 *
 * The lines are CloudEvents 1.0.  They tell what happened; nothing is ever
 * decided by them.  A change whose record could not be written is journaled
 * again with the same id, by which readers know it.
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
 * directory, the source of the event.  detail is what a line about something
 * else than the record's verdict says; NULL for JOURNAL_STATE.  A line that
 * was torn by a crash is closed first.  -1 with errno.
 */
int journal_add(int state_fd, const char *dir, enum journal_type,
    const struct status *, const char *detail);

/* What is worth a warning about an inbox (inbox.h). */
struct journal_inbox {
	const char *target;             /* whose file is the subject */
	const char *detail;             /* why the entry is not in it */
	const char *entry;              /* as it stood there, or should have */
	size_t      len;
};

/*
 * Appends that warning; synced where sync is set.  -1 with errno: EWOULDBLOCK
 * where others have held the journal's lock so long.
 */
int journal_add_inbox(int state_fd, const char *dir,
    const struct journal_inbox *, msec patience, bool sync);

#endif
