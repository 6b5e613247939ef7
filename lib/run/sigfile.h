/*
 * sigfile.h - the signal an agent leaves: signal-complete-42, signal-error-42.
 *
 * A signal is a regular file of exactly that name, with one link, owned by the
 * directory's owner, opened without following links and without blocking; at
 * most SIGFILE_MAX bytes of it are read.  Its existence is the signal, even if
 * it cannot be read.  A first line of run= and a run id ties it to that run.
 * A signal that names another run, or names none and was modified more than
 * two seconds before the run began, is stale: it is shown, never acted on,
 * never removed.
 */
#ifndef PANEWARD_SIGFILE_H
#define PANEWARD_SIGFILE_H

#include "project/statusdir.h"
#include "run/status.h"

enum {
	SIGFILE_MAX = 4096,
	SIGFILE_NAME = ISSUE_MAX + 32,
	/* How much older than its run a signal may seem, in ms: the clocks of
	 * file systems are coarse, and the agent may be quick. */
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
	dev_t dev;                      /* which file it is: only the signal */
	ino_t ino;                      /* that was acted on is removed */
	long  nsec;                     /* of written, to tell files apart */
};

enum { SIGFILE_ID = 64 };

/* The name of a signal, without the directory, in memory of the block. */
const char *sigfile_name(char name[SIGFILE_NAME], enum sigfile_kind,
    const char *issue);
#define SIGFILE_OF(kind, issue) \
	sigfile_name((char[SIGFILE_NAME]){ "" }, (kind), (issue))

/*
 * Reads one signal in the open status directory of that owner.  run is the id
 * of the run; NULL: nothing is stale.  A signal without an id that was
 * modified before from is stale.  Adds its text (SIGFILE_MAX bytes at most,
 * without control bytes; "Unknown error" for an error without one) to text
 * unless that is NULL.  -1 with errno if the directory itself cannot be read.
 */
int sigfile_read(struct sigfile *, int dir, uid_t owner, enum sigfile_kind,
    const char *issue, const char *run, msec from, struct buf *text);

/*
 * The same for a recorded run: a signal without an id is stale if it was
 * modified before the run, or SIGFILE_SLACK before it unless the run is fresh.
 */
int sigfile_read_run(struct sigfile *, const struct statusdir *,
    enum sigfile_kind, const struct status *run, struct buf *text);

/* Tells this signal from any other file of its name, also from a later one that
 * reuses its inode: for the status record. */
void sigfile_id(char id[SIGFILE_ID], const struct sigfile *);

/* Removes the signal if it is still the one that was read.  -1 with errno. */
int sigfile_remove(const struct sigfile *, int dir, enum sigfile_kind,
    const char *issue);

/* Adds a text for people: without control sequences and bytes, its lines joined
 * by blanks, trimmed, at most so many code points. */
void sigfile_text(struct buf *, const char *bytes, size_t len, size_t most);

#endif
