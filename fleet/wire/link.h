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
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "project/config.h"

/* ---- the messages from the threads of nats.c ----------------------------- */

/* The threads of nats.c add messages to a list, and wake its one reader by a
 * pipe. */

struct link_message {
	struct link_message *next;
	int      tag;                   /* of its link_follow() */
	char    *subject;
	char    *id;                    /* of an event: Nats-Msg-Id; or NULL */
	char    *data;                  /* NUL-ended; may hold others */
	size_t   len;
	uint64_t sequence;              /* in its stream: a key's revision */
	msec     time;                  /* when it was stored, by the server's
					   clock; wall */
	uint64_t pending;               /* how many follow that are there
					   already */
	bool     gone;                  /* a key that was deleted */
};

void link_message_free(struct link_message *);

struct link_inbox {
	pthread_mutex_t lock;           /* of all that follows */
	struct link_message *first, **last;
	bool woken;                     /* there is a byte in the pipe */
	int  pipe[2];
};

/* -1 with errno. */
int  inbox_open(struct link_inbox *);
/* No thread uses it any more. */
void inbox_close(struct link_inbox *);

/* ---- by any thread --------------------------------------------------------- */

/* Takes over the message. */
void inbox_put(struct link_inbox *, struct link_message *);
/* Wakes the reader without a message. */
void inbox_wake(struct link_inbox *);

/* ---- by the reader ---------------------------------------------------------- */

/* Readable when something was put, or it is to be woken. */
int  inbox_fd(const struct link_inbox *);
/* The oldest; NULL: none now.  For link_message_free(). */
struct link_message *inbox_next(struct link_inbox *);

/* A copy of a message that came by that tag. */
struct link_message *inbox_message(natsMsg *, int tag);

/* ---- the connection: link.c ---------------------------------------------- */

/*
 * nats.c has threads of its own.  They only put what came into a list and wake
 * us: one thread of ours does everything else.  Poll link_fd(), then take
 * messages by link_next() until there is none.
 *
 * A lost connection comes back by itself; meanwhile calls fail.  The server
 * refuses what a host may not do without an answer, so a call that it did not
 * answer in time is refused or lost: link_why() says which, as far as the
 * server told.
 */

enum { LINK_LIMIT = 5000 };             /* ms for an answer of the server */

/* Makes the next call of nats.c, unless one before has failed. */
#define NATS_THEN(s, call) ((s) = (s) == NATS_OK ? (call) : (s))

/* What the server keeps, in streams and buckets; see fleet/wire/store.h. */
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

/* ---- why it was refused: refusal.c --------------------------------------- */

/* Adds what a text of nats.c or of the server means, in words that name the file
 * or key to look at; an unknown one as it is, without the place in its source. */
void refusal_explain(struct buf *, const char *text,
    const struct fleetrules *);

/* Can the files of our certificate be read, and the key by its owner alone?  Else
 * adds why not. */
bool refusal_files(struct buf *, const struct fleetrules *);

/* ---- before TLS: doctor.c ------------------------------------------------ */

/* The server tells each client its version, and what it wants of a client,
 * before it knows which one it is. */
struct greeting {
	char version[32];
	bool tls;                       /* no client may go on without TLS, */
	bool certificate;               /* or without a certificate */
	bool jetstream;
};

/* Reads the line "INFO {...}".  False: it is none of a NATS server. */
bool greeting_parse(const char *line, size_t len, struct greeting *);
/* Is the version at least this one?  An unknown one is not. */
bool greeting_atleast(const struct greeting *, unsigned major,
    unsigned minor);

#endif
