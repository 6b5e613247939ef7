/*
 * visit.c - one issue in a sweep.
 *
 * Most issues are quiet: the states of two files, a process and the listing
 * show it.  Any other is judged under its lock, with the record read again,
 * since another process may have acted meanwhile.  The order of acting is that
 * of the watcher: journal, record, and only then anything else.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "chain/judge.h"
#include "chain/sources.h"
#include "handoff/notice.h"
#include "os/proc.h"
#include "run/journal.h"
#include "run/launch.h"
#include "run/parked.h"
#include "run/report.h"
#include "run/restart.h"
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
	    v->record.since + kept < w->wall;
}

static bool
visit_agent_ended(const struct sweep *w, const struct status *r)
{
	struct launched l;

	if (r->agent.pid != 0)
		return r->agent.pid != r->place.pane_pid &&
		    !proc_alive(r->agent.pid, r->agent.start);
	return !r->adopted && launched_read(&l, w->context.dir.state_fd,
	    r->issue, r->run) == 1 && l.ended;
}

/* Has the pane printed since its last capture?  tmux counts in seconds. */
static bool
visit_capture_due(const struct sweep *w, const struct visit *v)
{
	bool there;

	if (v->pane.pane == NULL || status_over(&v->record))
		return false;
	panelog_unread(w->context.dir.fd, v->issue, &v->record.log, &there);
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
		b = backends_get(&w->backends, backend_choose(r->backend,
		    pane ? pane->command : NULL, w->context.config.backend),
		    &error);
		buf_release(&error);
		return b != NULL && b->transcript != NULL;
	}
	return lstat(r->transcript.path, &st) == 0 &&
	    (uint64_t)st.st_size != r->transcript.read;
}

/* Is its agent to be told to go on, or is that not planned yet? */
static bool
visit_parked(const struct sweep *w, const struct status *r)
{
	return r->verdict.state == STATE_LIMITED &&
	    (parked_wait(r, w->wall) == 0 ||
	    w->context.config.on_limit != (r->parked.since != 0));
}

bool
visit_quiet(struct sweep *w, struct visit *v)
{
	msec after = w->context.config.stalled_after * 1000;
	const struct status *r = &v->record;
	bool there;

	if (r->run[0] == '\0' || v->signal || handoff_open(&r->handoff) ||
	    r->reload.since != 0 || r->notice != NOTICE_NONE ||
	    visit_parked(w, r) ||
	    panelog_unread(w->context.dir.fd, v->issue, &r->log, &there) ||
	    events_unread(w->context.dir.state_fd, v->issue, r->events) ||
	    visit_transcript_due(w, v) ||
	    !run_stands(r, &v->pane, v->claims, v->nclaims))
		return false;
	if (status_over(r))
		return !visit_expired(w, v);
	return v->life == PANE_LIVES && !visit_agent_ended(w, r) &&
	    (v->pane.pane == NULL ||
	    v->pane.pane->pid == r->place.pane_pid) &&
	    !visit_capture_due(w, v) && (!state_restless(r->verdict.state) ||
	    (msec)v->pane.pane->activity * 1000 + after > w->wall);
}

void
visit_want(struct sweep *w, struct visit *v)
{
	if (!run_stands(&v->record, &v->pane, v->claims, v->nclaims)) {
		if (v->nclaims == 1)
			servers_want(&v->claims[0]);
	} else if (visit_capture_due(w, v)) {
		servers_want(&v->pane);
	}
}

/* ---- gathering and judging ----------------------------------------------- */

/* One visit under the lock. */
struct look {
	struct sweep  *sweep;
	struct visit  *visit;
	struct status *record;
	struct sources sources;
	struct evidence evidence;
	bool     unfinished;            /* the log, or a signal, is being
					   written right now */
	bool     hidden;                /* an error that is not looked for */
};

/* -1 after a warning: the record cannot be judged. */
static int
visit_open(struct look *k)
{
	const struct tmux_capture *c = servers_captured(&k->visit->pane);
	const struct tmux_pane *pane = k->visit->pane.pane;
	const struct tmux_pane *seen = servers_seen(&k->visit->pane);
	struct sweep *w = k->sweep;
	struct sources *s = &k->sources;
	struct buf error = BUF_INIT;

	if (sources_init(s, &w->context.dir, k->record) == -1) {
		warnx("cannot use the marker '%s' of issue '%s'",
		    k->record->marker, k->visit->issue);
		sources_release(s);
		return -1;
	}
	s->pass = s->recall = true;
	s->now = w->wall;
	if (c != NULL) {
		s->text = c->text;
		s->text_len = c->len;
	}
	if (c != NULL && seen != NULL) {        /* of the same moment */
		s->title = seen->title;
		s->foreground = seen->command;
		pane = seen;
	}
	if ((pane != NULL || k->record->backend != NULL) && sources_backend(s,
	    &w->backends, pane ? pane->command : NULL,
	    w->context.config.backend, &error) == -1)
		warnx("issue '%s': %s; what its screen shows is not judged",
		    k->visit->issue, buf_str(&error));
	buf_release(&error);
	return 0;
}

/*
 * Without --check-errors an error is not reported; but a run that has one is
 * neither dead nor gone, so no verdict is reached.  Nor is one while evidence
 * is being written: the next sweep judges it.
 */
static void
visit_judge(struct look *k, struct verdict *v)
{
	struct sweep *w = k->sweep;
	const struct sources *s = &k->sources;
	struct evidence *ev = &k->evidence;
	struct verdict other;

	ev->errors = w->check_errors;
	judge(&k->sources, ev, v);
	k->unfinished = ev->again != CLOCK_NEVER || s->signal_error != 0;
	if (v->state != STATE_COMPLETE && !ev->errors) {
		ev->errors = true;
		k->hidden = judge(NULL, ev, &other) &&
		    other.state == STATE_ERROR;
		ev->errors = false;
	}
	if (v->state != STATE_COMPLETE && (k->hidden || k->unfinished))
		*v = (struct verdict){ 0 };
	if (s->log_error != 0)
		warnx("cannot read the pane log of issue '%s': %s",
		    k->visit->issue, strerror(s->log_error));
	if (s->signal_error != 0) {
		warnx("cannot read the signals of issue '%s' in '%s': %s",
		    k->visit->issue, w->context.dir.path,
		    strerror(s->signal_error));
		w->status = EXIT_COULD_NOT;
	}
}

/* ---- acting -------------------------------------------------------------- */

/* How far everything was read; true if that is worth writing.  Events that only
 * time can judge count as unread, so that the next sweep judges them. */
static bool
visit_marks(struct look *k, const struct verdict *v)
{
	const struct sources *s = &k->sources;
	const struct evidence *ev = &k->evidence;
	struct status *r = k->record;
	struct log_mark before = r->log;
	uint64_t events = r->events, transcript = r->transcript.read;
	bool judged = state_reported(v->state) || state_ended(v->state) ||
	    evidence_pending(ev) == CLOCK_NEVER;
	bool any = s->changed || r->hidden != k->hidden;

	r->hidden = k->hidden;
	if (s->events_read)
		r->events = judged ? s->events.read : 0;
	if (s->transcript_path != NULL)
		r->transcript.read = judged ? s->transcript.size : 0;
	any |= r->events != events || r->transcript.read != transcript;
	/* The message of an error that is not reported yet is read again. */
	if (s->log_read && !k->unfinished && !k->hidden) {
		panelog_mark(&s->log, &r->log);
		any |= r->log.read != before.read || r->log.ino != before.ino;
	}
	if (s->text != NULL)
		r->captured = k->sweep->wall;
	return any || s->text != NULL;
}

void
visit_notify(struct sweep *w, const struct status *r)
{
	if (notice_send(&w->context, r) == -1)
		warn("cannot run the command of notify for issue '%s'",
		    r->issue);
}

/* Takes the verdict into the record; true if that is to be written. */
static bool
visit_record(struct look *k, const struct verdict *v, bool changed)
{
	struct sweep *w = k->sweep;
	struct status *r = k->record;
	struct evidence *ev = &k->evidence;
	const struct tmux_server *server;
	bool unsaved = visit_marks(k, v) || changed;

	if (changed) {
		if (judge_record(r, v, ev, runner_wanted(&w->context.config, r),
		    clock_wall()))
			notice_take(r, &w->context.config);
		if (v->state == STATE_ERROR)    /* its markers */
			gather_capture(&k->sources, ev);
	}
	unsaved |= detect_conflict(ev, &r->verdict);
	unsaved |= parked_take(r, v->state, v->reset,
	    w->context.config.on_limit, clock_wall());
	if (v->state == STATE_NONE || !judge_record_end(r, ev))
		return unsaved;
	/* Does the pane's server not answer at its socket now? */
	if (k->visit->life == PANE_GONE) {
		server = servers_at(&w->servers, r->place.socket);
		k->visit->orphaned = server == NULL ||
		    !servers_serves(server, &r->place);
	}
	return true;
}

static void
visit_act(struct sweep *w, struct look *k, const struct verdict *v, bool begun)
{
	const struct statusdir *dir = &w->context.dir;
	struct status *r = k->record;
	bool changed = judge_changes(r, v), due;
	bool unsaved = visit_record(k, v, changed) || begun;
	enum notice notice = r->notice;
	msec wait = notice_wait(r, &w->context.config, dir->state_fd, w->wall);

	if (changed && (state_ended(v->state) || (v->state == STATE_ERROR &&
	    w->check_errors)))
		report_print(r, NULL, false, w->json);
	due = handoff_open(&r->handoff) &&
	    runner_wanted(&w->context.config, r) &&
	    handoff_wait(&r->handoff, clock_wall()) == 0;
	if (w->dry_run && due && !w->json)
		printf("%s would be handed off\n", r->issue);
	unsaved |= r->notice != notice;
	if (w->dry_run)
		return;
	if (unsaved && ((changed && journal_add(dir->state_fd, dir->path,
	    JOURNAL_STATE, r, NULL) == -1) ||
	    status_save(r, &k->visit->lock, dir->state_fd) == -1)) {
		warn("cannot record what became of issue '%s' in '%s'; nothing "
		    "is done about it", r->issue, dir->path);
		w->status = EXIT_COULD_NOT;
		return;
	}
	if (wait == 0)
		visit_notify(w, r);
	if (signals_remove(r, &k->evidence, dir, w->check_errors) != 0)
		warn("cannot remove a signal of issue '%s' from '%s'",
		    r->issue, dir->path);
	k->visit->due = due || parked_wait(r, clock_wall()) == 0;
}

static void
visit_look(struct sweep *w, struct visit *v, struct status *r, bool begun)
{
	struct look k = { .sweep = w, .visit = v, .record = r };
	struct evidence *ev = &k.evidence;
	struct verdict verdict;

	evidence_init(ev, v->issue);
	ev->stalled_after = w->context.config.stalled_after * 1000;
	if (visit_open(&k) == -1)
		return;
	begun |= reload_take(r, w->context.dir.state_fd, &ev->reload);
	begun |= reload_find(r, w->context.dir.state_fd, v->pane.pane);
	sources_life(&k.sources, ev, v->life, v->pane.pane);
	visit_judge(&k, &verdict);
	visit_act(w, &k, &verdict, begun);
	sources_release(&k.sources);
	evidence_release(ev);
}

/* ---- which run ----------------------------------------------------------- */

/* 1: the record has a new run, 0: its old one, -1: no run is found. */
static int
visit_find_run(struct sweep *w, struct visit *v, struct status *r)
{
	struct server_pane *where = v->nclaims == 1 ? &v->claims[0] : NULL;
	const struct statusdir *dir = &w->context.dir;
	struct buf panes = BUF_INIT, why = BUF_INIT;

	if (where != NULL && run_find_place(r, where)) {
		v->pane = *where;
		v->life = where->pane->dead ? PANE_DEAD : PANE_LIVES;
		return 1;
	}
	switch (run_resolve(r, dir, &v->pane, v->claims, v->nclaims, &panes)) {
	case RUN_STANDS:
		return 0;
	case RUN_MANY:
		warnx("issue '%s' is left alone: %zu panes belong to it: %s",
		    v->issue, v->nclaims, buf_str(&panes));
		buf_release(&panes);
		return -1;
	case RUN_NOTHING:
		return -1;
	case RUN_NEW:
		break;
	}
	if (!w->dry_run)
		run_stop_writer(r, dir, where);
	if (run_begin(r, &(struct run_how){ .project = &w->context.project,
	    .dir = dir, .where = where }, &why) == -1) {
		warnx("issue '%s': %s", r->issue, buf_str(&why));
		buf_release(&why);
		w->status = EXIT_COULD_NOT;
		return -1;
	}
	v->life = where == NULL ? PANE_NONE : where->pane->dead ? PANE_DEAD :
	    PANE_LIVES;
	v->pane = where ? *where : (struct server_pane){ NULL, NULL };
	if (!w->dry_run && journal_add(dir->state_fd, dir->path, JOURNAL_RUN, r,
	    "adopted") == -1)
		warn("cannot write to the journal in '%s'", dir->path);
	return 1;
}

/* ---- the visit ----------------------------------------------------------- */

/* The files of an issue in .paneward, but for its lock. */
static const char *const kinds[] = {
	"json", "agent", "pipe", "launch", "command", "records", "notice",
	"watch.log", "handoff.log", "setup.log", "reload", "reload.log",
};

/* Has another process recorded another state since the sweep began, or another
 * pane, which may be younger than the listing? */
static bool
visit_moved_on(const struct status *then, const struct status *now)
{
	const struct pane_ref *a = &then->place, *b = &now->place;

	return strcmp(then->run, now->run) != 0 || then->since != now->since ||
	    a->server != b->server || a->server_start != b->server_start ||
	    strcmp(a->pane, b->pane) != 0 ||
	    then->verdict.state != now->verdict.state ||
	    then->handoff.state != now->handoff.state;
}

static void
visit_locked(struct sweep *w, struct visit *v)
{
	int begun, dir = w->context.dir.state_fd;
	char name[ISSUE_FILE];
	struct status r;
	size_t i;

	if (status_read(&r, dir, v->issue) == -1) {
		if (errno != EBADMSG) {
			warn("cannot read the status record of issue '%s'; "
			    "the issue is left alone", v->issue);
			w->status = EXIT_COULD_NOT;
			return;
		}
		warn("cannot read the status record of issue '%s'; it is "
		    "written anew", v->issue);
	}
	/* If another process was quicker, nothing is left to do here. */
	if (!visit_moved_on(&v->record, &r)) {
		if (visit_expired(w, v) && !w->dry_run)
			for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
				unlinkat(dir, issue_file(name, v->issue,
				    kinds[i]), 0);
		else if ((begun = visit_find_run(w, v, &r)) != -1)
			visit_look(w, v, &r, begun == 1);
	}
	status_release(&r);
}

void
visit_run(struct sweep *w, struct visit *v)
{
	struct proc p;

	if (v->life == PANE_SILENT || (v->record.run[0] == '\0' &&
	    v->nclaims == 0 && w->unreached))
		return;                 /* warned once for the server */
	if (w->dry_run) {
		if (!lock_held(w->context.dir.state_fd, v->issue, NULL) &&
		    !status_runs(&v->record))
			visit_locked(w, v);
		return;
	}
	switch (status_lock(&v->lock, w->context.dir.state_fd, v->issue, 0)) {
	case 1:
		visit_locked(w, v);
		lock_release(&v->lock);
		break;
	case 0:
		/* Its watcher acts on it. */
		if (proc_read(&p, v->lock.holder) == 0 && p.stopped)
			warnx("issue '%s' is left alone: the process "
			    "holding its lock (%ld) is suspended", v->issue,
			    (long)v->lock.holder);
		break;
	default:
		warn("cannot lock issue '%s' in '%s'", v->issue,
		    w->context.dir.path);
		w->status = EXIT_COULD_NOT;
	}
}
