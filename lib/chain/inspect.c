#include "chain/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "marker/markerwindow.h"
#include "os/file.h"
#include "os/proc.h"
#include "run/launch.h"

int
inspect_init(struct inspect *x, const struct statusdir *dir,
    const struct status *r)
{
	*x = (struct inspect){ .dir = dir, .record = r, .life = PANE_NONE,
	    .log.file.fd = -1 };
	return marker_set_init(&x->set, r->issue, r->run[0] ? r->run : NULL,
	    r->marker);
}

void
inspect_release(struct inspect *x)
{
	panelog_release(&x->log);
	screen_release(&x->screen);
}

bool
inspect_signals(struct inspect *x, struct evidence *ev)
{
	const struct status *r = x->record;
	const char *run = r->run[0] != '\0' ? r->run : NULL;
	msec from = r->started - (r->fresh ? 0 : SIGFILE_SLACK);
	int kind;

	if (x->dir->fd == -1)
		return false;
	for (kind = 0; kind < SIGFILE_KINDS; kind++) {
		buf_reset(&ev->signal_text[kind]);
		if (sigfile_read(&ev->signal[kind], x->dir->fd, x->dir->owner,
		    (enum sigfile_kind)kind, r->issue, run, from,
		    &ev->signal_text[kind]) == -1)
			return false;
	}
	return true;
}

/* How long nothing was printed, as far as the log tells. */
static msec
log_silent(const struct inspect *x, msec wall)
{
	char name[PANELOG_NAME];
	struct stat st;

	panelog_name(name, x->record->issue);
	if (x->dir->fd == -1 ||
	    fstatat(x->dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return CLOCK_NEVER / 2;
	return wall - file_mtime(&st);
}

bool
inspect_events(struct inspect *x, struct evidence *ev)
{
	const struct status *r = x->record;
	struct events_reader reader = { 0 };

	if (x->dir->state_fd == -1)
		return false;
	ev->wall = clock_wall();
	ev->silent = log_silent(x, ev->wall);
	ev->hook.ignored = r->ignored_events;
	events_read(&reader, &ev->hook, x->dir->state_fd, r->issue,
	    &(struct events_run){ r->run[0] != '\0' ? r->run : NULL,
	    r->started });
	x->events = reader.read;
	/* A marker of an agent that is no more waits for no record. */
	inspect_process(x, ev);
	return ev->hook.there;
}

/*
 * Where that was in a file that is no longer there, what was known of it is
 * gone on with.
 */
static struct log_mark
beginning(const struct inspect *x)
{
	struct log_mark from = x->record->log;

	if (x->whole && from.base == 0) {
		from.read = from.begin;
		from.scan = (struct marker_state){ .offset = from.begin };
	}
	return from;
}

bool
inspect_log(struct inspect *x, struct evidence *ev, bool ended)
{
	const struct status *r = x->record;
	struct log_mark from = beginning(x);

	panelog_release(&x->log);
	panelog_init(&x->log, x->dir->fd, x->dir->owner, r->issue, &x->set,
	    &from);
	x->log_error = x->dir->fd != -1 && panelog_read(&x->log, NULL) == -1 ?
	    errno : 0;
	ev->log_there = panelog_there(&x->log);
	ev->log.hits = marker_scan_hits(x->log.scan, ended);
	ev->log.ignored = r->ignored_log;
	buf_reset(&ev->log.message);
	marker_scan_message(x->log.scan, &ev->log.message);
	return ev->log_there;
}

bool
inspect_waits(const struct inspect *x)
{
	return marker_scan_waits(x->log.scan);
}

bool
inspect_capture(struct inspect *x, struct evidence *ev)
{
	struct marker_ignored ignored = x->record->ignored_capture;

	if (x->capture == NULL)
		return false;
	buf_reset(&ev->capture.message);
	ev->capture.hits = marker_window(&x->set, x->capture, x->capture_len,
	    &ev->capture.message);
	ev->capture_alone = !ev->log_there;
	/* Old markers scroll away; a new one then makes up for them. */
	if (ignored.complete > ev->capture.hits.complete)
		ignored.complete = ev->capture.hits.complete;
	if (ignored.error > ev->capture.hits.error)
		ignored.error = ev->capture.hits.error;
	ev->capture.ignored = ignored;
	return true;
}

void
inspect_process(struct inspect *x, struct evidence *ev)
{
	const struct status *r = x->record;
	struct launched l;

	evidence_exit(ev, r);
	ev->pane = x->life;
	if (x->pane != NULL && x->pane->dead) {
		ev->exit_code = x->pane->dead_status;
		ev->exit_signal = x->pane->dead_signal;
	}
	if (!r->adopted && launched_read(&l, x->dir->state_fd, r->issue, r->run)
	    == 1 && l.ended) {
		ev->agent_ended = true;
		ev->exit_code = l.exit_code;
		ev->exit_signal = l.exit_signal;
	} else if (r->adopted && r->agent.pid != 0 && x->pane != NULL) {
		ev->agent_ended = !proc_alive(r->agent.pid, r->agent.start);
	}
}

bool
inspect_screen(struct inspect *x, struct evidence *ev)
{
	struct screen *s = &x->screen;
	msec wall = clock_wall();

	screen_release(s);
	screen_init(s, x->signs);
	screen_log(s, &x->log, x->record->log.begin);
	if (x->title != NULL)
		screen_title(s, x->title);
	if (x->front != NULL && x->record->adopted)
		screen_front(s, x->front);
	if (x->capture != NULL)
		screen_capture(s, x->capture, x->capture_len, wall);
	return screen_tell(s, &ev->screen, wall);
}
