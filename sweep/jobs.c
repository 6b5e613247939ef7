/*
 * jobs.c - the hand-offs of a sweep, and the parked agents that it tells to go
 * on, some at a time.
 *
 * Each has a runner of its own, so that one that hangs or fails does not delay
 * the others; the sweep only waits for them.
 */
#include "base/msg.h"
#include "handoff/notice.h"
#include "run/parked.h"
#include "run/report.h"
#include "sweep/sweep.h"

static void
job_cannot(struct sweep *w, const char *act, const struct visit *v)
{
	warn("cannot %s issue '%s'; the next sweep tries again", act,
	    v->issue);
	w->status = EXIT_COULD_NOT;
}

/* Under the lock the record is read again: another process may have been
 * quicker. */
static bool
job_begin(struct sweep *w, struct visit *v)
{
	struct context *c = &w->context;
	struct status r;
	bool begun = false;
	int got = status_lock(&v->lock, c->dir.state_fd, v->issue, 0);

	if (got == -1)
		job_cannot(w, "lock", v);
	if (got != 1)
		return false;
	got = status_read(&r, c->dir.state_fd, v->issue);
	if (got == -1)
		job_cannot(w, "read the status record of", v);
	if (got == 1 && ((handoff_open(&r.handoff) &&
	    handoff_wait(&r.handoff, clock_wall()) == 0) ||
	    parked_wait(&r, clock_wall()) == 0)) {
		v->attempts = r.handoff.attempts;
		v->runner.work = handoff_open(&r.handoff) ? RUNNER_HANDOFF :
		    RUNNER_PARKED;
		begun = runner_start(&v->runner, &v->lock, &r, c) == 0;
		if (!begun)
			job_cannot(w, "start a runner for", v);
	}
	status_release(&r);
	if (!begun)
		lock_release(&v->lock);
	return begun;
}

/* killed: the signal that ended its runner, 0: none. */
static void
job_report(struct sweep *w, const struct visit *v, const struct status *r,
    int killed)
{
	const struct handoff *h = &r->handoff;

	/* Nothing was run.  Its runner has warned, unless it was killed. */
	if (h->attempts == v->attempts && handoff_open(h)) {
		if (killed != 0)
			warnx("the hand-off of issue '%s' was not begun%s: its "
			    "runner was killed by signal %d; the next sweep "
			    "tries again", v->issue, h->attempts > 0 ?
			    " again" : "", killed);
		w->status = EXIT_COULD_NOT;
		return;
	}
	report_print(r, NULL, true, w->json);
	if (h->state != HANDOFF_DONE && h->last_exit != HANDOFF_LATER &&
	    w->status == EXIT_DONE)
		w->status = EXIT_NO;
}

static void
job_end(void *context, msec now)
{
	struct visit *v = context;
	struct sweep *w = v->sweep;
	int killed = runner_reap(&v->runner), got;
	bool warned = false;
	struct status r;

	(void)now;
	loop_drop(&v->ended);
	w->running--;
	/* Its runner has followed a directory that was replaced. */
	context_renew(&w->context, &warned);
	got = status_read(&r, w->context.dir.state_fd, v->issue);
	if (got == -1)
		job_cannot(w, "read the status record of", v);
	if (got == 1 && v->runner.work == RUNNER_HANDOFF) {
		job_report(w, v, &r, killed);
		if (notice_wait(&r, &w->context.config, w->context.dir.state_fd,
		    clock_wall()) == 0)
			visit_notify(w, &r);
	}
	lock_release(&v->lock);
	status_release(&r);
}

void
jobs_run(struct sweep *w)
{
	struct loop loop = LOOP_INIT;
	struct visit *v = w->visits;

	while (v < w->visits + w->n || w->running > 0) {
		for (; v < w->visits + w->n && w->running < w->jobs; v++)
			if (v->due && job_begin(w, v)) {
				v->sweep = w;
				v->ended = LOOP_WAIT(v->runner.fd, job_end, v);
				loop_add(&loop, &v->ended);
				w->running++;
			}
		if (w->running > 0 && loop_round(&loop, CLOCK_NEVER) == -1)
			fatal("cannot wait");
	}
	loop_release(&loop);
}
