/*
 * all.h - every issue of the project in one watch, later ones too.
 *
 * An issue is followed from the moment that anything is known of it: a record,
 * a signal, a pane.  When it has ended it is forgotten, and followed again when
 * its record has another run, or when a signal comes late.  What decides that
 * is on the disk.
 */
#ifndef PANEWARD_WATCHER_ALL_H
#define PANEWARD_WATCHER_ALL_H

#include "watcher/track.h"

/* Follows the issue of a name in the status directory, if it has one. */
void all_name(struct site *, const char *name);
/* The same for everything in the status directory, and for a listing.  True as
 * of panes_listing(). */
void all_names(struct site *);
bool all_listing(struct watch *, struct tmux_server *);
/* Forgets what has ended; asks the servers that no track asks. */
void all_turn(struct watch *);

#endif
