/*
 * panelog.h - what a pane printed: output-<issue>.log, read as it grows.
 *
 * The log is read once, from the first byte of the run.  Reading goes on
 * across everything that may happen to the file: it grows, is emptied (it is
 * then read from its start), becomes output-<issue>.log.1 and a new one
 * begins (the old one is read to its end first, and what was known goes on
 * into the new one), or is removed.  A log that was emptied and already
 * written past the old place goes unnoticed; the next capture mends that.
 *
 * A struct panelog is held by the caller; the mark it gives is what a later
 * watcher goes on from.
 */
#ifndef PANEWARD_PANELOG_H
#define PANEWARD_PANELOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/issue.h"
#include "marker/marker.h"
#include "run/status.h"

/*
 * A marker scan of a file that may be large, and may grow.
 *
 * Two places move through the file.  What lies ahead is only searched, as
 * fast as it can be read, for something that may be a marker.  Where there is
 * something, all that was searched is read once more, and fed to the scan,
 * which knows terminals and fences.  So a log without markers costs little
 * more than reading it, and a marker at the end of one costs reading it with
 * care, once.
 *
 * A little that was added to a file which the scan has read to the end is fed
 * at once.
 *
 * A hole in the file counts as what it reads as, NULs, and takes no time.
 */
struct scanfile {
	struct marker_scan *scan;       /* borrowed */
	int      fd;                    /* borrowed; a regular file */
	uint64_t base;          /* where in the stream the file begins */
	uint64_t ahead;         /* where in the stream the search goes on; is
	                           never less than what was fed, so 0 will do */
	uint64_t due;           /* up to here the stream is to be fed */
};

/*
 * Reads on to the end of the file: what the scan does not know then holds no
 * marker.  A file that becomes shorter while it is read is read to its end.
 * From *budget the bytes are taken that had to be read; NULL is no limit.  0,
 * 1 if the budget was used up before, or -1 with errno where reading fails.
 */
int scanfile_read(struct scanfile *, uint64_t *budget);

/*
 * Feeds what was only searched, so that the scan stands at the end of what
 * was read.  Budget and answer as above.
 */
int scanfile_settle(struct scanfile *, uint64_t *budget);

enum { PANELOG_NAME = ISSUE_MAX + 16 };

struct panelog {
	int      dir;                   /* the status directory, borrowed */
	uid_t    owner;                 /* whose log counts */
	char     issue[ISSUE_MAX + 1];
	struct marker_set  set;
	struct marker_scan *scan;
	struct scanfile     file;       /* file.fd is ours; -1: none open */
	struct log_mark     mark;       /* of the open one, or where to begin */
	struct log_mark     before;     /* of the one before it, while a line
					   goes from that into this */
	bool     refused;               /* what lies there is no log */
	uint64_t left;                  /* bytes that the last budget did not
					   reach */
};

/* from is where to go on, all zero for the beginning of a first log, which may
 * be called the old one meanwhile. */
void panelog_init(struct panelog *, int dir, uid_t owner, const char *issue,
    const struct marker_set *, const struct log_mark *from);
void panelog_release(struct panelog *);

/*
 * Reads what is new, as far as the budget goes (see scanfile_read()).  1:
 * something was, 0: nothing, -1 with errno: the log could not be read.  Whether
 * there is a log at all, panelog_there() says.
 */
int  panelog_read(struct panelog *, uint64_t *budget);
bool panelog_there(const struct panelog *);

/* Where a later panelog_init() should go on. */
void panelog_mark(const struct panelog *, struct log_mark *);

/*
 * Without opening it: may there be something in the log that is not in the
 * mark?  Where there is none of its name, *there is false, and the marked one
 * counts if it is the old one meanwhile.
 */
bool panelog_unread(int dir, const char *issue, const struct log_mark *,
    bool *there);

/* Where the log ends now, so that a new run begins behind it. */
void panelog_end(int dir, const char *issue, struct log_mark *);

void panelog_name(char name[PANELOG_NAME], const char *issue);

/*
 * The process that writes a pane's output to an issue's log registers in
 * .paneward, and unregisters when its pipe is closed.  So if a registered
 * process is gone, it was killed, and the pane's pipe is ours and broken.  The
 * pane is named as pane_ref_name() does.
 */
enum panelog_writer {
	PANELOG_UNWRITTEN,
	PANELOG_WRITTEN,                /* pid and start say by whom */
	PANELOG_BROKEN
};

/* The command of the pane's pipe, for tmux; the caller frees it. */
char *panelog_pipe(const char *issue, const char *status_dir, int64_t log_cap);
void panelog_register(int state_fd, const char *issue, const char *pane);
void panelog_unregister(int state_fd, const char *issue, const char *pane);
enum panelog_writer panelog_writer(int state_fd, const char *issue,
    const char *pane, pid_t *pid, uint64_t *start);

/*
 * Kills the process that still writes that pane's output to the log: the run
 * that is to begin has another pane, and its log must not hold this output.
 */
void panelog_stop_writer(int state_fd, const char *issue, const char *pane);

#endif
