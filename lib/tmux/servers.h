/*
 * servers.h - the tmux servers that matter, and the one place that asks them.
 *
 * A server has one call at a time and keeps its last answer.  It has ended if
 * its socket has no listener and its process is gone.  A silent one is asked
 * again later and delays no other.
 */
#ifndef PANEWARD_SERVERS_H
#define PANEWARD_SERVERS_H

#include "os/proc.h"
#include "tmux/tmux.h"

struct tmux_server {
	struct tmux_server *next;
	struct servers *all;
	char    *socket;
	bool     asked;                 /* answered or failed */
	enum tmux_result result;
	enum tmux_lists lists;          /* of the listing */
	struct tmux_listing listing;    /* empty unless TMUX_OK */
	struct buf why;
	struct tmux_server *shown_by;   /* two paths may be one server */
	unsigned misses;                /* since the last answer */
	/* 0 if unknown; proc_start needs ends. */
	pid_t    pid;
	int64_t  start;                 /* tmux's start_time */
	uint64_t proc_start;
	struct loop_wait end;
	struct tmux_query query;
	bool     running, hurried;      /* hurried: the next call */
	bool     wanted;                /* the last call was hurried */
	bool     news;                  /* the last listing differs */
	uint64_t hash;
	unsigned calls;
	msec     began;
	msec     heard;                 /* began of the last result */
	msec     due;                   /* CLOCK_NEVER: no call */
	struct loop_wait wait;
	struct tmux_wish *wishes;
	size_t   nwishes;
	struct tmux_listing captures;   /* and the panes of that time */
	bool     warned;                /* of its silence */
};

struct servers {
	struct tmux_server *first;
	char    boot[PROC_BOOT];        /* once asked */
	msec    limit;                  /* 0: TMUX_LIMIT */
	size_t  size;                   /* of a struct that begins with a
					   server; 0: none */
	struct loop *loop;
	msec    retry;                  /* 0: ten seconds, then a minute */
	/* The server is due; its due is CLOCK_NEVER now. */
	void  (*begin)(void *, struct tmux_server *, msec now);
	/* It answered, failed or ended.  The listing goes afterwards unless
	 * shown_by is the server. */
	void  (*answered)(void *, struct tmux_server *, msec now);
	void   *context;
	bool    ends;                   /* awaits ends of processes */
	/* Gets each TMUX_MARKED listing; or NULL. */
	void  (*marks)(void *, struct tmux_server *, msec now);
	void   *marks_context;
};

#define SERVERS_INIT { .first = NULL }

struct server_pane {
	struct tmux_server     *server;
	const struct tmux_pane *pane;   /* or NULL */
};

/* "session:window.pane"; the caller frees it. */
char *server_pane_name(const struct server_pane *);

/* A missing server is added and due. */
struct tmux_server *servers_add(struct servers *, const char *socket);
/* The user's own and the configured ones (or NULL). */
void servers_add_usual(struct servers *, char *const *configured);
/* Adds sockets_of_user(), too; -1 with its errno. */
int  servers_add_all(struct servers *, char *const *configured);
void servers_remove(struct tmux_server *);
void servers_release(struct servers *);

/* Skips servers already asked, but repeats a brief listing in full: pointers to
 * its panes become invalid. */
void servers_ask(struct servers *, bool brief);

/* Sets the next pane of all, the first one behind an empty struct; false: that
 * was the last. */
bool servers_next(const struct servers *, struct server_pane *);

/* Marks a pane for servers_capture(). */
void servers_want(const struct server_pane *);
void servers_capture(struct servers *);

/* shown_by, or NULL. */
struct tmux_server *servers_at(const struct servers *, const char *socket);

/* Also a server without sessions. */
bool servers_serves(const struct tmux_server *, const struct pane_ref *);

/* As tmux_query_begin() and tmux_show_begin().  -1: missed, see why. */
ssize_t server_call(struct tmux_server *, enum tmux_lists,
    const struct tmux_wish *, size_t n);
ssize_t server_show(struct tmux_server *, const struct tmux_show *);
/* A running call comes first. */
void server_at(struct tmux_server *, msec due);
void server_hurry(struct tmux_server *);
/* Its process tells its end from its silence. */
void server_identify(struct tmux_server *, pid_t, int64_t start);
void server_ended(void *server, msec now);

/* Outside the loop.  servers_wait() awaits one answer; false: no call runs, or
 * end has come. */
void servers_due(struct servers *, msec now);
bool servers_wait(struct servers *, msec end);
/* Silent servers do not count. */
bool servers_busy(const struct servers *, msec now);

#endif
