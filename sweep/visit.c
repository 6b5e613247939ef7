/*
 * visit.c - one issue in a sweep, and its hand-off.
 *
 * Most issues are quiet: the states of two files, a process and the listing
 * show it.  Any other gets one turn of the watcher's, see watcher/turn.c.
 *
 * Each hand-off, and each parked agent that is told to go on, has a runner of
 * its own, so that one that hangs or fails does not delay the others.  The sweep
 * only waits for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "notice/notice.h"
#include "run/launch.h"
#include "run/run.h"
#include "sweep/sweep.h"

/* How long the record of a run that is over is kept, in ms. */
static const msec kept = (msec)30 * 24 * 60 * 60 * 1000;

/* ---- is there anything to do? -------------------------------------------- */

/* Not while a pane is there, also of an earlier run: without the record it
 * would begin another one. */
static bool
visit_expired(const struct sweep *w, const struct visit *v)
{
	return status_over(&v->record) && !v->signal && v->pane.pane == NULL &&
	    !v->past && v->life != PANE_SILENT &&
	    !handoff_open(&v->record.handoff) &&
	    v->record.since + kept < w->watch.now;
}

/* Has the pane printed since its last capture?  tmux counts in seconds. */
static bool
visit_capture_due(const struct sweep *w, const struct visit *v)
{
	bool there;

	if (v->pane.pane == NULL || status_over(&v->record))
		return false;
	panelog_unread(w->site->context.dir.fd, v->record.issue,
	    &v->record.log, &there);
	return !there || (msec)v->pane.pane->activity * 1000 + 999 >=
	    v->record.captured;
}

/* Has the transcript grown, or may one have been made? */
static bool
visit_transcript_due(struct sweep *w, const struct visit *v)
{
	const struct status *r = &v->record;
	const struct tmux_pane *pane = v->pane.pane;
	const struct backend *b;
	struct buf error = BUF_INIT;
	struct stat st;

	if (r->transcript.path == NULL) {
		if (r->agent.session == NULL || status_over(r))
			return false;
		b = backends_get(&w->watch.backends, backend_choose(r->backend,
		    pane ? pane->command : NULL,
		    w->site->context.config.backend), &error);
		buf_release(&error);
		return b != NULL && b->transcript != NULL;
	}
	return lstat(r->transcript.path, &st) == 0 &&
	    (uint64_t)st.st_size != r->transcript.read;
}

static bool
visit_stands(const struct visit *v)
{
	return run_stands(&v->record, &v->pane, &v->claim,
	    v->claim.pane != NULL);
}

bool
visit_quiet(struct sweep *w, struct visit *v)
{
	const struct context *c = &w->site->context;
	const struct statusdir *dir = &c->dir;
	const struct status *r = &v->record;
	const struct tmux_pane *pane = v->pane.pane;
	struct launched l;
	bool there, ended;

	if (r->run[0] == '\0' || v->signal || handoff_open(&r->handoff) ||
	    r->reload.since != 0 || r->notice != NOTICE_NONE)
		return false;
	/* Is its agent to be told to go on, or is that not planned yet? */
	if (r->verdict.state == STATE_LIMITED &&
	    (parked_wait(r, w->watch.now) == 0 ||
	    c->config.on_limit != (r->parked.since != 0)))
		return false;
	if (panelog_unread(dir->fd, r->issue, &r->log, &there) ||
	    events_unread(dir->state_fd, r->issue, r->events) ||
	    visit_transcript_due(w, v) || !visit_stands(v))
		return false;
	if (status_over(r))
		return !visit_expired(w, v);
	/* Has the agent ended? */
	if (r->agent.pid != 0)
		ended = r->agent.pid != r->place.pane_pid &&
		    !proc_alive(r->agent.pid, r->agent.start);
	else
		ended = !r->adopted && launched_read(&l, dir->state_fd,
		    r->issue, r->run) == 1 && l.ended;
	if (ended || v->life != PANE_LIVES)
		return false;
	return (pane == NULL || pane->pid == r->place.pane_pid) &&
	    !visit_capture_due(w, v) && (!state_restless(r->verdict.state) ||
	    (msec)pane->activity * 1000 + c->config.stalled_after * 1000 >
	    w->watch.now);
}

void
visit_want(struct sweep *w, struct visit *v)
{
	if (!visit_stands(v) && v->claim.pane != NULL)
		servers_want(&v->claim);
	else if (visit_capture_due(w, v))
		servers_want(&v->pane);
}

/* ---- the visit ----------------------------------------------------------- */

/* The files of an issue in .paneward, but for its lock. */
static const char *const kinds[] = {
	"json", "agent", "pipe", "launch", "command", "records", "notice",
	"watch.log", "handoff.log", "setup.log", "reload", "reload.log",
};

/* Warns once of the server of a pane that ended with it, or, lost, cannot be
 * reached at its socket although its process lives. */
static void
visit_warn(struct sweep *w, const struct pane_ref *p, bool lost)
{
	const struct tmux_server *s = servers_at(&w->watch.servers, p->socket);
	char *key = xasprintf("%ld %s", (long)p->server, p->socket);

	if (lost ? s == NULL || (s->result != TMUX_OK &&
	    s->result != TMUX_NO_SERVER) : s != NULL && servers_serves(s, p)) {
		free(key);
		return;
	}
	if (lost)
		w->status = EXIT_COULD_NOT;
	if (argv_has(w->warned, key))
		;
	else if (lost)
		warnx("no tmux server %ld at '%s', but its process lives; what "
		    "its panes do is unknown (kill -USR1 %ld makes a lost "
		    "socket again)", (long)p->server, p->socket,
		    (long)p->server);
	else
		warnx("the tmux server at '%s' has ended, and all its panes "
		    "with it", p->socket);
	w->warned = argv_add(w->warned, key);
	free(key);
}

/* Its track, to be freed, with the visit's record: locked, unless another
 * process acts on the issue, or was quicker.  A dry run takes no lock. */
static struct track *
visit_hold(struct sweep *w, struct visit *v)
{
	struct track *t = track_new(w->site, v->record.issue);

	status_release(&t->record);
	t->record = v->record;
	status_init(&v->record, t->issue);
	hold_begin(t);
	if (t->life.exit == EXIT_COULD_NOT)
		w->status = EXIT_COULD_NOT;
	return t;
}

void
visit_run(struct sweep *w, struct visit *v)
{
	bool expired = !w->dry_run && visit_expired(w, v), ended, due;
	char name[ISSUE_FILE];
	struct status *r;
	struct track *t;
	size_t i;

	if (v->life == PANE_SILENT) {
		visit_warn(w, &v->record.place, true);
		return;
	}
	t = visit_hold(w, v);
	if (t->life.finished || (t->lock.fd == -1 && !w->dry_run)) {
		track_free(t);
		return;
	}
	for (i = 0; expired && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		unlinkat(t->dir->state_fd, issue_file(name, t->issue,
		    kinds[i]), 0);
	r = &t->record;
	ended = r->ended;
	if (!expired) {
		query_pass(t);
		turn_judge(t);
		if (t->life.finished || t->sources.signal_error != 0)
			w->status = EXIT_COULD_NOT;
		if (!ended && r->ended && t->evidence.pane == PANE_GONE)
			visit_warn(w, &r->place, false);
		due = handoff_open(&r->handoff) && runner_wanted(t->config, r) &&
		    handoff_wait(&r->handoff, clock_wall()) == 0;
		v->due = !w->dry_run && !t->unsaved.record &&
		    !t->unsaved.journal &&
		    (due || parked_wait(r, clock_wall()) == 0);
		if (w->dry_run && due && !w->watch.json)
			printf("%s would be handed off\n", r->issue);
		v->record = *r;
		status_init(r, t->issue);
	}
	track_free(t);
}

/* ---- its hand-off -------------------------------------------------------- */

static void
job_end(void *context, msec now)
{
	struct track *t = context;
	struct context *c = &t->site->context;
	struct sweep *w = (struct sweep *)t->watch;
	const struct handoff *h = &t->record.handoff;
	unsigned before = h->attempts;
	int killed;

	(void)now;
	loop_drop(&t->handed);
	w->running--;
	/* Its runner has followed a directory that was replaced. */
	context_renew(c, &t->site->warned_directory);
	killed = turn_handed(t);
	if (t->lock.fd == -1) {
		w->status = EXIT_COULD_NOT;
	} else if (t->runner.work == RUNNER_HANDOFF) {
		if (h->attempts == before && handoff_open(h)) {
			/* Nothing was run.  Its runner has warned, unless it
			 * was killed. */
			if (killed != 0)
				warnx("the hand-off of issue '%s' was not "
				    "begun%s: its runner was killed by signal "
				    "%d; the next sweep tries again", t->issue,
				    h->attempts > 0 ? " again" : "", killed);
			w->status = EXIT_COULD_NOT;
		} else {
			report_print(&t->record, NULL, true, w->watch.json);
			if (h->state != HANDOFF_DONE && h->last_exit !=
			    HANDOFF_LATER && w->status == EXIT_DONE)
				w->status = EXIT_NO;
		}
		if (notice_wait(&t->record, t->config, c->dir.state_fd,
		    clock_wall()) == 0 && notice_send(c, &t->record) == -1)
			warn("cannot run the command of notify for issue '%s'",
			    t->issue);
	}
	track_free(t);
}

void
jobs_run(struct sweep *w)
{
	struct visit *v = w->visits;
	struct track *t;

	w->watch.handed = job_end;
	while (v < w->visits + w->n || w->running > 0) {
		for (; v < w->visits + w->n && w->running < w->jobs; v++) {
			if (!v->due)
				continue;
			/* Under the lock the record is read again: another
			 * process may have been quicker. */
			t = visit_hold(w, v);
			if (t->lock.fd != -1)
				turn_start(t);
			if (t->shown.warned[WARNED_RUNNER])
				w->status = EXIT_COULD_NOT;
			if (t->runner.fd != -1)
				w->running++;
			else
				track_free(t);
		}
		if (w->running > 0 &&
		    loop_round(&w->watch.loop, CLOCK_NEVER) == -1)
			fatal("cannot wait");
	}
}
