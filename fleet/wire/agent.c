/*
 * agent.c - the fleet's process on each host: what happens here is told to the
 * server, once.
 *
 * One loop waits for everything.  Calls of the server wait for their answers,
 * a few seconds at most.  After one that failed nothing is sent for a pause,
 * and then what the server has is asked anew.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/issue.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/wire/beat.h"
#include "fleet/wire/desk.h"
#include "fleet/wire/open.h"
#include "fleet/wire/outbox.h"
#include "fleet/wire/rows.h"
#include "fleet/wire/store.h"
#include "os/lock.h"
#include "os/proc.h"
#include "os/trap.h"
#include "os/userfolder.h"
#include "project/registry.h"

enum {
	CHECK = 60000,                  /* ms between looks at the stores */
	PAUSE_FIRST = 1000,             /* after a failure */
	PAUSE_LAST = 30000,
	TAG_ORDERS = 1                  /* of link_follow() */
};

struct agent {
	struct context context;
	const struct fleetrules *rules;
	struct link   *link;
	struct notify *notify;
	struct loop    loop;
	struct loop_wait trap, news, changes;   /* signals, the server's, and
					   of notify */
	struct lock    lock;            /* one agent of this user */
	int            registry;        /* watch of its folder, */
	bool           search;          /* and it may have changed */
	struct outbox *outboxes;
	struct rows   *rows;
	struct requests *requests;      /* orders of other hosts, */
	bool           follows;         /* which come */
	struct beat    beat;
	struct desk   *desk;
	unsigned       connects;        /* the connection that is in use */
	msec           checked;         /* the stores, */
	msec           looked;          /* the journals and directories */
	msec           made;            /* the stream, by the server's clock */
	msec           due, pause;      /* when the server is tried again */
	bool           told;            /* that it does not take anything, */
	char          *reason;          /* and why none connects; NULL */
	msec           tried;           /* when that is asked again */
	bool           over;
};

/* ---- the journals -------------------------------------------------------- */

/* Drops the journals whose paths lead elsewhere by now, or nowhere, and adds
 * those of new directories. */
static void
agent_search(struct agent *a)
{
	struct outbox **link = &a->outboxes, *o;
	struct buf refused = BUF_INIT;
	char **paths, **p;
	struct statusdir d;

	while ((o = *link) != NULL) {
		if (statusdir_current(&o->dir)) {
			link = &o->next;
			continue;
		}
		*link = o->next;
		notify_unwatch(a->notify, o->watch);
		outbox_free(o);
	}
	paths = registry_directories(true);
	for (p = paths; p != NULL && *p != NULL; p++) {
		if (statusdir_open(&d, xstrdup(*p), false, &refused) == -1)
			continue;
		for (o = a->outboxes; o != NULL; o = o->next)
			if (o->dir.dev == d.dev && o->dir.ino == d.ino)
				break;
		if (d.state_fd == -1 || o != NULL) {
			statusdir_close(&d);
			continue;
		}
		o = outbox_new(&d, a->rules->host);
		o->next = a->outboxes;
		a->outboxes = o;
		outbox_watch(o, a->notify);
	}
	buf_release(&refused);
	argv_free(paths);
	a->search = false;
}

static void
agent_note(void *context, int watch, enum notify_change change,
    const char *name)
{
	struct agent *a = context;
	struct outbox *o;

	(void)name;
	a->search |= watch == a->registry || watch == -1;
	for (o = a->outboxes; o != NULL; o = o->next) {
		if (watch != -1 && o->watch != watch)
			continue;
		/* It may be there now, or another one. */
		if (change != NOTIFY_CONTENT || !outbox_same(o))
			outbox_watch(o, a->notify);
		o->wanted = true;
	}
}

/* ---- the server ---------------------------------------------------------- */

static void
agent_forget(struct agent *a)
{
	struct outbox *o;

	for (o = a->outboxes; o != NULL; o = o->next) {
		o->known = false;
		o->wanted = true;
	}
	rows_forget(a->rows);
	desk_set(a->desk, false, NULL);
	a->beat.due = 0;
	a->checked = 0;
}

/* Says so once.  What the server has is asked again after the pause. */
static bool
agent_failed(struct agent *a, const char *what, struct buf *why, msec now)
{
	if (!a->told)
		warnx("%s: %s; events wait in their journals until the server "
		    "takes them", what, buf_str(why));
	a->told = true;
	a->due = now + a->pause;
	a->pause = 2 * a->pause < PAUSE_LAST ? 2 * a->pause : PAUSE_LAST;
	agent_forget(a);
	return false;
}

/* Are the stores there, and the same ones? */
static bool
agent_check(struct agent *a, msec now)
{
	struct buf why = BUF_INIT;
	enum store which;
	msec made, stream = 0;
	bool well = true;

	for (which = 0; well && which < STORES; which++) {
		well = store_open(a->link, which, &made, &why) == 0;
		if (which == STORE_EVENTS)
			stream = made;
	}
	if (!well)
		agent_failed(a, "cannot open the fleet's stores", &why, now);
	else if (stream != a->made)
		agent_forget(a);
	a->follows = a->follows && stream == a->made;
	if (well)
		a->made = stream;
	if (well && !a->follows) {
		a->follows = requests_follow(a->requests, a->link, TAG_ORDERS,
		    a->made, &why) == 0;
		well = a->follows || agent_failed(a, "cannot follow orders of "
		    "other hosts", &why, now);
	}
	if (well)
		a->checked = now + CHECK;
	buf_release(&why);
	return well;
}

static bool
agent_beat(struct agent *a, msec now)
{
	struct buf why = BUF_INIT;
	const struct outbox *o;
	unsigned skipped = 0;
	enum beat_end end;

	for (o = a->outboxes; o != NULL; o = o->next)
		skipped += o->skipped;
	/* An outbox that is asked anew has not skipped its lines again yet. */
	if (skipped > a->beat.skipped)
		a->beat.skipped = skipped;
	end = beat_send(&a->beat, a->link, &why);
	a->beat.due = now + STORE_BEAT;
	if (end == BEAT_OTHER)
		fatal_usage("cannot be the agent of host '%s': %s",
		    a->rules->host, buf_str(&why));
	if (end == BEAT_FAILED)
		agent_failed(a, "cannot tell the fleet that this host is "
		    "there", &why, now);
	/* The desk tells a person who is here of hosts without one. */
	if (end == BEAT_DONE && desk_set(a->desk,
	    a->context.config.notify.n > 0 && a->beat.used >= 0 &&
	    a->beat.used < DESK_USED, &why) == -1) {
		agent_failed(a, "cannot follow the agents of other hosts",
		    &why, now);
		end = BEAT_FAILED;
	}
	buf_release(&why);
	return end == BEAT_DONE;
}

/* Turn by turn, so that no journal waits for the end of another one. */
static bool
agent_send(struct agent *a, msec now)
{
	struct buf why = BUF_INIT, skipped = BUF_INIT;
	struct outbox *o;
	unsigned before;
	bool well = true;

	for (o = a->outboxes; well && o != NULL; o = o->next) {
		if (!o->wanted)
			continue;
		/* With many journals and a slow server a turn is long. */
		well = clock_now() < a->beat.due || agent_beat(a, clock_now());
		if (!well)
			break;
		before = o->skipped;
		buf_reset(&skipped);
		well = outbox_send(o, a->link, &skipped, &why);
		if (before == 0 && o->skipped > 0)
			warnx("an event of '%s' is not sent, and the like of "
			    "it will not be: %s", o->dir.path,
			    buf_str(&skipped));
		if (!well)
			agent_failed(a, "cannot send events", &why, now);
	}
	buf_release(&skipped);
	if (well && rows_wait(a->rows) &&
	    rows_send(a->rows, a->link, &why) == -1)
		well = agent_failed(a, "cannot send rows", &why, now);
	if (well && requests_turn(a->requests, a->link, a->outboxes,
	    &why) == -1)
		well = agent_failed(a, "cannot do what a host has ordered",
		    &why, now);
	if (well && desk_turn(a->desk, now, &why) == -1)
		well = agent_failed(a, "cannot tell of the agents of other "
		    "hosts", &why, now);
	buf_release(&why);
	return well;
}

static void
agent_reason(struct agent *a, const char *reason)
{
	free(a->reason);
	a->reason = reason != NULL ? xstrdup(reason) : NULL;
	link_keep(a->link, reason != NULL ? reason : "");
}

static void
agent_serve(struct agent *a, msec now)
{
	struct buf why = BUF_INIT;

	if (a->connects != link_connects(a->link)) {
		a->connects = link_connects(a->link);
		agent_forget(a);
		a->due = a->tried = 0;
		/* Before anything else: the name may be another host's now. */
		a->beat.due = 0;
	}
	if (link_up(a->link)) {
		if (now < a->due || (now >= a->checked &&
		    !agent_check(a, now)) || (now >= a->beat.due &&
		    !agent_beat(a, now)) || !agent_send(a, now))
			return;
		if (a->told)
			warnx("the fleet's server takes events again");
		a->told = false;
		a->pause = PAUSE_FIRST;
		agent_reason(a, NULL);
		return;
	}
	if (now < a->tried)
		return;
	/* The link reconnects by itself.  The agent only reports the reason:
	 * once, also across a restart. */
	if (link_try(a->link, &why) == -1 && (a->reason == NULL ||
	    strcmp(a->reason, buf_str(&why)) != 0)) {
		agent_reason(a, buf_str(&why));
		a->told = false;
		agent_failed(a, "cannot connect to the fleet's server", &why,
		    now);
	}
	a->tried = clock_now() + STORE_BEAT;
	a->due = now;                   /* it is used as soon as it is back */
	buf_release(&why);
}

/* ---- the loop ------------------------------------------------------------ */

/* When is the next thing to do, if nothing comes? */
static msec
agent_due(const struct agent *a, msec now)
{
	msec due = a->looked;
	const struct outbox *o = a->outboxes;

	if (a->notify->fd == -1)
		due = clock_sooner(due, now + a->notify->period);
	if (!link_up(a->link))
		return clock_sooner(due, a->tried);
	if (now < a->due)
		return clock_sooner(due, a->due);
	due = clock_sooner(due, desk_due(a->desk));
	while (o != NULL && !o->wanted)
		o = o->next;
	return o != NULL || rows_wait(a->rows) || requests_due(a->requests) ?
	    now : clock_sooner(due, clock_sooner(a->beat.due, a->checked));
}

static void
agent_turn(struct agent *a)
{
	char **names, **p, issue[ISSUE_MAX + 1];
	struct link_message *m;
	msec now = clock_now();
	const char *ended;
	struct outbox *o;

	while ((m = link_next(a->link)) != NULL) {
		if (m->tag == DESK_TAG)
			desk_take(a->desk, m, now);
		else if (m->tag == TAG_ORDERS)
			requests_take(a->requests, m);
		link_message_free(m);
	}
	notify_read(a->notify, agent_note, a);
	if (now >= a->looked || a->search)
		agent_search(a);
	/* Some changes are never reported. */
	if (now >= a->looked) {
		a->looked = now + STORE_BEAT;
		a->beat.working = 0;
		for (o = a->outboxes; o != NULL; o = o->next) {
			names = statusdir_names(o->dir.state_fd);
			for (p = names; p != NULL && *p != NULL; p++)
				a->beat.working += issue_in_name(*p, "",
				    ".lease", issue);
			argv_free(names);
			if (!outbox_same(o))
				outbox_watch(o, a->notify);
			outbox_check(o);
		}
	}
	ended = rows_trouble(a->rows);
	if (ended != NULL)
		warnx("cannot follow this host's agents, trying again: %s",
		    ended);
	agent_serve(a, now);
	a->news.fd = link_fd(a->link);
	a->changes.fd = a->notify->fd;
	loop_round(&a->loop, agent_due(a, clock_now()));
	a->over = trap_read() != 0;
}

static int
agent_run(const struct command *c, int argc, char **argv)
{
	struct agent a = { .lock = LOCK_INIT, .search = true,
	    .pause = PAUSE_FIRST };
	char *program = proc_beside("paneward");
	struct buf why = BUF_INIT;
	int state;

	while (command_option(c, argc, argv, NULL) != -1)
		continue;
	if (optind < argc)
		command_usage(c, "takes no argument");
	a.trap = LOOP_WAIT(trap_open(), NULL, NULL);
	a.news = a.changes = LOOP_WAIT(-1, NULL, NULL);
	loop_add(&a.loop, &a.trap);
	loop_add(&a.loop, &a.news);
	loop_add(&a.loop, &a.changes);
	if (a.trap.fd == -1)
		fatal("cannot catch signals");
	a.notify = context_notify();
	state = userfolder_state(NULL, true);
	if (state == -1)
		fatal("no folder for the user's state");
	switch (lock_await(&a.lock, state, "fleet", LOCK_ENDING)) {
	case 0:
		fatalx("process %ld is this user's agent already; end that one "
		    "first", (long)a.lock.holder);
	case -1:
		fatal("cannot lock 'fleet.lock' in the user's folder of state");
	}
	a.registry = notify_watch(a.notify, state, NOTIFY_RENAMES);
	close(state);
	a.link = fleet_open(&a.context, NULL, true);
	a.rules = link_rules(a.link);
	a.beat = (struct beat){ .host = a.rules->host,
	    .sockets = a.context.config.sockets };
	if (beat_open(&a.beat) == -1)
		fatal("cannot make this host's id in the user's folder of "
		    "state");
	a.rows = rows_new(program, a.rules->host, &a.loop);
	a.requests = requests_new(program, a.rules->host, &a.loop);
	a.desk = desk_new(program, a.link, &a.loop);
	agent_reason(&a, link_kept());
	a.told = a.reason != NULL;
	while (!a.over)
		agent_turn(&a);
	/* The other hosts learn that this one ended in order. */
	if (link_up(a.link)) {
		beat_end(&a.beat, a.link);
		if (a.beat.ours)
			rows_remove(a.rows, a.link, &why);
	}
	buf_release(&why);
	rows_free(a.rows);
	requests_free(a.requests);
	desk_free(a.desk);
	link_close(a.link);
	free(a.reason);
	trap_close();
	return EXIT_DONE;
}

const struct command fleet_agent_command = {
	.name = "agent",
	.summary = "Tell the fleet what happens on this host, and what it has",
	.options = (const struct command_option[]){ { 0 } },
	.run = agent_run,
};
