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

#define EXPLAIN(...) shown(&explain_command, __VA_ARGS__, NULL)

/* tests/system/target.sh and tests/cases/chain.t have the same as JSON. */
TEST(every_detector_says_what_it_saw) {
	scratch_folder("status/.paneward");
	is_text(EXPLAIN("7", "--session", "alive", "--command", "vim"),
	    "signal     -         signal-complete-7: not there; "
	    "signal-error-7: not there\nhook       -         no hook has "
	    "reported\ntranscript -         none is known\nlog        "
	    "-         output-7.log: not there\ncapture    -         no "
	    "capture\nprocess    -         replayed: 'vim' is in front of the "
	    "pane\nscreen     -         the backend is not known\nverdict: "
	    "working, by process: its process is alive\n");
	is_number(shown_exit, 0);
	is_text(verdict(EXPLAIN("7", "--session", "alive")),
	    "verdict: none (no detector could decide)\n");
	scratch_write("text", "x\n###TASK_ERROR_7###\nno disk\n");
	is_text(verdict(EXPLAIN("7", "--session", "alive", "--capture", "text",
	    "--check-errors")), "verdict: error, by capture: an error marker "
	    "in the capture: no disk\n");
	is_text(verdict(EXPLAIN("7", "--session", "dead", "--capture",
	    "text")), "verdict: gone, by session: its pane is no longer there, "
	    "and there is no report\n");
}

/* tests/system/saved.sh replays what is saved. */
TEST(a_case_that_is_saved_has_the_words_of_its_replay) {
	shown_record("8", "error", ",\"message\":\"no disk\"");
	scratch_write("status/signal-complete-8", "");
	EXPLAIN("8", "--session", "alive", "--capture", "text", "--title",
	    "it's", "--command", "vim", "--save", "case");
	is_text(scratch_text("case/replay.txt"), "paneward explain 8 "
	    "--status-dir . --session alive --check-errors --capture "
	    "capture.txt --title 'it'\\''s' --command 'vim'\n");
	is_text(scratch_text("case/signal-complete-8"), "");
	shown_record("9", "working", ",\"worktree\":\"/w\"");
	EXPLAIN("9", "--session", "alive", "--save", "nine");
	ok(strstr(scratch_text("nine/.paneward/9.json"), SHOWN_RUN) != NULL);
	ok(strstr(scratch_text("nine/.paneward/9.json"), "/w") == NULL);
}

#define TRY(file) strstr(EXPLAIN("5", "--session", "alive", "--backend-file", \
	file, "--capture", "ask", "--title", "on"), "verdict")

/* tests/system/target.sh tries a pane. */
TEST(a_backend_that_is_not_installed_shows_what_its_patterns_match) {
	scratch_write("ask", "May I  \u202e run it?\n  1. Yes\n  2. No\n");
	scratch_write("mine.json", "{ \"title\": { \"busy\": [\"^on$\"] },\n"
	    "\"announces\": { \"osc\": 7, \"busy\": [\"x\"] },\n"
	    "\"screen\": { \"asking\": [\"never\", { \"yes\": \"^Y\", \"asks\": "
	    "\"question\", \"pattern\": \"^May I(?<asked>.*)\" }],\n\"choice\": "
	    "\"^ *(?<key>\\\\d)\\\\. (?<text>.*)\", \"ready\": [\"^> \"] } }");
	is_text(TRY("mine.json"), "verdict: asking, by screen: it asks "
	    "something: \\u202e run it?\ntitle.busy 1       'on'\n"
	    "screen.asking 1    no match\n"
	    "screen.asking 2    'May I \\u202e run it?'\n"
	    "screen.ready 1     no match\n"
	    "choice 1, yes      'Yes'\nchoice 2           'No'\n");
	scratch_write("wrong.json", "{ \"backends\": { \"b\": {\"command\":\"b\"},"
	    "\n\"c\": { \"extends\": \"b\",\n\"hooks\": { \"fil\": 1 } } } }");
	ok(TRY("wrong.json") == NULL);
	is_text(scratch_text("err"), "paneward: explain: 'wrong.json' line 3: "
	    "unknown key 'hooks.fil' (did you mean 'file'?)\n");
	is_number(shown_exit, 2);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
	setenv("TMUX_TMPDIR", scratch, 1);      /* no server is there */
	unsetenv("TMUX");
}
