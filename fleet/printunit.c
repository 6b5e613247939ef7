/*
 * printunit.c - paneward-fleet print-unit: what keeps the agent running.
 */
#include <unistd.h>

#include "base/command.h"
#include "base/exitstatus.h"
#include "fleet/commands.h"
#include "project/schedule.h"

enum { OPTION_LAUNCHD = OPTION_LONG };

static const struct command_option options[] = {
	{ OPTION_LAUNCHD, "launchd", NULL, "for launchd instead of systemd" },
	{ 0 }
};

static int
printunit_run(const struct command *c, int argc, char **argv)
{
	enum schedule_kind kind = SCHEDULE_FLEET_SYSTEMD;

	while (command_option(c, argc, argv) != -1)
		kind = SCHEDULE_FLEET_LAUNCHD;
	if (optind < argc)
		command_usage(c, "takes no argument");
	schedule_print(kind, NULL);
	return EXIT_DONE;
}

const struct command fleet_printunit_command = {
	.name = "print-unit",
	.summary = "Print a unit that keeps the agent running",
	.examples =
	"  paneward-fleet print-unit >~/.config/systemd/user/"
	"paneward-fleet.service\n",
	.options = options,
	.run = printunit_run,
};
