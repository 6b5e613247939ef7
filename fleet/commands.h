/*
 * commands.h - the commands of paneward-fleet, for the table in fleet.c.
 */
#ifndef PANEWARD_FLEET_COMMANDS_H
#define PANEWARD_FLEET_COMMANDS_H

#include "base/command.h"

extern const struct command fleet_agent_command;
extern const struct command fleet_doctor_command;
extern const struct command fleet_printserver_command;

#endif
