/*
 * command.c - the command `loop run`: its options.
 */
#include "loop/run.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/command.h"
#include "base/msg.h"
#include "loop/commands.h"
#include "loop/keyword.h"
#include "loop/manager.h"
#include "loop/report.h"
#include "marker/markerset.h"

enum {
	OPTION_ISSUE = 'i', OPTION_BACKEND = 'b', OPTION_MANAGER = 's',
	OPTION_PROMPT_FILE = 'f', OPTION_KEYWORD = 'k',
	OPTION_ITERATIONS = 'n', OPTION_IDLE = 't', OPTION_TIME = 'T',
	OPTION_SAME = 'e', OPTION_RESUME = 'r', OPTION_REPORT = 'o',
	OPTION_STATUS_DIR = 'S', OPTION_JSON = 'j',
	MAX_ROUNDS = 1000000,
	MAX_SECONDS = 31536000
};

static const struct command_option options[] = {
	{ OPTION_ISSUE, "issue", "N", "the issue the agents work on" },
	{ OPTION_BACKEND, "backend", "NAME", "the kind of agent" },
	{ OPTION_MANAGER, "session-manager", "NAME", "native, tmux, zellij or "
	    "auto" },
	{ OPTION_PROMPT_FILE, "prompt-file", "FILE", "the prompt of each "
	    "agent" },
	{ OPTION_KEYWORD, "keyword", "TEXT", "the word that ends the loop; "
	    "default: LOOP_COMPLETE" },
	{ OPTION_ITERATIONS, "max-iterations", "N", "run at most N agents; "
	    "default: 100" },
	{ OPTION_IDLE, "idle-timeout", "SEC", "end an agent that prints "
	    "nothing for so long" },
	{ OPTION_TIME, "max-time", "SEC", "end the loop after so long" },
	{ OPTION_SAME, "same-rounds", "N", "end after N equal rounds in a "
	    "row; default: 5, 0: never" },
	{ OPTION_RESUME, "resume", NULL, "continue where the last loop "
	    "stopped" },
	{ OPTION_REPORT, "report", "FILE", "write a report, .json or "
	    ".html" },
	{ OPTION_STATUS_DIR, "status-dir", "DIR", "the status directory" },
	{ OPTION_JSON, "json", NULL, "print JSON objects" },
	{ 0 }
};

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

/* One report of each kind: with both, the option is given twice. */
static void
add_report(struct loop_call *call, const struct command *c, const char *path)
{
	enum report kind = report_kind(path);

	if (kind == REPORTS)
		command_usage(c, "--report '%s' ends neither in .json nor in "
		    ".html", path);
	call->reports[kind] = path;
}

/* An option that is a number. */
static void
read_number(struct loop_call *call, const struct command *c, int key)
{
	switch (key) {
	case OPTION_ITERATIONS:
		call->max_iterations = command_number(c, "--max-iterations",
		    optarg, 1, MAX_ROUNDS);
		break;
	case OPTION_IDLE:
		call->idle_timeout = command_number(c, "--idle-timeout",
		    optarg, 0, MAX_SECONDS);
		break;
	case OPTION_TIME:
		call->max_time = command_number(c, "--max-time", optarg, 0,
		    MAX_SECONDS);
		break;
	case OPTION_SAME:
		call->same_rounds = command_number(c, "--same-rounds", optarg,
		    0, MAX_ROUNDS);
		break;
	}
}

static int
looprun_run(const struct command *c, int argc, char **argv)
{
	struct loop_call call = { .max_iterations = -1, .idle_timeout = -1,
	    .max_time = -1, .same_rounds = -1 };
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_ISSUE: call.issue = command_issue(c, optarg); break;
		case OPTION_BACKEND: call.backend = optarg; break;
		case OPTION_MANAGER:
			call.manager = manager_of(c, optarg);
			break;
		case OPTION_PROMPT_FILE: call.prompt_file = optarg; break;
		case OPTION_KEYWORD:
			call.keyword = keyword_of(c, optarg);
			break;
		case OPTION_RESUME: call.resume = true; break;
		case OPTION_REPORT: add_report(&call, c, optarg); break;
		case OPTION_STATUS_DIR: call.status_dir = optarg; break;
		case OPTION_JSON: call.json = true; break;
		default: read_number(&call, c, key);
		}
	}
	call.words = argv + optind;
	return run_loop(&call);
}

const struct command looprun_command = {
	.name = "loop run",
	.summary = "Run an agent again and again, until it prints the keyword",
	.arguments = "[-- COMMAND [ARG...]]",
	.examples =
	"  paneward loop run -b pi -f TASK.md   until it says LOOP_COMPLETE\n"
	"  paneward loop run -n 20 -- ./agent.sh   any command\n"
	"  paneward loop run --resume              after Ctrl+C, or a crash\n",
	.options = options,
	.run = looprun_run,
};
