#include "watcher/query.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/proc.h"
#include "watcher/all.h"
#include "watcher/pane.h"

/* Does the server's next query carry a wish of the track? */
static bool
query_wished(const struct track *t, const struct server *s)
{
	return t->pane.server == s && !t->life.finished && t->pane.want != 0;
}

/* The time for a new pipe's writer begins. */
static void
query_sent(struct track *t)
{
	if (t->pane.want & TMUX_PIPE) {
		t->at[AT_CLAIM] = t->watch->now + TRACK_CLAIMING;
		t->due.at = clock_sooner(t->due.at, t->at[AT_CLAIM]);
	}
	t->pane.want = 0;
}

static void
query_begin(struct watch *w, struct server *s)
{
	struct tmux_wish *wishes = NULL;
	struct track *t;
	ssize_t taken, i = 0;
	size_t n = 0;

	for (t = w->tracks; t != NULL; t = t->next) {
		if (!query_wished(t, s))
			continue;
		wishes = xreallocarray(wishes, n + 1, sizeof(*wishes));
		wishes[n++] = (struct tmux_wish){
		    .pane = t->record.place.pane, .want = t->pane.want,
		    .issue = t->issue, .run = t->record.run, .dir = t->dir->path,
		    .pipe = t->pane.want & TMUX_PIPE ?
			panelog_pipe(t->issue, t->dir->path,
			    w->context.config.log_cap) : NULL };
	}
	/* It carries the first ones; the others are for the next query. */
	taken = tmux_query_begin(&s->query, s->socket, wishes, n);
	for (t = w->tracks; i < taken; t = t->next) {
		if (!query_wished(t, s))
			continue;
		i++;
		query_sent(t);
	}
	s->queries++;
	s->running = taken != -1;
	s->asked = s->running && (size_t)taken < n;
	s->due = w->now + (s->running ? SERVER_LISTING : TRACK_UNTRUSTED);
	if (!s->running && !s->stuck)
		warn("cannot run tmux; retrying");
	s->stuck = !s->running;
	while (n > 0)
		free((void *)(uintptr_t)wishes[--n].pipe);
	free(wishes);
}

/* The server is silent, for a reason, or (NULL) answers. */
static void
query_silent(struct watch *w, struct server *s, const char *why)
{
	bool silent = why != NULL;
	struct track *t;

	if (silent)
		s->due = w->now + TRACK_UNTRUSTED;
	if (s->silent == silent)
		return;
	s->silent = silent;
	if (silent)
		warnx("%s; what its panes do is unknown until it answers", why);
	else
		warnx("the tmux server at '%s' answers again", s->socket);
	for (t = w->tracks; t != NULL; t = t->next)
		if (t->pane.server == s)
			pane_server(t, silent);
}

void
query_ended(struct watch *w, struct server *s)
{
	struct track *t;

	if (s->ended)
		return;
	s->ended = true;
	s->due = CLOCK_NEVER;
	if (s->fd != -1)
		close(s->fd);
	s->fd = -1;
	warnx("the tmux server at '%s' has ended, and all its panes with it",
	    s->socket);
	for (t = w->tracks; t != NULL; t = t->next)
		if (t->pane.server == s)
			pane_gone(t);
}

static void
query_listed(struct watch *w, struct server *s, const struct tmux_listing *l)
{
	const struct pane_ref *place;
	struct track *t;

	server_identify(s, l->server, l->server_start);
	query_silent(w, s, NULL);
	for (t = w->tracks; t != NULL; t = t->next) {
		if (t->pane.server != s || t->life.finished)
			continue;
		place = &t->record.place;
		pane_listed(t, l, place->server == l->server &&
		    place->server_start == l->server_start ?
		    listing_pane(l, place->pane) : NULL);
	}
	if (w->all)
		all_listing(w, l);
}

static void
query_answered(struct watch *w, struct server *s)
{
	struct tmux_listing l;
	struct buf why = BUF_INIT;
	enum tmux_result result = tmux_query_answer(&s->query, &l, &why);

	if (result == TMUX_OK) {
		query_listed(w, s, &l);
	} else if (result == TMUX_NO_SERVER && (s->pid == 0 ||
	    !proc_alive(s->pid, s->proc_start))) {
		query_ended(w, s);
	} else {
		/* A server whose socket was removed makes it again at SIGUSR1;
		 * see tmux(1). */
		if (result == TMUX_NO_SERVER)
			buf_printf(&why, ", but its process %ld lives (kill "
			    "-USR1 %ld makes a lost socket again)",
			    (long)s->pid, (long)s->pid);
		query_silent(w, s, buf_str(&why));
	}
	listing_release(&l);
	buf_release(&why);
}

void
query_turn(struct watch *w, struct server *s)
{
	if (s->running && spawn_step(&s->query.spawn, w->now)) {
		s->running = false;
		/* What it answered before its end is outdated. */
		if (!s->ended)
			query_answered(w, s);
	}
	if (!s->running && !s->ended && (s->asked || w->now >= s->due))
		query_begin(w, s);
}
