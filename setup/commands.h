/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_SETUP_COMMANDS_H
#define PANEWARD_SETUP_COMMANDS_H

struct command;

extern const struct command completion_command;
extern const struct command doctor_command;
extern const struct command init_command;
extern const struct command render_command;

#endif
