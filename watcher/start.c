/*
 * start.c - starts agents: one at once (newrun.h), several by the queue
 * (batch.h).
 */
#include "base/command.h"
#include "base/msg.h"
#include "watcher/batch.h"
#include "watcher/commands.h"
#include "watcher/newrun.h"
#include "watcher/startwords.h"

static int
start_run(const struct command *c, int argc, char **argv)
{
	struct start s = { .how.command = c };

	start_parse(&s, argc, argv);
	start_check_all(&s);
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
	.options = start_options,
	.run = start_run,
};
