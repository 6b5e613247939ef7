#include "hook/hook.h"

#include "scratch.h"

#define DONE "###TASK_COMPLETE_42###"

static struct event e;                  /* of the last reads() */

/* Does an agent's dialect make something of the input?  Then e. */
static bool
reads(const char *agent, const char *input)
{
	struct buf error = BUF_INIT;
	struct marker_set set;
	struct dialect d;
	struct json *in = json_parse(input, strlen(input), false, NULL);
	struct hookevent h = { .dialect = &d, .input = in, .markers = &set,
	    .issue = "42", .state_fd = scratch_fd };
	bool found;

	marker_set_init(&set, "42", NULL, NULL);
	e = (struct event){ .time = 1772366400000 };
	is_number(dialect_read(&d, agent, &error), 1);
	found = dialect_event(&d, in, &h.event) && hookevent_read(&h, &e);
	dialect_release(&d);
	json_free(in);
	buf_release(&error);
	return found;
}

#define EVENT(name, more) "{\"hook_event_name\": \"" name "\", " \
	"\"session_id\": \"s-1\"" more "}"

TEST(the_end_of_a_turn_has_a_message) {
	ok(reads("claude", EVENT("Stop", ", \"last_assistant_message\": "
	    "\"Well.\\n" DONE "\"")));
	is_number(e.type, EVENT_ENDED);
	is_text(e.session, "s-1");
	ok(e.said && e.hits.complete == 1);
	ok(reads("claude", EVENT("Stop", "")));
	ok(!e.said && e.hits.complete == 0);
	ok(reads("claude", EVENT("Stop", ", \"background_tasks\": [1]")));
	is_text(e.kind, "background");
	ok(reads("claude", EVENT("Stop", ", \"background_tasks\": ["
	    "{\"type\": \"shell\"}, {\"type\": \"subagent\"}]")));
	is_text(e.kind, "background");
	ok(reads("claude", EVENT("Stop", ", \"background_tasks\": ["
	    "{\"type\": \"shell\"}, {\"type\": \"shell\"}]")));
	is_text(e.kind, "command");
	ok(reads("claude", EVENT("Stop", ", \"background_tasks\": []")));
	is_text(e.kind, "");
	ok(reads("gemini", EVENT("AfterAgent", ", \"prompt_response\": \""
	    DONE "\"")));
	ok(!e.said && e.hits.complete == 0);
}

TEST(a_status_tells_how_a_turn_has_ended) {
	ok(reads("cursor", EVENT("stop", ", \"status\": \"completed\"")));
	is_number(e.type, EVENT_ENDED);
	ok(reads("cursor", EVENT("stop", ", \"status\": \"aborted\"")));
	is_number(e.type, EVENT_FAILED);
	is_text(e.kind, "aborted");
}

TEST(only_a_command_that_prints_a_marker_reports) {
#define TOOL(command) EVENT("PostToolUse", ", \"tool_name\": \"Bash\", " \
	"\"tool_input\": {\"command\": \"" command "\"}, " \
	"\"tool_response\": {\"stdout\": \"" DONE "\"}")
	ok(reads("claude", TOOL("make && echo '" DONE "'")));
	is_number(e.hits.complete, 1);
	ok(reads("claude", TOOL("cat notes # echo")));
	is_number(e.hits.complete, 0);
	ok(reads("claude", TOOL("grep '" DONE "' notes")));
	is_number(e.hits.complete, 0);
	ok(reads("cursor", EVENT("afterShellExecution", ", \"command\": "
	    "\"printf '" DONE "'\", \"output\": \"" DONE "\"")));
	is_number(e.hits.complete, 1);
}

TEST(what_a_helper_prints_is_no_report) {
#define HELPED(more) EVENT("PostToolUse", ", \"tool_name\": \"Bash\", " \
	"\"tool_input\": {\"command\": \"echo " DONE "\"}, " \
	"\"tool_response\": \"" DONE "\"" more)
	static const char *const agents[] = { "claude", "codex" };
	size_t i;

	for (i = 0; i < sizeof(agents) / sizeof(agents[0]); i++) {
		ok(reads(agents[i], HELPED("")));
		is_number(e.hits.complete, 1);
		ok(reads(agents[i], HELPED(", \"agent_id\": \"a-1\"")));
		is_number(e.hits.complete, 0);
	}
}

TEST(a_dialog_tells_what_is_asked) {
	ok(reads("claude", EVENT("PermissionRequest", ", \"tool_name\": "
	    "\"Bash\", \"tool_input\": {\"command\": \"make\"}")));
	is_text(e.kind, "permission");
	is_text(e.text, "Bash: make");
	ok(reads("claude", EVENT("Notification", ", \"notification_type\": "
	    "\"idle_prompt\", \"message\": \"Hello?\"")));
	is_text(e.kind, "prompt");
	is_text(e.text, "Hello?");
	ok(!reads("claude", EVENT("Notification", "")));
	ok(reads("claude", EVENT("PermissionRequest", ", \"tool_name\": "
	    "\"Write\", \"tool_input\": {\"file_path\": \"/a/b\"}")));
	is_text(e.text, "Write: /a/b");
	ok(reads("gemini", EVENT("Notification", ", \"notification_type\": "
	    "\"ToolPermission\", \"message\": \"Tool requires execution\", "
	    "\"details\": {\"type\": \"exec\", \"command\": \"make\"}")));
	is_text(e.text, "exec: make");
}

TEST(a_tool_that_asks_tells_its_question) {
	ok(reads("claude", EVENT("PermissionRequest", ", \"tool_name\": "
	    "\"AskUserQuestion\", \"tool_input\": {\"questions\": "
	    "[{\"question\": \"Which way?\"}]}")));
	is_text(e.kind, "question");
	is_text(e.text, "Which way?");
	ok(reads("claude", EVENT("PermissionRequest", ", \"tool_name\": "
	    "\"ExitPlanMode\", \"tool_input\": {}")));
	is_text(e.kind, "question");
	is_text(e.text, "");
}

TEST(a_failure_has_a_reason_and_an_end) {
	ok(reads("claude", EVENT("StopFailure", ", \"error\": \"rate_limit\", "
	    "\"last_assistant_message\": \"limit reached|1893456000\"")));
	is_number(e.type, EVENT_FAILED);
	is_text(e.kind, "rate_limit");
	ok(e.reset == 1893456000000);
}

TEST(a_piece_without_the_one_before_is_read_both_ways) {
#define PIECE(index, text) EVENT("MessageDisplay", ", \"message_id\": " \
	"\"m\", \"index\": " index ", \"delta\": \"" text "\"")
	ok(reads("claude", PIECE("0", DONE "\\n")));
	is_number(e.hits.complete, 1);
	ok(reads("claude", PIECE("1", DONE "\\n```\\n")));
	is_number(e.hits.complete, 0);
	ok(!reads("claude", EVENT("MessageDisplay", "")));
}

TEST(long_words_are_cut_between_characters) {
	char input[1024];

	snprintf(input, sizeof(input), EVENT("SessionEnd", ", \"reason\": "
	    "\"%s\""), "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
	    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
	    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
	ok(reads("claude", input));
	is_number(e.type, EVENT_OVER);
	is_number(strlen(e.kind), 38);
}

BEFORE_TESTS {
	char *here = realpath("backends", NULL);

	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_folder("paneward");
	ok(here && symlink(here, scratch_path("paneward/backends")) == 0);
	free(here);
}
