#include "watcher/all.h"

#include <string.h>

#include "base/argv.h"
#include "base/msg.h"
#include "run/run.h"
#include "watcher/feed.h"
#include "watcher/hold.h"
#include "watcher/panes.h"
#include "watcher/settle.h"

/* Is there a signal that would change what is recorded of a run? */
static bool
all_reported(const struct site *s, const struct status *r,
    enum sigfile_kind kind)
{
	struct sigfile f;

	return sigfile_read_run(&f, &s->context.dir, kind, r, NULL) == 0 &&
	    f.found == SIGFILE_SIGNAL;
}

/* Is there anything left to wait for, by the record and the signals? */
static bool
all_open(struct site *s, const char *issue)
{
	struct status r;
	bool open;

	if (status_read(&r, s->context.dir.state_fd, issue) == -1 &&
	    !argv_has(s->unread, issue)) {
		warn("cannot read the status record of issue '%s'", issue);
		s->unread = argv_add(s->unread, issue);
	}
	open = (r.run[0] != '\0' && !settle_over(&r)) ||
	    (r.name != NULL && r.notice != NOTICE_NONE) ||
	    (r.verdict.state != STATE_COMPLETE &&
	    all_reported(s, &r, SIGFILE_COMPLETE)) ||
	    (!state_reported(r.verdict.state) &&
	    all_reported(s, &r, SIGFILE_ERROR));
	status_release(&r);
	return open;
}

static void
all_follow(struct site *s, const char *issue)
{
	struct track *t = track_new(s, issue);

	t->next = s->watch->tracks;
	s->watch->tracks = t;
	hold_begin(t);
}

void
all_name(struct site *s, const char *name)
{
	char issue[ISSUE_MAX + 1];

	if ((status_named(s->context.dir.state_fd, name, issue) ||
	    issue_in_name(name, "signal-complete-", "", issue) ||
	    issue_in_name(name, "signal-error-", "", issue)) &&
	    track_find(s, issue) == NULL && all_open(s, issue))
		all_follow(s, issue);
}

void
all_names(struct site *s)
{
	const struct statusdir *dir = &s->context.dir;
	int fds[] = { dir->state_fd, dir->fd }, i;
	char **names = NULL, **p;

	for (i = 0; i < (s != s->watch->panes ? 2 : 1); i++) {
		names = statusdir_names(fds[i]);
		for (p = names; p != NULL && *p != NULL; p++)
			all_name(s, *p);
		argv_free(names);
		if (names == NULL)
			break;
	}
	if (names == NULL)
		warn("cannot read the status directory '%s'", dir->path);
}

/* Does the recorded run go on to be the issue's, by this listing? */
static bool
all_stands(const struct site *s, const struct status *r,
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
	n = paneowner_panes(&s->rules, l, r->issue, run_of_panes(r),
	    &found.pane, 1);
	return run_stands(r, &old, &found, n);
}

/* The panes of one project. */
static void
all_panes(struct site *s, const struct tmux_listing *l)
{
	char issue[ISSUE_MAX + 1];
	struct status r;
	bool settled;
	size_t i;

	for (i = 0; i < l->npanes; i++) {
		if (l->panes[i].dead || paneowner_of(&s->rules, &l->panes[i],
		    issue) == PANEOWNER_NONE || track_find(s, issue) != NULL)
			continue;
		/* Its run was judged, and the panes begin no new one. */
		settled = status_read(&r, s->context.dir.state_fd, issue) == 1
		    && settle_over(&r) && all_stands(s, &r, l);
		status_release(&r);
		if (!settled)
			all_follow(s, issue);
	}
}

bool
all_listing(struct watch *w, struct tmux_server *at)
{
	struct site *s;

	for (s = w->sites; s != NULL; s = s->next)
		all_panes(s, &at->listing);
	return panes_listing(w, at);
}

/* What could not be followed stays, so that it is not tried again at once. */
static void
all_forget_tracks(struct watch *w, bool refused)
{
	struct track **link = &w->tracks, *t;

	while ((t = *link) != NULL) {
		if (!t->life.finished || (!refused &&
		    (t->life.exit == EXIT_USAGE ||
		    t->life.exit == EXIT_COULD_NOT))) {
			link = &t->next;
			continue;
		}
		*link = t->next;
		track_free(t);
	}
}

void
all_turn(struct watch *w)
{
	bool due = w->now >= w->around_at;
	struct tmux_server *at;
	const struct site *s;

	if (!w->policy->once)           /* the exit status needs all tracks */
		all_forget_tracks(w, due);
	if (due) {
		if (w->everywhere)
			servers_add_all(&w->servers, NULL);
		for (s = w->sites; s != NULL; s = s->next)
			servers_add_usual(&w->servers,
			    s->context.config.sockets);
		for (at = w->servers.first; at != NULL; at = at->next)
			server_at(at, 0);
		w->around = true;
		w->around_at = w->now + SERVER_LISTING;
	} else if (w->around && !servers_busy(&w->servers, w->now)) {
		w->around = false;
		if (w->everywhere && !w->policy->once)
			feed_look(w);
	}
	panes_turn(w);
}
