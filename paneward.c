/*
 * paneward.c - main, and the table of commands.
 *
 * paneward is one sentence: something happened in a pane; what is it doing now;
 * does that change anything?  watcher/watch.c waits for the something,
 * lib/chain/judge.c asks the detectors, and lib/chain/detectors.c is their
 * table.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/msg.h"
#include "handoff/commands.h"
#include "hook/commands.h"
#include "loop/commands.h"
#include "paneward.h"
#include "reload/commands.h"
#include "setup/commands.h"
#include "show/commands.h"
#include "sweep/commands.h"
#include "watcher/commands.h"

/* Commands that share their first word are adjacent. */
static const struct command *const commands[] = {
	&start_command,
	&watch_command,
	&wait_command,
	&status_command,
	&top_command,
	&next_command,
	&attach_command,
	&answer_command,
	&forget_command,
	&log_command,
	&diff_command,
	&history_command,
	&explain_command,
	&scan_command,
	&render_command,
	&signal_command,
	&sweep_command,
	&handoff_command,
	&cleanup_command,
	&notify_command,
	&hook_command,
	&inbox_command,
	&looprun_command,
	&loopstart_command,
	&loopstop_command,
	&loopstatus_command,
	&init_command,
	&doctor_command,
	&reload_command,
	&revive_command,
	&completion_command,
	&agentrun_command,
	&startqueued_command,
	&logwriter_command,
	&loopagent_command,
	&looplog_command,
	&handoffrun_command,
	&noticerun_command,
	&answerrun_command,
	&parkedrun_command,
	&reloadagent_command,
	&reloadrun_command,
};

static const size_t ncommands = sizeof(commands) / sizeof(commands[0]);

const struct command *
command_at(size_t place)
{
	return place < ncommands ? commands[place] : NULL;
}

/* The commands whose name begins so. */
static void
usage(FILE *to, const char *prefix)
{
	size_t i;

	fprintf(to, "Usage: paneward COMMAND [options] [argument...]\n"
	    "       paneward COMMAND --help\n\nCommands:\n");
	for (i = 0; i < ncommands; i++)
		if (commands[i]->summary != NULL &&
		    strncmp(commands[i]->name, prefix, strlen(prefix)) == 0)
			fprintf(to, "  %-12s %s\n", commands[i]->name,
			    commands[i]->summary);
}

static bool
is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "help") == 0;
}

static _Noreturn void
unknown(const char *name)
{
	const char *nearest = NULL;
	size_t i;

	for (i = 0; i < ncommands; i++)
		if (commands[i]->summary != NULL)
			command_nearer(&nearest, name, commands[i]->name);
	if (nearest != NULL)
		fatal_usage("unknown command '%s'; did you mean '%s'?", name,
		    nearest);
	fatal_usage("unknown command '%s' (see 'paneward --help')", name);
}

/* What could not be written was not done. */
static int
flushed(int status)
{
	if (fflush(stdout) == EOF || ferror(stdout))
		fatal("cannot write to standard output");
	return status;
}

/* A file that we opened on a closed standard stream would get its output. */
static void
open_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd != -1 && fd <= STDERR_FILENO);
	if (fd != -1)
		close(fd);
}

/* "help status" is "status --help". */
static void
help_behind(int argc, char **argv)
{
	static char help[] = "--help";

	memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof(*argv));
	argv[argc - 1] = help;
}

/* Runs the command that these words begin with, or ends the program. */
static int
main_run(int argc, char **argv)
{
	size_t i, len = strlen(argv[0]);
	bool group = false;             /* as "loop" of "loop run" */
	char name[64];

	for (i = 0; i < ncommands; i++) {
		if (strcmp(commands[i]->name, argv[0]) == 0)
			return commands[i]->run(commands[i], argc, argv);
		if (strncmp(commands[i]->name, argv[0], len) != 0 ||
		    commands[i]->name[len] != ' ')
			continue;
		group = true;
		if (argc > 1 && strcmp(commands[i]->name + len + 1,
		    argv[1]) == 0)
			return commands[i]->run(commands[i], argc - 1,
			    argv + 1);
	}
	if (!group)
		unknown(argv[0]);
	if (argc > 1 && !is_help(argv[1])) {
		snprintf(name, sizeof(name), "%s %s", argv[0], argv[1]);
		unknown(name);
	}
	snprintf(name, sizeof(name), "%s ", argv[0]);
	usage(argc > 1 ? stdout : stderr, name);
	return argc > 1 ? EXIT_DONE : EXIT_USAGE;
}

int
main(int argc, char **argv)
{
	open_streams();

	/* Without this, a closed pipe would end the program instead of failing
	 * write(), and waitpid() could not tell how a child ended. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	if (argc < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return main_run(1, (char *[]){ (char[]){ "top" }, NULL });
	if (argc < 2) {
		usage(stderr, "");
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 ||
	    strcmp(argv[1], "version") == 0) {
		printf("paneward %s\n", VERSION);
		return flushed(EXIT_DONE);
	}
	if (is_help(argv[1]) && argc == 2) {
		usage(stdout, "");
		return flushed(EXIT_DONE);
	}
	if (is_help(argv[1]))
		help_behind(argc, argv);
	return flushed(main_run(argc - 1, argv + 1));
}
