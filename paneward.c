/*
 * paneward.c - main, and the table of commands.
 *
 * paneward is one sentence: something happened in a pane; what is it doing now;
 * does that change anything?  watcher/watch.c waits for the something,
 * lib/chain/judge.c asks the detectors, and lib/chain/detectors.c is their
 * table.
 */
#include "paneward.h"

/* In the order of the help. */
const struct program_row commands[] = {
	{ "What you need first", &status_command },
	{ NULL, &top_command },
	{ NULL, &next_command },
	{ NULL, &answer_command },
	{ NULL, &start_command },
	{ NULL, &diff_command },
	{ NULL, &explain_command },
	{ NULL, &init_command },
	{ "Look", &log_command },
	{ NULL, &history_command },
	{ NULL, &scan_command },
	{ "Go and send", &attach_command },
	{ NULL, &send_command },
	{ NULL, &forget_command },
	{ "Start and hand off", &watch_command },
	{ NULL, &wait_command },
	{ NULL, &stop_command },
	{ NULL, &revive_command },
	{ NULL, &render_command },
	{ NULL, &sweep_command },
	{ NULL, &merge_command },
	{ NULL, &handoff_command },
	{ NULL, &cleanup_command },
	{ NULL, &notify_command },
	{ NULL, &looprun_command },
	{ NULL, &loopstart_command },
	{ NULL, &loopstop_command },
	{ NULL, &loopstatus_command },
	{ "An agent's own", &signal_command },
	{ NULL, &inbox_command },
	{ NULL, &hook_command },
	{ NULL, &reload_command },
	{ "Set up", &doctor_command },
	{ NULL, &completion_command },
	/* Commands run these themselves. */
	{ NULL, &agentrun_command },
	{ NULL, &startqueued_command },
	{ NULL, &logwriter_command },
	{ NULL, &loopagent_command },
	{ NULL, &looplog_command },
	{ NULL, &handoffrun_command },
	{ NULL, &noticerun_command },
	{ NULL, &answerrun_command },
	{ NULL, &parkedrun_command },
	{ NULL, &reloadagent_command },
	{ NULL, &reloadrun_command },
	{ NULL, NULL }
};

int
main(int argc, char **argv)
{
	return program_main(&(struct program){ .name = "paneward",
	    .commands = commands, .alone = "top" }, argc, argv);
}
