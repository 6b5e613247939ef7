/*
 * agent.c - the command that is run in the pane to start the agent again: it
 * becomes the agent.
 *
 * The words of the agent's command line never pass through a shell or tmux.
 * They are in a file (run/launch.h), which is read only while the process that
 * wrote it restarts this pane.  So a line left over at a prompt does nothing.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "backend/sessionhooks.h"
#include "base/command.h"
#include "base/msg.h"
#include "os/proc.h"
#include "project/context.h"
#include "reload/commands.h"
#include "run/launch.h"
#include "run/restart.h"

/* This process becomes the agent, so its pid and start are known. */
static int
reloadagent_run(const struct command *c, int argc, char **argv)
{
	struct launched me = { .pid = getpid(), .exit_code = -1,
	    .exit_signal = -1 };
	struct statusdir dir;
	struct reload r;
	struct launch l;
	struct proc p;
	const char *key;

	if (argc != 3 || strchr(argv[1], '/') != NULL ||
	    strlen(argv[1]) >= RELOAD_KEY)
		command_usage(c, "is run by paneward itself");
	key = argv[1];
	context_statusdir(&dir, argv[2]);
	if (reload_read(&r, dir.state_fd, key) != 1 ||
	    r.phase != RELOAD_STARTING || !reload_under_way(&r, NULL))
		fatalx("nothing is started: no restart of this pane is under "
		    "way");
	if (launch_take(&l, dir.state_fd, key) == -1)
		fatal("cannot read from '%s' what to start", dir.path);
	if (chdir(l.cwd) == -1)
		fatal("cannot enter '%s'", l.cwd);
	if (proc_read(&p, me.pid) == 0)
		me.start = p.start;
	if (launched_write(&me, dir.state_fd, key, l.run) == -1)
		fatal("cannot record the agent's process in '%s'", dir.path);
	if (issue_valid(key))           /* else the pane belongs to no issue */
		launch_environment(&l, key);
	sessionhooks_launch(&l, r.backend);
	signal(SIGPIPE, SIG_DFL);
	execv(l.program, l.argv);
	fatal("cannot run '%s'", l.program);
}

const struct command reloadagent_command = {
	.name = "reload-agent",
	.arguments = "KEY STATUS-DIRECTORY",
	.options = (const struct command_option[]){ { 0 } },
	.run = reloadagent_run,
};
