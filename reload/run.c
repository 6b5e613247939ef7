/*
 * run.c - the process that restarts an agent in its pane.
 *
 * It goes through the phases in their order, and writes each down before it
 * begins (reload.h).  Wherever it is killed, what is there then is what everybody
 * else sees: an agent that goes on, one that has ended, or one that is there
 * again.  Where it cannot go on it says why and ends; what an agent was to be
 * told is never typed where there is no agent.
 *
 * It polls, some ten times a second, since nothing tells of most of what it
 * waits for, and it lives for moments.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argv.h"
#include "backend.h"
#include "command.h"
#include "commands.h"
#include "file.h"
#include "inspect.h"
#include "journal.h"
#include "launch.h"
#include "lock.h"
#include "marker.h"
#include "msg.h"
#include "note.h"
#include "panelog.h"
#include "proc.h"
#include "record.h"
#include "reload.h"
#include "screen.h"
#include "shell.h"
#include "statusdir.h"
#include "tmux.h"
#include "xalloc.h"

enum {                                  /* milliseconds */
	POLL = 25,                      /* between looks at processes, files */
	LOOK = 100,                     /* and at the screen */
	TURN = 1800000,                 /* a turn may go on for */
	CALM = 1000,                    /* a prompt that stays means its end; */
	CALM_HOOKED = 10000,            /* where hooks should have told, later */
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
	SETTLING = 2000,                /* it lives, and nothing else tells */
	ENTERING = 300,                 /* between a text and its Enter */
	ENTERED = 5000                  /* and until that has an effect */
};

enum { ENTERS = 3, EXTRA_INTERRUPTS = 2 };

struct job {
	struct statusdir dir;
	const char *key;
	bool   issue;
	struct reload r;
	struct backend backend;
	bool   typed;                   /* the prompt has to be */
	struct note note;
	struct buf prompt;
	pid_t  agent;                   /* the new one */
	uint64_t agent_start;
	bool   kept;                    /* the pane stays only for us */
	/* What is looked at. */
	struct record_reader reader;
	struct record_evidence records;
	msec   started;                 /* the run, wall time */
	struct screen screen;
	char  *old_title;               /* what the old agent left behind, which
					   says nothing of the new one; NULL */
	bool   old_text;                /* it may still show that it is busy */
	bool   counted;                 /* the log's markers, before it draws */
	struct marker_hits drawn;       /* what is old once more */
	struct buf shown;               /* what the screen showed last */
	msec   changed;                 /* since when it shows that */
	msec   ready;                   /* since when its prompt is there; 0 */
	msec   looked;
};

/* ---- what is written down ------------------------------------------------ */

static void
say(const struct job *j, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line for the log, with its time. */
static void
say(const struct job *j, const char *format, ...)
{
	struct buf line = BUF_INIT;
	char now[CLOCK_TEXT];
	va_list ap;
	char text[512];

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	clock_format(now, clock_wall());
	buf_printf(&line, "%s pane %s: ", now, j->r.place.pane);
	msg_escape(&line, text, strlen(text));
	buf_addc(&line, '\n');
	if (file_write(STDERR_FILENO, line.data, line.len) == -1)
		errno = 0;              /* nobody else is there to be told */
	buf_release(&line);
}

/* Where nobody watches, we see to it that what the new agent draws of the old
 * conversation is not taken for news; see leave_redrawn() in gather.c. */
static void
count_markers(struct job *j, struct status *s)
{
	struct inspect x;
	struct evidence ev;

	if (j->r.phase != RELOAD_STARTING && j->r.phase != RELOAD_DONE)
		return;
	if (inspect_init(&x, &j->dir, s) == -1)
		return;
	evidence_init(&ev, j->key);
	inspect_log(&x, &ev, true);
	if (j->r.phase == RELOAD_DONE && j->counted)
		reload_redrawn(s, &ev.log.hits, &j->drawn);
	j->counted = j->r.phase == RELOAD_STARTING;
	j->drawn = ev.log.hits;
	inspect_release(&x);
	evidence_release(&ev);
}

/* Whoever holds the issue's lock writes its record; if nobody does, we. */
static void
tell_record(struct job *j)
{
	struct lock lock = LOCK_INIT;
	struct status s;
	bool under_way, changed;

	if (!j->issue || lock_take(&lock, j->dir.own, j->key) != 1)
		return;
	if (status_read(&s, j->dir.own, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0) {
		changed = reload_take(&s, j->dir.own, &under_way);
		changed |= reload_find(&s, j->dir.own, NULL);
		count_markers(j, &s);
		if (changed && status_write(&s, j->dir.own) == -1)
			say(j, "cannot write the status record: %s",
			    strerror(errno));
	}
	status_release(&s);
	lock_release(&lock);
}

static void
tell_journal(const struct job *j)
{
	struct status s;
	char *detail;

	if (j->issue && status_read(&s, j->dir.own, j->key) == 1 &&
	    strcmp(s.run, j->r.run) == 0) {
		detail = xasprintf("reload: %s", j->r.why);
		if (journal_add(j->dir.own, j->dir.path, j->r.phase ==
		    RELOAD_DONE ? JOURNAL_RUN : JOURNAL_WARNING, &s, detail)
		    == -1)
			say(j, "cannot write to the journal: %s",
			    strerror(errno));
		free(detail);
		status_release(&s);
	}
}

/* The end, in one way or the other. */
static _Noreturn void
end(struct job *j, enum reload_phase phase)
{
	struct buf why = BUF_INIT;

	if (j->kept)
		tmux_keep(&j->r.place, false, &why);
	launch_remove(j->dir.own, j->key);
	if (!j->issue)
		launched_remove(j->dir.own, j->key);
	j->r.phase = phase;
	say(j, "%s: %s", reload_phase_name(phase), j->r.why);
	if (reload_write(&j->r, j->dir.own, j->key) == -1)
		say(j, "cannot write down that it is over: %s",
		    strerror(errno));
	tell_journal(j);
	tell_record(j);
	exit(phase == RELOAD_DONE ? EXIT_DONE : EXIT_COULD_NOT);
}

static _Noreturn void
fail(struct job *j, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void
fail(struct job *j, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(j->r.why, sizeof(j->r.why), format, ap);
	va_end(ap);
	end(j, RELOAD_FAILED);
}

/* What cannot be written down is not begun. */
static void
begin(struct job *j, enum reload_phase phase, const char *what)
{
	j->r.phase = phase;
	snprintf(j->r.why, sizeof(j->r.why), "%s", what);
	if (reload_write(&j->r, j->dir.own, j->key) == -1)
		fail(j, "cannot write to '%s': %s", j->dir.path,
		    strerror(errno));
	say(j, "%s: %s", reload_phase_name(phase), what);
	tell_record(j);
}

/* ---- what is there ------------------------------------------------------- */

static bool
alive(const struct job *j)
{
	return proc_alive(j->r.agent, j->r.agent_start);
}

static bool
front_is(const struct job *j, pid_t pid)
{
	struct proc first;

	return proc_read(&first, j->r.place.pane_pid) == 0 &&
	    first.front == pid;
}

/* Waits for that long, or until a process has ended. */
static void
pause_for(msec time, pid_t pid, uint64_t start)
{
	struct pollfd p = { .fd = pid ? proc_open(pid, start) : -1,
	    .events = POLLIN };

	poll(&p, p.fd != -1, (int)time);
	if (p.fd != -1)
		close(p.fd);
}

static void
check_pane(struct job *j)
{
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	enum tmux_result result = tmux_list(j->r.place.socket, &l, &why);
	bool there = l.server == j->r.place.server &&
	    l.server_start == j->r.place.server_start &&
	    tmux_listing_pane(&l, j->r.place.pane) != NULL;

	tmux_listing_release(&l);
	if (result == TMUX_NO_SERVER || (result == TMUX_OK && !there))
		fail(j, "its pane is no longer there");
	if (result != TMUX_OK)
		fail(j, "%s", buf_str(&why));
	buf_release(&why);
}

static void
read_records(struct job *j)
{
	const struct record_run run = { j->r.run, j->started };

	if (j->issue)
		record_read(&j->reader, &j->records, j->dir.own, j->key, &run);
}

/* One that was killed leaves title and text as they were. */
static void
see(struct job *j, const struct tmux_pane *pane, const struct tmux_capture *c)
{
	struct screen *s = &j->screen;

	screen_release(s);
	screen_init(s, &j->backend.signs);
	if (j->old_title != NULL && strcmp(j->old_title, pane->title) != 0) {
		free(j->old_title);
		j->old_title = NULL;
	}
	if (j->old_title == NULL)
		screen_title(s, pane->title);
	screen_capture(s, c->text, c->len, clock_wall());
	if (s->seen.sign == NULL || s->seen.sign->kind != SIGN_BUSY)
		j->old_text = false;
	else if (j->old_text)
		s->seen.sign = NULL;
}

/* What the pane shows now, LOOK after the last time. */
static void
look(struct job *j)
{
	struct tmux_wish wish = { .pane = j->r.place.pane,
	    .want = TMUX_CAPTURE };
	struct tmux_query q = TMUX_QUERY_INIT;
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_capture *c;
	const struct tmux_pane *pane;
	msec now = clock_now();

	if (now < j->looked + LOOK ||
	    tmux_query_begin(&q, j->r.place.socket, &wish, 1) == -1)
		return;
	j->looked = now;
	spawn_finish(&q.spawn);
	tmux_query_answer(&q, &l, &why);
	c = tmux_listing_capture(&l, j->r.place.pane);
	pane = tmux_listing_pane(&l, j->r.place.pane);
	if (c != NULL && pane != NULL) {
		see(j, pane, c);
		if (j->changed == 0 || j->shown.len != c->len ||
		    memcmp(buf_str(&j->shown), c->text, c->len) != 0)
			j->changed = now;
		buf_reset(&j->shown);
		buf_add(&j->shown, c->text, c->len);
	}
	tmux_listing_release(&l);
	tmux_query_release(&q);
	buf_release(&why);
}

static bool
shows(const struct job *j, enum sign_kind kind)
{
	const struct screen *s = &j->screen;

	return (s->own.sign != NULL && s->own.sign->kind == kind) ||
	    (s->seen.sign != NULL && s->seen.sign->kind == kind);
}

/* Does it show its prompt, and neither work nor ask? */
static bool
prompts(const struct job *j)
{
	return shows(j, SIGN_READY) && !shows(j, SIGN_BUSY) &&
	    !shows(j, SIGN_WAITING);
}

/* For how long has it, without a break? */
static msec
prompting(struct job *j)
{
	msec now = clock_now();

	look(j);
	if (!prompts(j) && !shows(j, SIGN_LIMITED)) {
		j->ready = 0;
		return -1;
	}
	if (j->ready == 0)
		j->ready = now;
	return now - j->ready;
}

static msec
unchanged(const struct job *j)
{
	return j->changed == 0 ? 0 : clock_now() - j->changed;
}

/* ---- the turn ends ------------------------------------------------------- */

/* What the hooks told last; of a turn that goes on it must be news. */
static bool
told_over(const struct job *j)
{
	const struct record_evidence *e = &j->records;

	if (!e->there || (j->r.own_turn && e->time < j->r.since))
		return false;
	switch (e->last) {
	case RECORD_ENDED:
		return strcmp(e->kind, "background") != 0;
	case RECORD_WAITING:
		return strcmp(e->kind, "prompt") == 0;
	case RECORD_FAILED:
	case RECORD_SESSION:
		return true;
	default:
		return false;
	}
}

static bool
turn_over(struct job *j)
{
	msec ready, calm;

	read_records(j);
	ready = prompting(j);
	/* A hook may have let it go on. */
	if (told_over(j) && j->looked != 0 && !shows(j, SIGN_BUSY))
		return true;
	if (ready >= (j->records.there ? CALM_HOOKED : CALM))
		return true;
	calm = unchanged(j);
	return j->backend.signs.n == 0 &&
	    calm >= (j->records.there ? CALM_HOOKED : CALM_BLIND);
}

static void
wait_for_turn(struct job *j)
{
	msec until = clock_now() + TURN;

	begin(j, RELOAD_WAITING, "waits for the turn to end");
	for (;;) {
		if (!alive(j))
			fail(j, "the agent has ended by itself");
		if (clock_wall() >= j->r.not_before && turn_over(j))
			return;
		if (clock_now() >= until)
			fail(j, "its turn did not end within %d minutes; it is "
			    "left alone", TURN / 60000);
		pause_for(POLL, j->r.agent, j->r.agent_start);
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
		fail(j, "%s; the agent is left alone", buf_str(&why));
	if (r->file != NULL && found == 0)
		fail(j, "the hand-off file '%s/%s' was removed; the agent is "
		    "left alone", r->folder, r->file);
	note_prompt(&j->prompt, r->reason, &j->note);
	if (!j->issue)
		return;
	if (status_read(&s, j->dir.own, j->key) != 1 || s.marker == NULL ||
	    marker_set_init(&set, j->key, NULL, s.marker) == -1)
		marker_set_init(&set, j->key, NULL, NULL);
	status_release(&s);
	if (marker_set_in(&set, j->prompt.data, j->prompt.len))
		fail(j, "the hand-off file holds a finished marker; the agent "
		    "is left alone");
}

/* ---- it is stopped ------------------------------------------------------- */

/* Its process group, which it leads, as long as it is itself. */
static void
send(struct job *j, int signo)
{
	if (!alive(j))
		return;
	say(j, "signal %d (%s)", signo, strsignal(signo));
	kill(-j->r.agent, signo);
	kill(-j->r.agent, SIGCONT);
}

/* Ctrl+C, if the agent would get it; when the next one is due. */
static msec
interrupt(struct job *j, int presses, msec now)
{
	struct buf why = BUF_INIT;

	if (!front_is(j, j->r.agent) || !alive(j))
		return now;
	if (tmux_input(&j->r.place, &why) == TMUX_OK)
		tmux_key(&j->r.place, "C-c", &why);
	if (why.len > 0)
		say(j, "no Ctrl+C: %s", buf_str(&why));
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

	while (alive(j)) {
		now = clock_now();
		if (presses < most && now >= next && sent == 0)
			next = interrupt(j, presses++, now);
		if (now >= from + TERMINATING && sent == 0)
			send(j, sent = SIGTERM);
		if (now >= from + KILLING && sent == SIGTERM)
			send(j, sent = SIGKILL);
		if (now >= from + STOPPING)
			fail(j, "process %ld cannot be stopped",
			    (long)j->r.agent);
		pause_for(POLL, j->r.agent, j->r.agent_start);
	}
	say(j, "the agent has ended");
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
		fail(j, "%s; the agent is left alone", buf_str(&why));
	j->kept = !stays;
	buf_release(&why);
}

/* What the pane shows without an agent. */
static void
forget_agent(struct job *j)
{
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane;

	if (tmux_list(j->r.place.socket, &l, &why) == TMUX_OK &&
	    (pane = tmux_listing_pane(&l, j->r.place.pane)) != NULL)
		j->old_title = xstrdup(pane->title);
	tmux_listing_release(&l);
	buf_release(&why);
	j->old_text = true;
	j->ready = j->changed = 0;
	screen_release(&j->screen);
}

static void
wait_for_place(struct job *j)
{
	bool shell = j->r.shape == RELOAD_IN_SHELL;
	msec until = clock_now() + RETURNING;

	for (;;) {
		if (shell && !proc_alive(j->r.shell, j->r.shell_start))
			fail(j, "the shell that started the agent has ended");
		if (shell ? front_is(j, j->r.shell) :
		    !proc_alive(j->r.place.pane_pid, j->r.place.pane_start))
			break;
		if (clock_now() >= until && shell)
			fail(j, "the shell '%s' has not come back in front",
			    j->r.shell_name);
		if (clock_now() >= until)
			break;          /* it is ended with the respawn */
		pause_for(POLL, 0, 0);
	}
	check_pane(j);
	forget_agent(j);
}

/* ---- it is started again ------------------------------------------------- */

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
	if (r->shape != RELOAD_STARTED || launch_noted(&old, j->dir.own,
	    j->key, r->run) != 1) {
		old = (struct launch){ 0 };
		new.argv = argv_add(NULL, j->backend.command);
	}
	for (i = 0; i < old.base; i++)
		new.argv = argv_add(new.argv, old.argv[i]);
	new.base = argv_count(new.argv);
	for (word = more; *word != NULL; word++)
		new.argv = argv_add(new.argv, *word);
	ret = launch_write(&new, j->dir.own, j->key);
	argv_free(new.argv);
	argv_free(more);
	launch_release(&old);
	if (ret == -1)
		fail(j, "cannot write to '%s': %s", j->dir.path,
		    strerror(errno));
}

static void
start_in_shell(struct job *j, const char *self, struct buf *why)
{
	const char *const argv[] = { self, "reload-agent", j->key, j->dir.path,
	    NULL };
	struct buf line = BUF_INIT;

	/* A line that begins with a blank is kept out of most histories. */
	buf_addc(&line, ' ');
	if (!shell_line(&line, j->r.shell_name, argv))
		fail(j, "the shell '%s' cannot be given our path",
		    j->r.shell_name);
	if (tmux_input(&j->r.place, why) == TMUX_OK &&
	    proc_alive(j->r.shell, j->r.shell_start) &&
	    front_is(j, j->r.shell))
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

	if (launched_read(&l, j->dir.own, j->key, j->r.run) != 1 ||
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
	    (pane = tmux_listing_pane(&l, j->r.place.pane)) != NULL &&
	    proc_read(&p, pane->pid) == 0) {
		j->r.place.pane_pid = p.pid;
		j->r.place.pane_start = p.start;
	}
	tmux_listing_release(&l);
	buf_release(&why);
}

static void
start_agent(struct job *j)
{
	char *self = proc_program();
	struct buf why = BUF_INIT;
	msec until;

	if (self == NULL)
		fail(j, "cannot find the path of this program");
	write_launch(j);
	if (j->r.shape == RELOAD_IN_SHELL)
		start_in_shell(j, self, &why);
	else
		respawn(j, self, &why);
	if (why.len > 0)
		fail(j, "%s", buf_str(&why));
	until = clock_now() + APPEARING;
	while (!appeared(j)) {
		if (clock_now() >= until)
			fail(j, j->r.shape == RELOAD_IN_SHELL ?
			    "the shell '%s' has not started the agent" :
			    "the pane has not started the agent%.0s",
			    j->r.shell_name);
		pause_for(POLL, 0, 0);
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

	if (launched_read(&l, j->dir.own, j->key, j->r.run) == 1 && l.ended &&
	    l.exit_code != -1)
		fail(j, "the agent was started again, and ended with status "
		    "%d%s", l.exit_code, j->r.session ? "; is its session "
		    "still there?" : "");
	fail(j, "the agent was started again, and ended%s", j->r.session ?
	    "; is its session still there?" : "");
}

/* Its hooks, or its screen, tell that it is at work since that wall time. */
static bool
taken(struct job *j, msec from)
{
	const struct record_evidence *e = &j->records;

	read_records(j);
	if (e->there && e->time >= from && e->last != RECORD_SESSION &&
	    e->last != RECORD_OVER && !(e->last == RECORD_WAITING &&
	    strcmp(e->kind, "prompt") == 0))
		return true;
	look(j);
	return shows(j, SIGN_BUSY);
}

/* Does anything tell what it does? */
static bool
blind(const struct job *j)
{
	return j->backend.signs.n == 0 && !j->records.there;
}

static bool
wait_until_taken(struct job *j, msec from, msec most)
{
	msec begun = clock_now(), now;

	do {
		if (taken(j, from))
			return true;
		if (!alive(j))
			fail_ended(j);
		now = clock_now();
		if (blind(j) && now >= begun + SETTLING)
			return false;
		pause_for(POLL, j->r.agent, j->r.agent_start);
	} while (now < begun + most);
	return false;
}

static void
wait_for_prompt(struct job *j)
{
	msec until = clock_now() + DRAWING;

	for (;;) {
		if (!alive(j))
			fail_ended(j);
		look(j);
		if (prompts(j) || (j->backend.signs.n == 0 &&
		    unchanged(j) >= SETTLING))
			return;
		if (clock_now() >= until)
			fail(j, "the agent was started again, and does not "
			    "show its prompt; nothing was typed");
		pause_for(POLL, j->r.agent, j->r.agent_start);
	}
}

/* Only where the agent is in front, and would get it alone. */
static void
to_agent(struct job *j, const char *text)
{
	struct buf why = BUF_INIT;

	if (!alive(j) || !front_is(j, j->r.agent))
		fail_ended(j);
	if (tmux_input(&j->r.place, &why) == TMUX_OK) {
		if (text != NULL)
			tmux_paste(&j->r.place, text, &why);
		else
			tmux_key(&j->r.place, "Enter", &why);
	}
	if (why.len > 0)
		fail(j, "cannot type to the agent: %s", buf_str(&why));
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
		pause_for(ENTERING, j->r.agent, j->r.agent_start);
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
		say(j, "cannot rename the hand-off file '%s/%s': %s",
		    j->r.folder, j->r.file, strerror(errno));
	else if (name != NULL)
		say(j, "the hand-off file is '%s/%s' now", j->r.folder, name);
	free(name);
}

/* Nobody writes the log any more, where no watcher would see to that. */
static void
mend_pipe(struct job *j)
{
	struct tmux_query q = TMUX_QUERY_INIT;
	struct tmux_wish wish = { .pane = j->r.place.pane, .want = TMUX_PIPE };
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane;
	char *self = proc_program(), *pipe;
	bool lost;

	if (!j->issue || j->r.shape == RELOAD_IN_SHELL || self == NULL ||
	    lock_held(j->dir.own, j->key) ||
	    tmux_list(j->r.place.socket, &l, &why) != TMUX_OK)
		return;
	pane = tmux_listing_pane(&l, j->r.place.pane);
	lost = pane != NULL && !pane->pipe;
	tmux_listing_release(&l);
	if (lost) {
		pipe = tmux_pipe_command((const char *[]){ self, "log-writer",
		    j->key, j->dir.path, "67108864", NULL });
		wish.pipe = pipe;
		if (tmux_query_begin(&q, j->r.place.socket, &wish, 1) == 0)
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

	begin(j, RELOAD_DELIVERING, "the agent is there again");
	if (j->kept) {
		struct buf why = BUF_INIT;

		tmux_keep(&j->r.place, false, &why);
		buf_release(&why);
		j->kept = false;
	}
	mend_pipe(j);
	told = j->typed ? type_prompt(j) : wait_until_taken(j, from, TAKING);
	if (!alive(j))
		fail_ended(j);
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
	if (reload_read(&j->r, j->dir.own, j->key) != 1 ||
	    proc_read(&self, getpid()) == -1)
		fatal("cannot learn from '%s' what to restart", path);
	j->r.pid = self.pid;
	j->r.start = self.start;
	j->issue = issue_valid(j->key);
	if (j->issue && status_read(&s, j->dir.own, j->key) == 1) {
		j->started = s.started;
		status_release(&s);
	}
	if (backend_read(&j->backend, j->r.backend, &error) == -1 ||
	    signs_compile(&j->backend.signs, j->backend.file, &error) == -1)
		fail(j, "%s", buf_str(&error));
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
	keep_pane(&j);
	if (j.r.npast < RELOAD_PAST)
		j.r.past[j.r.npast++] = clock_wall();
	begin(&j, RELOAD_STOPPING, "the agent is stopped");
	stop_agent(&j);
	wait_for_place(&j);
	begin(&j, RELOAD_STARTING, "the agent is started again");
	from = clock_wall();
	start_agent(&j);
	deliver(&j, from);
	end(&j, RELOAD_DONE);
}

const struct command reloadrun_command = {
	.name = "reload-run",
	.arguments = "LOCK KEY STATUS-DIRECTORY",
	.options = (const struct command_option[]){ { 0 } },
	.run = run,
};
