/*
 * top.c - checks the options of `paneward top` and becomes paneward-top, which
 * lies beside us (top/top.c).
 */
#include <unistd.h>

#include "base/argv.h"
#include "base/msg.h"
#include "os/proc.h"
#include "paneward.h"
#include "project/context.h"

enum { OPTION_ALL = 'a', OPTION_PROJECT = 'p', OPTION_CLIENT = 'c' };

static const struct command_option options[] = {
	{ OPTION_ALL, "all", NULL, "every agent of this user (the default)" },
	{ OPTION_PROJECT, "project", NULL, "only those of this project" },
	{ OPTION_CLIENT, "client", "TTY", "the tmux client that is to go to "
	    "an agent, of a popup" },
	CONTEXT_OPTION,
	{ 0 }
};

static int
top_run(const struct command *c, int argc, char **argv)
{
	const char *dir = "", *client = "", *what = "all";
	char *path;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_ALL: what = "all"; break;
		case OPTION_PROJECT: what = "project"; break;
		case OPTION_CLIENT: client = optarg; break;
		case CONTEXT_KEY: dir = optarg; break;
		}
	}
	if (optind < argc)
		command_usage(c, "takes no argument");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		fatalx("top: this is no terminal; 'paneward status --all' "
		    "prints the same");
	path = proc_beside("paneward-top");
	execvp(path, (char *const *)(uintptr_t)WORDS("paneward-top", what, dir,
	    client));
	fatal("cannot run '%s'", path);
}

const struct command top_command = {
	.name = "top",
	.summary = "Show every agent, live, and go to one",
	.examples =
	"  paneward top\n"
	"  tmux bind-key a run-shell -C 'display-popup -E -w 90% -h 80% \\\n"
	"    \"paneward top --client #{client_tty}\"'\n",
	.options = options,
	.run = top_run,
};
