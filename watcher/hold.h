/*
 * hold.h - one process acts on an issue: this watcher, which then judges it, or
 * another one, whose record is followed until its lock is free.
 */
#ifndef PANEWARD_WATCHER_HOLD_H
#define PANEWARD_WATCHER_HOLD_H

#include "watcher/track.h"

/* Takes the lock and the run, or follows the lock's holder. */
void hold_begin(struct track *);
void hold_turn(struct track *);
/* The slow tick.  With check set it reads everything that an event may have
 * missed. */
void hold_tick(struct track *, bool check);
/* The status directory was replaced: locks and files are there now. */
void hold_moved(struct track *);

#endif
