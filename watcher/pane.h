/*
 * pane.h - what tmux knows of a track's pane becomes evidence: whether it
 * lives, who reads its output, what its screen shows.
 */
#ifndef PANEWARD_WATCHER_PANE_H
#define PANEWARD_WATCHER_PANE_H

#include "watcher/track.h"

/* pane is NULL if the listing does not have the track's pane. */
void pane_listed(struct track *, const struct tmux_listing *,
    const struct tmux_pane *pane);
/* The server is silent, or answers again. */
void pane_server(struct track *, bool silent);
/* The pane is gone, or its server is. */
void pane_gone(struct track *);

#endif
