/*
 * agentrun.c - the process that start puts into the pane: it runs the agent
 * and knows how it ended.
 *
 * tmux cannot tell that: some versions miss the end of a process, and none
 * knows it once the pane is gone.  A parent always does.  The agent gets a
 * process group of its own and the terminal, as from a shell; we wait, record
 * how it ended and end the same way.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/sessionhooks.h"
#include "base/command.h"
#include "base/msg.h"
#include "os/child.h"
#include "os/proc.h"
#include "project/context.h"
#include "run/launch.h"
#include "run/status.h"
#include "watcher/commands.h"

static volatile pid_t agent;

/* SIGHUP and SIGTERM are for the agent. */
static void
agentrun_forward(int signo)
{
	int saved = errno;

	if (agent > 0)
		child_signal(agent, signo);
	errno = saved;
}

/* The child: the agent, in front of the terminal. */
static _Noreturn void
agentrun_exec(const struct launch *l, const char *issue)
{
	int signo;

	setpgid(0, 0);
	tcsetpgrp(STDIN_FILENO, getpid());
	for (signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	launch_environment(l, issue);
	if (chdir(l->cwd) == -1) {
		warn("cannot enter '%s'", l->cwd);
		_exit(127);
	}
	execv(l->program, l->argv);
	warn("cannot run '%s'", l->program);
	_exit(127);
}

static void
agentrun_hooks(struct launch *l, int state_fd, const char *issue)
{
	struct status s;

	if (status_read(&s, state_fd, issue) == 1)
		sessionhooks_launch(l, s.backend);
	status_release(&s);
}

static void
agentrun_begin(const struct launch *l, const char *issue)
{
	static const int terminals[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTTOU,
	    SIGTTIN };
	struct sigaction forward = { .sa_handler = agentrun_forward };
	size_t i;

	sigemptyset(&forward.sa_mask);
	sigaction(SIGHUP, &forward, NULL);
	sigaction(SIGTERM, &forward, NULL);
	for (i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		signal(terminals[i], SIG_IGN);
	agent = fork();
	if (agent == -1)
		fatal("cannot start the agent");
	if (agent == 0)
		agentrun_exec(l, issue);
	setpgid(agent, agent);
	tcsetpgrp(STDIN_FILENO, agent);
}

static int
agentrun_wait(void)
{
	int status;

	for (;;) {
		if (waitpid(agent, &status, WUNTRACED) == -1) {
			if (errno == EINTR)
				continue;
			fatal("cannot wait for the agent");
		}
		if (!WIFSTOPPED(status))
			return status;
		/* No shell is here to bring it to the foreground. */
		tcsetpgrp(STDIN_FILENO, agent);
		kill(-agent, SIGCONT);
	}
}

/* A directory that was removed is made again, but not one that has moved with
 * the project: that is still open. */
static void
agentrun_record(const struct launched *now, struct statusdir *dir,
    const char *issue, const struct launch *l)
{
	statusdir_reopen(dir, access(l->cwd, F_OK) == 0);
	if (launched_write(now, dir->state_fd, issue, l->run) == -1)
		warn("cannot record what became of the agent in '%s'",
		    dir->path);
}

static int
agentrun_run(const struct command *c, int argc, char **argv)
{
	struct launched now = { .exit_code = -1, .exit_signal = -1 };
	struct rlimit none = { 0, 0 };
	struct proc p = { 0 };
	struct statusdir dir;
	struct launch l;
	const char *issue;
	int status;

	if (argc != 3)
		command_usage(c, "takes an issue and a status directory");
	issue = command_issue(c, argv[1]);
	context_statusdir(&dir, argv[2]);
	if (launch_take(&l, dir.state_fd, issue) == -1)
		fatal("cannot read from '%s' what to run for issue '%s'",
		    dir.path, issue);
	if (launch_write(&l, dir.state_fd, issue, LAUNCH_COMMAND) == -1)
		warn("cannot record the agent's command line in '%s'; "
		    "reload will use its backend's", dir.path);
	agentrun_hooks(&l, dir.state_fd, issue);
	agentrun_begin(&l, issue);
	proc_read(&p, agent);
	now.pid = agent;
	now.start = p.start;
	agentrun_record(&now, &dir, issue, &l);
	status = agentrun_wait();
	now.ended = true;
	if (WIFSIGNALED(status))
		now.exit_signal = WTERMSIG(status);
	else
		now.exit_code = WEXITSTATUS(status);
	agentrun_record(&now, &dir, issue, &l);
	if (!WIFSIGNALED(status))
		return now.exit_code;
	/* End as the agent did, so that tmux shows it too. */
	setrlimit(RLIMIT_CORE, &none);
	signal(now.exit_signal, SIG_DFL);
	raise(now.exit_signal);
	return 128 + now.exit_signal;
}

const struct command agentrun_command = {
	.name = "agent-run",
	.arguments = "ISSUE STATUS-DIRECTORY",
	.options = (const struct command_option[]){ { 0 } },
	.run = agentrun_run,
};
