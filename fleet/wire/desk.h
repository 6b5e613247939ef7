/*
 * desk.h - tells the person at this host of agents on others, for which no
 * person is there.
 *
 * While a tmux client is used here, the rows of all hosts are followed.  An
 * agent needs a person: if its host has a desk in use, that tells it.  Else the
 * first host that writes the episode's key into the bucket of notices tells it,
 * by `paneward notify --row`, and writes there that it has.  A host that dies in
 * between leaves its key unfinished: another one takes it over, so that a notice
 * may be doubled then, but is not lost.
 */
#ifndef PANEWARD_FLEET_DESK_H
#define PANEWARD_FLEET_DESK_H

#include "base/clock.h"
#include "fleet/wire/link.h"
#include "os/loop.h"

enum {
	DESK_TAG = 2,                   /* of its link_follow() */
	DESK_USED = 60000               /* ms since a client was used: a person
					   is there */
};

struct desk;

/* program: that of paneward; borrowed, as the link is. */
struct desk *desk_new(const char *program, struct link *, struct loop *);
void   desk_free(struct desk *);

/* Is a person here?  After a new connection, again.  -1 after saying why. */
int    desk_set(struct desk *, bool here, struct buf *why);
/* Takes a message with DESK_TAG. */
void   desk_take(struct desk *, const struct link_message *, msec now);

/* To be called after each round of the loop, and when it is due. */
msec   desk_due(const struct desk *);
/* -1 after saying why: the server did not answer. */
int    desk_turn(struct desk *, msec now, struct buf *why);

#endif
