/*
 * observe.c - what the agent does, by its hooks and its pane.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "reload/restarter.h"
#include "tmux/tmux.h"

enum { LOOK = 100 };                    /* ms between two captures */

void
observe_events(struct restarter *j)
{
	const struct events_run run = { j->r.run, j->started };

	if (j->issue)
		events_read(&j->reader, &j->events, j->dir.state_fd, j->key,
		    &run);
}

/* Judges a capture.  A killed agent leaves its title and text behind. */
static void
read_screen(struct restarter *j, const struct tmux_pane *pane,
    const struct tmux_capture *c)
{
	struct screen *s = &j->screen;

	screen_release(s);
	screen_init(s, &j->backend.signs);
	if (j->old_title != NULL && strcmp(j->old_title, pane->title) != 0) {
		free(j->old_title);
		j->old_title = NULL;
	}
	if (j->old_title == NULL)
		screen_title(s, pane->title);
	screen_capture(s, c->text, c->len, clock_wall());
	if (s->shown.sign == NULL || s->shown.sign->kind != SIGN_BUSY)
		j->old_text = false;
	else if (j->old_text)
		s->shown.sign = NULL;
}

void
observe_screen(struct restarter *j)
{
	struct tmux_wish wish = { .pane = j->r.place.pane,
	    .want = TMUX_CAPTURE };
	struct tmux_query q = TMUX_QUERY_INIT;
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_capture *c;
	const struct tmux_pane *pane;
	msec now = clock_now();

	if (now < j->looked + LOOK ||
	    tmux_query_begin(&q, j->r.place.socket, &wish, 1) == -1)
		return;
	j->looked = now;
	spawn_finish(&q.spawn);
	tmux_query_answer(&q, &l, &why);
	c = listing_capture(&l, j->r.place.pane);
	pane = listing_pane(&l, j->r.place.pane);
	if (c != NULL && pane != NULL) {
		read_screen(j, pane, c);
		if (j->changed == 0 || j->shown.len != c->len ||
		    memcmp(buf_str(&j->shown), c->text, c->len) != 0)
			j->changed = now;
		buf_reset(&j->shown);
		buf_add(&j->shown, c->text, c->len);
	}
	listing_release(&l);
	tmux_query_release(&q);
	buf_release(&why);
}

bool
observe_shows(const struct restarter *j, enum sign_kind kind)
{
	const struct screen *s = &j->screen;

	return (s->stated.sign != NULL && s->stated.sign->kind == kind) ||
	    (s->shown.sign != NULL && s->shown.sign->kind == kind);
}

bool
observe_prompts(const struct restarter *j)
{
	return observe_shows(j, SIGN_READY) && !observe_shows(j, SIGN_BUSY) &&
	    !observe_shows(j, SIGN_ASKING);
}

msec
observe_prompting(struct restarter *j)
{
	msec now = clock_now();

	observe_screen(j);
	if (!observe_prompts(j) && !observe_shows(j, SIGN_LIMITED)) {
		j->ready = 0;
		return -1;
	}
	if (j->ready == 0)
		j->ready = now;
	return now - j->ready;
}

msec
observe_unchanged(const struct restarter *j)
{
	return j->changed == 0 ? 0 : clock_now() - j->changed;
}

void
observe_reset(struct restarter *j)
{
	const struct tmux_pane *pane = restarter_pane(j);

	if (pane != NULL)
		j->old_title = xstrdup(pane->title);
	j->old_text = true;
	j->ready = j->changed = 0;
	screen_release(&j->screen);
}
