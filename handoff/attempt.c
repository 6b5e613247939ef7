#include "handoff/runner.h"

#include <sys/wait.h>

#include "notice/notice.h"
#include "os/child.h"
#include "os/trap.h"
#include "run/lease.h"
#include "run/sigfile.h"

enum {
	GRACE = 10000,
	PERMIT = 30000,         /* ms for the fleet to answer */
	RETRY = 1000,
	TAIL = 8192,            /* bytes of output with the last line */
	SHOWN = 600             /* characters of it */
};

struct attempt_end {
	struct child child;
	bool  late, interrupted;        /* ended by us: at its deadline; after a
					   signal to us */
	int   exit;             /* 128 and more: by a signal */
};

static void
attempt_wait(struct attempt_end *w, struct spawn_gated *gated, msec left)
{
	int trap = trap_open(), status;

	/* A command that was killed at its gate has not run. */
	if (gated != NULL) {
		child_init(&w->child, gated->pid);
		w->interrupted = !spawn_gate(gated, true);
	}
	if (!child_wait(&w->child, trap, clock_now() + left)) {
		w->interrupted = trap_read() != 0;
		w->late = !w->interrupted;
		child_end(&w->child, GRACE);
	}
	trap_close();
	status = child_reap(&w->child);
	w->exit = w->late ? HANDOFF_LATE : WIFSIGNALED(status) ?
	    128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The last line that is not blank, escaped, or NULL. */
static char *
last_words(int fd)
{
	char text[TAIL];
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, text, TAIL, size > TAIL ? size - TAIL : 0), end;
	struct buf shown = BUF_INIT;
	struct verdict v;

	while ((end = n) > 0 && shown.len == 0) {
		for (n--; n > 0 && text[n - 1] != '\n'; n--)
			continue;
		sigfile_text(&shown, text + n, (size_t)(end - n), SHOWN);
	}
	verdict_message(&v, buf_str(&shown), shown.len);
	buf_release(&shown);
	return v.message[0] != '\0' ? xstrdup(v.message) : NULL;
}

/* EBUSY: another process acts on the issue, since the record names another run
 * or runner.  A missing one is written again. */
static int
record_attempt(const struct attempt *a, const char *what, bool *journaled)
{
	const struct statusdir *dir = &a->context->dir;
	const struct status *r = a->record;
	struct status there;
	int got = status_read(&there, dir->state_fd, r->issue);
	int error = got == -1 && errno != EBADMSG ? errno : 0;
	char detail[64];

	if (got == 1 && (strcmp(there.run, r->run) != 0 ||
	    (there.runner.pid != 0 && (there.runner.pid != r->runner.pid ||
	    there.runner.start != r->runner.start))))
		error = EBUSY;
	status_release(&there);
	errno = error;
	if (error != 0)
		return -1;
	snprintf(detail, sizeof(detail), "attempt %u %s", r->handoff.attempts,
	    what);
	if (!*journaled && journal_add(dir->state_fd, dir->path,
	    JOURNAL_HANDOFF, r, detail) == -1)
		return -1;
	*journaled = true;
	return status_write(r, dir->state_fd);
}

/* Retries while the disk is full: a command whose end is lost runs again.  If
 * the directory was replaced meanwhile, the old and the new one get the end. */
static int
record_end(const struct attempt *a, const char *what)
{
	bool warned = false, warned_directory = false, journaled = false;
	struct context *c = a->context;
	int ret, error;

	for (;;) {
		ret = record_attempt(a, what, &journaled);
		error = errno;
		if (context_renew(c, &warned_directory)) {
			journaled = false;
			continue;
		}
		if (ret == 0)
			return 0;
		errno = error;
		if (!warned)
			warn("cannot record the end of the hand-off of "
			    "issue '%s' in '%s'%s", a->record->issue,
			    c->dir.path, error == EBUSY ? "" : "; retrying");
		warned = true;
		if (error == EBUSY || access(c->project.root, F_OK) == -1)
			return -1;      /* or the project was removed */
		loop_pause(RETRY);
	}
}

static int
spawn_command(const struct attempt *a, struct spawn_gated *s, int out)
{
	const struct context *c = a->context;
	char **env = jobenv_environment(c, a->record, false);
	int in = jobenv_input(a->record), ret = -1;

	if (in != -1)
		ret = spawn_gated(s, &(struct spawn_how){ .cwd =
		    c->project.root, .argv =
		    (const char *const *)c->config.handoff, .env =
		    (const char *const *)env }, in, out);
	file_close(in);
	argv_free(env);
	return ret;
}

/* Another host may have an issue of the fleet by now.  1: the attempt may
 * begin. Else the record says why not: 0, or -1 if it cannot be written. */
static int
attempt_permitted(struct attempt *a)
{
	const struct statusdir *dir = &a->context->dir;
	struct handoff *h = &a->record->handoff;
	struct spawn s = SPAWN_INIT;
	struct buf why = BUF_INIT;
	struct lease lease;
	int status, ret = 1;
	bool later;

	if (lease_read(&lease, dir->state_fd, a->record->issue) == 0)
		return 1;
	status = spawn_run(&s, &(struct spawn_how){ .limit = PERMIT, .argv =
	    WORDS(proc_beside("paneward-fleet"), "permit", dir->path,
	    a->record->issue) });
	if (s.errors.len > 0)
		sigfile_text(&why, s.errors.data, s.errors.len, SHOWN);
	else
		buf_adds(&why, "paneward-fleet does not answer");
	later = status != HANDOFF_NEVER;        /* and is not journaled */
	if (status != 0) {
		handoff_withhold(h, later ? HANDOFF_LATER : HANDOFF_NEVER,
		    clock_wall());
		free(h->message);
		h->message = buf_steal(&why);
		notice_take_handoff(a->record, &a->context->config);
		ret = record_attempt(a, "refused by the fleet", &later);
	}
	return ret;
}

int
attempt_run(struct attempt *a)
{
	const struct config *config = &a->context->config;
	const char *issue = a->record->issue;
	struct handoff *h = &a->record->handoff;
	bool journaled = false;
	struct spawn_gated s;
	struct attempt_end w = { .late = false };
	int out = a->out, ret = attempt_permitted(a);

	if (ret != 1)
		return ret;
	if (out == -1)
		out = openat(a->context->dir.state_fd, ISSUE_NAME(issue,
		    "handoff.log"), O_RDWR | O_CREAT | O_TRUNC | O_APPEND |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out == -1) {
		if (!a->again)
			warn("cannot write the output of the hand-off of issue "
			    "'%s' to '%s'", issue, a->context->dir.path);
		return -1;
	}
	if (a->record->runner.pid == 0)
		proc_identify(&a->record->runner, getpid());
	handoff_begin(h, clock_wall());
	if (spawn_command(a, &s, out) == -1) {
		if (!a->again)
			warn("cannot hand off issue '%s'; retrying", issue);
		return -1;
	}
	proc_identify(&h->group, s.pid);
	if (handoff_take_signal(a->record, &a->context->dir) == -1 ||
	    record_attempt(a, "begins", &journaled) == -1) {
		if (!a->again)
			warn("cannot record the hand-off of issue '%s'; not "
			    "running it until that succeeds", issue);
		spawn_gate(&s, false);
		return -1;
	}
	attempt_wait(&w, &s, config->handoff_timeout * 1000);
	free(h->message);
	h->message = last_words(out);
	a->interrupted = w.interrupted;
	if (w.interrupted) {
		handoff_interrupt(h);
	} else {
		handoff_end(h, w.exit, config->handoff_attempts, clock_wall());
		notice_take_handoff(a->record, config);
		if (w.late && h->message == NULL)
			h->message = xasprintf("it did not end within %lld "
			    "seconds", (long long)config->handoff_timeout);
	}
	if (record_end(a, w.interrupted ? "interrupted" : "ended") == -1)
		return -1;
	handoff_remove_signal(a->record, &a->context->dir);
	return 0;
}

int
attempt_try(struct attempt *a)
{
	struct spawn_gated s;
	struct attempt_end w = { .late = false };

	if (spawn_command(a, &s, a->out) == -1)
		return -1;
	attempt_wait(&w, &s, a->context->config.handoff_timeout * 1000);
	return w.exit;
}

void
attempt_recover(struct attempt *a)
{
	struct handoff *h = &a->record->handoff;
	msec left = h->begun + a->context->config.handoff_timeout * 1000 -
	    clock_wall();
	struct attempt_end w = { .late = false };

	if (h->state != HANDOFF_RUNNING)
		return;
	if (h->group.pid != 0 && !proc_boot_over(h->group.boot)) {
		child_other(&w.child, h->group.pid, h->group.start);
		attempt_wait(&w, NULL, left > 0 ? left : 0);
	}
	handoff_end(h, HANDOFF_LOST, a->context->config.handoff_attempts,
	    clock_wall());
	notice_take_handoff(a->record, &a->context->config);
}
