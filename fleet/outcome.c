#include "fleet/holding.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "run/handoffstate.h"
#include "run/launch.h"
#include "run/queued.h"

/* ---- changes of the order ------------------------------------------------- */

/* What becomes of the order. */
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

/* ---- what the record says ------------------------------------------------- */

/* What a record says of the hand-off; NULL: nothing that lasts. */
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
