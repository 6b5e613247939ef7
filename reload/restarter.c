#include "reload/restarter.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/loop.h"
#include "run/journal.h"
#include "run/launch.h"
#include "tmux/tmux.h"

enum { LOOK = 100 };                    /* ms between two captures */

/* ---- records ------------------------------------------------------------- */

void
restarter_say(const struct restarter *j, const char *format, ...)
{
	struct buf line = BUF_INIT;
	char now[CLOCK_TEXT];
	va_list ap;
	char text[512];

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	clock_format(now, clock_wall());
	buf_printf(&line, "%s pane %s: ", now, j->r.place.pane);
	msg_escape(&line, text, strlen(text));
	buf_addc(&line, '\n');
	if (file_write(STDERR_FILENO, line.data, line.len) == -1)
		errno = 0;              /* there is no other output */
	buf_release(&line);
}

/* Without a watcher: ignores the markers that the new agent draws of the old
 * conversation. */
static void
ignore_drawn_markers(struct restarter *j, struct status *s)
{
	struct sources all;
	struct evidence ev;

	if (j->r.phase != RELOAD_STARTING && j->r.phase != RELOAD_DONE)
		return;
	sources_init(&all, &j->dir, s);
	all.pass = all.hasty = true;
	evidence_init(&ev, j->key);
	gather_log(&all, &ev);
	if (j->r.phase == RELOAD_DONE && j->counted)
		reload_redrawn(s, &ev.log.hits, &j->drawn);
	j->counted = j->r.phase == RELOAD_STARTING;
	j->drawn = ev.log.hits;
	sources_release(&all);
	evidence_release(&ev);
}

/* Updates the status record, unless another process holds its lock. */
static void
update_record(struct restarter *j)
{
	struct lock lock = LOCK_INIT;
	struct status s;
	bool under_way, changed;

	if (!j->issue || status_lock(&lock, j->dir.state_fd, j->key, 0) != 1)
		return;
	if (status_read(&s, j->dir.state_fd, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0) {
		changed = reload_take(&s, j->dir.state_fd, &under_way);
		changed |= reload_find(&s, j->dir.state_fd, NULL);
		ignore_drawn_markers(j, &s);
		if (changed && status_write(&s, j->dir.state_fd) == -1)
			restarter_say(j, "cannot write the status record: %s",
			    strerror(errno));
	}
	status_release(&s);
	lock_release(&lock);
}

void
restarter_unkeep(struct restarter *j)
{
	struct buf why = BUF_INIT;

	if (j->kept)
		tmux_keep(&j->r.place, false, &why);
	j->kept = false;
	buf_release(&why);
}

_Noreturn void
restarter_end(struct restarter *j, enum reload_phase phase)
{
	bool done = phase == RELOAD_DONE;
	int state_fd = j->dir.state_fd;
	char *detail = xasprintf("reload: %s", j->r.why);
	struct status s;

	restarter_unkeep(j);
	launch_remove(state_fd, j->key);
	if (!j->issue)
		launched_remove(state_fd, j->key);
	j->r.phase = phase;
	restarter_say(j, "%s: %s", reload_phases[phase], j->r.why);
	if (reload_write(&j->r, state_fd, j->key) == -1)
		restarter_say(j, "cannot record the end: %s",
		    strerror(errno));
	if (j->issue && status_read(&s, state_fd, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0 &&
	    journal_add(state_fd, j->dir.path, done ? JOURNAL_RUN :
	    JOURNAL_WARNING, &s, detail) == -1)
		restarter_say(j, "cannot write to the journal: %s",
		    strerror(errno));
	update_record(j);
	exit(done ? EXIT_DONE : EXIT_COULD_NOT);
}

_Noreturn void
restarter_fail(struct restarter *j, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(j->r.why, sizeof(j->r.why), format, ap);
	va_end(ap);
	restarter_end(j, RELOAD_FAILED);
}

void
restarter_begin(struct restarter *j, enum reload_phase phase, const char *what)
{
	j->r.phase = phase;
	snprintf(j->r.why, sizeof(j->r.why), "%s", what);
	if (reload_write(&j->r, j->dir.state_fd, j->key) == -1)
		restarter_fail(j, "cannot write to '%s': %s", j->dir.path,
		    strerror(errno));
	restarter_say(j, "%s: %s", reload_phases[phase], what);
	update_record(j);
}

/* ---- processes ----------------------------------------------------------- */

bool
restarter_alive(const struct restarter *j)
{
	return proc_alive(j->r.agent, j->r.agent_start);
}

bool
restarter_in_front(const struct restarter *j)
{
	return proc_in_front(j->r.agent, j->r.agent_start,
	    j->r.place.pane_pid);
}

void
restarter_pause(const struct restarter *j, msec time)
{
	int fd = proc_open(j->r.agent, j->r.agent_start);

	loop_await(fd, POLLIN, clock_now() + time);
	file_close(fd);
}

const struct tmux_pane *
restarter_pane(struct restarter *j)
{
	struct buf why = BUF_INIT;

	listing_release(&j->listing);
	tmux_list(j->r.place.socket, &j->listing, &why);
	buf_release(&why);
	return listing_pane(&j->listing, j->r.place.pane);
}

/* ---- what the agent does ------------------------------------------------- */

void
observe_events(struct restarter *j)
{
	const struct events_run run = { j->r.run, j->started, NULL };

	if (j->issue)
		events_read(&j->reader, &j->events, j->dir.state_fd, j->key,
		    &run);
}

void
observe_screen(struct restarter *j)
{
	struct screen *s = &j->screen;
	struct tmux_wish wish = { .pane = j->r.place.pane,
	    .want = TMUX_CAPTURE };
	struct tmux_query q = TMUX_QUERY_INIT;
	struct buf why = BUF_INIT;
	const struct tmux_capture *c;
	const struct tmux_pane *pane;
	msec now = clock_now();

	if (now < j->looked + LOOK ||
	    tmux_query_begin(&q, j->r.place.socket, TMUX_PANES, &wish,
	    1) == -1)
		return;
	j->looked = now;
	spawn_finish(&q.spawn);
	listing_release(&j->listing);
	tmux_query_answer(&q, &j->listing, &why);
	c = listing_capture(&j->listing, j->r.place.pane);
	pane = listing_pane(&j->listing, j->r.place.pane);
	if (c == NULL || pane == NULL)
		goto out;
	screen_release(s);
	screen_init(s, &j->backend.signs);
	/* A killed agent leaves its title and text behind. */
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
	if (j->changed == 0 || j->shown.len != c->len ||
	    memcmp(buf_str(&j->shown), c->text, c->len) != 0)
		j->changed = now;
	buf_reset(&j->shown);
	buf_add(&j->shown, c->text, c->len);
out:
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
