/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_HANDOFF_COMMANDS_H
#define PANEWARD_HANDOFF_COMMANDS_H

struct command;

extern const struct command cleanup_command;
extern const struct command diff_command;
extern const struct command handoff_command;
extern const struct command handoffrun_command;
extern const struct command noticerun_command;
extern const struct command notify_command;
extern const struct command parkedrun_command;

#endif
