#include "watcher/query.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/proc.h"
#include "watcher/all.h"
#include "watcher/pane.h"

/* The next track of the server from t on that is followed. */
static struct track *
track_on(struct track *t, const struct server *s)
{
	while (t != NULL && (t->pane.server != s || t->life.finished))
		t = t->next;
	return t;
}

/* What the tracks want, in their order; the caller frees it. */
static struct tmux_wish *
collect_wishes(const struct watch *w, const struct server *s, size_t *n)
{
	struct tmux_wish *wishes = NULL;
	struct track *t;

	*n = 0;
	for (t = track_on(w->tracks, s); t != NULL; t = track_on(t->next, s)) {
		if (t->pane.want == 0)
			continue;
		wishes = xreallocarray(wishes, *n + 1, sizeof(*wishes));
		wishes[(*n)++] = (struct tmux_wish){
		    .pane = t->record.place.pane, .want = t->pane.want,
		    .issue = t->issue, .run = t->record.run,
		    .dir = t->dir->path,
		    .pipe = t->pane.want & TMUX_PIPE ?
			panelog_pipe(t->issue, t->dir->path,
			    w->context.config.log_cap) : NULL };
	}
	return wishes;
}

static void
free_wishes(struct tmux_wish *wishes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free((void *)(uintptr_t)wishes[i].pipe);
	free(wishes);
}

/* The query carries the first wishes; the others are for the next one. */
static void
drop_wishes(struct watch *w, struct server *s, size_t taken)
{
	struct track *t;

	s->asked = false;
	for (t = track_on(w->tracks, s); t != NULL; t = track_on(t->next, s)) {
		if (t->pane.want == 0)
			continue;
		if (taken == 0) {
			s->asked = true;
			return;
		}
		taken--;
		if (t->pane.want & TMUX_PIPE) {
			t->at[AT_CLAIM] = w->now + TRACK_CLAIMING;
			if (t->at[AT_CLAIM] < t->due.at)
				t->due.at = t->at[AT_CLAIM];
		}
		t->pane.want = 0;
	}
}

static void
begin_query(struct watch *w, struct server *s)
{
	size_t n;
	struct tmux_wish *wishes = collect_wishes(w, s, &n);
	ssize_t taken = tmux_query_begin(&s->query, s->socket, wishes, n);

	s->queries++;
	s->running = taken != -1;
	s->due = w->now + (s->running ? SERVER_LISTING : TRACK_UNTRUSTED);
	if (s->running)
		drop_wishes(w, s, (size_t)taken);
	else if (!s->stuck)
		warn("cannot run tmux; retrying");
	s->stuck = !s->running;
	s->asked = s->asked && s->running;
	free_wishes(wishes, n);
}

static void
set_silent(struct watch *w, struct server *s, bool silent, const char *why)
{
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
use_listing(struct watch *w, struct server *s, const struct tmux_listing *l)
{
	const struct pane_ref *place;
	struct track *t;

	server_identify(s, l->server, l->server_start);
	set_silent(w, s, false, NULL);
	for (t = track_on(w->tracks, s); t != NULL; t = track_on(t->next, s)) {
		place = &t->record.place;
		pane_listed(t, l, place->server == l->server &&
		    place->server_start == l->server_start ?
		    listing_pane(l, place->pane) : NULL);
	}
	if (w->all)
		all_listing(w, l);
}

static void
use_answer(struct watch *w, struct server *s)
{
	struct tmux_listing l;
	struct buf why = BUF_INIT;
	enum tmux_result result = tmux_query_answer(&s->query, &l, &why);

	if (result == TMUX_OK) {
		use_listing(w, s, &l);
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
		set_silent(w, s, true, buf_str(&why));
	}
	listing_release(&l);
	buf_release(&why);
}

void
query_turn(struct watch *w, struct server *s)
{
	if (s->running && tmux_query_step(&s->query, w->now)) {
		s->running = false;
		/* What it answered before its end is outdated. */
		if (!s->ended)
			use_answer(w, s);
	}
	if (!s->running && !s->ended && (s->asked || w->now >= s->due))
		begin_query(w, s);
}
