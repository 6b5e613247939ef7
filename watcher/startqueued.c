/*
 * startqueued.c - the turns of the queued issues.
 *
 * Without an issue, start-queued begins all whose turn it is, each by a
 * start-queued with that issue.  That one marks the issue as begun, once its
 * start was checked and before it makes anything; so what it makes can be told
 * from what was there.
 */
#include "watcher/startqueued.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "handoff/notice.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "run/handoffstate.h"
#include "run/journal.h"
#include "run/queued.h"
#include "watcher/commands.h"
#include "watcher/startwords.h"

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

/* Takes out what has its run. */
static void
startqueued_settle(struct queued_list *l, int state_fd)
{
	struct status r;
	size_t i;

	for (i = l->n; i-- > 0; ) {
		status_read(&r, state_fd, l->v[i].issue);
		if (queued_started(&l->v[i], &r))
			queued_drop(l, &l->v[i]);
		status_release(&r);
	}
}

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

/* False: it is no issue's turn. */
static bool
startqueued_find(struct startqueued *s)
{
	int state_fd = s->context->dir.state_fd;
	struct lock lock = LOCK_INIT;
	struct queued_list l = { 0 };
	const struct queued *q = NULL;
	size_t before;

	if (queued_lock(&lock, state_fd) != 1 ||
	    queued_read(&l, state_fd) == -1)
		warn("cannot read the queued issues in '%s'",
		    s->context->dir.path);
	before = l.n;
	startqueued_settle(&l, state_fd);
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

/* It is started, or cannot be.  False after a warning. */
static bool
startqueued_remove(const struct startqueued *s)
{
	int state_fd = s->context->dir.state_fd;
	struct lock lock = LOCK_INIT;
	struct queued_list l = { 0 };
	struct queued *q;
	bool done = queued_lock(&lock, state_fd) == 1 &&
	    queued_read(&l, state_fd) == 0;

	if (done && (q = queued_find(&l, s->issue)) != NULL &&
	    strcmp(q->run, s->run) == 0) {
		queued_drop(&l, q);
		done = queued_write(&l, state_fd) == 0;
	}
	if (!done)
		warn("cannot take issue '%s' out of the queued ones in '%s'",
		    s->issue, s->context->dir.path);
	queued_release(&l);
	lock_release(&lock);
	return done;
}

/* ---- a start that failed ------------------------------------------------- */

/* The last line, without our name. */
static char *
startqueued_reason(struct buf *errors)
{
	static const char name[] = "paneward: ";
	const char *text, *line;

	buf_chomp(errors);
	text = buf_str(errors);
	line = strrchr(text, '\n');
	line = line != NULL ? line + 1 : text;
	if (strncmp(line, name, sizeof(name) - 1) == 0)
		line += sizeof(name) - 1;
	return xstrdup(line);
}

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

/* A run that another program has begun meanwhile stays. */
static void
startqueued_failed(const struct startqueued *s, struct buf *errors)
{
	int state_fd = s->context->dir.state_fd;
	char *why = startqueued_reason(errors);
	struct lock lock = LOCK_INIT;
	struct status r;
	bool ours;

	ours = lock_await(&lock, state_fd, s->issue, LOCK_ENDING) == 1 &&
	    (status_read(&r, state_fd, s->issue) != 1 ||
	    strcmp(r.run, s->run) == 0 ||
	    (status_over(&r) && !handoff_open(&r.handoff)));
	if (ours)
		startqueued_record(s, why);
	warnx("%s", why);
	lock_release(&lock);
	free(why);
}

/* ---- the turns ----------------------------------------------------------- */

/* The lock is the input of the process that starts it: a program that began to
 * start an issue ends that, even if this one is killed. */
static int
startqueued_spawn(const struct startqueued *s, const struct lock *turn,
    struct buf *errors)
{
	struct spawn start = SPAWN_INIT;
	char *self = proc_program();
	int status = SPAWN_FAILED;

	if (self != NULL)
		status = spawn_run(&start, &(struct spawn_how){
		    .argv = WORDS(self, "start-queued", s->context->dir.path,
		    s->issue), .in = turn->fd, .limit = START_LIMIT });
	buf_add(errors, buf_str(&start.errors), start.errors.len);
	spawn_release(&start);
	free(self);
	return status;
}

/* False: there is nothing more to do, or no use in going on. */
static bool
startqueued_next(struct context *c, const struct lock *turn)
{
	struct startqueued s = { .context = c };
	struct buf errors = BUF_INIT;
	bool more = false;
	int status;

	if (!startqueued_find(&s))
		return false;
	status = startqueued_spawn(&s, turn, &errors);
	if (status >= 0 && status < COULD_NOT_RUN) {
		if (status != 0)
			startqueued_failed(&s, &errors);
		more = startqueued_remove(&s);
	}
	buf_release(&errors);
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

/* Variables that count are those of the time when it was queued. */
static void
startqueued_environment(const struct queued *q)
{
	char **word = q->env, *name;

	unsetenv("TMUX");
	unsetenv("TMUX_TMPDIR");
	for (; word != NULL && *word != NULL; word++) {
		name = xstrndup(*word, strcspn(*word, "="));
		if ((*word)[strlen(name)] == '=')
			setenv(name, *word + strlen(name) + 1, 1);
		free(name);
	}
}

/* False: it was taken out meanwhile. */
static bool
startqueued_mark(int state_fd, const char *issue, const char *run)
{
	struct lock lock = LOCK_INIT;
	struct queued_list l = { 0 };
	struct queued *q = NULL;

	if (queued_lock(&lock, state_fd) != 1 ||
	    queued_read(&l, state_fd) == -1)
		fatal("cannot read the queued issues");
	q = queued_find(&l, issue);
	if (q == NULL || strcmp(q->run, run) != 0)
		return false;
	q->begun = true;
	if (queued_write(&l, state_fd) == -1)
		fatal("cannot mark issue '%s' as begun", issue);
	queued_release(&l);
	lock_release(&lock);
	return true;
}

static int
startqueued_one(const struct statusdir *dir, const char *issue)
{
	struct newrun_how how;
	struct queued_list l;
	const struct queued *q;
	struct newrun *r;
	char **words;

	if (queued_read(&l, dir->state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", dir->path);
	q = queued_find(&l, issue);
	if (q == NULL)
		return EXIT_DONE;
	startqueued_environment(q);
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
	if (startqueued_mark(dir->state_fd, issue, q->run))
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
