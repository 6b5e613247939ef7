/*
 * request.h - what another host orders: to hand off an issue of ours.
 *
 * An order is an event of the stream, paneward.FROM._order.HOST, and its result
 * another one, paneward.HOST._result.FROM.  Its data names the issue's project,
 * by folder, path, or not at all if one project alone has the issue.
 *
 * An order is run once at most, one at a time: before it begins, its sequence is
 * written to "fleet-orders" in the user's folder of state, synced.  If the agent
 * ends meanwhile, `paneward handoff` goes on by itself, and the result is then
 * that its end was not seen; the issue's record has it.  Orders from before the
 * first agent of this user are left alone.
 */
#ifndef PANEWARD_FLEET_REQUEST_H
#define PANEWARD_FLEET_REQUEST_H

#include "fleet/outbox.h"
#include "os/loop.h"

#define REQUEST_TYPE "paneward.fleet.handoff"
#define RESULT_TYPE "paneward.fleet.result"

/* The subjects, allocated. */
char *request_subject(const char *from, const char *to);
char *result_subject(const char *from, const char *to);

/* Adds a line: an event of that type, with the data {"NAME": "VALUE"...} and an
 * exit status unless that is -1. */
struct request_data {
	const char *name, *value;       /* the last one has no name */
};
void request_line(struct buf *, const char *type, const char *id,
    const char *host, const char *issue, const struct request_data *, int exit);

struct requests;

/* Both are borrowed. */
struct requests *requests_new(const char *program, const char *host,
    struct loop *);
/* What runs goes on. */
void   requests_free(struct requests *);

/* Follows the orders in a stream that was made then.  -1 after saying why. */
int    requests_follow(struct requests *, struct link *, int tag, msec made,
    struct buf *why);
/* A message that came by that tag. */
void   requests_take(struct requests *, const struct link_message *);

/* To be called after each round of the loop, and if it is due: begins the next
 * order and sends the results.  -1 after saying why: it is to be tried again. */
bool   requests_due(const struct requests *);
int    requests_turn(struct requests *, struct link *,
    const struct outbox *journals, struct buf *why);

#endif
