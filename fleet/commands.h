/*
 * commands.h - the commands of paneward-fleet, for the table in fleet.c.
 */
#ifndef PANEWARD_FLEET_COMMANDS_H
#define PANEWARD_FLEET_COMMANDS_H

#include "base/command.h"

extern const struct command fleet_agent_command;
extern const struct command fleet_handoff_command;
extern const struct command fleet_doctor_command;
extern const struct command fleet_follow_command;
extern const struct command fleet_history_command;
extern const struct command fleet_printserver_command;
extern const struct command fleet_printunit_command;
extern const struct command fleet_backlog_command;
extern const struct command fleet_permit_command;
extern const struct command fleet_release_command;
extern const struct command fleet_submit_command;
extern const struct command fleet_work_command;

#endif
