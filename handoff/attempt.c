#include "handoff/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "handoff/jobenv.h"
#include "handoff/notice.h"
#include "os/child.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "os/trap.h"
#include "os/usercommand.h"
#include "run/handoffstate.h"
#include "run/journal.h"
#include "run/sigfile.h"
#include "run/verdict.h"

enum {
	GRACE = 10000,          /* ms between TERM and KILL */
	LOOKING = 100,          /* ms between looks */
	RETRY = 1000,           /* ms until what could not be written is tried
				   again */
	TAIL = 8192,            /* bytes of output that may hold the last line */
	WORDS = 600             /* characters of it that are kept */
};

/* ---- waiting for a command ----------------------------------------------- */

struct wait {
	struct child child;
	bool  late;             /* ended because of the deadline, */
	bool  interrupted;      /* because we were */
};

static void
wait_for(struct wait *w, int trap, msec deadline)
{
	if (!child_wait(&w->child, trap, deadline)) {
		w->interrupted = trap_read() != 0;
		w->late = !w->interrupted;
		child_end(&w->child, GRACE);
	}
	child_reap(&w->child);
}

static int
exit_of(const struct wait *w)
{
	if (w->late)
		return HANDOFF_LATE;
	return WIFSIGNALED(w->child.status) ?
	    128 + WTERMSIG(w->child.status) : WEXITSTATUS(w->child.status);
}

/* ---- what it printed ----------------------------------------------------- */

static void
log_name(char name[STATUS_NAME + 16], const char *issue)
{
	snprintf(name, STATUS_NAME + 16, "%s.handoff.log", issue);
}

static int
open_log(const struct attempt *a)
{
	char name[STATUS_NAME + 16];

	log_name(name, a->record->issue);
	return openat(a->context->dir.state_fd, name,
	    O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
	    0600);
}

/* The last line that says something, as it can be shown; NULL: none does. */
static char *
last_words(int fd)
{
	char text[TAIL];
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, text, sizeof(text), size > TAIL ? size - TAIL :
	    0);
	struct buf shown = BUF_INIT;
	struct verdict v;

	while (n > 0 && shown.len == 0) {
		ssize_t end = n;

		for (n--; n > 0 && text[n - 1] != '\n'; n--)
			continue;
		sigfile_text(&shown, text + n, (size_t)(end - n), WORDS);
	}
	verdict_message(&v, buf_str(&shown), shown.len);
	buf_release(&shown);
	return v.message[0] != '\0' ? xstrdup(v.message) : NULL;
}

/* ---- writing down -------------------------------------------------------- */

static int
write_down(const struct attempt *a, const char *what, bool *journaled)
{
	const struct statusdir *dir = &a->context->dir;
	char detail[64];

	snprintf(detail, sizeof(detail), "attempt %u %s",
	    a->record->handoff.attempts, what);
	if (!*journaled && journal_add(dir->state_fd, dir->path,
	    JOURNAL_HANDOFF, a->record, detail) == -1)
		return -1;
	*journaled = true;
	return status_write(a->record, dir->state_fd);
}

/*
 * The end must not be forgotten because the disk is full just now: the command
 * would be run again.  Nor because the directory was replaced meanwhile: it is
 * written where the beginning was, if that is still there, and in the new one.
 */
static int
write_end(const struct attempt *a, const char *what)
{
	bool told = false, told_directory = false, journaled = false;
	struct context *c = a->context;
	int ret, error;

	for (;;) {
		ret = write_down(a, what, &journaled);
		error = errno;
		if (context_renew(c, &told_directory)) {
			journaled = false;
			continue;
		}
		if (ret == 0)
			return 0;
		errno = error;
		if (!told)
			warn("cannot write down the end of the hand-off of "
			    "issue '%s' in '%s'; it is tried again",
			    a->record->issue, c->dir.path);
		told = true;
		if (access(c->project.root, F_OK) == -1)
			return -1;      /* nobody is left who could ask */
		poll(NULL, 0, RETRY);
	}
}

/* ---- an attempt ---------------------------------------------------------- */

/* Its process, which waits for the gate to be opened. */
static int
begin(const struct attempt *a, struct spawn_gated *s, int out)
{
	const struct context *c = a->context;
	const struct job_env b = { .record = a->record, .dir = &c->dir,
	    .config = &c->config, .project = &c->project };
	char **env = jobenv_environment(&b), **argv;
	int in = jobenv_input(a->record), ret = -1, saved;
	size_t i;

	argv = usercommand_words((const char *const *)c->config.handoff, NULL);
	for (i = 0; a->options != NULL && a->options[i] != NULL; i++)
		argv = argv_add(argv, a->options[i]);
	if (in != -1)
		ret = spawn_gated(s, &(struct spawn_how){ .cwd =
		    c->project.root, .argv = (const char *const *)argv,
		    .env = (const char *const *)env }, in, out);
	saved = errno;
	if (in != -1)
		close(in);
	argv_free(argv);
	argv_free(env);
	errno = saved;
	return ret;
}

/* Lets it run to its end. */
static void
finish(const struct attempt *a, struct spawn_gated *s, struct wait *w)
{
	int trap = trap_open();

	*w = (struct wait){ .late = false };
	child_init(&w->child, s->pid);
	/* One that could not begin was not run. */
	w->interrupted = !spawn_open_gate(s);
	wait_for(w, trap, clock_now() +
	    a->context->config.handoff_timeout * 1000);
	trap_close();
}

/* What is needed to go on from here, should we be killed.  -1 with errno. */
static int
identify(struct attempt *a, pid_t pid)
{
	struct handoff *h = &a->record->handoff;
	struct proc p = { 0 };

	proc_read(&p, pid);
	h->pid = pid;
	h->start = p.start;
	proc_boot(h->boot);
	return handoff_take_signal(a->record, &a->context->dir);
}

static void
take_end(struct attempt *a, const struct wait *w, int out)
{
	struct handoff *h = &a->record->handoff;
	const struct config *config = &a->context->config;

	free(h->message);
	h->message = last_words(out);
	a->interrupted = w->interrupted;
	if (w->interrupted) {
		handoff_interrupt(h);
		return;
	}
	handoff_end(h, exit_of(w), config->handoff_attempts, clock_wall());
	notice_take_handoff(a->record, config);
	if (w->late && h->message == NULL)
		h->message = xasprintf("it did not end within %lld seconds",
		    (long long)config->handoff_timeout);
}

static int
run(struct attempt *a, int out)
{
	const char *issue = a->record->issue;
	bool journaled = false;
	struct spawn_gated s;
	struct wait w;

	handoff_begin(&a->record->handoff, clock_wall());
	if (begin(a, &s, out) == -1) {
		if (!a->again)
			warn("cannot hand off issue '%s'; it is tried again",
			    issue);
		return -1;
	}
	if (identify(a, s.pid) == -1 ||
	    write_down(a, "begins", &journaled) == -1) {
		if (!a->again)
			warn("cannot write down that issue '%s' is handed "
			    "off; it is not, until that can be done", issue);
		spawn_shut_gate(&s);
		return -1;
	}
	finish(a, &s, &w);
	take_end(a, &w, out);
	if (write_end(a, w.interrupted ? "interrupted" : "ended") == -1)
		return -1;
	handoff_remove_signal(a->record, &a->context->dir);
	return 0;
}

int
attempt_run(struct attempt *a)
{
	int out = a->out != -1 ? a->out : open_log(a), ret;

	if (out == -1) {
		if (!a->again)
			warn("cannot write the output of the hand-off of issue "
			    "'%s' to '%s'", a->record->issue,
			    a->context->dir.path);
		return -1;
	}
	ret = run(a, out);
	if (a->out == -1)
		close(out);
	return ret;
}

int
attempt_try(struct attempt *a)
{
	struct spawn_gated s;
	struct wait w;

	if (begin(a, &s, a->out) == -1)
		return -1;
	finish(a, &s, &w);
	return exit_of(&w);
}

/*
 * Whoever removes the file of a lock lets two in: the runner of that command
 * may live, and write down its end a moment later.
 */
static bool
written_by_its_runner(struct attempt *a)
{
	const struct handoff *h = &a->record->handoff;
	msec until = clock_now() + RETRY;
	struct status now;

	for (;;) {
		if (status_read(&now, a->context->dir.state_fd,
		    a->record->issue) == 1 && strcmp(now.handoff.id,
		    h->id) == 0 && now.handoff.state != HANDOFF_RUNNING)
			break;
		status_release(&now);
		if (clock_now() >= until)
			return false;
		poll(NULL, 0, LOOKING);
	}
	status_release(a->record);
	*a->record = now;
	return true;
}

void
attempt_recover(struct attempt *a)
{
	struct handoff *h = &a->record->handoff;
	msec left = h->begun + a->context->config.handoff_timeout * 1000 -
	    clock_wall();
	struct wait w = { .late = false };
	char boot[PROC_BOOT];

	if (h->state != HANDOFF_RUNNING)
		return;
	proc_boot(boot);
	if (h->pid != 0 && !proc_boot_differs(boot, h->boot)) {
		child_other(&w.child, h->pid, h->start);
		wait_for(&w, trap_open(), clock_now() + (left > 0 ? left : 0));
		trap_close();
		if (written_by_its_runner(a))
			return;
	}
	handoff_end(h, HANDOFF_LOST, a->context->config.handoff_attempts,
	    clock_wall());
	notice_take_handoff(a->record, &a->context->config);
}
