/*
 * keptlog.h - the logs of runs that were handed off: .paneward/logs.
 *
 * A run's pane log is kept as <issue>-<run>.log.gz, its watcher's log as
 * .watch.log.gz, and the log that `start` put aside as .old.log.gz.  Without
 * gzip the names lack .gz; an older part has .1 behind.
 *
 * A log first moves, then becomes smaller.  While <name>.gz is there, every
 * other part is a leftover.  So keptlog_put() may be killed anywhere and
 * repeated: nothing is lost or kept twice.
 */
#ifndef PANEWARD_KEPTLOG_H
#define PANEWARD_KEPTLOG_H

#include "project/statusdir.h"

#define KEPTLOG_FOLDER "logs"           /* in .paneward */

enum {
	KEPTLOG_BYTES = 256 << 20,      /* the default of keep_logs */
	KEPTLOG_DAYS = 30
};

/* Is a file of that name in the status directory (inner: in .paneward) a log
 * that is kept? */
bool keptlog_source(const char *issue, bool inner, const char *name);

/* Moves the logs of an issue, which are that run's; empty files and others than
 * regular ones stay.  0; 1: they are kept, but not compressed, and *why has the
 * reason; -1 with the reason: some are still in their old place. */
int  keptlog_put(const struct statusdir *, const char *issue, const char *run,
    struct buf *why);

/* Removes kept logs older than KEPTLOG_DAYS, and the oldest ones until the rest
 * has at most so many bytes. */
void keptlog_prune(int state_fd, int64_t most, msec wall);

/* The newest run of the issue whose pane log is kept and whose id begins so.
 * 1; 0; -1 with errno. */
int  keptlog_find(int state_fd, const char *issue, const char *id,
    char run[RUN_ID_LEN + 1]);

/* Calls take with a descriptor to read from, for each kept part of the run's
 * pane log, the oldest first.  Their number; -1 with the reason in *why. */
int  keptlog_read(const struct statusdir *, const char *issue, const char *run,
    void (*take)(void *, int fd), void *context, struct buf *why);

#endif
