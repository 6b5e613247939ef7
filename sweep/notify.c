/*
 * notify.c - runs the command of a notification for as long as it is given.
 *
 * A process of its own, so that whoever has news to tell waits for nobody.
 */
#include "notify.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "msg.h"
#include "proc.h"
#include "spawn.h"

enum { GRACE = 2000 };                  /* ms between TERM and KILL */

/* True when it has ended before the deadline. */
static bool
ends(pid_t pid, int fd, msec deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	msec now;

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		now = clock_now();
		if (now >= deadline)
			return false;
		/* Where nothing tells of an end, it is looked for. */
		poll(&p, 1, fd == -1 ? 100 : clock_until(deadline, now));
	}
	return true;
}

static int
notifyrun_run(const struct command *c, int argc, char **argv)
{
	msec now = clock_now();
	struct spawn_gated s;
	struct proc p = { 0 };
	int fd;

	while (command_option(c, argc, argv) != -1)
		continue;
	if (optind == argc)
		command_usage(c, "is run by paneward itself");
	if (spawn_gated(&s, &(struct spawn_how){ .argv =
	    (const char *const *)argv + optind }, STDIN_FILENO,
	    STDERR_FILENO) == -1)
		fatal("cannot run the command of notify");
	proc_read(&p, s.pid);
	fd = proc_open(s.pid, p.start);
	spawn_open_gate(&s);
	if (ends(s.pid, fd, now + NOTIFY_LIMIT * 1000))
		return EXIT_DONE;
	warnx("the command of notify is ended after %d seconds", NOTIFY_LIMIT);
	kill(-s.pid, SIGTERM);
	if (!ends(s.pid, fd, clock_now() + GRACE))
		kill(-s.pid, SIGKILL);
	return EXIT_NO;
}

const struct command notifyrun_command = {
	.name = "notify-run",
	.arguments = "-- WORD...",
	.options = (const struct command_option[]){ { 0 } },
	.run = notifyrun_run,
};
