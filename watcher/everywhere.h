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
/* Opens the sites that the registry has and the watch has not, and follows
 * their issues.  The registry is read again if it is due. */
void everywhere_turn(struct watch *);
/* Drops the site if its project is gone.  True: it was. */
bool everywhere_drop(struct site *);

#endif
