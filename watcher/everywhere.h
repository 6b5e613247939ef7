/*
 * everywhere.h - the sites of `watch --everywhere`: one for each status
 * directory of the registry (registry.h).
 *
 * A directory that the registry gains is followed from then on.  One that is
 * gone drops out.  One whose configuration is wrong is left out, with one
 * warning, until it is mended.
 */
#ifndef PANEWARD_WATCHER_EVERYWHERE_H
#define PANEWARD_WATCHER_EVERYWHERE_H

#include "watcher/track.h"

/* Ends the program if another process of the user does the same, unless this
 * is one round. */
void everywhere_open(struct watch *);
/* Brings the sites in line with the registry, and follows the issues of new
 * ones. */
void everywhere_turn(struct watch *);

/* Does a process of the user follow the projects of the registry? */
bool everywhere_lives(void);

#endif
