/*
 * keptlog.h - the logs of runs that were handed off: .paneward/logs.
 *
 * A run's pane log is kept as <issue>-<run>.log.gz, the log of its watcher as
 * .watch.log.gz, and what `start` had set aside of the run before as
 * .old.log.gz; without gzip the names end before the .gz, and a log that was
 * put aside has .1 behind.
 *
 * A log first moves, then becomes smaller.  While <name>.gz is there, it holds
 * all that is kept, and every other part is a leftover.  So keptlog_put() may
 * be killed anywhere and repeated: nothing is lost, nothing is there twice.
 */
#ifndef PANEWARD_KEPTLOG_H
#define PANEWARD_KEPTLOG_H

#include "project/statusdir.h"

#define KEPTLOG_FOLDER "logs"           /* in .paneward */

enum {
	KEPTLOG_BYTES = 256 << 20,      /* unless keep_logs says otherwise */
	KEPTLOG_DAYS = 30
};

/* Is a file of that name in the status directory, or with inner in .paneward,
 * a log that is kept of the issue? */
bool keptlog_source(const char *issue, bool inner, const char *name);

/*
 * Moves the logs of an issue that is that run's to the kept ones.  0; 1: they
 * are kept, but not compressed, for the reason in *why; -1 with the whole
 * reason: those that could not be moved are where they were.  What is no
 * regular file, or empty, is left.
 */
int  keptlog_put(const struct statusdir *, const char *issue, const char *run,
    struct buf *why);

/* Removes kept logs that are older than KEPTLOG_DAYS, and the oldest ones until
 * the rest has at most that many bytes. */
void keptlog_prune(int state_fd, int64_t most, msec wall);

/* The newest run of the issue of which a pane log is kept, and whose id begins
 * so.  0: there is none, -1 with errno: that cannot be told. */
int  keptlog_find(int state_fd, const char *issue, const char *id,
    char run[RUN_ID_LEN + 1]);

/*
 * Calls take with a descriptor to read from, for each part of the pane log that
 * is kept of the run, the oldest first.  How many there were; -1 with the
 * reason in *why.
 */
int  keptlog_read(const struct statusdir *, const char *issue, const char *run,
    void (*take)(void *, int fd), void *context, struct buf *why);

#endif
