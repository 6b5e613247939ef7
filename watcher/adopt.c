/*
 * adopt.c - which run does an issue have?
 *
 * The run is the record's as long as its pane lives or its end is not judged.
 * Otherwise a pane that belongs to the issue begins a new run, which began when
 * the process in front of the pane did; and without a pane, what an earlier run
 * left behind is judged as one.
 */
#include "watcher/track.h"

enum { ADOPT_PANES = 16 };

/* What the tmux servers have of an issue. */
struct adopt {
	const struct track *track;
	const char        *pane, *session;      /* the options, or NULL */
	bool               new, forced;         /* --new; any of the three */
	struct server_pane found[ADOPT_PANES];  /* panes of the issue */
	size_t             nfound;
	struct server_pane old;         /* the record's own pane */
	bool               trouble;     /* a server did not answer */
};

/* The options apply once: a track that lost its lock continues the run that it
 * began. */
static struct adopt
adopt_options(const struct track *t)
{
	const struct watch *w = t->watch;

	if (t->life.begun)
		return (struct adopt){ .track = t };
	return (struct adopt){ .track = t, .pane = w->pane, .session =
	    w->session, .new = w->new, .forced = w->pane != NULL ||
	    w->session != NULL || w->new };
}

/* Have all servers answered, or failed to, since the search began? */
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

/* Warns once of a server that should have answered and did not. */
static void
adopt_search(struct adopt *a)
{
	const struct track *t = a->track;
	const struct paneowner_rules *rules = &t->site->rules;
	const struct servers *all = &t->watch->servers;
	const char *run = run_of_panes(&t->record);
	struct tmux_server *at;
	struct server_pane p;
	size_t n;

	for (at = all->first; at != NULL; at = at->next) {
		if (at->result == TMUX_OK || at->result == TMUX_NO_SERVER)
			continue;
		a->trouble = true;
		if (at->why.len > 0)
			warnx("issue '%s': %s", t->issue, buf_str(&at->why));
		buf_reset(&at->why);
	}
	run_life(all, &t->record, &a->old);
	/* The panes that --pane or --session names. */
	for (p.server = a->pane != NULL || a->session != NULL ? all->first :
	    NULL; p.server != NULL; p.server = p.server->next)
		for (n = 0; n < p.server->listing.npanes; n++) {
			p.pane = &p.server->listing.panes[n];
			if (a->nfound < ADOPT_PANES && (a->pane != NULL ?
			    strcmp(p.pane->id, a->pane) :
			    strcmp(p.pane->session_name, a->session)) == 0)
				a->found[a->nfound++] = p;
		}
	if (a->pane != NULL || a->session != NULL)
		return;
	n = paneowner_find(all, rules, t->issue, run, a->found, ADOPT_PANES);
	/* --new accepts the pane of an earlier run if there is no other. */
	if (n == 0 && a->new && a->old.pane == NULL)
		n = paneowner_find(all, rules, t->issue, "", a->found,
		    ADOPT_PANES);
	a->nfound = n < ADOPT_PANES ? n : ADOPT_PANES;
	/* The dead pane of the run before does not compete with another. */
	for (n = 0; a->nfound > 1 && n < a->nfound; n++)
		if (a->found[n].pane == a->old.pane && a->old.pane->dead)
			a->found[n] = a->found[--a->nfound];
}

/* A new run, in a pane or (NULL) of what was left behind. */
static int
adopt_begin(struct track *t, const struct server_pane *where, bool fresh)
{
	struct buf why = BUF_INIT;

	if (handoff_open(&t->record.handoff)) {
		warnx("cannot watch another run of issue '%s': its run %.8s is "
		    "complete and not yet handed off; see 'paneward status "
		    "%s'", t->issue, t->record.run, t->issue);
		return EXIT_COULD_NOT;
	}
	if (t->watch->policy->saves)
		run_stop_writer(&t->record, t->dir, where);
	if (run_begin(&t->record, &(struct run_how){
	    .project = &t->site->context.project, .dir = t->dir,
	    .where = where, .marker = t->watch->marker, .fresh = fresh },
	    &why) == -1) {
		warnx("issue '%s': %s", t->issue, buf_str(&why));
		buf_release(&why);
		return EXIT_COULD_NOT;
	}
	if (where != NULL && !fresh && t->watch->policy->saves)
		panes_hand_over(&t->record, t->dir);
	t->unsaved.record = true;
	if (t->watch->policy->saves)
		track_journal(t, JOURNAL_RUN, "adopted");
	return 0;
}

static int
adopt_refuse(const struct adopt *a, bool forced)
{
	if (a->trouble)
		return EXIT_COULD_NOT;
	if (a->track->watch->policy->pass)
		return EXIT_USAGE;
	if (!forced)
		warnx("cannot watch issue '%s': nothing is known of it, no "
		    "record, signal, log or pane", a->track->issue);
	else
		warnx("cannot watch issue '%s': there is no %s%s",
		    a->track->issue,
		    a->pane ? "pane " : a->session ? "session " :
		    "pane of it", a->pane ? a->pane :
		    a->session ? a->session : "");
	return EXIT_COULD_NOT;
}

/* Does the pane's option name another issue, whose run in it is not over?  Then
 * it says so. */
static bool
adopt_taken(const struct adopt *a, const struct tmux_pane *p)
{
	const char *own = a->track->dir->path, *issue = a->track->issue;
	struct statusdir d = STATUSDIR_INIT;
	struct buf why = BUF_INIT;
	struct status r;
	bool taken;
	int got;

	if (!issue_valid(p->issue) || p->dead)
		return false;
	statusdir_open(&d, xstrdup(p->dir[0] != '\0' ? p->dir : own), false,
	    &why);
	buf_release(&why);
	got = status_read(&r, d.state_fd, p->issue);
	if (got == -1 && !file_refused(errno)) {
		warn("cannot watch issue '%s': cannot read the status record "
		    "of issue '%s', to which pane %s belongs", issue, p->issue,
		    p->id);
		statusdir_close(&d);
		return true;
	}
	taken = (strcmp(p->issue, issue) != 0 ||
	    (d.path != NULL && strcmp(d.path, own) != 0)) &&
	    r.place.pane_pid == p->pid && strcmp(r.place.pane, p->id) == 0 &&
	    !status_over(&r);
	if (taken)
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
	struct adopt a = adopt_options(t);
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
	t->life.search = 0;
	adopt_search(&a);
	if (a.nfound > 0)
		return 0;
	return adopt_refuse(&a, false);
}

int
adopt_run(struct track *t)
{
	struct adopt a = adopt_options(t);
	struct status *r = &t->record;
	const struct server_pane *where = NULL;
	struct buf panes = BUF_INIT;
	struct status none;
	enum run_answer answer;
	size_t i;

	/* A run without a verdict on its end needs no search: signals and log
	 * can be read before tmux has answered. */
	if (r->run[0] != '\0' && !status_over(r) &&
	    r->place.socket != NULL && !a.forced)
		return 0;
	/* The servers of a pass were asked before. */
	if (!t->sources.pass && !adopt_asked(t))
		return ADOPT_LATER;
	adopt_search(&a);
	t->life.search = 0;
	/* start was killed between opening the pane and recording it. */
	for (i = 0; i < a.nfound; i++)
		t->unsaved.record |= run_find_place(r, &a.found[i]);
	/* Which run do the options ask for, or, without any, the record and
	 * panes? */
	status_init(&none, t->issue);
	if (a.forced && a.nfound == 0)
		answer = a.new && a.old.pane != NULL ? RUN_NEW : RUN_NOTHING;
	else if (a.forced && !a.new && r->run[0] != '\0' && a.nfound == 1 &&
	    a.found[0].pane == a.old.pane)
		answer = RUN_STANDS;
	else
		answer = run_resolve(a.forced ? &none : r, t->dir, &a.old,
		    a.found, a.nfound, &panes);
	switch (answer) {
	case RUN_STANDS:
		return 0;
	case RUN_NEW:
		if ((a.pane != NULL || a.session != NULL) &&
		    adopt_taken(&a, a.found[0].pane))
			return EXIT_COULD_NOT;
		if (a.nfound > 0 || a.new)
			where = a.nfound > 0 ? &a.found[0] : &a.old;
		else if (a.trouble)
			return EXIT_COULD_NOT;
		return adopt_begin(t, where, a.new);
	case RUN_MANY:
		warnx("issue '%s' is left alone: %zu panes belong to it: %s; "
		    "choose one with 'paneward watch --pane'", t->issue,
		    a.nfound, buf_str(&panes));
		buf_release(&panes);
		return EXIT_USAGE;
	case RUN_NOTHING:
		break;
	}
	return adopt_refuse(&a, a.forced);
}
