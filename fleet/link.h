/*
 * link.h - the connection of this process to the fleet's server, by nats.c.
 *
 * nats.c has threads of its own.  They only put what came into a list and wake
 * us: one thread of ours does everything else.  Poll link_fd(), then take
 * messages by link_next() until there is none.
 *
 * A lost connection comes back by itself; meanwhile calls fail.  The server
 * refuses what a host may not do without an answer, so a call that it did not
 * answer in time is refused or lost: link_why() says which, as far as the
 * server told.
 */
#ifndef PANEWARD_FLEET_LINK_H
#define PANEWARD_FLEET_LINK_H

#include <nats/nats.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "fleet/inbox.h"
#include "project/fleetrules.h"

enum { LINK_LIMIT = 5000 };             /* ms for an answer of the server */

/* What the server keeps, in streams and buckets; see fleet/store.h. */
struct link;

/*
 * Connects.  NULL after saying why.  With stay set, it goes on trying in the
 * background if the server is away, now or later, and the link is never NULL.
 */
struct link *link_open(const struct fleetrules *, bool stay, struct buf *why);
/* Call it first, with the arguments of main().  nats.c gives up for good after
 * the server has refused it twice, as one that just starts may do; a process
 * that stays then begins anew, as after a kill. */
void   link_restarts(char **argv);
/* A text that a process which begins so gets from the one before. */
void   link_keep(struct link *, const char *text);
const char *link_kept(void);            /* NULL: none */
void   link_close(struct link *);       /* NULL is fine */

jsCtx *link_js(struct link *);
natsConnection *link_nats(struct link *);
const struct fleetrules *link_rules(const struct link *);
/* Is it connected now, and how often has it been so?  A caller that keeps
 * a state of the server looks anew when the number grows. */
bool   link_up(const struct link *);
unsigned link_connects(const struct link *);

/* What its user has learnt of the server, a bit each; a new connection knows
 * nothing. */
bool   link_knows(const struct link *, unsigned bit);
void   link_learn(struct link *, unsigned bit);

/* While it is not up: connects once more, for a moment.  0, or -1 after saying
 * why that fails. */
int    link_try(struct link *, struct buf *why);

/* The bytes of the largest message that the server takes; 0: it has not yet
 * said. */
int64_t link_largest(struct link *);

/* Adds the reason of a call that failed: the server's last refusal since the
 * last link_why(), else the words for the status. */
void   link_why(struct link *, natsStatus, struct buf *why);

/* ---- what comes ---------------------------------------------------------- */

enum link_from { LINK_LAST, LINK_ALL, LINK_NEW };

/* Calls take for each message that is there, the last one of each subject or
 * all of them, and waits for that; bare: without their data.  -1 after saying
 * why: maybe not for all. */
typedef void link_take(void *, const struct link_message *);
int    link_each(struct link *, const char *stream, const char *subject,
    enum link_from, bool bare, link_take *, void *, struct buf *why);

/* All that were stored since that wall time of the server; 0: all. */
int    link_each_since(struct link *, const char *stream,
    const char *subject, msec since, link_take *, void *, struct buf *why);

/* Follows a subject of a stream, wildcards and all: from the last message of
 * each subject on, all of them, or new ones.  The server keeps nothing of it:
 * it goes on by itself after a lost connection.  -1 after saying why. */
int    link_follow(struct link *, int tag, const char *stream,
    const char *subject, enum link_from, struct buf *why);
/* How many messages were there when it began, which come first, and when that
 * was by the server's clock.  -1 after saying why. */
int    link_began(struct link *, int tag, uint64_t *messages, msec *time,
    struct buf *why);
/* Ends all that follow with that tag. */
void   link_unfollow(struct link *, int tag);

/* Readable when there is a message, and when the connection came or went. */
int    link_fd(const struct link *);
/* NULL: none now.  For link_message_free(). */
struct link_message *link_next(struct link *);

#endif
