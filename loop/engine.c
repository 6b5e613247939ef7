#include "loop/engine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/loop.h"
#include "os/trap.h"
#include "run/sigfile.h"

enum {
	FAILURES_MOST = 5,              /* rounds in a row */
	COMPARED = 64 << 10,            /* bytes of the logs, at once */
	TICK = 30000,                   /* ms; for changes without an event */
	CLOCK_STEP = 20                 /* ms; file times lag behind clocks */
};

/* ---- for the rounds, too ------------------------------------------------- */

msec
engine_elapsed(const struct engine *e)
{
	return e->before + clock_now() - e->began;
}

msec
engine_deadline(const struct engine *e, msec now)
{
	int64_t limit = e->state.max_time;

	return limit > 0 ? now + limit * 1000 - engine_elapsed(e) : CLOCK_NEVER;
}

/* A signal from before the loop is not about it.  A file system with whole
 * seconds dates a new one back. */
bool
engine_signalled(const struct engine *e)
{
	const struct statusdir *dir = &e->context.dir;
	struct sigfile s;

	return e->state.issue != NULL && sigfile_read(&s, dir->fd, dir->owner,
	    SIGFILE_COMPLETE, e->state.issue, NULL, 0, NULL) == 0 &&
	    s.found == SIGFILE_SIGNAL &&
	    s.written >= e->state.started - (s.nsec == 0 ? SIGFILE_SLACK :
	    CLOCK_STEP);
}

void
engine_save(struct engine *e)
{
	bool warned = e->unsaved;

	e->state.elapsed = engine_elapsed(e);
	e->unsaved = loop_state_write(&e->state, e->context.dir.state_fd,
	    e->name) == -1;
	if (e->unsaved && !warned) {
		progress_wipe(&e->progress);
		warn("loop run: cannot write '%s.json' in '%s'", e->name,
		    e->context.dir.path);
	}
}

bool
engine_dir_gone(const struct engine *e)
{
	const struct statusdir *dir = &e->context.dir;
	struct stat st;

	return !statusdir_current(dir) || fstat(dir->state_fd, &st) == -1 ||
	    st.st_nlink == 0;
}

static void
ignore_change(void *context, int watch, enum notify_change change,
    const char *name)
{
	(void)context, (void)watch, (void)change, (void)name;
}

void
engine_sleep(struct engine *e, int fd, msec until)
{
	int changes = e->notify->fd;
	/* Without events files are polled. */
	msec tick = changes == -1 ? e->notify->period : TICK;

	loop_await_any((int[]){ e->trap, changes, fd }, 3,
	    clock_sooner(until, clock_now() + tick));
	notify_read(e->notify, ignore_change, NULL);
}

/* ---- after a round ------------------------------------------------------- */

static int
open_round_log(const struct engine *e, long iteration)
{
	char name[LOOP_FILE];

	loop_log_name(name, e->name, iteration);
	return openat(e->context.dir.state_fd, name, O_RDONLY | O_CLOEXEC |
	    O_NOFOLLOW);
}

/* Did the last two rounds print the same? */
static bool
no_news(const struct engine *e)
{
	int a = open_round_log(e, e->state.iteration - 1);
	int b = open_round_log(e, e->state.iteration);
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

/* ---- ends ---------------------------------------------------------------- */

/* The issue's watcher may have removed the signal before we saw it. */
static bool
issue_complete(const struct engine *e)
{
	struct status r;
	bool complete;

	if (e->state.issue == NULL)
		return false;
	complete = status_read(&r, e->context.dir.state_fd,
	    e->state.issue) == 1 && r.verdict.state == STATE_COMPLETE &&
	    r.since >= e->state.started;
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
find_end(const struct engine *e, struct end *end)
{
	const struct loop_state *s = &e->state;
	enum round_end last = e->round.end;
	msec now = clock_now();
	const struct end ends[] = {
		{ last == ROUND_KEYWORD, "keyword", EXIT_DONE },
		{ last == ROUND_SIGNAL || engine_signalled(e) ||
		    issue_complete(e), "signal-complete", EXIT_NO },
		{ last == ROUND_INTERRUPTED, "interrupted", EXIT_INTERRUPTED },
		{ last == ROUND_NO_SESSION, "error", EXIT_COULD_NOT },
		{ s->done >= s->max_iterations, "max-iterations", EXIT_NO },
		{ last == ROUND_TIME || now >= engine_deadline(e, now),
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
take_signal(struct engine *e)
{
	if (trap_read() == 0)
		return false;
	e->round.end = ROUND_INTERRUPTED;
	return true;
}

/* Waits until the usage limit is over or the loop ends.  The wall clock may be
 * set meanwhile, and machines sleep. */
static void
pause_for_limit(struct engine *e)
{
	msec now, wall, until, up;
	struct end end;

	progress_pause(&e->progress, e->state.limited_until);
	while ((wall = clock_wall()) < e->state.limited_until &&
	    !find_end(e, &end) && !take_signal(e)) {
		now = clock_now();
		until = now + e->state.limited_until - wall;
		up = engine_deadline(e, now);
		engine_sleep(e, -1, up < until ? up : until);
	}
}

static int
engine_finish(struct engine *e, const struct end *end)
{
	char *logs = xasprintf("%s/.paneward", e->context.dir.path), *pattern;
	struct loop_state *s = &e->state;
	struct buf why = BUF_INIT;
	enum report kind;
	char name[ISSUE_FILE];

	progress_wipe(&e->progress);
	loop_state_text(&s->reason, end->reason);
	engine_save(e);
	unlinkat(e->context.dir.state_fd, issue_file(name, e->name, LOOP_INPUT),
	    0);
	if (end->status == EXIT_COULD_NOT && access(s->cwd, X_OK) == -1)
		warn("loop run: cannot make a session in '%s'", s->cwd);
	else if (end->status == EXIT_COULD_NOT && engine_dir_gone(e))
		warnx("loop run: cannot make a session: %s; the status "
		    "directory '%s' is gone, keep agents from removing it",
		    buf_str(&e->why), e->context.dir.path);
	else if (end->status == EXIT_COULD_NOT)
		warnx("loop run: cannot make a session: %s", buf_str(&e->why));
	for (kind = 0; kind < REPORTS; kind++) {
		buf_reset(&why);
		if (s->reports[kind] != NULL &&
		    report_write(s, kind, e->name, logs, &why) == -1)
			warnx("loop run: cannot write the report '%s': %s",
			    s->reports[kind], buf_str(&why));
	}
	buf_release(&why);
	pattern = xasprintf("%s/%s.*.log", logs, e->name);
	progress_end(&e->progress, s, end->status == EXIT_DONE, pattern);
	free(pattern);
	free(logs);
	return end->status;
}

int
engine_run(struct engine *e)
{
	struct loop_state *s = &e->state;
	const struct round *r = &e->round;
	struct end end;

	while (!find_end(e, &end)) {
		if (take_signal(e))
			continue;
		if (clock_wall() < s->limited_until) {
			pause_for_limit(e);
			continue;
		}
		s->iteration = s->done + 1;
		round_run(e);
		loop_state_add(s, r);
		if (r->end != ROUND_LIMITED)
			s->limited_until = 0;
		if (round_counts(r))
			s->done = s->iteration;
		/* A usage limit is neither a failure nor a repetition. */
		if (round_counts(r) && r->end != ROUND_LIMITED) {
			s->failures = round_failed(r) ? s->failures + 1 : 0;
			s->same = s->iteration > 1 && no_news(e) ?
			    s->same + 1 : 1;
		}
		engine_save(e);
	}
	return engine_finish(e, &end);
}
