/* fleet.c - main of paneward-fleet, a program of its own since nats.c has
 * threads and starts slowly. */

#include "base/program.h"
#include "fleet/wire/wire.h"

static const struct command *const commands[] = {
	&fleet_agent_command,
	&fleet_follow_command,
	&fleet_history_command,
	&fleet_handoff_command,
	&fleet_submit_command,
	&fleet_backlog_command,
	&fleet_work_command,
	&fleet_release_command,
	&fleet_permit_command,
	&fleet_printserver_command,
	&fleet_printunit_command,
	&fleet_doctor_command,
	NULL
};

int
main(int argc, char **argv)
{
	return program_main(&(struct program){ .name = "paneward-fleet",
	    .commands = commands }, argc, argv);
}
