/*
 * start.c - starts agents: one at once (newrun.c), or several.  Several are all
 * checked, then queued at once; each begins when its turn has come.
 */
#include "start/start.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "marker/markerset.h"
#include "paneward.h"
#include "project/startlist.h"
#include "run/launch.h"
#include "run/queued.h"

enum {
	OPTION_BACKEND = 'b', OPTION_SESSION = 's', OPTION_CWD = 'c',
	OPTION_PROMPT = 'p', OPTION_WORKTREE = 'w', OPTION_MARKER = 'm',
	OPTION_WINDOW = OPTION_LONG, OPTION_PROMPT_FILE, OPTION_NEW_WORKTREE,
	OPTION_BASE, OPTION_NO_WATCH, OPTION_FROM, OPTION_AT_ONCE,
	OPTION_HANDOFF, OPTION_NO_HANDOFF, OPTION_EXIT_IS_REPORT
};

static const struct command_option options[] = {
	{ OPTION_FROM, "from", "FILE", "start what a list names, a line an "
	    "issue" },
	{ OPTION_AT_ONCE, "at-once", "N", "let N agents work at once; the "
	    "others wait" },
	{ OPTION_BACKEND, "backend", "NAME", "the kind of agent" },
	{ OPTION_SESSION, "session", "NAME", "the name of the new session" },
	{ OPTION_WINDOW, "window", NULL, "open a window in this tmux session "
	    "instead" },
	{ OPTION_CWD, "cwd", "DIR", "the agent's directory" },
	{ OPTION_PROMPT, "prompt", "TEXT", "what the agent is to do" },
	{ OPTION_PROMPT_FILE, "prompt-file", "FILE", "the same, from a file" },
	{ OPTION_WORKTREE, "worktree", "DIR", "the work tree of the issue" },
	{ OPTION_NEW_WORKTREE, "new-worktree", "[=BRANCH]", "make a work tree "
	    "for the issue" },
	{ OPTION_BASE, "base", "COMMIT", "what the new work tree begins with" },
	{ OPTION_MARKER, "marker", "TEXT", "a completion marker of your own" },
	{ OPTION_EXIT_IS_REPORT, "exit-is-report", NULL, "exit status 0 of the "
	    "agent is complete, any other an error" },
	{ OPTION_NO_WATCH, "no-watch", NULL, "start no watcher" },
	{ OPTION_HANDOFF, "handoff", "COMMAND", "run this when work is "
	    "complete" },
	{ OPTION_NO_HANDOFF, "no-handoff", NULL, "run nothing when work is "
	    "complete" },
	CONTEXT_OPTION,
	{ 0 }
};

/* The command line.  Texts are borrowed from it. */
struct start {
	struct newrun_how how;          /* its issue is not set; its words are
					   the command of all */
	const char  *from;              /* a list; NULL: issues */
	char *const *issues;
	size_t       nissues;
	unsigned     at_once;           /* agents; 0: any number */
	char       **shared;            /* options of all starts; owned */
};

/* how.command is set. */
static void
start_parse(struct start *s, int argc, char **argv)
{
	struct newrun_how *h = &s->how;
	const struct command *c = h->command;
	const struct command_option *o;
	struct marker_set set;
	int key, words = 1;

	/* getopt moves words: the command is counted before. */
	while (words < argc && strcmp(argv[words], "--") != 0)
		words++;
	words = words < argc ? argc - words - 1 : 0;
	optind = 0;                     /* it may parse again */
	h->watch = true;
	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case CONTEXT_KEY: h->status_dir = optarg; continue;
		case OPTION_FROM: s->from = optarg; continue;
		case OPTION_AT_ONCE:
			s->at_once = (unsigned)command_number(c,
			    "--at-once", optarg, 1, QUEUED_MOST);
			continue;
		case OPTION_BACKEND: h->backend = optarg; break;
		case OPTION_SESSION: h->session = optarg; break;
		case OPTION_WINDOW: h->window = true; break;
		case OPTION_CWD: h->cwd = optarg; break;
		case OPTION_PROMPT: h->prompt = optarg; break;
		case OPTION_PROMPT_FILE: h->prompt_file = optarg; break;
		case OPTION_WORKTREE: h->worktree = optarg; break;
		case OPTION_BASE: h->base = optarg; break;
		case OPTION_MARKER: h->marker = optarg; break;
		case OPTION_EXIT_IS_REPORT: h->exit_is_report = true; break;
		case OPTION_NO_WATCH: h->watch = false; break;
		case OPTION_HANDOFF: h->handoff = optarg; break;
		case OPTION_NO_HANDOFF: h->no_handoff = true; break;
		case OPTION_NEW_WORKTREE:
			h->new_worktree = true;
			h->branch = optarg;
			break;
		}
		/* It is a word of each start of a batch. */
		for (o = options; o->key != key; o++)
			continue;
		s->shared = argv_own(s->shared, optarg != NULL ?
		    xasprintf("--%s=%s", o->name, optarg) :
		    xasprintf("--%s", o->name));
	}
	s->issues = argv + optind;
	s->nissues = (size_t)(argc - words - optind);
	h->words = argv + argc - words;
	if (h->session != NULL && h->window)
		command_usage(c, "--session and --window exclude each other");
	if (h->handoff != NULL && h->no_handoff)
		command_usage(c, "--handoff and --no-handoff exclude each "
		    "other");
	if (h->marker != NULL &&
	    marker_set_init(&set, "0", NULL, h->marker) == -1)
		command_usage(c, "--marker '%s' cannot be a marker", h->marker);
	if (h->prompt != NULL && h->prompt_file != NULL)
		command_usage(c, "--prompt and --prompt-file exclude each "
		    "other");
	if (h->new_worktree && h->worktree != NULL)
		command_usage(c, "--worktree and --new-worktree exclude each "
		    "other");
}

void
start_words(struct newrun_how *h, char **words)
{
	struct start s = { .how.command = &start_command };

	start_parse(&s, (int)argv_count(words), words);
	*h = s.how;
	h->issue = s.issues[0];
	argv_free(s.shared);
}

/* ---- agents in one folder ------------------------------------------------ */

/* Adds the living ones. */
static void
shared_living(int state_fd, const char *folder, struct buf *names)
{
	char **issues = queued_holders(state_fd), **p;
	const char *cwd;
	struct launch l;
	struct status r;

	for (p = issues; p != NULL && *p != NULL; p++) {
		status_read(&r, state_fd, *p);
		cwd = launch_noted(&l, state_fd, *p, r.run) == 1 ? l.cwd :
		    r.cwd;
		if (cwd != NULL && strcmp(cwd, folder) == 0)
			buf_printf(names, "%s, ", *p);
		launch_release(&l);
		status_release(&r);
	}
	argv_free(issues);
}

/* The next one in that folder, from a place on; n: there is none. */
static size_t
shared_next(const struct shared *v, size_t i, size_t n, const char *folder)
{
	while (i < n && (v[i].folder == NULL ||
	    strcmp(v[i].folder, folder) != 0))
		i++;
	return i;
}

void
shared_ask(int state_fd, const struct shared *v, size_t n)
{
	struct buf names = BUF_INIT;
	const char *folder;
	char answer[8] = "";
	bool any = false;
	size_t i, k, count;

	for (i = 0; i < n; i++) {
		folder = v[i].folder;
		if (folder == NULL || shared_next(v, 0, n, folder) < i)
			continue;
		buf_reset(&names);
		shared_living(state_fd, folder, &names);
		count = names.len > 0;
		for (k = i; k < n; k = shared_next(v, k + 1, n, folder)) {
			buf_printf(&names, "%s, ", v[k].issue);
			count++;
		}
		if (count < 2)
			continue;
		warnx("more than one agent would work in '%s': issues %.*s; "
		    "--new-worktree makes a work tree for each", folder,
		    (int)names.len - 2, names.data);
		any = true;
	}
	buf_release(&names);
	if (!any || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return;
	fputs("Start all the same? [y/N] ", stderr);
	if (fgets(answer, sizeof(answer), stdin) == NULL ||
	    (answer[0] != 'y' && answer[0] != 'Y'))
		exit(EXIT_NO);
}

/* ---- several starts ------------------------------------------------------ */

static bool
batch_begins(const char *variable, const char *const *names)
{
	while (*names != NULL && strncmp(variable, *names, strlen(*names)) != 0)
		names++;
	return *names != NULL;
}

/* Variables that a start depends on; besides them those of the
 * configuration. */
static char **
batch_environment(void)
{
	extern char **environ;
	char **env = NULL, **p;

	for (p = environ; *p != NULL; p++)
		if (batch_begins(*p, WORDS("PATH=", "TMUX=", "TMUX_TMPDIR=")) ||
		    (batch_begins(*p, WORDS("PANEWARD_")) &&
		    !batch_begins(*p, WORDS("PANEWARD_ISSUE=", "PANEWARD_RUN=",
		    "PANEWARD_STATUS_DIR="))))
			env = argv_add(env, *p);
	return env;
}

/* The file holds text. */
static void
batch_check_words(char *const *words)
{
	size_t len, at, size;

	for (; words != NULL && *words != NULL; words++) {
		len = strlen(*words);
		for (at = 0; at < len; at += size)
			if ((size = utf8_decode(*words + at, len - at, NULL))
			    == 0)
				fatal_usage("start: '%s' is not valid UTF-8, "
				    "and cannot be queued", *words);
	}
}

/* Checks one, and fills in what is to be queued. */
static void
batch_take(struct queued *q, const struct start *s,
    const struct startlist_item *item, const char *status_dir,
    struct shared *shared)
{
	char *const *command = item->command != NULL ? item->command :
	    s->how.words;
	struct newrun_how how;
	char cwd[PATH_MAX], **words;

	if (getcwd(cwd, sizeof(cwd)) == NULL)
		fatal("cannot find the current directory");
	memcpy(q->issue, item->issue, sizeof(q->issue));
	if (run_id_make(q->run) == -1)
		fatal("cannot make a run id");
	q->since = clock_wall();
	q->at_once = s->at_once;
	q->cwd = xstrdup(cwd);
	q->env = batch_environment();
	words = argv_add_all(NULL, (const char *const *)s->shared);
	words = argv_own(words, xasprintf("--status-dir=%s", status_dir));
	words = argv_add_all(words, (const char *const *)item->options);
	words = argv_add(words, item->issue);
	if (command[0] != NULL)
		words = argv_add_all(argv_add(words, "--"),
		    (const char *const *)command);
	q->words = words;
	batch_check_words(q->words);
	batch_check_words(q->env);
	words = argv_add_all(argv_add(NULL, s->how.command->name),
	    (const char *const *)q->words);
	start_words(&how, words);
	how.queued = true;
	newrun_check(&how, &q->backend, &shared->folder);
	shared->issue = q->issue;
	argv_free(words);
}

/* Adds them behind those that wait, all or none. */
static void
batch_queue(const struct queued_list *new, const struct context *c)
{
	int state_fd = c->dir.state_fd;
	struct lock lock = LOCK_INIT;
	struct queued_list all;
	size_t i;

	if (queued_lock(&lock, state_fd) != 1 ||
	    queued_read(&all, state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", c->dir.path);
	for (i = 0; i < new->n; i++)
		if (queued_find(&all, new->v[i].issue) != NULL)
			fatalx("cannot start issue '%s': it is queued already",
			    new->v[i].issue);
	if (all.n + new->n > QUEUED_MOST)
		fatalx("cannot queue %zu issues: %zu wait, and %d may", new->n,
		    all.n, QUEUED_MOST);
	all.v = xreallocarray(all.v, all.n + new->n, sizeof(*all.v));
	memcpy(all.v + all.n, new->v, new->n * sizeof(*all.v));
	all.n += new->n;
	if (queued_write(&all, state_fd) == -1)
		fatal("cannot queue issues in '%s'", c->dir.path);
	lock_release(&lock);
	free(all.v);
}

/* Prints the result for an issue; false: it could not be started. */
static bool
batch_report(struct queued_list *wait, const struct queued *q,
    int state_fd)
{
	const struct queued *still = queued_find(wait, q->issue);
	struct status r;
	bool good = true;

	status_read(&r, state_fd, q->issue);
	if (still != NULL && !queued_started(q, &r)) {
		status_release(&r);
		queued_record(wait, still, state_fd, &r);
		printf("%s: queued: %s\n", q->issue, r.verdict.why);
	} else if (strcmp(r.run, q->run) == 0 && r.place.socket != NULL) {
		printf("%s: started in session %s, pane %s (run %s)\n",
		    q->issue, r.session_name, r.place.pane, r.run);
	} else {
		good = false;
	}
	status_release(&r);
	return good;
}

static int
batch_start(const struct start *s)
{
	struct queued_list new = { 0 }, wait;
	struct startlist list;
	struct shared *shared;
	enum exit_status listed = EXIT_DONE;
	struct buf why = BUF_INIT;
	struct context c;
	bool good = true;
	size_t i, k;

	if (s->from != NULL)
		listed = startlist_read(&list, s->from, QUEUED_MOST, &why);
	else
		list = (struct startlist){ .v = xcalloc(s->nissues,
		    sizeof(*list.v)), .n = s->nissues };
	for (i = 0; s->from == NULL && i < list.n; i++) {
		for (k = 0; k < i; k++)
			if (strcmp(s->issues[k], s->issues[i]) == 0)
				command_usage(s->how.command, "issue '%s' is "
				    "named twice", s->issues[i]);
		memcpy(list.v[i].issue, s->issues[i], strlen(s->issues[i]) + 1);
	}
	if (listed != EXIT_DONE)
		msg_fatal(listed, 0, "%s", buf_str(&why));
	context_open(&c, s->how.status_dir, false);
	context_fit(&c);
	new.v = xcalloc(list.n, sizeof(*new.v));
	shared = xcalloc(list.n, sizeof(*shared));
	for (; new.n < list.n; new.n++) {
		msg_at(list.v[new.n].place);
		batch_take(&new.v[new.n], s, &list.v[new.n], c.dir.path,
		    &shared[new.n]);
	}
	msg_at(NULL);
	/* Started one after the other, they do not meet. */
	shared_ask(c.dir.state_fd, shared, s->at_once == 1 ? 1 : list.n);
	context_make(&c);
	context_check(&c, true);
	batch_queue(&new, &c);
	startqueued_all(&c);
	if (queued_read(&wait, c.dir.state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", c.dir.path);
	for (i = 0; i < new.n; i++) {
		good &= batch_report(&wait, &new.v[i], c.dir.state_fd);
		free(shared[i].folder);
	}
	free(shared);
	queued_release(&wait);
	queued_release(&new);
	startlist_release(&list);
	context_close(&c);
	return good ? EXIT_DONE : EXIT_COULD_NOT;
}

/* ---- the command --------------------------------------------------------- */

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
