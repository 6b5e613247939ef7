/*
 * noticerun.c - runs the command of a notification for as long as it is given.
 *
 * A process of its own, so that watchers and sweeps do not wait for it.  The
 * command has ended when its whole process group has: what it leaves behind is
 * given no more time than itself.  How it ended is written down here.
 */
#include "handoff/notice.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "os/child.h"
#include "os/spawn.h"
#include "run/statusdir.h"
#include "handoff/commands.h"

/* True if the command succeeded.  It is over when its group is empty. */
static bool
run(const char *issue, const char *const *words)
{
	struct spawn_gated s;
	struct child c;

	if (spawn_gated(&s, &(struct spawn_how){ .argv = words }, STDIN_FILENO,
	    STDERR_FILENO) == -1) {
		warn("cannot run the command of notify for issue '%s'", issue);
		return false;
	}
	child_init(&c, s.pid);
	c.whole = true;
	spawn_open_gate(&s);
	if (!child_wait(&c, -1, clock_now() + NOTICE_LIMIT * 1000)) {
		warnx("the command of notify for issue '%s' is ended after %d "
		    "seconds", issue, NOTICE_LIMIT);
		child_end(&c, NOTICE_GRACE * 1000);
		return false;
	}
	if (c.status != 0)
		warnx("the command of notify for issue '%s' failed (exit %d)",
		    issue, WIFSIGNALED(c.status) ? 128 + WTERMSIG(c.status) :
		    WEXITSTATUS(c.status));
	return c.status == 0;
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
	else if (notice_end(dir.state_fd, issue, episode, sent) == -1)
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
