/*
 * sigfile.h - the signal an agent leaves: signal-complete-42, signal-error-42.
 *
 * A signal is a regular file with one link, of the directory's owner.  It
 * counts even if it cannot be read.  A first line run=ID ties it to that run.
 * A signal of another run, or without an id and older than the run, is stale:
 * never acted on, never removed.
 */
#ifndef PANEWARD_SIGFILE_H
#define PANEWARD_SIGFILE_H

#include "project/statusdir.h"
#include "run/status.h"

enum {
	SIGFILE_MAX = 4096,
	SIGFILE_NAME = ISSUE_MAX + 32,
	SIGFILE_SLACK = 2000            /* ms; files have coarse times */
};

enum sigfile_kind { SIGFILE_COMPLETE, SIGFILE_ERROR, SIGFILE_KINDS };

enum sigfile_found {
	SIGFILE_NONE, SIGFILE_SIGNAL, SIGFILE_STALE,
	SIGFILE_REFUSED
};

struct sigfile {
	enum sigfile_found found;
	bool  empty, bound;             /* bound: it names a run */
	const char *refusal;
	msec  written;
	dev_t dev;
	ino_t ino;
	long  nsec;
};

enum { SIGFILE_ID = 64 };

const char *sigfile_name(char name[SIGFILE_NAME], enum sigfile_kind,
    const char *issue);
#define SIGFILE_OF(kind, issue) \
	sigfile_name((char[SIGFILE_NAME]){ "" }, (kind), (issue))

/* A signal without an id is stale if it is older than `from`; without a run,
 * none is.  Adds its text, or "Unknown error", unless text is NULL.  -1 with
 * errno if the directory cannot be read. */
int sigfile_read(struct sigfile *, int dir, uid_t owner, enum sigfile_kind,
    const char *issue, const char *run, msec from, struct buf *text);

/* A fresh run has no slack. */
int sigfile_read_run(struct sigfile *, const struct statusdir *,
    enum sigfile_kind, const struct status *run, struct buf *text);

/* Differs for a later file that reuses the inode. */
void sigfile_id(char id[SIGFILE_ID], const struct sigfile *);

/* Removes only the signal that was read.  -1 with errno. */
int sigfile_remove(const struct sigfile *, int dir, enum sigfile_kind,
    const char *issue);

/* Adds one line of at most so many code points, for people. */
void sigfile_text(struct buf *, const char *bytes, size_t len, size_t most);

#endif
