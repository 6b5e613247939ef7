/*
 * server.c - the tmux servers of a watch: one query at a time for each, with as
 * much in it of what the tracks want as one call carries, and what its answer
 * means.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/proc.h"
#include "watcher/watch.h"

struct server *
server_at(struct watch *w, const char *socket)
{
	struct server *s;

	for (s = w->servers; s != NULL; s = s->next)
		if (!s->ended && strcmp(s->socket, socket) == 0)
			return s;
	s = xcalloc(1, sizeof(*s));
	s->socket = xstrdup(socket);
	s->fd = -1;
	s->query = (struct tmux_query)TMUX_QUERY_INIT;
	s->due = w->now + SERVER_LISTING;
	s->next = w->servers;
	w->servers = s;
	return s;
}

void
server_free(struct server *s)
{
	tmux_query_release(&s->query);
	if (s->fd != -1)
		close(s->fd);
	free(s->socket);
	free(s);
}

void
server_ask(struct server *s)
{
	s->asked = true;
}

msec
server_deadline(const struct server *s, msec now)
{
	if (s->running)
		return spawn_deadline(&s->query.spawn, now);
	return s->asked ? 0 : s->due;
}

void
server_identify(struct server *s, pid_t pid, int64_t start)
{
	struct proc p;

	if (s->pid == pid && s->start == start)
		return;
	/* tmux notes when it starts; that is also when its process did. */
	if (proc_read(&p, pid) == -1 || p.began / 1000 < start - 5 ||
	    p.began / 1000 > start + 5)
		return;
	if (s->fd != -1)
		close(s->fd);
	s->pid = pid;
	s->start = start;
	s->proc_start = p.start;
	s->fd = proc_open(pid, p.start);
}

static bool
wants(const struct track *t, const struct server *s)
{
	return t->pane.server == s && !t->life.finished && t->pane.want != 0;
}

/* What the tracks want, in their order; the caller frees it. */
static struct tmux_wish *
collect_wishes(const struct watch *w, const struct server *s, size_t *n)
{
	struct tmux_wish *wishes = NULL;
	const struct track *t;

	*n = 0;
	for (t = w->tracks; t != NULL; t = t->next) {
		if (!wants(t, s))
			continue;
		wishes = xreallocarray(wishes, *n + 1, sizeof(*wishes));
		wishes[(*n)++] = (struct tmux_wish){
		    .pane = t->record.place.pane, .want = t->pane.want,
		    .issue = t->issue, .run = t->record.run,
		    .dir = w->context.dir.path,
		    .pipe = t->pane.want & TMUX_PIPE ? gather_pipe(t) : NULL };
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

/* The first tracks have what they want; the others are next. */
static void
drop_wishes(struct watch *w, struct server *s, size_t taken)
{
	struct track *t;

	s->asked = false;
	for (t = w->tracks; t != NULL; t = t->next) {
		if (!wants(t, s))
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
		warn("cannot run tmux; trying again");
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
server_ended(struct watch *w, struct server *s)
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
			pane_server_ended(t);
}

static void
tell_tracks(struct watch *w, struct server *s, const struct tmux_listing *l)
{
	const struct tmux_pane *pane;
	const struct pane_ref *place;
	struct track *t;

	for (t = w->tracks; t != NULL; t = t->next) {
		if (t->pane.server != s || t->life.finished)
			continue;
		place = &t->record.place;
		pane = place->server == l->server &&
		    place->server_start == l->server_start ?
		    listing_pane(l, place->pane) : NULL;
		pane_listed(t, l, pane);
	}
	if (w->all)
		all_listing(w, l);
}

static void
take_answer(struct watch *w, struct server *s)
{
	struct tmux_listing l;
	struct buf why = BUF_INIT;
	enum tmux_result result = tmux_query_answer(&s->query, &l, &why);

	switch (result) {
	case TMUX_OK:
		server_identify(s, l.server, l.server_start);
		set_silent(w, s, false, NULL);
		tell_tracks(w, s, &l);
		break;
	case TMUX_NO_SERVER:
		/* Nobody listens, but its process may live: the socket was
		 * removed, and SIGUSR1 makes it again (tmux(1)). */
		if (s->pid != 0 && proc_alive(s->pid, s->proc_start)) {
			buf_printf(&why, ", but its process %ld lives (kill "
			    "-USR1 %ld makes a lost socket again)",
			    (long)s->pid, (long)s->pid);
			set_silent(w, s, true, buf_str(&why));
		} else {
			server_ended(w, s);
		}
		break;
	case TMUX_SILENT:
	case TMUX_MISSING:
	case TMUX_OLD:
	case TMUX_FAILED:
		set_silent(w, s, true, buf_str(&why));
	}
	listing_release(&l);
	buf_release(&why);
}

void
server_turn(struct watch *w, struct server *s)
{
	if (s->running && tmux_query_step(&s->query, w->now)) {
		s->running = false;
		/* What it answered before its end is true no longer. */
		if (!s->ended)
			take_answer(w, s);
	}
	if (!s->running && !s->ended && (s->asked || w->now >= s->due))
		begin_query(w, s);
}
