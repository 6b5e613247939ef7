/*
 * watch.c - one loop, one computed deadline.
 *
 * Events mark tracks; a turn judges them.  A slow tick, which starts no
 * process, checks for unreported events.
 */
#include <assert.h>
#include <signal.h>

#include "os/compat.h"
#include "os/trap.h"
#include "paneward.h"
#include "project/schedule.h"
#include "queue/queue.h"
#include "watcher/track.h"

enum {
	OPTION_ONCE = '1', OPTION_EXIT_ON = OPTION_LONG,
	/* enum schedule_kind, in its order */
	OPTION_SYSTEMD = OPTION_LONG + SCHEDULE_WATCH_SYSTEMD, OPTION_LAUNCHD,
	OPTION_TMUX,
	TICK = 30,                      /* seconds */
	SITE_TICKS = 10,                /* in which each site is checked */
	JUMP = 1000,                    /* ms between the two clocks */
	WATCH_MOST = 1000,
	/* of an issue; for the watch, tmux and hand-offs */
	DESCRIPTORS = 5, DESCRIPTORS_KEPT = 32
};

static const struct command_option options[] = {
	{ 0, "all", NULL, "every issue of the project, later ones too",
	    FLAG_AT(struct watch, all) },
	{ 0, "everywhere", NULL, "every issue of all your projects",
	    FLAG_AT(struct watch, everywhere) },
	{ 's', "session", "NAME", "the session of the issue",
	    TEXT_AT(struct watch, session) },
	{ 'p', "pane", "%N", "the pane of the issue",
	    TEXT_AT(struct watch, pane) },
	{ 0, "interval", "SEC", "seconds between two slow checks (30)",
	    NUMBER_AT(struct watch, tick, 1, 3600) },
	{ 'm', "marker", "TEXT", "a completion marker of your own",
	    TEXT_AT(struct watch, marker) },
	{ 0, "handoff", "COMMAND", "run this when work is complete",
	    TEXT_AT(struct watch, handoff) },
	{ 0, "no-handoff", NULL, "run nothing when work is complete",
	    FLAG_AT(struct watch, no_handoff) },
	{ OPTION_ONCE, "once", NULL, "check once; exit 124 if still "
	    "undecided" },
	{ 'n', "new", NULL, "begin a new run; ignore what was there before",
	    FLAG_AT(struct watch, new) },
	{ 0, "steal-pipe", NULL, "take over another program's pipe",
	    FLAG_AT(struct watch, steal_pipe) },
	{ OPTION_EXIT_ON, "exit-on", "STATE,...", "also exit on these states" },
	JSON_AT(struct watch, json, "one JSON object per line"),
	{ OPTION_SYSTEMD, "print-systemd", NULL, "print a systemd user service "
	    "for --everywhere, and do nothing else" },
	{ OPTION_LAUNCHD, "print-launchd", NULL, "the same for launchd" },
	{ OPTION_TMUX, "print-tmux", NULL, "the same for tmux.conf" },
	CONTEXT_OPTION_AT(struct watch, status_dir),
	{ 0 }
};

/* An entry's name has the id between characters that no id has. */
static bool
watch_concerns(const char *name, const char *issue)
{
	const char *at = strstr(name, issue);
	size_t len = strlen(issue);

	for (; at != NULL; at = strstr(at + 1, issue))
		if ((at == name || at[-1] == '-') &&
		    (at[len] == '\0' || at[len] == '.'))
			return true;
	return false;
}

static void
watch_changed(void *context, int id, enum notify_change change,
    const char *name)
{
	struct watch *w = context;
	struct site *s = w->sites;
	bool lost = change == NOTIFY_LOST, ours;
	struct track *t;
	size_t f;

	if (w->panes != NULL && w->panes->state_watch == id)
		s = w->panes;
	while (s != NULL && (id == -1 ||
	    (s->dir_watch != id && s->state_watch != id)))
		s = s->next;
	ours = lost || (s != NULL && id == s->state_watch);
	if (lost) {
		w->tick_at = 0;
		w->lost = true;
	}
	if (w->everywhere && id == w->registry.watch) {
		w->registry.due = true;
		w->around_at = 0;
	}
	for (t = w->tracks; t != NULL; t = t->next) {
		for (f = 0; f < TRACK_FILES && (t->files[f].watch != id ||
		    id == -1); f++)
			continue;
		if (!lost && f == TRACK_FILES && (t->site != s ||
		    (name != NULL && !watch_concerns(name, t->issue))))
			continue;
		if (lost && f != TRACK_FILES && f != FILE_LOG)
			t->files[f].ino = 0;    /* watch it again */
		t->due.marked = true;
		t->due.claims |= ours;
		t->sources.events_due |= ours || f == FILE_HOOKS;
	}
	if (w->all && name != NULL && s != NULL)
		all_name(s, name);
}

static void
watch_changes(void *context, msec now)
{
	struct watch *w = context;

	w->now = now;
	notify_read(w->notify, watch_changed, w);
}

/* Handles the end of a server before those of its panes. */
static void
watch_ends(void *context, msec now)
{
	struct watch *w = context;
	struct tmux_server *s;
	struct track *t;
	int fd;

	w->now = now;
	for (s = w->servers.first; s != NULL; s = s->next)
		if (s->end.fd != -1 && s->end.ready != 0)
			server_ended(s, now);
	while ((fd = proc_ends_next(w->ends.fd)) != -1)
		for (t = w->tracks; !gather_end(t, fd); t = t->next)
			assert(t->next != NULL);
}

static void
watch_handed(void *context, msec now)
{
	struct track *t = context;

	t->watch->now = now;
	loop_drop(&t->handed);
	hold_renew(t->site);
	turn_handed(t);
}

/* If an event may be missing, the tick checks all sites and tracks; otherwise
 * one track and a SITE_TICKS'th of the sites, so that many cost the same. */
static void
watch_tick(struct watch *w)
{
	msec before = w->ahead;
	bool check = w->deaf || w->lost || !w->notify->sure;
	struct site *s, *next;
	struct track *t;
	size_t i = 0, n = 0;

	w->tick_at = w->now + w->tick;
	/* A sleep or a set clock makes times by the other clock wrong. */
	w->ahead = clock_wall() - w->now;
	check |= llabs(w->ahead - before) > JUMP;
	for (s = w->sites; s != NULL && n < SITE_TICKS; s = s->next)
		n++;
	w->ticks++;
	for (s = w->sites; s != NULL; s = next) {
		next = s->next;
		if ((!check && i++ % n != w->ticks % n) ||
		    (w->everywhere && everywhere_drop(s)))
			continue;
		hold_renew(s);
		site_claim(s);
	}
	w->registry.due |= w->everywhere && check;
	if (w->everywhere)
		everywhere_turn(w);
	check |= w->lost;
	w->lost = false;
	i = 0;
	for (t = w->tracks; t != NULL; t = t->next)
		hold_tick(t, i++ == w->turn || check);
	w->turn = w->turn + 1 < i ? w->turn + 1 : 0;
	for (s = w->sites; check && w->all && s != NULL; s = s->next)
		all_names(s);
	query_forget(w);
}

/* True while something is followed. */
static bool
watch_turn(struct watch *w)
{
	struct track *t, **link, *again;
	bool any = false;

	w->budget = WATCH_BUDGET;
	if (w->now >= w->tick_at)
		watch_tick(w);
	else if (w->registry.due)
		everywhere_turn(w);
	for (link = &w->tracks; (t = *link) != NULL; link = &t->next) {
		if (!t->life.lost && track_deadline(t) <= w->now)
			hold_turn(t);
		if (t->life.lost && !t->life.finished) {
			again = track_new(t->site, t->issue);
			again->next = t->next;
			again->life.begun = true;
			again->shown = t->shown;
			track_free(t);
			*link = t = again;
			hold_begin(t);
		}
		any = any || !t->life.finished;
	}
	if (w->all) {
		all_turn(w);
		any = any || !w->policy->once ||
		    servers_busy(&w->servers, w->now);
	}
	if (w->queue != NULL && queue_changed(w->queue))
		segment_set(w->segment, w->queue->rows, w->queue->nrows);
	return any;
}

/* A kill at any point is one of a watcher: another has its options, and finds
 * all in files.  Not one of them begins with an ended issue's exit status. */
static void
watch_renew(struct watch *w)
{
	char *detail;
	struct track *t;

	/* What we began has to be waited for. */
	for (t = w->tracks; t != NULL; t = t->next)
		if ((t->life.finished && !w->all) || t->runner.fd != -1 ||
		    t->tree.pid != 0)
			return;
	if (servers_busy(&w->servers, w->now))
		return;
	detail = xasprintf("its watcher goes on as %s, which replaced version "
	    "%s", buf_str(&w->newer.version), VERSION);
	for (t = w->tracks; t != NULL; t = t->next)
		if (t->lock.fd != -1 && !status_over(&t->record))
			track_journal(t, JOURNAL_WARNING, detail);
	free(detail);
	/* A signal to end us may have come. */
	if (!loop_await(w->trap.fd, POLLIN, 0))
		newer_become(&w->newer, (const char *const *)w->words);
}

static void
watch_loop(struct watch *w)
{
	struct track *t;
	int signo;
	msec at;

	w->trap = LOOP_WAIT(trap_open(), NULL, w);
	if (w->trap.fd == -1)
		fatal("cannot watch");
	loop_add(&w->loop, &w->trap);
	w->now = clock_now();
	while (watch_turn(w)) {
		w->changes.fd = w->notify->fd;
		at = w->tick_at;
		for (t = w->tracks; t != NULL; t = t->next)
			at = clock_sooner(at, track_deadline(t));
		if (w->all)
			at = clock_sooner(at, w->around_at);
		if (w->panes != NULL)
			at = clock_sooner(at, w->panes_at);
		if (w->notify->fd == -1)
			at = clock_sooner(at, w->now + w->notify->period);
		if (loop_round(&w->loop, at) == -1)
			fatal("cannot wait");
		w->now = w->loop.now;
		if (w->changes.fd == -1)
			watch_changes(w, w->now);
		if ((signo = trap_read()) == 0 &&
		    newer_look(&w->newer, w->now))
			watch_renew(w);
		if (signo == 0)
			continue;
		for (t = w->tracks; t != NULL; t = t->next)
			turn_stop(t);
		feed_end(w);
		trap_close();
		raise(signo);
		exit(128 + signo);
	}
}

static void
watch_parse(struct watch *w, const struct command *c, int argc, char **argv)
{
	struct marker_set set;
	int key, issues;

	while ((key = command_option(c, argc, argv, w)) != -1)
		if (key == OPTION_ONCE)
			w->policy = &policies[POLICY_ONCE];
		else if (key == OPTION_EXIT_ON)
			w->exit_on = command_states(c, "--exit-on", optarg);
		else
			w->schedule = key - OPTION_LONG;
	w->tick *= 1000;
	w->all |= w->everywhere;
	issues = argc - optind;
	if (issues == 0 && !w->all)
		command_usage(c, "takes an issue, --all or --everywhere");
	if (w->all && (issues > 0 || w->session != NULL ||
	    w->pane != NULL || w->new || w->marker != NULL || w->exit_on != 0))
		command_usage(c, "--%s takes no issue, --session, --pane, "
		    "--new, --marker or --exit-on", w->everywhere ?
		    "everywhere" : "all");
	if (issues > WATCH_MOST)
		command_usage(c, "takes at most %d issues", WATCH_MOST);
	if (w->handoff != NULL && w->no_handoff)
		command_usage(c, "--handoff and --no-handoff exclude each "
		    "other");
	if (w->session != NULL && w->pane != NULL)
		command_usage(c, "--session and --pane exclude each other");
	if (w->pane != NULL && !tmux_id_valid(w->pane, '%'))
		command_usage(c, "--pane '%s' is not a pane's id, like %%3",
		    w->pane);
	if ((w->session != NULL || w->pane != NULL) && issues > 1)
		command_usage(c, "--session and --pane are for one issue");
	if (w->marker != NULL && marker_set_init(&set, "0", NULL, w->marker)
	    == -1)
		command_usage(c, "--marker '%s' cannot be a marker", w->marker);
	if (w->everywhere && w->status_dir != NULL)
		command_usage(c, "--everywhere takes no --status-dir");
	if (w->schedule != -1 && !w->everywhere)
		command_usage(c, "--print-... is for --everywhere");
	for (argv += optind; *argv != NULL; argv++)
		command_issue(c, *argv);
}

static int
watch_run(const struct command *c, int argc, char **argv)
{
	struct watch w = { .policy = &policies[POLICY_WATCH], .tick = TICK,
	    .schedule = -1, .registry.lock = LOCK_INIT, .registry.watch = -1 };
	struct track **end = &w.tracks, *t;
	struct buf wrong = BUF_INIT;
	struct context *context = NULL;
	int status = EXIT_DONE;
	bool any;
	size_t most;

	watch_parse(&w, c, argc, argv);
	w.words = argv;
	if (w.schedule != -1) {
		schedule_print((enum schedule_kind)w.schedule, NULL);
		return EXIT_DONE;
	}
	if (!w.everywhere) {
		context = &site_new(&w, &w.sites)->context;
		context_open(context, w.status_dir, false);
		context_fit(context);
		if (site_prepare(w.sites, &wrong) == -1)
			fatal_wrong("%s", buf_str(&wrong));
	}
	w.notify = context_notify();
	w.changes = LOOP_WAIT(-1, watch_changes, &w);
	loop_add(&w.loop, &w.changes);
	w.ends = LOOP_WAIT(proc_ends(), watch_ends, &w);
	loop_add(&w.loop, &w.ends);
	query_open(&w);
	/* These options would count once more. */
	newer_open(&w.newer, NULL, &w.loop);
	if (w.new || w.pane != NULL || w.session != NULL || w.policy->once)
		w.newer.due = CLOCK_NEVER;
	w.handed = watch_handed;
	most = spawn_raise_files();
	w.most = most <= DESCRIPTORS_KEPT + DESCRIPTORS ? 1 :
	    (most - DESCRIPTORS_KEPT) / DESCRIPTORS;
	w.now = clock_now();
	w.ahead = clock_wall() - w.now;
	w.tick_at = w.now + w.tick;
	for (argv += optind; *argv != NULL; argv++) {
		*end = track_new(w.sites, *argv);
		end = &(*end)->next;
	}
	if (w.everywhere) {
		everywhere_open(&w);
	} else {
		/* An unknown issue makes no directory. */
		any = w.all;
		for (t = w.tracks; t != NULL; t = t->next) {
			t->life.exit = adopt_nothing(t);
			t->life.finished = t->life.exit != 0;
			any = any || !t->life.finished;
		}
		if (any) {
			context_make(context);
			context_check(context, true);
			site_watch(w.sites, NOTIFY_DIRECTORY);
			site_claim(w.sites);
		}
		for (t = w.tracks; t != NULL; t = t->next)
			if (!t->life.finished)
				hold_begin(t);
		w.asked = 0;
	}
	/* all_turn() retries what all_names() could not follow. */
	if (w.all)
		all_turn(&w);
	if (w.all && !w.everywhere)
		all_names(w.sites);
	malloc_trim(0);                 /* of reading JSON */
	watch_loop(&w);
	for (t = w.tracks; t != NULL; t = t->next)
		status = settle_both(status, t->life.exit);
	return status;
}

const struct command watch_command = {
	.name = "watch",
	.summary = "Follow issues until their agents are done or gone",
	.arguments = "ISSUE... | --all | --everywhere",
	.examples =
	"  paneward watch 42\n"
	"  paneward watch 41 42 43 --json\n"
	"  paneward watch 42 --once; case $? in 124) echo busy ;; esac\n"
	"  paneward watch --all\n"
	"  paneward watch --everywhere\n",
	.options = options,
	.run = watch_run,
};
