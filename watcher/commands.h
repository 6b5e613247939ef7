/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_WATCHER_COMMANDS_H
#define PANEWARD_WATCHER_COMMANDS_H

struct command;

extern const struct command agentrun_command;
extern const struct command logwriter_command;
extern const struct command revive_command;
extern const struct command start_command;
extern const struct command startqueued_command;
extern const struct command wait_command;
extern const struct command watch_command;

#endif
