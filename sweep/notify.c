/*
 * notify.c - runs the command of a notification for as long as it is given.
 *
 * A process of its own, so that whoever has news to tell waits for nobody.
 * The command has ended when its whole process group has: what it leaves behind
 * is given no more time than itself.
 */
#include "notify.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "msg.h"
#include "proc.h"
#include "spawn.h"

enum {
	GRACE = 2000,           /* ms between TERM and KILL */
	LOOKING = 100           /* ms between looks where nothing tells of an
				   end */
};

struct note {
	pid_t pid;              /* leader of the command's process group */
	int   fd;               /* tells of the leader's end; -1 */
	bool  reaped;
	int   status;           /* as waitpid() gives it */
};

static bool
over(struct note *n)
{
	if (!n->reaped && waitpid(n->pid, &n->status, WNOHANG) == n->pid) {
		n->reaped = true;
		if (n->fd != -1)
			close(n->fd);
		n->fd = -1;
	}
	return n->reaped && kill(-n->pid, 0) == -1 && errno == ESRCH;
}

/* True when it has ended before the deadline. */
static bool
ends(struct note *n, msec deadline)
{
	struct pollfd p = { .events = POLLIN };
	msec now, until;

	while (!over(n)) {
		now = clock_now();
		if (now >= deadline)
			return false;
		p.fd = n->fd;
		until = n->fd == -1 && now + LOOKING < deadline ?
		    now + LOOKING : deadline;
		poll(&p, 1, clock_until(until, now));
	}
	return true;
}

static int
begin(struct note *n, const char *const *words)
{
	struct spawn_gated s;
	struct proc p = { 0 };

	if (spawn_gated(&s, &(struct spawn_how){ .argv = words }, STDIN_FILENO,
	    STDERR_FILENO) == -1)
		return -1;
	proc_read(&p, s.pid);
	*n = (struct note){ .pid = s.pid, .fd = proc_open(s.pid, p.start) };
	spawn_open_gate(&s);
	return 0;
}

static int
notifyrun_run(const struct command *c, int argc, char **argv)
{
	const char *issue = getenv("PANEWARD_ISSUE");
	msec limit = clock_now() + NOTIFY_LIMIT * 1000;
	struct note n;

	while (command_option(c, argc, argv) != -1)
		continue;
	if (optind == argc)
		command_usage(c, "is run by paneward itself");
	issue = issue ? issue : "";
	if (begin(&n, (const char *const *)argv + optind) == -1)
		fatal("cannot run the command of notify for issue '%s'", issue);
	if (ends(&n, limit)) {
		if (n.status == 0)
			return EXIT_DONE;
		warnx("the command of notify for issue '%s' failed (exit %d)",
		    issue, WIFSIGNALED(n.status) ? 128 + WTERMSIG(n.status) :
		    WEXITSTATUS(n.status));
		return EXIT_NO;
	}
	warnx("the command of notify for issue '%s' is ended after %d seconds",
	    issue, NOTIFY_LIMIT);
	kill(-n.pid, SIGTERM);
	if (!ends(&n, clock_now() + GRACE))
		kill(-n.pid, SIGKILL);
	return EXIT_NO;
}

const struct command notifyrun_command = {
	.name = "notify-run",
	.arguments = "-- WORD...",
	.options = (const struct command_option[]){ { 0 } },
	.run = notifyrun_run,
};
