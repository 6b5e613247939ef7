/*
 * rows.h - this host's rows in the fleet's bucket: what a child, `paneward
 * status --all --json --follow`, prints of them.
 *
 * A row is under HOST.HASH, the hash of its key.  What the bucket has is only
 * read after a connection began: then what is gone here is deleted there.
 */
#ifndef PANEWARD_FLEET_ROWS_H
#define PANEWARD_FLEET_ROWS_H

#include "fleet/wire/link.h"
#include "os/loop.h"

struct rows;

/* program: that of paneward; borrowed, as the host is. */
struct rows *rows_new(const char *program, const char *host, struct loop *);
/* Ends the child. */
void   rows_free(struct rows *);

/* Why the child was restarted, once until it has printed all rows; NULL: no
 * news. */
const char *rows_trouble(struct rows *);

/* The bucket may be another one, or have other rows of ours. */
void   rows_forget(struct rows *);
/* Is there something to send? */
bool   rows_wait(struct rows *);
/* Sends a part of what differs.  -1 after saying why. */
int    rows_send(struct rows *, struct link *, struct buf *why);
/* Deletes all of ours. */
int    rows_remove(struct rows *, struct link *, struct buf *why);

#endif
