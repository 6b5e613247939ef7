/*
 * site.h - a project whose issues are followed: its status directory.
 *
 * A watch has one, with --everywhere one for each directory of the registry.
 */
#ifndef PANEWARD_WATCHER_SITE_H
#define PANEWARD_WATCHER_SITE_H

#include "watcher/track.h"

/* Adds one to a list of the watch; the caller opens its context, then calls
 * site_prepare(). */
struct site *site_new(struct watch *, struct site **list);
/* Removes it from the watch; its tracks must be freed before. */
void site_free(struct site *);

/* Checks what the configuration names.  -1 with the reason in *wrong. */
int  site_prepare(struct site *, struct buf *wrong);
/* Has changes of the open directory reported. */
void site_watch(struct site *);
/* Tells `start` that all issues of the directory are followed, and their
 * completions handed off as configured.  Call this again from time to time:
 * another process may have told it before, and `status` shows about when
 * this one did so last.  Queued issues may have their turn then. */
void site_claim(struct site *);
/* Opens the directory again if it was replaced or removed. */
void site_renew(struct site *);

/* The one whose directory has this number in notify.h; NULL: none. */
struct site *site_watched(const struct watch *, int watch);

#endif
