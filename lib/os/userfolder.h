/*
 * userfolder.h - paneward's folders of the user, by the XDG base directory
 * specification.
 */
#ifndef PANEWARD_USERFOLDER_H
#define PANEWARD_USERFOLDER_H

#include <stdbool.h>

/* $XDG_CONFIG_HOME/paneward or ~/.config/paneward, for the caller to free; NULL
 * if the environment names none. */
char *userfolder_config(void);

/* Opens $XDG_STATE_HOME/paneward or ~/.local/state/paneward, or a folder in it,
 * or makes it, but not in the home of another user.  -1 with errno; EPERM:
 * another user's, or all users can write to it. */
int userfolder_state(const char *name, bool make);
/* The path of a file in it, for the caller to free, or NULL; not checked. */
char *userfolder_state_path(const char *file);

#endif
