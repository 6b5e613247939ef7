/*
 * servers.h - the tmux servers that matter, and the one place that asks them.
 *
 * A server has one call at a time, and keeps its last answer.  It has ended if
 * its socket has no listener and its process is gone.  A silent one is asked
 * again later, and does not delay the others.
 */
#ifndef PANEWARD_SERVERS_H
#define PANEWARD_SERVERS_H

#include "os/proc.h"
#include "tmux/tmux.h"

struct tmux_server {
	struct tmux_server *next;
	struct servers *all;
	char    *socket;
	bool     asked;                 /* it has answered, or failed to */
	enum tmux_result result;
	enum tmux_lists lists;          /* of the listing */
	struct tmux_listing listing;    /* empty unless TMUX_OK */
	struct buf why;                 /* the reason of the last failure */
	struct tmux_server *shown_by;   /* two paths may be one server */
	unsigned misses;                /* calls since its last answer */
	/* Its process; 0: not known.  proc_start only with ended(). */
	pid_t    pid;
	int64_t  start;                 /* tmux's start_time */
	uint64_t proc_start;
	struct loop_wait end;           /* of the process */
	/* The call that runs, or else the next one. */
	struct tmux_query query;
	bool     running, hurried;      /* hurried: the next one, */
	bool     wanted;                /* the running, or else the last one */
	bool     news;                  /* the last listing differs */
	uint64_t hash;                  /* of the last listing */
	unsigned calls;                 /* begun so far */
	msec     began;                 /* the last one */
	msec     heard;                 /* began of the last answer or miss */
	msec     due;                   /* the next one; CLOCK_NEVER: none */
	struct loop_wait wait;          /* until it is due */
	struct tmux_wish *wishes;       /* panes to be captured */
	size_t   nwishes;
	struct tmux_listing captures;   /* and all panes at that time */
	bool     warned;                /* of its silence, by its user */
};

struct servers {
	struct tmux_server *first;
	char    boot[PROC_BOOT];        /* once asked */
	msec    limit;                  /* of calls; 0: TMUX_LIMIT */
	size_t  size;                   /* of a struct that begins with a
					   server; 0: none */
	/* For a loop. */
	struct loop *loop;              /* NULL: none */
	msec    retry;                  /* of a silent server; 0: ten seconds,
					   then a minute */
	/* The server is due, and next at CLOCK_NEVER. */
	void  (*begin)(void *, struct tmux_server *, msec now);
	/* Its panes go if another one shows them. */
	void  (*answered)(void *, struct tmux_server *, msec now);
	/* NULL: ends of processes are not awaited. */
	void  (*ended)(void *, struct tmux_server *, msec now);
	void   *context;
	/* Gets each listing, with mark and queue; or NULL. */
	void  (*marks)(void *, struct tmux_server *, msec now);
	void   *marks_context;
};

#define SERVERS_INIT { .first = NULL }

struct server_pane {
	struct tmux_server     *server;
	const struct tmux_pane *pane;   /* or NULL */
};

/* "session:window.pane", for the caller to free. */
char *server_pane_name(const struct server_pane *);

/* A missing server is added and due. */
struct tmux_server *servers_add(struct servers *, const char *socket);
/* The user's own, and the configured ones (may be NULL). */
void servers_add_usual(struct servers *, char *const *configured);
/* The same, and sockets_of_user(), with its errno: -1. */
int  servers_add_all(struct servers *, char *const *configured);
void servers_remove(struct tmux_server *);
void servers_release(struct servers *);

/* Those that were not asked yet. */
void servers_ask(struct servers *, bool brief);
/* Pointers to panes become invalid. */
void servers_ask_again(struct servers *);

/* Marks a pane for servers_capture(), which asks all servers at once. */
void servers_want(const struct server_pane *);
void servers_capture(struct servers *);

/* shown_by of a socket's server, or NULL. */
struct tmux_server *servers_at(const struct servers *, const char *socket);

/* True also if it has no session to say so. */
bool servers_serves(const struct tmux_server *, const struct pane_ref *);

/* ---- again and again ----------------------------------------------------- */

/* As tmux_query_begin() and tmux_show_begin().  -1: missed, see why. */
ssize_t server_call(struct tmux_server *, enum tmux_lists,
    const struct tmux_wish *, size_t n);
ssize_t server_show(struct tmux_server *, const struct tmux_show *);
/* The next call is due then, or behind a running one. */
void server_at(struct tmux_server *, msec due);
/* At once, and wanted. */
void server_hurry(struct tmux_server *);
/* Its process tells its end from its silence. */
void server_identify(struct tmux_server *, pid_t, int64_t start);
void server_ended(void *server, msec now);

/* Outside the loop.  servers_wait() waits for one answer; false: no call runs,
 * or end has come. */
void servers_due(struct servers *, msec now);
bool servers_wait(struct servers *, msec end);
/* Is one asked or due that is not silent? */
bool servers_busy(const struct servers *, msec now);

#endif
