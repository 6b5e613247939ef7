/*
 * job.c - what the process that restarts an agent writes down, for the log, the
 * file that everybody else looks at (reload.h), the status record and the
 * journal; and what it asks of the processes in the pane.
 */
#include "reload/job.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "chain/inspect.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/proc.h"
#include "run/journal.h"
#include "run/launch.h"
#include "tmux/tmux.h"

/* ---- what is written down ------------------------------------------------ */

/* A line for the log, with its time. */
void
job_say(const struct job *j, const char *format, ...)
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
		errno = 0;              /* nobody else is there to be told */
	buf_release(&line);
}

/* Where nobody watches, we see to it that what the new agent draws of the old
 * conversation is not taken for news; see leave_redrawn() in gather.c. */
static void
count_markers(struct job *j, struct status *s)
{
	struct inspect x;
	struct evidence ev;

	if (j->r.phase != RELOAD_STARTING && j->r.phase != RELOAD_DONE)
		return;
	if (inspect_init(&x, &j->dir, s) == -1)
		return;
	evidence_init(&ev, j->key);
	inspect_log(&x, &ev, true);
	if (j->r.phase == RELOAD_DONE && j->counted)
		reload_redrawn(s, &ev.log.hits, &j->drawn);
	j->counted = j->r.phase == RELOAD_STARTING;
	j->drawn = ev.log.hits;
	inspect_release(&x);
	evidence_release(&ev);
}

/* Whoever holds the issue's lock writes its record; if nobody does, we. */
static void
tell_record(struct job *j)
{
	struct lock lock = LOCK_INIT;
	struct status s;
	bool under_way, changed;

	if (!j->issue || lock_take(&lock, j->dir.state_fd, j->key) != 1)
		return;
	if (status_read(&s, j->dir.state_fd, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0) {
		changed = reload_take(&s, j->dir.state_fd, &under_way);
		changed |= reload_find(&s, j->dir.state_fd, NULL);
		count_markers(j, &s);
		if (changed && status_write(&s, j->dir.state_fd) == -1)
			job_say(j, "cannot write the status record: %s",
			    strerror(errno));
	}
	status_release(&s);
	lock_release(&lock);
}

static void
tell_journal(const struct job *j)
{
	struct status s;
	char *detail;

	if (j->issue && status_read(&s, j->dir.state_fd, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0) {
		detail = xasprintf("reload: %s", j->r.why);
		if (journal_add(j->dir.state_fd, j->dir.path, j->r.phase ==
		    RELOAD_DONE ? JOURNAL_RUN : JOURNAL_WARNING, &s, detail)
		    == -1)
			job_say(j, "cannot write to the journal: %s",
			    strerror(errno));
		free(detail);
		status_release(&s);
	}
}

/* The end, in one way or the other. */
_Noreturn void
job_end(struct job *j, enum reload_phase phase)
{
	struct buf why = BUF_INIT;

	if (j->kept)
		tmux_keep(&j->r.place, false, &why);
	launch_remove(j->dir.state_fd, j->key);
	if (!j->issue)
		launched_remove(j->dir.state_fd, j->key);
	j->r.phase = phase;
	job_say(j, "%s: %s", reload_phase_name(phase), j->r.why);
	if (reload_write(&j->r, j->dir.state_fd, j->key) == -1)
		job_say(j, "cannot write down that it is over: %s",
		    strerror(errno));
	tell_journal(j);
	tell_record(j);
	exit(phase == RELOAD_DONE ? EXIT_DONE : EXIT_COULD_NOT);
}

_Noreturn void
job_fail(struct job *j, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(j->r.why, sizeof(j->r.why), format, ap);
	va_end(ap);
	job_end(j, RELOAD_FAILED);
}

/* What cannot be written down is not begun. */
void
job_begin(struct job *j, enum reload_phase phase, const char *what)
{
	j->r.phase = phase;
	snprintf(j->r.why, sizeof(j->r.why), "%s", what);
	if (reload_write(&j->r, j->dir.state_fd, j->key) == -1)
		job_fail(j, "cannot write to '%s': %s", j->dir.path,
		    strerror(errno));
	job_say(j, "%s: %s", reload_phase_name(phase), what);
	tell_record(j);
}

/* ---- what is there ------------------------------------------------------- */

bool
job_alive(const struct job *j)
{
	return proc_alive(j->r.agent, j->r.agent_start);
}

bool
job_front_is(const struct job *j, pid_t pid)
{
	struct proc first;

	return proc_read(&first, j->r.place.pane_pid) == 0 &&
	    first.front == pid;
}

/* Waits for that long, or until a process has ended. */
void
job_pause(msec time, pid_t pid, uint64_t start)
{
	struct pollfd p = { .fd = pid ? proc_open(pid, start) : -1,
	    .events = POLLIN };

	poll(&p, p.fd != -1, (int)time);
	if (p.fd != -1)
		close(p.fd);
}

void
job_check_pane(struct job *j)
{
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	enum tmux_result result = tmux_list(j->r.place.socket, &l, &why);
	bool there = l.server == j->r.place.server &&
	    l.server_start == j->r.place.server_start &&
	    listing_pane(&l, j->r.place.pane) != NULL;

	listing_release(&l);
	if (result == TMUX_NO_SERVER || (result == TMUX_OK && !there))
		job_fail(j, "its pane is no longer there");
	if (result != TMUX_OK)
		job_fail(j, "%s", buf_str(&why));
	buf_release(&why);
}
