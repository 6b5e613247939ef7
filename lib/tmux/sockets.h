/*
 * sockets.h - the tmux servers of this user, and the pane that we are in.
 */
#ifndef PANEWARD_SOCKETS_H
#define PANEWARD_SOCKETS_H

#include <stdbool.h>
#include <sys/types.h>

#include "tmux/paneref.h"

/* $TMUX's, else the usual one.  The caller frees it. */
char *tmux_socket(void);
char *tmux_usual_socket(void);

/* Certainly no listener.  Never waits. */
bool socket_dead(const char *path);

/* Live sockets of ${TMUX_TMPDIR:-/tmp}/tmux-UID, for argv_free().  NULL with
 * errno, which is 0 for none or for a folder that tmux refuses. */
char **sockets_of_user(void);

/* Borrowed; NULL outside tmux. */
const char *tmux_own_pane(pid_t *server);
bool tmux_here(const struct pane_ref *);

#endif
