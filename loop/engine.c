/*
 * engine.c - the loop: round after round, each with a session.
 */
#include "loop/engine.h"

#include <inttypes.h>

#include "os/trap.h"
#include "run/sigfile.h"

enum {
	SILENCE = 200,                  /* ms: an unfinished line counts */
	DRAINING = 30000,               /* for the output of an ended agent */
	UNLOCKED = 5000,                /* the same, if no writer has the log */
	GRACE = 500,                    /* for an agent to exit by itself */
	UNWRITTEN = 2000,               /* for the keeper to record its end */
	STOPPING = 7000, KILLING = 3000,        /* more than the keeper's */
	LIMIT_PAUSE = 300000,           /* if the limit's end is not known */
	LIMIT_LEAST = 1000,
	TICK = 30000,                   /* without events */
	CLOCK_STEP = 20,                /* file times lag behind clocks */
	PROMPT_MAX = 1 << 20, WORD_MAX = 128 << 10, COMPARED = 64 << 10,
	FAILURES_MOST = 5               /* rounds in a row */
};

#define engine_warn(e, ...) \
	(progress_wipe(&(e)->progress), warnx("loop run: " __VA_ARGS__))

static msec
engine_elapsed(const struct engine *e)
{
	return e->before + clock_now() - e->began;
}

static msec
engine_deadline(const struct engine *e, msec now)
{
	int64_t limit = e->state.max_time;

	return limit > 0 ? now + limit * 1000 - engine_elapsed(e) : CLOCK_NEVER;
}

/* A file system with whole seconds dates a new signal back. */
static bool
engine_signalled(const struct engine *e)
{
	const struct statusdir *dir = &e->context.dir;
	struct sigfile s;

	return e->state.issue != NULL && sigfile_read(&s, dir->fd, dir->owner,
	    SIGFILE_COMPLETE, e->state.issue, NULL, 0, NULL) == 0 &&
	    s.found == SIGFILE_SIGNAL && s.written >= e->state.started -
	    (s.nsec == 0 ? SIGFILE_SLACK : CLOCK_STEP);
}

static void
engine_save(struct engine *e)
{
	bool warned = e->unsaved;

	e->state.elapsed = engine_elapsed(e);
	e->unsaved = loop_state_write(&e->state, e->context.dir.state_fd) == -1;
	if (e->unsaved && !warned) {
		progress_wipe(&e->progress);
		warn("loop run: cannot write '%s.json' in '%s'", e->state.loop,
		    e->context.dir.path);
	}
}

static bool
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

static void
engine_sleep(struct engine *e, int fd, msec until)
{
	int changes = e->notify->fd;
	msec tick = changes == -1 ? e->notify->period : TICK;

	loop_await_any((int[]){ e->trap, changes, fd }, 3,
	    clock_sooner(until, clock_now() + tick));
	notify_read(e->notify, ignore_change, NULL);
}

struct round_view {
	struct engine *e;
	struct loop_session session;
	struct keyword *keyword;
	int      watch;
	msec     printed;               /* the time of the last output */
	bool     grown;                 /* there may be more to read */
	bool     settled;               /* the unfinished line was judged */
	bool     begun, ended;          /* the agent has */
	bool     warned;                /* that its end cannot be recorded */
	msec     ended_at, gone_at;     /* gone: ended, and unrecorded */
	struct launched how;
	uint64_t upto;                  /* the log is read up to here */
};

/* ---- beginning ----------------------------------------------------------- */

#define no_session(e, ...) (buf_printf(&(e)->why, __VA_ARGS__), -1)
#define BAD_PROMPT "cannot use the prompt: "

int
round_prompt(struct engine *e)
{
	struct buf *prompt = &e->prompt;

	buf_reset(&e->why);
	buf_reset(prompt);
	if (e->state.prompt_file == NULL)
		return 0;
	if (file_read(AT_FDCWD, e->state.prompt_file, 0, prompt,
	    PROMPT_MAX + 1) == -1)
		return errno == EINVAL ?
		    no_session(e, BAD_PROMPT "it is not a regular file") :
		    no_session(e, "cannot read the prompt: %s",
		    strerror(errno));
	if (prompt->len > PROMPT_MAX)
		return no_session(e, BAD_PROMPT "it has more than 1 MiB");
	if (memchr(buf_str(prompt), '\0', prompt->len) != NULL)
		return no_session(e, BAD_PROMPT "it holds a NUL byte");
	if (!keyword_echo(NULL, e->state.keyword, buf_str(prompt)))
		return no_session(e, "the prompt has fewer than %d letters "
		    "before the keyword '%s', so its echo would count; put "
		    "words before it", ECHO_LEAST, e->state.keyword);
	return 0;
}

static int
session_open(struct loop_session *s, struct buf *why)
{
	const char *loop = s->state->loop, *issue = s->state->issue;
	char number[4][24], name[LOOP_FILE];
	const char *const keeper[] = { proc_program(), "loop-agent", s->title,
	    loop, s->dir->path, number[0], number[1], number[2], number[3],
	    s->input ? "input" : "null", issue ? issue : "-",
	    s->state->backend, NULL };
	struct proc p;

	loop_log_name(name, loop, s->iteration);
	if (proc_read(&p, getpid()) == 0) {
		unlinkat(s->dir->state_fd, name, 0);
		s->log = openat(s->dir->state_fd, name, O_RDWR | O_CREAT |
		    O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	}
	if (s->log == -1) {
		buf_adds(why, strerror(errno));
		return -1;
	}
	snprintf(number[0], sizeof(number[0]), "%ld", s->iteration);
	snprintf(number[1], sizeof(number[1]), "%ld", (long)p.pid);
	snprintf(number[2], sizeof(number[2]), "%" PRIu64, p.start);
	snprintf(number[3], sizeof(number[3]), "%d", s->manager->way);
	return s->manager->create(s, keeper, why);
}

/* The session is recorded before it exists, so that the next engine finds what
 * a killed one leaves. */
static int
open_round_session(struct engine *e, struct loop_session *s)
{
	struct loop_state *state = &e->state;
	struct statusdir *dir = &e->context.dir;
	struct launch *launch = &s->launch;
	char *path = NULL, **word;

	*s = (struct loop_session){ .manager = e->manager, .dir = dir,
	    .state = state, .iteration = state->iteration, .log = -1,
	    .keeper.fd = -1, .end = LOG_OPEN };
	if (round_prompt(e) == -1)
		return -1;
	if (run_id_make(launch->run) == -1)
		return no_session(e, "cannot make an id: %s", strerror(errno));
	launch->argv = backend_once(&e->backend, state->words, launch->run,
	    state->prompt_file ? buf_str(&e->prompt) : NULL,
	    state->prompt_file ? state->prompt_file : "", &s->input);
	for (word = launch->argv; *word != NULL; word++)
		if (strlen(*word) >= WORD_MAX)
			return no_session(e, BAD_PROMPT "on a command line it "
			    "must be shorter than 128 KiB");
	if (s->input && file_replace(dir->state_fd, ISSUE_NAME(state->loop,
	    LOOP_INPUT), e->prompt.data, e->prompt.len, 0600) == -1)
		return no_session(e, "cannot write the prompt: %s",
		    strerror(errno));
	if (launch->argv[0][0] != '/' && strchr(launch->argv[0], '/') != NULL)
		path = xasprintf("%s/%s", state->cwd, launch->argv[0]);
	launch->program = spawn_find(path ? path : launch->argv[0]);
	free(path);
	if (launch->program == NULL)
		return no_session(e, "no such program '%s'", launch->argv[0]);
	if (state->words != NULL)       /* "once" has all its options */
		backend_add_known(&e->backend, launch->program, &launch->argv);
	loop_state_text(&launch->argv[0], launch->program);
	launch->base = 1;
	launch->cwd = xstrdup(state->cwd);
	launch->status_dir = xstrdup(dir->path);
	snprintf(s->title, sizeof(s->title), "%s-%ld-%.8s", state->loop,
	    s->iteration, launch->run);
	loop_state_text(&state->title, s->title);
	loop_state_text(&state->socket, NULL);
	memcpy(state->run, launch->run, sizeof(state->run));
	proc_boot(state->boot);
	engine_save(e);
	if (launch_write(launch, dir->state_fd, s->title, LAUNCH_ORDER) == -1)
		return no_session(e, "cannot write the command to run: %s",
		    strerror(errno));
	if (session_open(s, &e->why) == -1) {
		launch_remove(dir->state_fd, s->title);
		return -1;
	}
	/* The state is JSON: a path that is no UTF-8 is left out. */
	if (s->place.socket != NULL &&
	    utf8_valid(s->place.socket, strlen(s->place.socket))) {
		loop_state_text(&state->socket, s->place.socket);
		engine_save(e);
	}
	return 0;
}

/* ---- while it goes on ---------------------------------------------------- */

/* True if the agent has surely not ended. */
static bool
read_agent_record(struct round_view *v)
{
	struct loop_session *s = &v->session;
	struct launched how;
	/* A keeper that is gone no longer changes the record. */
	bool read, there = s->keeper.pid > 0 ? !child_ended(&s->keeper) :
	    session_agent(s, &how) && proc_alive(how.pid, how.start);

	if (v->ended)
		return false;
	read = launched_read(&how, s->dir->state_fd, s->title,
	    s->launch.run) == 1;
	if (read) {
		v->begun = true;
		v->how = how;
	}
	/* Without the keeper the exit status stays unknown. */
	v->ended = v->how.ended || !there;
	if (v->ended)
		v->ended_at = clock_now();
	return read && !v->ended;
}

/* Other processes may have written behind the agent's output. */
static uint64_t
output_end(const struct round_view *v)
{
	const struct loop_session *s = &v->session;
	struct stat st;
	uint64_t size = fstat(s->log, &st) == 0 ? (uint64_t)st.st_size : 0;

	if (size > s->end)
		size = s->end;
	return size < v->upto ? size : v->upto;
}

static bool
read_output(struct round_view *v, uint64_t end, bool settled)
{
	bool found = keyword_read(v->keyword, v->session.log, end, settled,
	    &v->grown);

	v->settled = (v->settled || settled) && !v->grown;
	if (v->grown)
		v->printed = clock_now();
	return found;
}

/* Processes that the agent has left may print for ever, so the wait is
 * limited. */
static bool
log_complete(struct round_view *v, msec patience)
{
	bool (*stream)(struct loop_session *) = v->session.manager->stream;

	if (stream == NULL || stream(&v->session))
		return true;
	if (patience > UNLOCKED && session_await_log(&v->session, 0))
		patience = UNLOCKED;
	if (clock_now() - v->ended_at < patience)
		return false;
	v->upto = output_end(v);
	return true;
}

static msec
idle_at(const struct round_view *v)
{
	int64_t limit = v->e->state.idle_timeout;

	return limit > 0 ? v->printed + limit * 1000 : CLOCK_NEVER;
}

static msec
settles_at(const struct round_view *v)
{
	return !v->settled && keyword_waits(v->keyword) ?
	    v->printed + SILENCE : CLOCK_NEVER;
}

/* Order is policy: the keyword and the agent's own end come before what ends
 * the agent. */
static bool
round_over(struct round_view *v, enum round_end *end)
{
	struct engine *e = v->e;
	uint64_t there = output_end(v);
	bool whole;
	msec now;

	if (read_agent_record(v))
		v->session.searched = there;
	whole = v->ended && log_complete(v, DRAINING);
	if (read_output(v, whole ? output_end(v) : there, false)) {
		*end = ROUND_KEYWORD;
		return true;
	}
	if (whole && !v->grown) {
		/* An agent that removes the directory removes its record. */
		*end = read_output(v, output_end(v), true) ? ROUND_KEYWORD :
		    v->begun || (output_end(v) > 0 && engine_dir_gone(e)) ?
		    ROUND_EXITED : ROUND_NO_SESSION;
		return !v->grown || *end == ROUND_KEYWORD;
	}
	now = clock_now();
	/* A keeper retries to record the end; a native one warns itself. */
	if (!v->begun || v->ended || v->warned ||
	    e->manager == &native_manager ||
	    proc_alive(v->how.pid, v->how.start)) {
		v->gone_at = CLOCK_NEVER;
	} else if (v->gone_at == CLOCK_NEVER) {
		v->gone_at = now;
	} else if (now - v->gone_at >= UNWRITTEN) {
		engine_warn(e, "cannot record the exit status of iteration "
		    "%ld in '%s'; retrying every second",
		    v->session.iteration, e->context.dir.path);
		v->warned = true;
	}
	if (now >= settles_at(v) && read_output(v, output_end(v), true))
		*end = ROUND_KEYWORD;
	else if (trap_read() != 0)
		*end = ROUND_INTERRUPTED;
	else if (engine_signalled(e))
		*end = ROUND_SIGNAL;
	else if (now >= engine_deadline(e, now))
		*end = ROUND_TIME;
	else if (now >= idle_at(v) && !v->grown && !v->ended)
		*end = ROUND_IDLE;
	else
		return false;
	return true;
}

static void
wait_in_round(struct round_view *v, msec until)
{
	msec now = clock_now();
	int keeper = v->session.keeper.fd;

	if (v->grown)
		until = now;
	else if (v->ended || v->watch == -1 || keeper == -1 ||
	    v->gone_at != CLOCK_NEVER)
		until = clock_sooner(until, now + SILENCE);
	engine_sleep(v->e, v->ended ? -1 : keeper, until);
}

/* ---- its end ------------------------------------------------------------- */

/* A signal interrupts an idle round, after which the loop would continue. */
static bool
interrupted(struct round_view *v)
{
	if (trap_read() == 0)
		return false;
	if (v->e->round.end == ROUND_IDLE)
		v->e->round.end = ROUND_INTERRUPTED;
	return true;
}

static void
wait_for_end(struct round_view *v, msec time)
{
	msec until = clock_now() + time;

	v->grown = false;
	read_agent_record(v);
	while (!v->ended && clock_now() < until) {
		wait_in_round(v, until);
		read_agent_record(v);
		if (interrupted(v))
			session_signal(&v->session, SIGTERM);
	}
}

static void
stop_round(struct round_view *v)
{
	struct loop_session *s = &v->session;
	enum round_end *end = &v->e->round.end;
	struct buf left = BUF_INIT;
	struct launched l;
	msec patience;
	bool found;

	if (*end == ROUND_KEYWORD || *end == ROUND_SIGNAL)
		wait_for_end(v, GRACE);
	if (!v->ended)
		session_signal(s, SIGTERM);
	wait_for_end(v, STOPPING);
	if (!v->ended)
		session_signal(s, SIGTERM);
	wait_for_end(v, KILLING);
	/* The rest rarely changes the round's end. */
	v->grown = false;
	patience = *end == ROUND_KEYWORD || *end == ROUND_INTERRUPTED ? GRACE :
	    DRAINING;
	while (v->ended && !log_complete(v, patience) && !interrupted(v))
		wait_in_round(v, clock_now() + SILENCE);
	s->manager->close(s);
	if (s->manager->list != NULL)
		s->manager->list(s, &left);
	if (session_agent(s, &l) && proc_alive(l.pid, l.start))
		buf_printf(&left, "%sprocess %ld", left.len > 0 ? ", " : "",
		    (long)l.pid);
	if (left.len > 0)
		engine_warn(v->e, "iteration %ld has left %s; end it by hand",
		    s->iteration, buf_str(&left));
	buf_release(&left);
	v->upto = LOG_OPEN;
	/* A keyword that is printed during shutdown counts. */
	if (*end == ROUND_KEYWORD || *end == ROUND_INTERRUPTED)
		return;
	do
		found = read_output(v, output_end(v), true);
	while (!found && v->grown && !interrupted(v));
	if (found)
		*end = ROUND_KEYWORD;
}

static void
round_run(struct engine *e)
{
	struct round_view v = { .e = e, .upto = LOG_OPEN,
	    .gone_at = CLOCK_NEVER };
	struct loop_session *s = &v.session;
	struct round *r = &e->round;
	struct buf line = BUF_INIT, command = BUF_INIT;
	struct stat st;
	msec now, wall, until;
	char **word;

	*r = (struct round){ .iteration = e->state.iteration,
	    .began = clock_wall(), .exit_code = -1, .exit_signal = -1 };
	if (open_round_session(e, s) == -1) {
		r->end = ROUND_NO_SESSION;
		r->ended = clock_wall();
		progress_round(&e->progress, r, -1);
		goto out;
	}
	v.keyword = keyword_new(e->state.keyword);
	keyword_echo(v.keyword, e->state.keyword, buf_str(&e->prompt));
	for (word = s->launch.argv; *word != NULL; word++)
		keyword_echo(v.keyword, e->state.keyword, *word);
	v.watch = notify_watch(e->notify, s->log, NOTIFY_FILE);
	v.printed = clock_now();
	e->progress.drawn_at = 0;
	if (!e->progress.json) {
		buf_printf(&line, "iteration %ld  begins  ", s->iteration);
		s->manager->attach(s, &command);
		msg_escape(&line, buf_str(&command), command.len);
		buf_release(&command);
		progress_say(&e->progress, &line);
	}
	while (!round_over(&v, &r->end)) {
		now = clock_now();
		e->state.elapsed = engine_elapsed(e);
		until = progress_live(&e->progress, &e->state, s, now);
		until = clock_sooner(until, engine_deadline(e, now));
		until = clock_sooner(until, settles_at(&v));
		if (!v.ended)
			until = clock_sooner(until, idle_at(&v));
		wait_in_round(&v, until);
	}
	stop_round(&v);
	r->ended = clock_wall();
	if (r->end == ROUND_NO_SESSION)
		buf_adds(&e->why, "the agent did not begin");
	if (v.how.ended) {
		r->exit_code = v.how.exit_code;
		r->exit_signal = v.how.exit_signal;
	}
	if (fstat(s->log, &st) == 0)
		r->bytes = (uint64_t)st.st_size;
	/* A usage limit may also keep a round idle. */
	wall = clock_wall();
	if ((r->end == ROUND_EXITED || r->end == ROUND_IDLE) &&
	    limit_find(&e->backend.signs, s->log, round_failed(r), wall,
	    &until)) {
		r->end = ROUND_LIMITED;
		if (until == 0)
			until = wall + LIMIT_PAUSE;
		e->state.limited_until = until > wall + LIMIT_LEAST ? until :
		    wall + LIMIT_LEAST;
	} else if (r->end == ROUND_EXITED && r->exit_code == -1 &&
	    r->exit_signal == -1) {
		r->end = ROUND_LOST;
	}
	progress_round(&e->progress, r, s->log);
	keyword_free(v.keyword);
	notify_unwatch(e->notify, v.watch);
out:
	file_close(s->log);
	launch_release(&s->launch);
	pane_ref_release(&s->place);
	e->state.run[0] = '\0';
}

/* ---- ends ---------------------------------------------------------------- */

static bool
no_news(const struct engine *e)
{
	char text[2][COMPARED], name[LOOP_FILE];
	int i, log[2];
	ssize_t n[2];

	for (i = 0; i < 2; i++) {
		loop_log_name(name, e->state.loop, e->state.iteration - i);
		log[i] = openat(e->context.dir.state_fd, name, O_RDONLY |
		    O_CLOEXEC | O_NOFOLLOW);
	}
	do {
		for (i = 0; i < 2; i++)
			n[i] = read(log[i], text[i], COMPARED);
	} while (n[0] > 0 && n[0] == n[1] &&
	    memcmp(text[0], text[1], (size_t)n[0]) == 0);
	file_close(log[0]);
	file_close(log[1]);
	return n[0] == 0 && n[1] == 0;
}

struct end {
	bool        is;
	const char *reason;
	int         status;
};

/* Order is policy: word of the agent, of the user, limits. */
static bool
find_end(const struct engine *e, struct end *end)
{
	const struct loop_state *s = &e->state;
	enum round_end last = e->round.end;
	msec now = clock_now();
	struct status r = { .since = 0 };
	/* The issue's watcher may have removed the signal before we saw it. */
	bool complete = last == ROUND_SIGNAL || engine_signalled(e) ||
	    (s->issue != NULL && status_read(&r, e->context.dir.state_fd,
	    s->issue) == 1 && r.verdict.state == STATE_COMPLETE &&
	    r.since >= s->started);
	const struct end ends[] = {
		{ last == ROUND_KEYWORD, "keyword", EXIT_DONE },
		{ complete, "signal-complete", EXIT_NO },
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

	status_release(&r);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i].is) {
			*end = ends[i];
			return true;
		}
	return false;
}

static int
engine_finish(struct engine *e, const struct end *end)
{
	char *logs = xasprintf("%s/.paneward", e->context.dir.path), *pattern;
	struct loop_state *s = &e->state;
	struct buf why = BUF_INIT;
	enum report kind;

	progress_wipe(&e->progress);
	loop_state_text(&s->reason, end->reason);
	engine_save(e);
	unlinkat(e->context.dir.state_fd, ISSUE_NAME(s->loop, LOOP_INPUT), 0);
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
		    report_write(s, kind, logs, &why) == -1)
			warnx("loop run: cannot write the report '%s': %s",
			    s->reports[kind], buf_str(&why));
	}
	pattern = xasprintf("%s/%s.*.log", logs, s->loop);
	progress_end(&e->progress, s, end->status == EXIT_DONE, pattern);
	return end->status;
}

int
engine_run(struct engine *e)
{
	struct loop_state *s = &e->state;
	const struct round *r = &e->round;
	struct buf text = BUF_INIT;
	bool paused = false;
	struct end end;
	msec now, wall;

	while (!find_end(e, &end)) {
		if (trap_read() != 0) {
			e->round.end = ROUND_INTERRUPTED;
			continue;
		}
		/* The wall clock may be set meanwhile, and machines sleep. */
		wall = clock_wall();
		if (wall < s->limited_until) {
			if (!paused) {
				clock_ahead(&text, s->limited_until, wall);
				engine_warn(e, "usage limit: the loop goes on "
				    "at %s", buf_str(&text));
				buf_release(&text);
			}
			paused = true;
			now = clock_now();
			engine_sleep(e, -1, clock_sooner(now +
			    s->limited_until - wall, engine_deadline(e, now)));
			continue;
		}
		paused = false;
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
