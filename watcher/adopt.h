/*
 * adopt.h - which run does an issue have?
 *
 * The run is the record's as long as its pane lives or its end is not judged.
 * Otherwise a pane that belongs to the issue begins a new run, which began when
 * the process in front of the pane did; and without a pane, what an earlier run
 * left behind is judged as one.
 */
#ifndef PANEWARD_WATCHER_ADOPT_H
#define PANEWARD_WATCHER_ADOPT_H

#include "watcher/track.h"

enum { ADOPT_LATER = -1 };

/* Settles which run is followed, or begins one.  0, or the exit status after a
 * message; ADOPT_LATER: not yet, and the answers of the servers mark the track.
 */
int adopt_run(struct track *);

/* 0 if there is anything to follow, else the exit status after a message.
 * Waits for the servers; writes nothing. */
int adopt_nothing(struct track *);

#endif
