/*
 * paneward.c - main, and the table of commands.
 *
 * paneward is one sentence: something happened in a pane; what is it doing now;
 * does that change anything?  watcher/watch.c waits for the something,
 * lib/chain/judge.c asks the detectors, and lib/chain/detectors.c is their
 * table.
 */
#include "base/program.h"
#include "paneward.h"

static const struct command *const commands[] = {
	&start_command,
	&watch_command,
	&wait_command,
	&status_command,
	&top_command,
	&next_command,
	&attach_command,
	&answer_command,
	&forget_command,
	&log_command,
	&diff_command,
	&history_command,
	&explain_command,
	&scan_command,
	&render_command,
	&signal_command,
	&sweep_command,
	&handoff_command,
	&cleanup_command,
	&notify_command,
	&hook_command,
	&inbox_command,
	&looprun_command,
	&loopstart_command,
	&loopstop_command,
	&loopstatus_command,
	&init_command,
	&doctor_command,
	&reload_command,
	&revive_command,
	&completion_command,
	&agentrun_command,
	&startqueued_command,
	&logwriter_command,
	&loopagent_command,
	&looplog_command,
	&handoffrun_command,
	&noticerun_command,
	&answerrun_command,
	&parkedrun_command,
	&reloadagent_command,
	&reloadrun_command,
	NULL
};

const struct command *
command_at(size_t place)
{
	return commands[place];
}

int
main(int argc, char **argv)
{
	return program_main(&(struct program){ .name = "paneward",
	    .commands = commands, .alone = "top" }, argc, argv);
}
