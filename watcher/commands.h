/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_WATCHER_COMMANDS_H
#define PANEWARD_WATCHER_COMMANDS_H

struct command;

extern const struct command agentrun_command;
extern const struct command completion_command;
extern const struct command doctor_command;
extern const struct command explain_command;
extern const struct command logwriter_command;
extern const struct command render_command;
extern const struct command scan_command;
extern const struct command signal_command;
extern const struct command start_command;
extern const struct command status_command;
extern const struct command wait_command;
extern const struct command watch_command;

#endif
