/*
 * sweep.c - one pass over all issues, for what no watcher saw.
 *
 * A sweep collects the records, the names in the status directory and the panes
 * of all servers; then gives a turn (watcher/turn.c) to each issue with news;
 * then runs the due hand-offs.  It may run beside a watcher.
 */
#include "sweep/sweep.h"

#include <signal.h>

#include "notice/notice.h"
#include "os/compat.h"
#include "paneward.h"
#include "project/schedule.h"
#include "run/keptlog.h"
#include "run/launch.h"
#include "run/restart.h"

enum {
	/* enum schedule_kind, in its order */
	OPTION_CRON = OPTION_LONG + SCHEDULE_CRON, OPTION_SYSTEMD,
	OPTION_LAUNCHD,
	JOBS = 4,
	/* ms until a file is removed: of a restart in a pane without an issue
	 * (a new one touches each that it needs), or unfinished */
	OLD_PANE = 86400000, STRAY = 3600000
};

/* ms until the record of an ended run is removed */
static const msec kept = (msec)30 * 24 * 60 * 60 * 1000;

static const struct command_option options[] = {
	{ 'n', "dry-run", NULL, "print what would be done; write nothing",
	    FLAG_AT(struct sweep, dry_run) },
	{ 'e', "check-errors", NULL, "detect errors too",
	    FLAG_AT(struct sweep, watch.check_errors) },
	{ 0, "jobs", "N", "hand-offs at a time (4)",
	    NUMBER_AT(struct sweep, jobs, 1, 1000) },
	JSON_AT(struct sweep, watch.json, "one JSON object per line"),
	{ OPTION_CRON, "print-cron", NULL, "print a crontab line, and do "
	    "nothing else" },
	{ OPTION_SYSTEMD, "print-systemd", NULL, "the same for a systemd user "
	    "timer" },
	{ OPTION_LAUNCHD, "print-launchd", NULL, "the same for launchd" },
	CONTEXT_OPTION_AT(struct sweep, watch.status_dir),
	{ 0 }
};

static struct visit *
new_visit(struct sweep *w, const char *issue)
{
	struct visit *v = ARRAY_ADD(w->visits, w->n);

	*v = (struct visit){ .life = PANE_NONE };
	status_init(&v->record, issue);
	return v;
}

static struct visit *
visit_of(struct sweep *w, const char *issue)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (strcmp(w->visits[i].record.issue, issue) == 0)
			return &w->visits[i];
	return new_visit(w, issue);
}

static void
sweep_state_name(struct sweep *w, const char *name)
{
	int dir = w->site->context.dir.state_fd;
	size_t len = strlen(name);
	const char *dot = memrchr(name, '.', len > 4 ? len - 4 : 0);
	char issue[ISSUE_MAX + 1];
	struct stat st;
	long pid;
	int used = 0;
	msec age;

	if (status_named(dir, name, issue)) {
		status_read(&new_visit(w, issue)->record, dir, issue);
		return;
	}
	/* A killed process has left it beside its place. */
	if (dot != NULL && sscanf(dot, ".%ld.tmp%n", &pid, &used) == 1 &&
	    dot[used] == '\0' && pid > 0 && kill((pid_t)pid, 0) == -1)
		age = STRAY;
	else if (strncmp(name, RELOAD_PANE, strlen(RELOAD_PANE)) == 0)
		age = OLD_PANE;
	else
		return;
	if (!w->dry_run && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    file_mtime(&st) + age < w->watch.now)
		unlinkat(dir, name, 0);
}

static char **
sweep_names(const struct sweep *w, int fd)
{
	char **names = fd != -1 ? statusdir_names(fd) : NULL;

	if (names == NULL && fd != -1)
		fatal("cannot read the status directory '%s'",
		    w->site->context.dir.path);
	return names;
}

static void
sweep_find_panes(struct sweep *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		w->visits[i].life = run_life(&w->watch.servers,
		    &w->visits[i].record, &w->visits[i].pane);
}

static const struct status *
record_of(const struct sweep *w, const struct tmux_pane *p)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (w->visits[i].pane.pane == p &&
		    w->visits[i].record.place.pane_pid == p->pid)
			return &w->visits[i].record;
	return NULL;
}

/* Finds panes that may begin a new run of an issue; an option beats a name. */
static void
sweep_claims(struct sweep *w)
{
	char issue[ISSUE_MAX + 1];
	struct server_pane p = { .server = NULL };
	struct visit *v;

	while (servers_next(&w->watch.servers, &p)) {
		if (record_of(w, p.pane) != NULL || paneowner_of(
		    &w->site->rules, p.pane, false, issue) == PANEOWNER_NONE)
			continue;
		v = visit_of(w, issue);
		if (paneowner_past(p.pane, run_of_panes(&v->record)))
			v->past = true;
		else if (v->claim.pane == NULL || p.pane->issue[0] != '\0')
			v->claim = p;
	}
}

/* Warns once of each server. */
static void
warn_silent(struct sweep *w)
{
	struct tmux_server *s;

	for (s = w->watch.servers.first; s != NULL; s = s->next) {
		if (s->why.len == 0 || s->result == TMUX_NO_SERVER)
			continue;
		warnx("%s; the state of its panes is unknown",
		    buf_str(&s->why));
		buf_reset(&s->why);
		w->status = EXIT_COULD_NOT;
	}
}

static int
visit_order(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	return text_order(x->record.issue, y->record.issue);
}

/* Without the record, a pane would begin a new run. */
static bool
visit_expired(const struct sweep *w, const struct visit *v)
{
	return status_over(&v->record) && !v->signal && v->pane.pane == NULL &&
	    !v->past && v->life != PANE_SILENT &&
	    !handoff_open(&v->record.handoff) &&
	    v->record.since + kept < w->watch.now;
}

/* tmux counts in seconds. */
static bool
visit_capture_due(const struct sweep *w, const struct visit *v)
{
	bool there;

	if (v->pane.pane == NULL || status_over(&v->record))
		return false;
	panelog_unread(w->site->context.dir.fd, v->record.issue,
	    &v->record.log, &there);
	return !there || (msec)v->pane.pane->activity * 1000 + 999 >=
	    v->record.captured;
}

bool
visit_quiet(struct sweep *w, struct visit *v)
{
	const struct context *c = &w->site->context;
	const struct statusdir *dir = &c->dir;
	const struct status *r = &v->record;
	const struct tmux_pane *pane = v->pane.pane;
	const char *transcript = r->transcript.path;
	const struct backend *b = NULL;
	struct buf error = BUF_INIT;
	struct launched l;
	struct stat st;
	bool there, ended;

	if (r->run[0] == '\0' || v->signal || handoff_open(&r->handoff) ||
	    r->reload.since != 0 || r->notice != NOTICE_NONE)
		return false;
	/* Its agent is told to go on, or that is not planned yet. */
	if (r->verdict.state == STATE_LIMITED &&
	    (parked_wait(r, w->watch.now) == 0 ||
	    c->config.on_limit != (r->parked.since != 0)))
		return false;
	if (panelog_unread(dir->fd, r->issue, &r->log, &there) ||
	    events_unread(dir->state_fd, r->issue, r->events) ||
	    !run_stands(r, &v->pane, &v->claim, v->claim.pane != NULL))
		return false;
	/* The transcript has grown, or may be new. */
	if (transcript == NULL && r->agent.session != NULL && !status_over(r))
		b = backends_get(&w->watch.backends, backend_choose(r->backend,
		    pane ? pane->command : NULL, c->config.backend), &error);
	buf_release(&error);
	if (transcript == NULL ? b != NULL && b->transcript != NULL :
	    lstat(transcript, &st) == 0 &&
	    (uint64_t)st.st_size != r->transcript.read)
		return false;
	if (status_over(r))
		return !visit_expired(w, v);
	if (r->agent.pid != 0)
		ended = r->agent.pid != r->place.pane_pid &&
		    !proc_alive(r->agent.pid, r->agent.start);
	else
		ended = !r->adopted && launched_read(&l, dir->state_fd,
		    r->issue, r->run) == 1 && l.ended;
	if (ended || v->life != PANE_LIVES)
		return false;
	return (pane == NULL || pane->pid == r->place.pane_pid) &&
	    !visit_capture_due(w, v) && (!state_restless(r->verdict.state) ||
	    (msec)pane->activity * 1000 + c->config.stalled_after * 1000 >
	    w->watch.now);
}

/* The files of an issue in .paneward, but for its lock. */
static const char *const kinds[] = {
	"json", "agent", "pipe", "launch", "command", "records", "notice",
	"watch.log", "handoff.log", "setup.log", "reload", "reload.log",
};

/* Warns once of a server that has ended, or lives without its socket (lost). */
static void
visit_warn(struct sweep *w, const struct pane_ref *p, bool lost)
{
	const struct tmux_server *s = servers_at(&w->watch.servers, p->socket);
	char *key;

	if (lost ? s == NULL || (s->result != TMUX_OK &&
	    s->result != TMUX_NO_SERVER) : s != NULL && servers_serves(s, p))
		return;
	if (lost)
		w->status = EXIT_COULD_NOT;
	key = xasprintf("%ld %s", (long)p->server, p->socket);
	if (argv_has(w->warned, key))
		;
	else if (lost)
		warnx("no tmux server %ld at '%s', but its process lives; the "
		    "state of its panes is unknown (kill -USR1 %ld makes a "
		    "lost socket again)", (long)p->server, p->socket,
		    (long)p->server);
	else
		warnx("the tmux server at '%s' has ended, and all its panes "
		    "with it", p->socket);
	w->warned = argv_own(w->warned, key);
}

/* A track with the visit's record, to be freed: locked, unless another process
 * is quicker.  A dry run takes no lock. */
static struct track *
visit_hold(struct sweep *w, struct visit *v)
{
	struct track *t = track_new(w->site, v->record.issue);

	t->record = v->record;
	status_init(&v->record, t->issue);
	hold_begin(t);
	if (t->life.exit == EXIT_COULD_NOT)
		w->status = EXIT_COULD_NOT;
	return t;
}

/* Judges it and acts on the verdict; sets due if a runner is to start. */
static void
visit_run(struct sweep *w, struct visit *v)
{
	bool expired = !w->dry_run && visit_expired(w, v), ended, due;
	struct status *r;
	struct track *t;
	size_t i;

	if (v->life == PANE_SILENT) {
		visit_warn(w, &v->record.place, true);
		return;
	}
	t = visit_hold(w, v);
	r = &t->record;
	ended = r->ended;
	if (t->life.finished || (t->lock.fd == -1 && !w->dry_run)) {
		;
	} else if (expired) {
		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			unlinkat(t->dir->state_fd,
			    ISSUE_NAME(t->issue, kinds[i]), 0);
	} else {
		query_pass(t);
		turn_judge(t);
		if (t->life.finished || t->sources.signal_error != 0)
			w->status = EXIT_COULD_NOT;
		if (!ended && r->ended && t->evidence.pane == PANE_GONE)
			visit_warn(w, &r->place, false);
		due = handoff_open(&r->handoff) &&
		    runner_wanted(t->config, r) &&
		    handoff_wait(&r->handoff, clock_wall()) == 0;
		v->due = !w->dry_run && !t->unsaved.record &&
		    !t->unsaved.journal &&
		    (due || parked_wait(r, clock_wall()) == 0);
		if (w->dry_run && due && !w->watch.json)
			printf("%s would be handed off\n", r->issue);
		v->record = *r;
		status_init(r, t->issue);
	}
	track_free(t);
}

static void
job_end(void *context, msec now)
{
	struct track *t = context;
	struct context *c = &t->site->context;
	struct sweep *w = (struct sweep *)t->watch;
	const struct handoff *h = &t->record.handoff;
	unsigned before = h->attempts;
	int killed;

	(void)now;
	loop_drop(&t->handed);
	w->running--;
	/* The runner has followed a replaced directory. */
	context_renew(c, &t->site->warned_directory);
	killed = turn_handed(t);
	if (t->lock.fd == -1) {
		w->status = EXIT_COULD_NOT;
	} else if (t->runner.work == RUNNER_HANDOFF) {
		if (h->attempts == before && handoff_open(h)) {
			/* Nothing was run.  A runner warns itself, unless it
			 * was killed. */
			if (killed != 0)
				warnx("the hand-off of issue '%s' was not "
				    "begun%s: its runner was killed by signal "
				    "%d; the next sweep tries again", t->issue,
				    h->attempts > 0 ? " again" : "", killed);
			w->status = EXIT_COULD_NOT;
		} else {
			report_print(&t->record, NULL, true, w->watch.json);
			if (h->state != HANDOFF_DONE && h->last_exit !=
			    HANDOFF_LATER && w->status == EXIT_DONE)
				w->status = EXIT_NO;
		}
		if (notice_wait(&t->record, t->config, c->dir.state_fd,
		    clock_wall()) == 0 && notice_send(c, &t->record) == -1)
			warn("cannot run the command of notify for issue '%s'",
			    t->issue);
	}
	track_free(t);
}

/* Waits for all runners. */
static void
jobs_run(struct sweep *w)
{
	struct visit *v = w->visits;
	struct track *t;

	w->watch.handed = job_end;
	while (v < w->visits + w->n || w->running > 0) {
		for (; v < w->visits + w->n && w->running < w->jobs; v++) {
			if (!v->due)
				continue;
			t = visit_hold(w, v);
			if (t->lock.fd != -1)
				turn_start(t);
			if (t->shown.warned[WARNED_RUNNER])
				w->status = EXIT_COULD_NOT;
			if (t->runner.fd != -1)
				w->running++;
			else
				track_free(t);
		}
		if (w->running > 0 &&
		    loop_round(&w->watch.loop, CLOCK_NEVER) == -1)
			fatal("cannot wait");
	}
}

static void
sweep_round(struct sweep *w)
{
	const struct statusdir *dir = &w->site->context.dir;
	struct servers *servers = &w->watch.servers;
	char **name, issue[ISSUE_MAX + 1];
	struct server_pane p = { .server = NULL };
	const struct status *r;
	bool more = false;
	struct visit *v;
	size_t news = 0;

	for (name = sweep_names(w, dir->state_fd);
	    name != NULL && *name != NULL; name++)
		sweep_state_name(w, *name);
	for (name = sweep_names(w, dir->fd); name != NULL && *name != NULL;
	    name++)
		if (issue_in_name(*name, "signal-complete-", "", issue) ||
		    issue_in_name(*name, "signal-error-", "", issue))
			visit_of(w, issue)->signal = true;
	for (v = w->visits; v < w->visits + w->n; v++)
		if (v->record.place.socket != NULL)
			servers_add(servers, v->record.place.socket);
	servers_add_usual(servers, w->site->context.config.sockets);
	/* Mostly nothing is new, and the brief listing is enough. */
	servers_ask(servers, true);
	sweep_find_panes(w);
	/* A full listing is needed for a pane that may be an issue's, and for a
	 * run that has just ended. */
	while (!more && servers_next(servers, &p)) {
		r = record_of(w, p.pane);
		more = r == NULL ? paneowner_of(&w->site->rules, p.pane, true,
		    issue) != PANEOWNER_NONE : p.pane->dead && !status_over(r);
	}
	if (more) {
		servers_ask(servers, false);
		sweep_find_panes(w);
	}
	warn_silent(w);
	sweep_claims(w);
	if (w->n > 1)
		qsort(w->visits, w->n, sizeof(*w->visits), visit_order);
	for (v = w->visits; v < w->visits + w->n; v++)
		if (!visit_quiet(w, v))
			w->visits[news++] = *v;
	w->n = news;
	if (news == 0)
		return;
	if (!w->dry_run)
		context_make(&w->site->context);
	context_check(&w->site->context, !w->dry_run);
	for (v = w->visits; v < w->visits + w->n; v++)
		if (v->claim.pane != NULL &&
		    !run_stands(&v->record, &v->pane, &v->claim, true))
			servers_want(&v->claim);
		else if (visit_capture_due(w, v))
			servers_want(&v->pane);
	servers_capture(servers);
	warn_silent(w);
	for (v = w->visits; v < w->visits + w->n; v++)
		visit_run(w, v);
	jobs_run(w);
}

static int
sweep_run(const struct command *c, int argc, char **argv)
{
	struct sweep w = { .jobs = JOBS,
	    .watch.policy = &policies[POLICY_SWEEP], .watch.most = 1 };
	struct context *context;
	const struct statusdir *dir;
	struct buf wrong = BUF_INIT;
	char *other = NULL;
	struct stat st;
	int key, schedule = -1, fd;

	while ((key = command_option(c, argc, argv, &w)) != -1)
		schedule = key - OPTION_LONG;
	if (w.dry_run)
		w.watch.policy = &policies[POLICY_DRY];
	w.site = site_new(&w.watch, &w.watch.sites);
	context = &w.site->context;
	context_open(context, w.watch.status_dir, false);
	if (schedule != -1) {
		if (w.watch.status_dir != NULL)
			setenv("PANEWARD_STATUS_DIR", context->dir.path, 1);
		schedule_print((enum schedule_kind)schedule, &context->project);
		return EXIT_DONE;
	}
	if (site_prepare(w.site, &wrong) == -1)
		fatal_wrong("%s", buf_str(&wrong));
	w.watch.budget = UINT64_MAX;
	w.watch.now = clock_wall();
	sweep_round(&w);
	if (w.dry_run)
		return w.status;
	/* Removes old logs, leaves the time of this sweep for `doctor`, and
	 * starts queued issues, but not in another project's directory. */
	dir = &context->dir;
	if (dir->state_fd != -1 && statusdir_ours(dir, context->project.root,
	    false, &other) == 1) {
		keptlog_prune(dir->state_fd, context->config.keep_logs,
		    w.watch.now);
		fd = file_open_own(dir->state_fd, STATUSDIR_SWEPT,
		    O_WRONLY | O_CREAT, &st);
		futimens(fd, NULL);
		file_close(fd);
	}
	if (other == NULL)
		queued_go(dir);
	return w.status;
}

const struct command sweep_command = {
	.name = "sweep",
	.summary = "Check all issues once, and hand off what is done",
	.examples =
	"  paneward sweep --dry-run\n"
	"  paneward sweep --check-errors --json\n"
	"  (crontab -l; paneward sweep --print-cron) | crontab -\n",
	.options = options,
	.run = sweep_run,
};
