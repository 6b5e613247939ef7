#include "os/child.h"

#include <signal.h>
#include <sys/wait.h>

#include "os/file.h"
#include "os/loop.h"
#include "os/proc.h"

enum { LOOKING = 100 };         /* ms between checks without fd */

void
child_other(struct child *c, pid_t pid, uint64_t start)
{
	*c = (struct child){ .pid = pid, .start = start,
	    .fd = proc_open(pid, start), .kill_at = CLOCK_NEVER };
}

void
child_init(struct child *c, pid_t pid)
{
	child_other(c, pid, proc_start(pid));
	c->ours = true;
}

bool
child_ended(struct child *c)
{
	siginfo_t info = { .si_pid = 0 };
	bool ended = !c->ours ? !proc_alive(c->pid, c->start) :
	    c->reaped || waitid(P_PID, (id_t)c->pid, &info,
	    WEXITED | WNOHANG | WNOWAIT) == -1 || info.si_pid != 0;

	if (!ended || !c->whole)
		return ended;
	child_reap(c);
	return kill(-c->pid, 0) == -1 && errno == ESRCH;
}

bool
child_wait(struct child *c, int wake, msec deadline)
{
	bool woken = false;
	msec now;

	while (!child_ended(c)) {
		now = clock_now();
		if (now >= deadline || woken)
			return false;
		woken = loop_await_any((int[]){ wake, c->fd }, 2, c->fd != -1 ?
		    deadline : clock_sooner(deadline, now + LOOKING)) == 0;
	}
	return true;
}

void
child_stop(struct child *c, msec grace)
{
	child_signal(c->pid, c->kill_at == CLOCK_NEVER ? SIGTERM : SIGKILL);
	c->kill_at = clock_now() + grace;
}

void
child_end(struct child *c, msec grace)
{
	do
		child_stop(c, grace);
	while (!child_wait(c, -1, c->kill_at));
	child_signal(c->pid, SIGKILL);
}

int
child_reap(struct child *c)
{
	file_close(c->fd);
	c->fd = -1;
	while (c->ours && !c->reaped)
		c->reaped = waitpid(c->pid, &c->status, 0) == c->pid ||
		    errno != EINTR;
	return c->status;
}

void
child_signal(pid_t group, int signo)
{
	kill(-group, signo);
	kill(-group, SIGCONT);
}
