/*
 * panelog.h - what a pane printed: output-<issue>.log, read as it grows.
 *
 * The log is read once, from the first byte of the run, whatever happens to the
 * file: it grows; it is emptied, and read from its start; it becomes
 * output-<issue>.log.1, which is read to its end before the new one; it is
 * removed.  A log that was emptied and already written past the old place is
 * not noticed; the next capture covers that.
 */
#ifndef PANEWARD_PANELOG_H
#define PANEWARD_PANELOG_H

#include "run/status.h"

/*
 * A marker scan of a file that may be large, and may grow.
 *
 * The search runs ahead.  Once it finds a possible marker, all searched bytes
 * are read again and fed to the scan, which knows terminals and fences.  So a
 * log without markers costs little more than reading it.  A short addition to a
 * file that was fed to its end is fed at once.  A hole counts as NULs, in no
 * time.
 */
struct scanfile {
	struct marker_scan *scan;
	int      fd;                    /* a regular file */
	/* Places in the stream: */
	uint64_t base;                  /* the file begins */
	uint64_t ahead;                 /* the search stands; 0 will do */
	uint64_t due;                   /* the scan is to be fed up to here */
};

/* Reads on to the end of the file; then bytes that were not fed hold no marker.
 * With settle set, feeds instead the bytes that were only searched.  Subtracts
 * its reads from *budget; NULL is no limit.  0; 1: the budget ended before; -1
 * with errno. */
int scanfile_read(struct scanfile *, bool settle, uint64_t *budget);

enum { PANELOG_NAME = ISSUE_MAX + 16 };

struct panelog {
	int      dir;                   /* the status directory, borrowed */
	uid_t    owner;                 /* whose log counts */
	char     issue[ISSUE_MAX + 1];
	struct marker_set  set;
	struct scanfile     file;       /* owns scan and fd; fd -1: no log */
	struct log_mark     mark;       /* of the open one, or where to begin */
	struct log_mark     before;     /* while a line crosses from the file
					   before into this */
	bool     refused;               /* a file of that name is no log */
	uint64_t left;                  /* bytes beyond the last budget */
};

/* Continues at `from`; all zero is the beginning of a first log. */
void panelog_init(struct panelog *, int dir, uid_t owner, const char *issue,
    const struct marker_set *, const struct log_mark *from);
void panelog_release(struct panelog *);

/* Reads on, within the budget of scanfile_read().  1: there was something, 0,
 * -1 with errno. */
int  panelog_read(struct panelog *, uint64_t *budget);

/* The place for a later panelog_init(). */
void panelog_mark(const struct panelog *, struct log_mark *);

/* Without opening it: may the log hold more than the mark?  Unless *there, the
 * old log counts, if it is the marked one. */
bool panelog_unread(int dir, const char *issue, const struct log_mark *,
    bool *there);

/* The present end of the log, where a new run begins. */
void panelog_end(int dir, const char *issue, struct log_mark *);

/* The log's name, or with ".1" that of the one before. */
const char *panelog_name(char name[PANELOG_NAME], const char *issue,
    const char *suffix);
/* The same, in memory of the block. */
#define PANELOG_OF(issue, suffix) \
	panelog_name((char[PANELOG_NAME]){ "" }, (issue), (suffix))

/* The writer of a pane's output registers in .paneward, and unregisters when
 * its pipe is closed.  So a registered process that ended was killed, and the
 * pane's pipe is ours and broken.  pane is pane_ref_name(). */
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

#endif
