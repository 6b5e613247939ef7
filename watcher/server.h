/*
 * server.h - a tmux server on which watched panes live: one query at a time,
 * and whether its process has ended.  What is asked and what the answer means
 * is in query.h.
 */
#ifndef PANEWARD_WATCHER_SERVER_H
#define PANEWARD_WATCHER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "tmux/tmux.h"

enum { SERVER_LISTING = 300000 };       /* ms between listings at most */

struct server {
	struct server *next;
	char    *socket;
	pid_t    pid;                   /* 0: not known yet */
	int64_t  start;                 /* tmux's start_time */
	uint64_t proc_start;
	int      fd;                    /* readable at its end; -1 */
	struct tmux_query query;
	unsigned queries;               /* begun so far */
	bool     running;               /* the last one is under way */
	bool     asked;                 /* a track wants a listing */
	bool     stuck;                 /* tmux cannot be run; warned */
	bool     silent;                /* alive, but does not answer */
	bool     ended;                 /* its process is gone */
	msec     due;                   /* the next listing at the latest */
};

/* The living server behind the socket, which is added if it is missing. */
struct server *server_at(struct server **, const char *socket, msec now);
/* Records which process it is, so that its end differs from its silence. */
void server_identify(struct server *, pid_t, int64_t start);
msec server_deadline(const struct server *, msec now);
void server_free(struct server *);

#endif
