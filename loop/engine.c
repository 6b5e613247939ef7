/*
 * engine.c - a loop: rounds, what they add up to, and the table of its ends.
 */
#include "loop/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/proc.h"
#include "os/trap.h"
#include "run/sigfile.h"

enum {
	FAILURES_MOST = 5,              /* rounds in a row */
	TICK = 30000,                   /* what nobody tells is seen then */
	COMPARED = 64 << 10,
	CLOCK_STEP = 20                 /* ms that the clock of files is late */
};

msec
engine_elapsed(const struct engine *e)
{
	return e->before + clock_now() - e->began;
}

/* A signal that was there before the loop is not about it.  A file system that
 * knows whole seconds says of one that it is older than it is. */
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

/* Whoever watches the issue may have taken the signal before we saw it. */
static bool
recorded_complete(const struct engine *e)
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

void
engine_save(struct engine *e)
{
	e->state.elapsed = engine_elapsed(e);
	if (loop_state_write(&e->state, e->context.dir.state_fd,
	    e->name) == 0) {
		e->unsaved = false;
		return;
	}
	if (!e->unsaved) {
		progress_wipe(e);
		warn("loop run: cannot write '%s.json' in '%s'", e->name,
		    e->context.dir.path);
	}
	e->unsaved = true;
}

bool
engine_dir_gone(const struct engine *e)
{
	const struct statusdir *dir = &e->context.dir;
	struct stat own;

	return !statusdir_current(dir) || fstat(dir->state_fd, &own) == -1 ||
	    own.st_nlink == 0;
}

void
engine_clear(struct engine *e, const struct loop_state *s)
{
	struct loop_session left = { .dir = &e->context.dir, .name = e->name,
	    .log = -1 };
	char boot[PROC_BOOT];

	proc_boot(boot);
	if (s->run[0] == '\0' || proc_boot_differs(boot, s->boot))
		return;
	memcpy(left.launch.run, s->run, sizeof(left.launch.run));
	snprintf(left.title, sizeof(left.title), "%s", s->title);
	left.place.socket = s->socket ? xstrdup(s->socket) : NULL;
	manager_named(s->manager)->close(&left);
	session_release(&left);
}

msec
engine_time_is_up(const struct engine *e, msec now)
{
	int64_t limit = e->state.max_time;

	return limit > 0 ? now + limit * 1000 - engine_elapsed(e) :
	    CLOCK_NEVER;
}

static void
ignore_change(void *context, int watch, enum files_change change,
    const char *name)
{
	(void)context, (void)watch, (void)change, (void)name;
}

void
engine_sleep(struct engine *e, int fd, msec until)
{
	struct pollfd p[] = {
		{ .fd = e->trap, .events = POLLIN },
		{ .fd = files_fd(e->files), .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	msec now = clock_now(), tick = TICK;

	if (p[1].fd == -1)              /* somebody has to look */
		tick = files_period(e->files);
	if (until - now > tick)
		until = now + tick;
	poll(p, 3, clock_until(until, now));
	files_read(e->files, ignore_change, NULL);
}

/* ---- what a round adds --------------------------------------------------- */

static ssize_t
read_block(int fd, char *block)
{
	ssize_t n, have = 0;

	while (have < COMPARED && (n = read(fd, block + have,
	    (size_t)(COMPARED - have))) != 0) {
		if (n == -1 && errno != EINTR)
			return -1;
		if (n > 0)
			have += n;
	}
	return have;
}

static bool
same_content(int a, int b)
{
	char *x = xmalloc(COMPARED), *y = xmalloc(COMPARED);
	ssize_t n, m;

	do {
		n = read_block(a, x);
		m = read_block(b, y);
	} while (n > 0 && n == m && memcmp(x, y, (size_t)n) == 0);
	free(x);
	free(y);
	return n == 0 && m == 0;
}

static int
open_log(const struct engine *e, long iteration, off_t *size)
{
	char name[LOOP_FILE];
	struct stat st;
	int fd;

	loop_log_name(name, e->name, iteration);
	fd = openat(e->context.dir.state_fd, name, O_RDONLY | O_CLOEXEC |
	    O_NOFOLLOW);
	*size = fd != -1 && fstat(fd, &st) == 0 ? st.st_size : -1;
	return fd;
}

/* Did the last two rounds print the same? */
static bool
no_news(const struct engine *e)
{
	off_t sizes[2];
	int a = open_log(e, e->state.iteration - 1, &sizes[0]);
	int b = open_log(e, e->state.iteration, &sizes[1]);
	bool same = a != -1 && b != -1 && sizes[0] == sizes[1] &&
	    same_content(a, b);

	if (a != -1)
		close(a);
	if (b != -1)
		close(b);
	return same;
}

/* A round that a limit ended says nothing about the agent. */
static void
add_round(struct engine *e)
{
	struct loop_state *s = &e->state;

	loop_state_add(s, &e->round);
	if (e->round.end != ROUND_LIMITED)
		s->limited_until = 0;
	if (!round_counts(&e->round))
		return;
	s->done = s->iteration;
	if (e->round.end == ROUND_LIMITED)
		return;
	s->failures = round_failed(&e->round) ? s->failures + 1 : 0;
	if (s->iteration > 1 && no_news(e))
		s->same++;
	else
		s->same = 1;
}

/* ---- ends ---------------------------------------------------------------- */

static bool
ended_as(const struct engine *e, enum round_end end)
{
	return e->round.iteration > 0 && e->round.end == end;
}

static bool
end_keyword(const struct engine *e)
{
	return ended_as(e, ROUND_KEYWORD);
}

static bool
end_signal(const struct engine *e)
{
	return ended_as(e, ROUND_SIGNAL) || engine_signalled(e) ||
	    recorded_complete(e);
}

static bool
end_interrupted(const struct engine *e)
{
	return ended_as(e, ROUND_INTERRUPTED);
}

static bool
end_error(const struct engine *e)
{
	return ended_as(e, ROUND_NO_SESSION);
}

static bool
end_time(const struct engine *e)
{
	msec now = clock_now();

	return ended_as(e, ROUND_TIME) || now >= engine_time_is_up(e, now);
}

static bool
end_iterations(const struct engine *e)
{
	return e->state.done >= e->state.max_iterations;
}

static bool
end_failures(const struct engine *e)
{
	return e->state.failures >= FAILURES_MOST;
}

static bool
end_same(const struct engine *e)
{
	return e->state.same_rounds > 0 && e->state.same >= e->state.same_rounds;
}

/* Order is policy: what the agent said, what people want, what they have
 * allowed, what makes no sense any more. */
static const struct end {
	const char *reason;
	bool      (*is)(const struct engine *);
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
find_end(const struct engine *e)
{
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i].is(e))
			return &ends[i];
	return NULL;
}

/* ---- the loop ------------------------------------------------------------ */

/* True if somebody wants us to end. */
static bool
take_signal(struct engine *e)
{
	if (trap_read() == 0)
		return false;
	e->round.iteration = e->state.iteration;
	e->round.end = ROUND_INTERRUPTED;
	return true;
}

/* Until the usage limit is over, or something has ended the loop.  Clocks may
 * be set meanwhile, and machines sleep. */
static void
pause_for_limit(struct engine *e)
{
	msec now, wall, until, up;

	progress_pause(e);
	while ((wall = clock_wall()) < e->state.limited_until &&
	    find_end(e) == NULL && !take_signal(e)) {
		now = clock_now();
		until = now + e->state.limited_until - wall;
		up = engine_time_is_up(e, now);
		engine_sleep(e, -1, up < until ? up : until);
	}
}

static void
write_reports(struct engine *e)
{
	enum report kind;

	for (kind = 0; kind < REPORTS; kind++)
		if (e->state.reports[kind] != NULL &&
		    report_write(e, kind) == -1)
			warn("loop run: cannot write the report '%s'",
			    e->state.reports[kind]);
}

static void
tell_error(struct engine *e)
{
	if (access(e->state.cwd, X_OK) == -1)
		warn("loop run: cannot make a session in '%s'", e->state.cwd);
	else if (engine_dir_gone(e))
		warnx("loop run: cannot make a session: %s; the status "
		    "directory '%s' is gone, keep agents from removing it",
		    buf_str(&e->why), e->context.dir.path);
	else
		warnx("loop run: cannot make a session: %s", buf_str(&e->why));
}

static int
finish(struct engine *e, const struct end *end)
{
	char input[LOOP_FILE];

	free(e->state.reason);
	e->state.reason = xstrdup(end->reason);
	engine_save(e);
	loop_input_name(input, e->name);
	unlinkat(e->context.dir.state_fd, input, 0);
	if (end->is == end_error)
		tell_error(e);
	write_reports(e);
	progress_end(e, end->status == EXIT_DONE);
	return end->status;
}

int
engine_run(struct engine *e)
{
	const struct end *end;

	while ((end = find_end(e)) == NULL) {
		if (take_signal(e))
			continue;
		if (clock_wall() < e->state.limited_until) {
			pause_for_limit(e);
			continue;
		}
		e->state.iteration = e->state.done + 1;
		round_run(e);
		add_round(e);
		engine_save(e);
	}
	progress_wipe(e);
	return finish(e, end);
}
