/*
 * run.c - the process that restarts an agent in its pane.
 *
 * It goes through the phases in their order, and writes each down before it
 * begins (reload.h).  Wherever it is killed, what is there then is what
 * everybody else sees: an agent that goes on, one that has ended, or one that
 * is there again.  Where it cannot go on it says why and ends; what an agent
 * was to be told is never typed where there is no agent.
 *
 * It polls, some ten times a second, since nothing tells of most of what it
 * waits for, and it lives for moments.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "marker/marker.h"
#include "os/child.h"
#include "os/lock.h"
#include "os/proc.h"
#include "os/shell.h"
#include "reload/commands.h"
#include "reload/job.h"
#include "run/launch.h"
#include "run/panelog.h"
#include "tmux/tmux.h"

enum {                                  /* milliseconds */
	POLL = 25,                      /* between two looks */
	TURN = 1800000,                 /* a turn may go on for */
	CALM = 1000,                    /* a prompt that stays means its end; */
	CALM_HOOKED = 10000,            /* where hooks should tell, later */
	CALM_BLIND = 5000,              /* and where it is not recognised, a
					   screen that stays */
	TERMINATING = 5000,             /* after the first Ctrl+C */
	KILLING = 10000,
	STOPPING = 15000,
	AGAIN = 1000,                   /* between Ctrl+C that are not due */
	RETURNING = 5000,               /* a shell comes back */
	APPEARING = 10000,              /* the agent's process is there */
	DRAWING = 120000,               /* its prompt is */
	TAKING = 60000,                 /* it has taken what it was told */
	LIVING = 2000,                  /* it lives, and nothing else tells */
	ENTERING = 300,                 /* between a text and its Enter */
	ENTERED = 5000                  /* and until that has an effect */
};

enum { ENTERS = 3, EXTRA_INTERRUPTS = 2 };

/* ---- the turn ends ------------------------------------------------------- */

/* What the hooks told last; of a turn that goes on it must be news. */
static bool
told_over(const struct job *j)
{
	const struct event_evidence *e = &j->events;

	if (!e->there || (j->r.own_turn && e->time < j->r.since))
		return false;
	switch (e->last) {
	case EVENT_ENDED:
		return strcmp(e->kind, "background") != 0;
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
turn_over(struct job *j)
{
	msec ready, calm;

	if (!job_front_is(j, j->r.agent))
		return false;           /* a person has put it aside */
	sight_events(j);
	ready = sight_prompting(j);
	/* A hook may have let it go on. */
	if (told_over(j) && j->looked != 0 && !sight_shows(j, SIGN_BUSY))
		return true;
	if (ready >= (j->events.there ? CALM_HOOKED : CALM))
		return true;
	calm = sight_unchanged(j);
	return j->backend.signs.n == 0 &&
	    calm >= (j->events.there ? CALM_HOOKED : CALM_BLIND);
}

static void
wait_for_turn(struct job *j)
{
	msec until = clock_now() + TURN;

	job_begin(j, RELOAD_WAITING, "waits for the turn to end");
	for (;;) {
		if (!job_alive(j))
			job_fail(j, "the agent has ended by itself");
		if (clock_wall() >= j->r.not_before && turn_over(j))
			return;
		if (clock_now() >= until)
			job_fail(j, "its turn did not end within %d minutes; "
			    "it is left alone", TURN / 60000);
		job_pause(POLL, j->r.agent, j->r.agent_start);
	}
}

/* ---- what it is to be told ----------------------------------------------- */

/* As it is now, and once more as the command has looked at it. */
static void
read_note(struct job *j)
{
	struct reload *r = &j->r;
	struct buf why = BUF_INIT;
	struct marker_set set;
	struct status s;
	int found = 0;

	if (r->file != NULL)
		found = note_read(&j->note, r->folder, r->file, &why);
	if (found == -1)
		job_fail(j, "%s; the agent is left alone", buf_str(&why));
	if (r->file != NULL && found == 0)
		job_fail(j, "the hand-off file '%s/%s' was removed; the "
		    "agent is left alone", r->folder, r->file);
	note_prompt(&j->prompt, r->reason, &j->note);
	if (!j->issue)
		return;
	if (status_read(&s, j->dir.state_fd, j->key) != 1 || s.marker == NULL ||
	    marker_set_init(&set, j->key, NULL, s.marker) == -1)
		marker_set_init(&set, j->key, NULL, NULL);
	status_release(&s);
	if (marker_set_in(&set, j->prompt.data, j->prompt.len))
		job_fail(j, "the hand-off file holds a finished marker; the "
		    "agent is left alone");
}

/* The words that every start of it has, and those that resume. */
static void
write_launch(struct job *j)
{
	struct reload *r = &j->r;
	struct launch old, new = { .program = r->program, .cwd = r->cwd,
	    .status_dir = j->dir.path };
	char **more = backend_resume(&j->backend, r->session,
	    buf_str(&j->prompt), &j->typed), **word;
	size_t i;
	int ret;

	memcpy(new.run, r->run, sizeof(new.run));
	if (launch_noted(&old, j->dir.state_fd, j->key, r->run) != 1)
		job_fail(j, "cannot learn from '%s' what the agent was begun "
		    "with; it is left alone", j->dir.path);
	for (i = 0; i < old.base; i++)
		new.argv = argv_add(new.argv, old.argv[i]);
	backend_add_known(&j->backend, r->program, &new.argv);
	new.base = argv_count(new.argv);
	for (word = more; *word != NULL; word++)
		new.argv = argv_add(new.argv, *word);
	ret = launch_write(&new, j->dir.state_fd, j->key);
	argv_free(new.argv);
	argv_free(more);
	launch_release(&old);
	if (ret == -1)
		job_fail(j, "cannot write to '%s': %s; the agent is left alone",
		    j->dir.path, strerror(errno));
}

/* ---- it is stopped ------------------------------------------------------- */

/* Its process group, which it leads, as long as it is itself.  Whoever put it
 * aside may be typing into its pane. */
static void
send(struct job *j, int signo)
{
	bool front = job_front_is(j, j->r.agent);

	if (!job_alive(j))
		return;                 /* a shell is in front then */
	if (!front)
		job_fail(j, "the agent is not in front of its pane any more; "
		    "it is left alone");
	job_say(j, "signal %d (%s)", signo, strsignal(signo));
	child_signal(j->r.agent, signo);
}

/* Ctrl+C, if the agent would get it; when the next one is due. */
static msec
interrupt(struct job *j, int presses, msec now)
{
	struct buf why = BUF_INIT;

	if (!job_front_is(j, j->r.agent) || !job_alive(j))
		return now;
	if (tmux_input(&j->r.place, &why) == TMUX_OK)
		tmux_key(&j->r.place, "C-c", &why);
	if (why.len > 0)
		job_say(j, "no Ctrl+C: %s", buf_str(&why));
	buf_release(&why);
	return now + (presses + 1 < j->backend.interrupts ?
	    j->backend.interrupt_gap : AGAIN);
}

static void
stop_agent(struct job *j)
{
	int most = j->backend.interrupts + EXTRA_INTERRUPTS, presses = 0;
	msec from = clock_now(), now, next = from;
	int sent = 0;

	while (job_alive(j)) {
		now = clock_now();
		if (presses < most && now >= next && sent == 0)
			next = interrupt(j, presses++, now);
		if (now >= from + TERMINATING && sent == 0)
			send(j, sent = SIGTERM);
		if (now >= from + KILLING && sent == SIGTERM)
			send(j, sent = SIGKILL);
		if (now >= from + STOPPING)
			job_fail(j, "process %ld cannot be stopped",
			    (long)j->r.agent);
		job_pause(POLL, j->r.agent, j->r.agent_start);
	}
	job_say(j, "the agent has ended");
}

/* The pane must not close with its process, if that is the agent. */
static void
keep_pane(struct job *j)
{
	struct buf why = BUF_INIT;
	bool stays = true;

	if (j->r.shape == RELOAD_OWN && (tmux_stays(&j->r.place, &stays, &why)
	    != TMUX_OK || (!stays && tmux_keep(&j->r.place, true, &why) !=
	    TMUX_OK)))
		job_fail(j, "%s; the agent is left alone", buf_str(&why));
	j->kept = !stays;
	buf_release(&why);
}

/* Does a pipe of ours write down what the pane prints? */
static void
note_pipe(struct job *j)
{
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane;
	char name[PANE_REF_NAME];
	uint64_t start;
	pid_t pid;

	if (!j->issue)
		return;
	pane_ref_name(name, &j->r.place);
	if (tmux_list(j->r.place.socket, &l, &why) == TMUX_OK &&
	    (pane = listing_pane(&l, j->r.place.pane)) != NULL)
		j->logged = pane->pipe && panelog_writer(j->dir.state_fd,
		    j->key, name, &pid, &start) != PANELOG_UNCLAIMED;
	listing_release(&l);
	buf_release(&why);
}

static void
wait_for_place(struct job *j)
{
	bool shell = j->r.shape == RELOAD_IN_SHELL;
	msec until = clock_now() + RETURNING;

	for (;;) {
		if (shell && !proc_alive(j->r.shell, j->r.shell_start))
			job_fail(j, "the shell that started the agent has "
			    "ended");
		if (shell ? job_front_is(j, j->r.shell) :
		    !proc_alive(j->r.place.pane_pid, j->r.place.pane_start))
			break;
		if (clock_now() >= until && shell)
			job_fail(j, "the shell '%s' has not come back in front",
			    j->r.shell_name);
		if (clock_now() >= until)
			break;          /* it is ended with the respawn */
		job_pause(POLL, 0, 0);
	}
	job_check_pane(j);
	sight_forget(j);
}

/* ---- it is started again ------------------------------------------------- */

static void
start_in_shell(struct job *j, const char *self, struct buf *why)
{
	const char *const argv[] = { self, "reload-agent", j->key, j->dir.path,
	    NULL };
	struct buf line = BUF_INIT;

	/* A line that begins with a blank is kept out of most histories. */
	buf_addc(&line, ' ');
	if (!shell_line(&line, j->r.shell_name, argv))
		job_fail(j, "the shell '%s' cannot be given our path",
		    j->r.shell_name);
	if (tmux_input(&j->r.place, why) == TMUX_OK &&
	    proc_alive(j->r.shell, j->r.shell_start) &&
	    job_front_is(j, j->r.shell))
		tmux_line(&j->r.place, buf_str(&line), why);
	else if (why->len == 0)
		buf_printf(why, "the shell '%s' is not in front any more",
		    j->r.shell_name);
	buf_release(&line);
}

static void
respawn(struct job *j, const char *self, struct buf *why)
{
	const char *word = j->r.shape == RELOAD_STARTED ? "agent-run" :
	    "reload-agent";

	tmux_respawn(&j->r.place, (const char *const[]){ self, word, j->key,
	    j->dir.path, NULL }, why);
}

/* The new process says itself which one it is. */
static bool
appeared(struct job *j)
{
	struct launched l;

	if (launched_read(&l, j->dir.state_fd, j->key, j->r.run) != 1 ||
	    (l.pid == j->r.agent && l.start == j->r.agent_start))
		return false;
	j->agent = l.pid;
	j->agent_start = l.start;
	return true;
}

/* The pane's own process is another one now. */
static void
take_process(struct job *j)
{
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane;
	struct proc p;

	if (tmux_list(j->r.place.socket, &l, &why) == TMUX_OK &&
	    (pane = listing_pane(&l, j->r.place.pane)) != NULL &&
	    proc_read(&p, pane->pid) == 0) {
		j->r.place.pane_pid = p.pid;
		j->r.place.pane_start = p.start;
	}
	listing_release(&l);
	buf_release(&why);
}

static void
start_agent(struct job *j)
{
	char *self = proc_program();
	struct buf why = BUF_INIT;
	msec until;

	if (self == NULL)
		job_fail(j, "cannot find the path of this program");
	if (j->r.shape == RELOAD_IN_SHELL)
		start_in_shell(j, self, &why);
	else
		respawn(j, self, &why);
	if (why.len > 0)
		job_fail(j, "%s", buf_str(&why));
	until = clock_now() + APPEARING;
	while (!appeared(j)) {
		if (clock_now() >= until)
			job_fail(j, j->r.shape == RELOAD_IN_SHELL ?
			    "the shell '%s' has not started the agent" :
			    "the pane has not started the agent%.0s",
			    j->r.shell_name);
		job_pause(POLL, 0, 0);
	}
	j->r.agent = j->agent;
	j->r.agent_start = j->agent_start;
	if (j->r.shape != RELOAD_IN_SHELL)
		take_process(j);
	free(self);
	buf_release(&why);
}

/* ---- is it taken? -------------------------------------------------------- */

static _Noreturn void
fail_ended(struct job *j)
{
	struct launched l;

	if (launched_read(&l, j->dir.state_fd, j->key, j->r.run) == 1 &&
	    l.ended && l.exit_code != -1)
		job_fail(j, "the agent was started again, and ended with "
		    "status %d%s", l.exit_code, j->r.session ? "; is its session "
		    "still there?" : "");
	job_fail(j, "the agent was started again, and ended%s", j->r.session ?
	    "; is its session still there?" : "");
}

/* What it was to be told is left where it is, for a person or the next time. */
static _Noreturn void
fail_untaken(struct job *j)
{
	const struct reload *r = &j->r;
	bool left = r->file != NULL;

	job_fail(j, "the agent was started again, and %s, but has not taken "
	    "what it was told; see pane %s%s%s%s%s%s",
	    sight_shows(j, SIGN_LIMITED) ? "is held by a usage limit" :
	    sight_shows(j, SIGN_ASKING) ? "asks for something" : "lives",
	    r->place.pane, left ? ", and tell it to read its hand-off file, '" :
	    "", left ? r->folder : "", left ? "/" : "", left ? r->file : "",
	    left ? "'" : "");
}

/* Its hooks, or its screen, tell that it is at work since that wall time. */
static bool
taken(struct job *j, msec from)
{
	const struct event_evidence *e = &j->events;

	sight_events(j);
	if (e->there && e->time >= from && e->last != EVENT_SESSION &&
	    e->last != EVENT_OVER && !(e->last == EVENT_WAITING &&
	    strcmp(e->kind, "prompt") == 0))
		return true;
	sight_look(j);
	return sight_shows(j, SIGN_BUSY);
}

/* Does anything tell what it does? */
static bool
blind(const struct job *j)
{
	return j->backend.signs.n == 0 && !j->events.there;
}

static bool
wait_until_taken(struct job *j, msec from, msec most)
{
	msec begun = clock_now(), now;

	do {
		if (taken(j, from))
			return true;
		if (!job_alive(j))
			fail_ended(j);
		now = clock_now();
		if (blind(j) && now >= begun + LIVING)
			return false;
		job_pause(POLL, j->r.agent, j->r.agent_start);
	} while (now < begun + most);
	return false;
}

static void
wait_for_prompt(struct job *j)
{
	msec until = clock_now() + DRAWING;

	for (;;) {
		if (!job_alive(j))
			fail_ended(j);
		sight_look(j);
		if (sight_prompts(j) || (j->backend.signs.n == 0 &&
		    sight_unchanged(j) >= LIVING))
			return;
		if (clock_now() >= until)
			job_fail(j, "the agent was started again, and does not "
			    "show its prompt; nothing was typed");
		job_pause(POLL, j->r.agent, j->r.agent_start);
	}
}

/* Only where the agent is in front, and would get it alone. */
static void
to_agent(struct job *j, const char *text)
{
	struct buf why = BUF_INIT;

	if (!job_alive(j) || !job_front_is(j, j->r.agent))
		fail_ended(j);
	if (tmux_input(&j->r.place, &why) == TMUX_OK) {
		if (text != NULL)
			tmux_paste(&j->r.place, text, &why);
		else
			tmux_key(&j->r.place, "Enter", &why);
	}
	if (why.len > 0)
		job_fail(j, "cannot type to the agent: %s", buf_str(&why));
	buf_release(&why);
}

static bool
type_prompt(struct job *j)
{
	char *line = xstrdup(buf_str(&j->prompt)), *p;
	msec from;
	int i;

	wait_for_prompt(j);
	for (p = line; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	to_agent(j, line);
	free(line);
	for (i = 0; i < ENTERS; i++) {
		job_pause(ENTERING, j->r.agent, j->r.agent_start);
		from = clock_wall();
		to_agent(j, NULL);
		if (wait_until_taken(j, from, ENTERED) || blind(j))
			break;
	}
	return i < ENTERS && !blind(j);
}

static void
put_note_away(struct job *j)
{
	char *name;

	if (j->r.file == NULL)
		return;
	if (note_put_away(&j->note, j->r.folder, j->r.file, clock_wall(),
	    &name) == -1)
		job_say(j, "cannot rename the hand-off file '%s/%s': %s",
		    j->r.folder, j->r.file, strerror(errno));
	else if (name != NULL)
		job_say(j, "the hand-off file is '%s/%s' now", j->r.folder,
		    name);
	free(name);
}

/* Our pipe was lost meanwhile, and no watcher would see to that. */
static void
mend_pipe(struct job *j)
{
	struct tmux_query q = TMUX_QUERY_INIT;
	struct tmux_wish wish = { .pane = j->r.place.pane, .want = TMUX_PIPE };
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane;
	char *self = proc_program(), *pipe, cap[24];
	bool lost;

	if (!j->logged || j->r.shape == RELOAD_IN_SHELL || self == NULL ||
	    lock_held(j->dir.state_fd, j->key, NULL) ||
	    tmux_list(j->r.place.socket, &l, &why) != TMUX_OK)
		return;
	pane = listing_pane(&l, j->r.place.pane);
	lost = pane != NULL && !pane->pipe;
	listing_release(&l);
	if (lost) {
		snprintf(cap, sizeof(cap), "%" PRId64, j->r.log_cap);
		pipe = tmux_pipe_command((const char *[]){ self, "log-writer",
		    j->key, j->dir.path, cap, NULL });
		wish.pipe = pipe;
		if (tmux_query_begin(&q, j->r.place.socket, &wish, 1) != -1)
			spawn_finish(&q.spawn);
		tmux_query_release(&q);
		free(pipe);
	}
	free(self);
	buf_release(&why);
}

static void
deliver(struct job *j, msec from)
{
	bool told;

	job_begin(j, RELOAD_DELIVERING, "the agent is there again");
	if (j->kept) {
		struct buf why = BUF_INIT;

		tmux_keep(&j->r.place, false, &why);
		buf_release(&why);
		j->kept = false;
	}
	mend_pipe(j);
	told = j->typed ? type_prompt(j) : wait_until_taken(j, from, TAKING);
	if (!job_alive(j))
		fail_ended(j);
	if (!told && !blind(j))
		fail_untaken(j);
	put_note_away(j);
	snprintf(j->r.why, sizeof(j->r.why), "the agent was restarted%s%s%s%s",
	    j->r.session ? " with session " : "", j->r.session ? j->r.session :
	    "", told ? ", and works on what it was told" :
	    "; nothing tells whether it has taken what it was told",
	    j->r.file != NULL ? " (with a hand-off)" : "");
}

/* ---- the whole ----------------------------------------------------------- */

/* What the caller had open is not ours, but for the lock. */
static void
close_others(int lock)
{
	long most = sysconf(_SC_OPEN_MAX);
	int fd;

	if (most < 0 || most > 65536)
		most = 65536;
	for (fd = STDERR_FILENO + 1; fd < most; fd++)
		if (fd != lock)
			close(fd);
}

static void
open_job(struct job *j, const char *path)
{
	struct buf error = BUF_INIT;
	struct status s;
	struct proc self;
	bool narrowed;

	if (statusdir_open(&j->dir, xstrdup(path), false, &error, &narrowed) ==
	    -1)
		fatalx("%s", buf_str(&error));
	if (reload_read(&j->r, j->dir.state_fd, j->key) != 1 ||
	    proc_read(&self, getpid()) == -1)
		fatal("cannot learn from '%s' what to restart", path);
	j->r.pid = self.pid;
	j->r.start = self.start;
	j->issue = issue_valid(j->key);
	if (j->issue && status_read(&s, j->dir.state_fd, j->key) == 1) {
		j->started = s.started;
		status_release(&s);
	}
	if (backend_read(&j->backend, j->r.backend, &error) == -1 ||
	    signs_compile(&j->backend.signs, j->backend.file, &error) == -1)
		job_fail(j, "%s", buf_str(&error));
}

static int
run(const struct command *c, int argc, char **argv)
{
	struct job j = { .dir = STATUSDIR_INIT };
	msec from;
	int lock;

	if (argc != 4 || strchr(argv[2], '/') != NULL ||
	    strlen(argv[2]) >= RELOAD_KEY)
		command_usage(c, "is run by paneward itself");
	lock = (int)command_number(c, "the lock", argv[1], 3, 1 << 20);
	close_others(lock);
	fcntl(lock, F_SETFD, FD_CLOEXEC);
	j.key = argv[2];
	open_job(&j, argv[3]);
	wait_for_turn(&j);
	read_note(&j);
	write_launch(&j);
	keep_pane(&j);
	note_pipe(&j);
	if (j.r.npast < RELOAD_PAST)
		j.r.past[j.r.npast++] = clock_wall();
	job_begin(&j, RELOAD_STOPPING, "the agent is stopped");
	stop_agent(&j);
	wait_for_place(&j);
	job_begin(&j, RELOAD_STARTING, "the agent is started again");
	from = clock_wall();
	start_agent(&j);
	deliver(&j, from);
	job_end(&j, RELOAD_DONE);
}

const struct command reloadrun_command = {
	.name = "reload-run",
	.arguments = "LOCK KEY STATUS-DIRECTORY",
	.options = (const struct command_option[]){ { 0 } },
	.run = run,
};
