/*
 * gather.c - a watcher around the detectors: it follows processes, schedules
 * captures, and sets deadlines.
 */
#include <inttypes.h>

#include "run/launch.h"
#include "run/restart.h"
#include "watcher/track.h"

void
gather_ask(struct track *t, unsigned want)
{
	t->pane.want |= want;
	if (t->pane.server != NULL)
		server_hurry(t->pane.server);
}

bool
gather_restart(struct track *t, const struct tmux_pane *pane)
{
	struct status *r = &t->record;
	struct evidence *ev = &t->evidence;
	bool changed = reload_find(r, t->dir->state_fd, pane);
	bool ours = pane != NULL && pane->pid == r->place.pane_pid;

	if (!changed)
		return ours;
	if (pane != NULL)
		track_open(t, FD_PANE, r->place.pane_pid, r->place.pane_start);
	track_open(t, FD_AGENT, r->agent.pid, r->agent.start);
	ev->agent_ended = ev->final = t->last.captured = false;
	ev->exit_code = ev->exit_signal = -1;
	ev->lease_over = false;
	if (ev->pane == PANE_DEAD)
		ev->pane = PANE_UNSEEN;
	t->at[AT_ENDING] = t->at[AT_DRAIN] = CLOCK_NEVER;
	t->last.tries = t->pane.repairs = 0;
	t->unsaved.record = t->due.marked = true;
	gather_ask(t, TMUX_CAPTURE);
	return ours;
}

bool
gather_writer(struct track *t)
{
	enum panelog_writer found;
	msec wall = clock_wall(), at;
	struct proc_id writer;

	if (t->pipe.state == PIPE_CLAIMED)
		return true;
	found = panelog_writer(t->dir->state_fd, t->issue,
	    PANE_NAME(&t->record.place), &writer);
	if (found == PANELOG_BROKEN && t->pipe.state != PIPE_OPENED)
		t->pipe.state = PIPE_BROKEN;
	if (found != PANELOG_WRITTEN || (track_open(t, FD_WRITER, writer.pid,
	    writer.start) == -1 && errno == ESRCH))
		return false;
	/* An earlier writer's log is complete; the pane may have been silent
	 * for long. */
	at = t->pipe.state == PIPE_UNKNOWN ? sources_written(&t->sources) : 0;
	if (at != 0 && at <= wall) {
		if (at < t->record.started)
			at = t->record.started;
		t->output.wall = at;
		t->sources.output = t->watch->now - (wall - at);
	}
	t->pipe.writer = writer.pid;
	t->at[AT_CLAIM] = CLOCK_NEVER;
	t->pipe.state = PIPE_CLAIMED;
	return true;
}

static void
lose_writer(struct track *t)
{
	track_close(t, FD_WRITER);
	t->pipe.state = PIPE_UNKNOWN;
	gather_ask(t, TMUX_CAPTURE);
}

bool
gather_end(struct track *t, int fd)
{
	enum track_fd which = 0;

	while (which < TRACK_FDS && t->fd[which] != fd)
		which++;
	if (which == TRACK_FDS)
		return false;
	track_close(t, which);
	t->due.marked = t->due.claims = true;
	/* agent-run records the end of a started agent, and how. */
	if (which == FD_AGENT)
		t->evidence.agent_ended = t->record.adopted;
	if (which == FD_AGENT || which == FD_PANE)
		gather_ask(t, 0);
	else if (which == FD_WRITER)
		lose_writer(t);
	else if (which == FD_HOLDER)
		t->at[AT_RETRY] = t->watch->now;
	return true;
}

void
gather_backend(struct track *t, const char *foreground)
{
	const char *recorded = t->record.backend;
	struct buf error = BUF_INIT;

	if (recorded != NULL ? t->sources.backend != NULL :
	    foreground == NULL || (t->pane.foreground != NULL &&
	    strcmp(t->pane.foreground, foreground) == 0))
		return;
	if (recorded == NULL) {
		free(t->pane.foreground);
		t->pane.foreground = xstrdup(foreground);
	}
	if (sources_backend(&t->sources, &t->watch->backends, foreground,
	    t->config->backend, &error) == -1 && track_first(t, WARNED_BACKEND))
		warnx("issue '%s': %s; its screen is not judged",
		    t->issue, buf_str(&error));
	buf_release(&error);
}

/* A huge log must not delay other issues, nor the end of the watch: the next
 * turn reads on. */
static void
log_gathered(struct track *t)
{
	msec every = t->config->capture_every * 1000, *at = t->at;
	msec now = t->watch->now, silent = now + EVIDENCE_SILENCE, lasted;
	struct panelog *log = &t->sources.log;

	if (t->files[FILE_LOG].ino != log->mark.ino) {
		track_watch(t, FILE_LOG, log->file.fd, log->mark.ino);
		t->due.marked = true;   /* it may have grown meanwhile */
	}
	/* A burst is captured every capture_every seconds, sooner if a capture
	 * may be outdated, and at its end. */
	if (t->sources.printed) {
		if (at[AT_QUIET] == CLOCK_NEVER)
			t->output.burst = now;
		t->output.wall = clock_wall();
		t->pipe.stuck = false;
		at[AT_QUIET] = now + TRACK_QUIET;
		lasted = now - t->output.burst;
		if (lasted < TRACK_LASTING)
			lasted = TRACK_LASTING;
		if (every > lasted && (t->pane.captured_at < t->output.burst ||
		    screen_doubts(&t->sources.screen)))
			every = lasted;
		at[AT_CAPTURE] = clock_sooner(at[AT_CAPTURE], now + every);
		at[AT_MARK] = clock_sooner(at[AT_MARK], now + t->watch->tick);
		/* Leftover processes do not extend the final wait. */
		if (at[AT_ENDING] < silent)
			at[AT_ENDING] = clock_sooner(silent, at[AT_DRAIN]);
	}
	if (t->evidence.log.hits.stale > 0 &&
	    track_first(t, WARNED_STALE_MARKER)) {
		warnx("the pane of issue '%s' shows a marker of another run; "
		    "ignoring it", t->issue);
		track_journal(t, JOURNAL_STALE, "a marker of another run");
	}
	t->due.marked |= log->left > 0;
	if (log->left / 4 > (uint64_t)t->config->log_cap &&
	    track_first(t, WARNED_LONG))
		warnx("the pane log of issue '%s' is far longer than log_cap: "
		    "%" PRIu64 " MiB of it are still to be read", t->issue,
		    log->left >> 20);
}

/* True: a file with a signal's name is no signal. */
static bool
signals_gathered(struct track *t)
{
	const char *dir = t->dir->path, *name;
	const struct sigfile *file;
	char *detail;
	enum sigfile_kind kind;
	enum warning first;
	bool refused = false;

	for (kind = 0; kind < SIGFILE_KINDS; kind++) {
		file = &t->evidence.signal[kind];
		first = (enum warning)kind;
		name = SIGFILE_OF(kind, t->issue);
		refused |= file->found == SIGFILE_REFUSED;
		if (file->found == SIGFILE_REFUSED &&
		    track_first(t, WARNED_REFUSED_COMPLETE + first)) {
			warnx("'%s/%s' is not a signal: %s; ignoring it", dir,
			    name, file->refusal);
			detail = xasprintf("%s: %s", name, file->refusal);
			track_journal(t, JOURNAL_REFUSED, detail);
			free(detail);
		}
		if (file->found == SIGFILE_STALE &&
		    track_first(t, WARNED_STALE_COMPLETE + first)) {
			warnx("'%s/%s' is of another run; ignoring it", dir,
			    name);
			track_journal(t, JOURNAL_STALE, name);
		}
	}
	return refused;
}

/* A pass leaves events that only time can judge, and unreported error messages,
 * to the next pass. */
static void
gather_marks(struct track *t, bool judged)
{
	const struct sources *s = &t->sources;
	struct status *r = &t->record;
	struct log_mark before = r->log;
	uint64_t events = r->events, transcript = r->transcript.read;

	if (s->events_read)
		r->events = judged ? s->events.read : 0;
	if (s->transcript_path != NULL)
		r->transcript.read = judged ? s->transcript.size : 0;
	if (s->log_read && !t->held)
		panelog_mark(&s->log, &r->log);
	t->unsaved.record |= s->changed || s->text != NULL ||
	    r->events != events || r->transcript.read != transcript ||
	    r->log.read != before.read || r->log.ino != before.ino;
}

void
gather_done(struct track *t, const struct verdict *v)
{
	enum { MARGIN = 100 };
	struct sources *s = &t->sources;
	struct status *r = &t->record;
	msec left = state_reported(v->state) || state_ended(v->state) ?
	    CLOCK_NEVER : evidence_pending(&t->evidence);
	msec now = t->watch->now, tick = now + t->watch->tick, *at = t->at;
	uint64_t size = s->transcript.size;
	bool refused;
	int fd;

	if (s->signal_error != 0 && track_first(t, WARNED_SIGNALS))
		warnx("cannot read the signals of issue '%s' in '%s': %s",
		    t->issue, t->dir->path, strerror(s->signal_error));
	if (s->log_error != 0 && track_first(t, WARNED_LOG))
		warnx("cannot read the pane log of issue '%s': %s", t->issue,
		    strerror(s->log_error));
	if (s->events_error != 0 && track_first(t, WARNED_EVENTS))
		warnx("cannot read the events of issue '%s': %s", t->issue,
		    strerror(s->events_error));
	if (s->pass) {
		gather_marks(t, left == CLOCK_NEVER);
		return;
	}
	refused = signals_gathered(t);
	if (s->log_read)
		log_gathered(t);
	if (s->events_read)
		r->events = s->events.read;
	if (r->transcript.path != NULL && s->transcript_error == 0) {
		/* Tokens alone are no verdict to record. */
		if (r->transcript.read != size) {
			at[AT_MARK] = clock_sooner(at[AT_MARK], tick);
			t->unsaved.record |= state_reported(r->verdict.state);
		}
		r->transcript.read = size;
		/* A new file is watched after it was read: read it again. */
		if (t->files[FILE_TRANSCRIPT].ino != s->transcript.ino) {
			fd = transcript_open(r->transcript.path);
			track_watch(t, FILE_TRANSCRIPT, fd, s->transcript.ino);
			t->due.marked = true;
			file_close(fd);
		}
	}
	t->unsaved.record |= s->changed;
	s->changed = false;
	at[AT_AGAIN] = t->evidence.again;
	/* No event tells when a file can be read: each tick tries. */
	if (s->signal_error != 0 || s->log_error != 0 ||
	    s->events_error != 0 || s->transcript_error != 0 || refused)
		at[AT_AGAIN] = clock_sooner(at[AT_AGAIN], tick);
	if (left == CLOCK_NEVER)
		return;
	at[AT_AGAIN] = clock_sooner(at[AT_AGAIN], now + left + MARGIN);
	if (s->untrusted)
		at[AT_UNTRUSTED] = clock_sooner(at[AT_UNTRUSTED], now + left);
}

static void
gather_claims(struct track *t)
{
	struct status *r = &t->record;
	struct evidence *ev = &t->evidence;
	bool before = ev->reload;
	struct launched l;
	struct reload reload;

	t->due.claims = false;
	t->unsaved.record |= reload_take(r, t->dir->state_fd, &ev->reload);
	if (ev->reload && t->fd[FD_RESTART] == -1 && reload_read(&reload,
	    t->dir->state_fd, t->issue) == 1) {
		track_open(t, FD_RESTART, reload.process.pid,
		    reload.process.start);
		reload_release(&reload);
	}
	if (!ev->reload)
		track_close(t, FD_RESTART);
	if (r->agent.pid != 0)
		gather_restart(t, NULL);
	if (before && !ev->reload)
		gather_ask(t, TMUX_CAPTURE);
	if (!ev->agent_ended && r->adopted) {
		ev->agent_ended = r->agent.pid != 0 && t->fd[FD_AGENT] == -1 &&
		    track_open(t, FD_AGENT, r->agent.pid, r->agent.start) == -1
		    && errno == ESRCH;
	} else if (!ev->agent_ended && launched_read(&l, t->dir->state_fd,
	    t->issue, r->run) == 1) {
		if (r->agent.pid != l.pid && !r->agent.background) {
			r->agent.pid = l.pid;
			r->agent.start = l.start;
			t->unsaved.record = true;
		}
		if (l.ended) {
			track_close(t, FD_AGENT);
			ev->agent_ended = true;
			ev->exit_code = l.exit_code;
			ev->exit_signal = l.exit_signal;
			ev->lease_over = l.lease_over;
		} else if (t->fd[FD_AGENT] == -1) {
			track_open(t, FD_AGENT, l.pid, l.start);
		}
	}
	if (!t->sources.pass)
		gather_writer(t);
}

void
gather_open(struct track *t)
{
	struct status *r = &t->record;
	struct evidence *ev = &t->evidence;

	if (sources_open_log(&t->sources) == -1 && !handoff_open(&r->handoff))
		warnx("cannot use the marker '%s' of issue '%s'; the usual "
		    "ones count", r->marker, t->issue);
	gather_backend(t, NULL);
	t->sources.events_due = true;
	ev->exit_code = r->exit_code;
	ev->exit_signal = r->exit_signal;
	/* No pane survives a boot. */
	t->pane.listed = r->place.socket == NULL || proc_boot_over(r->boot);
	if (t->pane.listed && r->place.socket != NULL)
		ev->pane = PANE_GONE;
	if (t->pane.listed)
		return;
	ev->pane = PANE_UNSEEN;
	gather_claims(t);
	if (t->sources.pass)
		return;
	t->pane.server = servers_add(&t->watch->servers, r->place.socket);
	if (t->pane.server->pid == 0)
		server_identify(t->pane.server, r->place.server,
		    r->place.server_start);
	gather_ask(t, TMUX_CAPTURE);
	if (r->place.pane_pid != 0)
		track_open(t, FD_PANE, r->place.pane_pid, r->place.pane_start);
}

static void
gather_final(struct track *t)
{
	struct evidence *ev = &t->evidence;
	msec now = t->watch->now;

	if (t->record.agent.background)
		t->at[AT_ENDING] = CLOCK_NEVER;
	if (ev->final || ev->reload || ev->pane == PANE_SILENT ||
	    ev->pane == PANE_UNSEEN || t->record.agent.background ||
	    (ev->pane == PANE_LIVES && !ev->agent_ended))
		return;
	if (t->at[AT_ENDING] == CLOCK_NEVER) {
		t->at[AT_ENDING] = ev->pane == PANE_NONE ? now :
		    now + EVIDENCE_SILENCE;
		t->at[AT_DRAIN] = now + TRACK_DRAINING;
		t->last.captured = t->pane.server == NULL ||
		    ev->pane == PANE_GONE;
		if (!t->last.captured) {
			t->last.query = t->pane.server->calls + 1;
			gather_ask(t, TMUX_CAPTURE);
		}
	}
	/* The writer of a lost pane flushes the log and ends. */
	if (ev->pane == PANE_GONE && t->pipe.state == PIPE_CLAIMED &&
	    now < t->at[AT_DRAIN])
		return;
	/* A signal may decide before the log is read. */
	if (t->sources.log.left > 0)
		gather_log(&t->sources, ev);
	ev->final = t->sources.log.left == 0 && t->last.captured &&
	    now >= t->at[AT_ENDING];
}

void
gather_due(struct track *t)
{
	struct sources *s = &t->sources;
	msec now = t->watch->now, *at = t->at;
	struct stat st;
	int fd;

	if (t->due.claims)
		gather_claims(t);
	s->now = now;
	s->hasty = t->watch->policy->once;
	s->printed = s->log_read = s->events_read = false;
	if (s->pass)
		return;
	/* Without a log, a resting screen is captured once after an event. */
	s->untrusted = t->pipe.stuck || t->pipe.state != PIPE_CLAIMED ||
	    s->log.file.fd == -1;
	if (t->evidence.pane != PANE_LIVES ||
	    t->record.verdict.state == STATE_COMPLETE || !s->untrusted ||
	    (t->dir->fd == -1 && !t->pane.moved && t->record.captured >=
	    evidence_told(&t->evidence) + EVIDENCE_GRACE))
		at[AT_UNTRUSTED] = CLOCK_NEVER;
	else if (at[AT_UNTRUSTED] == CLOCK_NEVER)
		at[AT_UNTRUSTED] = TRACK_UNTRUSTED +
		    (t->dir->fd == -1 ? t->pane.captured_at : now);
	if (now >= at[AT_QUIET] || now >= at[AT_CAPTURE] ||
	    now >= at[AT_UNTRUSTED])
		gather_ask(t, TMUX_CAPTURE);
	if (now >= at[AT_QUIET])
		at[AT_QUIET] = at[AT_CAPTURE] = CLOCK_NEVER;
	if (now >= at[AT_CAPTURE])
		at[AT_CAPTURE] = now + t->config->capture_every * 1000;
	if (now >= at[AT_UNTRUSTED])
		at[AT_UNTRUSTED] = now + TRACK_UNTRUSTED;
	if (now >= at[AT_CLAIM]) {
		at[AT_CLAIM] = CLOCK_NEVER;
		gather_ask(t, 0);
	}
	if (t->watch->budget < WATCH_SHARE)
		t->watch->budget = WATCH_SHARE;
	gather_final(t);
	if (!s->events_due)
		return;
	/* Watching begins before reading, so that no line is missed. */
	fd = events_open(t->dir->state_fd, t->issue, O_RDONLY, &st);
	track_watch(t, FILE_HOOKS, fd, fd == -1 ? 0 : st.st_ino);
	file_close(fd);
}

void
gather_tick(struct track *t)
{
	const struct status *r = &t->record;
	struct evidence *ev = &t->evidence;
	struct proc writer;

	if (ev->pane != PANE_LIVES || ev->agent_ended)
		return;
	if (r->adopted && t->fd[FD_AGENT] == -1 && r->agent.pid != 0 &&
	    !proc_alive(r->agent.pid, r->agent.start)) {
		ev->agent_ended = true;
		gather_ask(t, 0);
	}
	if (t->fd[FD_PANE] == -1 && r->place.pane_pid != 0 &&
	    !proc_alive(r->place.pane_pid, r->place.pane_start))
		gather_ask(t, 0);
	if (t->pipe.state != PIPE_CLAIMED)
		return;
	/* A stopped or ended writer leaves the log behind. */
	if (t->fd[FD_WRITER] == -1) {
		t->pipe.state = PIPE_UNKNOWN;
		if (!gather_writer(t))
			lose_writer(t);
	} else if (proc_read(&writer, t->pipe.writer) == 0 && writer.stopped) {
		t->pipe.stuck = true;
		gather_ask(t, TMUX_CAPTURE);
	}
}
