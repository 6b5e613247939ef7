/*
 * farrows.h - the rows of the fleet's other hosts.
 *
 * Rows come from the server as they change.  Each STORE_BEAT one request lists
 * the hosts that are there: getting the beats of all hosts on all hosts would
 * cost hosts squared.
 *
 * A row is parsed once, as a check.  It stays a line of JSON, which gets its
 * host, and the time since which it is not watched.
 *
 * The rows of a host stay when it is not heard of any more.  They are not
 * watched since then, and a row of the host itself says so, until it is back.
 * A host that has no rows has none of its own either, so one that ended in
 * order leaves nothing behind.  While the server is away, a row says why.
 *
 * Times of the server are only compared with each other: a host's clock, or
 * ours, may be wrong.
 */
#ifndef PANEWARD_FLEET_FARROWS_H
#define PANEWARD_FLEET_FARROWS_H

#include "fleet/wire/link.h"
#include "queue/lines.h"

struct farrows;

/* The token of a row's subject, "$KV.PANEWARD_ROWS.HOST.TOKEN", and its host;
 * NULL: it is no row's. */
const char *farrows_token(const char *subject, char host[FLEET_HOST_MAX + 1]);

/* Borrows the link and the names: these hosts alone, NULL-ended; or NULL. */
struct farrows *farrows_new(struct link *, char *const *only);
void farrows_free(struct farrows *);

/* Called after each round of a loop, and when it is due: gives all rows to the
 * lines if some may have changed, but not before all have come once. */
void farrows_turn(struct farrows *, struct rowlines *, msec wall, msec now);
msec farrows_due(const struct farrows *);

#endif
