#include "agent/dialect.h"

#include "base/argv.h"
#include "quoted.h"
#include "scratch.h"

#define PLACE "'folder': '.x', 'file': 'h.json', 'user_folder': '.x'"
#define NEEDED PLACE ", 'entry': {}, 'register': {}"

/* The hooks of an agent called "mine". */
static void
hooks_are(const char *text)
{
	char file[4096];

	snprintf(file, sizeof(file),
	    "{'description': 'Mine', 'hooks': {%s}}", text);
	scratch_write("paneward/backends/mine.json", quoted(file));
}

TEST(hooks_are_read_strictly) {
	static const struct { const char *hooks, *why; } rows[] = {
		{ NEEDED, "" }, { PLACE ", 'plugin': 'x.js'", "" },
		{ NEEDED ", 'session': {'file': 'a/b', 'words': ['-e']}", "" },
		{ PLACE ", 'register': {}", "'hooks' has no 'entry'" },
		{ PLACE ", 'entry': {}", "'hooks' has no 'register'" },
		{ "'file': 'h.json'", "'hooks' has no 'folder'" },
		{ NEEDED ", 'colour': 1", "unknown key 'hooks.colour'" },
		{ NEEDED ", 'note': ''", "'hooks.note' is empty" },
		{ NEEDED ", 'skills': '/s'",
		    "'hooks.skills' is not a relative path" },
		{ PLACE ", 'plugin': 'a/b'",
		    "'hooks.plugin' is not the name of a file" },
		{ NEEDED ", 'base': []", "'hooks.base' is not an object" },
		{ NEEDED ", 'session': {}", "'hooks.session' has no 'file'" },
		{ NEEDED ", 'session': {'file': '/a'}",
		    "'hooks.session.file' is not a relative path" },
		{ NEEDED ", 'session': {'file': 'a', 'variable': 'V'}",
		    "'hooks.session' has a 'variable', and no 'list'" },
		{ NEEDED ", 'comments': 1",
		    "'hooks.comments' is not true or false" },
		{ NEEDED ", 'events': []", "'hooks.events' is not an object" },
		{ NEEDED ", 'events': {'E': 'x'}",
		    "'hooks.events.E' is not what an event may report" },
		{ PLACE ", 'entry': {}, 'register': {'x': {}}",
		    "unknown key 'hooks.register.x'" },
		{ NEEDED ", 'fields': {'x': 'y'}",
		    "unknown key 'hooks.fields.x'" },
		{ NEEDED ", 'fields': {'tool': 1}",
		    "'hooks.fields.tool' is not a text" },
		{ NEEDED ", 'fields': {'tool': [1]}",
		    "'hooks.fields.tool' is not a list of texts" },
		{ NEEDED ", 'fields': ['tool']",
		    "'hooks.fields' is not an object" },
		{ NEEDED ", 'shells': 'sh'",
		    "'hooks.shells' is not a list of texts" },
		{ NEEDED ", 'notices': {'a': 1}",
		    "'hooks.notices.a' is not a text" },
	};
	struct buf error = BUF_INIT;
	struct dialect d;
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].hooks);
		buf_reset(&error);
		hooks_are(rows[i].hooks);
		is_number(dialect_read(&d, "mine", &error),
		    rows[i].why[0] != '\0' ? -1 : 1);
		dialect_release(&d);
		at = strstr(buf_str(&error), "line 1: ");
		is_text(at != NULL ? at + 8 : buf_str(&error), rows[i].why);
	}
	buf_release(&error);
}

/* The hooks behind so many lines of other keys, and behind them the tail. */
static void
hooks_are_behind(unsigned lines, const char *tail)
{
	struct buf file = BUF_INIT;

	buf_adds(&file, "{\n");
	while (lines-- > 0)
		buf_printf(&file, "'key%u': ['a', {'hooks': 1}],\n", lines);
	buf_printf(&file, "'hooks': {" NEEDED "}%s", tail);
	scratch_write("paneward/backends/mine.json", quoted(buf_str(&file)));
	buf_release(&file);
}

TEST(hooks_may_stand_anywhere_in_a_long_file) {
	struct buf error = BUF_INIT;
	struct dialect d;
	unsigned lines;

	for (lines = 100; lines < 180; lines += 5) {
		hooks_are_behind(lines, "}\n");
		is_number(dialect_read(&d, "mine", &error), 1);
		is_text(json_text(d.hooks, "file"), "h.json");
		dialect_release(&d);
	}
	hooks_are_behind(500, ",");
	is_number(dialect_read(&d, "mine", &error), 1);
	dialect_release(&d);
	is_number(error.len, 0);
	scratch_write("paneward/backends/mine.json", "{\n\n'");
	is_number(dialect_read(&d, "mine", &error), -1);
	ok(strstr(buf_str(&error), "mine.json' line 3: ") != NULL);
	buf_release(&error);
}

TEST(a_backend_may_have_none) {
	struct buf error = BUF_INIT;
	struct dialect d;

	scratch_write("paneward/backends/mine.json", "{}");
	is_number(dialect_read(&d, "mine", &error), 0);
	is_number(dialect_read(&d, "nothing", &error), 0);
	is_text(buf_str(&error), "");
	buf_release(&error);
}

#define DIALECT NEEDED ", 'fields': {'event': 'name', " \
	"'message': ['a.b', 'a', 'c'], 'notice': 'type', 'tool': 'tool'}, " \
	"'questions': ['ask'], 'shells': ['sh'], 'errors': {'quota': " \
	"'rate_limit'}, 'notices': {'may': 'permission'}, 'events': {" \
	"'end': 'turn-ended', 'asks': 'question', 'note': 'notice'}"

/* "type kind message", as the dialect reads the input. */
static const char *
seen(const char *input)
{
	static char text[256];
	struct buf error = BUF_INIT;
	struct event_meaning event;
	struct dialect d;
	struct json *in = json_parse(quoted(input), strlen(input), false,
	    NULL);
	const char *message;

	text[0] = '\0';
	hooks_are(DIALECT);
	if (dialect_find(&d, NULL, in, &event, &error) == 1) {
		message = dialect_text(&d, in, "message");
		snprintf(text, sizeof(text), "%s %s %s %s", d.agent,
		    event_types[event.type],
		    event.kind ? event.kind : "-", message ? message : "-");
		dialect_release(&d);
	}
	is_text(buf_str(&error), "");
	json_free(in);
	buf_release(&error);
	return text;
}

TEST(an_event_has_its_dialect) {
	static const char *const rows[][2] = {
		{ "{'name': 'end'}", "mine turn-ended - -" },
		{ "{'name': 'asks'}", "mine waiting question -" },
		{ "{'name': 'other'}", "" }, { "{}", "" },
		{ "{'name': 1}", "" },
		/* The first path that is a text counts. */
		{ "{'name': 'end', 'a': {'b': 'x'}}", "mine turn-ended - x" },
		{ "{'name': 'end', 'a': 'y'}", "mine turn-ended - y" },
		{ "{'name': 'end', 'a': {'b': 1}, 'c': 'z'}",
		    "mine turn-ended - z" },
		/* A notice that is not listed is none; a permission for a tool
		 * that asks is a question. */
		{ "{'name': 'note', 'type': 'may'}",
		    "mine waiting permission -" },
		{ "{'name': 'note', 'type': 'other'}", "" },
		{ "{'name': 'note'}", "" },
		{ "{'name': 'note', 'type': 'may', 'tool': 'ask'}",
		    "mine waiting question -" },
		{ "{'name': 'note', 'type': 'may', 'tool': 'sh'}",
		    "mine waiting permission -" },
		{ "{'name': 'end', 'tool': 'ask'}", "mine turn-ended - -" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i][0]);
		is_text(seen(rows[i][0]), rows[i][1]);
	}
}

TEST(the_runs_own_dialect_is_preferred) {
	struct buf error = BUF_INIT;
	struct event_meaning event;
	struct dialect d;
	struct json *in = json_new_object();

	hooks_are(DIALECT);
	scratch_write("paneward/backends/another.json",
	    quoted("{'description': 'A', 'hooks': {" NEEDED ", 'fields': "
	    "{'event': 'name'}, 'events': {'end': 'tool'}}}"));
	json_add_text(in, "name", "end");
	is_number(dialect_find(&d, NULL, in, &event, &error), 1);
	is_number(event.type, EVENT_TOOL);
	dialect_release(&d);
	is_number(dialect_find(&d, "nothing", in, &event, &error), 1);
	is_number(event.type, EVENT_TOOL);
	dialect_release(&d);
	is_number(dialect_find(&d, "mine", in, &event, &error), 1);
	is_number(event.type, EVENT_ENDED);
	is_text(dialect_error(&d, "quota"), "rate_limit");
	is_text(dialect_error(&d, "other"), "other");
	ok(argv_has(d.shells, "sh") && !argv_has(d.shells, "ash"));
	dialect_release(&d);
	unlinkat(scratch_fd, "paneward/backends/another.json", 0);
	json_free(in);
	buf_release(&error);
}

TEST(the_first_broken_file_is_named_once) {
	struct buf error = BUF_INIT;
	struct event_meaning event;
	struct dialect d;
	struct json *in = json_new_object();

	hooks_are("'note': ''");
	scratch_write("paneward/backends/claude.json",
	    quoted("{'hooks': {'note': 1}}"));
	json_add_text(in, "name", "end");
	is_number(dialect_find(&d, NULL, in, &event, &error), -1);
	is_text(strstr(buf_str(&error), "claude.json"), "claude.json' line 1: "
	    "'hooks.note' is not a text");
	unlinkat(scratch_fd, "paneward/backends/claude.json", 0);
	json_free(in);
	buf_release(&error);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
}
