#include "watcher/track.h"

#include "tmux/sockets.h"

enum { PANES_EVERY = 3000 };            /* ms */

static bool
all_reported(const struct site *s, const struct status *r,
    enum sigfile_kind kind)
{
	struct sigfile f;

	return sigfile_read_run(&f, &s->context.dir, kind, r, NULL) == 0 &&
	    f.found == SIGFILE_SIGNAL;
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
	struct status r;
	bool open;

	if ((!status_named(s->context.dir.state_fd, name, issue) &&
	    !issue_in_name(name, "signal-complete-", "", issue) &&
	    !issue_in_name(name, "signal-error-", "", issue)) ||
	    track_find(s, issue) != NULL)
		return;
	if (status_read(&r, s->context.dir.state_fd, issue) == -1 &&
	    !argv_has(s->unread, issue)) {
		warn("cannot read the status record of issue '%s'", issue);
		s->unread = argv_add(s->unread, issue);
	}
	open = (r.run[0] != '\0' &&
	    (!status_over(&r) || handoff_open(&r.handoff))) ||
	    (r.name != NULL && r.notice != NOTICE_NONE) ||
	    (r.verdict.state != STATE_COMPLETE &&
	    all_reported(s, &r, SIGFILE_COMPLETE)) ||
	    (!state_reported(r.verdict.state) &&
	    all_reported(s, &r, SIGFILE_ERROR));
	status_release(&r);
	if (open)
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

static bool
all_stands(const struct site *s, const struct status *r,
    const struct tmux_listing *l)
{
	const struct pane_ref *p = &r->place;
	bool here = server_same(p, l);
	struct server_pane old = { .pane = here ?
	    listing_pane(l, p->pane) : NULL }, found = { .pane = NULL };
	size_t n;

	if (here ? old.pane != NULL && !old.pane->dead : p->socket != NULL &&
	    proc_alive(p->pane_pid, p->pane_start))
		return true;
	n = paneowner_panes(&s->rules, l, r->issue, run_of_panes(r), &found, 1);
	return run_stands(r, &old, &found, n);
}

bool
all_listing(struct watch *w, struct tmux_server *at)
{
	const struct tmux_listing *l = &at->listing;
	char issue[ISSUE_MAX + 1];
	const struct tmux_pane *p;
	struct status r;
	struct site *s;
	bool settled;

	for (s = w->sites; s != NULL; s = s->next)
		for (p = l->panes; p < l->panes + l->npanes; p++) {
			if (p->dead || paneowner_of(&s->rules, p, false, issue)
			    == PANEOWNER_NONE || track_find(s, issue) != NULL)
				continue;
			/* A judged run is over, and no pane begins another. */
			settled = status_read(&r, s->context.dir.state_fd,
			    issue) == 1 && status_over(&r) &&
			    !handoff_open(&r.handoff) && all_stands(s, &r, l);
			status_release(&r);
			if (!settled)
				all_follow(s, issue);
		}
	return panes_listing(w, at);
}

void
all_turn(struct watch *w)
{
	bool due = w->now >= w->around_at;
	struct track **link = &w->tracks, *t;
	struct servers all = SERVERS_INIT;
	struct tmux_server *at;
	const struct site *s;

	/* A failed track stays for a while, so that it is not retried at once;
	 * in one round, since the exit status needs all. */
	while (!w->policy->once && (t = *link) != NULL)
		if (!t->life.finished || (!due && (t->life.exit == EXIT_USAGE ||
		    t->life.exit == EXIT_COULD_NOT))) {
			link = &t->next;
		} else {
			*link = t->next;
			track_free(t);
		}
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
	if (w->panes == NULL || w->now < w->panes_at)
		return;
	w->panes_at = w->now + PANES_EVERY;
	servers_add_all(&all, w->panes->context.config.sockets);
	for (at = all.first; at != NULL; at = at->next)
		if (!socket_dead(at->socket))
			server_at(servers_add(&w->servers, at->socket), w->now);
	servers_release(&all);
}
