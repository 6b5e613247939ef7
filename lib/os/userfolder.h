/*
 * userfolder.h - the user's own folders of paneward, where the XDG base
 * directory specification places them.
 */
#ifndef PANEWARD_USERFOLDER_H
#define PANEWARD_USERFOLDER_H

#include <stdbool.h>

/* What the user has configured: $XDG_CONFIG_HOME/paneward, else
 * ~/.config/paneward; NULL if the environment names none.  The caller frees
 * it. */
char *userfolder_config(void);

/*
 * Opens what paneward keeps for the user beside all projects:
 * $XDG_STATE_HOME/paneward, else ~/.local/state/paneward, or the folder of that
 * name in it (NULL: none).  With make set a missing one is made, but not in the
 * home of another user.  -1 with errno; ENOENT: there is none; EPERM: it is
 * another user's, or all users can write to it.
 */
int userfolder_state(const char *name, bool make);
/* The path of a file in it, whose folder was not checked; NULL if the
 * environment names none.  The caller frees it. */
char *userfolder_state_path(const char *file);

#endif
