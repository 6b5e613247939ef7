/*
 * agent.c - the fleet's process on each host: sends each event once.
 *
 * One loop waits for everything; calls wait a few seconds at most.  After a
 * failure the agent pauses, then reads the server's state anew.
 */
#include "fleet/wire/wire.h"
#include "os/newer.h"
#include "os/userfolder.h"

enum {
	CHECK = 60000,                  /* ms between checks of the stores */
	PAUSE_FIRST = 1000,             /* after a failure */
	PAUSE_LAST = 30000,
	ANSWER = 75000,
	ROWS_MOST = 64 << 20,
	SENT = 100
};

struct agent {
	struct link   *link;
	struct fleetloop wait;
	struct lock    lock;            /* one agent per user */
	int            registry;        /* watch of its folder */
	bool           search;          /* it may have changed */
	struct outbox *outboxes;
	struct rowfeed feed;            /* of `paneward status` */
	bool           failed;          /* the child's end was reported */
	struct lines   bucket;          /* the server's, by hash of a key */
	bool           bucket_known, bucket_same;       /* same: as the feed */
	struct beat    beat;
	struct desk    desk;
	unsigned       connects;
	msec           checked, looked; /* next check: stores; journals */
	msec           made;            /* the stream, by the server's clock */
	msec           due, pause;      /* next try; after a failure */
	bool           told;            /* the failure was reported */
	struct buf     reason;          /* why it does not connect */
};

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
		notify_unwatch(a->wait.notify, o->watch);
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
		o = outbox_new(&d, a->link->rules->host);
		o->next = a->outboxes;
		a->outboxes = o;
		outbox_watch(o, a->wait.notify);
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
		if (change != NOTIFY_CONTENT)
			outbox_watch(o, a->wait.notify);
		outbox_check(o, a->wait.notify);
		o->wanted = true;
	}
}

/* A row's key is HOST.HASH, by its own key.  The agent reads the bucket only
 * after a connection, to delete rows that are gone here. */
static void
bucket_row(void *context, const struct link_message *m)
{
	struct agent *a = context;

	if (!m->gone)
		lines_set(&a->bucket, strrchr(m->subject, '.') + 1, m->data,
		    m->len, 0);
}

static int
bucket_write(struct agent *a, const char *token, const struct line *line,
    struct buf *why)
{
	char *key = xasprintf("%s.%s", a->link->rules->host, token);
	uint64_t revision = STORE_ANY;

	a->bucket_known = store_put(a->link, STORE_ROWS, key, line == NULL ?
	    NULL : &(struct buf){ .data = line->text, .len = line->len },
	    &revision, why) == STORE_DONE;
	free(key);
	return a->bucket_known ? 0 : -1;
}

static int
bucket_make(struct agent *a, const struct lines *lines, struct buf *why)
{
	struct line *line;
	unsigned sent = 0;
	char token[17], *keys;
	size_t i;

	if (!a->bucket_known) {
		lines_release(&a->bucket);
		keys = xasprintf("%s.>", a->link->rules->host);
		a->bucket_known = store_each(a->link, STORE_ROWS, keys,
		    bucket_row, a, why) == 0;
		free(keys);
	}
	if (!a->bucket_known)
		return -1;
	a->bucket.round++;
	for (i = 0; i < lines->n && sent < SENT; i++) {
		line = &lines->line[i];
		snprintf(token, sizeof(token), "%016llx", (unsigned long long)
		    text_hash(line->key, strlen(line->key)));
		if (!lines_set(&a->bucket, token, line->text, line->len,
		    i)->news)
			continue;
		sent++;
		if (bucket_write(a, token, line, why) == -1)
			return -1;
	}
	while (i == lines->n && sent < SENT &&
	    (line = lines_old(&a->bucket)) != NULL) {
		sent++;
		if (bucket_write(a, line->key, NULL, why) == -1)
			return -1;
		lines_drop(&a->bucket, line);
	}
	a->bucket_same = sent < SENT;
	return 0;
}

static bool
bucket_waits(struct agent *a)
{
	a->bucket_same = a->bucket_same && !a->feed.changed;
	a->feed.changed = false;
	return a->feed.whole && !(a->bucket_known && a->bucket_same);
}

static void
agent_forget(struct agent *a)
{
	struct outbox *o;

	for (o = a->outboxes; o != NULL; o = o->next) {
		o->known = false;
		o->wanted = true;
	}
	a->bucket_known = false;
	desk_set(&a->desk, false, NULL);
	a->beat.due = 0;
	a->checked = 0;
}

/* NULL, or what failed, with why; agent_send() too. */
static const char *
agent_beat(struct agent *a, msec now, struct buf *why)
{
	const struct outbox *o;
	unsigned skipped = 0;
	enum beat_end end;

	for (o = a->outboxes; o != NULL; o = o->next)
		skipped += o->skipped;
	/* An outbox that asks anew will skip its lines again. */
	if (skipped > a->beat.skipped)
		a->beat.skipped = skipped;
	end = beat_send(&a->beat, a->link, why);
	a->beat.due = now + STORE_BEAT;
	if (end == BEAT_OTHER)
		fatal_usage("cannot be the agent of host '%s': %s",
		    a->link->rules->host, buf_str(why));
	if (end == BEAT_FAILED)
		return "cannot announce this host to the fleet";
	return desk_set(&a->desk, a->link->context->config.notify.n > 0 &&
	    a->beat.used >= 0 && a->beat.used < DESK_USED, why) == 0 ? NULL :
	    "cannot follow the agents of other hosts";
}

/* Journals take turns: none waits for another's end. */
static const char *
agent_send(struct agent *a, msec now, struct buf *why)
{
	struct buf skipped = BUF_INIT;
	const char *what = NULL;
	struct outbox *o;
	unsigned before;

	for (o = a->outboxes; what == NULL && o != NULL; o = o->next) {
		if (!o->wanted)
			continue;
		/* Many journals make a turn long. */
		if (clock_now() >= a->beat.due &&
		    (what = agent_beat(a, clock_now(), why)) != NULL)
			break;
		before = o->skipped;
		buf_reset(&skipped);
		if (!outbox_send(o, a->link, &skipped, why))
			what = "cannot send events";
		if (before == 0 && o->skipped > 0)
			warnx("an event of '%s' is not sent, and neither are "
			    "others like it: %s", o->dir.path,
			    buf_str(&skipped));
	}
	buf_release(&skipped);
	if (what == NULL && bucket_waits(a) &&
	    bucket_make(a, &a->feed.lines, why) == -1)
		what = "cannot send rows";
	if (what == NULL && desk_turn(&a->desk, now, why) == -1)
		what = "cannot send notices of other hosts' agents";
	return what;
}

static void
agent_serve(struct agent *a, msec now)
{
	struct store_look events = { 0 }, look;
	const char *what = NULL;
	struct buf why = BUF_INIT;
	enum store which;
	bool up;

	if (a->connects != a->link->connects) {
		a->connects = a->link->connects;
		agent_forget(a);
		a->due = 0;
	}
	if (now < a->due)
		return;
	up = link_up(a->link);
	if (up) {
		for (which = 0; now >= a->checked && which < STORES; which++)
			if (what == NULL && store_open(a->link, which, which ==
			    STORE_EVENTS ? &events : &look, &why) == -1)
				what = "cannot open the fleet's stores";
		if (what == NULL && now >= a->checked) {
			/* Another stream may lack what the first one had. */
			if (events.made != a->made)
				agent_forget(a);
			a->made = events.made;
			a->checked = now + CHECK;
		}
		if (what == NULL && now >= a->beat.due)
			what = agent_beat(a, now, &why);
		if (what == NULL)
			what = agent_send(a, now, &why);
		if (what == NULL) {
			if (a->told)
				warnx("the fleet's server takes events again");
			a->told = false;
			a->pause = PAUSE_FIRST;
			buf_reset(&a->reason);
		}
	/* The link reconnects by itself, but hides the reason. */
	} else if (link_try(a->link, &why) == -1 &&
	    !buf_same(&a->reason, &why)) {
		buf_set(&a->reason, why.data, why.len);
		a->told = false;
		what = "cannot connect to the fleet's server";
	}
	/* A link that comes back is used at once. */
	a->due = !up ? clock_now() + STORE_BEAT :
	    what != NULL && link_up(a->link) ? now + a->pause : now;
	if (what != NULL) {
		if (!a->told)
			warnx("%s: %s; events wait in their journals until the "
			    "server takes them", what, buf_str(&why));
		a->told = true;
		a->pause = clock_sooner(2 * a->pause, PAUSE_LAST);
		agent_forget(a);
	}
	buf_release(&why);
}

static bool
agent_turn(struct agent *a)
{
	msec now = clock_now(), due;
	struct outbox *o;

	link_read(a->link, desk_take, &a->desk);
	notify_read(a->wait.notify, agent_note, a);
	if (now >= a->looked || a->search)
		agent_search(a);
	/* Some changes are never reported. */
	if (now >= a->looked) {
		a->looked = now + STORE_BEAT;
		for (o = a->outboxes; o != NULL; o = o->next)
			outbox_check(o, a->wait.notify);
	}
	if (a->feed.why.len > 0 && !a->failed)
		warnx("cannot follow this host's agents, trying again: %s",
		    buf_str(&a->feed.why));
	a->failed = a->feed.why.len > 0;
	agent_serve(a, now);
	now = clock_now();
	due = a->looked;
	for (o = a->outboxes; o != NULL && !o->wanted; o = o->next)
		continue;
	if (now < a->due)
		due = clock_sooner(due, a->due);
	else if (o != NULL || bucket_waits(a))
		due = now;
	else
		due = clock_sooner(clock_sooner(due, desk_due(&a->desk)),
		    clock_sooner(a->beat.due, a->checked));
	return fleetloop_round(&a->wait, a->link, due);
}

static int
agent_run(const struct command *c, int argc, char **argv)
{
	struct agent a = { .lock = LOCK_INIT, .search = true,
	    .pause = PAUSE_FIRST };
	char *program = proc_beside("paneward");
	struct newer newer;
	int state;

	command_option(c, argc, argv, NULL);
	fleetloop_open(&a.wait);
	newer_open(&newer, NULL, &a.wait.loop);
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
	a.registry = notify_watch(a.wait.notify, state, NOTIFY_RENAMES);
	close(state);
	a.link = fleet_open(NULL, true);
	if (beat_open(&a.beat) == -1)
		fatal("cannot make this host's id in the user's folder of "
		    "state");
	a.feed = (struct rowfeed){ .argv = WORDS(program, "status", "--all",
	    "--json", "--follow", "--pace", "10"), .answer = ANSWER,
	    .most = ROWS_MOST };
	rowfeed_begin(&a.feed, &a.wait.loop);
	a.desk = (struct desk){ .program = program, .link = a.link,
	    .loop = &a.wait.loop, .spawn = SPAWN_INIT };
	while (!agent_turn(&a))
		if (newer_look(&newer, clock_now()))
			newer_become(&newer, WORDS("agent"));
	if (link_up(a.link)) {
		beat_end(&a.beat, a.link);
		while (a.beat.ours && bucket_make(&a, &(struct lines){ .n = 0 },
		    NULL) == 0 && !a.bucket_same)
			continue;
	}
	rowfeed_end(&a.feed);
	spawn_release(&a.desk.spawn);
	link_close(a.link);
	return EXIT_DONE;
}

const struct command fleet_agent_command = {
	.name = "agent",
	.summary = "Tell the fleet what happens on this host, and what it has",
	.run = agent_run,
};
