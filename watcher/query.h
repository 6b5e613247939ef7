/*
 * query.h - one query asks a tmux server for what its tracks want, as much as
 * one call carries, and each track gets its part of the answer.
 */
#ifndef PANEWARD_WATCHER_QUERY_H
#define PANEWARD_WATCHER_QUERY_H

#include "watcher/track.h"

/* Uses the answer of the last query; begins the next one if it is due. */
void query_turn(struct watch *, struct server *);
/* Uses the listing of this turn's snapshot, if it has one. */
void query_snapshot(struct watch *, struct server *);
/* The server's process has ended. */
void query_ended(struct watch *, struct server *);

#endif
