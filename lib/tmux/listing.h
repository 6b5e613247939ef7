/*
 * listing.h - a tmux server's answer: its panes, its clients, and captures.
 *
 * The answer holds untrusted names, paths and whole screens.  So each of its
 * parts is on a line that begins with a token, a random word that no pane can
 * know; the parser ignores all other lines.
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
	bool     dead;                  /* its process ended; kept on screen */
	int      dead_status, dead_signal;      /* -1: tmux does not say */
	bool     pipe;                  /* a pipe-pane is open */
	int64_t  activity;              /* of its window, seconds since 1970 */
	bool     shared;                /* its window has another pane */
	char    *session_name, *window_name, *path;
	char    *title, *command;       /* of the program in front; brief: "" */
	char    *index;                 /* in its window; brief: "" */
	char    *issue, *run, *dir;     /* @paneward_issue, _run, _dir; or "" */
	char    *mark, *queue;          /* @paneward_state, PANEWARD_QUEUE */
};

/* A terminal that is attached. */
struct tmux_client {
	char     window[TMUX_ID], pane[TMUX_ID];        /* that it shows */
	int64_t  activity;              /* a key, the mouse or the focus */
	bool     control;               /* a program: it shows nothing */
	bool     zoomed;                /* its window shows one pane only */
	bool     suspended, unfocused;  /* false: tmux does not say */
	char    *tty;                   /* "": a control client */
	char    *termtype, *termname;   /* the terminal's answer, and TERM */
};

struct tmux_capture {
	char     pane[TMUX_ID], *text;
	size_t   len;
};

struct tmux_listing {
	pid_t    server;
	int64_t  server_start;
	char     version[32];           /* of the server */
	uint64_t hash;                  /* of the lines about panes */
	struct tmux_pane *panes;        /* each once */
	struct tmux_client *clients;
	struct tmux_capture *captures;  /* those that succeeded */
	size_t   npanes, nclients, ncaptures;
};

enum { LISTING_IN_USE = 60 };           /* seconds after a client's activity */

enum tmux_lists {
	TMUX_PANES,
	TMUX_BRIEF,                     /* half of tmux's work; session: "-" */
	TMUX_MARKED,                    /* with mark and queue */
	TMUX_WISHES                     /* the wishes alone */
};

/* The formats for list-panes and list-clients, for the caller to free. */
char *listing_format(const char *token, enum tmux_lists);
char *listing_clients(const char *token);

/* Adds an answer.  The server is in a line "TOKEN v PID START VERSION"; a
 * capture follows a line "TOKEN c PANE". */
void listing_parse(struct tmux_listing *, const char *answer, size_t len,
    const char *token);
bool tmux_version_old(const char *version);
#define TMUX_TOO_OLD "tmux at '%s' is version %s; paneward needs 3.0 or later"

void listing_release(struct tmux_listing *);
const struct tmux_pane *listing_pane(const struct tmux_listing *,
    const char *id);
/* That very pane, or NULL. */
const struct tmux_pane *listing_ref(const struct tmux_listing *,
    const struct pane_ref *);
const struct tmux_capture *listing_capture(const struct tmux_listing *,
    const char *id);

/* Is the pane on a client's screen? */
bool listing_shown(const struct tmux_listing *, const struct tmux_pane *);
/* The same for clients in use that may have the focus; now is in seconds since
 * 1970. */
bool listing_looked_at(const struct tmux_listing *, const struct tmux_pane *,
    int64_t now);

#endif
