/*
 * leftovers.h - files of an issue's earlier run, which must not count for the
 * next one: logs, what hooks and the agent's parent wrote, the pane's pipe.
 *
 * They are renamed to NAME.old, over those of the run before.
 */
#ifndef PANEWARD_WATCHER_LEFTOVERS_H
#define PANEWARD_WATCHER_LEFTOVERS_H

#include "project/statusdir.h"

/* Moves the files that exist out of the way.  Returns which, a bit each. */
unsigned leftovers_set_aside(const struct statusdir *, const char *issue);
/* Moves these back. */
void leftovers_restore(const struct statusdir *, const char *issue,
    unsigned moved);

#endif
