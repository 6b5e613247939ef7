/*
 * query.h - one query asks a tmux server for what its tracks want, as much as
 * one call carries, and each track gets its part of the answer.
 */
#ifndef PANEWARD_WATCHER_QUERY_H
#define PANEWARD_WATCHER_QUERY_H

#include "watcher/track.h"

/* A server is asked when a track wants something, and each SERVER_LISTING. */
void query_open(struct watch *);
/* For a pass: what the servers have said of the track's pane. */
void query_pass(struct track *);
/* Forgets those that no track needs. */
void query_forget(struct watch *);

#endif
