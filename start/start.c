/*
 * start.c - starts agents: one at once (newrun.c), or several, which are
 * checked, then queued all at once (run/queued.h).
 *
 * start-queued begins all whose turn it is, each by a start-queued with that
 * issue, which marks the issue as begun before it makes anything.
 */
#include "start/start.h"

#include "notice/notice.h"
#include "paneward.h"
#include "project/startlist.h"
#include "run/journal.h"
#include "run/queued.h"

enum {
	START_LIMIT = 2 * 3600 * 1000,  /* ms: a checkout may be long */
	TURN_PATIENCE = 60 * 1000,      /* ms */
	COULD_NOT_RUN = 126             /* 126 or 127: we were replaced */
};

/* The command line.  Texts are borrowed from it. */
struct start {
	struct newrun_how how;          /* of all, without an issue */
	const char  *from;              /* a list; NULL: issues */
	char *const *issues;
	size_t       nissues;
	long         at_once;           /* agents; 0: any number */
};

#define TEXT(member) TEXT_AT(struct start, how.member)
#define FLAG(member) FLAG_AT(struct start, how.member)

static const struct command_option options[] = {
	{ 0, "from", "FILE", "start what a list names, a line an issue",
	    TEXT_AT(struct start, from) },
	{ 0, "at-once", "N", "let N agents work at once; the others wait",
	    NUMBER_AT(struct start, at_once, 1, QUEUED_MOST) },
	{ 'b', "backend", "NAME", "the kind of agent", TEXT(backend) },
	{ 's', "session", "NAME", "the name of the new session",
	    TEXT(session) },
	{ 0, "window", NULL, "open a window in this tmux session instead",
	    FLAG(window) },
	{ 'c', "cwd", "DIR", "the agent's directory", TEXT(cwd) },
	{ 'p', "prompt", "TEXT", "what the agent is to do", TEXT(prompt) },
	{ 0, "prompt-file", "FILE", "the same, from a file",
	    TEXT(prompt_file) },
	{ 0, "no-report", NULL, "do not tell the agent in its prompt how to "
	    "report", FLAG(no_report) },
	{ 'w', "worktree", "DIR", "the work tree of the issue",
	    TEXT(worktree) },
	{ OPTION_LONG, "new-worktree", "[=BRANCH]", "make a work tree for the "
	    "issue" },
	{ 0, "base", "COMMIT", "what the new work tree begins with",
	    TEXT(base) },
	{ 'm', "marker", "TEXT", "a completion marker of your own",
	    TEXT(marker) },
	{ 0, "exit-is-report", NULL, "exit status 0 of the agent is complete, "
	    "any other an error", FLAG(exit_is_report) },
	{ 0, "no-watch", NULL, "start no watcher", FLAG(no_watch) },
	{ 0, "handoff", "COMMAND", "run this when work is complete",
	    TEXT(handoff) },
	{ 0, "no-handoff", NULL, "run nothing when work is complete",
	    FLAG(no_handoff) },
	CONTEXT_OPTION_AT(struct start, how.status_dir),
	{ 0 }
};

/* how.command is set. */
static void
start_parse(struct start *s, int argc, char **argv)
{
	struct newrun_how *h = &s->how;
	const struct command *c = h->command;
	const char *both = NULL;
	struct marker_set set;
	int words = 1;

	/* getopt moves words: the command is counted before. */
	while (words < argc && strcmp(argv[words], "--") != 0)
		words++;
	words = words < argc ? argc - words - 1 : 0;
	optind = 0;                     /* it may parse again */
	while (command_option(c, argc, argv, s) != -1) {
		h->new_worktree = true;
		h->branch = optarg;
	}
	s->issues = argv + optind;
	s->nissues = (size_t)(argc - words - optind);
	h->words = argv + argc - words;
	if (h->session != NULL && h->window)
		both = "--session and --window";
	else if (h->handoff != NULL && h->no_handoff)
		both = "--handoff and --no-handoff";
	else if (h->prompt != NULL && h->prompt_file != NULL)
		both = "--prompt and --prompt-file";
	else if (h->new_worktree && h->worktree != NULL)
		both = "--worktree and --new-worktree";
	if (both != NULL)
		command_usage(c, "%s exclude each other", both);
	if (h->marker != NULL &&
	    marker_set_init(&set, "0", NULL, h->marker) == -1)
		command_usage(c, "--marker '%s' cannot be a marker", h->marker);
}

/* Parses the words of a queued start, which outlive it. */
static struct newrun_how
start_words(char *const *words)
{
	struct start s = { .how.command = &start_command };
	char **argv = argv_add_all(argv_add(NULL, start_command.name),
	    (const char *const *)words);

	start_parse(&s, (int)argv_count(argv), argv);
	s.how.issue = s.issues[0];
	s.how.queued = true;
	return s.how;
}

/* Drops started issues from the list; whose turn it is, or NULL. */
static const struct queued *
turn_find(const struct statusdir *dir, struct queued_list *l)
{
	struct lock lock = LOCK_INIT;
	const struct queued *q = NULL;
	char **holders = NULL;
	struct status r;
	size_t before, i;

	if (queued_open(&lock, l, dir->state_fd) == -1) {
		warn("cannot read the queued issues in '%s'", dir->path);
		return NULL;
	}
	before = l->n;
	for (i = l->n; i-- > 0; ) {
		status_read(&r, dir->state_fd, l->v[i].issue);
		if (queued_started(&l->v[i], &r))
			queued_drop(l, &l->v[i]);
		status_release(&r);
	}
	/* A killed writer leaves an empty list. */
	if ((l->n < before || l->n == 0) &&
	    queued_write(l, dir->state_fd) == -1) {
		warn("cannot write to '%s'", dir->path);
		goto out;
	}
	/* An interrupted start comes first, since it has its place. */
	for (i = 0; i < l->n && !l->v[i].begun; i++)
		continue;
	if (i == l->n && (holders = queued_agents(dir->state_fd,
	    true)) == NULL) {
		warn("cannot read the status directory '%s'", dir->path);
		goto out;
	}
	if (i == l->n)
		for (i = 0; i < l->n && l->v[i].at_once != 0 &&
		    argv_count(holders) >= l->v[i].at_once; i++)
			continue;
	argv_free(holders);
	q = i < l->n ? &l->v[i] : NULL;
out:
	lock_release(&lock);
	return q;
}

/* Records a failed start, but not over another run.  The reason is the last
 * line without our name. */
static void
turn_failed(struct context *c, const struct queued *q, struct buf *errors)
{
	static const char name[] = "paneward: ";
	const struct statusdir *dir = &c->dir;
	struct lock lock = LOCK_INIT;
	const char *why = buf_last_line(errors);
	struct status r;
	bool ours;
	int got;

	if (strncmp(why, name, sizeof(name) - 1) == 0)
		why += sizeof(name) - 1;
	warnx("%s", why);
	if (lock_await(&lock, dir->state_fd, q->issue, LOCK_ENDING) != 1)
		return;
	got = status_read(&r, dir->state_fd, q->issue);
	if (got == -1 && !file_refused(errno))
		warn("cannot read the status record of issue '%s'", q->issue);
	ours = got == -1 ? file_refused(errno) : got == 0 ||
	    strcmp(r.run, q->run) == 0 ||
	    (status_over(&r) && !handoff_open(&r.handoff));
	status_release(&r);
	if (ours) {
		status_init(&r, q->issue);
		memcpy(r.run, q->run, sizeof(r.run));
		r.verdict.state = STATE_DEAD;
		verdict_set_source(&r.verdict, "process");
		verdict_why(&r.verdict, "it could not be started: %s", why);
		r.since = r.started = clock_wall();
		r.backend = q->backend != NULL ? xstrdup(q->backend) : NULL;
		r.ended = true;
		r.changes = r.episode = 1;
		notice_take(&r, &c->config);
		if (journal_add(dir->state_fd, dir->path, JOURNAL_STATE, &r,
		    NULL) == -1 || status_write(&r, dir->state_fd) == -1)
			warn("cannot record the state of issue '%s' in '%s'",
			    q->issue, dir->path);
		else if (r.notice != NOTICE_NONE)
			notice_send(c, &r);
	}
	lock_release(&lock);
}

/* Starts the queued issues whose turn it is, unless another process does.  A
 * start has the lock as its input, and so keeps it if this process is killed.
 */
static void
turn_all(struct context *c)
{
	const struct statusdir *dir = &c->dir;
	struct lock turn = LOCK_INIT;
	struct queued_list l = { 0 };
	const struct queued *q;
	struct spawn start;
	int status;

	if (lock_await(&turn, dir->state_fd, QUEUED_STARTS, TURN_PATIENCE) != 1)
		return;
	while ((q = turn_find(dir, &l)) != NULL) {
		start = (struct spawn)SPAWN_INIT;
		status = spawn_run(&start, &(struct spawn_how){
		    .argv = WORDS(proc_program(), "start-queued", dir->path,
		    q->issue), .in = turn.fd, .limit = START_LIMIT });
		if (status < 0 || status >= COULD_NOT_RUN)
			break;
		if (status != 0)
			turn_failed(c, q, &start.errors);
		spawn_release(&start);
		if (queued_forget(dir->state_fd, q->issue, q->run) == -1 &&
		    errno != ENOENT) {
			warn("cannot take issue '%s' out of the queued ones in "
			    "'%s'", q->issue, dir->path);
			break;
		}
		queued_release(&l);
	}
	queued_release(&l);
	lock_release(&turn);
}

/* The variables that a start depends on. */
static char **
batch_environment(void)
{
	static const char *const begins[] = { "PANEWARD_ISSUE=",
	    "PANEWARD_RUN=", "PANEWARD_STATUS_DIR=", "PANEWARD_", "PATH=",
	    "TMUX=", "TMUX_TMPDIR=", NULL };
	extern char **environ;
	char **env = NULL, **p;
	size_t i;

	for (p = environ; *p != NULL; p++) {
		for (i = 0; begins[i] != NULL &&
		    strncmp(*p, begins[i], strlen(begins[i])) != 0; i++)
			continue;
		/* The first three are another run's. */
		if (i >= 3 && begins[i] != NULL)
			env = argv_add(env, *p);
	}
	return env;
}

/* The file of queued issues holds text. */
static void
batch_check_words(char *const *words)
{
	for (; words != NULL && *words != NULL; words++)
		if (!utf8_valid(*words, strlen(*words)))
			fatal_usage("start: '%s' is not valid UTF-8, and "
			    "cannot be queued", *words);
}

/* The options that are words of each start. */
static char **
batch_options(const struct start *s)
{
	const struct command_option *o;
	char **words = NULL;
	const void *at;

	for (o = options; o->name != NULL; o++) {
		at = (const char *)s + o->at;
		if (o->kind == OPTION_OTHER && s->how.new_worktree)
			words = argv_own(words, s->how.branch != NULL ?
			    xasprintf("--%s=%s", o->name, s->how.branch) :
			    xasprintf("--%s", o->name));
		else if (o->at >= offsetof(struct start, from))
			continue;
		else if (o->kind == OPTION_FLAG && *(const bool *)at)
			words = argv_own(words, xasprintf("--%s", o->name));
		else if (o->kind == OPTION_TEXT &&
		    *(const char *const *)at != NULL)
			words = argv_own(words, xasprintf("--%s=%s", o->name,
			    *(const char *const *)at));
	}
	return words;
}

static void
batch_take(struct queued *q, const struct start *s,
    const struct startlist_item *item, char *const *shared_words,
    struct shared *shared)
{
	char *const *command = item->command != NULL ? item->command :
	    s->how.words;
	struct newrun_how how;
	char **words;

	if ((q->cwd = xrealpath(".")) == NULL)
		fatal("cannot find the current directory");
	memcpy(q->issue, item->issue, strlen(item->issue) + 1);
	if (run_id_make(q->run) == -1)
		fatal("cannot make a run id");
	q->since = clock_wall();
	q->at_once = (unsigned)s->at_once;
	q->env = batch_environment();
	words = argv_add_all(NULL, (const char *const *)shared_words);
	words = argv_add_all(words, (const char *const *)item->options);
	words = argv_add(words, item->issue);
	if (command[0] != NULL)
		words = argv_add_all(argv_add(words, "--"),
		    (const char *const *)command);
	q->words = words;
	batch_check_words(words);
	batch_check_words(q->env);
	how = start_words(q->words);
	newrun_check(&how, &q->backend, &shared->folder);
	shared->issue = q->issue;
}

/* False: it could not be started. */
static bool
batch_report(struct queued_list *wait, const struct queued *q, int state_fd)
{
	const struct queued *still = queued_find(wait, q->issue);
	bool waits, started;
	struct status r;

	status_read(&r, state_fd, q->issue);
	waits = still != NULL && !queued_started(q, &r);
	started = strcmp(r.run, q->run) == 0 && r.place.socket != NULL;
	if (waits) {
		queued_record(wait, still, state_fd, &r);
		printf("%s: queued: %s\n", q->issue, r.verdict.why);
	} else if (started) {
		printf("%s: started in session %s, pane %s (run %s)\n",
		    q->issue, r.session_name, r.place.pane, r.run);
	}
	return waits || started;
}

static int
batch_start(struct start *s)
{
	struct queued_list new = { 0 }, wait;
	struct lock lock = LOCK_INIT;
	struct startlist list;
	struct shared *shared;
	struct buf why = BUF_INIT;
	enum exit_status listed;
	struct context c;
	bool good = true;
	char **words;
	size_t i, k;

	if (s->from == NULL)
		list = (struct startlist){ .v = xcalloc(s->nissues,
		    sizeof(*list.v)), .n = s->nissues };
	else if ((listed = startlist_read(&list, s->from, QUEUED_MOST, &why)) !=
	    EXIT_DONE)
		msg_fatal(listed, 0, "%s", buf_str(&why));
	for (i = 0; i < s->nissues; i++) {
		for (k = 0; k < i; k++)
			if (strcmp(s->issues[k], s->issues[i]) == 0)
				command_usage(s->how.command, "issue '%s' is "
				    "named twice", s->issues[i]);
		list.v[i].issue = s->issues[i];
	}
	context_open(&c, s->how.status_dir, false);
	context_fit(&c);
	s->how.status_dir = c.dir.path;
	words = batch_options(s);
	new.v = xcalloc(list.n, sizeof(*new.v));
	shared = xcalloc(list.n, sizeof(*shared));
	for (; new.n < list.n; new.n++) {
		msg_at(list.v[new.n].place);
		batch_take(&new.v[new.n], s, &list.v[new.n], words,
		    &shared[new.n]);
	}
	msg_at(NULL);
	/* Agents that work one after the other meet none. */
	if (s->at_once != 1)
		shared_ask(&c, shared, list.n);
	context_make(&c);
	context_check(&c, true);
	/* All are queued, or none. */
	if (queued_open(&lock, &wait, c.dir.state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", c.dir.path);
	for (i = 0; i < new.n; i++)
		if (queued_find(&wait, new.v[i].issue) != NULL)
			fatalx("cannot start issue '%s': it is queued already",
			    new.v[i].issue);
	if (wait.n + new.n > QUEUED_MOST)
		fatalx("cannot queue %zu issues: %zu wait, and %d may", new.n,
		    wait.n, QUEUED_MOST);
	wait.v = xreallocarray(wait.v, wait.n + new.n, sizeof(*wait.v));
	memcpy(wait.v + wait.n, new.v, new.n * sizeof(*wait.v));
	wait.n += new.n;
	if (queued_write(&wait, c.dir.state_fd) == -1)
		fatal("cannot queue issues in '%s'", c.dir.path);
	lock_release(&lock);
	turn_all(&c);
	if (queued_read(&wait, c.dir.state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", c.dir.path);
	for (i = 0; i < new.n; i++)
		good &= batch_report(&wait, &new.v[i], c.dir.state_fd);
	return good ? EXIT_DONE : EXIT_COULD_NOT;
}

static int
startqueued_run(const struct command *c, int argc, char **argv)
{
	struct lock lock = LOCK_INIT;
	const struct statusdir *dir;
	struct buf why = BUF_INIT;
	struct context context;
	struct queued_list l, now;
	const struct queued *q;
	struct queued *begun;
	struct newrun_how how;
	struct newrun *r;
	const char *issue;
	char **p;

	command_option(c, argc, argv, NULL);
	if (context_at(&context, argv[1], &why) != EXIT_DONE)
		fatalx("cannot start what is queued in '%s': %s", argv[1],
		    buf_str(&why));
	if (argc == 2) {
		turn_all(&context);
		return EXIT_DONE;
	}
	issue = command_issue(c, argv[2]);
	dir = &context.dir;
	if (queued_read(&l, dir->state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", dir->path);
	q = queued_find(&l, issue);
	if (q == NULL)
		return EXIT_DONE;
	/* The variables are those of that time. */
	unsetenv("TMUX");
	unsetenv("TMUX_TMPDIR");
	for (p = q->env; p != NULL && *p != NULL; p++)
		putenv(*p);
	if (chdir(q->cwd) == -1)
		fatal("cannot enter '%s', where issue '%s' was queued", q->cwd,
		    issue);
	how = start_words(q->words);
	how.run = q->run;
	how.at_once = q->at_once > 0;
	how.again = q->begun;
	how.turn = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	r = newrun_plan(&how);
	if (queued_open(&lock, &now, dir->state_fd) == -1)
		fatal("cannot read the queued issues");
	begun = queued_find(&now, issue);
	if (begun == NULL || strcmp(begun->run, q->run) != 0)
		return EXIT_DONE;       /* it was taken out meanwhile */
	begun->begun = true;
	if (queued_write(&now, dir->state_fd) == -1)
		fatal("cannot mark issue '%s' as begun", issue);
	lock_release(&lock);
	newrun_begin(r);
	return EXIT_DONE;
}

const struct command startqueued_command = {
	.name = "start-queued",
	.arguments = "STATUS-DIRECTORY [ISSUE]",
	.run = startqueued_run,
};

static int
start_run(const struct command *c, int argc, char **argv)
{
	struct start s = { .how.command = c };
	size_t i;

	start_parse(&s, argc, argv);
	if (s.from != NULL && s.nissues > 0)
		command_usage(c, "--from goes without an issue");
	if (s.from == NULL && s.nissues == 0)
		command_usage(c, "takes an issue, or --from");
	if (s.nissues > QUEUED_MOST)
		command_usage(c, "takes at most %d issues", QUEUED_MOST);
	for (i = 0; i < s.nissues; i++)
		command_issue(c, s.issues[i]);
	if (s.nissues != 1 && (s.how.session != NULL || s.how.branch != NULL))
		command_usage(c, "%s is for one issue", s.how.session != NULL ?
		    "--session" : "a branch of --new-worktree");
	if (s.from != NULL || s.at_once != 0 || s.nissues > 1)
		return batch_start(&s);
	s.how.issue = s.issues[0];
	newrun_begin(newrun_plan(&s.how));
	return EXIT_DONE;
}

const struct command start_command = {
	.name = "start",
	.guess = "new",
	.summary = "Start agents for issues in tmux, and their watchers",
	.arguments = "ISSUE... [-- COMMAND [ARG...]]",
	.examples =
	"  paneward start 42 --prompt \"Please work on issue 42.\"\n"
	"  paneward start 42 --worktree .worktrees/issue-42-login \\\n"
	"      --prompt-file plan.md\n"
	"  paneward start 43 --new-worktree --prompt \"Please fix 43.\"\n"
	"  paneward start 42 -- ./agent.sh --fast\n"
	"  paneward start --from issues.txt --at-once 5 --new-worktree\n",
	.options = options,
	.run = start_run,
};
