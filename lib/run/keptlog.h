/*
 * keptlog.h - the logs of runs that were handed off: .paneward/logs.
 *
 * A log <issue>-<run>.log.gz first moves, then becomes smaller.  While the .gz
 * is there, every other part is a leftover.  So keptlog_put() may be killed
 * anywhere and repeated.
 */
#ifndef PANEWARD_KEPTLOG_H
#define PANEWARD_KEPTLOG_H

#include "project/statusdir.h"

#define KEPTLOG_FOLDER "logs"

enum {
	KEPTLOG_BYTES = 256 << 20,      /* the default of keep_logs */
	KEPTLOG_DAYS = 30
};

/* Moves the issue's logs, of that run.  1 with the reason: not compressed; -1
 * with the reason: some have not moved. */
int  keptlog_put(const struct statusdir *, const char *issue, const char *run,
    struct buf *why);

/* Removes logs older than KEPTLOG_DAYS, and the oldest until the rest fits. */
void keptlog_prune(int state_fd, int64_t most, msec wall);

/* The newest kept run whose id begins so.  1; 0; -1 with errno. */
int  keptlog_find(int state_fd, const char *issue, const char *id,
    char run[RUN_ID_LEN + 1]);

/* Calls take for each part of the pane log, oldest first.  Their number, or -1
 * with the reason. */
int  keptlog_read(const struct statusdir *, const char *issue, const char *run,
    void (*take)(void *, int fd), void *context, struct buf *why);

#endif
