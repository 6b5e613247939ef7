/*
 * all.c - every issue of the project in one watch, later ones too.
 *
 * An issue is followed from the moment that anything is known of it: a record,
 * a signal, a pane.  When it has ended it is forgotten, and followed again when
 * its record says that another run has begun, or a report comes late.  What
 * decides that is on the disk; nothing is remembered here.
 */
#include <string.h>

#include "base/argv.h"
#include "base/msg.h"
#include "os/proc.h"
#include "run/run.h"
#include "run/sigfile.h"
#include "watcher/watch.h"

static struct track *
find(const struct watch *w, const char *issue)
{
	struct track *t;

	for (t = w->tracks; t != NULL && strcmp(t->issue, issue) != 0;
	    t = t->next)
		continue;
	return t;
}

static bool
listed_in(char *const *issues, const char *issue)
{
	for (; issues != NULL && *issues != NULL; issues++)
		if (strcmp(*issues, issue) == 0)
			return true;
	return false;
}

/* Is there a signal that would change what is recorded of a run? */
static bool
reported(const struct watch *w, const struct status *r, enum sigfile_kind kind)
{
	const struct statusdir *dir = &w->context.dir;
	msec from = r->started - (r->fresh ? 0 : SIGFILE_SLACK);
	const char *run = r->run[0] != '\0' ? r->run : NULL;
	struct sigfile s;

	return sigfile_read(&s, dir->fd, dir->owner, kind, r->issue, run, from,
	    NULL) == 0 && s.found == SIGFILE_SIGNAL;
}

/* Is there anything left to wait for, by what is written down? */
static bool
open_on_disk(struct watch *w, const char *issue)
{
	enum state state;
	struct status r;
	bool over, complete, error;

	if (status_read(&r, w->context.dir.state_fd, issue) == -1 &&
	    !listed_in(w->unread, issue)) {
		warn("cannot read the status record of issue '%s'", issue);
		w->unread = argv_add(w->unread, issue);
	}
	state = r.verdict.state;
	over = state_ended(state) || r.ended;
	complete = state != STATE_COMPLETE &&
	    reported(w, &r, SIGFILE_COMPLETE);
	error = !state_reported(state) && reported(w, &r, SIGFILE_ERROR);
	over = over && !handoff_open(&r.handoff);
	over = over || r.run[0] == '\0';
	status_release(&r);
	return !over || complete || error;
}

static void
follow(struct watch *w, const char *issue)
{
	struct track *t = track_new(w, issue);

	t->next = w->tracks;
	w->tracks = t;
	track_begin(t);
}

/* One that could not be followed is not tried again at once. */
static bool
refused(const struct watch *w, const char *issue)
{
	return listed_in(w->refused, issue);
}

static void
consider(struct watch *w, const char *issue)
{
	if (find(w, issue) == NULL && !refused(w, issue) &&
	    open_on_disk(w, issue))
		follow(w, issue);
}

void
all_name(void *context, const char *name)
{
	char issue[ISSUE_MAX + 1];

	if (status_named(((struct watch *)context)->context.dir.state_fd, name,
	    issue) ||
	    issue_in_name(name, "signal-complete-", "", issue) ||
	    issue_in_name(name, "signal-error-", "", issue))
		consider(context, issue);
}

void
all_names(struct watch *w)
{
	const struct statusdir *dir = &w->context.dir;

	if (statusdir_names(dir->state_fd, all_name, w) == -1 ||
	    statusdir_names(dir->fd, all_name, w) == -1)
		warn("cannot read the status directory '%s'", dir->path);
}

/* Does the run that is recorded go on to be the issue's, by this listing? */
static bool
stands(const struct watch *w, const struct status *r,
    const struct tmux_listing *l)
{
	const struct pane_ref *p = &r->place;
	bool here = p->server == l->server && p->server_start ==
	    l->server_start;
	struct server_pane old = { .pane = here ?
	    listing_pane(l, p->pane) : NULL }, found = { .pane = NULL };
	size_t n;

	/* Its pane lives, here or on another server. */
	if (here ? old.pane != NULL && !old.pane->dead : p->socket != NULL &&
	    proc_alive(p->pane_pid, p->pane_start))
		return true;
	n = claim_panes_now(&w->rules, l, r->issue, run_of_panes(r),
	    &found.pane, 1);
	return run_stands(r, &old, &found, n);
}

/* Has somebody judged it to be over, and do its panes begin nothing new? */
static bool
settled(const struct watch *w, const char *issue, const struct tmux_listing *l)
{
	struct status r;
	bool is;

	is = status_read(&r, w->context.dir.state_fd, issue) == 1 &&
	    !handoff_open(&r.handoff) &&
	    (state_ended(r.verdict.state) || r.ended) && stands(w, &r, l);
	status_release(&r);
	return is;
}

void
all_listing(struct watch *w, const struct tmux_listing *l)
{
	char issue[ISSUE_MAX + 1];
	size_t i;

	for (i = 0; i < l->npanes; i++)
		if (!l->panes[i].dead && claim_of(&w->rules, &l->panes[i],
		    issue) != CLAIM_NONE && find(w, issue) == NULL &&
		    !refused(w, issue) && !settled(w, issue, l))
			follow(w, issue);
}

/* The servers that no track asks. */
static void
look_around(struct watch *w)
{
	size_t i;

	argv_free(w->refused);
	w->refused = NULL;
	servers_add_usual(&w->snapshot, w->context.config.sockets);
	servers_ask(&w->snapshot);
	for (i = 0; i < w->snapshot.n; i++)
		all_listing(w, &w->snapshot.server[i].listing);
	w->around_at = w->now + SERVER_LISTING;
}

static void
forget_ended(struct watch *w)
{
	struct track **place = &w->tracks, *t;

	while ((t = *place) != NULL) {
		if (t->life.finished) {
			if (t->life.exit == EXIT_USAGE ||
			    t->life.exit == EXIT_COULD_NOT)
				w->refused = argv_add(w->refused, t->issue);
			*place = t->next;
			track_free(t);
		} else {
			place = &t->next;
		}
	}
}

static bool
used(const struct watch *w, const struct server *s)
{
	const struct track *t;

	for (t = w->tracks; t != NULL; t = t->next)
		if (t->pane.server == s)
			return true;
	return s->running;
}

static void
forget_servers(struct watch *w)
{
	struct server **place = &w->servers, *s;

	while ((s = *place) != NULL) {
		if (!used(w, s)) {
			*place = s->next;
			server_free(s);
		} else {
			place = &s->next;
		}
	}
}

void
all_turn(struct watch *w)
{
	if (w->now >= w->around_at)
		look_around(w);
	if (w->once)
		return;                 /* their exits are still asked for */
	forget_ended(w);
	forget_servers(w);
}
