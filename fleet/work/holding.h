/*
 * holding.h - an issue of the backlog that this host works on: its lease, its
 * run, and what the backlog says of both.
 *
 * A lease is a key that the server forgets after a time, by its own clock.  It
 * is made only where there is none, and renewed by its revision, so one host
 * has it at a time.  We count from before a renewal was sent, by a clock that
 * counts sleep, and end a fifth sooner: then the agent's parent ends the agent
 * (run/lease.h), and nothing is renewed any more.
 *
 * A lease says which host may work.  Which host may hand off is decided by the
 * order (order.h) alone, which has the lease's first revision: a host that
 * takes the issue, and one that hands it off, write the same key by the
 * revision that they read, so one of them fails.
 */
#ifndef PANEWARD_FLEET_HOLDING_H
#define PANEWARD_FLEET_HOLDING_H

#include "fleet/work/order.h"
#include "os/lock.h"
#include "os/spawn.h"
#include "project/context.h"
#include "run/lease.h"
#include "run/status.h"

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
 * saying why; gone is set if another host has the issue. */
int  holding_renew(struct holding *, struct link *, struct buf *why);
/* Reads the order again.  -1 after saying why; gone is set if it is no longer
 * ours. */
int  holding_reread(struct holding *, struct link *, struct buf *why);
/* Gives the lease back. */
void holding_give_back(struct holding *, struct link *);

/* ---- the outcome --------------------------------------------------------- */

/* Its order gets the run, and its end. */

/* Reads the record, and writes into the order what is new.  What the server
 * does not take is tried again by the next call.  Sets works, and gone if the
 * issue is over or no longer ours. */
void outcome_look(struct holding *, struct link *);
/* Of an issue that is not ours: a worker that was killed when it had closed the
 * order has left the lease. */
void outcome_tidy(struct holding *, struct link *);

#endif
