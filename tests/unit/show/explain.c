#include "shown.h"

/* The last line of what it prints. */
static const char *
verdict(const char *text)
{
	const char *line = text, *next;

	while ((next = strchr(line, '\n')) != NULL && next[1] != '\0')
		line = next + 1;
	return line;
}

TEST(every_detector_says_what_it_saw) {
	scratch_folder("status/.paneward");
	is_text(shown(&explain_command, "7", "--session", "alive", "--command",
	    "vim", NULL),
	    "signal     -         signal-complete-7: not there; "
	    "signal-error-7: not there\n"
	    "hook       -         no hook has reported\n"
	    "transcript -         none is known\n"
	    "log        -         output-7.log: not there\n"
	    "capture    -         no capture\n"
	    "process    -         replayed: 'vim' is in front of the pane\n"
	    "screen     -         the backend is not known\n"
	    "verdict: working, by process: the agent's process lives\n");
	is_number(shown_exit, 0);
	is_text(verdict(shown(&explain_command, "7", "--session", "alive",
	    NULL)), "verdict: none (no detector could decide)\n");
}

TEST(a_capture_takes_the_place_of_the_pane) {
	scratch_write("text", "x\n###TASK_ERROR_7###\nno disk\n");
	is_text(verdict(shown(&explain_command, "7", "--session", "alive",
	    "--capture", "text", "--check-errors", NULL)),
	    "verdict: error, by capture: an error marker in the capture: no "
	    "disk\n");
	is_text(verdict(shown(&explain_command, "7", "--session", "dead",
	    "--capture", "text", NULL)), "verdict: gone, by session: its pane "
	    "is no longer there, and there is no report\n");
}

TEST(a_backend_reads_the_screen) {
	scratch_write("paneward/backends/mine.json",
	    "{\"title\": {\"busy\": [\"^!\"]}}");
	is_text(verdict(shown(&explain_command, "7", "--session", "alive",
	    "--backend", "mine", "--title", "! x", "--command", "vim", NULL)),
	    "verdict: working, by screen: it is busy\n");
	is_text(verdict(shown(&explain_command, "7", "--session", "alive",
	    "--backend", "mine", "--title", "! x", "--command", "sh", NULL)),
	    "verdict: dead, by process: the agent ended, its status is "
	    "unknown, without a report\n");
	is_text(shown(&explain_command, "7", "--session", "alive",
	    "--backend", "none", NULL), "");
	is_number(shown_exit, 2);
}

TEST(json_has_an_object_for_each_line) {
	const char *text = shown(&explain_command, "7", "--json", "--session",
	    "alive", "--capture", "text", "--check-errors", NULL);

	ok(strstr(text, "{\"detector\":\"signal\",\"answer\":\"none\","
	    "\"why\":\"signal-complete-7: not there; ") == text);
	is_text(verdict(text), "{\"verdict\":\"error\",\"source\":\"capture\","
	    "\"why\":\"an error marker in the capture\","
	    "\"message\":\"no disk\"}\n");
	is_text(verdict(shown(&explain_command, "7", "--json", "--session",
	    "alive", NULL)), "{\"verdict\":\"none\",\"source\":null}\n");
}

TEST(a_report_that_is_recorded_stays_true) {
	shown_record("8", "error", ",\"message\":\"no disk\"");
	is_text(verdict(shown(&explain_command, "8", NULL)),
	    "verdict: error, by process: recorded 2026-01-31T12:00:00.000Z: "
	    "it is so: no disk\n");
	scratch_write("status/signal-complete-8", "");
	is_text(verdict(shown(&explain_command, "8", NULL)),
	    "verdict: complete, by signal: signal-complete-8 is there\n");
}

TEST(a_case_is_saved_and_can_be_replayed) {
	scratch_write("status/output-8.log", "a log\n");
	shown(&explain_command, "8", "--session", "alive", "--capture", "text",
	    "--title", "it's", "--command", "vim", "--save", "case", NULL);
	is_number(shown_exit, 0);
	is_text(scratch_text("case/replay.txt"), "paneward explain 8 "
	    "--status-dir . --session alive --check-errors --capture "
	    "capture.txt --title 'it'\\''s' --command 'vim'\n");
	is_text(scratch_text("case/capture.txt"),
	    "x\n###TASK_ERROR_7###\nno disk\n");
	is_text(scratch_text("case/output-8.log"), "a log\n");
	ok(!scratch_there("case/signal-error-8"));
	ok(strstr(scratch_text("case/case.json"), "{\"issue\":\"8\","
	    "\"title\":\"it's\",\"command\":\"vim\","
	    "\"session\":\"alive\",\"time\":\"") != NULL);
	ok(strstr(scratch_text("case/case.json"),
	    "\"verdict\":\"complete\",\"expect\":null}\n") != NULL);
	/* The signal is empty: that it is there is its message. */
	is_text(scratch_text("case/signal-complete-8"), "");
	is_text(verdict(shown(&explain_command, "8", "--session", "alive",
	    "--status-dir", "case", NULL)),
	    "verdict: complete, by signal: signal-complete-8 is there\n");
}

/* Of a record only what judging needs is saved, with what hooks reported. */
TEST(a_case_holds_the_run) {
	shown_record("9", "working", ",\"worktree\":\"/w\"");
	scratch_write("status/.paneward/9.records", "{}\n");
	scratch_write("status/.paneward/9.agent", SHOWN_RUN " 1 2\n");
	shown(&explain_command, "9", "--session", "alive", "--save", "nine",
	    NULL);
	is_number(shown_exit, 0);
	is_text(scratch_text("nine/.paneward/9.records"), "{}\n");
	is_text(scratch_text("nine/.paneward/9.agent"), SHOWN_RUN " 1 2\n");
	ok(strstr(scratch_text("nine/.paneward/9.json"), SHOWN_RUN) != NULL);
	ok(strstr(scratch_text("nine/.paneward/9.json"), "/w") == NULL);
	shown(&explain_command, "9", "--session", "alive", "--save", "nine",
	    NULL);
	is_number(shown_exit, 3);
	is_text(scratch_text("err"), "paneward: cannot make 'nine': File "
	    "exists\n");
}

TEST(a_transcript_is_replayed_and_saved) {
	static const char line[] = "{\"by\":\"agent\",\"at\":1,"
	    "\"says\":\"###TASK_COMPLETE_7###\"}\n";

	scratch_write("paneward/backends/noted.json", "{\"transcript\": "
	    "{\"time\": \"at\", \"lines\": [{\"is\": \"message\", "
	    "\"when\": {\"by\": \"agent\"}, \"text\": \"says\"}]}}");
	scratch_write("written", line);
	is_text(verdict(shown(&explain_command, "7", "--session", "alive",
	    "--backend", "noted", "--transcript", "written", "--save", "kept",
	    NULL)), "verdict: complete, by transcript: a completion marker in "
	    "what the agent wrote, in its transcript\n");
	is_text(scratch_text("kept/transcript.jsonl"), line);
	is_text(scratch_text("kept/replay.txt"), "paneward explain 7 "
	    "--status-dir . --session alive --check-errors --transcript "
	    "transcript.jsonl --backend 'noted'\n");
	is_text(shown(&explain_command, "7", "--session", "alive",
	    "--transcript", "none", NULL), "");
	is_number(shown_exit, 3);
}

TEST(options_of_a_replay_need_one) {
	is_text(shown(&explain_command, "7", "--title", "x", NULL), "");
	is_number(shown_exit, 2);
	is_text(shown(&explain_command, "7", "--session", "gone", NULL), "");
	is_number(shown_exit, 2);
	is_text(shown(&explain_command, NULL), "");
	is_number(shown_exit, 2);
	is_text(shown(&explain_command, "7", "--session", "alive",
	    "--capture", "none", NULL), "");
	is_number(shown_exit, 3);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
	setenv("TMUX_TMPDIR", scratch, 1);      /* no server is there */
	unsetenv("TMUX");
}
