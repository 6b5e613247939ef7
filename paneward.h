/*
 * paneward.h - the commands, a file each, and their table, for a command that
 * shows it to others.
 */
#ifndef PANEWARD_PANEWARD_H
#define PANEWARD_PANEWARD_H

#include "base/program.h"

/* The last row has no command. */
extern const struct program_row commands[];

extern const struct command
    cleanup_command, diff_command, handoff_command, handoffrun_command,
    merge_command, parkedrun_command, hook_command, signal_command,
    loopagent_command, looplog_command, looprun_command, loopstart_command,
    loopstatus_command, loopstop_command, inbox_command, noticerun_command,
    notify_command, reload_command, reloadagent_command, reloadrun_command,
    completion_command, doctor_command, init_command, render_command,
    answer_command, answerrun_command, attach_command, explain_command,
    forget_command, history_command, log_command, next_command,
    scan_command, send_command, status_command, stop_command, top_command,
    agentrun_command, logwriter_command, revive_command, start_command,
    startqueued_command, sweep_command, wait_command, watch_command;

#endif
