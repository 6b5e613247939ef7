/*
 * listing.h - a tmux server's answer: its panes, and captures.
 *
 * The answer holds untrusted names, paths and whole screens.  So each of its
 * parts is on a line that begins with a token, a random word that no pane can
 * know; nothing else is parsed.
 */
#ifndef PANEWARD_LISTING_H
#define PANEWARD_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tmux/paneref.h"

enum { TMUX_TOKEN = 16 };               /* letters of a token */

struct tmux_pane {
	char     id[TMUX_ID], session[TMUX_ID], window[TMUX_ID];
	long     number;                /* that of the id */
	pid_t    pid;
	bool     dead;                  /* its process ended; kept on screen */
	int      dead_status, dead_signal;      /* -1: tmux does not say */
	bool     pipe;                  /* any pipe-pane is open */
	int64_t  activity;              /* of its window, seconds since 1970 */
	char    *session_name, *window_name, *path;
	char    *title, *command;       /* of what runs in front; brief: "" */
	char    *issue, *run, *dir;     /* @paneward_issue, _run, _dir; or "" */
};

struct tmux_capture {
	char     pane[TMUX_ID];
	char    *text;
	size_t   len;
};

struct tmux_listing {
	pid_t    server;
	int64_t  server_start;
	bool     old;                   /* the server is older than 3.0 */
	struct tmux_pane *panes;        /* each once */
	size_t   npanes;
	struct tmux_capture *captures;  /* those that succeeded */
	size_t   ncaptures;
};

/* The format for list-panes -F; the caller frees it. */
char *listing_format(const char *token);
/* The same for half of tmux's work: of a pane only id, process, life, activity,
 * names and options; the ids of its session and window are "-".
 * listing_server() is the format of display-message before it. */
char *listing_brief(const char *token);
char *listing_server(const char *token);

/* Adds what an answer holds.  A capture follows a line "TOKEN c PANE". */
void listing_parse(struct tmux_listing *, const char *answer, size_t len,
    const char *token);
bool tmux_version_old(const char *version);

void listing_release(struct tmux_listing *);
const struct tmux_pane *listing_pane(const struct tmux_listing *,
    const char *id);
const struct tmux_capture *listing_capture(const struct tmux_listing *,
    const char *id);

#endif
