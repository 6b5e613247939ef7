#include "fleet/holding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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

/* Makes the key, also where one was deleted. */
static enum store_end
lease_make(struct link *l, const char *key, struct lease *lease,
    msec lasts, struct buf *why)
{
	struct buf value = BUF_INIT, old = BUF_INIT;
	uint64_t revision = 0;
	msec sent = lease_now(), time;
	enum store_end end;

	lease_value(&value, link_rules(l)->host, 0);
	end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	if (end == STORE_TAKEN && store_get(l, STORE_LEASES, key, &old,
	    &revision, &time, why) == 0) {
		sent = lease_now();
		end = store_put(l, STORE_LEASES, key, &value, &revision, why);
	}
	if (end == STORE_DONE) {
		lease->token = lease->revision = revision;
		lease_renew(lease, sent, lasts);
	}
	buf_release(&value);
	buf_release(&old);
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
	msec time;
	cJSON *o;
	int ret = store_get(l, STORE_LEASES, key, &value, &revision, &time,
	    why);

	if (ret == 1) {
		o = json_parse(buf_str(&value), value.len, false, NULL);
		token = (uint64_t)json_number(o, "token", (int64_t)revision);
		json_free(o);
		ret = token == lease->token ? 1 : 0;
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

/*
 * A bucket that was made anew has forgotten the leases of others.  Their hosts
 * make them again within the time of a lease; a host without one waits that
 * long.
 */
static bool
holding_early(struct link *l, struct leases *leases, const char *key,
    struct buf *why)
{
	struct buf value = BUF_INIT;
	uint64_t revision;
	msec time = 0;

	if (leases->settled == leases->made)
		return false;
	if (store_get(l, STORE_LEASES, key, &value, &revision, &time, why) == 1
	    && time - leases->made > leases->lasts)
		leases->settled = leases->made;
	buf_release(&value);
	return leases->settled != leases->made;
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
		order_take(&h->order, r->host, h->lease.token);
		end = order_put(l, buf_str(&h->key), &h->order, why);
	}
	return end == STORE_DONE ? HOLDING_DONE : HOLDING_FAILED;
}

enum holding_end
holding_take(struct holding *h, struct link *l, struct leases *leases,
    struct place *place, const char *key, struct buf *why)
{
	enum holding_end end;

	*h = (struct holding){ .place = place, .start = SPAWN_INIT };
	buf_adds(&h->key, key);
	switch (lease_make(l, key, &h->lease, leases->lasts, why)) {
	case STORE_DONE: break;
	case STORE_TAKEN: return HOLDING_TAKEN;
	default: return HOLDING_FAILED;
	}
	end = holding_early(l, leases, key, why) ? HOLDING_EARLY :
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
}

/* ---- having one ----------------------------------------------------------- */

/* Is the order, as it was read, ours to change? */
static bool
holding_ours(const struct holding *h, const char *host)
{
	const char *handing = order_part(&h->order, "handoff", "host");
	const char *run = order_part(&h->order, "handoff", "run");

	if (h->order.json == NULL || order_over(&h->order))
		return false;
	if (handing != NULL)
		return strcmp(handing, host) == 0 && run != NULL &&
		    strcmp(run, h->run) == 0;
	return order_token(&h->order, "work") == h->lease.token;
}

bool
holding_find(struct holding *h, struct link *l, struct place *place,
    const char *issue, struct buf *why)
{
	int state_fd = place->context.dir.state_fd;
	struct status r;

	*h = (struct holding){ .place = place, .start = SPAWN_INIT };
	if (lease_read(&h->lease, state_fd, issue) != 1)
		return false;
	order_key(&h->key, buf_str(&place->repository), issue);
	if (status_read(&r, state_fd, issue) == 1)
		memcpy(h->run, r.run, sizeof(h->run));
	status_release(&r);
	h->lapsed = lease_past(&h->lease, lease_now());
	return order_get(l, buf_str(&h->key), &h->order, why) == 1 &&
	    holding_ours(h, link_rules(l)->host);
}

/* The server has lost the order: writes ours again, unless another host may
 * have it by now. */
static int
holding_restore(struct holding *h, struct link *l, struct buf *why)
{
	if (h->lapsed)
		return 0;
	h->order.revision = 0;
	return order_put(l, buf_str(&h->key), &h->order, why) == STORE_DONE ?
	    0 : -1;
}

static int
holding_reread(struct holding *h, struct link *l, struct buf *why)
{
	struct order now;
	int there = order_get(l, buf_str(&h->key), &now, why);

	if (there == -1)
		return -1;
	if (there == 1) {
		order_release(&h->order);
		h->order = now;
	} else if (holding_restore(h, l, why) == -1) {
		return -1;
	}
	h->gone = (there == 0 && h->lapsed) ||
	    !holding_ours(h, link_rules(l)->host);
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
holding_make_again(struct holding *h, struct link *l,
    const struct leases *leases, struct buf *why)
{
	struct lease lease = h->lease;

	if (holding_reread(h, l, why) == -1 || lease_make(l,
	    buf_str(&h->key), &lease, leases->lasts, why) != STORE_DONE)
		return -1;
	if (holding_write(h, l, change_token, &lease.token, why) == -1) {
		store_delete(l, STORE_LEASES, buf_str(&h->key),
		    lease.revision, why);
		return -1;
	}
	h->lease = lease;
	return 0;
}

int
holding_renew(struct holding *h, struct link *l, const struct leases *leases,
    struct buf *why)
{
	const char *key = buf_str(&h->key);
	enum store_end end = h->lapsed ? STORE_TAKEN :
	    lease_again(l, key, &h->lease, leases->lasts, why);
	int ours;

	if (end == STORE_TAKEN) {
		ours = lease_ours(l, key, &h->lease, why);
		if (ours == -1)
			return -1;
		end = ours == 1 ? lease_again(l, key, &h->lease,
		    leases->lasts, why) : STORE_TAKEN;
	}
	if (end == STORE_FAILED || (end == STORE_TAKEN &&
	    holding_make_again(h, l, leases, why) == -1))
		return -1;
	if (lease_write(&h->lease, h->place->context.dir.state_fd,
	    h->order.issue) == -1) {
		buf_printf(why, "cannot write the lease: %s", strerror(errno));
		return -1;
	}
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
