#include "fleet/work/work.h"

#include "run/launch.h"
#include "run/queued.h"

enum { HOLDING_PART = 3 };              /* of a lease; then it is renewed */

static enum store_end
lease_put(struct link *l, const char *key, struct lease *lease, struct buf *why)
{
	struct json *o = json_new_object();
	struct buf value = BUF_INIT;
	enum store_end end;

	json_add_text(o, "host", l->rules->host);
	if (lease->token != 0)
		json_add_number(o, "token", lease->token);
	json_give(&value, o);
	end = store_put(l, STORE_LEASES, key, &value, &lease->revision, why);
	buf_release(&value);
	return end;
}

/* Makes the key, also where one was deleted.  The bucket is looked at after
 * that: another one may be there than a moment ago. */
static enum store_end
lease_make(struct link *l, const char *key, struct lease *lease,
    struct store_look *bucket, struct buf *why)
{
	enum store_end end;
	msec sent = lease_now();
	int there;

	lease->revision = lease->token = 0;
	end = lease_put(l, key, lease, why);
	if (end == STORE_TAKEN && store_get(l, STORE_LEASES, key, NULL,
	    &lease->revision, NULL, why) == 0)
		end = lease_put(l, key, lease, why);
	lease->token = lease->revision;
	if (end != STORE_DONE)
		return end;
	there = store_look(l, STORE_LEASES, bucket, why);
	if (there == 0 && why != NULL)
		buf_adds(why, "the bucket of leases is gone");
	if (there != 1) {
		store_put(l, STORE_LEASES, key, NULL, &lease->revision, why);
		return STORE_FAILED;
	}
	lease_renew(lease, sent, bucket->lasts);
	return STORE_DONE;
}

static enum store_end
lease_again(struct holding *h, struct link *l)
{
	msec sent = lease_now();
	enum store_end end = lease_put(l, buf_str(&h->key), &h->lease, NULL);

	if (end == STORE_DONE)
		lease_renew(&h->lease, sent, h->lasts);
	return end;
}

static enum holding_end
holding_enter(struct holding *h, struct link *l, struct buf *why)
{
	const struct fleetrules *r = l->rules;
	enum store_end end = STORE_TAKEN;
	int tries;

	for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES; tries++) {
		order_release(&h->order);
		if (order_get(l, buf_str(&h->key), &h->order, why) == -1)
			return HOLDING_FAILED;
		if (h->order.json == NULL || !order_waits(&h->order, r))
			return HOLDING_TAKEN;
		/* A worker that was stopped here must not take the issue from
		 * the host that has the lease by now. */
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
	enum store_end made;
	enum holding_end end;

	*h = (struct holding){ .place = place, .start = SPAWN_INIT };
	buf_adds(&h->key, key);
	made = lease_make(l, key, &h->lease, &bucket, why);
	if (made != STORE_DONE)
		return made == STORE_TAKEN ? HOLDING_TAKEN : HOLDING_FAILED;
	h->lasts = bucket.lasts;
	h->due = clock_now() + h->lasts / HOLDING_PART;
	/* A new bucket has forgotten the leases of others; their hosts make
	 * them again within the time of a lease. */
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

/* The hand-off of a quick agent may begin before we read its run: then it has
 * our lease. */
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
		    "%s", issue, msg_reason(errno));
		return -1;
	}
	memcpy(h->run, r.run, sizeof(h->run));
	status_release(&r);
	holding_lapse(h);
	there = order_get(l, buf_str(&h->key), &h->order, why);
	return there == -1 ? -1 : holding_ours(h, l->rules->host);
}

bool
holding_lapse(struct holding *h)
{
	bool before = h->lapsed;

	h->lapsed |= lease_past(&h->lease, lease_now());
	return h->lapsed && !before;
}

int
holding_reread(struct holding *h, struct link *l)
{
	struct order now;
	int there = order_get(l, buf_str(&h->key), &now, NULL);

	if (there == -1)
		return -1;
	if (there == 1) {
		order_release(&h->order);
		h->order = now;
	} else {
		/* A lost order is written again, unless another host may have
		 * it by now. */
		h->gone = h->lapsed || lease_past(&h->lease, lease_now());
		h->order.revision = 0;
		if (!h->gone && order_put(l, buf_str(&h->key), &h->order,
		    NULL) != STORE_DONE)
			return -1;
	}
	h->changed = false;
	h->gone |= !holding_ours(h, l->rules->host);
	if (h->gone)
		warnx("issue '%s' is no longer this host's: the fleet's "
		    "backlog gave it to another host, or has closed it",
		    h->order.issue);
	return h->gone ? -1 : 0;
}

/* A change of an order: members that are set are written. */
struct change {
	uint64_t    token;
	const char *run, *tree, *failed, *handoff, *state;
};

/* Changes the order; again, if others change it.  Sets gone if the order is no
 * longer ours. */
static int
holding_write(struct holding *h, struct link *l, const struct change *c)
{
	const char *host = l->rules->host;
	enum store_end end = STORE_TAKEN;
	struct order *o = &h->order;
	struct json *work;
	int tries;

	for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES; tries++) {
		if (holding_reread(h, l) == -1)
			return -1;
		work = json_member(o->json, "work");
		if (c->token != 0) {
			json_drop(work, "token");
			json_add_number(work, "token", c->token);
		}
		if (c->run != NULL) {
			order_set(work, "run", c->run);
			order_set(work, "tree", c->tree);
		}
		if (c->failed != NULL) {
			order_free(o);
			order_fail(o, host, c->failed);
		}
		if (c->handoff != NULL)
			order_handoff(o, host, h->lease.token, h->run,
			    c->handoff);
		if (c->state != NULL)
			order_set(o->json, "state", c->state);
		end = order_put(l, buf_str(&h->key), o, NULL);
	}
	return end == STORE_DONE ? 0 : -1;
}

/* The server has no lease of ours: makes one, if the order is still ours. */
static int
holding_make_again(struct holding *h, struct link *l)
{
	const char *key = buf_str(&h->key);
	struct lease lease = h->lease;
	struct store_look bucket;

	if (holding_reread(h, l) == -1 ||
	    lease_make(l, key, &lease, &bucket, NULL) != STORE_DONE)
		return -1;
	if (holding_write(h, l, &(struct change){ .token = lease.token }) ==
	    -1) {
		store_put(l, STORE_LEASES, key, NULL, &lease.revision, NULL);
		return -1;
	}
	h->lease = lease;
	h->lasts = bucket.lasts;
	return 0;
}

int
holding_renew(struct holding *h, struct link *l)
{
	struct lease *lease = &h->lease;
	/* TAKEN: the server has another lease than we know, or none. */
	enum store_end end = STORE_TAKEN;
	uint64_t revision;
	struct json *o;
	bool ours;
	int got;

	/* The agent is being ended, also if the server would renew it. */
	if (!h->lapsed && lease_past(lease, lease_now()))
		return -1;
	if (!h->lapsed)
		end = lease_again(h, l);
	if (end == STORE_TAKEN) {
		/* The answer to a renewal may have been lost. */
		got = store_get(l, STORE_LEASES, buf_str(&h->key), &o,
		    &revision, NULL, NULL);
		ours = order_text_is(o, "host", l->rules->host) && (uint64_t)
		    json_number(o, "token", (int64_t)revision) == lease->token;
		json_free(o);
		if (got == -1)
			return -1;
		if (ours) {
			lease->revision = revision;
			end = lease_again(h, l);
		}
	}
	if (end == STORE_FAILED || (end == STORE_TAKEN &&
	    holding_make_again(h, l) == -1) || lease_write(lease,
	    h->place->context.dir.state_fd, h->order.issue) == -1)
		return -1;
	h->due = clock_now() + h->lasts / HOLDING_PART;
	h->lapsed = false;
	return 0;
}

void
holding_give_back(struct holding *h, struct link *l)
{
	store_put(l, STORE_LEASES, buf_str(&h->key), NULL, &h->lease.revision,
	    NULL);
}

static bool
outcome_end(struct holding *h, struct link *l, const struct change *to)
{
	if (holding_write(h, l, to) == -1)
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

void
outcome_look(struct holding *h, struct link *l)
{
	int state_fd = h->place->context.dir.state_fd, there;
	const char *issue = h->order.issue, *known;
	struct change to = { .failed = NULL };
	struct launched agent;
	struct status r = { .run = "" };

	if (h->changed)
		holding_reread(h, l);
	if (h->gone || h->starting)
		goto out;
	there = status_read(&r, state_fd, issue);
	h->works = there == 1 ? queued_lives(&r) : there == -1;
	if (there == 0 && h->failed == NULL)
		h->failed = xstrdup("its run was forgotten here");
	to.failed = h->failed;
	if (to.failed != NULL && outcome_end(h, l, &to))
		warnx("issue '%s': %s", issue, h->failed);
	if (to.failed != NULL || there != 1)
		goto out;
	if (strcmp(h->run, r.run) != 0) {
		memcpy(h->run, r.run, sizeof(h->run));
		printf("%s: started (run %s)\n", issue, h->run);
	}
	known = order_part(&h->order, "work", "run");
	if (!h->lapsed && (known == NULL || strcmp(known, r.run) != 0))
		holding_write(h, l, &(struct change){ .run = r.run,
		    .tree = r.worktree });
	if (r.handoff.state >= HANDOFF_DONE)
		to.handoff = handoff_states[r.handoff.state];
	if (!h->gone && status_is_complete(&r)) {
		to.state = "done";
		if (outcome_end(h, l, &to))
			printf("%s: done\n", issue);
	} else if (!h->gone) {
		/* A person has to see a hand-off that failed. */
		known = order_part(&h->order, "handoff", "state");
		if (to.handoff != NULL && known != NULL &&
		    strcmp(known, to.handoff) != 0)
			holding_write(h, l, &to);
		/* Work without a lease goes on only if it is complete.  If the
		 * agent was ended with its lease, a lease that was renewed in
		 * the same moment would be held for nothing. */
		if (!handoff_open(&r.handoff) && !order_handing(&h->order))
			h->gone |= h->lapsed || (launched_read(&agent, state_fd,
			    issue, r.run) == 1 && agent.ended &&
			    agent.lease_over);
	}
out:
	status_release(&r);
	fflush(stdout);
}

void
outcome_tidy(struct holding *h, struct link *l)
{
	int state_fd = h->place->context.dir.state_fd;
	struct status r;

	if (!order_over(&h->order) || !order_under(&h->order, "work",
	    l->rules->host, h->lease.token))
		return;
	/* Without the lease file a hand-off would need no permit. */
	if (status_read(&r, state_fd, h->order.issue) == 1 &&
	    status_is_complete(&r)) {
		holding_give_back(h, l);
		lease_remove(state_fd, h->order.issue);
	}
	status_release(&r);
}
