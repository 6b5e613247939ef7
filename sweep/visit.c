/*
 * visit.c - one issue in a sweep.
 *
 * Most issues are quiet: a look at two file states, a process and the listing
 * is enough.  What is not is looked at under its lock, with the record read
 * again, since somebody else may have acted meanwhile.  The order of acting is
 * that of the watcher: journal, record, and only then anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "chain/detectors.h"
#include "chain/inspect.h"
#include "chain/judge.h"
#include "handoff/notice.h"
#include "os/file.h"
#include "os/proc.h"
#include "run/journal.h"
#include "run/launch.h"
#include "run/report.h"
#include "run/restart.h"
#include "run/run.h"
#include "sweep/sweep.h"

/* How long the record of a run that is over is kept, in ms. */
static const msec kept = (msec)30 * 24 * 60 * 60 * 1000;

/* ---- is there anything to do? -------------------------------------------- */

static bool
over(const struct status *r)
{
	return state_ended(r->verdict.state) || r->ended;
}

/* Without its record, a pane that is still there would begin another run, be
 * it that of an earlier one. */
static bool
expired(const struct sweep *w, const struct visit *v)
{
	return over(&v->record) && !v->signal && v->pane.pane == NULL &&
	    !v->past && v->life != PANE_SILENT &&
	    !handoff_open(&v->record.handoff) &&
	    v->record.since + kept < w->wall;
}

static bool
agent_ended(const struct sweep *w, const struct status *r)
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
printed_since(const struct server_pane *p, msec captured)
{
	return (msec)p->pane->activity * 1000 + 999 >= captured;
}

static bool
capture_due(const struct sweep *w, const struct visit *v)
{
	bool there;

	if (v->pane.pane == NULL || over(&v->record))
		return false;
	panelog_unread(w->context.dir.fd, v->issue, &v->record.log, &there);
	return !there || printed_since(&v->pane, v->record.captured);
}

static bool
just_stalled(const struct sweep *w, const struct visit *v)
{
	msec after = w->context.config.stalled_after * 1000;

	return state_restless(v->record.verdict.state) &&
	    (msec)v->pane.pane->activity * 1000 + after <= w->wall;
}

bool
visit_quiet(struct sweep *w, struct visit *v)
{
	const struct status *r = &v->record;
	bool there;

	if (r->run[0] == '\0' || v->signal || handoff_open(&r->handoff) ||
	    r->reload.since != 0 || r->notice != NOTICE_NONE ||
	    panelog_unread(w->context.dir.fd, v->issue, &r->log, &there) ||
	    events_unread(w->context.dir.state_fd, v->issue, r->events) ||
	    !run_stands(r, &v->pane, v->claims, v->nclaims))
		return false;
	if (over(r))
		return !expired(w, v);
	return v->life == PANE_LIVES && !agent_ended(w, r) &&
	    !capture_due(w, v) && !just_stalled(w, v);
}

void
visit_want(struct sweep *w, struct visit *v)
{
	if (!run_stands(&v->record, &v->pane, v->claims, v->nclaims)) {
		if (v->nclaims == 1)
			servers_want(&w->servers, &v->claims[0]);
	} else if (capture_due(w, v)) {
		servers_want(&w->servers, &v->pane);
	}
}

/* Is there a server of which nobody knows what panes it has? */
static bool
visit_unreached(const struct sweep *w)
{
	size_t i;

	for (i = 0; i < w->servers.n; i++)
		if (w->servers.server[i].result != TMUX_OK &&
		    w->servers.server[i].result != TMUX_NO_SERVER)
			return true;
	return false;
}

/* ---- looking ------------------------------------------------------------- */

struct look {
	struct sweep  *sweep;
	struct visit  *visit;
	struct status *record;
	struct inspect in;
	unsigned gathered, there;       /* enum evidence_part */
	bool     unfinished;            /* the log, or a signal, is being
					   written right now */
	bool     hidden;                /* an error that is not looked for */
};

static bool
log_at_rest(const struct look *k)
{
	struct stat st;

	return k->in.log.file.fd == -1 || fstat(k->in.log.file.fd, &st) == -1 ||
	    file_mtime(&st) +
	    EVIDENCE_SILENCE < clock_wall();
}

static bool
look_log_part(struct look *k, struct evidence *ev)
{
	bool there = inspect_log(&k->in, ev, false);

	if (k->in.log_error != 0)
		warnx("cannot read the pane log of issue '%s': %s",
		    k->visit->issue, strerror(k->in.log_error));
	if (log_at_rest(k))
		ev->log.hits = marker_scan_hits(k->in.log.scan, true);
	else if (inspect_waits(&k->in))
		k->unfinished = true;
	return there;
}

static void
cannot_look(struct sweep *w, const char *what, const char *issue)
{
	warn("cannot read %s of issue '%s' in '%s'", what, issue,
	    w->context.dir.path);
	w->status = EXIT_COULD_NOT;
}

static bool
look_signals(struct look *k, struct evidence *ev)
{
	struct sigfile *s = &ev->signal[SIGFILE_ERROR];

	if (!inspect_signals(&k->in, ev)) {
		/* Whether there is a report is not known: nothing is said. */
		k->unfinished = k->sweep->context.dir.fd != -1;
		if (k->unfinished)
			cannot_look(k->sweep, "the signals", k->visit->issue);
		return false;
	}
	if (s->found == SIGFILE_SIGNAL && s->empty &&
	    s->written + EVIDENCE_FILLING > k->sweep->wall) {
		s->found = SIGFILE_NONE;        /* the next sweep reads it */
		k->unfinished = true;
	}
	return true;
}

static bool
look_process_part(struct look *k, struct evidence *ev)
{
	const struct server_pane *p = &k->visit->pane;

	inspect_process(&k->in, ev);
	ev->last_look = log_at_rest(k) &&
	    !ev->reload && (ev->pane != PANE_LIVES || ev->agent_ended);
	ev->silent = p->pane ? k->sweep->wall - (msec)p->pane->activity * 1000 :
	    0;
	return true;
}

/* Where nothing was printed since, what was seen the last time holds. */
static bool
look_screen_part(struct look *k, struct evidence *ev)
{
	return k->in.capture != NULL ? inspect_screen(&k->in, ev) :
	    screen_recall(&ev->screen, &k->record->verdict);
}

/* Each part is gathered once, however often the chain is walked. */
static bool
look_gather(void *context, struct evidence *ev, enum evidence_part part)
{
	struct look *k = context;
	bool there = false;

	if (k->gathered & part)
		return k->there & part;
	switch (part) {
	case EVIDENCE_SIGNAL:  there = look_signals(k, ev); break;
	case EVIDENCE_HOOK:  there = inspect_events(&k->in, ev); break;
	case EVIDENCE_LOG:     there = look_log_part(k, ev); break;
	case EVIDENCE_CAPTURE: there = inspect_capture(&k->in, ev); break;
	case EVIDENCE_PROCESS: there = look_process_part(k, ev); break;
	case EVIDENCE_SCREEN:  there = look_screen_part(k, ev); break;
	}
	k->gathered |= part;
	k->there |= there ? part : 0;
	return there;
}

/*
 * Errors are looked for with --check-errors only.  Without it a run that has
 * reported one is neither dead nor gone: nothing is said of it at all.  Nor is
 * anything while its evidence is being written: the next sweep knows more.
 */
static void
judge_visit(struct look *k, struct evidence *ev, struct verdict *v)
{
	const struct judge_walk walk = { .gather = look_gather, .context = k };
	struct verdict other;

	ev->errors = k->sweep->check_errors;
	judge(&walk, ev, v);
	if (v->state == STATE_COMPLETE)
		return;
	if (!ev->errors) {
		ev->errors = true;
		k->hidden = judge(&walk, ev, &other) &&
		    other.state == STATE_ERROR;
		ev->errors = false;
	}
	if (k->hidden || k->unfinished)
		*v = (struct verdict){ 0 };
}

/* What kind of agent its pane shows; the listing is that of the capture. */
static void
find_backend(struct look *k, const struct tmux_pane *p)
{
	struct sweep *w = k->sweep;
	struct buf error = BUF_INIT;
	const struct backend *b;

	b = backends_get(&w->backends, backend_choose(k->record->backend,
	    p->command, w->context.config.backend), &error);
	if (b == NULL)
		warnx("issue '%s': %s; what its screen shows is not judged",
		    k->visit->issue, buf_str(&error));
	else if (b->signs.n > 0)
		k->in.signs = &b->signs;
	buf_release(&error);
	k->in.title = p->title;
	k->in.front = p->command;
}

static int
begin_look(struct look *k)
{
	const struct tmux_capture *c = servers_captured(&k->visit->pane);
	const struct tmux_pane *p = servers_seen(&k->visit->pane);

	if (inspect_init(&k->in, &k->sweep->context.dir, k->record) == -1) {
		warnx("cannot use the marker '%s' of issue '%s'",
		    k->record->marker, k->visit->issue);
		return -1;
	}
	k->in.life = k->visit->life;
	k->in.pane = k->visit->pane.pane;
	k->in.capture = c ? c->text : NULL;
	k->in.capture_len = c ? c->len : 0;
	if (c != NULL && p != NULL)
		find_backend(k, p);
	return 0;
}

/* ---- acting -------------------------------------------------------------- */

/* How far the records were read.  What only time can tell is looked at again
 * by the next sweep, as if nobody had read them. */
static uint64_t
events_mark(const struct look *k, const struct evidence *ev,
    const struct verdict *v)
{
	bool settled = state_reported(v->state) || state_ended(v->state) ||
	    !evidence_pending(ev);

	return settled ? k->in.events : 0;
}

/* How far everything was read; true if that is worth writing. */
static bool
take_marks(struct look *k, const struct evidence *ev, const struct verdict *v)
{
	struct status *r = k->record;
	struct log_mark before = r->log;
	bool any = false;
	uint64_t events;

	if (k->gathered & EVIDENCE_HOOK) {
		events = events_mark(k, ev, v);
		any |= r->events != events;
		any |= status_session(r, ev->hook.session);
		r->events = events;
	}
	/* Of an error that is not told yet, the message is still to be read. */
	if (k->gathered & EVIDENCE_LOG && !k->unfinished && !k->hidden) {
		panelog_mark(&k->in.log, &r->log);
		any |= r->log.read != before.read || r->log.ino != before.ino;
	}
	if (k->in.capture != NULL) {
		if (k->there & EVIDENCE_CAPTURE)
			r->ignored_capture = ev->capture.ignored;
		r->captured = k->sweep->wall;
		any = true;
	}
	return any;
}

/* A completion that the screen shows now is from before the error. */
static void
disown_screen(struct look *k, struct evidence *ev)
{
	if (look_gather(k, ev, EVIDENCE_CAPTURE))
		k->record->ignored_capture = (struct marker_ignored){
		    ev->capture.hits.complete, ev->capture.hits.error };
}

/* Is a pane's server the one that answers at its socket now? */
static bool
server_there(const struct sweep *w, const struct pane_ref *p)
{
	const struct tmux_server *s = servers_at(&w->servers, p->socket);

	return s != NULL && servers_serves(s, p);
}

static bool
worth_telling(const struct sweep *w, enum state state)
{
	return state_ended(state) || (state == STATE_ERROR && w->check_errors);
}

static int
write_visit(struct sweep *w, const struct status *r, bool changed)
{
	const struct statusdir *dir = &w->context.dir;

	if ((!changed || journal_add(dir->state_fd, dir->path, JOURNAL_STATE, r,
	    NULL) == 0) && status_write(r, dir->state_fd) == 0)
		return 0;
	warn("cannot record what became of issue '%s' in '%s'; nothing is "
	    "done about it", r->issue, dir->path);
	w->status = EXIT_COULD_NOT;
	return -1;
}

/* The signals that a record which is written has made needless. */
static void
remove_signals(struct sweep *w, const struct status *r,
    const struct evidence *ev)
{
	const struct statusdir *dir = &w->context.dir;
	const struct sigfile *s = &ev->signal[SIGFILE_ERROR];
	bool handed = r->handoff.state != HANDOFF_NONE;
	int ret = handoff_remove_signal(r, dir);

	if ((handed || (r->verdict.state == STATE_ERROR && w->check_errors)) &&
	    s->found == SIGFILE_SIGNAL)
		ret |= sigfile_remove(s, dir->fd, SIGFILE_ERROR, r->issue);
	if (ret != 0)
		warn("cannot remove a signal of issue '%s' from '%s'",
		    r->issue, dir->path);
}

void
visit_notify(struct sweep *w, const struct status *r)
{
	const struct context *c = &w->context;

	if (notice_send(&(struct job_env){ .record = r, .notice = true,
	    .dir = &c->dir, .config = &c->config, .project = &c->project })
	    == -1)
		warn("cannot run the command of notify for issue '%s'",
		    r->issue);
}

static void
act(struct sweep *w, struct look *k, struct evidence *ev,
    const struct verdict *v, bool begun)
{
	struct status *r = k->record;
	bool changed = judge_changes(r, v), unsaved = begun, due;
	enum state before = r->verdict.state;
	enum notice notice;
	msec tell;

	unsaved |= take_marks(k, ev, v);
	if (changed)
		judge_record(r, v, ev, runner_wanted(&w->context.config),
		    clock_wall());
	if (changed && v->state == STATE_ERROR)
		disown_screen(k, ev);
	if (changed)
		notice_take(r, before, &w->context.config);
	unsaved |= detect_conflict(ev, &r->verdict);
	notice = r->notice;
	tell = notice_wait(r, &w->context.config, w->context.dir.state_fd,
	    w->wall);
	unsaved |= changed || r->notice != notice;
	if (v->state != STATE_NONE && judge_record_end(r, ev)) {
		unsaved = true;
		k->visit->orphaned = k->visit->life == PANE_GONE &&
		    !server_there(w, &r->place);
	}
	if (changed && worth_telling(w, v->state))
		report_print_state(r, w->json);
	due = handoff_open(&r->handoff) &&
	    runner_wanted(&w->context.config) &&
	    handoff_wait(&r->handoff, clock_wall()) == 0;
	if (w->dry_run && due && !w->json)
		printf("%s would be handed off\n", r->issue);
	if (w->dry_run || (unsaved && write_visit(w, r, changed) == -1))
		return;
	if (tell == 0)
		visit_notify(w, r);
	remove_signals(w, r, ev);
	k->visit->due = due;
}

static void
look(struct sweep *w, struct visit *v, struct status *r, bool begun)
{
	struct look k = { .sweep = w, .visit = v, .record = r };
	struct evidence ev;
	struct verdict verdict;

	if (begin_look(&k) == -1)
		return;
	evidence_init(&ev, v->issue);
	ev.stalled_after = w->context.config.stalled_after * 1000;
	begun |= reload_take(r, w->context.dir.state_fd, &ev.reload);
	begun |= reload_find(r, w->context.dir.state_fd, v->pane.pane);
	judge_visit(&k, &ev, &verdict);
	act(w, &k, &ev, &verdict, begun);
	inspect_release(&k.in);
	evidence_release(&ev);
}

/* ---- which run ----------------------------------------------------------- */

/* 1: the record has a new run, 0: its old one, -1: nothing can be said. */
static int
find_run(struct sweep *w, struct visit *v, struct status *r)
{
	struct server_pane *where = v->nclaims == 1 ? &v->claims[0] : NULL;
	const struct statusdir *dir = &w->context.dir;
	struct buf panes = BUF_INIT;

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
	    .dir = dir, .where = where }) == -1) {
		warn("cannot make a run id");
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

static const char *const kinds[] = { "json", "agent", "pipe", "launch",
    "command", "records", "notice", "watch.log", "handoff.log", "reload", "reload.log" };

static void
forget(struct sweep *w, const char *issue)
{
	char name[ISSUE_MAX + 32];
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(name, sizeof(name), "%s.%s", issue, kinds[i]);
		unlinkat(w->context.dir.state_fd, name, 0);
	}
}

static bool
same_pane(const struct pane_ref *a, const struct pane_ref *b)
{
	return a->server == b->server && a->server_start == b->server_start &&
	    strcmp(a->pane, b->pane) == 0;
}

/* Has somebody written down another state since the sweep began, or another
 * pane, which may be younger than what tmux told of its panes? */
static bool
moved_on(const struct status *then, const struct status *now)
{
	return strcmp(then->run, now->run) != 0 || then->since != now->since ||
	    !same_pane(&then->place, &now->place) ||
	    then->verdict.state != now->verdict.state ||
	    then->handoff.state != now->handoff.state;
}

static void
visit_locked(struct sweep *w, struct visit *v)
{
	struct status r;
	int begun;

	if (status_read(&r, w->context.dir.state_fd, v->issue) == -1) {
		if (errno != EBADMSG) {
			warn("cannot read the status record of issue '%s'; "
			    "the issue is left alone", v->issue);
			w->status = EXIT_COULD_NOT;
			return;
		}
		warn("cannot read the status record of issue '%s'; it is "
		    "written anew", v->issue);
	}
	/* Somebody else was quicker; then there is nothing left to do here. */
	if (!moved_on(&v->record, &r)) {
		if (expired(w, v) && !w->dry_run)
			forget(w, v->issue);
		else if ((begun = find_run(w, v, &r)) != -1)
			look(w, v, &r, begun == 1);
	}
	status_release(&r);
}

static void
tell_holder(const struct visit *v)
{
	struct proc p;

	if (proc_read(&p, v->lock.holder) == 0 && p.stopped)
		warnx("issue '%s' is left alone: process %ld, which acts on "
		    "it, is stopped", v->issue, (long)v->lock.holder);
}

void
visit_run(struct sweep *w, struct visit *v)
{
	if (v->life == PANE_SILENT || (v->record.run[0] == '\0' &&
	    v->nclaims == 0 && visit_unreached(w)))
		return;                 /* told once for the server */
	if (w->dry_run) {
		if (!lock_held(w->context.dir.state_fd, v->issue, NULL))
			visit_locked(w, v);
		return;
	}
	switch (lock_take(&v->lock, w->context.dir.state_fd, v->issue)) {
	case 1:
		visit_locked(w, v);
		lock_release(&v->lock);
		break;
	case 0:
		tell_holder(v);         /* its watcher looks after it */
		break;
	default:
		warn("cannot lock issue '%s' in '%s'", v->issue,
		    w->context.dir.path);
		w->status = EXIT_COULD_NOT;
	}
}
