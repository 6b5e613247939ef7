/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_SWEEP_COMMANDS_H
#define PANEWARD_SWEEP_COMMANDS_H

struct command;

extern const struct command sweep_command;

#endif
