/*
 * query.c - queries of a tmux server, and their answers.
 */
#include "watcher/track.h"

#include <signal.h>

#include "data/shell.h"

/* tmux before 3.6 can miss a child's end: the missed signal makes it look
 * again.  True while that may help. */
static bool
pane_repair(struct track *t)
{
	if (t->sources.pass || t->pane.repairs >= TRACK_REPAIRS)
		return false;
	t->pane.repairs++;
	kill(t->record.place.server, SIGCHLD);
	gather_ask(t, TMUX_CAPTURE);
	return true;
}

static void
pane_state(struct track *t, const struct tmux_pane *pane)
{
	struct evidence *ev = &t->evidence;
	const struct pane_ref *place = &t->record.place;
	bool known = ev->exit_code != -1 || ev->exit_signal != -1;

	ev->pane = PANE_LIVES;
	if (pane->pid != place->pane_pid && !gather_restart(t, pane)) {
		ev->agent_ended = ev->agent_ended || !ev->reload;
	} else if (pane->dead) {
		if (!known && pane->dead_status == -1 &&
		    pane->dead_signal == -1 && pane_repair(t))
			return;
		ev->pane = PANE_DEAD;
		if (known)
			return;
		ev->exit_signal = pane->dead_signal;
		ev->exit_code = pane->dead_signal == -1 ? pane->dead_status :
		    -1;
	} else if (t->fd[FD_PANE] == -1 && !proc_alive(place->pane_pid,
	    place->pane_start) && !pane_repair(t)) {
		ev->pane = PANE_DEAD;
	}
}

/* Captures replace the log of a pane with a foreign pipe. */
static void
pane_pipe(struct track *t, const struct tmux_pane *pane)
{
	enum pipe_state state;
	bool waited = t->at[AT_CLAIM] == CLOCK_NEVER &&
	    !(t->pane.want & TMUX_PIPE), foreign;

	if (t->evidence.pane != PANE_LIVES || !t->watch->policy->pipes ||
	    gather_writer(t))
		return;
	state = t->pipe.state;
	if (state == PIPE_BROKEN || (!pane->pipe && (state == PIPE_UNKNOWN ||
	    state == PIPE_SEEN || state == PIPE_FOREIGN)) ||
	    (state == PIPE_SEEN && waited && t->watch->steal_pipe)) {
		t->pipe.state = PIPE_OPENED;
		gather_ask(t, TMUX_CAPTURE | TMUX_PIPE);
	} else if (state == PIPE_UNKNOWN) {
		t->pipe.state = PIPE_SEEN;
		t->at[AT_CLAIM] = t->watch->now + TRACK_CLAIMING;
	} else if (waited && (state == PIPE_SEEN || state == PIPE_OPENED)) {
		t->pipe.state = pane->pipe ? PIPE_FOREIGN : PIPE_FAILED;
		t->at[AT_CLAIM] = t->watch->now + TRACK_CLAIMED_LATE;
	} else if (waited && (state == PIPE_FOREIGN || state == PIPE_FAILED) &&
	    track_first(t, WARNED_PIPE)) {
		foreign = state == PIPE_FOREIGN;
		warnx("issue '%s': pane %s %s, so its screen is read every %d "
		    "seconds instead%s", t->issue, pane->id, foreign ?
		    "has another program's pipe" : "could not be given a pipe",
		    TRACK_UNTRUSTED / 1000, foreign ?
		    "; --steal-pipe takes the pipe over" : "");
	}
}

static void
pane_seen(struct track *t, const struct tmux_pane *pane,
    const struct tmux_capture *c)
{
	struct sources *s = &t->sources;
	struct pane_ref *p = &t->record.place;
	msec moved = (msec)pane->activity * 1000;

	pane_state(t, pane);
	gather_backend(t, pane->command);
	if (pane->session[0] == '$') {
		if (strcmp(p->session, pane->session) != 0 ||
		    strcmp(p->window, pane->window) != 0) {
			memcpy(p->session, pane->session, sizeof(p->session));
			memcpy(p->window, pane->window, sizeof(p->window));
			t->unsaved.record = true;
		}
		t->pane.unnamed = t->evidence.pane == PANE_LIVES &&
		    t->dir->fd != -1 && t->watch->policy->pipes &&
		    (strcmp(pane->issue, t->issue) != 0 ||
		    strcmp(pane->run, t->record.run) != 0);
		screen_title(&s->screen, pane->title);
		if (t->record.adopted)
			s->screen.shell_in_front = shell_known(pane->command);
	}
	if (c != NULL) {
		s->text = c->text;
		s->text_len = c->len;
		t->record.captured = s->pass ? t->watch->now : clock_wall();
	}
	if (c != NULL && !s->pass) {
		gather_capture(s, &t->evidence);
		gather_screen(s, &t->evidence);
		s->text = NULL;
		t->pane.captured_at = t->watch->now;
		/* A capture from before the end is not the last one. */
		t->last.captured = t->pane.server->calls >= t->last.query;
	}
	if (c == NULL && t->at[AT_ENDING] != CLOCK_NEVER && !t->last.captured &&
	    !(t->pane.want & TMUX_CAPTURE)) {
		t->last.captured = ++t->last.tries >= TRACK_CAPTURES;
		if (!t->last.captured)
			gather_ask(t, TMUX_CAPTURE);
	}
	if (t->dir->fd != -1)
		pane_pipe(t, pane);
	/* If only the screen changes, the log's writer is stuck.  The time of
	 * that change replaces a log that is not ours. */
	t->pane.moved = moved + 1000 > t->record.captured;
	if (moved <= t->output.wall || (pane->shared && t->dir->fd != -1))
		return;
	if (t->output.wall == 0) {
		if (moved < t->record.started)
			moved = t->record.started;
		s->output = t->watch->now - (clock_wall() - moved);
		t->output.wall = moved;
	}
	if (t->pipe.state == PIPE_CLAIMED && moved > t->output.wall + 5000) {
		t->pipe.stuck = true;
		gather_ask(t, TMUX_CAPTURE);
	}
	if (t->pipe.state != PIPE_CLAIMED || t->pipe.stuck) {
		s->output += moved - t->output.wall;
		t->output.wall = moved;
	}
}

void
query_pass(struct track *t)
{
	struct server_pane at;
	const struct tmux_pane *pane;

	t->pane.listed = true;
	t->evidence.pane = run_life(&t->watch->servers, &t->record, &at);
	if (at.pane == NULL)
		return;
	/* A capture comes with a listing of the same moment. */
	pane = listing_pane(&at.server->captures, at.pane->id);
	t->sources.pane = pane = pane != NULL ? pane : at.pane;
	/* The log has an older title. */
	t->sources.title = pane->title;
	pane_seen(t, pane, listing_capture(&at.server->captures, at.pane->id));
	if (!pane->shared)
		t->evidence.ended = (msec)pane->activity * 1000;
}

static void
query_begin(void *context, struct tmux_server *s, msec now)
{
	struct watch *w = context;
	struct tmux_wish *wishes = NULL;
	struct track *t, **asked = NULL;
	ssize_t taken, i;
	size_t n = 0, nasked = 0;

	w->now = now;
	for (t = w->tracks; t != NULL; t = t->next) {
		if (t->pane.server != s || t->life.finished ||
		    t->pane.want == 0)
			continue;
		*ARRAY_ADD(asked, nasked) = t;
		*ARRAY_ADD(wishes, n) = (struct tmux_wish){
		    .pane = t->record.place.pane, .want = t->pane.want,
		    .issue = t->issue, .run = t->record.run,
		    .dir = t->dir->path, .pipe = t->pane.want & TMUX_PIPE ?
		    panelog_pipe(t->issue, t->dir->path, t->config->log_cap) :
		    NULL };
	}
	server_at(s, now + SERVER_LISTING + (w->all ? TRACK_RETRY : 0));
	/* The query carries only the first wishes. */
	taken = server_call(s, TMUX_PANES, wishes, n);
	for (i = 0; i < taken; i++) {
		t = asked[i];
		/* A new pipe's writer begins now. */
		if (t->pane.want & TMUX_PIPE) {
			t->at[AT_CLAIM] = now + TRACK_CLAIMING;
			t->due.at = clock_sooner(t->due.at, t->at[AT_CLAIM]);
		}
		t->pane.want = 0;
	}
	if (taken == -1 && s->misses == 1)
		warn("cannot run tmux; retrying");
	else if ((size_t)taken < n)
		server_hurry(s);
	while (n > 0)
		free((void *)(uintptr_t)wishes[--n].pipe);
	free(wishes);
	free(asked);
}

/* Only a search still needs the listing. */
static void
query_heard(struct watch *w, struct tmux_server *s)
{
	bool kept = w->around;
	struct track *t;

	for (t = w->tracks; t != NULL; t = t->next)
		if (t->life.search != 0)
			kept = t->due.marked = true;
	if (!kept)
		listing_release(&s->listing);
}

/* An old listing is for tracks that wanted it. */
static void
query_answered(void *context, struct tmux_server *s, msec now)
{
	struct watch *w = context;
	bool ended = s->result == TMUX_NO_SERVER, any = false;
	bool silent = !ended && s->result != TMUX_OK;
	bool news = s->result == TMUX_OK && (s->wanted || s->news || s->warned);
	enum pane_life *life;
	const struct tmux_listing *l = &s->listing;
	const struct tmux_pane *pane;
	const struct pane_ref *place;
	struct track *t;

	w->now = now;
	/* A search reports a silent server without tracks. */
	t = ended || s->warned != silent ? w->tracks : NULL;
	for (; t != NULL; t = t->next) {
		life = &t->evidence.pane;
		if (t->pane.server != s)
			continue;
		any = t->due.marked = t->pane.listed = true;
		if (ended) {
			t->pane.server = NULL;
			t->last.captured = true;
			*life = PANE_GONE;
		} else if (silent && (*life == PANE_LIVES ||
		    *life == PANE_UNSEEN)) {
			*life = PANE_SILENT;
		} else if (!silent && *life == PANE_SILENT) {
			*life = PANE_UNSEEN;
		}
	}
	if (any && ended)
		warnx("the tmux server at '%s' has ended, and all its panes "
		    "with it", s->socket);
	else if (any && silent)
		warnx("%s; the state of its panes is unknown until it answers",
		    buf_str(&s->why));
	else if (any)
		warnx("the tmux server at '%s' answers again", s->socket);
	if (any || ended) {
		s->warned = silent;
		buf_reset(&s->why);
	}
	for (t = w->tracks; news && t != NULL; t = t->next) {
		if (t->pane.server != s || t->life.finished)
			continue;
		t->due.marked = t->due.claims = t->pane.listed = true;
		place = &t->record.place;
		pane = server_same(place, l) ? listing_pane(l, place->pane) :
		    NULL;
		if (pane == NULL) {
			t->evidence.pane = PANE_GONE;
			t->last.captured = true;
		} else {
			pane_seen(t, pane, listing_capture(l, pane->id));
		}
	}
	if (w->all && s->shown_by == s && (s->news || w->around) &&
	    all_listing(w, s))
		s->hash = 0;
	query_heard(w, s);
}

void
query_open(struct watch *w)
{
	w->servers = (struct servers){ .loop = &w->loop,
	    .retry = TRACK_UNTRUSTED, .begin = query_begin,
	    .answered = query_answered, .context = w, .ends = true };
	proc_boot(w->servers.boot);
}

void
query_forget(struct watch *w)
{
	struct tmux_server *s, *next;
	const struct track *t;

	for (s = w->servers.first; s != NULL && !w->around; s = next) {
		next = s->next;
		t = w->tracks;
		while (t != NULL && t->pane.server != s && t->life.search == 0)
			t = t->next;
		if (t == NULL && !s->running && s->due > w->now &&
		    (w->panes == NULL || s->due == CLOCK_NEVER))
			servers_remove(s);
	}
}
