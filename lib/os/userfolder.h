/*
 * userfolder.h - the user's folders, by the XDG base directory specification.
 */
#ifndef PANEWARD_USERFOLDER_H
#define PANEWARD_USERFOLDER_H

#include <stdbool.h>

/* ~/.config/paneward, for free(); NULL: not in the environment. */
char *userfolder_config(void);

/* Opens or makes ~/.local/state/paneward, or a folder in it, but makes none in
 * another user's home.  -1 with errno; EPERM: foreign, or all can write. */
int userfolder_state(const char *name, bool make);
/* An unchecked path in it, for free(); or NULL. */
char *userfolder_state_path(const char *file);

#endif
