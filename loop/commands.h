/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_LOOP_COMMANDS_H
#define PANEWARD_LOOP_COMMANDS_H

struct command;

extern const struct command looprun_command;

/* Run by loop run in its sessions. */
extern const struct command loopagent_command, looplog_command;

#endif
