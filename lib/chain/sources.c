#include "chain/sources.h"

#include "run/launch.h"

int
sources_init(struct sources *s, const struct statusdir *dir, struct status *r)
{
	*s = (struct sources){ .dir = dir, .record = r, .events_due = true,
	    .now = clock_wall() };
	return sources_open_log(s);
}

void
sources_release(struct sources *s)
{
	panelog_release(&s->log);
	screen_release(&s->screen);
	buf_release(&s->said);
}

int
sources_open_log(struct sources *s)
{
	const struct status *r = s->record;
	const char *run = r->run[0] != '\0' ? r->run : NULL;
	struct marker_set set;
	int ret = marker_set_init(&set, r->issue, run, r->marker);

	if (ret == -1)
		marker_set_init(&set, r->issue, run, NULL);
	panelog_release(&s->log);
	panelog_init(&s->log, s->dir->fd, s->dir->owner, r->issue, &set,
	    &r->log);
	return ret;
}

int
sources_backend(struct sources *s, struct backends *all, const char *foreground,
    const char *configured, struct buf *error)
{
	const struct backend *b = backends_get(all, backend_choose(
	    s->record->backend, foreground, configured), error);

	if (b != s->backend) {
		s->backend = b;
		screen_release(&s->screen);
		s->screen.signs = b != NULL && b->signs.n > 0 ? &b->signs :
		    NULL;
		screen_log(&s->screen, &s->log, s->record->log.begin);
	}
	return b != NULL ? 0 : -1;
}

void
sources_life(struct sources *s, struct evidence *ev, enum pane_life life,
    const struct tmux_pane *pane)
{
	const struct status *r = s->record;
	struct launched l;

	s->pane = pane;
	ev->pane = life;
	if (pane != NULL && pane->dead) {
		ev->exit_code = pane->dead_status;
		ev->exit_signal = pane->dead_signal;
	}
	if (!r->adopted && launched_read(&l, s->dir->state_fd, r->issue,
	    r->run) == 1 && l.ended) {
		ev->agent_ended = true;
		ev->exit_code = l.exit_code;
		ev->exit_signal = l.exit_signal;
		ev->lease_over = l.lease_over;
	} else if (r->adopted && r->agent.pid != 0 && pane != NULL) {
		ev->agent_ended = !proc_alive(r->agent.pid, r->agent.start);
	}
	if (pane != NULL && r->place.pane_pid != 0 &&
	    pane->pid != r->place.pane_pid)
		ev->agent_ended |= !ev->reload;
	if (pane != NULL && !pane->shared)
		ev->ended = (msec)pane->activity * 1000;
}

msec
sources_written(const struct sources *s)
{
	struct stat st;

	return fstatat(s->dir->fd, PANELOG_OF(s->record->issue, ""), &st,
	    AT_SYMLINK_NOFOLLOW) == -1 ? 0 : file_mtime(&st);
}

msec
sources_silent(const struct sources *s)
{
	msec written;

	if (!s->pass)
		return s->now - s->output;
	written = sources_written(s);
	return written == 0 ? CLOCK_NEVER / 2 : clock_wall() - written;
}

msec
sources_quiet(const struct sources *s)
{
	if (s->pane != NULL && (!s->pane->shared || sources_written(s) == 0))
		return s->now - (msec)s->pane->activity * 1000;
	return sources_silent(s);
}
