/*
 * adopt.c - which run does an issue have?
 *
 * The record's, while its pane lives or its end is not judged.  Otherwise a
 * pane of the issue begins a new run.  Without a pane, the files of an earlier
 * run are judged as one.
 */
#include "watcher/track.h"

enum { ADOPT_PANES = 16 };

struct adopt {
	const struct track *track;
	const char *name;               /* by --pane or --session, or NULL */
	bool session, new, trouble;     /* trouble: a server is silent */
	struct server_pane found[ADOPT_PANES], old;     /* old: the record's */
	size_t nfound;
};

/* Has each server answered or failed since the search began? */
static bool
adopt_asked(struct track *t)
{
	struct servers *all = &t->watch->servers;
	struct tmux_server *at;
	bool asked = true;

	if (t->life.search == 0)
		t->life.search = t->watch->asked != 0 ? t->watch->asked :
		    clock_now();
	if (t->record.place.socket != NULL)
		servers_add(all, t->record.place.socket);
	servers_add_usual(all, t->config->sockets);
	for (at = all->first; at != NULL; at = at->next) {
		if (at->heard >= t->life.search || at->misses > 0)
			continue;
		asked = false;
		if (!at->running || at->began < t->life.search)
			server_at(at, 0);
	}
	return asked;
}

/* The options apply once: a track that lost its lock continues its run. */
static void
adopt_search(struct adopt *a, struct track *t)
{
	const struct watch *w = t->watch;
	const struct paneowner_rules *rules = &t->site->rules;
	const struct servers *all = &w->servers;
	const char *run = run_of_panes(&t->record);
	struct tmux_server *at;
	struct server_pane p = { .server = NULL };
	size_t n;

	*a = (struct adopt){ .track = t };
	if (!t->life.begun) {
		a->session = w->session != NULL;
		a->name = a->session ? w->session : w->pane;
		a->new = w->new;
	}
	t->life.search = 0;
	for (at = all->first; at != NULL; at = at->next) {
		if (at->result == TMUX_OK || at->result == TMUX_NO_SERVER)
			continue;
		a->trouble = true;
		if (at->why.len > 0)
			warnx("issue '%s': %s", t->issue, buf_str(&at->why));
		buf_reset(&at->why);
	}
	run_life(all, &t->record, &a->old);
	while (a->name != NULL && servers_next(all, &p))
		if (strcmp(a->name, a->session ? p.pane->session_name :
		    p.pane->id) == 0 && a->nfound < ADOPT_PANES)
			a->found[a->nfound++] = p;
	if (a->name != NULL)
		return;
	n = paneowner_find(all, rules, t->issue, run, a->found, ADOPT_PANES);
	/* --new accepts the pane of an earlier run if there is no other. */
	if (n == 0 && a->new && a->old.pane == NULL)
		n = paneowner_find(all, rules, t->issue, "", a->found,
		    ADOPT_PANES);
	a->nfound = n < ADOPT_PANES ? n : ADOPT_PANES;
	/* The dead pane of the old run does not compete with another. */
	for (n = 0; a->nfound > 1 && n < a->nfound; n++)
		if (a->found[n].pane == a->old.pane && a->old.pane->dead)
			a->found[n] = a->found[--a->nfound];
}

static int
adopt_refuse(const struct adopt *a, bool forced)
{
	if (a->trouble)
		return EXIT_COULD_NOT;
	if (a->track->watch->policy->pass)
		return EXIT_USAGE;
	if (!forced)
		warnx("cannot watch issue '%s': it has no record, signal, log "
		    "or pane", a->track->issue);
	else
		warnx("cannot watch issue '%s': there is no %s%s",
		    a->track->issue, a->name == NULL ? "pane of it" :
		    a->session ? "session " : "pane ", a->name ? a->name : "");
	return EXIT_COULD_NOT;
}

static bool
adopt_taken(const struct adopt *a, const struct tmux_pane *p)
{
	const char *own = a->track->dir->path, *issue = a->track->issue;
	struct statusdir d = STATUSDIR_INIT;
	struct buf why = BUF_INIT;
	struct status r;
	bool failed, taken;

	if (!issue_valid(p->issue) || p->dead)
		return false;
	statusdir_open(&d, xstrdup(p->dir[0] != '\0' ? p->dir : own), false,
	    &why);
	buf_release(&why);
	failed = status_read(&r, d.state_fd, p->issue) == -1 &&
	    !file_refused(errno);
	taken = failed || ((strcmp(p->issue, issue) != 0 ||
	    (d.path != NULL && strcmp(d.path, own) != 0)) &&
	    r.place.pane_pid == p->pid && strcmp(r.place.pane, p->id) == 0 &&
	    !status_over(&r));
	if (failed)
		warn("cannot watch issue '%s': cannot read the status record "
		    "of issue '%s', to which pane %s belongs", issue, p->issue,
		    p->id);
	else if (taken)
		warnx("cannot watch issue '%s': pane %s is that of issue '%s' "
		    "in '%s', whose run %.8s is not over; watch that issue, or "
		    "take the pane from it: tmux set-option -pu -t %s "
		    "@paneward_issue", issue, p->id, p->issue, d.path,
		    r.run, p->id);
	status_release(&r);
	statusdir_close(&d);
	return taken;
}

int
adopt_nothing(struct track *t)
{
	struct adopt a;
	struct status r;
	msec oldest;
	bool known;

	known = status_read(&r, t->dir->state_fd, t->issue) != 0;
	status_release(&r);
	if (known || run_oldest(t->dir, t->issue, &oldest))
		return 0;
	while (!adopt_asked(t)) {
		servers_due(&t->watch->servers, clock_now());
		servers_wait(&t->watch->servers, CLOCK_NEVER);
	}
	t->watch->asked = t->life.search;
	adopt_search(&a, t);
	return a.nfound > 0 ? 0 : adopt_refuse(&a, false);
}

int
adopt_run(struct track *t)
{
	const struct watch *w = t->watch;
	bool forced = !t->life.begun && (w->new || w->pane != NULL ||
	    w->session != NULL);
	struct status *r = &t->record, none;
	const struct server_pane *where = NULL;
	struct adopt a;
	struct buf panes = BUF_INIT, why = BUF_INIT;
	enum run_answer answer;
	size_t i;

	/* Before its end is judged, a run needs no search: signals and log can
	 * be read before tmux answers. */
	if (r->run[0] != '\0' && !status_over(r) && r->place.socket != NULL &&
	    !forced)
		return 0;
	if (!t->sources.pass && !adopt_asked(t))
		return ADOPT_LATER;
	adopt_search(&a, t);
	/* start may have been killed before it recorded the pane. */
	for (i = 0; i < a.nfound; i++)
		t->unsaved.record |= run_find_place(r, &a.found[i]);
	status_init(&none, t->issue);
	if (forced && a.nfound == 0)
		answer = a.new && a.old.pane != NULL ? RUN_NEW : RUN_NOTHING;
	else if (forced && !a.new && r->run[0] != '\0' && a.nfound == 1 &&
	    a.found[0].pane == a.old.pane)
		answer = RUN_STANDS;
	else
		answer = run_resolve(forced ? &none : r, t->dir, &a.old,
		    a.found, a.nfound, &panes);
	if (answer == RUN_STANDS)
		return 0;
	if (answer == RUN_MANY) {
		warnx("issue '%s' is left alone: %zu panes belong to it: %s; "
		    "choose one with 'paneward watch --pane'", t->issue,
		    a.nfound, buf_str(&panes));
		buf_release(&panes);
		return EXIT_USAGE;
	}
	if (answer == RUN_NOTHING)
		return adopt_refuse(&a, forced);
	if (a.name != NULL && adopt_taken(&a, a.found[0].pane))
		return EXIT_COULD_NOT;
	if (a.nfound > 0 || a.new)
		where = a.nfound > 0 ? &a.found[0] : &a.old;
	else if (a.trouble)
		return EXIT_COULD_NOT;
	/* A new run, in a pane or (NULL) of files. */
	if (handoff_open(&r->handoff)) {
		warnx("cannot watch another run of issue '%s': its run %.8s is "
		    "complete and not yet handed off; see 'paneward status "
		    "%s'", t->issue, r->run, t->issue);
		return EXIT_COULD_NOT;
	}
	if (w->policy->saves)
		run_stop_writer(r, t->dir, where);
	if (run_begin(r, &(struct run_how){ .dir = t->dir, .where = where,
	    .project = &t->site->context.project, .marker = w->marker,
	    .fresh = a.new }, &why) == -1) {
		warnx("issue '%s': %s", t->issue, buf_str(&why));
		buf_release(&why);
		return EXIT_COULD_NOT;
	}
	if (where != NULL && !a.new && w->policy->saves)
		panes_hand_over(r, t->dir);
	t->unsaved.record = true;
	if (w->policy->saves)
		track_journal(t, JOURNAL_RUN, "adopted");
	return 0;
}
