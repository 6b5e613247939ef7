/*
 * commands.h - the commands of this folder, a file each.
 */
#ifndef PANEWARD_SHOW_COMMANDS_H
#define PANEWARD_SHOW_COMMANDS_H

#include "base/command.h"

/* A queue_trouble (queue.h): warns; the context is an enum exit_status. */
void show_trouble(void *, const char *dir, const char *issue, int error);

extern const struct command answer_command;
extern const struct command answerrun_command;
extern const struct command attach_command;
extern const struct command explain_command;
extern const struct command forget_command;
extern const struct command history_command;
extern const struct command log_command;
extern const struct command next_command;
extern const struct command scan_command;
extern const struct command status_command;
extern const struct command top_command;

#endif
