/*
 * feed.h - what tmux itself shows of the queue, set by `watch --everywhere`;
 * see queue/segment.h.
 *
 * It costs a listing of each tmux server a second, so it is done only while one
 * of them shows it: in status-left, status-right or the windows' formats.
 */
#ifndef PANEWARD_WATCHER_FEED_H
#define PANEWARD_WATCHER_FEED_H

#include "watcher/track.h"

/* Begins or ends it, by the servers that have all been asked.  It goes on while
 * one of them does not answer. */
void feed_look(struct watch *);
/* To be called after each round of the loop while there is one. */
void feed_turn(struct watch *);
/* The servers show nothing then. */
void feed_end(struct watch *);

#endif
