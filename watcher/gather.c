/*
 * gather.c - the evidence of one issue: what is new in its files, on its
 * screen, and of its processes.
 *
 * Nothing here decides anything.  Events and answers of tmux are put into the
 * evidence and mark the track; judging is done once per turn (track.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch.h"
#include "markerwindow.h"
#include "msg.h"
#include "proc.h"
#include "watch.h"
#include "xalloc.h"

static void
close_end(int *fd)
{
	if (*fd != -1)
		close(*fd);
	*fd = -1;
}

static void
ask(struct track *t, unsigned want)
{
	t->want |= want;
	if (t->server != NULL && !t->server->ended)
		server_ask(t->server);
}

char *
gather_pipe(const struct track *t)
{
	const struct context *c = &t->watch->context;
	char *self = proc_program(), *command;
	char *cap = xasprintf("%lld", (long long)c->config.log_cap);

	command = tmux_pipe_command((const char *[]){ self ? self : "paneward",
	    "log-writer", t->issue, t->record.run, c->dir.path, cap, NULL });
	free(cap);
	free(self);
	return command;
}

void
gather_log_end(const struct track *t, struct log_mark *m)
{
	char name[PANELOG_NAME];
	struct stat st;

	panelog_name(name, t->issue);
	*m = (struct log_mark){ 0 };
	if (fstatat(t->watch->context.dir.fd, name, &st,
	    AT_SYMLINK_NOFOLLOW) == 0)
		*m = (struct log_mark){ .dev = st.st_dev, .ino = st.st_ino,
		    .read = (uint64_t)st.st_size };
}

/* ---- processes ----------------------------------------------------------- */

/* What the pane's own process has written down of a started agent. */
static void
read_launched(struct track *t)
{
	struct status *r = &t->record;
	struct evidence *ev = &t->evidence;
	struct launched l;

	if (r->adopted || ev->agent_ended || launched_read(&l,
	    t->watch->context.dir.own, t->issue, r->run) != 1)
		return;
	if (r->agent.pid != l.pid) {
		r->agent.pid = l.pid;
		r->agent.start = l.start;
		t->unsaved = true;
	}
	if (l.ended) {
		close_end(&t->agent_fd);
		ev->agent_ended = true;
		ev->exit_code = l.exit_code;
		ev->exit_signal = l.exit_signal;
	} else if (t->agent_fd == -1) {
		t->agent_fd = proc_open(l.pid, l.start);
	}
}

/* Does a living writer of ours claim the pane's pipe? */
static bool
find_writer(struct track *t)
{
	pid_t pid;
	uint64_t start;

	if (t->pipe == PIPE_CLAIMED)
		return true;
	if (!panelog_writer(t->watch->context.dir.own, t->issue,
	    t->record.run, &pid, &start))
		return false;
	t->writer_fd = proc_open(pid, start);
	if (t->writer_fd == -1 && errno == ESRCH)
		return false;
	t->claim_at = CLOCK_NEVER;
	t->pipe = PIPE_CLAIMED;
	return true;
}

static void
lose_writer(struct track *t)
{
	close_end(&t->writer_fd);
	t->pipe = PIPE_UNKNOWN;
	ask(t, TMUX_CAPTURE);
}

static void
open_ends(struct track *t)
{
	const struct status *r = &t->record;

	if (r->place.pane_pid != 0)
		t->pane_fd = proc_open(r->place.pane_pid, r->place.pane_start);
	if (r->adopted && r->agent.pid != 0) {
		t->agent_fd = proc_open(r->agent.pid, r->agent.start);
		if (t->agent_fd == -1 && errno == ESRCH)
			t->evidence.agent_ended = true;
	}
	read_launched(t);
	find_writer(t);
}

void
gather_end(struct track *t, int fd)
{
	t->marked = true;
	if (fd == t->agent_fd) {
		close_end(&t->agent_fd);
		/* A started agent's end is told by its parent, with how. */
		t->evidence.agent_ended = t->record.adopted;
		ask(t, 0);
	} else if (fd == t->pane_fd) {
		close_end(&t->pane_fd);
		ask(t, 0);
	} else if (fd == t->writer_fd) {
		lose_writer(t);
	} else if (fd == t->holder_fd) {
		close_end(&t->holder_fd);
	}
}

/* ---- files --------------------------------------------------------------- */

/* Things of a signal's name that do not count are told once each. */
static void
tell_odd_signal(struct track *t, enum sigfile_kind kind)
{
	const struct sigfile *s = &t->evidence.signal[kind];
	const char *dir = t->watch->context.dir.path;
	char name[SIGFILE_NAME], *detail;

	sigfile_name(name, kind, t->issue);
	if (s->found == SIGFILE_REFUSED &&
	    track_first(t, TOLD_REFUSED_COMPLETE + (enum told)kind)) {
		warnx("'%s/%s' is not a signal: %s; it is ignored", dir, name,
		    s->refusal);
		detail = xasprintf("%s: %s", name, s->refusal);
		track_journal(t, JOURNAL_REFUSED, detail);
		free(detail);
	}
	if (s->found == SIGFILE_STALE &&
	    track_first(t, TOLD_STALE_COMPLETE + (enum told)kind)) {
		warnx("'%s/%s' is of another run; it is ignored", dir, name);
		track_journal(t, JOURNAL_STALE, name);
	}
}

/* An error file still empty gets a second to be filled. */
static void
let_it_fill(struct track *t)
{
	struct sigfile *s = &t->evidence.signal[SIGFILE_ERROR];
	msec now = t->watch->now;

	if (s->found != SIGFILE_SIGNAL || !s->empty || t->watch->once) {
		t->fill_at = CLOCK_NEVER;
		t->filled = false;
		return;
	}
	if (t->filled)
		return;
	if (t->fill_at == CLOCK_NEVER)
		t->fill_at = now + FILLING;
	t->filled = now >= t->fill_at;
	if (t->filled)
		t->fill_at = CLOCK_NEVER;
	else
		s->found = SIGFILE_NONE;
}

static bool
gather_signals(struct track *t)
{
	const struct statusdir *dir = &t->watch->context.dir;
	const struct status *r = &t->record;
	struct evidence *ev = &t->evidence;
	msec from = r->started - (r->fresh ? 0 : SIGFILE_SLACK);
	int kind;

	buf_reset(&ev->signal_text);
	for (kind = 0; kind < SIGFILE_KINDS; kind++) {
		if (sigfile_read(&ev->signal[kind], dir->fd, dir->owner,
		    (enum sigfile_kind)kind, t->issue, r->run, from,
		    kind == SIGFILE_ERROR ? &ev->signal_text : NULL) == -1)
			return false;
		tell_odd_signal(t, (enum sigfile_kind)kind);
	}
	let_it_fill(t);
	return true;
}

/* Something was printed: a burst goes on, or begins. */
static void
note_output(struct track *t)
{
	msec now = t->watch->now;

	t->output = now;
	t->output_wall = clock_wall();
	t->stuck = false;
	t->quiet_at = now + QUIET;
	if (t->capture_at == CLOCK_NEVER)
		t->capture_at = now +
		    t->watch->context.config.capture_every * 1000;
	if (t->ending_at != CLOCK_NEVER && t->ending_at < now + SILENCE)
		t->ending_at = now + SILENCE;
}

static void
watch_log(struct track *t)
{
	if (t->log_watch != -1 && t->log_ino == t->log.mark.ino)
		return;
	files_unwatch(t->watch->files, t->log_watch);
	t->log_watch = -1;
	if (panelog_there(&t->log))
		t->log_watch = files_watch_file(t->watch->files,
		    t->log.file.fd);
	t->log_ino = t->log.mark.ino;
}

/*
 * An error waits for the line that is its message, and a marker for what may
 * refuse it, until the pane was silent for a while.
 */
static bool
gather_log(struct track *t)
{
	struct evidence *ev = &t->evidence;
	struct marker_evidence *m = &ev->log;
	bool silent;
	int got = panelog_read(&t->log);

	if (got == -1 && track_first(t, TOLD_LOG))
		warn("cannot read the pane log of issue '%s'", t->issue);
	watch_log(t);
	if (got == 1)
		note_output(t);
	silent = ev->last_look || t->watch->once ||
	    t->watch->now >= t->output + SILENCE;
	t->silence_at = CLOCK_NEVER;
	if (marker_scan_waits(t->log.scan) && !silent)
		t->silence_at = t->output + SILENCE;
	ev->log_there = panelog_there(&t->log);
	m->hits = marker_scan_hits(t->log.scan, silent);
	m->past = t->record.past_log;
	if (m->hits.stale > 0 && track_first(t, TOLD_STALE_MARKER)) {
		warnx("the pane of issue '%s' shows a marker of another run; "
		    "it is ignored", t->issue);
		track_journal(t, JOURNAL_STALE, "a marker of another run");
	}
	if (t->silence_at != CLOCK_NEVER)
		m->hits.error = m->past.error;
	buf_reset(&m->message);
	marker_scan_message(t->log.scan, &m->message);
	return ev->log_there;
}

bool
gather(void *context, struct evidence *ev, enum evidence_part part)
{
	struct track *t = context;

	switch (part) {
	case EVIDENCE_SIGNAL:
		return gather_signals(t);
	case EVIDENCE_LOG:
		return gather_log(t);
	case EVIDENCE_CAPTURE:
		return t->captured;
	case EVIDENCE_PROCESS:
		ev->silent = t->watch->now - t->output;
		return true;
	}
	return false;
}

void
gather_open_log(struct track *t)
{
	const struct statusdir *dir = &t->watch->context.dir;
	const struct status *r = &t->record;
	struct marker_set set;

	if (marker_set_init(&set, t->issue, r->run, r->marker) == -1)
		marker_set_init(&set, t->issue, r->run, NULL);
	panelog_init(&t->log, dir->fd, dir->owner, t->issue, &set, &r->log);
}

void
gather_open(struct track *t)
{
	struct status *r = &t->record;
	struct evidence *ev = &t->evidence;
	char boot[PROC_BOOT];

	gather_open_log(t);
	ev->exit_code = r->exit_code;
	ev->exit_signal = r->exit_signal;
	t->listed = r->place.socket == NULL;
	if (r->place.socket == NULL)
		return;
	proc_boot(boot);
	if (strcmp(boot, r->boot) != 0) {
		ev->pane = PANE_GONE;           /* no pane survives a boot */
		t->listed = true;
		return;
	}
	ev->pane = PANE_LIVES;
	t->server = server_at(t->watch, r->place.socket);
	ask(t, TMUX_CAPTURE);
	open_ends(t);
}

/* ---- the pane ------------------------------------------------------------ */

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
	if (t->repairs >= REPAIRS)
		return false;
	t->repairs++;
	kill(l->server, SIGCHLD);
	ask(t, TMUX_CAPTURE);
	return true;
}

static void
take_life(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	struct evidence *ev = &t->evidence;
	const struct place *place = &t->record.place;
	bool told = ev->agent_ended &&
	    (ev->exit_code != -1 || ev->exit_signal != -1);

	ev->pane = PANE_LIVES;
	if (pane->pid != place->pane_pid) {
		ev->agent_ended = true;         /* the pane was used again */
	} else if (pane->dead) {
		if (!told && pane->dead_status == -1 &&
		    pane->dead_signal == -1 && repair(t, l))
			return;
		ev->pane = PANE_DEAD;
		take_exit(t, pane);
	} else if (t->pane_fd == -1 &&
	    !proc_alive(place->pane_pid, place->pane_start) &&
	    !repair(t, l)) {
		ev->pane = PANE_DEAD;
	}
}

/* Windows move and sessions are renamed; the pane stays the same. */
static void
take_ids(struct track *t, const struct tmux_pane *pane)
{
	struct place *p = &t->record.place;

	if (strcmp(p->session, pane->session) == 0 &&
	    strcmp(p->window, pane->window) == 0)
		return;
	memcpy(p->session, pane->session, sizeof(p->session));
	memcpy(p->window, pane->window, sizeof(p->window));
	t->unsaved = true;
}

static void
open_pipe(struct track *t)
{
	t->pipe = PIPE_CLAIMING;
	t->claim_at = t->watch->now + CLAIMING;
	ask(t, TMUX_CAPTURE | TMUX_PIPE | TMUX_NAME);
}

/* Nobody of ours has claimed the pipe in time. */
static void
give_up_pipe(struct track *t, const struct tmux_pane *pane)
{
	t->pipe = pane->pipe ? PIPE_FOREIGN : PIPE_FAILED;
	if (!track_first(t, TOLD_PIPE))
		return;
	warnx("issue '%s': pane %s %s, so its screen is read every %d seconds "
	    "instead%s", t->issue, pane->id, pane->pipe ?
	    "has somebody else's pipe" : "could not be given a pipe",
	    UNTRUSTED / 1000, pane->pipe ?
	    "; --steal-pipe takes the pipe over" : "");
}

/*
 * A pane without a pipe gets ours.  One with a pipe that no living writer of
 * ours claims has somebody else's: that is left alone, and captures take the
 * place of the log.
 */
static void
take_pipe(struct track *t, const struct tmux_pane *pane)
{
	if (t->evidence.pane != PANE_LIVES || find_writer(t))
		return;
	switch (t->pipe) {
	case PIPE_UNKNOWN:
		if (!pane->pipe) {
			open_pipe(t);
		} else {
			t->pipe = PIPE_CLAIMING;
			t->claim_at = t->watch->now + CLAIMING;
		}
		break;
	case PIPE_CLAIMING:
		if (t->claim_at != CLOCK_NEVER)
			break;
		if (pane->pipe && t->watch->steal_pipe &&
		    track_first(t, TOLD_STEAL))
			open_pipe(t);
		else
			give_up_pipe(t, pane);
		break;
	case PIPE_FOREIGN:
		if (!pane->pipe)
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
	struct marker_evidence *m = &t->evidence.capture;
	struct marker_past *past = &t->record.past_capture;
	struct buf message = BUF_INIT;

	buf_reset(&m->message);
	m->hits = marker_window(&t->log.set, c->text, c->len, &message);
	buf_add(&m->message, message.data, message.len);
	buf_release(&message);
	/* Old markers scroll away; a new one then makes up for them. */
	if (past->complete > m->hits.complete)
		past->complete = m->hits.complete;
	if (past->error > m->hits.error)
		past->error = m->hits.error;
	m->past = *past;
	t->evidence.capture_alone = !panelog_there(&t->log);
	t->record.captured = clock_wall();
	t->captured = true;
	t->looked = true;
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

/* The screen moved and the log did not: its writer stands still. */
static void
compare_activity(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	msec moved = (msec)pane->activity * 1000;

	if (t->pipe == PIPE_CLAIMED && moved > t->output_wall + 5000 &&
	    alone(l, pane)) {
		t->stuck = true;
		ask(t, TMUX_CAPTURE);
	}
}

static void
set_untrusted(struct track *t)
{
	bool untrusted = t->evidence.pane == PANE_LIVES &&
	    (t->stuck || t->pipe != PIPE_CLAIMED);

	if (!untrusted)
		t->untrusted_at = CLOCK_NEVER;
	else if (t->untrusted_at == CLOCK_NEVER)
		t->untrusted_at = t->watch->now + UNTRUSTED;
}

/* The last look needs a capture, and this answer had none of it. */
static void
look_again(struct track *t)
{
	if (++t->looks < LOOKS)
		ask(t, TMUX_CAPTURE);
	else
		t->looked = true;
}

void
gather_listing(struct track *t, const struct tmux_listing *l,
    const struct tmux_pane *pane)
{
	const struct tmux_capture *c;

	t->marked = t->listed = true;
	if (pane == NULL) {
		t->evidence.pane = PANE_GONE;
		t->looked = true;
		t->untrusted_at = CLOCK_NEVER;
		return;
	}
	take_life(t, l, pane);
	take_ids(t, pane);
	c = tmux_listing_capture(l, pane->id);
	if (c != NULL)
		take_capture(t, c);
	else if (t->ending_at != CLOCK_NEVER && !t->looked)
		look_again(t);
	take_pipe(t, pane);
	compare_activity(t, l, pane);
	set_untrusted(t);
}

void
gather_server(struct track *t, bool silent)
{
	struct evidence *ev = &t->evidence;

	t->marked = t->listed = true;
	if (silent && ev->pane == PANE_LIVES)
		ev->pane = PANE_SILENT;
	else if (!silent && ev->pane == PANE_SILENT)
		ev->pane = PANE_LIVES;
}

void
gather_server_ended(struct track *t)
{
	t->marked = t->listed = t->looked = true;
	t->evidence.pane = PANE_GONE;
	t->untrusted_at = CLOCK_NEVER;
}

void
gather_due(struct track *t)
{
	msec now = t->watch->now;

	if (now >= t->quiet_at) {
		t->quiet_at = t->capture_at = CLOCK_NEVER;
		ask(t, TMUX_CAPTURE);
	}
	if (now >= t->capture_at) {
		t->capture_at = now +
		    t->watch->context.config.capture_every * 1000;
		ask(t, TMUX_CAPTURE);
	}
	if (now >= t->untrusted_at) {
		t->untrusted_at = now + UNTRUSTED;
		ask(t, TMUX_CAPTURE);
	}
	if (now >= t->claim_at) {
		t->claim_at = CLOCK_NEVER;
		ask(t, 0);
	}
	read_launched(t);
	find_writer(t);
	set_untrusted(t);
}

/* Is a process that nothing tells of still there? */
static bool
ended_unnoticed(int fd, pid_t pid, uint64_t start)
{
	return fd == -1 && pid != 0 && !proc_alive(pid, start);
}

void
gather_tick(struct track *t)
{
	const struct status *r = &t->record;
	struct evidence *ev = &t->evidence;

	if (ev->pane != PANE_LIVES || ev->agent_ended)
		return;
	if (r->adopted && ended_unnoticed(t->agent_fd, r->agent.pid,
	    r->agent.start)) {
		ev->agent_ended = true;
		ask(t, 0);
	}
	if (ended_unnoticed(t->pane_fd, r->place.pane_pid, r->place.pane_start))
		ask(t, 0);
	if (t->pipe == PIPE_CLAIMED && t->writer_fd == -1) {
		t->pipe = PIPE_UNKNOWN;
		if (!find_writer(t))
			lose_writer(t);
	}
}

void
gather_last_look(struct track *t)
{
	struct evidence *ev = &t->evidence;
	msec now = t->watch->now;

	if (ev->last_look || ev->pane == PANE_SILENT ||
	    (ev->pane == PANE_LIVES && !ev->agent_ended))
		return;
	if (t->ending_at == CLOCK_NEVER) {
		t->ending_at = ev->pane == PANE_NONE ? now : now + SILENCE;
		t->drain_at = now + DRAINING;
		t->looked = t->server == NULL || t->server->ended ||
		    ev->pane == PANE_GONE;
		if (!t->looked)
			ask(t, TMUX_CAPTURE);
	}
	/* With a pane that is gone its writer ends, and only when it has
	 * written everything. */
	if (ev->pane == PANE_GONE && t->pipe == PIPE_CLAIMED &&
	    now < t->drain_at)
		return;
	ev->last_look = t->looked && now >= t->ending_at;
}
