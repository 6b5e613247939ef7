/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_RELOAD_COMMANDS_H
#define PANEWARD_RELOAD_COMMANDS_H

struct command;

extern const struct command reload_command;
extern const struct command reloadagent_command;
extern const struct command reloadrun_command;

#endif
