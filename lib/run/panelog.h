/*
 * panelog.h - what a pane printed: output-<issue>.log, read as it grows.
 *
 * The log is read once, from the first byte of the run.  Reading continues
 * whatever happens to the file: it grows, is emptied (it is then read from its
 * start), becomes output-<issue>.log.1 and a new one begins (the old one is
 * read to its end first, and the scan continues in the new one), or is removed.
 * A log that was emptied and already written past the old place is not noticed;
 * the next capture covers that.
 *
 * The caller holds a struct panelog; a later watcher continues from its mark.
 */
#ifndef PANEWARD_PANELOG_H
#define PANEWARD_PANELOG_H

#include "run/status.h"

/*
 * A marker scan of a file that may be large, and may grow.
 *
 * Two places move through the file.  The search runs ahead, as fast as the file
 * can be read, for something that may be a marker.  Once it finds one, all that
 * was searched is read again and fed to the scan, which knows terminals and
 * fences.  So a log without markers costs little more than reading it, and a
 * marker at its end costs one careful reading.
 *
 * A little that was added to a file which was fed to its end is fed at once.
 *
 * A hole in the file counts as NULs, and takes no time.
 */
struct scanfile {
	struct marker_scan *scan;
	int      fd;                    /* a regular file */
	uint64_t base;          /* where in the stream the file begins */
	uint64_t ahead;         /* where in the stream the search stands; never
				   before what was fed, so 0 will do */
	uint64_t due;           /* the stream is to be fed up to here */
};

/*
 * Reads on to the end of the file; afterwards, what the scan does not know
 * holds no marker.  A file that becomes shorter meanwhile is read to its end.
 * With settle set, feeds instead what was only searched, so that the scan
 * stands where the search does.  Subtracts the bytes it reads from *budget;
 * NULL is no limit.  0; 1 if the budget ended before; -1 with errno if reading
 * fails.
 */
int scanfile_read(struct scanfile *, bool settle, uint64_t *budget);

enum { PANELOG_NAME = ISSUE_MAX + 16 };

struct panelog {
	int      dir;                   /* the status directory, borrowed */
	uid_t    owner;                 /* whose log counts */
	char     issue[ISSUE_MAX + 1];
	struct marker_set  set;
	struct scanfile     file;       /* its scan and fd are ours; fd -1: no
					   log is there */
	struct log_mark     mark;       /* of the open one, or where to begin */
	struct log_mark     before;     /* of the one before it, while a line
					   crosses from that into this */
	bool     refused;               /* a file of that name is no log */
	uint64_t left;                  /* bytes beyond the last budget */
};

/* from is where to continue, all zero for the beginning of a first log, which
 * may be the old one meanwhile. */
void panelog_init(struct panelog *, int dir, uid_t owner, const char *issue,
    const struct marker_set *, const struct log_mark *from);
void panelog_release(struct panelog *);

/* Reads what is new, within the budget of scanfile_read().  1: something was,
 * 0: nothing, -1 with errno: the log could not be read. */
int  panelog_read(struct panelog *, uint64_t *budget);

/* Where a later panelog_init() should continue. */
void panelog_mark(const struct panelog *, struct log_mark *);

/* Without opening it: may the log hold more than the mark?  *there is false if
 * there is none; then the old log counts, if it is the marked one. */
bool panelog_unread(int dir, const char *issue, const struct log_mark *,
    bool *there);

/* Where the log ends now, so that a new run begins behind it. */
void panelog_end(int dir, const char *issue, struct log_mark *);

/* The log's name, or with ".1" that of the one before it, in memory of the
 * block. */
const char *panelog_name(char name[PANELOG_NAME], const char *issue,
    const char *suffix);
#define PANELOG_OF(issue, suffix) \
	panelog_name((char[PANELOG_NAME]){ "" }, (issue), (suffix))

/*
 * The process that writes a pane's output to an issue's log registers in
 * .paneward, and unregisters when its pipe is closed.  So a registered process
 * that is gone was killed, and the pane's pipe is ours and broken.  pane is the
 * word of pane_ref_name().
 */
enum panelog_writer {
	PANELOG_UNWRITTEN,
	PANELOG_WRITTEN,                /* by pid and start */
	PANELOG_BROKEN
};

/* The command of the pane's pipe, for tmux; the caller frees it. */
char *panelog_pipe(const char *issue, const char *status_dir, int64_t log_cap);
void panelog_register(int state_fd, const char *issue, const char *pane);
void panelog_unregister(int state_fd, const char *issue, const char *pane);
enum panelog_writer panelog_writer(int state_fd, const char *issue,
    const char *pane, pid_t *pid, uint64_t *start);

/* Kills the process that still writes that pane's output to the log, before a
 * run begins in another pane: its log must not hold this output. */
void panelog_stop_writer(int state_fd, const char *issue, const char *pane);

#endif
