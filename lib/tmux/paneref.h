/*
 * paneref.h - a pane and its process, exactly.
 */
#ifndef PANEWARD_PANEREF_H
#define PANEWARD_PANEREF_H

#include <stdint.h>
#include <sys/types.h>

enum { TMUX_ID = 24 };

struct pane_ref {
	char    *socket;                /* absolute; NULL: no pane known */
	pid_t    server, pane_pid;
	int64_t  server_start;          /* tmux's start_time, seconds */
	char     session[TMUX_ID], window[TMUX_ID], pane[TMUX_ID];
	uint64_t pane_start;            /* proc.h's unit */
};

/* Are two places or listings of one tmux server? */
#define server_same(a, b) ((a)->server == (b)->server && \
	(a)->server_start == (b)->server_start)

enum { PANE_REF_NAME = 24 + TMUX_ID };

/* tmux's "#{pid}#{pane_id}", unique among living servers; empty if no pane is
 * known. */
const char *pane_ref_name(char word[PANE_REF_NAME], const struct pane_ref *);
#define PANE_NAME(ref) pane_ref_name((char[PANE_REF_NAME]){ "" }, (ref))
void pane_ref_release(struct pane_ref *);

enum pane_life {
	PANE_UNSEEN,            /* tmux has not answered */
	PANE_LIVES,
	PANE_DEAD,              /* still shown without its process */
	PANE_GONE,
	PANE_NONE,              /* no pane is known */
	PANE_SILENT             /* its server does not answer */
};

#endif
