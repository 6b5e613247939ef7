/*
 * listing.h - a tmux server's answer: panes, clients and captures.
 *
 * The answer holds untrusted text.  Each part begins on a line with a token, a
 * random word that no pane knows; the parser ignores other lines.
 */
#ifndef PANEWARD_LISTING_H
#define PANEWARD_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "tmux/paneref.h"

enum { TMUX_TOKEN = 16 };               /* letters of a token */

struct tmux_pane {
	char     id[TMUX_ID], session[TMUX_ID], window[TMUX_ID];
	long     number;                /* of the id */
	pid_t    pid;
	bool     dead;
	int      dead_status, dead_signal;      /* -1 if unknown */
	bool     pipe;
	int64_t  activity;              /* its window's, seconds since 1970 */
	bool     shared;                /* its window has another pane */
	/* Texts are "" if unknown. */
	char    *session_name, *window_name, *path;
	char    *title, *command;
	char    *index;
	char    *issue, *run, *dir;
	char    *mark, *queue;          /* @paneward_state, PANEWARD_QUEUE */
};

struct tmux_client {
	char     window[TMUX_ID], pane[TMUX_ID];
	int64_t  activity;              /* the last key, mouse or focus */
	bool     control;               /* shows nothing */
	bool     zoomed;
	bool     suspended, unfocused;  /* false if unknown */
	char    *tty;                   /* "" for control */
	char    *termtype, *termname;   /* the terminal's answer; TERM */
};

struct tmux_capture {
	char     pane[TMUX_ID], *text;
	size_t   len;
};

struct tmux_listing {
	pid_t    server;
	int64_t  server_start;
	char     version[32];
	uint64_t hash;                  /* of the panes */
	struct tmux_pane *panes;        /* each once */
	struct tmux_client *clients;
	struct tmux_capture *captures;
	size_t   npanes, nclients, ncaptures;
};

enum { LISTING_IN_USE = 60 };           /* seconds after a client's activity */

enum tmux_lists {
	TMUX_PANES,
	TMUX_BRIEF,                     /* half of tmux's work; few texts;
					   session: "-" */
	TMUX_MARKED,                    /* with mark and queue */
	TMUX_WISHES,                    /* no listing */
	TMUX_SETS                       /* nor captures */
};

/* The caller frees the formats. */
char *listing_format(const char *token, enum tmux_lists);
char *listing_clients(const char *token);

/* Adds an answer.  "TOKEN v PID START VERSION" is the server; a capture follows
 * "TOKEN c PANE". */
void listing_parse(struct tmux_listing *, const char *answer, size_t len,
    const char *token);
bool tmux_version_old(const char *version);
#define TMUX_TOO_OLD "tmux at '%s' is version %s; paneward needs 3.0 or later"

void listing_release(struct tmux_listing *);
const struct tmux_pane *listing_pane(const struct tmux_listing *,
    const char *id);
/* The pane itself, not a later one with its id; or NULL. */
const struct tmux_pane *listing_ref(const struct tmux_listing *,
    const struct pane_ref *);
const struct tmux_capture *listing_capture(const struct tmux_listing *,
    const char *id);

/* Counts only clients in use that may have the focus; now is in seconds, or -1:
 * any client that shows it. */
bool listing_looked_at(const struct tmux_listing *, const struct tmux_pane *,
    int64_t now);
#define listing_shown(listing, pane) listing_looked_at((listing), (pane), -1)

#endif
