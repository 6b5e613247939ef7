#include "loop/engine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "loop/loop.h"
#include "loop/report.h"
#include "loop/round.h"
#include "os/trap.h"

enum {
	FAILURES_MOST = 5,              /* rounds in a row */
	COMPARED = 64 << 10             /* bytes of the logs, at once */
};

/* The issue's watcher may have removed the signal before we saw it. */
static bool
issue_complete(const struct loop *l)
{
	struct status r;
	bool complete;

	if (l->state.issue == NULL)
		return false;
	complete = status_read(&r, l->context.dir.state_fd,
	    l->state.issue) == 1 && r.verdict.state == STATE_COMPLETE &&
	    r.since >= l->state.started;
	status_release(&r);
	return complete;
}

/* ---- after a round ------------------------------------------------------- */

static bool
same_content(int a, int b)
{
	char *x = xmalloc(COMPARED), *y = xmalloc(COMPARED);
	ssize_t n, m;

	do {
		n = read(a, x, COMPARED);
		m = read(b, y, COMPARED);
	} while (n > 0 && n == m && memcmp(x, y, (size_t)n) == 0);
	free(x);
	free(y);
	return n == 0 && m == 0;
}

static int
open_round_log(const struct loop *l, long iteration)
{
	char name[LOOP_FILE];

	loop_log_name(name, l->name, iteration);
	return openat(l->context.dir.state_fd, name, O_RDONLY | O_CLOEXEC |
	    O_NOFOLLOW);
}

/* Did the last two rounds print the same? */
static bool
no_news(const struct loop *l)
{
	int a = open_round_log(l, l->state.iteration - 1);
	int b = open_round_log(l, l->state.iteration);
	bool same = a != -1 && b != -1 && same_content(a, b);

	if (a != -1)
		close(a);
	if (b != -1)
		close(b);
	return same;
}

/* A round that ended by a limit is neither a failure nor a repetition. */
static void
add_round(struct loop *l)
{
	struct loop_state *s = &l->state;

	loop_state_add(s, &l->round);
	if (l->round.end != ROUND_LIMITED)
		s->limited_until = 0;
	if (!round_counts(&l->round))
		return;
	s->done = s->iteration;
	if (l->round.end == ROUND_LIMITED)
		return;
	s->failures = round_failed(&l->round) ? s->failures + 1 : 0;
	if (s->iteration > 1 && no_news(l))
		s->same++;
	else
		s->same = 1;
}

/* ---- ends ---------------------------------------------------------------- */

static bool
ended_as(const struct loop *l, enum round_end end)
{
	return l->round.iteration > 0 && l->round.end == end;
}

static bool
end_keyword(const struct loop *l)
{
	return ended_as(l, ROUND_KEYWORD);
}

static bool
end_signal(const struct loop *l)
{
	return ended_as(l, ROUND_SIGNAL) || loop_signalled(l) ||
	    issue_complete(l);
}

static bool
end_interrupted(const struct loop *l)
{
	return ended_as(l, ROUND_INTERRUPTED);
}

static bool
end_error(const struct loop *l)
{
	return ended_as(l, ROUND_NO_SESSION);
}

static bool
end_time(const struct loop *l)
{
	msec now = clock_now();

	return ended_as(l, ROUND_TIME) || now >= loop_deadline(l, now);
}

static bool
end_iterations(const struct loop *l)
{
	return l->state.done >= l->state.max_iterations;
}

static bool
end_failures(const struct loop *l)
{
	return l->state.failures >= FAILURES_MOST;
}

static bool
end_same(const struct loop *l)
{
	return l->state.same_rounds > 0 &&
	    l->state.same >= l->state.same_rounds;
}

/* Order is policy: the agent's word, then the user's, then the limits, then
 * what makes no sense to continue. */
static const struct end {
	const char *reason;
	bool      (*is)(const struct loop *);
	int         status;
} ends[] = {
	{ "keyword",         end_keyword,     EXIT_DONE },
	{ "signal-complete", end_signal,      EXIT_NO },
	{ "interrupted",     end_interrupted, EXIT_INTERRUPTED },
	{ "error",           end_error,       EXIT_COULD_NOT },
	{ "max-iterations",  end_iterations,  EXIT_NO },
	{ "max-time",        end_time,        EXIT_NO },
	{ "failures",        end_failures,    EXIT_NO },
	{ "no-progress",     end_same,        EXIT_NO },
};

static const struct end *
find_end(const struct loop *l)
{
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i].is(l))
			return &ends[i];
	return NULL;
}

/* ---- the loop ------------------------------------------------------------ */

/* Has a signal arrived?  Then the loop is interrupted. */
static bool
take_signal(struct loop *l)
{
	if (trap_read() == 0)
		return false;
	l->round.iteration = l->state.iteration;
	l->round.end = ROUND_INTERRUPTED;
	return true;
}

/* Waits until the usage limit is over or the loop ends.  The wall clock may be
 * set meanwhile, and machines sleep. */
static void
pause_for_limit(struct loop *l)
{
	msec now, wall, until, up;

	progress_pause(&l->progress, l->state.limited_until);
	while ((wall = clock_wall()) < l->state.limited_until &&
	    find_end(l) == NULL && !take_signal(l)) {
		now = clock_now();
		until = now + l->state.limited_until - wall;
		up = loop_deadline(l, now);
		loop_sleep(l, -1, up < until ? up : until);
	}
}

static void
write_reports(struct loop *l)
{
	char *logs = xasprintf("%s/.paneward", l->context.dir.path);
	enum report kind;

	for (kind = 0; kind < REPORTS; kind++)
		if (l->state.reports[kind] != NULL && report_write(&l->state,
		    kind, l->name, logs) == -1)
			warn("loop run: cannot write the report '%s'",
			    l->state.reports[kind]);
	free(logs);
}

static void
warn_no_session(struct loop *l)
{
	if (access(l->state.cwd, X_OK) == -1)
		warn("loop run: cannot make a session in '%s'", l->state.cwd);
	else if (loop_dir_gone(l))
		warnx("loop run: cannot make a session: %s; the status "
		    "directory '%s' is gone, keep agents from removing it",
		    buf_str(&l->why), l->context.dir.path);
	else
		warnx("loop run: cannot make a session: %s", buf_str(&l->why));
}

static int
engine_finish(struct loop *l, const struct end *end)
{
	char input[LOOP_FILE], *logs;

	free(l->state.reason);
	l->state.reason = xstrdup(end->reason);
	loop_save(l);
	loop_input_name(input, l->name);
	unlinkat(l->context.dir.state_fd, input, 0);
	if (end->is == end_error)
		warn_no_session(l);
	write_reports(l);
	logs = xasprintf("%s/.paneward/%s.*.log", l->context.dir.path,
	    l->name);
	progress_end(&l->progress, &l->state, end->status == EXIT_DONE, logs);
	free(logs);
	return end->status;
}

int
engine_run(struct loop *l)
{
	const struct end *end;

	while ((end = find_end(l)) == NULL) {
		if (take_signal(l))
			continue;
		if (clock_wall() < l->state.limited_until) {
			pause_for_limit(l);
			continue;
		}
		l->state.iteration = l->state.done + 1;
		round_run(l);
		add_round(l);
		loop_save(l);
	}
	progress_wipe(&l->progress);
	return engine_finish(l, end);
}
