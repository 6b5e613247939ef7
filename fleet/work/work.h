/*
 * work.h - the fleet's backlog: its orders, and this host's work on them.
 */
#ifndef PANEWARD_FLEET_WORK_H
#define PANEWARD_FLEET_WORK_H

#include "fleet/wire/wire.h"
#include "run/lease.h"

/* ---- an order: order.c --------------------------------------------------- */

/*
 * An issue for an agent of the fleet: a key of the backlog, and an object:
 *
 *	issue, repository, prompt, backend, base, labels, by
 *	number, submitted   its place, and when its first version was written
 *	work      { host, token, run, tree }   the host that took it last
 *	handoff   { host, token, run, state }  begun, done, failed, refused
 *	state     "done", "closed" (by a person) or missing
 *	failed    [{ host, why }]        hosts that could not start it
 *	before    [{ host, run, tree }]  the work of earlier hosts
 *
 * Every change is written by the revision that was read, so one of two hosts
 * that change it at a time begins again: this decides which host hands off.
 */
enum { ORDER_TRIES = 20 };

struct order {
	struct json *json;              /* NULL: there is none */
	char     issue[ISSUE_MAX + 1];
	uint64_t revision;
	msec     time;                  /* of its last change, by the server */
};

void order_release(struct order *);

/* Adds its key. */
void order_key(struct buf *, const char *repository, const char *issue);
/* Takes over the value; false: it is no order. */
bool order_adopt(struct order *, struct json *);
bool order_take_message(struct order *, const struct link_message *);
/* 1; 0: there is no valid one; -1. */
int  order_get(struct link *, const char *key, struct order *, struct buf *why);
/* Writes it, if it still has its revision; sets number and submitted. */
enum store_end order_put(struct link *, const char *key, struct order *,
    struct buf *why);

/* A text of a member object, as "work", or NULL. */
const char *order_part(const struct order *, const char *part,
    const char *name);
bool order_text_is(const struct json *, const char *name, const char *text);
uint64_t order_number(const struct order *);

#define order_handing(o) (order_part((o), "handoff", "state") != NULL)
#define order_over(o) (json_text((o)->json, "state") != NULL)
/* Does "work" or "handoff" have that host and lease? A new bucket counts from 1
 * again, so a token alone names no lease. */
bool order_under(const struct order *, const char *part, const char *host,
    uint64_t token);
bool order_handed(const struct order *, const char *host, const char *run);
/* May this host take it, by its labels, failures and state? */
bool order_waits(const struct order *, const struct fleetrules *);

/* The work of the host before goes to "before". */
void order_take(struct order *, const char *host, uint64_t token);
void order_fail(struct order *, const char *host, const char *why);
void order_free(struct order *);
void order_handoff(struct order *, const char *host, uint64_t token,
    const char *run, const char *state);
void order_set(struct json *, const char *name, const char *text);

/* The orders that this host might take, the oldest first. */
struct offers {
	struct offer {
		char    *key;
		uint64_t number;
		char    *repository;
		char    *host;          /* took it last; NULL */
		msec     later;         /* clock_now() of the next try */
	}     *v;
	size_t n;
};

void offers_take(struct offers *, const struct link_message *,
    const struct fleetrules *);
void offers_release(struct offers *);

/* Adds the name of a repository, the same in each clone: its remote "origin" as
 * "git.example/team/app", else its folder. */
void repository_normal(struct buf *, const char *address);
void repository_of(struct buf *, const struct project *);

/* ---- an issue that this host works on: holding.c ------------------------- */

/*
 * A lease is a key that the server forgets after a time.  It is only made where
 * there is none, and renewed by its revision, so one host has it at a time.
 * This host counts from before a renewal was sent, and ends a fifth sooner:
 * then the agent's parent ends the agent (run/lease.h).
 *
 * A lease decides which host may work.  The order alone decides which host may
 * hand off: it has the lease's first revision, and a host that takes the issue
 * and one that hands it off write the same key, so one of them fails.
 */

/* A project of this host in which it works for the fleet. */
struct place {
	struct context context;
	struct buf     repository;
	struct lock    lock;            /* one worker for a project */
};

struct holding {
	struct holding *next;
	struct place *place;
	struct order  order;
	bool          changed, gone;    /* since it was read; not ours now */
	struct buf    key;
	struct lease  lease;
	msec          lasts, due;       /* a lease, by the server; a renewal */
	struct spawn  start;
	bool          starting, works;  /* works: its agent counts */
	bool          lapsed;           /* its lease is over */
	char         *failed;           /* why it was not started; NULL */
	char          run[RUN_ID_LEN + 1];
};

enum holding_end {
	HOLDING_DONE,
	HOLDING_TAKEN,
	HOLDING_EARLY,                  /* the bucket of leases is too young */
	HOLDING_FAILED
};

/* Takes an issue and writes its lease file.  Always fills *h. */
enum holding_end holding_take(struct holding *h, struct link *,
    struct place *, const char *key, struct buf *why);
/* Is an issue with a lease file still ours?  1; 0; -1.  Always fills *h. */
int  holding_find(struct holding *h, struct link *, struct place *,
    const char *issue, msec lasts, struct buf *why);
void holding_release(struct holding *);

/* Did its lease end since the last call?  Sets lapsed. */
bool holding_lapse(struct holding *);
/* Both set gone, with a warning, if another host has the issue.  renew makes a
 * lease again that the server has lost. */
int  holding_renew(struct holding *, struct link *);
int  holding_reread(struct holding *, struct link *);
void holding_give_back(struct holding *, struct link *);

/* Writes the run and its end into the order; the next call retries.  Sets
 * works, and gone at the end. */
void outcome_look(struct holding *, struct link *);
/* Removes the lease of a worker that was killed after it closed the order. */
void outcome_tidy(struct holding *, struct link *);

#endif
