/*
 * servers.h - a snapshot of the tmux servers that matter: each is asked once.
 *
 * The sockets are those of the records, the user's own and the configured
 * ones.  All servers are asked at the same time, so that several that do not
 * answer cost no more than one.
 */
#ifndef PANEWARD_SERVERS_H
#define PANEWARD_SERVERS_H

#include <stdbool.h>

#include "os/proc.h"
#include "tmux/paneref.h"
#include "tmux/tmux.h"

struct tmux_server {
	char  *socket;
	bool   asked;
	size_t shown_by;                /* index of the server with the panes:
					   two paths may be one server */
	enum tmux_result    result;
	struct tmux_listing listing;    /* empty unless TMUX_OK */
	struct buf          why;        /* the reason if not, or for a failed
					   capture */
	struct tmux_query   query;
	const char        **wanted;     /* panes to be captured */
	size_t              nwanted;
	struct tmux_listing captures;
};

struct servers {
	struct tmux_server *server;
	size_t              n;
	char                boot[PROC_BOOT];    /* once asked */
	msec                limit;      /* in which those must answer that are
					   added; 0: TMUX_LIMIT */
};

#define SERVERS_INIT { .server = NULL }

/* A pane and its server; pane is NULL for none. */
struct server_pane {
	const struct tmux_server *server;
	const struct tmux_pane   *pane;
};

bool servers_same(const struct server_pane *, const struct server_pane *);

/* Adds a socket, unless it was added.  This moves the servers: a struct
 * server_pane from before becomes invalid, its pane does not. */
void servers_add(struct servers *, const char *socket);
/* The user's own, and those of the configuration (NULL or NULL-ended). */
void servers_add_usual(struct servers *, char *const *configured);
/* The same, and all others that listen in the user's tmux folder. */
void servers_add_all(struct servers *, char *const *configured);

/* Asks the servers that were not asked yet, brief: with tmux_query_brief();
 * result says what came of it. */
void servers_ask(struct servers *, bool brief);
/* Asks all servers but those that are gone again, for everything.  Pointers to
 * panes become invalid. */
void servers_ask_again(struct servers *);
void servers_release(struct servers *);

/* Marks a pane for servers_capture(), which captures the screens of all marked
 * panes, all servers at the same time. */
void servers_want(const struct servers *, const struct server_pane *);
void servers_capture(struct servers *);
/* NULL if the pane was not marked or its capture failed. */
const struct tmux_capture *servers_captured(const struct server_pane *);
/* The pane at the time of the capture, with all columns; NULL as above. */
const struct tmux_pane *servers_seen(const struct server_pane *);

/* The server behind a socket; NULL if the socket was not added. */
const struct tmux_server *servers_at(const struct servers *,
    const char *socket);

/* Is that the server of the pane?  True also if the server cannot say, because
 * it has no session. */
bool servers_serves(const struct tmux_server *, const struct pane_ref *);

#endif
