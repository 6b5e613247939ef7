/*
 * adopt.c - which run does an issue have (SPEC 1, 3 and 5, watch)?
 *
 * The run is the record's as long as its pane lives or its end is not yet
 * judged.  Otherwise a pane that belongs to the issue begins a new one, which
 * began when the process in front of it did; and where there is no pane but
 * something was left behind, that is judged.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "run/run.h"
#include "watcher/watch.h"

enum { CANDIDATES = 16 };

/* What there is of an issue on the servers that matter to it. */
struct search {
	struct watch      *w;
	const char        *issue;
	const char        *pane, *session;      /* the one that is named, or */
	bool               new;                 /* NULL; another run is wanted */
	struct server_pane found[CANDIDATES];
	size_t             nfound;
	struct server_pane old;         /* the record's own pane */
	enum pane_life     life;        /* and what became of it */
	bool               trouble;     /* a server did not answer */
};

/* What the words of the call ask for is done when the issue is taken; who loses
 * its lock and takes it again goes on with the run that has begun. */
static struct search
search_for(const struct track *t)
{
	struct search s = { .w = t->watch, .issue = t->issue };

	if (!t->life.begun) {
		s.pane = t->watch->pane;
		s.session = t->watch->session;
		s.new = t->watch->new;
	}
	return s;
}

static bool
by_hand(const struct search *s)
{
	return s->pane != NULL || s->session != NULL;
}

static bool
named(const struct search *s, const struct tmux_pane *p)
{
	return s->pane != NULL ? strcmp(p->id, s->pane) == 0 :
	    strcmp(p->session_name, s->session) == 0;
}

/* The panes that --pane or --session names. */
static void
find_named(struct search *s)
{
	const struct servers *snapshot = &s->w->snapshot;
	size_t i, k;

	for (i = 0; i < snapshot->n; i++) {
		const struct tmux_server *at = &snapshot->server[i];

		for (k = 0; k < at->listing.npanes; k++)
			if (named(s, &at->listing.panes[k]) &&
			    s->nfound < CANDIDATES)
				s->found[s->nfound++] = (struct server_pane){
				    at, &at->listing.panes[k] };
	}
}

/* Those that belong to the issue.  Whoever wants another run may have it in the
 * pane of an earlier one, where there is nothing else. */
static void
find_claimed(struct search *s, const struct status *r)
{
	const struct servers *snapshot = &s->w->snapshot;
	const struct claim_rules *rules = &s->w->rules;
	size_t n = claim_find(snapshot, rules, s->issue, run_of_panes(r),
	    s->found, CANDIDATES);

	if (n == 0 && s->new && s->old.pane == NULL)
		n = claim_find(snapshot, rules, s->issue, "", s->found,
		    CANDIDATES);
	s->nfound = n < CANDIDATES ? n : CANDIDATES;
}

/* A server that should have answered and did not is told of once. */
static void
find_trouble(struct search *s)
{
	const struct servers *snapshot = &s->w->snapshot;
	size_t i;

	for (i = 0; i < snapshot->n; i++) {
		struct tmux_server *at = &snapshot->server[i];

		if (at->result == TMUX_OK || at->result == TMUX_NO_SERVER)
			continue;
		s->trouble = true;
		if (at->why.len > 0)
			warnx("issue '%s': %s", s->issue, buf_str(&at->why));
		buf_reset(&at->why);
	}
}

/* Asks the servers, unless they were asked in this turn already. */
static void
search(struct search *s, const struct status *r)
{
	struct servers *snapshot = &s->w->snapshot;

	if (r->place.socket != NULL)
		servers_add(snapshot, r->place.socket);
	servers_add_usual(snapshot, s->w->context.config.sockets);
	servers_ask(snapshot);
	find_trouble(s);
	s->life = run_life(snapshot, r, &s->old);
	if (by_hand(s))
		find_named(s);
	else
		find_claimed(s, r);
}

static int
refuse_many(const struct search *s)
{
	struct buf names = BUF_INIT;
	size_t i;

	for (i = 0; i < s->nfound; i++)
		buf_printf(&names, "%s%s (session %s)", i ? ", " : "",
		    s->found[i].pane->id, s->found[i].pane->session_name);
	warnx("cannot watch issue '%s': %zu panes belong to it: %s; choose "
	    "one with --pane", s->issue, s->nfound, buf_str(&names));
	buf_release(&names);
	return EXIT_USAGE;
}

/* A new run, in a pane or (NULL) of what was left behind. */
static int
begin_run(struct track *t, const struct server_pane *where, bool fresh)
{
	struct watch *w = t->watch;

	if (handoff_open(&t->record.handoff)) {
		warnx("cannot watch another run of issue '%s': its run %.8s is "
		    "complete and not yet handed off; see 'paneward status "
		    "%s'", t->issue, t->record.run, t->issue);
		return EXIT_COULD_NOT;
	}
	run_stop_writer(&t->record, &w->context.dir, where);
	if (run_begin(&t->record, &(struct run_how){
	    .project = &w->context.project, .dir = &w->context.dir,
	    .where = where, .marker = w->marker, .fresh = fresh }) == -1) {
		warn("cannot make a run id");
		return EXIT_COULD_NOT;
	}
	t->unsaved.record = true;
	track_journal(t, JOURNAL_RUN, "adopted");
	return 0;
}

/* Does the record's run go on to be the issue's? */
static bool
record_stands(const struct track *t, const struct search *s)
{
	if (by_hand(s))
		return t->record.run[0] != '\0' && s->nfound == 1 &&
		    servers_same(&s->found[0], &s->old);
	return run_stands(&t->record, &s->old, s->found, s->nfound);
}

static int
refuse_unknown(const struct track *t)
{
	warnx("cannot watch issue '%s': nothing is known of it, no record, "
	    "signal, log or pane", t->issue);
	return EXIT_COULD_NOT;
}

/* start was killed between opening the pane and writing down which it is. */
static void
find_lost_place(struct track *t, const struct search *s)
{
	size_t i;

	for (i = 0; i < s->nfound; i++)
		if (run_find_place(&t->record, &s->found[i]))
			t->unsaved.record = true;
}

static int
adopt_found(struct track *t, struct search *s)
{
	const struct watch *w = t->watch;
	msec oldest;

	if (s->new && s->nfound == 0 && s->old.pane != NULL)
		return begin_run(t, &s->old, true);
	find_lost_place(t, s);
	if (!s->new && record_stands(t, s))
		return 0;
	if (s->nfound > 1)
		return refuse_many(s);
	if (s->nfound == 1)
		return begin_run(t, &s->found[0], s->new);
	if (s->trouble)
		return EXIT_COULD_NOT;
	if (by_hand(s) || s->new) {
		warnx("cannot watch issue '%s': there is no %s%s", t->issue,
		    s->pane ? "pane " : s->session ? "session " : "pane of it",
		    s->pane ? s->pane : s->session ? s->session : "");
		return EXIT_COULD_NOT;
	}
	if (run_oldest(&w->context.dir, t->issue, &oldest))
		return begin_run(t, NULL, false);
	return refuse_unknown(t);
}

int
track_nothing(struct track *t)
{
	struct search s = search_for(t);
	struct status r;
	msec oldest;
	bool known;

	known = status_read(&r, t->watch->context.dir.state_fd, t->issue) != 0;
	status_release(&r);
	if (known || run_oldest(&t->watch->context.dir, t->issue, &oldest))
		return 0;
	search(&s, &t->record);
	if (s.nfound > 0)
		return 0;
	return s.trouble ? EXIT_COULD_NOT : refuse_unknown(t);
}

int
track_adopt(struct track *t)
{
	struct search s = search_for(t);
	const struct status *r = &t->record;

	/* A run that nobody has judged needs no search: its signals and its
	 * log can be looked at before tmux has answered. */
	if (r->run[0] != '\0' && !state_ended(r->verdict.state) && !r->ended &&
	    r->place.socket != NULL && !s.new && !by_hand(&s))
		return 0;
	search(&s, r);
	return adopt_found(t, &s);
}
