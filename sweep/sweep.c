/*
 * sweep.c - one pass over all issues, for what no watcher saw.
 *
 * A sweep first collects the records, the names in the status directory and
 * the panes of all servers; then gives a turn to each issue of which something
 * is new; then runs the hand-offs that are due.  It needs no watcher before it,
 * and may run beside one.
 */
#include "sweep/sweep.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/text.h"
#include "os/compat.h"
#include "os/file.h"
#include "paneward.h"
#include "project/schedule.h"
#include "run/keptlog.h"
#include "run/queued.h"
#include "run/restart.h"
#include "run/run.h"

enum {
	OPTION_CRON = OPTION_LONG, OPTION_SYSTEMD, OPTION_LAUNCHD,
	JOBS = 4,
	/* ms after which a file is removed: of a restart in a pane without an
	 * issue (a new one touches each that it needs), or unfinished */
	OLD_PANE = 86400000,
	STRAY = 3600000
};

static const struct command_option options[] = {
	{ 'n', "dry-run", NULL, "print what would be done; write nothing",
	    FLAG_AT(struct sweep, dry_run) },
	{ 'e', "check-errors", NULL, "detect errors too",
	    FLAG_AT(struct sweep, watch.check_errors) },
	{ 0, "jobs", "N", "hand-offs at a time (4)",
	    NUMBER_AT(struct sweep, jobs, 1, 1000) },
	{ 'j', "json", NULL, "one JSON object per line",
	    FLAG_AT(struct sweep, watch.json) },
	{ OPTION_CRON, "print-cron", NULL, "print a crontab line, and do "
	    "nothing else" },
	{ OPTION_SYSTEMD, "print-systemd", NULL, "the same for a systemd user "
	    "timer" },
	{ OPTION_LAUNCHD, "print-launchd", NULL, "the same for launchd" },
	CONTEXT_OPTION_AT(struct sweep, status_dir),
	{ 0 }
};

/* ---- the issues ---------------------------------------------------------- */

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
	msec kept;

	/* A record that cannot be read is reported by the visit. */
	if (status_named(dir, name, issue)) {
		status_read(&new_visit(w, issue)->record, dir, issue);
		return;
	}
	/* A process wrote it beside its place, and was killed. */
	if (dot != NULL && sscanf(dot, ".%ld.tmp%n", &pid, &used) == 1 &&
	    dot[used] == '\0' && pid > 0 && kill((pid_t)pid, 0) == -1)
		kept = STRAY;
	else if (strncmp(name, RELOAD_PANE, strlen(RELOAD_PANE)) == 0)
		kept = OLD_PANE;
	else
		return;
	if (!w->dry_run && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    file_mtime(&st) + kept < w->watch.now)
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

/* ---- the panes ----------------------------------------------------------- */

/* Finds the panes that the records name. */
static void
sweep_find_panes(struct sweep *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		w->visits[i].life = run_life(&w->watch.servers,
		    &w->visits[i].record, &w->visits[i].pane);
}

/* The record of the run in this pane; or NULL. */
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

/* Finds panes that may begin a new run of an issue.  Its turn decides among
 * several; an option is stronger than a name. */
static void
sweep_claims(struct sweep *w)
{
	char issue[ISSUE_MAX + 1];
	struct server_pane p;
	struct visit *v;
	size_t i;

	for (p.server = w->watch.servers.first; p.server != NULL;
	    p.server = p.server->next) {
		for (i = 0; i < p.server->listing.npanes; i++) {
			p.pane = &p.server->listing.panes[i];
			if (record_of(w, p.pane) != NULL || paneowner_of(
			    &w->site->rules, p.pane, false, issue) ==
			    PANEOWNER_NONE)
				continue;
			v = visit_of(w, issue);
			if (paneowner_past(p.pane, run_of_panes(&v->record)))
				v->past = true;
			else if (v->claim.pane == NULL ||
			    p.pane->issue[0] != '\0')
				v->claim = p;
		}
	}
}

/* Warns of servers that did not answer, once each. */
static void
warn_silent(struct sweep *w)
{
	struct tmux_server *s;

	for (s = w->watch.servers.first; s != NULL; s = s->next) {
		if (s->why.len == 0 || s->result == TMUX_NO_SERVER)
			continue;
		warnx("%s; what its panes do is unknown", buf_str(&s->why));
		buf_reset(&s->why);
		w->status = EXIT_COULD_NOT;
	}
}

/* Mostly nothing is new, and the brief listing is enough. */
static void
ask_servers(struct sweep *w)
{
	struct servers *s = &w->watch.servers;
	const struct tmux_listing *l;
	const struct tmux_server *at;
	const struct status *r;
	char issue[ISSUE_MAX + 1];
	bool more = false;
	size_t i;

	for (i = 0; i < w->n; i++)
		if (w->visits[i].record.place.socket != NULL)
			servers_add(s, w->visits[i].record.place.socket);
	servers_add_usual(s, w->site->context.config.sockets);
	servers_ask(s, true);
	sweep_find_panes(w);
	/* A full listing is needed for a pane that may be an issue's and is in
	 * no record, and of a run whose process has just ended. */
	for (at = s->first; at != NULL; at = at->next) {
		l = &at->listing;
		for (i = 0; i < l->npanes && !more; i++) {
			r = record_of(w, &l->panes[i]);
			more = r == NULL ? paneowner_of(&w->site->rules,
			    &l->panes[i], true, issue) != PANEOWNER_NONE :
			    l->panes[i].dead && !status_over(r);
		}
	}
	if (more) {
		servers_ask_again(s);
		sweep_find_panes(w);
	}
	warn_silent(w);
}

/* Numbers by value, so that 9 comes before 10. */
static int
visit_order(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	return text_order(x->record.issue, y->record.issue);
}

/* ---- the pass ------------------------------------------------------------ */

static void
sweep_round(struct sweep *w)
{
	const struct statusdir *dir = &w->site->context.dir;
	char **name, issue[ISSUE_MAX + 1];
	bool any = false;
	size_t i;

	for (name = sweep_names(w, dir->state_fd); name != NULL && *name != NULL;
	    name++)
		sweep_state_name(w, *name);
	for (name = sweep_names(w, dir->fd); name != NULL && *name != NULL;
	    name++)
		if (issue_in_name(*name, "signal-complete-", "", issue) ||
		    issue_in_name(*name, "signal-error-", "", issue))
			visit_of(w, issue)->signal = true;
	ask_servers(w);
	sweep_claims(w);
	if (w->n > 1)
		qsort(w->visits, w->n, sizeof(*w->visits), visit_order);
	for (i = 0; i < w->n; i++) {
		w->visits[i].quiet = visit_quiet(w, &w->visits[i]);
		any = any || !w->visits[i].quiet;
	}
	if (!any)
		return;
	if (!w->dry_run)
		context_make(&w->site->context);
	context_check(&w->site->context, !w->dry_run);
	for (i = 0; i < w->n; i++)
		if (!w->visits[i].quiet)
			visit_want(w, &w->visits[i]);
	servers_capture(&w->watch.servers);
	warn_silent(w);
	for (i = 0; i < w->n; i++)
		if (!w->visits[i].quiet)
			visit_run(w, &w->visits[i]);
	jobs_run(w);
}

/* ---- the command --------------------------------------------------------- */

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
	int key, schedule = -1, fd = -1;

	while ((key = command_option(c, argc, argv, &w)) != -1)
		schedule = key == OPTION_CRON ? SCHEDULE_CRON :
		    key == OPTION_SYSTEMD ? SCHEDULE_SYSTEMD :
		    SCHEDULE_LAUNCHD;
	if (w.dry_run)
		w.watch.policy = &policies[POLICY_DRY];
	if (optind < argc)
		command_usage(c, "takes no issue; see 'paneward watch --once'");
	w.site = site_new(&w.watch, &w.watch.sites);
	context = &w.site->context;
	context_open(context, w.status_dir, false);
	if (schedule != -1) {
		if (w.status_dir != NULL)
			setenv("PANEWARD_STATUS_DIR", context->dir.path, 1);
		schedule_print((enum schedule_kind)schedule,
		    &context->project);
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
	 * lets queued issues have their turn.  A directory that is missing, or
	 * another project's, is left alone. */
	dir = &context->dir;
	if (dir->state_fd != -1 && statusdir_ours(dir, context->project.root,
	    false, &other) == 1) {
		keptlog_prune(dir->state_fd, context->config.keep_logs,
		    w.watch.now);
		fd = file_open_own(dir->state_fd, STATUSDIR_SWEPT,
		    O_WRONLY | O_CREAT, &st);
	}
	if (fd != -1)
		futimens(fd, NULL);
	file_close(fd);
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
