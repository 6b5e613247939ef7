/*
 * noticerun.c - runs the command of a notification for as long as it is given.
 *
 * A process of its own, so that watchers and sweeps do not wait for it.  The
 * command has ended when its whole process group has: what it leaves behind is
 * given no more time than itself.  How it ended is written down here.
 */
#include "handoff/notice.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "run/statusdir.h"
#include "handoff/commands.h"

enum {
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

/* True if the command has told it. */
static bool
run(const char *issue, const char *const *words)
{
	msec limit = clock_now() + NOTIFY_LIMIT * 1000;
	struct note n;

	if (begin(&n, words) == -1) {
		warn("cannot run the command of notify for issue '%s'", issue);
		return false;
	}
	if (ends(&n, limit)) {
		if (n.status == 0)
			return true;
		warnx("the command of notify for issue '%s' failed (exit %d)",
		    issue, WIFSIGNALED(n.status) ? 128 + WTERMSIG(n.status) :
		    WEXITSTATUS(n.status));
		return false;
	}
	warnx("the command of notify for issue '%s' is ended after %d seconds",
	    issue, NOTIFY_LIMIT);
	kill(-n.pid, SIGTERM);
	if (!ends(&n, clock_now() + NOTIFY_GRACE * 1000))
		kill(-n.pid, SIGKILL);
	return false;
}

static int
notifyrun_run(const struct command *c, int argc, char **argv)
{
	const char *issue = getenv("PANEWARD_ISSUE");
	const char *path = getenv("PANEWARD_STATUS_DIR");
	const char *episode = getenv("PANEWARD_EPISODE");
	struct statusdir dir = STATUSDIR_INIT;
	struct buf why = BUF_INIT;
	bool sent, narrowed;

	while (command_option(c, argc, argv) != -1)
		continue;
	if (optind == argc || issue == NULL || !issue_valid(issue) ||
	    path == NULL || episode == NULL)
		command_usage(c, "is run by paneward itself");
	sent = run(issue, (const char *const *)argv + optind);
	if (statusdir_open(&dir, xstrdup(path), false, &why, &narrowed) == -1)
		warnx("%s", buf_str(&why));
	else if (notify_end(dir.state_fd, issue, episode, sent) == -1)
		warn("cannot record the end of the command of notify for "
		    "issue '%s' in '%s'", issue, path);
	return sent ? EXIT_DONE : EXIT_NO;
}

const struct command noticerun_command = {
	.name = "notify-run",
	.arguments = "-- WORD...",
	.options = (const struct command_option[]){ { 0 } },
	.run = notifyrun_run,
};
