/*
 * sockets.h - sockets on which tmux servers listen, known without running tmux.
 */
#ifndef PANEWARD_SOCKETS_H
#define PANEWARD_SOCKETS_H

#include <stdbool.h>

/* Does certainly no server listen at the path?  An ended server may leave its
 * socket; one that stands still is there.  Takes a tenth of a millisecond, and
 * never waits. */
bool socket_dead(const char *path);

/* The sockets in the user's tmux folder, ${TMUX_TMPDIR:-/tmp}/tmux-UID, that
 * are the user's and not dead, in any order; for argv_free().  NULL: none, or
 * the folder is another user's, or not private, as tmux demands. */
char **sockets_of_user(void);

#endif
