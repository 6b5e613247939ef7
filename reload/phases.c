/*
 * phases.c - the process that restarts an agent in its pane, phase by phase.
 *
 * It records each phase before it begins (run/restart.h).  Killed at any
 * moment it leaves an agent that runs, one that has ended, or one that runs
 * again, and the other commands see just that.  If it cannot continue it
 * records why and ends.  The prompt is typed only where the agent is in front.
 *
 * It polls: most of what it waits for causes no event, and it lives for
 * moments.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/sessionhooks.h"
#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "data/shell.h"
#include "os/child.h"
#include "os/lock.h"
#include "os/proc.h"
#include "paneward.h"
#include "project/context.h"
#include "reload/restarter.h"
#include "run/launch.h"
#include "run/panelog.h"
#include "tmux/tmux.h"

enum {                                  /* milliseconds */
	POLL = 25,                      /* between two checks */
	TURN = 1800000,                 /* for the turn to end */
	CALM = 1000,                    /* a prompt this old ends a turn, */
	CALM_HOOKED = 10000,            /* if hooks should report the end, */
	CALM_BLIND = 5000,              /* if the prompt is not recognised: an
					   unchanged screen */
	TERMINATING = 5000,             /* after the first Ctrl+C */
	KILLING = 10000,
	STOPPING = 15000,
	AGAIN = 1000,                   /* between extra Ctrl+C */
	RETURNING = 5000,               /* for the shell to come back */
	APPEARING = 10000,              /* for the agent's process */
	DRAWING = 120000,               /* for its prompt */
	TAKING = 60000,                 /* for it to accept the memo */
	LIVING = 2000,                  /* alive this long, without a sign */
	ENTERING = 300,                 /* between a text and its Enter */
	ENTERED = 5000                  /* for Enter to have an effect */
};

enum { ENTERS = 3, EXTRA_INTERRUPTS = 2 };

/* Checks again and again; false: not within that time. */
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

/* ---- the turn ends ------------------------------------------------------- */

/* Do the hooks report the end of the turn, newer than the request? */
static bool
hooks_report_end(const struct restarter *j)
{
	const struct event_evidence *e = &j->events;

	if (!e->there || (j->r.own_turn && e->time < j->r.since))
		return false;
	switch (e->last) {
	case EVENT_ENDED:
		return e->kind[0] == '\0';
	case EVENT_WAITING:
		return strcmp(e->kind, "prompt") == 0;
	case EVENT_FAILED:
	case EVENT_SESSION:
		return true;
	default:
		return false;
	}
}

static bool
turn_over(struct restarter *j)
{
	bool calm;

	if (!restarter_alive(j))
		restarter_fail(j, "the agent has ended by itself");
	if (clock_wall() < j->r.not_before ||
	    !restarter_in_front(j))
		return false;           /* too soon, or it is suspended */
	observe_events(j);
	calm = observe_prompting(j) >= (j->events.there ? CALM_HOOKED : CALM);
	/* A later hook may have continued the turn. */
	if (calm || (hooks_report_end(j) && j->looked != 0 &&
	    !observe_shows(j, SIGN_BUSY)))
		return true;
	return j->backend.signs.n == 0 && observe_unchanged(j) >=
	    (j->events.there ? CALM_HOOKED : CALM_BLIND);
}

/* ---- what is delivered --------------------------------------------------- */

/* Reads the memo once more, with the checks of the command, and writes the words
 * of every start, and those that resume. */
static void
write_launch(struct restarter *j)
{
	struct reload *r = &j->r;
	struct launch old, new = { .program = r->program, .cwd = r->cwd,
	    .status_dir = j->dir.path };
	struct buf why = BUF_INIT;
	struct status s;
	bool marked = false;
	char **more;
	size_t i;
	int ret, found = r->file == NULL ? 1 : memo_read(&j->memo, r->folder,
	    r->file, &why);

	if (found == -1)
		restarter_fail(j, "%s; the agent is left alone", buf_str(&why));
	if (found == 0)
		restarter_fail(j, "the memo '%s/%s' was removed; the agent "
		    "is left alone", r->folder, r->file);
	memo_prompt(&j->prompt, r->reason, &j->memo);
	if (j->issue) {
		status_read(&s, j->dir.state_fd, j->key);
		marked = memo_marked(&j->prompt, j->key, s.marker);
		status_release(&s);
	}
	if (marked)
		restarter_fail(j, "the memo holds a finished marker; the agent "
		    "is left alone");
	more = backend_resume(&j->backend, r->session, NULL,
	    buf_str(&j->prompt), &j->typed);
	memcpy(new.run, r->run, sizeof(new.run));
	if (launch_noted(&old, j->dir.state_fd, j->key, r->run) != 1)
		restarter_fail(j, "cannot read from '%s' how the agent was "
		    "started; it is left alone", j->dir.path);
	for (i = 0; i < old.base; i++)
		new.argv = argv_add(new.argv, old.argv[i]);
	backend_add_known(&j->backend, r->program, &new.argv);
	new.base = argv_count(new.argv);
	new.argv = argv_add_all(new.argv, (const char *const *)more);
	ret = launch_write(&new, j->dir.state_fd, j->key, LAUNCH_ORDER);
	argv_free(new.argv);
	argv_free(more);
	launch_release(&old);
	if (ret == -1)
		restarter_fail(j, "cannot write to '%s': %s; the agent is left "
		    "alone", j->dir.path, strerror(errno));
}

/* ---- stopping ------------------------------------------------------------ */

/* Signals its process group, as long as it is the agent's.  If it is not in
 * front, a person may be typing into its pane. */
static void
signal_agent(struct restarter *j, int signo)
{
	bool foreground = restarter_in_front(j);

	if (!restarter_alive(j))
		return;                 /* now a shell is in front */
	if (!foreground)
		restarter_fail(j, "the agent is no longer in front of its "
		    "pane; it is left alone");
	restarter_say(j, "signal %d (%s)", signo, strsignal(signo));
	child_signal(j->r.agent, signo);
}

/* Types Ctrl+C, if the agent would get it; returns when the next is due. */
static msec
press_interrupt(struct restarter *j, int presses, msec now)
{
	struct buf why = BUF_INIT;

	if (!restarter_in_front(j))
		return now;
	if (tmux_input(&j->r.place, &why) == TMUX_OK)
		tmux_key(&j->r.place, "C-c", &why);
	if (why.len > 0)
		restarter_say(j, "no Ctrl+C: %s", buf_str(&why));
	buf_release(&why);
	return now + (presses + 1 < j->backend.interrupts ?
	    j->backend.interrupt_gap : AGAIN);
}

static void
stop_old_agent(struct restarter *j)
{
	int most = j->backend.interrupts + EXTRA_INTERRUPTS, presses = 0;
	msec from = clock_now(), now, next = from;
	int sent = 0;

	while (restarter_alive(j)) {
		now = clock_now();
		if (presses < most && now >= next && sent == 0)
			next = press_interrupt(j, presses++, now);
		if (now >= from + TERMINATING && sent == 0)
			signal_agent(j, sent = SIGTERM);
		if (now >= from + KILLING && sent == SIGTERM)
			signal_agent(j, sent = SIGKILL);
		if (now >= from + STOPPING)
			restarter_fail(j, "process %ld cannot be stopped",
			    (long)j->r.agent);
		restarter_pause(j, POLL);
	}
	restarter_say(j, "the agent has ended");
}

/* Fails if the pane is gone. */
static void
check_pane(struct restarter *j)
{
	const struct tmux_listing *l = &j->listing;
	struct buf why = BUF_INIT;
	enum tmux_result result;

	listing_release(&j->listing);
	result = tmux_list(j->r.place.socket, &j->listing, &why);
	if (result != TMUX_OK && result != TMUX_NO_SERVER)
		restarter_fail(j, "%s", buf_str(&why));
	if (result == TMUX_NO_SERVER || l->server != j->r.place.server ||
	    l->server_start != j->r.place.server_start ||
	    listing_pane(l, j->r.place.pane) == NULL)
		restarter_fail(j, "its pane is no longer there");
	buf_release(&why);
}

static bool
shell_in_front(const struct restarter *j)
{
	return proc_in_front(j->r.shell, j->r.shell_start,
	    j->r.place.pane_pid);
}

/* Is the shell in front again, or has the pane's process ended? */
static bool
place_is_free(struct restarter *j)
{
	if (j->r.shape != RELOAD_IN_SHELL)
		return !proc_alive(j->r.place.pane_pid, j->r.place.pane_start);
	if (!proc_alive(j->r.shell, j->r.shell_start))
		restarter_fail(j, "the shell that started the agent has ended");
	return shell_in_front(j);
}

/* ---- starting ------------------------------------------------------------ */

/* Has the new agent recorded its process? */
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
	const char *name = j->r.shell_name;
	const char *self = proc_program();
	const struct tmux_pane *pane;
	struct buf line = BUF_INIT, why = BUF_INIT;
	struct proc p;

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
	else if (tmux_input(&j->r.place, &why) == TMUX_OK && shell_in_front(j))
		tmux_line(&j->r.place, buf_str(&line), &why);
	else if (why.len == 0)
		buf_printf(&why, "the shell '%s' is no longer in front", name);
	if (why.len > 0)
		restarter_fail(j, "%s", buf_str(&why));
	if (!wait_until(j, agent_appeared, APPEARING))
		restarter_fail(j, "the %s '%s' has not started the agent",
		    shell ? "shell" : "pane",
		    shell ? name : j->r.place.pane);
	/* The pane has a new process of its own. */
	pane = shell ? NULL : restarter_pane(j);
	if (pane != NULL && proc_read(&p, pane->pid) == 0) {
		j->r.place.pane_pid = p.pid;
		j->r.place.pane_start = p.start;
	}
	buf_release(&line);
	buf_release(&why);
}

/* ---- delivering ---------------------------------------------------------- */

static _Noreturn void
fail_ended(struct restarter *j)
{
	const char *question = j->r.session != NULL ?
	    "; is its session still there?" : "";
	struct launched l;

	if (launched_read(&l, j->dir.state_fd, j->key, j->r.run) == 1 &&
	    l.ended && l.exit_code != -1)
		restarter_fail(j, "the agent was started again, and ended "
		    "with status %d%s", l.exit_code, question);
	restarter_fail(j, "the agent was started again, and ended%s", question);
}

/* Does neither a hook nor a sign show what the agent does? */
static bool
is_blind(const struct restarter *j)
{
	return j->backend.signs.n == 0 && !j->events.there;
}

/* Waits until its hooks or its screen show that it works since that wall
 * time. */
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
		if (!restarter_alive(j))
			fail_ended(j);
		now = clock_now();
		if (is_blind(j) && now >= begun + LIVING)
			return false;
		restarter_pause(j, POLL);
	} while (now < begun + most);
	return false;
}

/* Does the agent show its prompt, or if that is not recognised, anything that
 * stays? */
static bool
shows_prompt(struct restarter *j)
{
	if (!restarter_alive(j))
		fail_ended(j);
	observe_screen(j);
	return observe_prompts(j) || (j->backend.signs.n == 0 &&
	    observe_unchanged(j) >= LIVING);
}

/* Types a text, or Enter (NULL), if the agent is in front and gets it. */
static void
type_to_agent(struct restarter *j, const char *text)
{
	struct buf why = BUF_INIT;

	if (!restarter_in_front(j))
		fail_ended(j);
	if (tmux_input(&j->r.place, &why) == TMUX_OK) {
		if (text != NULL)
			tmux_paste(&j->r.place, text, &why);
		else
			tmux_key(&j->r.place, "Enter", &why);
	}
	if (why.len > 0)
		restarter_fail(j, "cannot type to the agent: %s",
		    buf_str(&why));
	buf_release(&why);
}

static bool
type_prompt(struct restarter *j)
{
	char *line = xstrdup(buf_str(&j->prompt)), *p;
	msec from;
	int i;

	if (!wait_until(j, shows_prompt, DRAWING))
		restarter_fail(j, "the agent was started again, and does not "
		    "show its prompt; nothing was typed");
	for (p = line; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	type_to_agent(j, line);
	free(line);
	for (i = 0; i < ENTERS; i++) {
		restarter_pause(j, ENTERING);
		from = clock_wall();
		type_to_agent(j, NULL);
		if (wait_for_work(j, from, ENTERED) || is_blind(j))
			break;
	}
	return i < ENTERS && !is_blind(j);
}

/* Opens our pipe again, if it was lost and no watcher does that. */
static void
restore_pipe(struct restarter *j)
{
	struct tmux_query q = TMUX_QUERY_INIT;
	struct tmux_wish wish = { .pane = j->r.place.pane, .want = TMUX_PIPE };
	const struct tmux_pane *pane;
	char *pipe;

	if (!j->logged || j->r.shape == RELOAD_IN_SHELL ||
	    lock_held(j->dir.state_fd, j->key, NULL))
		return;
	pane = restarter_pane(j);
	if (pane == NULL || pane->pipe)
		return;
	wish.pipe = pipe = panelog_pipe(j->key, j->dir.path, j->r.log_cap);
	if (tmux_query_begin(&q, j->r.place.socket, TMUX_PANES, &wish,
	    1) != -1)
		spawn_finish(&q.spawn);
	tmux_query_release(&q);
	free(pipe);
}

static void
deliver_prompt(struct restarter *j, msec from)
{
	struct reload *r = &j->r;
	const char *memo = "";
	char *name = NULL;
	bool works;

	restarter_begin(j, RELOAD_DELIVERING, "the agent runs again");
	restarter_unkeep(j);
	restore_pipe(j);
	works = j->typed ? type_prompt(j) : wait_for_work(j, from, TAKING);
	if (!restarter_alive(j))
		fail_ended(j);
	/* The memo stays where it is, for a person or the next restart. */
	if (!works && !is_blind(j) && r->file != NULL)
		memo = xasprintf(", and tell it to read its memo, '%s/%s'",
		    r->folder, r->file);
	if (!works && !is_blind(j))
		restarter_fail(j, "the agent was started again, and %s, but "
		    "has not accepted its prompt; see pane %s%s",
		    observe_shows(j, SIGN_LIMITED) ?
		    "is held by a usage limit" :
		    observe_shows(j, SIGN_ASKING) ? "asks for something" :
		    "lives", r->place.pane, memo);
	if (r->file != NULL && memo_put_away(&j->memo, r->folder, r->file,
	    clock_wall(), &name) == -1)
		restarter_say(j, "cannot rename the memo '%s/%s': %s",
		    r->folder, r->file, strerror(errno));
	else if (name != NULL)
		restarter_say(j, "the memo is now '%s/%s'", r->folder, name);
	free(name);
	snprintf(r->why, sizeof(r->why), "the agent was restarted%s%s%s%s",
	    r->session ? " with session " : "", r->session ? r->session : "",
	    works ? ", and works on its prompt" :
	    "; it is not known whether it has accepted its prompt",
	    r->file != NULL ? " (with a memo)" : "");
}

/* ---- the command --------------------------------------------------------- */

static int
reloadrun_run(const struct command *c, int argc, char **argv)
{
	struct restarter j = { .dir = STATUSDIR_INIT };
	long most = sysconf(_SC_OPEN_MAX);
	const struct tmux_pane *pane;
	char name[PANE_REF_NAME];
	struct buf why = BUF_INIT;
	struct status s;
	struct proc self;
	bool stays = true;
	uint64_t start;
	msec from;
	int lock, fd;
	pid_t pid;

	if (argc != 4 || strchr(argv[2], '/') != NULL ||
	    strlen(argv[2]) >= RELOAD_KEY)
		command_usage(c, "is run by paneward itself");
	lock = (int)command_number(c, "the lock", argv[1], 3, 1 << 20);
	/* Closes what the caller had open, but the lock. */
	if (most < 0 || most > 65536)
		most = 65536;
	for (fd = STDERR_FILENO + 1; fd < most; fd++)
		if (fd != lock)
			close(fd);
	fcntl(lock, F_SETFD, FD_CLOEXEC);
	j.key = argv[2];
	context_statusdir(&j.dir, argv[3]);
	if (reload_read(&j.r, j.dir.state_fd, j.key) != 1 ||
	    proc_read(&self, getpid()) == -1)
		fatal("cannot read from '%s' what to restart", argv[3]);
	j.r.pid = self.pid;
	j.r.start = self.start;
	j.issue = issue_valid(j.key);
	if (j.issue && status_read(&s, j.dir.state_fd, j.key) == 1) {
		j.started = s.started;
		status_release(&s);
	}
	if (backend_read(&j.backend, j.r.backend, &why) == -1)
		restarter_fail(&j, "%s", buf_str(&why));
	restarter_begin(&j, RELOAD_WAITING, "waits for the turn to end");
	if (!wait_until(&j, turn_over, TURN))
		restarter_fail(&j, "its turn did not end within %d minutes; it "
		    "is left alone", TURN / 60000);
	write_launch(&j);
	/* Keeps the pane open, if the agent is its only process. */
	if (j.r.shape == RELOAD_OWN && (tmux_stays(&j.r.place, &stays, &why)
	    != TMUX_OK || (!stays && tmux_keep(&j.r.place, true, &why) !=
	    TMUX_OK)))
		restarter_fail(&j, "%s; the agent is left alone",
		    buf_str(&why));
	j.kept = !stays;
	/* Does a pipe of ours record the pane's output? */
	pane = restarter_pane(&j);
	pane_ref_name(name, &j.r.place);
	j.logged = j.issue && pane != NULL && pane->pipe &&
	    panelog_writer(j.dir.state_fd, j.key, name, &pid, &start) !=
	    PANELOG_UNWRITTEN;
	if (j.r.npast < RELOAD_PAST)
		j.r.past[j.r.npast++] = clock_wall();
	restarter_begin(&j, RELOAD_STOPPING, "the agent is stopped");
	stop_old_agent(&j);
	/* The respawn ends a process of the pane that has not ended. */
	if (!wait_until(&j, place_is_free, RETURNING) &&
	    j.r.shape == RELOAD_IN_SHELL)
		restarter_fail(&j, "the shell '%s' has not come back in front",
		    j.r.shell_name);
	check_pane(&j);
	observe_reset(&j);
	restarter_begin(&j, RELOAD_STARTING, "the agent is started again");
	from = clock_wall();
	start_new_agent(&j);
	deliver_prompt(&j, from);
	restarter_end(&j, RELOAD_DONE);
}

const struct command reloadrun_command = {
	.name = "reload-run",
	.arguments = "LOCK KEY STATUS-DIRECTORY",
	.options = (const struct command_option[]){ { 0 } },
	.run = reloadrun_run,
};

/* ---- the command in the pane --------------------------------------------- */

/*
 * Starts the agent again: it becomes the agent, so its pid and start are known.
 *
 * The words of the agent's command line never pass through a shell or tmux.
 * They are in a file (run/launch.h), which is read only while the process that
 * wrote it restarts this pane.  So a line left over at a prompt does nothing.
 */
static int
reloadagent_run(const struct command *c, int argc, char **argv)
{
	struct launched me = { .pid = getpid(), .exit_code = -1,
	    .exit_signal = -1 };
	struct statusdir dir;
	struct reload r;
	struct launch l;
	struct proc p;
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
	if (proc_read(&p, me.pid) == 0)
		me.start = p.start;
	if (launched_write(&me, dir.state_fd, key, l.run) == -1)
		fatal("cannot record the agent's process in '%s'", dir.path);
	if (issue_valid(key))           /* else the pane belongs to no issue */
		launch_environment(&l, key);
	sessionhooks_launch(&l, r.backend);
	signal(SIGPIPE, SIG_DFL);
	execv(l.program, l.argv);
	fatal("cannot run '%s'", l.program);
}

const struct command reloadagent_command = {
	.name = "reload-agent",
	.arguments = "KEY STATUS-DIRECTORY",
	.options = (const struct command_option[]){ { 0 } },
	.run = reloadagent_run,
};
