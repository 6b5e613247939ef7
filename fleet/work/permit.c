/*
 * permit.c - may this host hand an issue off?  handoff/attempt.c asks before it
 * runs a command.
 *
 * The backlog decides (work.h).  Our lease must be the last that took the
 * issue.  Once "handoff begun" is written, a later attempt needs no lease.
 */
#include "fleet/work/work.h"

struct permit {
	struct link *link;
	const char  *host, *run;
	struct lease lease;
	struct buf   key, why;
};

static int
permit_refuse(struct permit *p, const struct order *o)
{
	const char *host = order_part(o, order_handing(o) ? "handoff" :
	    "work", "host");

	if (order_over(o))
		buf_printf(&p->why, "the fleet's backlog has it as %s",
		    json_text(o->json, "state"));
	else
		buf_printf(&p->why, "the fleet gave the issue to host '%s'",
		    host != NULL ? host : "another one");
	return HANDOFF_NEVER;
}

/* The exit status; -1: the order has changed, and is read again. */
static int
permit_decide(struct permit *p, struct order *o)
{
	enum store_end end;

	if (o->json == NULL) {
		buf_adds(&p->why, "the issue is not in the fleet's backlog");
		return HANDOFF_LATER;
	}
	/* A person may have closed an order between two attempts. */
	if (!order_over(o) && order_handed(o, p->host, p->run))
		return EXIT_DONE;
	if (order_over(o) || order_handing(o))
		return permit_refuse(p, o);
	if (!order_under(o, "work", p->host, p->lease.token)) {
		if (order_part(o, "work", "host") != NULL)
			return permit_refuse(p, o);
		buf_adds(&p->why, "a person has released the issue");
		return HANDOFF_NEVER;
	}
	if (lease_past(&p->lease, lease_now())) {
		buf_adds(&p->why, "its lease is over; 'paneward-fleet work' "
		    "asks for another one");
		return HANDOFF_LATER;
	}
	order_handoff(o, p->host, p->lease.token, p->run, "begun");
	end = order_put(p->link, buf_str(&p->key), o, &p->why);
	return end == STORE_DONE ? EXIT_DONE :
	    end == STORE_TAKEN ? -1 : HANDOFF_LATER;
}

static int
permit_run(const struct command *c, int argc, char **argv)
{
	struct permit p = { .link = NULL };
	struct buf repository = BUF_INIT;
	struct context context;
	struct status r;
	struct order o;
	const char *issue;
	int end = HANDOFF_LATER, leased, tries;

	command_option(c, argc, argv, NULL);
	issue = command_issue(c, argv[optind + 1]);
	if (context_at(&context, argv[optind], &p.why) != EXIT_DONE) {
		warnx("%s", buf_str(&p.why));
		return HANDOFF_LATER;
	}
	status_init(&r, issue);
	leased = lease_read(&p.lease, context.dir.state_fd, issue);
	if (leased == -1 || status_read(&r, context.dir.state_fd, issue) != 1) {
		buf_adds(&p.why, "its lease or its record cannot be read");
	} else if (leased == 0) {
		end = EXIT_DONE;
	} else if (context.config.fleet == NULL) {
		buf_adds(&p.why, "the issue is the fleet's, and 'fleet' is "
		    "not configured");
	} else {
		repository_of(&repository, &context.project);
		order_key(&p.key, buf_str(&repository), issue);
		buf_release(&repository);
		p.run = r.run;
		p.host = context.config.fleet->host;
		p.link = link_open(context.config.fleet, false, &p.why);
	}
	if (p.link != NULL)
		end = -1;
	for (tries = 0; end == -1 && tries < ORDER_TRIES; tries++) {
		buf_reset(&p.why);
		end = order_get(p.link, buf_str(&p.key), &o, &p.why) == -1 ?
		    HANDOFF_LATER : permit_decide(&p, &o);
		order_release(&o);
	}
	if (end != EXIT_DONE)
		warnx("%s", buf_str(&p.why));
	link_close(p.link);
	status_release(&r);
	context_close(&context);
	buf_release(&p.key);
	buf_release(&p.why);
	return end == -1 ? HANDOFF_LATER : end;
}

const struct command fleet_permit_command = {
	.name = "permit",
	.arguments = "STATUS-DIRECTORY ISSUE",
	.run = permit_run,
};
