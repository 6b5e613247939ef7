/*
 * sigfile.h - the signal an agent leaves: signal-complete-42, signal-error-42.
 *
 * A signal is a regular file of exactly that name, with one link, of the
 * directory's owner, opened without following links and without blocking.  It
 * counts even if it cannot be read.  A first line run=ID ties it to that run.
 * A signal that names another run, or names none and was modified more than
 * SIGFILE_SLACK before the run began, is stale: it is shown, never acted on,
 * never removed.
 */
#ifndef PANEWARD_SIGFILE_H
#define PANEWARD_SIGFILE_H

#include "project/statusdir.h"
#include "run/status.h"

enum {
	SIGFILE_MAX = 4096,             /* bytes that are read */
	SIGFILE_NAME = ISSUE_MAX + 32,
	SIGFILE_SLACK = 2000            /* ms; files have coarse times */
};

enum sigfile_kind { SIGFILE_COMPLETE, SIGFILE_ERROR, SIGFILE_KINDS };

enum sigfile_found {
	SIGFILE_NONE,
	SIGFILE_SIGNAL,
	SIGFILE_STALE,
	SIGFILE_REFUSED         /* something of that name that is no signal */
};

struct sigfile {
	enum sigfile_found found;
	bool  empty;
	bool  bound;                    /* it names a run */
	const char *refusal;            /* of SIGFILE_REFUSED, a constant */
	msec  written;                  /* wall time of its last change */
	dev_t dev;                      /* they tell files apart */
	ino_t ino;
	long  nsec;
};

enum { SIGFILE_ID = 64 };

/* The name of a signal; SIGFILE_OF() in memory of the block. */
const char *sigfile_name(char name[SIGFILE_NAME], enum sigfile_kind,
    const char *issue);
#define SIGFILE_OF(kind, issue) \
	sigfile_name((char[SIGFILE_NAME]){ "" }, (kind), (issue))

/*
 * Reads one signal in the open status directory of that owner.  With a run
 * (NULL: none) it may be stale; without an id if it was modified before `from`.
 * Adds its text, or "Unknown error" for an error without one, unless text is
 * NULL.  -1 with errno if the directory cannot be read.
 */
int sigfile_read(struct sigfile *, int dir, uid_t owner, enum sigfile_kind,
    const char *issue, const char *run, msec from, struct buf *text);

/* The same for a recorded run; a fresh one has no slack. */
int sigfile_read_run(struct sigfile *, const struct statusdir *,
    enum sigfile_kind, const struct status *run, struct buf *text);

/* Tells the signal from any other file, also a later one that reuses its inode:
 * for the status record. */
void sigfile_id(char id[SIGFILE_ID], const struct sigfile *);

/* Removes the signal if it is still the one that was read.  -1 with errno. */
int sigfile_remove(const struct sigfile *, int dir, enum sigfile_kind,
    const char *issue);

/* Adds a text for people: without control sequences, its lines joined by
 * blanks, trimmed, at most so many code points. */
void sigfile_text(struct buf *, const char *bytes, size_t len, size_t most);

#endif
