/*
 * startqueued.c - the turns of the queued issues.
 *
 * Without an issue, start-queued begins all whose turn it is, each by a
 * start-queued with that issue.  That one marks the issue as begun, once its
 * start was checked and before it makes anything; so what it makes can be told
 * from what was there.
 */
#include "start/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "notice/notice.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "paneward.h"
#include "run/handoffstate.h"
#include "run/journal.h"
#include "run/queued.h"

enum {
	START_LIMIT = 2 * 3600 * 1000,  /* ms: a checkout may be long */
	COULD_NOT_RUN = 126             /* and 127: the program was replaced */
};

/* One whose turn it is. */
struct startqueued {
	struct context *context;
	char issue[ISSUE_MAX + 1], run[RUN_ID_LEN + 1];
	char *backend;
};

/* ---- whose turn it is ---------------------------------------------------- */

/* What was interrupted comes first; it has its place. */
static const struct queued *
startqueued_choose(const struct queued_list *l, int state_fd)
{
	char **holders;
	size_t i, held;

	for (i = 0; i < l->n; i++)
		if (l->v[i].begun)
			return &l->v[i];
	holders = queued_holders(state_fd);
	held = argv_count(holders);
	argv_free(holders);
	i = 0;
	while (i < l->n && l->v[i].at_once != 0 && held >= l->v[i].at_once)
		i++;
	return i < l->n ? &l->v[i] : NULL;
}

/* Takes out what has its run.  False: it is no issue's turn. */
static bool
startqueued_find(struct startqueued *s)
{
	int state_fd = s->context->dir.state_fd;
	struct lock lock = LOCK_INIT;
	struct queued_list l = { 0 };
	const struct queued *q = NULL;
	struct status r;
	size_t before, i;

	if (queued_lock(&lock, state_fd) != 1 ||
	    queued_read(&l, state_fd) == -1)
		warn("cannot read the queued issues in '%s'",
		    s->context->dir.path);
	before = l.n;
	for (i = l.n; i-- > 0; ) {
		status_read(&r, state_fd, l.v[i].issue);
		if (queued_started(&l.v[i], &r))
			queued_drop(&l, &l.v[i]);
		status_release(&r);
	}
	/* An empty list is left by a writer that was killed. */
	if ((l.n < before || l.n == 0) && queued_write(&l, state_fd) == -1)
		warn("cannot write to '%s'", s->context->dir.path);
	else
		q = startqueued_choose(&l, state_fd);
	if (q != NULL) {
		memcpy(s->issue, q->issue, sizeof(s->issue));
		memcpy(s->run, q->run, sizeof(s->run));
		s->backend = q->backend != NULL ? xstrdup(q->backend) : NULL;
	}
	queued_release(&l);
	lock_release(&lock);
	return q != NULL;
}

/* ---- a start that failed ------------------------------------------------- */

static void
startqueued_record(const struct startqueued *s, const char *why)
{
	const struct statusdir *dir = &s->context->dir;
	struct status r;

	status_init(&r, s->issue);
	memcpy(r.run, s->run, sizeof(r.run));
	r.verdict.state = STATE_DEAD;
	verdict_set_source(&r.verdict, "process");
	verdict_why(&r.verdict, "it could not be started: %s", why);
	r.since = r.started = clock_wall();
	r.backend = s->backend != NULL ? xstrdup(s->backend) : NULL;
	r.ended = true;
	r.changes = r.episode = 1;
	notice_take(&r, &s->context->config);
	if (journal_add(dir->state_fd, dir->path, JOURNAL_STATE, &r, NULL) == -1
	    || status_write(&r, dir->state_fd) == -1)
		warn("cannot record what became of issue '%s' in '%s'",
		    s->issue, dir->path);
	else if (r.notice != NOTICE_NONE)
		notice_send(s->context, &r);
	status_release(&r);
}

/* The reason is the last line, without our name.  A run that another program
 * has begun meanwhile stays. */
static void
startqueued_failed(const struct startqueued *s, struct buf *errors)
{
	static const char name[] = "paneward: ";
	int state_fd = s->context->dir.state_fd;
	struct lock lock = LOCK_INIT;
	const char *why = buf_last_line(errors);
	struct status r;

	if (strncmp(why, name, sizeof(name) - 1) == 0)
		why += sizeof(name) - 1;
	if (lock_await(&lock, state_fd, s->issue, LOCK_ENDING) == 1 &&
	    (status_read(&r, state_fd, s->issue) != 1 ||
	    strcmp(r.run, s->run) == 0 ||
	    (status_over(&r) && !handoff_open(&r.handoff))))
		startqueued_record(s, why);
	warnx("%s", why);
	lock_release(&lock);
}

/* ---- the turns ----------------------------------------------------------- */

/* The lock is the input of the process that starts it: a program that began to
 * start an issue ends that, even if this one is killed.  False: there is
 * nothing more to do, or no use in going on. */
static bool
startqueued_next(struct context *c, const struct lock *turn)
{
	struct startqueued s = { .context = c };
	struct spawn start = SPAWN_INIT;
	int status = SPAWN_FAILED;
	bool more;

	if (!startqueued_find(&s))
		return false;
	status = spawn_run(&start, &(struct spawn_how){ .argv =
	    WORDS(proc_program(), "start-queued", c->dir.path, s.issue),
	    .in = turn->fd, .limit = START_LIMIT });
	more = status >= 0 && status < COULD_NOT_RUN;
	if (more && status != 0)
		startqueued_failed(&s, &start.errors);
	/* It is started, or cannot be. */
	if (more && queued_forget(c->dir.state_fd, s.issue, s.run) == -1 &&
	    errno != ENOENT) {
		warn("cannot take issue '%s' out of the queued ones in '%s'",
		    s.issue, c->dir.path);
		more = false;
	}
	spawn_release(&start);
	free(s.backend);
	return more;
}

void
startqueued_all(struct context *c)
{
	struct lock turn = LOCK_INIT;

	if (queued_turn(&turn, c->dir.state_fd) != 1)
		return;
	while (startqueued_next(c, &turn))
		continue;
	lock_release(&turn);
}

/* ---- one start ----------------------------------------------------------- */

static int
startqueued_one(const struct statusdir *dir, const char *issue)
{
	struct lock lock = LOCK_INIT;
	struct queued_list l, now;
	const struct queued *q;
	struct queued *begun;
	struct newrun_how how;
	struct newrun *r;
	char **words, *name;

	if (queued_read(&l, dir->state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", dir->path);
	q = queued_find(&l, issue);
	if (q == NULL)
		return EXIT_DONE;
	/* Variables that count are those of the time when it was queued. */
	unsetenv("TMUX");
	unsetenv("TMUX_TMPDIR");
	for (words = q->env; words != NULL && *words != NULL; words++) {
		name = xstrndup(*words, strcspn(*words, "="));
		if ((*words)[strlen(name)] == '=')
			setenv(name, *words + strlen(name) + 1, 1);
		free(name);
	}
	if (chdir(q->cwd) == -1)
		fatal("cannot enter '%s', where issue '%s' was queued", q->cwd,
		    issue);
	words = argv_add_all(argv_add(NULL, start_command.name),
	    (const char *const *)q->words);
	start_words(&how, words);
	how.queued = true;
	how.run = q->run;
	how.again = q->begun;
	how.turn = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	r = newrun_plan(&how);
	if (queued_lock(&lock, dir->state_fd) != 1 ||
	    queued_read(&now, dir->state_fd) == -1)
		fatal("cannot read the queued issues");
	begun = queued_find(&now, issue);
	if (begun == NULL || strcmp(begun->run, q->run) != 0)
		return EXIT_DONE;       /* it was taken out meanwhile */
	begun->begun = true;
	if (queued_write(&now, dir->state_fd) == -1)
		fatal("cannot mark issue '%s' as begun", issue);
	queued_release(&now);
	lock_release(&lock);
	newrun_begin(r);
	return EXIT_DONE;
}

static int
startqueued_run(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct buf why = BUF_INIT;

	if (argc != 2 && argc != 3)
		command_usage(c, "takes a status directory, and an issue");
	if (context_at(&context, argv[1], &why) != EXIT_DONE)
		fatalx("cannot start what is queued in '%s': %s", argv[1],
		    buf_str(&why));
	if (argc == 3)
		return startqueued_one(&context.dir, command_issue(c, argv[2]));
	startqueued_all(&context);
	return EXIT_DONE;
}

const struct command startqueued_command = {
	.name = "start-queued",
	.arguments = "STATUS-DIRECTORY [ISSUE]",
	.options = (const struct command_option[]){ { 0 } },
	.run = startqueued_run,
};
