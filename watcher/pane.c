#include "watcher/pane.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "os/proc.h"
#include "watcher/gather.h"

/*
 * Before 3.6, tmux can miss the end of a child: the pane is dead without an
 * exit status, or does not even seem dead.  The signal that tmux missed makes
 * it look again.  True while that may still help.
 */
static bool
pane_repair(struct track *t, const struct tmux_listing *l)
{
	if (t->pane.repairs >= TRACK_REPAIRS)
		return false;
	t->pane.repairs++;
	kill(l->server, SIGCHLD);
	gather_ask(t, TMUX_CAPTURE);
	return true;
}

static void
pane_state(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	struct evidence *ev = &t->evidence;
	const struct pane_ref *place = &t->record.place;
	/* By its parent, or by tmux before. */
	bool told = ev->exit_code != -1 || ev->exit_signal != -1;

	ev->pane = PANE_LIVES;
	if (pane->pid != place->pane_pid && !gather_restart(t, pane)) {
		/* Another program runs in the pane. */
		ev->agent_ended = ev->agent_ended || !ev->reload;
	} else if (pane->dead) {
		if (!told && pane->dead_status == -1 &&
		    pane->dead_signal == -1 && pane_repair(t, l))
			return;
		ev->pane = PANE_DEAD;
		if (told)
			return;
		ev->exit_signal = pane->dead_signal;
		ev->exit_code = pane->dead_signal == -1 ? pane->dead_status :
		    -1;
	} else if (t->fd[FD_PANE] == -1 &&
	    !proc_alive(place->pane_pid, place->pane_start) &&
	    !pane_repair(t, l)) {
		ev->pane = PANE_DEAD;
	}
}

/* No log writer of ours has recorded the pipe in time. */
static void
pane_give_up_pipe(struct track *t, const struct tmux_pane *pane)
{
	t->pipe.state = pane->pipe ? PIPE_FOREIGN : PIPE_FAILED;
	if (!track_first(t, WARNED_PIPE))
		return;
	warnx("issue '%s': pane %s %s, so its screen is read every %d seconds "
	    "instead%s", t->issue, pane->id, pane->pipe ?
	    "has another program's pipe" : "could not be given a pipe",
	    TRACK_UNTRUSTED / 1000, pane->pipe ?
	    "; --steal-pipe takes the pipe over" : "");
}

/*
 * A pane without a pipe gets ours, unless this is one round.  A pipe that no
 * writer of ours has is foreign: it is left alone, and captures replace the
 * log.
 */
static void
pane_pipe(struct track *t, const struct tmux_pane *pane)
{
	enum pipe_state state;
	bool waited = t->at[AT_CLAIM] == CLOCK_NEVER &&
	    !(t->pane.want & TMUX_PIPE);

	if (t->evidence.pane != PANE_LIVES || gather_writer(t) ||
	    t->watch->once)
		return;
	state = t->pipe.state;
	if (state == PIPE_BROKEN || (!pane->pipe && (state == PIPE_UNKNOWN ||
	    state == PIPE_SEEN || state == PIPE_FOREIGN)) ||
	    (state == PIPE_SEEN && waited && t->watch->steal_pipe)) {
		/* The time for its writer begins when that is sent. */
		t->pipe.state = PIPE_OPENED;
		gather_ask(t, TMUX_CAPTURE | TMUX_PIPE);
	} else if (state == PIPE_UNKNOWN) {
		t->pipe.state = PIPE_SEEN;
		t->at[AT_CLAIM] = t->watch->now + TRACK_CLAIMING;
	} else if (waited && (state == PIPE_SEEN || state == PIPE_OPENED)) {
		pane_give_up_pipe(t, pane);
	}
}

static void
pane_capture(struct track *t, const struct tmux_capture *c)
{
	struct sources *s = &t->sources;

	s->text = c->text;
	s->text_len = c->len;
	gather_capture(s, &t->evidence);
	gather_screen(s, &t->evidence);
	s->text = NULL;
	t->record.captured = clock_wall();
	t->agent.captured_at = t->watch->now;
	/* A capture from before the end is not the last look. */
	t->last.captured = t->pane.server->queries >= t->last.query;
}

/* If the screen changes and the log does not, the log's writer is stuck.  A log
 * that is not ours is replaced by the time of the screen's last change.  tmux
 * knows that of a window: of a pane that is alone in it. */
static void
pane_activity(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	msec moved = (msec)pane->activity * 1000;
	size_t i;

	if (moved <= t->output.wall)
		return;
	for (i = 0; i < l->npanes; i++)
		if (&l->panes[i] != pane &&
		    strcmp(l->panes[i].window, pane->window) == 0)
			return;
	if (t->pipe.state == PIPE_CLAIMED && moved > t->output.wall + 5000) {
		t->pipe.stuck = true;
		gather_ask(t, TMUX_CAPTURE);
	}
	if (t->pipe.state != PIPE_CLAIMED || t->pipe.stuck) {
		t->sources.output += moved - t->output.wall;
		t->output.wall = moved;
	}
}

/* What the pane shows, and to whom it belongs. */
static void
pane_view(struct track *t, const struct tmux_pane *pane)
{
	struct pane_ref *p = &t->record.place;

	/* Windows move and sessions are renamed; the pane stays the same. */
	if (strcmp(p->session, pane->session) != 0 ||
	    strcmp(p->window, pane->window) != 0) {
		memcpy(p->session, pane->session, sizeof(p->session));
		memcpy(p->window, pane->window, sizeof(p->window));
		t->unsaved.record = true;
	}
	/* Its options are to name the issue and the run; see paneowner.h. */
	if (t->evidence.pane == PANE_LIVES && !t->watch->once &&
	    (strcmp(pane->issue, t->issue) != 0 ||
	    strcmp(pane->run, t->record.run) != 0) &&
	    track_first(t, WARNED_NAME))
		gather_ask(t, TMUX_NAME);
	gather_backend(t, pane->command);
	screen_title(&t->sources.screen, pane->title);
	if (t->record.adopted)
		screen_front(&t->sources.screen, pane->command);
}

void
pane_gone(struct track *t)
{
	t->due.marked = t->pane.listed = t->last.captured = true;
	t->evidence.pane = PANE_GONE;
	t->at[AT_UNTRUSTED] = CLOCK_NEVER;
}

void
pane_listed(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	const struct tmux_capture *c;

	t->due.marked = t->due.claims = t->pane.listed = true;
	if (pane == NULL) {
		pane_gone(t);
		return;
	}
	pane_state(t, l, pane);
	pane_view(t, pane);
	c = listing_capture(l, pane->id);
	if (c != NULL)
		pane_capture(t, c);
	/* The answer lacks the capture that is needed after the end. */
	else if (t->at[AT_ENDING] != CLOCK_NEVER && !t->last.captured &&
	    !(t->pane.want & TMUX_CAPTURE)) {
		t->last.captured = ++t->last.tries >= TRACK_CAPTURES;
		if (!t->last.captured)
			gather_ask(t, TMUX_CAPTURE);
	}
	pane_pipe(t, pane);
	pane_activity(t, l, pane);
	track_trust(t);
}

void
pane_server(struct track *t, bool silent)
{
	struct evidence *ev = &t->evidence;

	t->due.marked = t->pane.listed = true;
	if (silent && (ev->pane == PANE_LIVES || ev->pane == PANE_UNSEEN))
		ev->pane = PANE_SILENT;
	else if (!silent && ev->pane == PANE_SILENT)
		ev->pane = PANE_UNSEEN;
}
