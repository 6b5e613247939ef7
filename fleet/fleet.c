/* fleet.c - main of paneward-fleet, a program of its own since nats.c has
 * threads and starts slowly. */

#include "base/program.h"
#include "fleet/wire/wire.h"

static const struct program_row commands[] = {
	{ NULL, &fleet_agent_command },
	{ NULL, &fleet_follow_command },
	{ NULL, &fleet_history_command },
	{ NULL, &fleet_handoff_command },
	{ NULL, &fleet_submit_command },
	{ NULL, &fleet_backlog_command },
	{ NULL, &fleet_work_command },
	{ NULL, &fleet_release_command },
	{ NULL, &fleet_permit_command },
	{ NULL, &fleet_printserver_command },
	{ NULL, &fleet_printunit_command },
	{ NULL, &fleet_doctor_command },
	{ NULL, NULL }
};

int
main(int argc, char **argv)
{
	return program_main(&(struct program){ .name = "paneward-fleet",
	    .commands = commands }, argc, argv);
}
