/*
 * segment.h - what tmux itself shows of the queue: in the status line how many
 * agents need a person, and at a window the state of its agent.
 *
 * Each tmux server of the user has the counts in the variable PANEWARD_QUEUE of
 * its environment ("2 asking 1 error"; unset: none), and each window with an
 * agent has the worst state of its agents in the option @paneward_state.  Both
 * are compared with what the server has, and set only if they differ.
 *
 * One process of the user does this, which a lock in the user's state folder
 * decides; in all others a segment does nothing, until the lock is free.
 */
#ifndef PANEWARD_SEGMENT_H
#define PANEWARD_SEGMENT_H

#include "queue/row.h"
#include "tmux/servers.h"

struct segment;

/* Its servers are asked in a loop, each second. */
struct segment *segment_new(struct servers *);
/* All servers show nothing then; waits a second at most for one that does not
 * answer. */
void segment_free(struct segment *);

/* The rows have changed: all agents of this user, in any order. */
void segment_set(struct segment *, struct row *const *, size_t n);

/* Adds the counts: "2 asking 1 error". */
void segment_text(struct buf *, struct row *const *, size_t n);

#endif
