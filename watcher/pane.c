#include "watcher/pane.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "os/proc.h"
#include "watcher/gather.h"

/* How the pane's process ended, unless its parent has told. */
static void
take_exit(struct track *t, const struct tmux_pane *pane)
{
	struct evidence *ev = &t->evidence;

	if (ev->exit_code != -1 || ev->exit_signal != -1)
		return;
	ev->exit_code = pane->dead_signal == -1 ? pane->dead_status : -1;
	ev->exit_signal = pane->dead_signal;
}

/*
 * Before 3.6, tmux can lose the news that a child has ended: the pane is dead
 * and nobody knows how, or does not even seem dead.  The signal that it has
 * missed makes it look again.  True while that may still help.
 */
static bool
repair(struct track *t, const struct tmux_listing *l)
{
	if (t->pane.repairs >= TRACK_REPAIRS)
		return false;
	t->pane.repairs++;
	kill(l->server, SIGCHLD);
	gather_ask(t, TMUX_CAPTURE);
	return true;
}

static void
take_life(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	struct evidence *ev = &t->evidence;
	const struct pane_ref *place = &t->record.place;
	bool told = ev->agent_ended &&
	    (ev->exit_code != -1 || ev->exit_signal != -1);

	ev->pane = PANE_LIVES;
	if (pane->pid != place->pane_pid && !gather_restart(t, pane)) {
		/* The pane was used again. */
		ev->agent_ended = ev->agent_ended || !ev->reload;
	} else if (pane->dead) {
		if (!told && pane->dead_status == -1 &&
		    pane->dead_signal == -1 && repair(t, l))
			return;
		ev->pane = PANE_DEAD;
		take_exit(t, pane);
	} else if (t->fd[FD_PANE] == -1 &&
	    !proc_alive(place->pane_pid, place->pane_start) &&
	    !repair(t, l)) {
		ev->pane = PANE_DEAD;
	}
}

/* Windows move and sessions are renamed; the pane stays the same. */
static void
take_ids(struct track *t, const struct tmux_pane *pane)
{
	struct pane_ref *p = &t->record.place;

	if (strcmp(p->session, pane->session) == 0 &&
	    strcmp(p->window, pane->window) == 0)
		return;
	memcpy(p->session, pane->session, sizeof(p->session));
	memcpy(p->window, pane->window, sizeof(p->window));
	t->unsaved.record = true;
}

/* The pane says itself whose it is; see claim.h.  One round leaves it as it
 * is. */
static void
take_name(struct track *t, const struct tmux_pane *pane)
{
	if (t->evidence.pane == PANE_LIVES && !t->watch->once &&
	    (strcmp(pane->issue, t->issue) != 0 ||
	    strcmp(pane->run, t->record.run) != 0) &&
	    track_first(t, WARNED_NAME))
		gather_ask(t, TMUX_NAME);
}

/* Its writer has time to claim it from when the wish is sent (server.c). */
static void
open_pipe(struct track *t)
{
	t->pipe.state = PIPE_OPENED;
	gather_ask(t, TMUX_CAPTURE | TMUX_PIPE);
}

/* Nobody of ours has claimed the pipe in time. */
static void
give_up_pipe(struct track *t, const struct tmux_pane *pane)
{
	t->pipe.state = pane->pipe ? PIPE_FOREIGN : PIPE_FAILED;
	if (!track_first(t, WARNED_PIPE))
		return;
	warnx("issue '%s': pane %s %s, so its screen is read every %d seconds "
	    "instead%s", t->issue, pane->id, pane->pipe ?
	    "has somebody else's pipe" : "could not be given a pipe",
	    TRACK_UNTRUSTED / 1000, pane->pipe ?
	    "; --steal-pipe takes the pipe over" : "");
}

/*
 * A pane without a pipe gets ours, unless this is one round.  One with a pipe
 * that no writer of ours claims has somebody else's: that is left alone, and
 * captures take the place of the log.
 */
static void
take_pipe(struct track *t, const struct tmux_pane *pane)
{
	bool waited = t->at[AT_CLAIM] == CLOCK_NEVER &&
	    !(t->pane.want & TMUX_PIPE);

	if (t->evidence.pane != PANE_LIVES || gather_writer(t) ||
	    t->watch->once)
		return;
	switch (t->pipe.state) {
	case PIPE_UNKNOWN:
		if (!pane->pipe) {
			open_pipe(t);
			break;
		}
		t->pipe.state = PIPE_SEEN;
		t->at[AT_CLAIM] = t->watch->now + TRACK_CLAIMING;
		break;
	case PIPE_SEEN:
		if (!pane->pipe || (waited && t->watch->steal_pipe))
			open_pipe(t);
		else if (waited)
			give_up_pipe(t, pane);
		break;
	case PIPE_OPENED:
		if (waited)
			give_up_pipe(t, pane);
		break;
	case PIPE_FOREIGN:
		if (!pane->pipe)
			open_pipe(t);
		break;
	case PIPE_BROKEN:
		open_pipe(t);
		break;
	case PIPE_CLAIMED:
	case PIPE_FAILED:
		break;
	}
}

static void
take_capture(struct track *t, const struct tmux_capture *c)
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

/* Is the pane alone in its window, so that the window's activity is its own? */
static bool
alone(const struct tmux_listing *l, const struct tmux_pane *pane)
{
	size_t i;

	for (i = 0; i < l->npanes; i++)
		if (&l->panes[i] != pane &&
		    strcmp(l->panes[i].window, pane->window) == 0)
			return false;
	return true;
}

/* The screen moved and the log did not: its writer stands still.  Where the log
 * is not ours, the screen tells that something was printed. */
static void
compare_activity(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	msec moved = (msec)pane->activity * 1000;

	if (t->pipe.state == PIPE_CLAIMED && moved > t->output.wall + 5000 &&
	    alone(l, pane)) {
		t->pipe.stuck = true;
		gather_ask(t, TMUX_CAPTURE);
	}
	if ((t->pipe.state != PIPE_CLAIMED || t->pipe.stuck) &&
	    moved > t->output.wall && alone(l, pane)) {
		t->sources.output += moved - t->output.wall;
		t->output.wall = moved;
	}
}

/* What tmux knows of what the agent shows, beside the text. */
static void
take_front(struct track *t, const struct tmux_pane *pane)
{
	gather_backend(t, pane->command);
	screen_title(&t->sources.screen, pane->title);
	if (t->record.adopted)
		screen_front(&t->sources.screen, pane->command);
}

/* The last look needs a capture, and this answer had none of it. */
static void
look_again(struct track *t)
{
	if (++t->last.tries < TRACK_CAPTURES)
		gather_ask(t, TMUX_CAPTURE);
	else
		t->last.captured = true;
}

void
pane_listed(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	const struct tmux_capture *c;

	t->due.marked = t->due.claims = t->pane.listed = true;
	if (pane == NULL) {
		t->evidence.pane = PANE_GONE;
		t->last.captured = true;
		t->at[AT_UNTRUSTED] = CLOCK_NEVER;
		return;
	}
	take_life(t, l, pane);
	take_ids(t, pane);
	take_front(t, pane);
	c = listing_capture(l, pane->id);
	if (c != NULL)
		take_capture(t, c);
	else if (t->at[AT_ENDING] != CLOCK_NEVER && !t->last.captured &&
	    !(t->pane.want & TMUX_CAPTURE))
		look_again(t);
	take_name(t, pane);
	take_pipe(t, pane);
	compare_activity(t, l, pane);
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

void
pane_server_ended(struct track *t)
{
	t->due.marked = t->pane.listed = t->last.captured = true;
	t->evidence.pane = PANE_GONE;
	t->at[AT_UNTRUSTED] = CLOCK_NEVER;
}
