/*
 * work.h - the fleet's backlog: its orders, and the issues of it that this host
 * works on.
 */
#ifndef PANEWARD_FLEET_WORK_H
#define PANEWARD_FLEET_WORK_H

#include "base/issue.h"
#include "fleet/wire/wire.h"
#include "os/lock.h"
#include "run/lease.h"
#include "run/status.h"

/* ---- an order: order.c --------------------------------------------------- */

/*
 * An issue that an agent of the fleet is to work on: a key of the bucket
 * BACKLOG, REPOSITORY.ISSUE, and an object of JSON:
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
 */
enum { ORDER_TRIES = 20 };              /* of a change that others outrun */

struct order {
	struct json *json;                  /* NULL: there is none */
	char     issue[ISSUE_MAX + 1];
	uint64_t revision;
	msec     time;                  /* of its last change, by the server */
};

void order_release(struct order *);

/* Adds its key. */
void order_key(struct buf *, const char *repository, const char *issue);
/* From the value of a key, which it takes over, or a message.  False: none. */
bool order_adopt(struct order *, struct json *);
bool order_take_message(struct order *, const struct link_message *);
/* 1: read; 0: there is none, or none of ours; -1 after saying why. */
int  order_get(struct link *, const char *key, struct order *,
    struct buf *why);
/* Writes it, if it still has its revision; sets number and submitted. */
enum store_end order_put(struct link *, const char *key, struct order *,
    struct buf *why);

/* A text of a member object, as "work"; NULL: there is none. */
const char *order_part(const struct order *, const char *part,
    const char *name);
bool order_text_is(const struct json *, const char *name, const char *text);
uint64_t order_number(const struct order *);

/* Has its hand-off begun, or is it done or closed? */
#define order_handing(o) (order_part((o), "handoff", "state") != NULL)
#define order_over(o) (json_text((o)->json, "state") != NULL)
/* Does "work" or "handoff" have that host and lease?  A bucket of leases
 * that was made anew counts from 1 again, so a token alone names no lease. */
bool order_under(const struct order *, const char *part, const char *host,
    uint64_t token);
bool order_handed(const struct order *, const char *host, const char *run);
/* May this host take it?  It has every label, and has not failed to start it;
 * the order is not over, and not being handed off. */
bool order_waits(const struct order *, const struct fleetrules *);

/* The host works on it under this lease; an earlier host's work goes to
 * before. */
void order_take(struct order *, const char *host, uint64_t token);
void order_started(struct order *, const char *run, const char *tree);
void order_fail(struct order *, const char *host, const char *why);
void order_free(struct order *);
void order_handoff(struct order *, const char *host, uint64_t token,
    const char *run, const char *state);
void order_set(struct order *, const char *name, const char *text);

/* The orders that this host might take, the oldest first. */
struct offers {
	struct offer {
		char    *key;
		uint64_t number;
		char    *repository;
		char    *host;          /* that took it last; NULL: none */
		msec     later;         /* clock_now(): not before that */
	}     *v;
	size_t n;
};

/* Takes note of a key of the backlog. */
void offers_take(struct offers *, const struct link_message *,
    const struct fleetrules *);
void offers_release(struct offers *);

/* The name of a repository is the same in each clone: the address of its remote
 * "origin" without scheme, user, port and ".git", as in "git.example/team/app";
 * without one its folder's name. */
void repository_normal(struct buf *, const char *address);
void repository_of(struct buf *, const struct project *);

/* ---- an issue that this host works on: holding.c ------------------------- */

/*
 * A lease is a key that the server forgets after a time, by its own clock.  It
 * is made only where there is none, and renewed by its revision, so one host
 * has it at a time.  We count from before a renewal was sent, by a clock that
 * counts sleep, and end a fifth sooner: then the agent's parent ends the agent
 * (run/lease.h), and nothing is renewed any more.
 *
 * A lease says which host may work.  Which host may hand off is decided by the
 * order alone, which has the lease's first revision: a host that takes the
 * issue, and one that hands it off, write the same key by the revision that
 * they read, so one of them fails.
 */

/* A project of this host in which it works for the fleet. */
struct place {
	struct context context;
	struct buf     repository;      /* its name in the backlog */
	struct lock    lock;            /* one worker for a project */
};

struct holding {
	struct holding *next;
	struct place *place;
	struct order  order;            /* as it was read last, */
	bool          changed;          /* and what it is no longer */
	struct buf    key;
	struct lease  lease;
	msec          lasts;            /* such a lease, by the server */
	msec          due;              /* its next renewal */
	struct spawn  start;            /* pid 0: it is started */
	bool          starting;
	bool          works;            /* its agent counts */
	bool          lapsed;           /* the lease is over */
	bool          gone;             /* it is no longer ours */
	char         *failed;           /* why it was not started; NULL */
	char          run[RUN_ID_LEN + 1];
};

enum holding_end {
	HOLDING_DONE,
	HOLDING_TAKEN,                  /* another host has it, or it is over */
	HOLDING_EARLY,                  /* the bucket of leases is too young */
	HOLDING_FAILED                  /* why says it */
};

/* Takes an issue and writes its lease file.  *h is filled in if DONE. */
enum holding_end holding_take(struct holding *h, struct link *,
    struct place *, const char *key, struct buf *why);
/* Finds out whether an issue with a lease file is still ours; lasts: as the
 * server has leases now.  1; 0: it is not; -1 after saying why. */
int  holding_find(struct holding *h, struct link *, struct place *,
    const char *issue, msec lasts, struct buf *why);
void holding_release(struct holding *);

/* Is its lease over since the last call?  Sets lapsed: its agent is being
 * ended. */
bool holding_lapse(struct holding *);
/* Renews the lease, or makes it again if the server has lost it.  -1 after
 * saying why; gone is set if another host has the issue, with a warning. */
int  holding_renew(struct holding *, struct link *, struct buf *why);
/* Reads the order again.  -1 after saying why; gone is set if it is no longer
 * ours, with a warning. */
int  holding_reread(struct holding *, struct link *, struct buf *why);
void holding_give_back(struct holding *, struct link *);

/* Its order gets the run, and its end: reads the record, and writes into the
 * order what is new.  What the server does not take is tried again by the next
 * call.  Sets works, and gone if the issue is over or no longer ours. */
void outcome_look(struct holding *, struct link *);
/* Of an issue that is not ours: a worker that was killed when it had closed the
 * order has left the lease. */
void outcome_tidy(struct holding *, struct link *);

#endif
