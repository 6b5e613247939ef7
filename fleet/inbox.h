/*
 * inbox.h - what the threads of nats.c bring to the one that reads it: a list of
 * messages, and a pipe that wakes the reader.
 */
#ifndef PANEWARD_FLEET_INBOX_H
#define PANEWARD_FLEET_INBOX_H

#include <nats/nats.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

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

struct inbox {
	pthread_mutex_t lock;           /* of all that follows */
	struct link_message *first, **last;
	bool woken;                     /* there is a byte in the pipe */
	int  pipe[2];
};

/* -1 with errno. */
int  inbox_open(struct inbox *);
/* No thread uses it any more. */
void inbox_close(struct inbox *);

/* ---- by any thread --------------------------------------------------------- */

/* Takes over the message. */
void inbox_put(struct inbox *, struct link_message *);
/* Wakes the reader without a message. */
void inbox_wake(struct inbox *);

/* ---- by the reader ---------------------------------------------------------- */

/* Readable when something was put, or it is to be woken. */
int  inbox_fd(const struct inbox *);
/* The oldest; NULL: none now.  For link_message_free(). */
struct link_message *inbox_next(struct inbox *);

/* A copy of a message that came by that tag. */
struct link_message *inbox_message(natsMsg *, int tag);

#endif
