#include "fleet/work/holding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "run/handoffstate.h"
#include "run/launch.h"
#include "run/queued.h"

enum { HOLDING_PART = 3 };              /* of a lease; then it is renewed */

/* ---- a lease on the server ------------------------------------------------ */

static void
lease_value(struct buf *out, const char *host, uint64_t token)
{
	cJSON *o = json_new_object();

	json_add_text(o, "host", host);
	if (token != 0)
		json_add_number(o, "token", (double)token);
	json_print(out, o);
	json_free(o);
}

/* Of a bucket.  One that was made anew has forgotten the leases of others;
 * their hosts make them again within the time of a lease. */
struct bucket {
	msec lasts;                     /* a lease */
	bool young;                     /* it may have forgotten one */
};

/* Makes the key, also where one was deleted.  How long it lasts is asked after
 * it was made: another bucket may be there than a moment ago. */
static enum store_end
lease_make(struct link *l, const char *key, struct lease *lease,
    struct bucket *b, struct buf *why)
{
	struct buf value = BUF_INIT, old = BUF_INIT;
	uint64_t revision = 0;
	struct store_look look;
	enum store_end end;
	msec sent = lease_now(), time;
	int there;

	lease_value(&value, link_rules(l)->host, 0);
	end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	if (end == STORE_TAKEN && store_get(l, STORE_LEASES, key, &old,
	    &revision, &time, why) == 0) {
		sent = lease_now();
		end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	}
	lease->token = lease->revision = revision;
	buf_release(&value);
	buf_release(&old);
	if (end != STORE_DONE)
		return end;
	there = store_look(l, STORE_LEASES, &look, why);
	if (there == 0)
		buf_adds(why, "the bucket of leases is gone");
	if (there != 1) {
		store_delete(l, STORE_LEASES, key, lease->revision, why);
		return STORE_FAILED;
	}
	b->lasts = look.lasts;
	/* The key was stored before this asked. */
	b->young = look.newest - look.made <= look.lasts;
	lease_renew(lease, sent, b->lasts);
	return STORE_DONE;
}

/* Is what the key has our lease?  Then its revision is known: the answer to a
 * renewal may have been lost. */
static int
lease_ours(struct link *l, const char *key, struct lease *lease,
    struct buf *why)
{
	struct buf value = BUF_INIT;
	uint64_t revision, token;
	const char *host;
	msec time;
	cJSON *o;
	int ret = store_get(l, STORE_LEASES, key, &value, &revision, &time,
	    why);

	if (ret == 1) {
		o = json_parse(buf_str(&value), value.len, false, NULL);
		token = (uint64_t)json_number(o, "token", (int64_t)revision);
		host = json_text(o, "host");
		ret = token == lease->token && host != NULL &&
		    strcmp(host, link_rules(l)->host) == 0;
		json_free(o);
		if (ret == 1)
			lease->revision = revision;
	}
	buf_release(&value);
	return ret;
}

static enum store_end
lease_again(struct link *l, const char *key, struct lease *lease, msec lasts,
    struct buf *why)
{
	struct buf value = BUF_INIT;
	msec sent = lease_now();
	uint64_t revision = lease->revision;
	enum store_end end;

	lease_value(&value, link_rules(l)->host, lease->token);
	end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	if (end == STORE_DONE) {
		lease->revision = revision;
		lease_renew(lease, sent, lasts);
	}
	buf_release(&value);
	return end;
}

/* ---- taking one ----------------------------------------------------------- */

/* A lease of that time was made or renewed. */
static void
holding_lasts(struct holding *h, msec lasts)
{
	h->lasts = lasts;
	h->due = clock_now() + lasts / HOLDING_PART;
}

/* Says in the order that we have it. */
static enum holding_end
holding_enter(struct holding *h, struct link *l, struct buf *why)
{
	const struct fleetrules *r = link_rules(l);
	enum store_end end = STORE_TAKEN;
	int tries;

	for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES; tries++) {
		order_release(&h->order);
		if (order_get(l, buf_str(&h->key), &h->order, why) == -1)
			return HOLDING_FAILED;
		if (h->order.json == NULL || order_over(&h->order) ||
		    order_handing(&h->order) ||
		    order_failed(&h->order, r->host) ||
		    !order_fits(&h->order, r->labels))
			return HOLDING_TAKEN;
		/* One that was stopped here must not take the issue from the
		 * host that has the lease by now. */
		if (lease_past(&h->lease, lease_now())) {
			buf_adds(why, "its lease was over before the backlog "
			    "had it");
			return HOLDING_FAILED;
		}
		order_take(&h->order, r->host, h->lease.token);
		end = order_put(l, buf_str(&h->key), &h->order, why);
	}
	return end == STORE_DONE ? HOLDING_DONE : HOLDING_FAILED;
}

enum holding_end
holding_take(struct holding *h, struct link *l, struct place *place,
    const char *key, struct buf *why)
{
	struct bucket b;
	enum holding_end end;

	*h = (struct holding){ .place = place, .start = SPAWN_INIT };
	buf_adds(&h->key, key);
	switch (lease_make(l, key, &h->lease, &b, why)) {
	case STORE_DONE: break;
	case STORE_TAKEN: return HOLDING_TAKEN;
	default: return HOLDING_FAILED;
	}
	holding_lasts(h, b.lasts);
	end = b.young ? HOLDING_EARLY : holding_enter(h, l, why);
	if (end == HOLDING_DONE && lease_write(&h->lease,
	    place->context.dir.state_fd, h->order.issue) == -1) {
		buf_printf(why, "cannot write the lease: %s", strerror(errno));
		end = HOLDING_FAILED;
	}
	if (end != HOLDING_DONE)
		holding_give_back(h, l);
	return end;
}

void
holding_release(struct holding *h)
{
	order_release(&h->order);
	buf_release(&h->key);
	spawn_release(&h->start);
	free(h->failed);
}

/* ---- having one ----------------------------------------------------------- */

/*
 * Is the order, as it was read, ours to change?  The hand-off of a quick agent
 * may have begun before we read which run it is; it has our lease then.
 */
static bool
holding_ours(const struct holding *h, const char *host)
{
	const struct order *o = &h->order;

	if (o->json == NULL || order_over(o))
		return false;
	return order_handing(o) ? order_handed(o, host, h->run) ||
	    order_handed_under(o, host, h->lease.token) :
	    order_held(o, host, h->lease.token);
}

int
holding_find(struct holding *h, struct link *l, struct place *place,
    const char *issue, msec lasts, struct buf *why)
{
	int state_fd = place->context.dir.state_fd, there;
	struct status r;

	*h = (struct holding){ .place = place, .start = SPAWN_INIT,
	    .lasts = lasts };
	if (lease_read(&h->lease, state_fd, issue) != 1)
		return 0;
	order_key(&h->key, buf_str(&place->repository), issue);
	if (status_read(&r, state_fd, issue) == 1)
		memcpy(h->run, r.run, sizeof(h->run));
	status_release(&r);
	holding_lapse(h);
	there = order_get(l, buf_str(&h->key), &h->order, why);
	return there == -1 ? -1 : holding_ours(h, link_rules(l)->host);
}

static bool
holding_past(const struct holding *h)
{
	return h->lapsed || lease_past(&h->lease, lease_now());
}

bool
holding_lapse(struct holding *h)
{
	bool before = h->lapsed;

	h->lapsed = holding_past(h);
	return h->lapsed && !before;
}

int
holding_reread(struct holding *h, struct link *l, struct buf *why)
{
	struct order now;
	int there = order_get(l, buf_str(&h->key), &now, why);

	if (there == -1)
		return -1;
	if (there == 1) {
		order_release(&h->order);
		h->order = now;
	} else {
		/* The server has lost the order: writes ours again, unless
		 * another host may have it by now. */
		h->gone = holding_past(h);
		h->order.revision = 0;
		if (!h->gone && order_put(l, buf_str(&h->key), &h->order,
		    why) != STORE_DONE)
			return -1;
	}
	h->changed = false;
	h->gone |= !holding_ours(h, link_rules(l)->host);
	if (h->gone)
		buf_adds(why, "the fleet's backlog gave it to another host, or "
		    "has closed it");
	return h->gone ? -1 : 0;
}

typedef void holding_change(struct order *, const void *);

/* Changes the order: change sets what is to be; again, if others change it.
 * -1 after saying why; gone is set if the order is no longer ours. */
static int
holding_write(struct holding *h, struct link *l, holding_change *change,
    const void *context, struct buf *why)
{
	enum store_end end = STORE_TAKEN;
	int tries;

	for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES; tries++) {
		buf_reset(why);
		if (holding_reread(h, l, why) == -1)
			return -1;
		change(&h->order, context);
		end = order_put(l, buf_str(&h->key), &h->order, why);
	}
	return end == STORE_DONE ? 0 : -1;
}

static void
change_token(struct order *o, const void *token)
{
	cJSON *work = cJSON_GetObjectItemCaseSensitive(o->json, "work");

	json_drop(work, "token");
	json_add_number(work, "token", (double)*(const uint64_t *)token);
}

/* The server has no lease of ours: makes one, if the order is still ours. */
static int
holding_make_again(struct holding *h, struct link *l, struct buf *why)
{
	struct lease lease = h->lease;
	struct bucket b;

	if (holding_reread(h, l, why) == -1 || lease_make(l,
	    buf_str(&h->key), &lease, &b, why) != STORE_DONE)
		return -1;
	if (holding_write(h, l, change_token, &lease.token, why) == -1) {
		store_delete(l, STORE_LEASES, buf_str(&h->key),
		    lease.revision, why);
		return -1;
	}
	h->lease = lease;
	h->lasts = b.lasts;
	return 0;
}

/* By the lease that we know of; TAKEN: the server has another one, or none. */
static enum store_end
holding_extend(struct holding *h, struct link *l, struct buf *why)
{
	const char *key = buf_str(&h->key);
	enum store_end end = STORE_TAKEN;

	/* The agent is being ended, also if the server would renew it. */
	if (!h->lapsed && lease_past(&h->lease, lease_now())) {
		buf_adds(why, "the lease is over");
		return STORE_FAILED;
	}
	if (!h->lapsed)
		end = lease_again(l, key, &h->lease, h->lasts, why);
	if (end != STORE_TAKEN)
		return end;
	switch (lease_ours(l, key, &h->lease, why)) {
	case 1: return lease_again(l, key, &h->lease, h->lasts, why);
	case 0: return STORE_TAKEN;
	default: return STORE_FAILED;
	}
}

int
holding_renew(struct holding *h, struct link *l, struct buf *why)
{
	enum store_end end = holding_extend(h, l, why);

	if (end == STORE_FAILED || (end == STORE_TAKEN &&
	    holding_make_again(h, l, why) == -1))
		return -1;
	if (lease_write(&h->lease, h->place->context.dir.state_fd,
	    h->order.issue) == -1) {
		buf_printf(why, "cannot write the lease: %s", strerror(errno));
		return -1;
	}
	holding_lasts(h, h->lasts);
	h->lapsed = false;
	return 0;
}

void
holding_give_back(struct holding *h, struct link *l)
{
	struct buf why = BUF_INIT;

	store_delete(l, STORE_LEASES, buf_str(&h->key), h->lease.revision,
	    &why);
	buf_release(&why);
}

/* ---- the outcome: changes of the order ----------------------------------- */

/* The new values of an order. */
struct change {
	const char *host, *run, *tree, *why;
	const char *handoff, *state;
	uint64_t token;
};

static void
change_started(struct order *o, const void *context)
{
	const struct change *c = context;

	order_started(o, c->run, c->tree);
}

static void
change_failed(struct order *o, const void *context)
{
	const struct change *c = context;

	order_free(o);
	order_fail(o, c->host, c->why);
}

static void
change_ended(struct order *o, const void *context)
{
	const struct change *c = context;

	if (c->handoff != NULL)
		order_handoff(o, c->host, c->token, c->run, c->handoff);
	order_set(o, "state", c->state);
}

/* False: the server did not take it, or the issue is gone, which is said. */
static bool
outcome_write(struct holding *h, struct link *l, holding_change *change,
    const struct change *to)
{
	struct buf why = BUF_INIT;
	bool done = holding_write(h, l, change, to, &why) == 0;

	if (h->gone)
		warnx("issue '%s' is no longer this host's: %s",
		    h->order.issue, buf_str(&why));
	buf_release(&why);
	return done;
}

/* Changes the order, and gives the lease back; true: that is done. */
static bool
outcome_end(struct holding *h, struct link *l, holding_change *change,
    const struct change *to)
{
	if (!outcome_write(h, l, change, to))
		return false;
	holding_give_back(h, l);
	lease_remove(h->place->context.dir.state_fd, h->order.issue);
	h->gone = true;
	return true;
}

/* ---- the outcome: from the record ---------------------------------------- */

/* The order's word for the record's hand-off; NULL: it has not ended. */
static const char *
handoff_word(const struct status *r)
{
	switch (r->handoff.state) {
	case HANDOFF_DONE: return "done";
	case HANDOFF_FAILED: return "failed";
	case HANDOFF_REFUSED: return "refused";
	default: return NULL;
	}
}

/* Is there nothing left to do? */
static bool
status_is_complete(const struct status *r)
{
	return r->verdict.state == STATE_COMPLETE &&
	    (r->handoff.state == HANDOFF_NONE ||
	    r->handoff.state == HANDOFF_DONE);
}

static void
outcome_record(struct holding *h, struct link *l, const struct status *r)
{
	const char *known = order_part(&h->order, "work", "run");
	const char *word = handoff_word(r);
	struct change to = { .host = link_rules(l)->host, .run = r->run,
	    .tree = r->worktree, .token = h->lease.token, .handoff = word };
	struct launched agent;

	if (strcmp(h->run, r->run) != 0) {
		memcpy(h->run, r->run, sizeof(h->run));
		printf("%s: started (run %s)\n", h->order.issue, h->run);
	}
	if (!h->lapsed && (known == NULL || strcmp(known, r->run) != 0))
		outcome_write(h, l, change_started, &to);
	if (h->gone)
		return;
	if (status_is_complete(r)) {
		to.state = "done";
		if (outcome_end(h, l, change_ended, &to))
			printf("%s: done\n", h->order.issue);
		return;
	}
	/* A person has to see a hand-off that failed. */
	known = order_part(&h->order, "handoff", "state");
	if (word != NULL && known != NULL && strcmp(known, word) != 0)
		outcome_write(h, l, change_ended, &to);
	/* Work without a lease goes on only if it is complete.  If the agent was
	 * ended since the lease was over, a lease that was renewed in the same
	 * moment would be held for nothing. */
	if (!handoff_open(&r->handoff) && !order_handing(&h->order))
		h->gone |= h->lapsed || (launched_read(&agent,
		    h->place->context.dir.state_fd, h->order.issue,
		    r->run) == 1 && agent.ended && agent.lease_over);
}

void
outcome_look(struct holding *h, struct link *l)
{
	struct buf why = BUF_INIT;
	struct status r;
	int there;

	/* Another process has changed the order. */
	if (h->changed && holding_reread(h, l, &why) == -1 && h->gone)
		warnx("issue '%s' is no longer this host's: %s",
		    h->order.issue, buf_str(&why));
	buf_release(&why);
	if (h->gone || h->starting)
		return;
	there = status_read(&r, h->place->context.dir.state_fd,
	    h->order.issue);
	h->works = there == 1 ? queued_holds(&r) : there == -1;
	if (there == 0 && h->failed == NULL)
		h->failed = xstrdup("its run was forgotten here");
	if (h->failed != NULL && outcome_end(h, l, change_failed,
	    &(struct change){ .host = link_rules(l)->host, .why = h->failed }))
		warnx("issue '%s': %s", h->order.issue, h->failed);
	if (h->failed == NULL && there == 1)
		outcome_record(h, l, &r);
	status_release(&r);
	fflush(stdout);
}

void
outcome_tidy(struct holding *h, struct link *l)
{
	int state_fd = h->place->context.dir.state_fd;
	struct status r;

	if (!order_over(&h->order) || !order_held(&h->order,
	    link_rules(l)->host, h->lease.token))
		return;
	/* Without this file, what is still to be handed off would be. */
	if (status_read(&r, state_fd, h->order.issue) == 1 &&
	    status_is_complete(&r)) {
		holding_give_back(h, l);
		lease_remove(state_fd, h->order.issue);
	}
	status_release(&r);
}
