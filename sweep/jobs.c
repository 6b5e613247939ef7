/*
 * jobs.c - the hand-offs of a sweep, and the parked agents that it tells to go
 * on, some at a time.
 *
 * Each has a runner of its own, so that one that hangs or fails does not delay
 * the others; the sweep only waits for them.
 */
#include "base/msg.h"
#include "notice/notice.h"
#include "run/report.h"
#include "sweep/sweep.h"
#include "watcher/hold.h"
#include "watcher/turn.h"

/* Under the lock the record is read again: another process may have been
 * quicker. */
static void
job_begin(struct sweep *w, struct visit *v)
{
	struct track *t = visit_hold(w, v);

	if (t->lock.fd != -1)
		turn_start(t);
	if (t->shown.warned[WARNED_RUNNER])
		w->status = EXIT_COULD_NOT;
	if (t->runner.fd != -1)
		w->running++;
	else
		track_free(t);
}

/* killed: the signal that ended its runner, 0: none. */
static void
job_report(struct sweep *w, const struct track *t, unsigned before, int killed)
{
	const struct handoff *h = &t->record.handoff;

	/* Nothing was run.  Its runner has warned, unless it was killed. */
	if (h->attempts == before && handoff_open(h)) {
		if (killed != 0)
			warnx("the hand-off of issue '%s' was not begun%s: its "
			    "runner was killed by signal %d; the next sweep "
			    "tries again", t->issue, h->attempts > 0 ?
			    " again" : "", killed);
		w->status = EXIT_COULD_NOT;
		return;
	}
	report_print(&t->record, NULL, true, w->watch.json);
	if (h->state != HANDOFF_DONE && h->last_exit != HANDOFF_LATER &&
	    w->status == EXIT_DONE)
		w->status = EXIT_NO;
}

static void
job_end(void *context, msec now)
{
	struct track *t = context;
	struct context *c = &t->site->context;
	struct sweep *w = (struct sweep *)t->watch;
	unsigned before = t->record.handoff.attempts;
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
		job_report(w, t, before, killed);
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

	w->watch.handed = job_end;
	while (v < w->visits + w->n || w->running > 0) {
		for (; v < w->visits + w->n && w->running < w->jobs; v++)
			if (v->due)
				job_begin(w, v);
		if (w->running > 0 &&
		    loop_round(&w->watch.loop, CLOCK_NEVER) == -1)
			fatal("cannot wait");
	}
}
