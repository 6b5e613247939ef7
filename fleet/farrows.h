/*
 * farrows.h - the rows of the fleet's other hosts, from what the server sends.
 *
 * The rows of a host stay when it is not heard of any more.  They are not
 * watched since then, and a row of the host itself says so, until it is back.
 * A host that has no rows has none of its own either, so one that ended in
 * order leaves nothing behind.
 *
 * Times of the server are only compared with each other: a host's clock, or
 * ours, may be wrong.
 */
#ifndef PANEWARD_FLEET_FARROWS_H
#define PANEWARD_FLEET_FARROWS_H

#include "fleet/link.h"
#include "queue/row.h"

struct farrows;

struct farrows_how {
	const char *own;                /* this host, which is left out */
	char *const *only;              /* these alone, NULL-ended; or NULL */
	msec keep;                      /* a host that is not heard of for so
					   long is left out */
};

/* Borrows the texts. */
struct farrows *farrows_new(const struct farrows_how *);
void farrows_free(struct farrows *);

/* By the server's clock it is so late now. */
void farrows_clock(struct farrows *, msec server, msec now);

/* ---- rows ---------------------------------------------------------------- */

/* All rows come again: so many messages. */
void farrows_begin(struct farrows *, uint64_t messages);
/* A message of the bucket of rows.  NULL, or the name of a host, once, whose
 * message is no row and was skipped. */
const char *farrows_take(struct farrows *, const struct link_message *,
    msec wall, msec now);
/* Have they come? */
bool farrows_whole(const struct farrows *);

/* ---- hosts --------------------------------------------------------------- */

/* A message of the bucket of hosts, with what the host says of itself. */
void farrows_host(struct farrows *, const struct link_message *, msec wall);
/* The server was asked for the names of all hosts in the bucket: begin, each
 * name (false: farrows_host() has told nothing of it yet), end.  A host that is
 * missing is not there, unless the bucket was made a moment ago: then it may
 * not have written yet. */
void farrows_ask(struct farrows *);
bool farrows_there(struct farrows *, const char *name, msec wall);
void farrows_asked(struct farrows *, msec made, msec wall, msec now);

/* The server itself is away, since that wall time; 0: it is back. */
void farrows_away(struct farrows *, msec since);

/* ---- what has changed ---------------------------------------------------- */

struct farrows_out {
	void (*row)(void *, const struct row *);
	void (*left)(void *, const char *key);
	void *context;
};

/* Tells of all rows that have changed, or left, since the last call; of none
 * before all have come once. */
void farrows_tell(struct farrows *, msec wall, const struct farrows_out *);

#endif
