#include "loop/loop.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "loop/report.h"
#include "os/file.h"
#include "os/trap.h"

enum {
	FAILURES_MOST = 5,              /* rounds in a row */
	COMPARED = 64 << 10             /* bytes of the logs, at once */
};

/* ---- after a round ------------------------------------------------------- */

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
	char *x = xmalloc(COMPARED), *y = xmalloc(COMPARED);
	ssize_t n, m;

	do {
		n = read(a, x, COMPARED);
		m = read(b, y, COMPARED);
	} while (n > 0 && n == m && memcmp(x, y, (size_t)n) == 0);
	free(x);
	free(y);
	file_close(a);
	file_close(b);
	return n == 0 && m == 0;
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
	s->same = s->iteration > 1 && no_news(l) ? s->same + 1 : 1;
}

/* ---- ends ---------------------------------------------------------------- */

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

struct end {
	bool        is;
	const char *reason;
	int         status;
};

/* Order is policy: the agent's word, then the user's, then the limits, then
 * what makes no sense to continue. */
static bool
find_end(const struct loop *l, struct end *end)
{
	const struct loop_state *s = &l->state;
	enum round_end last = l->round.end;
	msec now = clock_now();
	const struct end ends[] = {
		{ last == ROUND_KEYWORD, "keyword", EXIT_DONE },
		{ last == ROUND_SIGNAL || loop_signalled(l) ||
		    issue_complete(l), "signal-complete", EXIT_NO },
		{ last == ROUND_INTERRUPTED, "interrupted", EXIT_INTERRUPTED },
		{ last == ROUND_NO_SESSION, "error", EXIT_COULD_NOT },
		{ s->done >= s->max_iterations, "max-iterations", EXIT_NO },
		{ last == ROUND_TIME || now >= loop_deadline(l, now),
		    "max-time", EXIT_NO },
		{ s->failures >= FAILURES_MOST, "failures", EXIT_NO },
		{ s->same_rounds > 0 && s->same >= s->same_rounds,
		    "no-progress", EXIT_NO },
	};
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i].is) {
			*end = ends[i];
			return true;
		}
	return false;
}

/* ---- the loop ------------------------------------------------------------ */

/* Has a signal arrived?  Then the loop is interrupted. */
static bool
take_signal(struct loop *l)
{
	if (trap_read() == 0)
		return false;
	l->round.end = ROUND_INTERRUPTED;
	return true;
}

/* Waits until the usage limit is over or the loop ends.  The wall clock may be
 * set meanwhile, and machines sleep. */
static void
pause_for_limit(struct loop *l)
{
	msec now, wall, until, up;
	struct end end;

	progress_pause(&l->progress, l->state.limited_until);
	while ((wall = clock_wall()) < l->state.limited_until &&
	    !find_end(l, &end) && !take_signal(l)) {
		now = clock_now();
		until = now + l->state.limited_until - wall;
		up = loop_deadline(l, now);
		loop_sleep(l, -1, up < until ? up : until);
	}
}

static int
engine_finish(struct loop *l, const struct end *end)
{
	char *logs = xasprintf("%s/.paneward", l->context.dir.path), *pattern;
	struct loop_state *s = &l->state;
	struct buf why = BUF_INIT;
	enum report kind;
	char name[ISSUE_FILE];

	progress_wipe(&l->progress);
	loop_state_text(&s->reason, end->reason);
	loop_save(l);
	unlinkat(l->context.dir.state_fd, issue_file(name, l->name, LOOP_INPUT),
	    0);
	if (end->status == EXIT_COULD_NOT && access(s->cwd, X_OK) == -1)
		warn("loop run: cannot make a session in '%s'", s->cwd);
	else if (end->status == EXIT_COULD_NOT && loop_dir_gone(l))
		warnx("loop run: cannot make a session: %s; the status "
		    "directory '%s' is gone, keep agents from removing it",
		    buf_str(&l->why), l->context.dir.path);
	else if (end->status == EXIT_COULD_NOT)
		warnx("loop run: cannot make a session: %s", buf_str(&l->why));
	for (kind = 0; kind < REPORTS; kind++) {
		buf_reset(&why);
		if (s->reports[kind] != NULL &&
		    report_write(s, kind, l->name, logs, &why) == -1)
			warnx("loop run: cannot write the report '%s': %s",
			    s->reports[kind], buf_str(&why));
	}
	buf_release(&why);
	pattern = xasprintf("%s/%s.*.log", logs, l->name);
	progress_end(&l->progress, s, end->status == EXIT_DONE, pattern);
	free(pattern);
	free(logs);
	return end->status;
}

int
engine_run(struct loop *l)
{
	struct end end;

	while (!find_end(l, &end)) {
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
	return engine_finish(l, &end);
}
