#include "fleet/work/work.h"

#include "os/file.h"
#include "run/launch.h"
#include "run/queued.h"

enum { HOLDING_PART = 3 };              /* of a lease; then it is renewed */

/* ---- a lease on the server ----------------------------------------------- */

/* Writes the key by the revision that we know of. */
static enum store_end
lease_put(struct link *l, const char *key, struct lease *lease, msec *sent,
    struct buf *why)
{
	struct json *o = json_new_object();
	struct buf value = BUF_INIT;
	uint64_t revision = lease->revision;
	enum store_end end;

	json_add_text(o, "host", link_rules(l)->host);
	if (lease->token != 0)
		json_add_number(o, "token", lease->token);
	json_print(&value, o);
	json_free(o);
	*sent = lease_now();
	end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	if (end == STORE_DONE)
		lease->revision = revision;
	buf_release(&value);
	return end;
}

/* Makes the key, also where one was deleted.  What the bucket is, is asked
 * after it was made: another bucket may be there than a moment ago. */
static enum store_end
lease_make(struct link *l, const char *key, struct lease *lease,
    struct store_look *bucket, struct buf *why)
{
	enum store_end end;
	msec sent;
	int there;

	lease->revision = lease->token = 0;
	end = lease_put(l, key, lease, &sent, why);
	if (end == STORE_TAKEN && store_get(l, STORE_LEASES, key, NULL,
	    &lease->revision, NULL, why) == 0)
		end = lease_put(l, key, lease, &sent, why);
	lease->token = lease->revision;
	if (end != STORE_DONE)
		return end;
	there = store_look(l, STORE_LEASES, bucket, why);
	if (there == 0)
		buf_adds(why, "the bucket of leases is gone");
	if (there != 1) {
		store_put(l, STORE_LEASES, key, NULL, &lease->revision, why);
		return STORE_FAILED;
	}
	lease_renew(lease, sent, bucket->lasts);
	return STORE_DONE;
}

/* Is what the key has our lease?  Then its revision is known: the answer to a
 * renewal may have been lost. */
static int
lease_ours(struct link *l, const char *key, struct lease *lease,
    struct buf *why)
{
	uint64_t revision;
	struct json *o;
	int ret = store_get(l, STORE_LEASES, key, &o, &revision, NULL, why);

	if (ret == 1)
		ret = order_text_is(o, "host", link_rules(l)->host) &&
		    (uint64_t)json_number(o, "token", (int64_t)revision) ==
		    lease->token;
	if (ret == 1)
		lease->revision = revision;
	json_free(o);
	return ret;
}

static enum store_end
lease_again(struct link *l, const char *key, struct lease *lease, msec lasts,
    struct buf *why)
{
	msec sent;
	enum store_end end = lease_put(l, key, lease, &sent, why);

	if (end == STORE_DONE)
		lease_renew(lease, sent, lasts);
	return end;
}

/* ---- taking one ---------------------------------------------------------- */

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
		if (h->order.json == NULL || !order_waits(&h->order, r))
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
	struct store_look bucket;
	enum holding_end end;

	*h = (struct holding){ .place = place, .start = SPAWN_INIT };
	buf_adds(&h->key, key);
	switch (lease_make(l, key, &h->lease, &bucket, why)) {
	case STORE_DONE: break;
	case STORE_TAKEN: return HOLDING_TAKEN;
	default: return HOLDING_FAILED;
	}
	h->lasts = bucket.lasts;
	h->due = clock_now() + h->lasts / HOLDING_PART;
	/* A bucket that was made anew has forgotten the leases of others; their
	 * hosts make them again within the time of a lease. */
	end = bucket.newest - bucket.made <= bucket.lasts ? HOLDING_EARLY :
	    holding_enter(h, l, why);
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

/* ---- having one ---------------------------------------------------------- */

/* The hand-off of a quick agent may have begun before we read which run it is:
 * it has our lease then. */
static bool
holding_ours(const struct holding *h, const char *host)
{
	const struct order *o = &h->order;

	if (o->json == NULL || order_over(o))
		return false;
	return order_handing(o) ? order_handed(o, host, h->run) ||
	    order_under(o, "handoff", host, h->lease.token) :
	    order_under(o, "work", host, h->lease.token);
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
	there = status_read(&r, state_fd, issue);
	if (there == -1 && !file_refused(errno)) {
		buf_printf(why, "cannot read the status record of issue '%s': "
		    "%s", issue, strerror(errno));
		return -1;
	}
	if (there == 1)
		memcpy(h->run, r.run, sizeof(h->run));
	status_release(&r);
	holding_lapse(h);
	there = order_get(l, buf_str(&h->key), &h->order, why);
	return there == -1 ? -1 : holding_ours(h, link_rules(l)->host);
}

bool
holding_lapse(struct holding *h)
{
	bool before = h->lapsed;

	h->lapsed |= lease_past(&h->lease, lease_now());
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
		h->gone = h->lapsed || lease_past(&h->lease, lease_now());
		h->order.revision = 0;
		if (!h->gone && order_put(l, buf_str(&h->key), &h->order,
		    why) != STORE_DONE)
			return -1;
	}
	h->changed = false;
	h->gone |= !holding_ours(h, link_rules(l)->host);
	if (h->gone) {
		buf_adds(why, "the fleet's backlog gave it to another host, or "
		    "has closed it");
		warnx("issue '%s' is no longer this host's: %s",
		    h->order.issue, buf_str(why));
	}
	return h->gone ? -1 : 0;
}

/* A change of an order: members that are set are written. */
struct change {
	uint64_t    token;              /* of the lease that it is under */
	const char *run, *tree;         /* that were started */
	const char *failed;             /* why it could not be */
	const char *handoff, *state;    /* how both ended */
};

/* Changes the order; again, if others change it.  -1 after saying why; gone is
 * set if the order is no longer ours. */
static int
holding_write(struct holding *h, struct link *l, const struct change *c,
    struct buf *why)
{
	const char *host = link_rules(l)->host;
	enum store_end end = STORE_TAKEN;
	struct order *o = &h->order;
	struct json *work;
	int tries;

	for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES; tries++) {
		buf_reset(why);
		if (holding_reread(h, l, why) == -1)
			return -1;
		work = json_member(o->json, "work");
		if (c->token != 0) {
			json_drop(work, "token");
			json_add_number(work, "token", c->token);
		}
		if (c->run != NULL)
			order_started(o, c->run, c->tree);
		if (c->failed != NULL) {
			order_free(o);
			order_fail(o, host, c->failed);
		}
		if (c->handoff != NULL)
			order_handoff(o, host, h->lease.token, h->run,
			    c->handoff);
		if (c->state != NULL)
			order_set(o, "state", c->state);
		end = order_put(l, buf_str(&h->key), o, why);
	}
	return end == STORE_DONE ? 0 : -1;
}

/* The server has no lease of ours: makes one, if the order is still ours. */
static int
holding_make_again(struct holding *h, struct link *l, struct buf *why)
{
	const char *key = buf_str(&h->key);
	struct lease lease = h->lease;
	struct store_look bucket;

	if (holding_reread(h, l, why) == -1 ||
	    lease_make(l, key, &lease, &bucket, why) != STORE_DONE)
		return -1;
	if (holding_write(h, l, &(struct change){ .token = lease.token },
	    why) == -1) {
		store_put(l, STORE_LEASES, key, NULL, &lease.revision, why);
		return -1;
	}
	h->lease = lease;
	h->lasts = bucket.lasts;
	return 0;
}

int
holding_renew(struct holding *h, struct link *l, struct buf *why)
{
	const char *key = buf_str(&h->key);
	/* TAKEN: the server has another lease than the one that we know of, or
	 * none. */
	enum store_end end = STORE_TAKEN;
	int ours;

	/* The agent is being ended, also if the server would renew it. */
	if (!h->lapsed && lease_past(&h->lease, lease_now())) {
		buf_adds(why, "the lease is over");
		return -1;
	}
	if (!h->lapsed)
		end = lease_again(l, key, &h->lease, h->lasts, why);
	if (end == STORE_TAKEN) {
		ours = lease_ours(l, key, &h->lease, why);
		if (ours == -1)
			return -1;
		if (ours == 1)
			end = lease_again(l, key, &h->lease, h->lasts, why);
	}
	if (end == STORE_FAILED || (end == STORE_TAKEN &&
	    holding_make_again(h, l, why) == -1))
		return -1;
	if (lease_write(&h->lease, h->place->context.dir.state_fd,
	    h->order.issue) == -1) {
		buf_printf(why, "cannot write the lease: %s", strerror(errno));
		return -1;
	}
	h->due = clock_now() + h->lasts / HOLDING_PART;
	h->lapsed = false;
	return 0;
}

void
holding_give_back(struct holding *h, struct link *l)
{
	struct buf why = BUF_INIT;

	store_put(l, STORE_LEASES, buf_str(&h->key), NULL, &h->lease.revision,
	    &why);
	buf_release(&why);
}

/* ---- the outcome --------------------------------------------------------- */

static bool
outcome_end(struct holding *h, struct link *l, const struct change *to)
{
	struct buf why = BUF_INIT;
	bool done = holding_write(h, l, to, &why) == 0;

	buf_release(&why);
	if (!done)
		return false;
	holding_give_back(h, l);
	lease_remove(h->place->context.dir.state_fd, h->order.issue);
	h->gone = true;
	return true;
}

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
	enum handoff_state state = r->handoff.state;
	struct change to = { .handoff = state == HANDOFF_DONE ? "done" :
	    state == HANDOFF_FAILED ? "failed" :
	    state == HANDOFF_REFUSED ? "refused" : NULL };
	struct buf why = BUF_INIT;
	struct launched agent;

	if (strcmp(h->run, r->run) != 0) {
		memcpy(h->run, r->run, sizeof(h->run));
		printf("%s: started (run %s)\n", h->order.issue, h->run);
	}
	if (!h->lapsed && (known == NULL || strcmp(known, r->run) != 0))
		holding_write(h, l, &(struct change){ .run = r->run,
		    .tree = r->worktree }, &why);
	if (!h->gone && status_is_complete(r)) {
		to.state = "done";
		if (outcome_end(h, l, &to))
			printf("%s: done\n", h->order.issue);
	} else if (!h->gone) {
		/* A person has to see a hand-off that failed. */
		known = order_part(&h->order, "handoff", "state");
		if (to.handoff != NULL && known != NULL &&
		    strcmp(known, to.handoff) != 0)
			holding_write(h, l, &to, &why);
		/* Work without a lease goes on only if it is complete.  If the
		 * agent was ended since the lease was over, a lease that was
		 * renewed in the same moment would be held for nothing. */
		if (!handoff_open(&r->handoff) && !order_handing(&h->order))
			h->gone |= h->lapsed || (launched_read(&agent,
			    h->place->context.dir.state_fd, h->order.issue,
			    r->run) == 1 && agent.ended && agent.lease_over);
	}
	buf_release(&why);
}

void
outcome_look(struct holding *h, struct link *l)
{
	int state_fd = h->place->context.dir.state_fd, there;
	struct buf why = BUF_INIT;
	struct status r;

	if (h->changed)
		holding_reread(h, l, &why);
	buf_release(&why);
	if (h->gone || h->starting)
		return;
	there = status_read(&r, state_fd, h->order.issue);
	h->works = there == 1 ? queued_holds(&r) : there == -1;
	if (there == 0 && h->failed == NULL)
		h->failed = xstrdup("its run was forgotten here");
	if (h->failed != NULL && outcome_end(h, l, &(struct change){
	    .failed = h->failed }))
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

	if (!order_over(&h->order) || !order_under(&h->order, "work",
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
