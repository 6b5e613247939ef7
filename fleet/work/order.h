/*
 * order.h - an order of the backlog: an issue that an agent of the fleet is to
 * work on.
 *
 * It is a key of the bucket BACKLOG, REPOSITORY.ISSUE, and an object of JSON:
 *
 *	issue, repository, prompt, backend, base, labels, by
 *	number, submitted   of its first version: its place, and when that was
 *	work      { host, token, run, tree }   the last that has taken it
 *	handoff   { host, token, run, state }  begun, done, failed, refused
 *	state     "done", "closed" (by a person) or missing
 *	failed    [{ host, why }]        where it could not be started
 *	before    [{ host, run, tree }]  what earlier hosts have left
 *
 * Every change is written by the revision that was read, so one of two hosts
 * that change it at a time begins again: this decides which host hands off.
 * Members that we do not know stay.
 */
#ifndef PANEWARD_FLEET_ORDER_H
#define PANEWARD_FLEET_ORDER_H

#include "base/issue.h"
#include "data/json.h"
#include "fleet/wire/store.h"
#include "project/project.h"

enum { ORDER_TRIES = 20 };              /* of a change that others outrun */

struct order {
	cJSON   *json;                  /* NULL: there is none */
	char     issue[ISSUE_MAX + 1];
	uint64_t revision;
	msec     time;                  /* of its last change, by the server */
};

void order_release(struct order *);

/* Adds its key. */
void order_key(struct buf *, const char *repository, const char *issue);

/* From the value of a key.  False: it is none of ours. */
bool order_parse(struct order *, const char *text, size_t len);
/* 1: read; 0: there is none, or none of ours; -1 after saying why. */
int  order_get(struct link *, const char *key, struct order *,
    struct buf *why);
/* Writes it, if it still has its revision; sets number and submitted. */
enum store_end order_put(struct link *, const char *key, struct order *,
    struct buf *why);

const char *order_text(const struct order *, const char *name);
/* Of a member object, as "work"; NULL, 0: there is none. */
const char *order_part(const struct order *, const char *part,
    const char *name);
uint64_t order_token(const struct order *, const char *part);
/* Its place in the backlog. */
uint64_t order_number(const struct order *);
msec order_submitted(const struct order *);

/* ---- what may be done ----------------------------------------------------- */

/* Has its hand-off begun, or is it done or closed? */
bool order_handing(const struct order *);
bool order_over(const struct order *);
/* Is that the lease under which it was taken last?  A bucket of leases that was
 * made anew counts from 1 again, so a token alone names no lease. */
bool order_held(const struct order *, const char *host, uint64_t token);
/* Did its hand-off begin there, for that run? */
bool order_handed(const struct order *, const char *host, const char *run);
/* Did it begin there under that lease? */
bool order_handed_under(const struct order *, const char *host,
    uint64_t token);
/* Does this host have every label? */
bool order_fits(const struct order *, char *const *labels);
/* Could it not be started there? */
bool order_failed(const struct order *, const char *host);

/* ---- changes of the object ------------------------------------------------ */

/* The host works on it under this lease; an earlier host's work goes to
 * before. */
void order_take(struct order *, const char *host, uint64_t token);
void order_started(struct order *, const char *run, const char *tree);
void order_fail(struct order *, const char *host, const char *why);
/* No host works on it, and none hands it off. */
void order_free(struct order *);
void order_handoff(struct order *, const char *host, uint64_t token,
    const char *run, const char *state);
/* Sets a text, or removes it. */
void order_set(struct order *, const char *name, const char *text);

/* ---- those that this host might take ------------------------------------- */

/* The oldest first. */
struct offer {
	char    *key;
	uint64_t number;
	char    *repository;
	char    *host;                  /* that took it last; NULL: none */
	msec     later;                 /* clock_now(): not before that */
};

struct offers {
	struct offer *v;
	size_t n;
};

/* Takes note of a key of the backlog. */
void offers_take(struct offers *, const struct link_message *,
    const struct fleetrules *);
void offers_release(struct offers *);

/* ---- the name of a repository -------------------------------------------- */

/* It is the same in each clone: the address of its remote "origin" without
 * scheme, user, port and ".git", as in "git.example/team/app"; without one its
 * folder's name. */
void repository_normal(struct buf *, const char *address);
void repository_of(struct buf *, const struct project *);

#endif
