/*
 * servers.h - what the tmux servers show that matter here, each asked once.
 *
 * The sockets are those of the records, the user's own and the configured
 * ones (SPEC 3).  Servers are asked at the same time, so that one that does
 * not answer costs no more than several of them do.
 */
#ifndef PANEWARD_SERVERS_H
#define PANEWARD_SERVERS_H

#include <stdbool.h>

#include "os/proc.h"
#include "tmux/paneref.h"
#include "tmux/tmux.h"

struct survey_server {
	char  *socket;
	bool   asked;
	size_t shown_by;                /* place in the survey of the one that
					   shows its panes: two paths may lead
					   to one server */
	enum tmux_result    result;
	struct tmux_listing listing;    /* empty unless TMUX_OK */
	struct buf          why;        /* it is not, or there is no capture */
	const char        **wanted;     /* panes to be captured */
	size_t              nwanted;
	struct tmux_listing captures;
};

struct survey {
	struct survey_server *servers;
	size_t                n;
	char                  boot[PROC_BOOT];  /* once it was asked */
};

#define SURVEY_INIT { .servers = NULL }

/* A pane and where it was found; pane is NULL for none. */
struct survey_pane {
	const struct survey_server *server;
	const struct tmux_pane     *pane;
};

bool survey_same(const struct survey_pane *, const struct survey_pane *);

/* Each socket once. */
void survey_add(struct survey *, const char *socket);
/* The user's own, and those of the configuration (NULL or NULL-ended). */
void survey_add_usual(struct survey *, char *const *configured);

/* Asks the servers that were not asked yet.  What they answered says each. */
void survey_ask(struct survey *);
/* The same, but no more than tmux_query_brief() brings. */
void survey_ask_briefly(struct survey *);
/* Asks those that are there again, for everything.  Panes found before are
 * gone. */
void survey_ask_again(struct survey *);
void survey_release(struct survey *);

/* Wants a pane's screen; survey_capture() then gets all that are wanted, again
 * from all servers at once. */
void survey_want(const struct survey *, const struct survey_pane *);
void survey_capture(struct survey *);
/* NULL if it was not wanted, or could not be had. */
const struct tmux_capture *survey_captured(const struct survey_pane *);
/* The pane as it was then, with all that a listing holds; NULL as above. */
const struct tmux_pane *survey_seen(const struct survey_pane *);

/* The server that a socket of the survey leads to; NULL if it is not in it. */
const struct survey_server *survey_at(const struct survey *,
    const char *socket);

/* Is that the server of the place, as far as it has told?  One without a
 * session may not say which it is. */
bool survey_serves(const struct survey_server *, const struct pane_ref *);

#endif
