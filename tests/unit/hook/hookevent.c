#include "hook/hook.h"

#include "unit/agent/recorded.h"

#define DONE "###TASK_COMPLETE_42###"
#define SESSION "s-1"

static struct event e;                  /* of the last reads() */

/* What the dialect makes of "AGENT INPUT": the type, kind, number of
 * completions and text of an event, and whether that is whole. */
static const char *
reads(const char *row)
{
	static char words[1024];
	const char *input = strchr(row, ' ') + 1;
	char agent[16];
	struct buf error = BUF_INIT;
	struct marker_set set;
	struct dialect d;
	struct json *in = json_parse(input, strlen(input), false, NULL);
	struct hookevent h = { .dialect = &d, .input = in, .markers = &set,
	    .issue = "42", .state_fd = scratch_fd };
	bool found;

	snprintf(agent, sizeof(agent), "%.*s", (int)(input - row - 1), row);
	marker_set_init(&set, "42", NULL, NULL);
	e = (struct event){ .time = 1772366400000 };
	is_number(dialect_read(&d, agent, &error), 1);
	found = dialect_event(&d, in, &h.event) && hookevent_read(&h, &e);
	dialect_release(&d);
	json_free(in);
	buf_release(&error);
	snprintf(words, sizeof(words), "%s %s %u%s%s%s", event_types[e.type],
	    e.kind, e.hits.complete, e.said ? " whole" : "",
	    e.text[0] ? ": " : "", e.text);
	ok(!found || strcmp(e.session, SESSION) == 0);
	return found ? words : "nothing";
}

#define EVENT(name, more) "{\"hook_event_name\": \"" name "\", " \
	"\"session_id\": \"" SESSION "\"" more "}"
#define STOP(more) EVENT("Stop", ", " more)
#define TASKS(tasks) STOP("\"background_tasks\": [" tasks "]")
#define TASK(type) "{\"type\": \"" type "\"}"
#define TOOL(command, more) EVENT("PostToolUse", ", \"tool_name\": \"Bash\", " \
	"\"tool_input\": {\"command\": \"" command "\"}, " \
	"\"tool_response\": {\"stdout\": \"" DONE "\"}" more)
#define ASKS(tool, input) EVENT("PermissionRequest", ", \"tool_name\": \"" \
	tool "\", \"tool_input\": {" input "}")
#define NOTICE(type, message, more) EVENT("Notification", \
	", \"notification_type\": \"" type "\", \"message\": \"" message "\"" \
	more)

/* hooks.t shows the rest. */
TEST(an_event_says_what_its_agent_means) {
	/* The end of a turn has a message, or tasks that go on. */
	ROWS(reads, "claude " STOP("\"last_assistant_message\": \"Well.\\n"
	    DONE "\"") " => turn-ended  1 whole: Well. " DONE,
	    "claude " EVENT("Stop", "") " => turn-ended  0",
	    "claude " TASKS("1") " => turn-ended background 0",
	    "claude " TASKS(TASK("shell") ", " TASK("subagent"))
	    " => turn-ended background 0",
	    "claude " TASKS(TASK("shell") ", " TASK("shell"))
	    " => turn-ended command 0",
	    "claude " TASKS("") " => turn-ended  0",
	    "cursor " EVENT("stop", ", \"status\": \"aborted\"")
	    " => turn-failed aborted 0");
	/* Only a command that prints a marker reports, and no helper. */
	ROWS(reads, "claude " TOOL("make && echo '" DONE "'", "")
	    " => tool  1: Bash: make && echo '" DONE "'",
	    "claude " TOOL("cat notes # echo", "")
	    " => tool  0: Bash: cat notes # echo",
	    "codex " TOOL("echo " DONE, "") " => tool  1: Bash: echo " DONE,
	    "codex " TOOL("echo " DONE, ", \"agent_id\": \"a-1\"")
	    " => tool  0: Bash: echo " DONE);
	/* A dialog and a tool that asks tell their question. */
	ROWS(reads, "claude " ASKS("Write", "\"file_path\": \"/a/b\"")
	    " => waiting permission 0: Write: /a/b",
	    "gemini " NOTICE("ToolPermission", "Tool requires execution",
	    ", \"details\": {\"type\": \"exec\", \"command\": \"make\"}")
	    " => waiting permission 0: exec: make",
	    "claude " ASKS("AskUserQuestion", "\"questions\": "
	    "[{\"question\": \"Which way?\"}]")
	    " => waiting question 0: Which way?",
	    "claude " ASKS("ExitPlanMode", "") " => waiting question 0");
}

TEST(long_words_are_cut_between_characters) {
	char long_word[43] = "", input[1024];
	size_t i;

	for (i = 0; i + 2 < sizeof(long_word); i += 2)
		memcpy(long_word + i, "\xc3\xa4", 2);
	snprintf(input, sizeof(input), "claude " EVENT("SessionEnd",
	    ", \"reason\": \"%s\""), long_word);
	ok(strstr(reads(input), "session-ended ") != NULL);
	is_number(strlen(e.kind), 38);
}

BEFORE_TESTS {
	recorded_begin();
}
