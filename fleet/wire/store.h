/*
 * store.h - what the fleet's server keeps: one stream and five buckets.
 *
 *	stream PANEWARD    the journals' lines, and orders from host to host;
 *	                   subject paneward.HOST.PROJECT.ISSUE, id of the line
 *	PANEWARD_HOSTS     HOST: that it is there, and what it is
 *	PANEWARD_ROWS      HOST.KEY: a row of its queue
 *	PANEWARD_BACKLOG   REPOSITORY.ISSUE: what is to be done
 *	PANEWARD_LEASES    REPOSITORY.ISSUE: which host does it now
 *	PANEWARD_NOTICES   HOST.EPISODE: which host has told of it
 *
 * A bucket is a stream that keeps the last value of each key.  Keys of hosts,
 * leases and notices go by themselves after a time, by the server's clock.
 */
#ifndef PANEWARD_FLEET_STORE_H
#define PANEWARD_FLEET_STORE_H

#include "fleet/wire/link.h"

enum store {
	STORE_EVENTS, STORE_HOSTS, STORE_ROWS, STORE_BACKLOG, STORE_LEASES,
	STORE_NOTICES,
	STORES
};

enum {
	STORE_BEAT = 10000,             /* ms between signs of life of a host */
	STORE_GONE = 35000              /* without one: it has not been heard of */
};

/* The name of its stream: "PANEWARD", "KV_PANEWARD_ROWS". */
const char *store_stream(enum store);
/* The beginning of its subjects: "paneward.", "$KV.PANEWARD_ROWS.". */
const char *store_prefix(enum store);

/*
 * Makes it, unless it is there.  What is there stands, even if our rules say
 * otherwise: the first host sets the lease for all.  *made (which may be NULL)
 * becomes the moment when it was made, by the server's clock, wall time in ms:
 * another moment is another, empty one.  -1 after saying why.
 */
int    store_open(struct link *, enum store, msec *made, struct buf *why);

/* What the server says of it. */
struct store_look {
	msec    made;
	msec    newest;                 /* when its last message was stored */
	msec    lasts;                  /* of a message; 0: for ever */
	int64_t most;                   /* bytes; -1: any */
	int64_t bytes, messages;        /* there */
	bool    other;                  /* it is not as store_open() makes it */
};
/* Changes nothing.  1; 0: it is not there; -1 after saying why. */
int    store_look(struct link *, enum store, struct store_look *,
    struct buf *why);

/* Has it discarded messages, as too old or too many?  -1 after saying why. */
int    store_discards(struct link *, enum store, bool *discards,
    struct buf *why);

/* ---- keys of buckets ----------------------------------------------------- */

enum store_end {
	STORE_DONE,
	STORE_TAKEN,                    /* another revision is there */
	STORE_FAILED                    /* why says it; it may have been done */
};

/* Writes a key: revision 0: it must not be there; STORE_ANY: whatever is; else
 * its present value must have that revision.  *revision becomes the new one. */
#define STORE_ANY UINT64_MAX
enum store_end store_put(struct link *, enum store, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why);
/* 1: its value and revision, and when it was stored; 0: there is none; -1 after
 * saying why. */
int    store_get(struct link *, enum store, const char *key,
    struct buf *value, uint64_t *revision, msec *time, struct buf *why);
/* Calls take for each key, without reading their values.  -1 after saying
 * why. */
int    store_keys(struct link *, enum store, void (*take)(void *,
    const char *key), void *context, struct buf *why);
/* link_each() for the last message of each key. */
int    store_each(struct link *, enum store, link_take *, void *context,
    struct buf *why);
/* Deletes a key of that revision, or STORE_ANY. */
enum store_end store_delete(struct link *, enum store, const char *key,
    uint64_t revision, struct buf *why);

/* ---- events -------------------------------------------------------------- */

struct store_event {
	const char *subject;            /* "paneward.HOST.PROJECT.ISSUE" */
	const char *id;                 /* no other event has it */
	const char *data;               /* the line */
	size_t      len;
};

/* 1: the stream has it, with that sequence, or had it before (*again); 0: no
 * stream would take it, and why says the reason; -1 after saying why: it may
 * have it. */
int    store_publish(struct link *, const struct store_event *,
    uint64_t *sequence, bool *again, struct buf *why);

/* The sequence of the last one whose subject matches; 0: there is none.  -1
 * after saying why. */
int    store_last(struct link *, enum store, const char *subject,
    uint64_t *sequence, struct buf *why);

/* ---- names --------------------------------------------------------------- */

/* Adds a token of a subject for a text: what is no letter, digit, '-' or '_' is
 * "_", and where that, or its length, lost something, "-" and a hash follow. */
void   store_token(struct buf *, const char *text);
/* The token of the project of a status directory: the name of its folder and a
 * hash of the directory's path.  By the path alone, so that it stays the same:
 * events are found by it. */
void   store_project(struct buf *, const char *directory);

#endif
