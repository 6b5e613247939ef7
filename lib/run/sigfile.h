/*
 * sigfile.h - the signal an agent leaves: signal-complete-42, signal-error-42.
 *
 * A signal is a regular file of exactly that name, with one link, owned by
 * the directory's owner, opened without following links and without blocking;
 * at most SIGFILE_MAX bytes of it are read.  That it exists is the news; a
 * file that cannot be read is a signal all the same.  A first line that is
 * run= and a run id ties it to that run.  A signal that names another run, or
 * names none and was modified more than two seconds before the run began, is
 * stale: it is shown, never acted on, never removed.
 */
#ifndef PANEWARD_SIGFILE_H
#define PANEWARD_SIGFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/issue.h"
#include "run/status.h"
#include "run/statusdir.h"

enum {
	SIGFILE_MAX = 4096,
	SIGFILE_NAME = ISSUE_MAX + 32,
	/* How much earlier than its run a signal may seem to be, in ms: clocks
	 * of file systems are coarse, and the agent may be quick. */
	SIGFILE_SLACK = 2000
};

enum sigfile_kind { SIGFILE_COMPLETE, SIGFILE_ERROR, SIGFILE_KINDS };

enum sigfile_found {
	SIGFILE_NONE,
	SIGFILE_SIGNAL,
	SIGFILE_STALE,          /* of another run */
	SIGFILE_REFUSED         /* something of that name that is no signal */
};

struct sigfile {
	enum sigfile_found found;
	bool  empty;                    /* no byte in it yet */
	bool  bound;                    /* it names a run */
	const char *refusal;            /* of SIGFILE_REFUSED, a constant */
	msec  written;                  /* wall time of its last change */
	dev_t dev;                      /* which file it is: the signal that */
	ino_t ino;                      /* was acted on is the one removed */
	long  nsec;                     /* of written, to tell files apart */
};

enum { SIGFILE_ID = 64 };

/* The name of a signal, without the directory. */
void sigfile_name(char name[SIGFILE_NAME], enum sigfile_kind, const char *issue);

/*
 * Looks at one signal in the open status directory whose owner is given.  run
 * is the id of the run, NULL if none is known: then nothing is stale.  A
 * signal without an id that was modified before from is stale.  The
 * text it carries (200 code points at most, without control bytes; an error
 * without one says "Unknown error") is added to text unless that is NULL.
 * -1 with errno where the directory itself cannot be read.
 */
int sigfile_read(struct sigfile *, int dir, uid_t owner, enum sigfile_kind,
    const char *issue, const char *run, msec from, struct buf *text);

/*
 * The same for a recorded run: a signal without an id is stale if it was
 * modified before the run, or SIGFILE_SLACK before it unless the run is fresh.
 */
int sigfile_read_run(struct sigfile *, const struct statusdir *,
    enum sigfile_kind, const struct status *run, struct buf *text);

/*
 * What tells this signal from any other file of its name, also of one that is
 * made when it is gone (a number may be used again): for the status record.
 */
void sigfile_id(char id[SIGFILE_ID], const struct sigfile *);

/* Removes the signal if it is still the one that was read.  -1 with errno. */
int sigfile_remove(const struct sigfile *, int dir, enum sigfile_kind,
    const char *issue);

/*
 * A text as people are to see it: control sequences and bytes removed,
 * lines joined by one blank, trimmed, at most so many code points.
 */
void sigfile_text(struct buf *, const char *bytes, size_t len, size_t most);

#endif
