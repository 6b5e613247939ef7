/*
 * restarter.c - the process that restarts an agent in its pane, phase by phase.
 *
 * Each phase is recorded before it begins (run/restart.h).  A kill at any
 * moment leaves an agent that runs, has ended, or runs again.  A prompt is
 * typed only while the agent is in front and shows its prompt (queue/answer.h).
 *
 * The process polls: most of its waits have no event.
 */
#include <signal.h>

#include "agent/ourhooks.h"
#include "data/shell.h"
#include "paneward.h"
#include "queue/answer.h"
#include "reload/memo.h"
#include "run/journal.h"

enum {                                  /* ms */
	LOOK = 100, POLL = 25,          /* between captures, between checks */
	TURN = 1800000,                 /* for the turn to end */
	CALM = 1000,                    /* a prompt this old ends a turn, */
	CALM_HOOKED = 10000,            /* if hooks should report the end, */
	CALM_BLIND = 5000,              /* an unrecognised screen this old */
	RETURNING = 5000,               /* for the shell to come back */
	APPEARING = 10000,              /* for the agent's process */
	DRAWING = 120000, TAKING = 60000,       /* for prompt and memo */
	LIVING = 2000,                  /* alive without a sign */
	PIPING = 5000,                  /* for a watcher to open a pipe */
	ENTERING = 300, ENTERED = 5000  /* before Enter, for its effect */
};

enum { ENTERS = 3, COMPARED = 10 };

struct restarter {
	struct statusdir dir;
	const char *key;
	bool   issue;
	struct reload r;
	char   stamp[CLOCK_TEXT + TMUX_ID + 8];
	struct backend backend;
	struct memo memo;
	struct buf prompt;
	bool   kept, logged;            /* the pane, open and piped by us */
	struct tmux_listing listing;
	struct typist typist;
	struct events_reader reader;
	struct event_evidence events;
	msec   started;                 /* of the run, wall time */
	struct screen screen;
	char  *old_title;               /* ignored; NULL */
	bool   old_text;                /* a last "busy" is ignored */
	bool   counted;                 /* drawn is set */
	struct marker_hits drawn;       /* in the log before the start */
	struct buf unsaid;              /* failures without a report */
	struct buf shown;               /* the last capture */
	msec   looked, changed;         /* its time; that of its text */
	msec   ready;                   /* the prompt is there since then; 0 */
};

/* ---- records ------------------------------------------------------------- */

/* In the log, time and pane stand in place of our name. */
static void
restarter_stamp(struct restarter *j)
{
	snprintf(j->stamp, sizeof(j->stamp), "%s pane %s",
	    CLOCK_WORDS(clock_wall()), j->r.place.pane);
	msg_program(j->stamp);
}

#define restarter_say(j, ...) (restarter_stamp(j), warnx(__VA_ARGS__))

/* A watcher ignores the old markers that the new agent draws; if nothing has
 * the lock of the record, the restarter does. */
static void
update_record(struct restarter *j)
{
	bool starts = j->r.phase == RELOAD_STARTING, under_way, changed;
	struct lock lock = LOCK_INIT;
	struct sources all;
	struct evidence ev;
	struct status s;

	if (!j->issue || status_lock(&lock, j->dir.state_fd, j->key, 0) != 1)
		return;
	if (status_read(&s, j->dir.state_fd, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0) {
		changed = reload_take(&s, j->dir.state_fd, &under_way);
		changed |= reload_find(&s, j->dir.state_fd, NULL);
		if (starts || j->r.phase == RELOAD_DONE) {
			sources_init(&all, &j->dir, &s);
			all.pass = all.hasty = true;
			evidence_init(&ev, j->key);
			gather_log(&all, &ev);
			if (!starts && j->counted)
				reload_redrawn(&s, &ev.log.hits, &j->drawn);
			j->counted = starts;
			j->drawn = ev.log.hits;
			sources_release(&all);
			evidence_release(&ev);
		}
		if (changed && status_write(&s, j->dir.state_fd) == -1)
			restarter_say(j, "cannot write the status record: %s",
			    strerror(errno));
	}
	status_release(&s);
	lock_release(&lock);
}

static _Noreturn void
restarter_end(struct restarter *j, enum reload_phase phase)
{
	bool done = phase == RELOAD_DONE;
	int state_fd = j->dir.state_fd;
	char *detail = xasprintf("reload: %s", j->r.why);
	struct status s;

	if (j->kept)
		tmux_keep(&j->r.place, NULL, &j->unsaid);
	launch_remove(state_fd, j->key);
	if (!j->issue)
		launched_remove(state_fd, j->key);
	j->r.phase = phase;
	restarter_say(j, "%s: %s", reload_phases[phase], j->r.why);
	if (reload_write(&j->r, state_fd, j->key) == -1)
		restarter_say(j, "cannot record the end: %s", strerror(errno));
	if (j->issue && status_read(&s, state_fd, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0 &&
	    journal_add(state_fd, j->dir.path, done ? JOURNAL_RUN :
	    JOURNAL_WARNING, &s, detail) == -1)
		restarter_say(j, "cannot write to the journal: %s",
		    strerror(errno));
	update_record(j);
	exit(done ? EXIT_DONE : EXIT_COULD_NOT);
}

static _Noreturn void __attribute__((format(printf, 2, 3)))
restarter_fail(struct restarter *j, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(j->r.why, sizeof(j->r.why), format, ap);
	va_end(ap);
	restarter_end(j, RELOAD_FAILED);
}

static void
restarter_begin(struct restarter *j, enum reload_phase phase, const char *what)
{
	j->r.phase = phase;
	snprintf(j->r.why, sizeof(j->r.why), "%s", what);
	if (reload_write(&j->r, j->dir.state_fd, j->key) == -1)
		restarter_fail(j, "cannot write to '%s': %s", j->dir.path,
		    strerror(errno));
	restarter_say(j, "%s: %s", reload_phases[phase], what);
	update_record(j);
}

/* ---- processes ----------------------------------------------------------- */

/* The end of the agent ends the pause. */
static void
restarter_pause(const struct restarter *j, msec time)
{
	int fd = proc_open(j->r.agent, j->r.agent_start);

	loop_await(fd, POLLIN, clock_now() + time);
	file_close(fd);
}

static bool
wait_until(struct restarter *j, bool (*is)(struct restarter *), msec most)
{
	msec until = clock_now() + most;

	while (!is(j)) {
		if (clock_now() >= until)
			return false;
		restarter_pause(j, POLL);
	}
	return true;
}

/* wish may be NULL.  NULL: there is no such pane. */
static const struct tmux_pane *
restarter_pane(struct restarter *j, const struct tmux_wish *wish)
{
	listing_release(&j->listing);
	tmux_ask(j->r.place.socket, TMUX_PANES, wish, &j->listing, &j->unsaid);
	return listing_pane(&j->listing, j->r.place.pane);
}

/* ---- what the agent does ------------------------------------------------- */

static void
observe_events(struct restarter *j)
{
	events_read(&j->reader, &j->events, j->dir.state_fd, j->key,
	    &(struct events_run){ j->r.run, j->started, NULL });
}

static void
observe_screen(struct restarter *j)
{
	const struct tmux_pane *pane;
	const struct tmux_capture *c;
	struct screen *s = &j->screen;
	msec now = clock_now();

	if (now < j->looked + LOOK)
		return;
	j->looked = now;
	pane = restarter_pane(j, &TMUX_CAPTURE_WISH(j->r.place.pane));
	c = listing_capture(&j->listing, j->r.place.pane);
	if (c == NULL || pane == NULL)
		return;
	screen_release(s);
	s->signs = &j->backend.signs;
	/* A killed agent leaves its title and text behind. */
	if (j->old_title != NULL && strcmp(j->old_title, pane->title) != 0) {
		free(j->old_title);
		j->old_title = NULL;
	}
	if (j->old_title == NULL)
		screen_title(s, pane->title);
	screen_capture(s, c->text, c->len, clock_wall());
	if (s->shown.sign == NULL || s->shown.sign->kind != SIGN_BUSY)
		j->old_text = false;
	else if (j->old_text)
		s->shown.sign = NULL;
	if (j->changed == 0 || j->shown.len != c->len ||
	    memcmp(buf_str(&j->shown), c->text, c->len) != 0)
		j->changed = now;
	buf_set(&j->shown, c->text, c->len);
}

static bool
observe_shows(const struct restarter *j, enum sign_kind kind)
{
	const struct screen *s = &j->screen;

	return (s->stated.sign != NULL && s->stated.sign->kind == kind) ||
	    (s->shown.sign != NULL && s->shown.sign->kind == kind);
}

static bool
observe_prompts(const struct restarter *j)
{
	return observe_shows(j, SIGN_READY) && !observe_shows(j, SIGN_BUSY) &&
	    !observe_shows(j, SIGN_ASKING);
}

/* If no prompt is recognised, an unchanged screen tells. */
static bool
observe_rests(const struct restarter *j, msec time)
{
	return j->backend.signs.n == 0 && j->changed != 0 &&
	    clock_now() - j->changed >= time;
}

/* Neither hooks nor signs tell the state. */
static bool
is_blind(const struct restarter *j)
{
	return j->backend.signs.n == 0 && !j->events.there;
}

static bool
turn_over(struct restarter *j)
{
	const struct event_evidence *e = &j->events;
	msec calm;
	bool reported;

	if (!proc_alive(j->r.agent, j->r.agent_start))
		restarter_fail(j, "the agent has ended by itself");
	if (clock_wall() < j->r.not_before || !proc_in_front(j->r.agent,
	    j->r.agent_start, j->r.place.pane_pid))
		return false;           /* too soon, or it is suspended */
	observe_events(j);
	observe_screen(j);
	if (!observe_prompts(j) && !observe_shows(j, SIGN_LIMITED))
		j->ready = 0;
	else if (j->ready == 0)
		j->ready = clock_now();
	calm = e->there ? CALM_HOOKED : CALM;
	/* Hooks report the end, newer than the request; a later hook may have
	 * continued the turn. */
	reported = e->there && (!j->r.own_turn || e->time >= j->r.since) &&
	    (e->last == EVENT_FAILED || e->last == EVENT_SESSION ||
	    (e->last == EVENT_ENDED && e->kind[0] == '\0') ||
	    (e->last == EVENT_WAITING && strcmp(e->kind, "prompt") == 0));
	return (j->ready != 0 && clock_now() - j->ready >= calm) ||
	    (reported && j->looked != 0 && !observe_shows(j, SIGN_BUSY)) ||
	    observe_rests(j, e->there ? CALM_HOOKED : CALM_BLIND);
}

/* The memo is read once more, with the checks of the command. */
static void
write_launch(struct restarter *j)
{
	struct reload *r = &j->r;
	struct launch old;
	struct buf why = BUF_INIT;
	struct status s;
	int found = r->file == NULL ? 1 : memo_read(&j->memo, r->folder,
	    r->file, &why);

	if (found == 0)
		buf_printf(&why, "the memo '%s/%s' was removed", r->folder,
		    r->file);
	memo_prompt(&j->prompt, r->reason, &j->memo);
	if (found == 1 && j->issue) {
		if (status_read(&s, j->dir.state_fd, j->key) == -1)
			buf_printf(&why, "cannot read its status record: %s",
			    msg_reason(errno));
		else if (memo_marked(&j->prompt, j->key, s.marker))
			buf_adds(&why, "the memo holds a finished marker");
	}
	if (why.len > 0)
		restarter_fail(j, "%s; the agent is left alone", buf_str(&why));
	if (!launch_noted(&old, j->dir.state_fd, j->key, r->run))
		restarter_fail(j, "cannot read from '%s' how the agent was "
		    "started; leaving it alone", j->dir.path);
	if (backend_launch(&j->backend, &old, r->session, NULL,
	    buf_str(&j->prompt), j->dir.state_fd, j->key) == -1)
		restarter_fail(j, "cannot write to '%s': %s; the agent is left "
		    "alone", j->dir.path, strerror(errno));
}

/* ---- stopping ------------------------------------------------------------ */

/* The shell is in front again, or the pane's process has ended. */
static bool
place_is_free(struct restarter *j)
{
	if (j->r.shape != RELOAD_IN_SHELL)
		return !proc_alive(j->r.place.pane_pid, j->r.place.pane_start);
	if (!proc_alive(j->r.shell, j->r.shell_start))
		restarter_fail(j, "the shell that started the agent has ended");
	return proc_in_front(j->r.shell, j->r.shell_start, j->r.place.pane_pid);
}

static void
stopping_say(void *context, const char *text)
{
	restarter_say(context, "%s", text);
}

/* Text that the old agent left is ignored. */
static void
stop_old_agent(struct restarter *j)
{
	const struct tmux_listing *l = &j->listing;
	const struct tmux_pane *pane;
	struct reload *r = &j->r;
	struct buf why = BUF_INIT;
	enum tmux_result result;

	if (!typist_end(&(struct typist){ .place = &r->place,
	    .backend = &j->backend, .agent = r->agent,
	    .start = r->agent_start }, stopping_say, j, &why))
		restarter_fail(j, "%s", buf_str(&why));
	restarter_say(j, "the agent has ended");
	/* The respawn ends the pane's process. */
	if (!wait_until(j, place_is_free, RETURNING) &&
	    r->shape == RELOAD_IN_SHELL)
		restarter_fail(j, "the shell '%s' has not come back in front",
		    r->shell_name);
	listing_release(&j->listing);
	result = tmux_list(r->place.socket, &j->listing, &why);
	pane = listing_pane(l, r->place.pane);
	if (result != TMUX_OK && result != TMUX_NO_SERVER)
		restarter_fail(j, "%s", buf_str(&why));
	if (pane == NULL || l->server != r->place.server ||
	    l->server_start != r->place.server_start)
		restarter_fail(j, "its pane is no longer there");
	j->old_title = xstrdup(pane->title);
	j->old_text = true;
	j->changed = 0;
	screen_release(&j->screen);
}

static bool
agent_appeared(struct restarter *j)
{
	struct launched l;

	if (launched_read(&l, j->dir.state_fd, j->key, j->r.run) != 1 ||
	    (l.pid == j->r.agent && l.start == j->r.agent_start))
		return false;
	j->r.agent = l.pid;
	j->r.agent_start = l.start;
	return true;
}

static void
start_new_agent(struct restarter *j)
{
	bool shell = j->r.shape == RELOAD_IN_SHELL;
	const char *name = j->r.shell_name, *self = proc_program();
	const struct tmux_pane *pane;
	struct buf line = BUF_INIT, why = BUF_INIT;

	/* Most shells keep a line with a leading blank out of the history. */
	buf_addc(&line, ' ');
	if (shell && !shell_line(&line, name, WORDS(self, "reload-agent",
	    j->key, j->dir.path)))
		restarter_fail(j, "the shell '%s' cannot be given our path",
		    name);
	if (!shell)
		tmux_respawn(&j->r.place, WORDS(self,
		    j->r.shape == RELOAD_STARTED ? "agent-run" :
		    "reload-agent", j->key, j->dir.path), &why);
	else if (tmux_input(&j->r.place, &why) == TMUX_OK && place_is_free(j))
		tmux_key(&j->r.place, "C-u", buf_str(&line), &why);
	else if (why.len == 0)
		buf_printf(&why, "the shell '%s' is no longer in front", name);
	if (why.len > 0)
		restarter_fail(j, "%s", buf_str(&why));
	if (!wait_until(j, agent_appeared, APPEARING))
		restarter_fail(j, "the %s '%s' has not started the agent",
		    shell ? "shell" : "pane", shell ? name : j->r.place.pane);
	pane = shell ? NULL : restarter_pane(j, NULL);
	if (pane != NULL) {
		j->r.place.pane_pid = pane->pid;
		j->r.place.pane_start = proc_start(pane->pid);
	}
}

/* ---- delivering ---------------------------------------------------------- */

static void
restarter_check(struct restarter *j)
{
	struct launched l;
	char with[32] = "";

	if (proc_alive(j->r.agent, j->r.agent_start))
		return;
	if (launched_read(&l, j->dir.state_fd, j->key, j->r.run) == 1 &&
	    l.ended && l.exit_code != -1)
		snprintf(with, sizeof(with), " with status %d", l.exit_code);
	restarter_fail(j, "the agent was started again, and ended%s%s", with,
	    j->r.session != NULL ? "; is its session still there?" : "");
}

/* Work is newer than from, wall time. */
static bool
wait_for_work(struct restarter *j, msec from, msec most)
{
	const struct event_evidence *e = &j->events;
	msec begun = clock_now(), now;

	do {
		observe_events(j);
		if (e->there && e->time >= from && e->last != EVENT_SESSION &&
		    e->last != EVENT_OVER && !(e->last == EVENT_WAITING &&
		    strcmp(e->kind, "prompt") == 0))
			return true;
		observe_screen(j);
		if (observe_shows(j, SIGN_BUSY))
			return true;
		restarter_check(j);
		now = clock_now();
		if (is_blind(j) && now >= begun + LIVING)
			return false;
		restarter_pause(j, POLL);
	} while (now < begun + most);
	return false;
}

/* Without a recognised prompt, any screen that stays will do. */
static bool
shows_prompt(struct restarter *j)
{
	restarter_check(j);
	observe_screen(j);
	return observe_prompts(j) || observe_rests(j, LIVING);
}

/* The typist compares the screen from the prompt on, or its last rows. */
static enum typist_sight
judge_prompt(void *who, struct buf *why)
{
	struct restarter *j = who;
	struct typist *t = &j->typist;
	struct prompt p = prompt_read(&j->backend.signs, t->still.rows,
	    t->still.colored);
	const char *row = t->still.rows;
	size_t n, last = 0;

	for (n = 0; *row != '\0'; n++) {
		last = row[strspn(row, " ")] != '\n' ? n : last;
		row += strcspn(row, "\n");
		row += *row == '\n';
	}
	t->first = p.ready ? p.first : last > COMPARED ? last - COMPARED : 0;
	t->strict = SIZE_MAX;
	if (shows_prompt(j))
		return TYPIST_WANTED;
	buf_adds(why, "it does not show its prompt");
	return TYPIST_LATER;
}

static bool
type_prompt(struct restarter *j)
{
	char *line = xstrdup(buf_str(&j->prompt)), *p;
	struct typist_step step = { .judge = judge_prompt, .who = j,
	    .text = line, .most = DRAWING };
	struct buf why = BUF_INIT;
	bool works = false;
	msec from;
	int i;

	if (!wait_until(j, shows_prompt, DRAWING))
		restarter_fail(j, "the agent was started again, and does not "
		    "show its prompt; nothing was typed");
	for (p = line; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	j->typist = (struct typist){ .place = &j->r.place, .backend =
	    &j->backend, .agent = j->r.agent, .start = j->r.agent_start };
	if (typist_type(&j->typist, &step, &why) != TYPIST_WANTED) {
		restarter_check(j);
		restarter_fail(j, "cannot type to the agent: %s",
		    buf_str(&why));
	}
	step = (struct typist_step){ .judge = judge_prompt, .who = j,
	    .key = "Enter", .most = ENTERED };
	for (i = 0; i < ENTERS && !works; i++) {
		restarter_pause(j, ENTERING);
		from = clock_wall();
		if (typist_type(&j->typist, &step, &why) != TYPIST_WANTED) {
			restarter_check(j);
			if (is_blind(j))
				restarter_fail(j, "cannot type to the agent: "
				    "%s", buf_str(&why));
			restarter_say(j, "no Enter: %s", buf_str(&why));
			break;
		}
		works = wait_for_work(j, from, ENTERED);
		if (is_blind(j))
			break;
	}
	return works;
}

static void
deliver_prompt(struct restarter *j, msec from)
{
	struct reload *r = &j->r;
	const struct tmux_pane *pane = NULL;
	msec until = clock_now() + PIPING;
	char *name = NULL;
	int held = 1;
	bool works;

	restarter_begin(j, RELOAD_DELIVERING, "the agent runs again");
	if (j->kept)
		tmux_keep(&r->place, NULL, &j->unsaid);
	j->kept = false;
	if (j->logged && r->shape != RELOAD_IN_SHELL)
		pane = restarter_pane(j, NULL);
	/* A watcher opens a lost pipe again; a sweep lets go of the issue. */
	while (pane != NULL && !pane->pipe && (held = lock_held(
	    j->dir.state_fd, j->key, NULL)) == 1 && clock_now() < until) {
		restarter_pause(j, LOOK);
		pane = restarter_pane(j, NULL);
	}
	if (pane != NULL && !pane->pipe && held == 0)
		restarter_pane(j, &(struct tmux_wish){ .want = TMUX_PIPE,
		    .pane = r->place.pane, .pipe = panelog_pipe(j->key,
		    j->dir.path, r->log_cap) });
	works = j->backend.resume_prompt[0] == NULL ? type_prompt(j) :
	    wait_for_work(j, from, TAKING);
	restarter_check(j);
	/* The memo stays, for a person or the next restart. */
	if (!works && !is_blind(j))
		restarter_fail(j, "the agent was started again, and %s, but "
		    "has not accepted its prompt; see pane %s%s",
		    observe_shows(j, SIGN_LIMITED) ?
		    "is held by a usage limit" :
		    observe_shows(j, SIGN_ASKING) ? "asks for something" :
		    "lives", r->place.pane, r->file == NULL ? "" :
		    xasprintf(", and tell it to read its memo, '%s/%s'",
		    r->folder, r->file));
	if (r->file != NULL && memo_put_away(&j->memo, r->folder, r->file,
	    clock_wall(), &name) == -1)
		restarter_say(j, "cannot rename the memo '%s/%s': %s",
		    r->folder, r->file, strerror(errno));
	else if (name != NULL)
		restarter_say(j, "the memo is now '%s/%s'", r->folder, name);
	snprintf(r->why, sizeof(r->why), "the agent was restarted%s%s%s%s",
	    r->session ? " with session " : "", r->session ? r->session : "",
	    works ? ", and works on its prompt" :
	    "; it is not known whether it has accepted its prompt",
	    r->file != NULL ? " (with a memo)" : "");
}

static int
reloadrun_run(const struct command *c, int argc, char **argv)
{
	struct restarter j = { .dir = STATUSDIR_INIT };
	long most = sysconf(_SC_OPEN_MAX);
	const struct tmux_pane *pane;
	struct buf why = BUF_INIT;
	struct status s;
	bool stays = true;
	msec from;
	int lock, fd;

	if (argc != 4 || strchr(argv[2], '/') != NULL ||
	    strlen(argv[2]) >= RELOAD_KEY)
		command_usage(c, "is run by paneward itself");
	lock = (int)command_number(c, "the lock", argv[1], false, 3, 1 << 20);
	/* The caller may have had more open than the lock. */
	if (most < 0 || most > 65536)
		most = 65536;
	for (fd = STDERR_FILENO + 1; fd < most; fd++)
		if (fd != lock)
			close(fd);
	fcntl(lock, F_SETFD, FD_CLOEXEC);
	j.key = argv[2];
	context_statusdir(&j.dir, argv[3]);
	if (reload_read(&j.r, j.dir.state_fd, j.key) != 1)
		fatal("cannot read from '%s' what to restart", argv[3]);
	proc_identify(&j.r.process, getpid());
	j.issue = issue_valid(j.key);
	if (status_read(&s, j.dir.state_fd, j.key) == 1)
		j.started = s.started;
	if (backend_read(&j.backend, j.r.backend, &why) == -1)
		restarter_fail(&j, "%s", buf_str(&why));
	restarter_begin(&j, RELOAD_WAITING, "waits for the turn to end");
	if (!wait_until(&j, turn_over, TURN))
		restarter_fail(&j, "its turn did not end within %d minutes; "
		    "leaving it alone", TURN / 60000);
	write_launch(&j);
	/* The pane stays without its only process. */
	if (j.r.shape == RELOAD_OWN && tmux_keep(&j.r.place, &stays, &why) !=
	    TMUX_OK)
		restarter_fail(&j, "%s; the agent is left alone",
		    buf_str(&why));
	j.kept = !stays;
	pane = restarter_pane(&j, NULL);
	j.logged = j.issue && pane != NULL && pane->pipe &&
	    panelog_writer(j.dir.state_fd, j.key, PANE_NAME(&j.r.place),
	    NULL) != PANELOG_UNWRITTEN;
	if (j.r.npast < RELOAD_PAST)
		j.r.past[j.r.npast++] = clock_wall();
	restarter_begin(&j, RELOAD_STOPPING, "the agent is stopped");
	stop_old_agent(&j);
	restarter_begin(&j, RELOAD_STARTING, "the agent is started again");
	from = clock_wall();
	start_new_agent(&j);
	deliver_prompt(&j, from);
	restarter_end(&j, RELOAD_DONE);
}

const struct command reloadrun_command = {
	.name = "reload-run",
	.arguments = "LOCK KEY STATUS-DIRECTORY",
	.run = reloadrun_run,
};

/* ---- the command in the pane --------------------------------------------- */

/*
 * This process becomes the agent, so pid and start are known.
 *
 * The words of the command line never pass through a shell or tmux.  Their file
 * (run/launch.h) is read only while the pane is restarted, so a line left over
 * at a prompt does nothing.
 */
static int
reloadagent_run(const struct command *c, int argc, char **argv)
{
	struct launched me = { .pid = getpid(), .start = proc_start(getpid()),
	    .exit_code = -1, .exit_signal = -1 };
	struct statusdir dir;
	struct reload r;
	struct launch l;
	const char *key;

	if (argc != 3 || strchr(argv[1], '/') != NULL ||
	    strlen(argv[1]) >= RELOAD_KEY)
		command_usage(c, "is run by paneward itself");
	key = argv[1];
	context_statusdir(&dir, argv[2]);
	if (reload_read(&r, dir.state_fd, key) != 1 ||
	    r.phase != RELOAD_STARTING || !reload_under_way(&r, NULL))
		fatalx("nothing is started: no restart of this pane is under "
		    "way");
	if (launch_take(&l, dir.state_fd, key, NULL) == -1)
		fatal("cannot read from '%s' what to start", dir.path);
	if (chdir(l.cwd) == -1)
		fatal("cannot enter '%s'", l.cwd);
	if (launched_write(&me, dir.state_fd, key, l.run) == -1)
		fatal("cannot record the agent's process in '%s'", dir.path);
	if (issue_valid(key))
		launch_environment(&l, key);
	sessionhooks_launch(&l, r.backend);
	signal(SIGPIPE, SIG_DFL);
	execv(l.program, l.argv);
	fatal("cannot run '%s'", l.program);
}

const struct command reloadagent_command = {
	.name = "reload-agent",
	.arguments = "KEY STATUS-DIRECTORY",
	.run = reloadagent_run,
};
