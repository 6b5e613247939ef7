/*
 * paneref.h - a pane and its process, exactly.
 */
#ifndef PANEWARD_PANEREF_H
#define PANEWARD_PANEREF_H

#include <stdint.h>
#include <sys/types.h>

enum { TMUX_ID = 24 };                  /* "$12", "@3", "%45" */

struct pane_ref {
	char    *socket;                /* absolute path; NULL: no pane known */
	pid_t    server, pane_pid;
	int64_t  server_start;          /* tmux's start_time, seconds */
	char     session[TMUX_ID], window[TMUX_ID], pane[TMUX_ID];
	uint64_t pane_start;            /* proc.h's unit */
};

enum { PANE_REF_NAME = 24 + TMUX_ID };

/* A pane as a word that tmux can write too, "#{pid}#{pane_id}", unique among
 * living servers.  Empty if no pane is known. */
void pane_ref_name(char word[PANE_REF_NAME], const struct pane_ref *);
void pane_ref_release(struct pane_ref *);

enum pane_life {
	PANE_UNSEEN,            /* tmux has not answered yet */
	PANE_LIVES,
	PANE_DEAD,              /* kept on screen, its process has ended */
	PANE_GONE,              /* no longer there */
	PANE_NONE,              /* none is known: only files are evidence */
	PANE_SILENT             /* its server lives and does not answer */
};

#endif
