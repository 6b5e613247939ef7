/*
 * start.c - starts agents: one at once (newrun.h), several by the queue
 * (batch.h).
 */
#include "watcher/start.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "marker/markerset.h"
#include "project/context.h"
#include "run/queued.h"
#include "watcher/batch.h"
#include "watcher/commands.h"

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

/* Also more than one start. */
struct start {
	struct newrun_how how;          /* its issue is not set */
	struct batch batch;
	bool queue;                     /* --from or --at-once */
};

/* Refuses options that exclude each other. */
static void
start_check(const struct newrun_how *h)
{
	const struct command *c = h->command;
	struct marker_set set;

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

/* The options of a batch are words of each of its starts. */
static void
start_share(struct start *s, int key)
{
	const struct command_option *o = options;

	while (o->key != key)
		o++;
	s->batch.shared = argv_own(s->batch.shared, optarg != NULL ?
	    xasprintf("--%s=%s", o->name, optarg) :
	    xasprintf("--%s", o->name));
}

static void
start_option(struct newrun_how *h, int key)
{
	switch (key) {
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
}

/* getopt moves words: the command is counted before. */
static int
start_count_command(int argc, char **argv)
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i < argc ? argc - i - 1 : 0;
}

static void
start_parse(struct start *s, int argc, char **argv)
{
	const struct command *c = s->how.command;
	int key, words = start_count_command(argc, argv);

	optind = 0;                     /* it may parse again */
	s->how.watch = true;
	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case CONTEXT_KEY: s->how.status_dir = optarg; break;
		case OPTION_FROM: s->batch.from = optarg; break;
		case OPTION_AT_ONCE:
			s->batch.at_once = (unsigned)command_number(c,
			    "--at-once", optarg, 1, QUEUED_MOST);
			break;
		default:
			start_option(&s->how, key);
			start_share(s, key);
		}
	}
	s->queue = s->batch.from != NULL || s->batch.at_once != 0;
	s->batch.issues = argv + optind;
	s->batch.nissues = (size_t)(argc - words - optind);
	s->how.words = s->batch.words = argv + argc - words;
	start_check(&s->how);
}

/* Refuses what only one start can have. */
static void
start_check_batch(const struct start *s)
{
	const struct command *c = s->how.command;
	size_t i;

	if (s->batch.from != NULL && s->batch.nissues > 0)
		command_usage(c, "--from goes without an issue");
	if (s->batch.from == NULL && s->batch.nissues == 0)
		command_usage(c, "takes an issue, or --from");
	if (s->batch.nissues > QUEUED_MOST)
		command_usage(c, "takes at most %d issues", QUEUED_MOST);
	for (i = 0; i < s->batch.nissues; i++)
		command_issue(c, s->batch.issues[i]);
	if (s->batch.nissues == 1 || (s->how.session == NULL &&
	    s->how.branch == NULL))
		return;
	command_usage(c, "%s is for one issue", s->how.session != NULL ?
	    "--session" : "a branch of --new-worktree");
}

void
start_words(struct newrun_how *h, char **words)
{
	struct start s = { .how.command = &start_command };
	int argc = (int)argv_count(words);

	start_parse(&s, argc, words);
	*h = s.how;
	h->issue = s.batch.issues[0];
	argv_free(s.batch.shared);
}

static int
start_run(const struct command *c, int argc, char **argv)
{
	struct start s = { .how.command = c, .batch.command = c };

	start_parse(&s, argc, argv);
	start_check_batch(&s);
	s.batch.status_dir = s.how.status_dir;
	if (s.queue || s.batch.nissues > 1)
		return batch_start(&s.batch);
	s.how.issue = s.batch.issues[0];
	newrun_begin(newrun_plan(&s.how));
	return EXIT_DONE;
}

const struct command start_command = {
	.name = "start",
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
