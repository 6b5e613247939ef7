/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_HOOK_COMMANDS_H
#define PANEWARD_HOOK_COMMANDS_H

struct command;

extern const struct command hook_command;
extern const struct command inbox_command;
extern const struct command signal_command;

/* The loop inside one agent session. */
extern const struct command loopstart_command, loopstop_command,
    loopstatus_command;

#endif
