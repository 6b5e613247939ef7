/*
 * servers.h - the tmux servers that matter, and the one place that asks them.
 *
 * A server has one call at a time, and keeps its last answer.  It has ended if
 * it listens on its socket no more and its process is not there.  A server that
 * does not answer is silent, which is no end: it is asked again later, and does
 * not delay the others.
 *
 * Without a loop, servers_ask() asks all at the same time, so that several
 * silent ones cost no more than one.  In a loop, each is asked when it is due.
 */
#ifndef PANEWARD_SERVERS_H
#define PANEWARD_SERVERS_H

#include "os/proc.h"
#include "tmux/tmux.h"

struct tmux_server {
	struct tmux_server *next;       /* in the order of servers_add() */
	struct servers *all;            /* whose it is */
	char    *socket;
	bool     asked;                 /* it has answered, or failed to */
	enum tmux_result result;
	enum tmux_lists lists;          /* what it lists */
	struct tmux_listing listing;    /* empty unless TMUX_OK */
	struct buf why;                 /* the reason if not, or for a failed
					   capture */
	struct tmux_server *shown_by;   /* the server with the panes: two paths
					   may be one */
	unsigned misses;                /* calls since its last answer */
	/* Its process, by its answers; 0: not known.  proc_start only if its
	 * end is told, or it was identified. */
	pid_t    pid;
	int64_t  start;                 /* tmux's start_time */
	uint64_t proc_start;
	struct loop_wait end;           /* of the process */
	/* The call that runs, or else the next one. */
	struct tmux_query query;
	bool     running;
	bool     hurried;               /* by server_hurry(): the next one, */
	bool     wanted;                /* and the one that runs, or did last */
	bool     news;                  /* the last listing differs from the one
					   before */
	uint64_t hash;                  /* of that */
	unsigned calls;                 /* begun so far */
	msec     began;                 /* the last one */
	msec     heard;                 /* when that began which was answered,
					   or missed */
	msec     due;                   /* the next one; CLOCK_NEVER: none */
	struct loop_wait wait;          /* until it is due */
	struct tmux_wish *wishes;       /* panes to be captured */
	size_t   nwishes;
	struct tmux_listing captures;
	bool     warned;                /* by its user, that it is silent */
};

struct servers {
	struct tmux_server *first;
	char    boot[PROC_BOOT];        /* once asked */
	msec    limit;                  /* in which those must answer that are
					   added; 0: TMUX_LIMIT */
	size_t  size;                   /* of a larger struct, whose first
					   member a server is; 0: there is none */
	/* For a loop. */
	struct loop *loop;              /* NULL: none */
	msec    retry;                  /* between calls of one that is silent; 0:
					   ten seconds, then a minute */
	/* The server is due: server_call().  It is due again at CLOCK_NEVER. */
	void  (*begin)(void *, struct tmux_server *, msec now);
	/* It has answered or missed; its panes go if another one shows them. */
	void  (*answered)(void *, struct tmux_server *, msec now);
	/* Its process has ended, or (NULL) the ends of processes are not
	 * awaited.  A call that runs is given up: its answer is outdated. */
	void  (*ended)(void *, struct tmux_server *, msec now);
	void   *context;
	/* A second one that is told of each listing; NULL: none.  Panes then
	 * have mark and queue. */
	void  (*marks)(void *, struct tmux_server *, msec now);
	void   *marks_context;
};

#define SERVERS_INIT { .first = NULL }

/* A pane and its server; pane is NULL for none. */
struct server_pane {
	struct tmux_server     *server;
	const struct tmux_pane *pane;
};

/* "session:window.pane", for people; the caller frees it. */
char *server_pane_name(const struct server_pane *);

/* The server behind a socket, which is added and due if it is missing. */
struct tmux_server *servers_add(struct servers *, const char *socket);
/* The user's own, and those of the configuration (NULL or NULL-ended). */
void servers_add_usual(struct servers *, char *const *configured);
/* The same, and all others that listen in the user's tmux folder; -1 with errno
 * if it cannot be read. */
int  servers_add_all(struct servers *, char *const *configured);
/* Gives up its call.  A larger struct around it stays the caller's. */
void servers_remove(struct tmux_server *);
void servers_release(struct servers *);

/* Asks the servers that were not asked yet, brief: with TMUX_BRIEF; result says
 * what came of it. */
void servers_ask(struct servers *, bool brief);
/* Asks all servers but those that are gone again, for everything.  Pointers to
 * panes become invalid. */
void servers_ask_again(struct servers *);

/* Marks a pane for servers_capture(), which captures the screens of all marked
 * panes, all servers at the same time. */
void servers_want(const struct server_pane *);
void servers_capture(struct servers *);
/* NULL if the pane was not marked or its capture failed. */
const struct tmux_capture *servers_captured(const struct server_pane *);
/* The pane at the time of the capture, with all columns; NULL as above. */
const struct tmux_pane *servers_seen(const struct server_pane *);

/* The server that shows what is behind a socket; NULL if that was not added. */
struct tmux_server *servers_at(const struct servers *, const char *socket);

/* Is that the server of the pane?  True also if the server cannot say, because
 * it has no session. */
bool servers_serves(const struct tmux_server *, const struct pane_ref *);

/* ---- again and again ----------------------------------------------------- */

/* Begins a call in the loop, as tmux_query_begin() and tmux_show_begin() do; what
 * is set is no answer.  -1: it is missed, with the reason in why. */
ssize_t server_call(struct tmux_server *, enum tmux_lists,
    const struct tmux_wish *, size_t n);
ssize_t server_show(struct tmux_server *, const struct tmux_show *);
/* Its next call is due then, or once the one that runs is over. */
void server_at(struct tmux_server *, msec due);
/* At once, and wanted. */
void server_hurry(struct tmux_server *);
/* Records which process it is, so that its end differs from its silence. */
void server_identify(struct tmux_server *, pid_t, int64_t start);
/* Its process has ended. */
void server_ended(void *server, msec now);

/* Outside the loop: asks those that are due; and waits for one answer.  False:
 * no call runs, or it is the end, a time or CLOCK_NEVER. */
void servers_due(struct servers *, msec now);
bool servers_wait(struct servers *, msec end);
/* Is a server asked, or to be, that is not known to be silent? */
bool servers_busy(const struct servers *, msec now);

#endif
