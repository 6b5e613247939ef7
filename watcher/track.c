/*
 * track.c - one issue that is followed: it is judged, and the verdict is
 * acted on.
 *
 * The order of acting is the promise (SPEC 5, watch): a verdict is printed at
 * once, then journaled, then recorded, and only when it is recorded is a
 * signal removed or the watch ended.  What cannot be written is tried again;
 * until then nothing is done about it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "chain/detectors.h"
#include "chain/judge.h"
#include "handoff/notice.h"
#include "os/proc.h"
#include "run/journal.h"
#include "run/report.h"
#include "watcher/settle.h"
#include "watcher/watch.h"

struct track *
track_new(struct watch *w, const char *issue)
{
	struct track *t = xcalloc(1, sizeof(*t));
	size_t i;

	t->watch = w;
	t->due.at = CLOCK_NEVER;
	snprintf(t->issue, sizeof(t->issue), "%s", issue);
	status_init(&t->record, issue);
	t->lock = (struct lock)LOCK_INIT;
	evidence_init(&t->evidence, t->issue);
	t->evidence.stalled_after = w->context.config.stalled_after * 1000;
	t->log.file.fd = -1;
	for (i = 0; i < TRACK_FILES; i++)
		t->files[i].watch = -1;
	for (i = 0; i < TRACK_FDS; i++)
		t->fd[i] = -1;
	t->output.at = w->now;
	t->output.wall = clock_wall();
	for (i = 0; i < TRACK_TIMERS; i++)
		t->at[i] = CLOCK_NEVER;
	t->runner = (struct runner)RUNNER_INIT;
	return t;
}

void
track_free(struct track *t)
{
	size_t i;

	for (i = 0; i < TRACK_FDS; i++)
		track_close(t, (enum track_fd)i);
	for (i = 0; i < TRACK_FILES; i++)
		files_unwatch(t->watch->files, t->files[i].watch);
	if (t->runner.fd != -1)
		close(t->runner.fd);
	panelog_release(&t->log);
	screen_release(&t->agent.screen);
	free(t->agent.front);
	evidence_release(&t->evidence);
	lock_release(&t->lock);
	status_release(&t->record);
	free(t);
}

int
track_open(struct track *t, enum track_fd which, pid_t pid, uint64_t start)
{
	int fd;

	track_close(t, which);
	fd = proc_open(pid, start);
	if (fd != -1 && proc_ends_add(t->watch->ends, fd) == -1) {
		close(fd);      /* the slow tick looks */
		fd = -1;
	}
	return t->fd[which] = fd;
}

void
track_close(struct track *t, enum track_fd which)
{
	int *fd = &t->fd[which];

	if (*fd == -1)
		return;
	proc_ends_drop(t->watch->ends, *fd);
	close(*fd);
	*fd = -1;
}

void
track_watch(struct track *t, enum track_files which, int fd, ino_t ino)
{
	struct track_file *f = &t->files[which];

	if (f->watch != -1 && f->ino == ino)
		return;
	files_unwatch(t->watch->files, f->watch);
	f->watch = fd == -1 ? -1 : files_watch_file(t->watch->files, fd);
	f->ino = ino;
}

bool
track_first(struct track *t, enum warning what)
{
	bool first = !t->shown.warned[what];

	t->shown.warned[what] = true;
	return first;
}

void
track_journal(struct track *t, enum journal_type type, const char *detail)
{
	const struct statusdir *dir = &t->watch->context.dir;

	if (journal_add(dir->state_fd, dir->path, type, &t->record,
	    detail) == -1)
		warn("cannot write to the journal in '%s'", dir->path);
}

static void
finish(struct track *t, int status)
{
	t->life.finished = true;
	t->life.exit = status;
	lock_release(&t->lock);
}

/* ---- what is written down ------------------------------------------------ */

/* True when everything that is known stands in journal and record. */
static bool
save(struct track *t)
{
	const struct statusdir *dir = &t->watch->context.dir;
	struct status *r = &t->record;

	if (!t->unsaved.record && !t->unsaved.journal)
		return true;
	if (t->at[AT_RETRY] != CLOCK_NEVER && t->watch->now < t->at[AT_RETRY])
		return false;
	panelog_mark(&t->log, &r->log);
	if (t->unsaved.journal && journal_add(dir->state_fd, dir->path,
	    JOURNAL_STATE, r, NULL) == 0)
		t->unsaved.journal = false;
	if (!t->unsaved.journal && status_write(r, dir->state_fd) == 0) {
		t->unsaved.record = false;
		t->at[AT_RETRY] = CLOCK_NEVER;
		if (t->shown.warned[WARNED_SAVE])
			warnx("issue '%s' is recorded now", t->issue);
		t->shown.warned[WARNED_SAVE] = false;
		return true;
	}
	if (track_first(t, WARNED_SAVE))
		warn("cannot record what became of issue '%s' in '%s'; it is "
		    "tried again, and nothing is done about it until then",
		    t->issue, dir->path);
	t->at[AT_RETRY] = t->watch->now + TRACK_RETRY;
	return false;
}

/* Signals that have done their work: a completion's with its hand-off, if there
 * is one; an error's once it is recorded.  Without a hand-off the error beside a
 * completion is left for the program that does that work. */
static void
remove_signals(struct track *t)
{
	const struct statusdir *dir = &t->watch->context.dir;
	const struct sigfile *s = t->evidence.signal;
	enum state state = t->record.verdict.state;
	bool handed = t->record.handoff.state != HANDOFF_NONE;
	int ret = 0;

	if (handed)
		ret = handoff_remove_signal(&t->record, dir);
	else if (state == STATE_COMPLETE &&
	    s[SIGFILE_COMPLETE].found == SIGFILE_SIGNAL)
		ret = sigfile_remove(&s[SIGFILE_COMPLETE], dir->fd,
		    SIGFILE_COMPLETE, t->issue);
	if ((handed || state == STATE_ERROR) &&
	    s[SIGFILE_ERROR].found == SIGFILE_SIGNAL)
		ret |= sigfile_remove(&s[SIGFILE_ERROR], dir->fd,
		    SIGFILE_ERROR, t->issue);
	if (ret != 0 && track_first(t, WARNED_REMOVE))
		warn("cannot remove a signal of issue '%s' from '%s'",
		    t->issue, dir->path);
}

/* ---- what is printed ------------------------------------------------------ */

static void
print_state(struct track *t)
{
	t->shown.state = t->record.verdict.state;
	report_print_state(&t->record, t->watch->json);
}

/* Not that it is about to begin, or has. */
static bool
worth_telling(const struct handoff *h)
{
	return h->state != HANDOFF_NONE && h->state != HANDOFF_RUNNING &&
	    (h->state != HANDOFF_PENDING || h->last_exit != -1);
}

static void
print_handoff(struct track *t)
{
	const struct handoff *h = &t->record.handoff;

	if (!worth_telling(h) ||
	    (h->state == t->shown.handoff && h->attempts == t->shown.attempt))
		return;
	t->shown.handoff = h->state;
	t->shown.attempt = h->attempts;
	report_print_handoff(&t->record, t->watch->json);
}

/* ---- what a verdict changes ---------------------------------------------- */

static void
take_verdict(struct track *t, const struct verdict *v)
{
	const struct config *config = &t->watch->context.config;
	enum state before = t->record.verdict.state;

	/* With what was printed up to now, and what the next capture shows. */
	if (v->state == STATE_ERROR) {
		gather(t, &t->evidence, EVIDENCE_LOG);
		t->agent.captured = false;
		gather_ask(t, TMUX_CAPTURE);
	}
	judge_record(&t->record, v, &t->evidence, runner_wanted(config),
	    clock_wall());
	/* What was overtaken before it could be recorded is not told. */
	notice_take(&t->record, before, config);
	t->unsaved.record = t->unsaved.journal = true;
	print_state(t);
}

/*
 * When the notice of what is written down is to be sent.  A run that goes from
 * state to state is told of every two seconds, with the state that it is in by
 * then; last: there is no later turn that could do it.
 */
static msec
notice_at(struct track *t, bool last)
{
	const struct context *c = &t->watch->context;
	enum notice before = t->record.notice;
	msec left = notice_wait(&t->record, &c->config, c->dir.state_fd,
	    clock_wall());
	msec at = left == CLOCK_NEVER ? left : t->watch->now + left;

	t->unsaved.record |= t->record.notice != before;
	return last || at > t->shown.notice_from ? at : t->shown.notice_from;
}

static void
notify(struct track *t)
{
	const struct context *c = &t->watch->context;
	int sent;

	if (t->at[AT_NOTICE] > t->watch->now)
		return;
	sent = notice_send(&(struct job_env){ .record = &t->record,
	    .notice = true, .dir = &c->dir, .config = &c->config,
	    .project = &c->project });
	if (sent == -1 && track_first(t, WARNED_NOTIFY))
		warn("cannot run the command of notify for issue '%s'; it is "
		    "tried again", t->issue);
	else if (sent == 0)
		t->shown.warned[WARNED_NOTIFY] = false;
	t->at[AT_NOTICE] = t->shown.notice_from = t->watch->now + NOTICE_JOIN;
}

/* Does what was recorded call for a runner? */
static void
hand_off(struct track *t)
{
	const struct watch *w = t->watch;
	const struct context *c = &w->context;
	msec left = handoff_wait(&t->record.handoff, clock_wall());

	if (!handoff_open(&t->record.handoff) ||
	    !runner_wanted(&c->config)) {
		t->at[AT_HANDOFF] = CLOCK_NEVER;
		return;
	}
	if (t->at[AT_HANDOFF] != CLOCK_NEVER && w->now < t->at[AT_HANDOFF])
		return;
	/* What ends the pane needs its server's answers. */
	if (t->evidence.pane == PANE_SILENT)
		left = TRACK_UNTRUSTED;
	t->at[AT_HANDOFF] = left > 0 ? w->now + left : CLOCK_NEVER;
	if (left > 0)
		return;
	if (!lock_counts(&t->lock, c->dir.state_fd, t->issue)) {
		warnx("the lock of issue '%s' was removed from '%s'; it is "
		    "taken again", t->issue, c->dir.path);
		t->life.lost = true;
		return;
	}
	if (runner_start(&t->runner, &t->lock, t->issue, &c->dir, &c->config,
	    &c->project) == 0)
		return;
	if (track_first(t, WARNED_RUNNER))
		warn("cannot start the hand-off of issue '%s'; it is tried "
		    "again", t->issue);
	t->at[AT_HANDOFF] = w->now + TRACK_RETRY;
}

void
track_handed(struct track *t)
{
	unsigned before = t->record.handoff.attempts;
	struct status now;

	runner_reap(&t->runner);
	lock_mark(&t->lock);
	t->due.marked = true;
	/* Whatever it could not do is not tried again at once. */
	t->at[AT_HANDOFF] = t->watch->now + TRACK_RETRY;
	if (status_read(&now, t->watch->context.dir.state_fd, t->issue) != 1 ||
	    strcmp(now.run, t->record.run) != 0) {
		status_release(&now);
		return;
	}
	status_release(&t->record);
	t->record = now;
	t->unsaved.journal = false;
	/* Where it could not write anything down, there is no use in the next
	 * one until we can. */
	t->unsaved.record = handoff_open(&now.handoff) &&
	    now.handoff.attempts == before;
	t->runner.again = t->unsaved.record;
}

/* What the watch of the issue ends with; -1: there is something to wait for. */
static int
settled(const struct track *t)
{
	const struct status *r = &t->record;
	enum state state = r->verdict.state;
	unsigned ends = t->watch->exit_on | 1u << STATE_COMPLETE |
	    1u << STATE_DEAD | 1u << STATE_GONE;
	int status = settle_exit(r, ends);

	/* Whoever wants no hand-off waits for none; the next one does it. */
	if (t->lock.fd != -1 && state == STATE_COMPLETE &&
	    !runner_wanted(&t->watch->context.config))
		return EXIT_DONE;
	if (status == -1 && r->ended && state != STATE_COMPLETE)
		return state == STATE_ERROR ? EXIT_NO : EXIT_ENDED;
	return status;
}

static void
settle(struct track *t)
{
	int status = settled(t);

	if (status != -1)
		finish(t, status);
}

/* What an adopted run has before anybody has looked is no news. */
static bool
judged(const struct status *r)
{
	return r->changes > 0 || r->verdict.state != STATE_UNKNOWN;
}

static void
judge_turn(struct track *t)
{
	const struct judge_walk walk = { .gather = gather, .context = t };
	struct verdict v;

	t->judged_at = t->watch->now;
	gather_due(t);
	gather_last_look(t);
	judge(&walk, &t->evidence, &v);
	if (t->judged_at >= t->at[AT_SETTLE] || t->at[AT_SETTLE] == CLOCK_NEVER)
		t->at[AT_SETTLE] = gather_settle_next(t);
	if (judge_changes(&t->record, &v))
		take_verdict(t, &v);
	else if (t->shown.state == STATE_NONE && judged(&t->record))
		print_state(t);
	if (judge_record_end(&t->record, &t->evidence))
		t->unsaved.record = true;
	/* Nor are there turns while its hand-off runs. */
	t->at[AT_NOTICE] = notice_at(t, t->watch->once || settled(t) != -1 ||
	    handoff_open(&t->record.handoff));
	if (save(t)) {
		notify(t);
		remove_signals(t);
		print_handoff(t);
		hand_off(t);
		settle(t);
	}
}

/* ---- another watcher's record -------------------------------------------- */

/*
 * A run that was over when we came, and was handed off, may be the one before:
 * whoever holds the lock is about to begin another, or to end.
 */
static bool
of_the_past(struct track *t)
{
	const struct status *r = &t->record;
	struct track_followed *f = &t->followed;

	if (!f->known) {
		f->known = true;
		f->over = (state_ended(r->verdict.state) || r->ended) &&
		    !handoff_open(&r->handoff);
		f->changes = r->changes;
		memcpy(f->run, r->run, sizeof(f->run));
	}
	return !t->watch->once && f->over && r->changes == f->changes &&
	    strcmp(r->run, f->run) == 0;
}

/* The end of its holder is told where the system can; else, and where that may
 * be long after it has let the lock go, the lock is tried now and then. */
static void
try_lock(struct track *t)
{
	if (t->life.finished || t->watch->now < t->at[AT_RETRY])
		return;
	if (t->fd[FD_HOLDER] != -1 && t->watch->now < t->followed.patience) {
		t->at[AT_RETRY] = t->followed.patience;
		return;
	}
	track_close(t, FD_HOLDER);
	track_begin(t);
	t->due.marked = t->lock.fd != -1;
}

static void
follow_turn(struct track *t)
{
	struct status *r = &t->record;
	bool known, tidy;

	status_release(r);
	if (status_read(r, t->watch->context.dir.state_fd, t->issue) == -1 &&
	    track_first(t, WARNED_RECORD))
		warn("cannot read the status record of issue '%s'", t->issue);
	known = r->run[0] != '\0' && !of_the_past(t);
	/* Its runner has still to remove the signal. */
	tidy = handoff_tidy(r, &t->watch->context.dir);
	if (known && r->verdict.state != t->shown.state)
		print_state(t);
	if (known && tidy) {
		print_handoff(t);
		settle(t);
	}
	try_lock(t);
	/* Nothing tells of a signal that goes, nor of a holder that is done with
	 * this issue and does not end because of others. */
	if ((!known || !tidy) && t->lock.fd == -1 &&
	    t->at[AT_RETRY] == CLOCK_NEVER)
		t->at[AT_RETRY] = t->watch->now + TRACK_RETRY;
}

/* ---- its life ------------------------------------------------------------ */

/* -1 with errno if the record is there and cannot be read: it may say that all
 * is done. */
static int
take_over(struct track *t)
{
	int refused;

	status_release(&t->record);
	if (status_read(&t->record, t->watch->context.dir.state_fd, t->issue) ==
	    -1) {
		if (errno != EBADMSG)
			return -1;
		warn("cannot read the status record of issue '%s'; it is "
		    "written anew", t->issue);
	}
	refused = track_adopt(t);
	if (refused != 0) {
		finish(t, refused);
		return 0;
	}
	t->at[AT_RETRY] = CLOCK_NEVER;
	gather_open(t);
	return 0;
}

/* A fault of the system: a track that has begun once is tried again. */
static void
cannot_begin(struct track *t, enum warning what, const char *act)
{
	if (track_first(t, what))
		warn("cannot %s issue '%s' in '%s'%s", act, t->issue,
		    t->watch->context.dir.path, t->life.begun ?
		    "; it is tried again" : "");
	lock_release(&t->lock);
	if (!t->life.begun)
		finish(t, EXIT_COULD_NOT);
}

/* Who holds the lock and stands still keeps everybody waiting. */
static void
tell_stopped(struct track *t)
{
	struct proc p;

	if (proc_read(&p, t->lock.holder) == 0 && p.stopped &&
	    track_first(t, WARNED_STOPPED))
		warnx("issue '%s' waits: process %ld, which acts on it, is "
		    "stopped", t->issue, (long)t->lock.holder);
}

/* The word of the call, if there is one, that only the first watcher of an
 * issue can do; NULL once it is done. */
static const char *
asked(const struct track *t)
{
	const struct watch *w = t->watch;

	if (t->life.begun)
		return NULL;
	return w->new ? "--new" : w->pane != NULL ? "--pane" :
	    w->session != NULL ? "--session" : NULL;
}

static void
refuse_held(struct track *t)
{
	struct proc p;

	warnx("cannot watch issue '%s' with %s: process %ld%s acts on it; end "
	    "that one first", t->issue, asked(t), (long)t->lock.holder,
	    proc_read(&p, t->lock.holder) == 0 && p.stopped ?
	    ", which is stopped," : "");
	finish(t, EXIT_COULD_NOT);
}

/*
 * Each issue that is held needs descriptors, and a hand-off needs some too.  One
 * that is too many is left unlocked, so that a sweep can act on it; its record
 * is followed.
 */
static bool
too_many(struct track *t)
{
	struct watch *w = t->watch;
	const struct track *u;
	size_t held = 0;

	for (u = w->tracks; u != NULL; u = u->next)
		held += u->lock.fd != -1;
	if (held < w->most)
		return false;
	if (!w->told_most)
		warnx("issue '%s', and others, are left to a sweep: the limit "
		    "on open files (ulimit -Hn) is enough for %zu issues in "
		    "one watch", t->issue, w->most);
	w->told_most = true;
	t->pane.listed = t->life.begun = true;
	t->at[AT_RETRY] = w->now + w->tick;
	return true;
}

void
track_begin(struct track *t)
{
	const struct statusdir *dir = &t->watch->context.dir;

	t->due.marked = true;
	t->at[AT_RETRY] = t->watch->now + TRACK_RETRY;
	if (too_many(t))
		return;
	switch (lock_await(&t->lock, dir->state_fd, t->issue, asked(t) != NULL ?
	    LOCK_ENDING : 0)) {
	case 1:
		if (take_over(t) == -1) {
			cannot_begin(t, WARNED_RECORD, "read the status record "
			    "of");
			return;
		}
		break;
	case 0:
		t->pane.listed = true;
		if (asked(t) != NULL) {
			refuse_held(t);
			return;
		}
		tell_stopped(t);
		if (t->lock.holder != 0)
			track_open(t, FD_HOLDER, t->lock.holder,
			    t->lock.holder_start);
		if (t->fd[FD_HOLDER] != -1)
			t->at[AT_RETRY] = CLOCK_NEVER;
		break;
	default:
		cannot_begin(t, WARNED_LOCK, "lock");
		return;
	}
	t->life.begun = true;
}

/* A time that was judged already changes nothing more. */
static msec
ahead_of(const struct track *t, msec at)
{
	return at > t->judged_at ? at : CLOCK_NEVER;
}

/* When pane and hooks will have been silent for too long. */
static msec
stalled_at(const struct track *t)
{
	const struct evidence *ev = &t->evidence;
	msec last = t->hooks.heard > t->output.at ? t->hooks.heard :
	    t->output.at;

	if (t->lock.fd == -1 || ev->pane != PANE_LIVES || ev->agent_ended ||
	    !state_restless(t->record.verdict.state))
		return CLOCK_NEVER;
	return ahead_of(t, last + ev->stalled_after);
}

/* When the last look may be over; see gather_last_look(). */
static msec
last_look_at(const struct track *t)
{
	if (t->evidence.last_look || !t->last.captured)
		return CLOCK_NEVER;
	return t->evidence.pane == PANE_GONE &&
	    t->pipe.state == PIPE_CLAIMED ? t->at[AT_DRAIN] :
	    t->at[AT_ENDING];
}

static msec
deadline(const struct track *t)
{
	const msec others[] = { ahead_of(t, t->at[AT_FILL]), stalled_at(t),
	    last_look_at(t) };
	/* Without a record there is no hand-off and no notice. */
	size_t n = t->at[AT_RETRY] == CLOCK_NEVER ? TRACK_ACTS : TRACK_WAKES;
	msec least = CLOCK_NEVER;
	size_t i;

	if (t->runner.fd != -1)
		return CLOCK_NEVER;
	for (i = 0; i < n; i++)
		if (t->at[i] < least)
			least = t->at[i];
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] < least)
			least = others[i];
	return least;
}

/* One turn; a runner's end marks the track. */
static void
act(struct track *t)
{
	t->due.marked = false;
	if (t->runner.fd != -1)
		return;
	if (t->lock.fd != -1)
		judge_turn(t);
	else
		follow_turn(t);
	if (t->watch->once && !t->life.finished && !t->due.marked &&
	    t->pane.listed && t->runner.fd == -1 &&
	    (t->lock.fd == -1 || t->at[AT_ENDING] == CLOCK_NEVER))
		finish(t, t->record.verdict.state == STATE_ERROR ? EXIT_NO :
		    EXIT_TIMEOUT);
}

void
track_turn(struct track *t)
{
	act(t);
	t->due.at = deadline(t);
}

msec
track_deadline(const struct track *t)
{
	return t->life.finished ? CLOCK_NEVER : t->due.marked ? 0 : t->due.at;
}

/* The slow tick: everything is looked at, whatever was or was not told. */
void
track_tick(struct track *t)
{
	struct log_mark m;

	t->due.marked = t->due.claims = t->due.hooks = true;
	if (t->lock.fd == -1)
		t->at[AT_RETRY] = t->watch->now;
	if (t->lock.fd == -1 || t->runner.fd != -1)
		return;
	lock_touch(&t->lock);
	gather_tick(t);
	panelog_mark(&t->log, &m);
	if (m.scan.offset != t->record.log.scan.offset)
		t->unsaved.record = true;
}

/* Does a record of the same run know more? */
static bool
ahead(const struct status *a, const struct status *b)
{
	const struct handoff *h = &a->handoff, *k = &b->handoff;

	if (a->changes != b->changes)
		return a->changes > b->changes;
	return h->attempts != k->attempts ? h->attempts > k->attempts :
	    h->attempts > 0 && !handoff_open(h) && handoff_open(k);
}

/*
 * Whoever acted on the issue there before us may have written down what we do
 * not know.  False: that another run has begun.
 */
static bool
take_news(struct track *t)
{
	struct status there, *r = &t->record;
	bool found, other;

	found = status_read(&there, t->watch->context.dir.state_fd,
	    t->issue) == 1;
	other = found && strcmp(there.run, r->run) != 0;
	if (found && !other && ahead(&there, r)) {
		status_release(r);
		*r = there;
		t->unsaved.journal = false;
		return true;
	}
	other = other && there.started > r->started;
	status_release(&there);
	return !other;
}

void
track_moved(struct track *t)
{
	bool held = t->lock.fd != -1;

	lock_release(&t->lock);
	/* Whom we follow knows more of the run than is written down there, and
	 * comes as well, at its next tick. */
	if (!held)
		t->followed.patience = t->watch->now + TRACK_PATIENCE;
	if (!held || t->life.finished)
		return;
	if (lock_take(&t->lock, t->watch->context.dir.state_fd,
	    t->issue) != 1 || !take_news(t)) {
		t->life.lost = true;
		return;
	}
	/* The log there is another one, and the record must be written. */
	panelog_mark(&t->log, &t->record.log);
	panelog_release(&t->log);
	gather_open_log(t);
	t->unsaved.record = true;
	if (t->pane.server != NULL)
		server_ask(t->pane.server);
}

void
track_stop(struct track *t)
{
	if (t->lock.fd == -1 || t->life.finished || t->runner.fd != -1)
		return;
	t->unsaved.record = true;
	t->at[AT_RETRY] = CLOCK_NEVER;
	t->at[AT_NOTICE] = notice_at(t, true);
	if (save(t))
		notify(t);
}
