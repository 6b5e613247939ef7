#include "watcher/startwords.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "marker/markerset.h"
#include "project/context.h"
#include "run/queued.h"
#include "watcher/commands.h"

enum {
	OPTION_BACKEND = 'b', OPTION_SESSION = 's', OPTION_CWD = 'c',
	OPTION_PROMPT = 'p', OPTION_WORKTREE = 'w', OPTION_MARKER = 'm',
	OPTION_WINDOW = OPTION_LONG, OPTION_PROMPT_FILE, OPTION_NEW_WORKTREE,
	OPTION_BASE, OPTION_NO_WATCH, OPTION_FROM, OPTION_AT_ONCE,
	OPTION_HANDOFF, OPTION_NO_HANDOFF, OPTION_EXIT_IS_REPORT
};

const struct command_option start_options[] = {
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
	const struct command_option *o = start_options;

	while (o->key != key)
		o++;
	s->shared = argv_own(s->shared, optarg != NULL ?
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

void
start_parse(struct start *s, int argc, char **argv)
{
	const struct command *c = s->how.command;
	int key, words = start_count_command(argc, argv);

	optind = 0;                     /* it may parse again */
	s->how.watch = true;
	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case CONTEXT_KEY: s->how.status_dir = optarg; break;
		case OPTION_FROM: s->from = optarg; break;
		case OPTION_AT_ONCE:
			s->at_once = (unsigned)command_number(c,
			    "--at-once", optarg, 1, QUEUED_MOST);
			break;
		default:
			start_option(&s->how, key);
			start_share(s, key);
		}
	}
	s->issues = argv + optind;
	s->nissues = (size_t)(argc - words - optind);
	s->how.words = argv + argc - words;
	start_check(&s->how);
}

void
start_check_all(const struct start *s)
{
	const struct command *c = s->how.command;
	size_t i;

	if (s->from != NULL && s->nissues > 0)
		command_usage(c, "--from goes without an issue");
	if (s->from == NULL && s->nissues == 0)
		command_usage(c, "takes an issue, or --from");
	if (s->nissues > QUEUED_MOST)
		command_usage(c, "takes at most %d issues", QUEUED_MOST);
	for (i = 0; i < s->nissues; i++)
		command_issue(c, s->issues[i]);
	if (s->nissues == 1 || (s->how.session == NULL &&
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
	h->issue = s.issues[0];
	argv_free(s.shared);
}
