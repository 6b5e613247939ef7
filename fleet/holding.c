#include "fleet/holding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


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

/* Of the bucket that has a key of ours: that was stored before this asks. */
static enum store_end
bucket_look(struct link *l, struct bucket *b, struct buf *why)
{
	struct store_look look;

	switch (store_look(l, STORE_LEASES, &look, why)) {
	case -1:
		return STORE_FAILED;
	case 0:
		buf_adds(why, "the bucket of leases is gone");
		return STORE_FAILED;
	}
	b->lasts = look.lasts;
	b->young = look.newest - look.made <= look.lasts;
	return STORE_DONE;
}

/* Makes the key, also where one was deleted. */
static enum store_end
lease_create(struct link *l, const char *key, struct lease *lease, msec *sent,
    struct buf *why)
{
	struct buf value = BUF_INIT, old = BUF_INIT;
	uint64_t revision = 0;
	enum store_end end;
	msec time;

	lease_value(&value, link_rules(l)->host, 0);
	*sent = lease_now();
	end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	if (end == STORE_TAKEN && store_get(l, STORE_LEASES, key, &old,
	    &revision, &time, why) == 0) {
		*sent = lease_now();
		end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	}
	lease->token = lease->revision = revision;
	buf_release(&value);
	buf_release(&old);
	return end;
}

/* How long it lasts is asked after it was made: another bucket may be there
 * than a moment ago. */
static enum store_end
lease_make(struct link *l, const char *key, struct lease *lease,
    struct bucket *b, struct buf *why)
{
	enum store_end end;
	msec sent;

	end = lease_create(l, key, lease, &sent, why);
	if (end != STORE_DONE)
		return end;
	end = bucket_look(l, b, why);
	if (end == STORE_DONE)
		lease_renew(lease, sent, b->lasts);
	else
		store_delete(l, STORE_LEASES, key, lease->revision, why);
	return end;
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

int
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

	cJSON_DeleteItemFromObjectCaseSensitive(work, "token");
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
