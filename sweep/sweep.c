/*
 * sweep.c - one pass over all issues, for what no watcher saw.
 *
 * A sweep first collects the records, the names in the status directory and
 * the panes of all servers; then visits each issue; then runs the hand-offs
 * that are due.  It needs no watcher before it, and may run beside one.
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
#include "project/schedule.h"
#include "run/keptlog.h"
#include "run/queued.h"
#include "run/restart.h"
#include "run/run.h"
#include "sweep/commands.h"

enum {
	OPTION_DRY_RUN = 'n', OPTION_CHECK_ERRORS = 'e', OPTION_JSON = 'j',
	OPTION_JOBS = OPTION_LONG, OPTION_CRON, OPTION_SYSTEMD, OPTION_LAUNCHD,
	JOBS = 4,
	/* ms after which a file is removed: of a restart in a pane without an
	 * issue (a new one touches each that it needs), or unfinished */
	OLD_PANE = 86400000,
	STRAY = 3600000
};

static const struct command_option options[] = {
	{ OPTION_DRY_RUN, "dry-run", NULL, "print what would be done; write "
	    "nothing" },
	{ OPTION_CHECK_ERRORS, "check-errors", NULL, "detect errors too" },
	{ OPTION_JOBS, "jobs", "N", "hand-offs at a time (4)" },
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	{ OPTION_CRON, "print-cron", NULL, "print a crontab line, and do "
	    "nothing else" },
	{ OPTION_SYSTEMD, "print-systemd", NULL, "the same for a systemd user "
	    "timer" },
	{ OPTION_LAUNCHD, "print-launchd", NULL, "the same for launchd" },
	CONTEXT_OPTION,
	{ 0 }
};

/* ---- the issues ---------------------------------------------------------- */

static struct visit *
new_visit(struct sweep *w, const char *issue)
{
	struct visit *v;

	w->visits = xreallocarray(w->visits, w->n + 1, sizeof(*w->visits));
	v = &w->visits[w->n++];
	*v = (struct visit){ .life = PANE_NONE, .lock = LOCK_INIT,
	    .runner = RUNNER_INIT };
	snprintf(v->issue, sizeof(v->issue), "%s", issue);
	status_init(&v->record, v->issue);
	return v;
}

static struct visit *
visit_of(struct sweep *w, const char *issue)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (strcmp(w->visits[i].issue, issue) == 0)
			return &w->visits[i];
	return new_visit(w, issue);
}

static void
sweep_state_name(void *context, const char *name)
{
	struct sweep *w = context;
	int dir = w->context.dir.state_fd;
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
	    file_mtime(&st) + kept < w->wall)
		unlinkat(dir, name, 0);
}

static void
sweep_signal_name(void *context, const char *name)
{
	struct sweep *w = context;
	char issue[ISSUE_MAX + 1];

	if (issue_in_name(name, "signal-complete-", "", issue) ||
	    issue_in_name(name, "signal-error-", "", issue))
		visit_of(w, issue)->signal = true;
}

static void
read_names(struct sweep *w, int dir, void (*take)(void *, const char *))
{
	if (dir != -1 && statusdir_names(dir, take, w) == -1)
		fatal("cannot read the status directory '%s'",
		    w->context.dir.path);
}

/* ---- the panes ----------------------------------------------------------- */

/* Finds the panes that the records name. */
static void
sweep_find_panes(struct sweep *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		w->visits[i].life = run_life(&w->servers,
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

/*
 * Adds the pane to the issue that it belongs to by that kind.  A name counts
 * only where no pane has the option, so it is asked last.  The run's own pane
 * is no claim of a new run, but may have the option.
 */
static void
sweep_claim(struct sweep *w, const struct server_pane *p, enum paneowner kind)
{
	bool own = record_of(w, p->pane) != NULL;
	bool option = kind == PANEOWNER_OPTION;
	char issue[ISSUE_MAX + 1];
	struct visit *v;

	if ((option ? p->pane->issue[0] == '\0' : own) ||
	    paneowner_of(&w->rules, p->pane, issue) != kind)
		return;
	v = visit_of(w, issue);
	if (!own && paneowner_past(p->pane, run_of_panes(&v->record))) {
		v->past = true;
		return;
	}
	if (own || (v->marked && !option)) {
		v->marked = true;
		return;
	}
	v->marked = option;
	if (v->nclaims < VISIT_CLAIMS)
		v->claims[v->nclaims] = *p;
	v->nclaims++;
}

static void
sweep_claims(struct sweep *w, enum paneowner kind)
{
	struct tmux_server *s;
	size_t i;

	for (s = w->servers.first; s != NULL; s = s->next)
		for (i = 0; i < s->listing.npanes; i++)
			sweep_claim(w, &(struct server_pane){ s,
			    &s->listing.panes[i] }, kind);
}

/* Is a full listing needed: for a pane that may be an issue's and is in no
 * record, or that of a run whose process has just ended? */
static bool
need_listing(const struct sweep *w, const struct tmux_listing *l)
{
	const struct status *r;
	size_t i;

	for (i = 0; i < l->npanes; i++) {
		r = record_of(w, &l->panes[i]);
		if (r == NULL ? paneowner_possible(&w->rules, &l->panes[i]) :
		    l->panes[i].dead && !status_over(r))
			return true;
	}
	return false;
}

/* Warns of servers that did not answer, once each. */
static void
warn_silent(struct sweep *w)
{
	struct tmux_server *s;

	for (s = w->servers.first; s != NULL; s = s->next) {
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
	struct servers *s = &w->servers;
	const struct tmux_server *at;
	bool more = false;
	size_t i;

	for (i = 0; i < w->n; i++)
		if (w->visits[i].record.place.socket != NULL)
			servers_add(s, w->visits[i].record.place.socket);
	servers_add_usual(s, w->context.config.sockets);
	servers_ask(s, true);
	sweep_find_panes(w);
	for (at = s->first; at != NULL && !more; at = at->next)
		more = need_listing(w, &at->listing);
	if (more) {
		servers_ask_again(s);
		sweep_find_panes(w);
	}
	for (at = s->first; at != NULL; at = at->next)
		w->unreached |= at->result != TMUX_OK &&
		    at->result != TMUX_NO_SERVER;
	warn_silent(w);
}

/* Numbers by value, so that 9 comes before 10. */
static int
visit_order(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	return text_order(x->issue, y->issue);
}

/* ---- servers that ended, or cannot be reached ---------------------------- */

/* Warns of each server once, when the end of its panes is recorded. */
static void
warn_servers(struct sweep *w)
{
	const struct pane_ref *p, *q;
	const struct tmux_server *s;
	const struct visit *u;
	struct visit *v;

	for (v = w->visits; v < w->visits + w->n; v++) {
		p = &v->record.place;
		s = v->life == PANE_SILENT ? servers_at(&w->servers,
		    p->socket) : NULL;
		v->lost = s != NULL && (s->result == TMUX_OK ||
		    s->result == TMUX_NO_SERVER);
		if (v->lost)
			w->status = EXIT_COULD_NOT;
		else if (!v->orphaned)
			continue;
		for (u = w->visits; u < v; u++) {
			q = &u->record.place;
			if ((u->orphaned || u->lost) && p->server ==
			    q->server && strcmp(p->socket, q->socket) == 0)
				break;
		}
		if (u == v && v->orphaned)
			warnx("the tmux server at '%s' has ended, and all its "
			    "panes with it", p->socket);
		else if (u == v)
			warnx("no tmux server %ld at '%s', but its process "
			    "lives; what its panes do is unknown (kill -USR1 "
			    "%ld makes a lost socket again)", (long)p->server,
			    p->socket, (long)p->server);
	}
}

/* ---- the pass ------------------------------------------------------------ */

static void
sweep_round(struct sweep *w)
{
	const struct statusdir *dir = &w->context.dir;
	bool any = false;
	size_t i;

	read_names(w, dir->state_fd, sweep_state_name);
	read_names(w, dir->fd, sweep_signal_name);
	ask_servers(w);
	sweep_claims(w, PANEOWNER_OPTION);
	sweep_claims(w, PANEOWNER_NAME);
	if (w->n > 1)
		qsort(w->visits, w->n, sizeof(*w->visits), visit_order);
	for (i = 0; i < w->n; i++) {
		w->visits[i].quiet = visit_quiet(w, &w->visits[i]);
		any = any || !w->visits[i].quiet;
	}
	if (!any)
		return;
	if (!w->dry_run)
		context_make(&w->context);
	context_check(&w->context, !w->dry_run);
	for (i = 0; i < w->n; i++)
		if (!w->visits[i].quiet)
			visit_want(w, &w->visits[i]);
	servers_capture(&w->servers);
	warn_silent(w);
	for (i = 0; i < w->n; i++)
		if (!w->visits[i].quiet)
			visit_run(w, &w->visits[i]);
	warn_servers(w);
	jobs_run(w);
}

/* Removes old logs, leaves the time of this sweep for `doctor`, and lets queued
 * issues have their turn.  A directory that is missing, or another project's, is
 * left alone. */
static void
end_sweep(const struct sweep *w)
{
	const struct statusdir *dir = &w->context.dir;
	char *other = NULL;
	struct stat st;
	int fd = -1;

	if (dir->state_fd != -1 && statusdir_ours(dir, w->context.project.root,
	    false, &other)) {
		keptlog_prune(dir->state_fd, w->context.config.keep_logs,
		    w->wall);
		fd = file_open_own(dir->state_fd, STATUSDIR_SWEPT,
		    O_WRONLY | O_CREAT, &st);
	}
	if (fd != -1) {
		futimens(fd, NULL);
		close(fd);
	}
	if (other == NULL)
		queued_go(dir);
	free(other);
}

/* ---- the command --------------------------------------------------------- */

static int
sweep_run(const struct command *c, int argc, char **argv)
{
	struct sweep w = { .jobs = JOBS };
	const char *status_dir = NULL;
	struct buf wrong = BUF_INIT;
	int key, schedule = -1;

	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_DRY_RUN: w.dry_run = true; break;
		case OPTION_CHECK_ERRORS: w.check_errors = true; break;
		case OPTION_JSON: w.json = true; break;
		case OPTION_JOBS:
			w.jobs = command_number(c, "--jobs", optarg, 1, 1000);
			break;
		case OPTION_CRON: schedule = SCHEDULE_CRON; break;
		case OPTION_SYSTEMD: schedule = SCHEDULE_SYSTEMD; break;
		case OPTION_LAUNCHD: schedule = SCHEDULE_LAUNCHD; break;
		case CONTEXT_KEY: status_dir = optarg; break;
		}
	}
	if (optind < argc)
		command_usage(c, "takes no issue; see 'paneward watch --once'");
	context_open(&w.context, status_dir, false);
	if (schedule != -1) {
		if (status_dir != NULL)
			setenv("PANEWARD_STATUS_DIR", w.context.dir.path, 1);
		schedule_print((enum schedule_kind)schedule,
		    &w.context.project);
		return EXIT_DONE;
	}
	if (runner_choose(&w.context.config, NULL, false, &wrong) == -1 ||
	    backends_get(&w.backends, w.context.config.backend, &wrong) ==
	    NULL)
		fatal_wrong("%s", buf_str(&wrong));
	w.rules = paneowner_open(&w.context);
	w.wall = clock_wall();
	sweep_round(&w);
	if (!w.dry_run)
		end_sweep(&w);
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
