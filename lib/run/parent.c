#include "run/launch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/trap.h"

int
parent_catch(struct parent *p, int terminal)
{
	static const int keys[] = { SIGQUIT, SIGTSTP, SIGTTOU, SIGTTIN,
	    SIGPIPE };
	size_t i;

	*p = (struct parent){ .terminal = terminal, .trap = trap_open() };
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		signal(keys[i], SIG_IGN);
	trap_add(SIGCHLD);
	return p->trap == -1 ? -1 : 0;
}

int
parent_begin(struct parent *p, const struct spawn_how *how, int in, int out)
{
	if (spawn_gated(&p->gated, how, in, out) == -1)
		return -1;
	child_init(&p->agent, p->gated.pid);
	p->now = (struct launched){ .pid = p->agent.pid,
	    .start = p->agent.start, .exit_code = -1, .exit_signal = -1 };
	return 0;
}

void
parent_open(struct parent *p)
{
	tcsetpgrp(p->terminal, p->agent.pid);
	spawn_gate(&p->gated, true);
}

int
parent_signal(struct parent *p)
{
	siginfo_t info;
	int signo;

	/* A new size of the terminal only ends a wait. */
	while ((signo = trap_read()) == SIGCHLD || signo == SIGWINCH) {
		info.si_pid = 0;
		if (p->terminal == -1 || waitid(P_PID, (id_t)p->agent.pid,
		    &info, WSTOPPED | WNOHANG) == -1 || info.si_pid == 0)
			continue;
		tcsetpgrp(p->terminal, p->agent.pid);
		kill(-p->agent.pid, SIGCONT);
	}
	return signo;
}

void
parent_end(struct parent *p)
{
	int status = child_reap(&p->agent);

	p->now.ended = true;
	if (WIFSIGNALED(status))
		p->now.exit_signal = WTERMSIG(status);
	else
		p->now.exit_code = WEXITSTATUS(status);
}
