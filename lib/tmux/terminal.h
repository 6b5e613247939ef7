/*
 * terminal.h - a notice for the terminal of a tmux client, past tmux.
 *
 * What is written to a client's terminal reaches it also over ssh.  tmux writes
 * there as well: one short write never ends up inside what tmux writes.  A
 * terminal has no answer, so nothing tells whether it showed the notice.
 */
#ifndef PANEWARD_TERMINAL_H
#define PANEWARD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "tmux/listing.h"

/* Can a person see what is written there?  Not at a control client, nor while
 * it is suspended. */
bool terminal_there(const struct tmux_client *);

/* Is it inside another tmux, which drops what is not wrapped? */
bool terminal_nested(const struct tmux_client *);

/* Adds the sequence (OSC 9, 777 or 99, as this terminal knows them) that shows
 * a notice, wrapped for another tmux if need be; returns that number.  The title
 * must not begin with a digit.  Of a long text the begin is sent. */
int  terminal_notice(struct buf *, const struct tmux_client *,
    const char *title, const char *body);

/* Writes to a terminal, which must be a device of ours below /dev; waits for
 * room up to a second.  -1 with errno. */
int  terminal_write(const char *tty, const void *bytes, size_t len);

#endif
