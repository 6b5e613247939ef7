/*
 * loop.c - the command `loop`: its verbs, and which options each takes.
 */
#include "loop/loop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/msg.h"
#include "hook/loopfile.h"
#include "loop/commands.h"
#include "loop/engine.h"
#include "loop/keyword.h"
#include "loop/manager.h"
#include "marker/markerset.h"

enum {
	OPTION_AGENT = 'a', OPTION_DURATION = 'd', OPTION_JSON = 'j',
	OPTION_MAX = 'm', OPTION_PROMPT = 'p',
	OPTION_ISSUE = 'i', OPTION_BACKEND = 'b', OPTION_MANAGER = 's',
	OPTION_PROMPT_FILE = 'f', OPTION_KEYWORD = 'k',
	OPTION_ITERATIONS = 'n', OPTION_IDLE = 't', OPTION_TIME = 'T',
	OPTION_SAME = 'e', OPTION_RESUME = 'r', OPTION_REPORT = 'o', OPTION_STATUS_DIR = 'S',
	MAX_TURNS = 1000000,
	MAX_SECONDS = 31536000
};

static const struct command_option options[] = {
	{ OPTION_MAX, "max", "N", "start: turns, 10 unless told otherwise" },
	{ OPTION_DURATION, "duration", "SEC", "start: no turn is begun later "
	    "than this" },
	{ OPTION_PROMPT, "prompt", "TEXT", "start: what the agent is told each "
	    "time; else what is new in the channel" },
	{ OPTION_AGENT, "agent", "NAME", "whose loop, where agents share a "
	    "folder (TH_LOOP_AGENT)" },
	{ OPTION_ISSUE, "issue", "N", "run: the issue that is worked on" },
	{ OPTION_BACKEND, "backend", "NAME", "run: the kind of agent" },
	{ OPTION_MANAGER, "session-manager", "NAME", "run: native, tmux, "
	    "zellij or auto" },
	{ OPTION_PROMPT_FILE, "prompt-file", "FILE", "run: what each agent is "
	    "told" },
	{ OPTION_KEYWORD, "keyword", "TEXT", "run: the word that ends it, "
	    "LOOP_COMPLETE unless told otherwise" },
	{ OPTION_ITERATIONS, "max-iterations", "N", "run: 100 unless told "
	    "otherwise" },
	{ OPTION_IDLE, "idle-timeout", "SEC", "run: an agent that prints "
	    "nothing for so long is ended" },
	{ OPTION_TIME, "max-time", "SEC", "run: the whole loop is ended" },
	{ OPTION_SAME, "same-rounds", "N", "run: rounds in a row that print the "
	    "same, 5 unless told otherwise; 0: any" },
	{ OPTION_RESUME, "resume", NULL, "run: go on where the last one "
	    "stopped" },
	{ OPTION_REPORT, "report", "FILE", "run: write a report, .json or "
	    ".html" },
	{ OPTION_STATUS_DIR, "status-dir", "DIR", "run: the status "
	    "directory" },
	{ OPTION_JSON, "json", NULL, "run, status: JSON objects" },
	{ 0 }
};

static const struct verb {
	const char *name;
	const char *takes;              /* the letters of its options */
	int       (*run)(const struct loop_call *);
} verbs[] = {
	{ "run",    "ibsfkntTeroSj", loop_rounds },
	{ "start",  "mdpa", loop_start },
	{ "stop",   "a",    loop_stop },
	{ "status", "aj",   loop_status },
};

static const char *
agent_of(const struct command *command, const char *what, const char *name)
{
	if (!loopfile_agent_valid(name))
		command_usage(command, "%s '%s' is not the name of an agent: "
		    "letters, digits, '_' and '-', at most %d", what, name,
		    LOOPFILE_AGENT);
	return name;
}

static long
seconds_of(const struct command *c, const char *option, const char *text)
{
	return command_number(c, option, text, 0, MAX_SECONDS);
}

static const char *
manager_of(const struct command *command, const char *name)
{
	if (!manager_known(name))
		command_usage(command, "--session-manager '%s' is none of "
		    "native, tmux, zellij, auto", name);
	return name;
}

static const char *
keyword_of(const struct command *command, const char *word)
{
	if (!keyword_valid(word))
		command_usage(command, "--keyword '%s' cannot be a keyword: 1 "
		    "to %d bytes, no control characters, no blanks at its ends",
		    word, MARKER_CUSTOM_MAX);
	return word;
}

/* Of each kind one: with both, the option is given twice. */
static void
take_report(struct loop_call *c, const char *path)
{
	enum report kind = report_kind(path);

	if (kind == REPORTS)
		command_usage(c->command, "--report '%s' ends neither in "
		    ".json nor in .html", path);
	c->reports[kind] = path;
}

/* An option that only run has. */
static void
take_run_option(struct loop_call *c, int key)
{
	switch (key) {
	case OPTION_ISSUE: c->issue = command_issue(c->command, optarg); break;
	case OPTION_BACKEND: c->backend = optarg; break;
	case OPTION_MANAGER:
		c->manager = manager_of(c->command, optarg);
		break;
	case OPTION_PROMPT_FILE: c->prompt_file = optarg; break;
	case OPTION_KEYWORD:
		c->keyword = keyword_of(c->command, optarg);
		break;
	case OPTION_ITERATIONS:
		c->max_iterations = command_number(c->command,
		    "--max-iterations", optarg, 1, MAX_TURNS);
		break;
	case OPTION_IDLE:
		c->idle_timeout = seconds_of(c->command, "--idle-timeout",
		    optarg);
		break;
	case OPTION_TIME:
		c->max_time = seconds_of(c->command, "--max-time", optarg);
		break;
	case OPTION_SAME:
		c->same_rounds = command_number(c->command, "--same-rounds",
		    optarg, 0, MAX_TURNS);
		break;
	case OPTION_RESUME: c->resume = true; break;
	case OPTION_REPORT: take_report(c, optarg); break;
	case OPTION_STATUS_DIR: c->status_dir = optarg; break;
	}
}

/* Takes the options; the letters of those that were given go to given. */
static void
take_options(struct loop_call *c, int argc, char **argv, char *given)
{
	size_t n = 0;
	int key;

	while ((key = command_option(c->command, argc, argv)) != -1) {
		switch (key) {
		case OPTION_MAX:
			c->max = command_number(c->command, "--max", optarg, 1,
			    MAX_TURNS);
			break;
		case OPTION_DURATION:
			c->duration = command_number(c->command, "--duration",
			    optarg, 0, MAX_SECONDS);
			break;
		case OPTION_PROMPT: c->prompt = optarg; break;
		case OPTION_AGENT:
			c->agent = agent_of(c->command, "--agent", optarg);
			break;
		case OPTION_JSON: c->json = true; break;
		default: take_run_option(c, key);
		}
		if (memchr(given, key, n) == NULL)
			given[n++] = (char)key;
	}
	given[n] = '\0';
}

static const struct verb *
verb_of(const struct command *command, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (argc > optind &&
		    strcmp(verbs[i].name, argv[optind]) == 0 &&
		    (argc == optind + 1 || verbs[i].run == loop_rounds))
			return &verbs[i];
	command_usage(command, "takes run, start, stop or status");
}

static const char *
option_name(char letter)
{
	const struct command_option *o;

	for (o = options; o->key != letter; o++)
		;
	return o->name;
}

static int
loop_run(const struct command *command, int argc, char **argv)
{
	struct loop_call c = { .command = command, .max = 10,
	    .max_iterations = -1, .idle_timeout = -1, .max_time = -1,
	    .same_rounds = -1 };
	char given[sizeof(options) / sizeof(options[0]) + 1];
	const char *name = getenv("TH_LOOP_AGENT");
	const struct verb *verb;
	size_t wrong;

	take_options(&c, argc, argv, given);
	verb = verb_of(command, argc, argv);
	wrong = strspn(given, verb->takes);
	if (given[wrong] != '\0')
		command_usage(command, "%s takes no option '--%s'", verb->name,
		    option_name(given[wrong]));
	c.words = argv + optind + 1;
	if (c.agent == NULL && name != NULL && name[0] != '\0')
		c.agent = agent_of(command, "TH_LOOP_AGENT", name);
	return verb->run(&c);
}

const struct command loop_command = {
	.name = "loop",
	.summary = "keep an agent going, turn after turn",
	.arguments = "run|start|stop|status [-- COMMAND [ARG...]]",
	.examples =
	"  paneward loop run -b claude -f PROMPT.md   until it says LOOP_COMPLETE\n"
	"  paneward loop run -n 20 -- ./agent.sh      any command\n"
	"  paneward loop run --resume                 after Ctrl+C, or a crash\n"
	"  paneward init claude --loop      once, so that the agent has the hook\n"
	"  paneward loop start              ten turns, with what the channel says\n"
	"  paneward loop start -m 5 -p 'Go on with the next item of TODO.md.'\n"
	"  paneward loop stop               after the turn that is under way\n",
	.options = options,
	.run = loop_run,
};
