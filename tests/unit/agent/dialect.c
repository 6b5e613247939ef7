#include "agent/dialect.h"

#include "base/argv.h"
#include "recorded.h"

#define PLACE "'folder': '.x', 'file': 'h.json', 'user_folder': '.x'"
#define NEEDED PLACE ", 'entry': {}, 'register': {}"

static struct dialect d;
static struct event_meaning event;
static struct buf error;

static int
read_dialect(const char *name)
{
	dialect_release(&d);
	buf_reset(&error);
	return dialect_read(&d, name, &error);
}

/* The hooks of an agent called "mine"; from a comma on they stand behind those
 * that are needed.  "", or why they are refused. */
static const char *
hooks_are(const char *text)
{
	const char *at;
	char file[4096];
	int got;

	snprintf(file, sizeof(file),
	    "{'description': 'Mine', 'hooks': {%s%s}}",
	    text[0] == '\'' ? "" : NEEDED, text);
	scratch_write("paneward/backends/mine.json", quoted(file));
	got = read_dialect("mine");
	is_number(got, error.len > 0 ? -1 : 1);
	at = strstr(buf_str(&error), "line 1: ");
	return at != NULL ? at + 8 : buf_str(&error);
}

/* strict.c shows the usual. */
TEST(hooks_are_read_strictly) {
	ROWS(hooks_are, " => ", PLACE ", 'plugin': 'x.js' => ",
	    ", 'session': {'file': 'a/b', 'words': ['-e']} => ",
	    PLACE ", 'register': {} => 'hooks' has no 'entry'",
	    PLACE ", 'entry': {} => 'hooks' has no 'register'",
	    "'file': 'h.json' => 'hooks' has no 'folder'",
	    ", 'skills': '/s' => 'hooks.skills' is not a relative path",
	    PLACE ", 'plugin': 'a/b' => "
	    "'hooks.plugin' is not the name of a file",
	    ", 'session': {} => 'hooks.session' has no 'file'",
	    ", 'session': {'file': '/a'} => "
	    "'hooks.session.file' is not a relative path",
	    ", 'session': {'file': 'a', 'variable': 'V'} => "
	    "'hooks.session' has a 'variable', and no 'list'",
	    ", 'events': [] => 'hooks.events' is not an object",
	    ", 'events': {'E': 'x'} => "
	    "'hooks.events.E' is not what an event may report",
	    PLACE ", 'entry': {}, 'register': {'x': {}} => "
	    "unknown key 'hooks.register.x'",
	    ", 'fields': {'tool': 1} => 'hooks.fields.tool' is not a text",
	    ", 'fields': {'tool': [1]} => "
	    "'hooks.fields.tool' is not a list of texts");
}

TEST(hooks_may_stand_anywhere_in_a_long_file_or_nowhere) {
	struct buf file = BUF_INIT;
	unsigned lines, i;

	for (lines = 100; lines <= 500; lines += lines < 180 ? 5 : 320) {
		ROW("%u", lines);
		buf_reset(&file);
		buf_adds(&file, "{\n");
		for (i = 0; i < lines; i++)
			buf_printf(&file, "'key%u': ['a', {'hooks': 1}],\n", i);
		/* What is behind them is not read, if it is far. */
		buf_printf(&file, "'hooks': {" NEEDED "}%s",
		    lines < 500 ? "}\n" : ",");
		scratch_write("paneward/backends/mine.json",
		    quoted(buf_str(&file)));
		is_number(read_dialect("mine"), 1);
		is_text(json_text(d.hooks, "file"), "h.json");
		is_number(error.len, 0);
	}
	buf_release(&file);
	scratch_write("paneward/backends/mine.json", "{}");
	is_number(read_dialect("mine"), 0);
	is_number(read_dialect("nothing"), 0);
	is_text(buf_str(&error), "");
}

#define DIALECT ", 'fields': {'event': 'name', " \
	"'message': ['a.b', 'a', 'c'], 'notice': 'type', 'tool': 'tool'}, " \
	"'questions': ['ask'], 'shells': ['sh'], 'errors': {'quota': " \
	"'rate_limit'}, 'notices': {'may': 'permission'}, 'events': {" \
	"'end': 'turn-ended', 'asks': 'question', 'note': 'notice'}"

static const char *preferred;           /* the run's own dialect */

/* "agent type kind message", as a dialect reads the input; "": none does; or
 * why it is broken. */
static const char *
seen(const char *input)
{
	static char text[256];
	struct json *in = json_parse(quoted(input), strlen(input), false, NULL);
	const char *message;
	int got;

	dialect_release(&d);
	buf_reset(&error);
	text[0] = '\0';
	got = dialect_find(&d, preferred, in, &event, &error);
	if (got == 1) {
		message = dialect_text(&d, in, "message");
		snprintf(text, sizeof(text), "%s %s %s %s", d.agent,
		    event_types[event.type],
		    event.kind ? event.kind : "-", message ? message : "-");
	}
	ok((error.len > 0) == (got == -1));
	json_free(in);
	return got == -1 ? buf_str(&error) : text;
}

TEST(an_event_has_its_dialect) {
	is_text(hooks_are(DIALECT), "");
	ROWS(seen, "{'name': 'end'} => mine turn-ended - -",
	    "{'name': 'asks'} => mine waiting question -",
	    "{'name': 'other'} => ", "{} => ", "{'name': 1} => ",
	    /* The first path that is a text counts. */
	    "{'name': 'end', 'a': {'b': 'x'}} => mine turn-ended - x",
	    "{'name': 'end', 'a': 'y'} => mine turn-ended - y",
	    "{'name': 'end', 'a': {'b': 1}, 'c': 'z'} => mine turn-ended - z",
	    /* A notice that is not listed is none; a permission for a tool that
	     * asks is a question. */
	    "{'name': 'note', 'type': 'may'} => mine waiting permission -",
	    "{'name': 'note', 'type': 'other'} => ", "{'name': 'note'} => ",
	    "{'name': 'note', 'type': 'may', 'tool': 'ask'} => "
	    "mine waiting question -",
	    "{'name': 'note', 'type': 'may', 'tool': 'sh'} => "
	    "mine waiting permission -",
	    "{'name': 'end', 'tool': 'ask'} => mine turn-ended - -");
}

TEST(the_runs_own_dialect_is_preferred) {
	scratch_write("paneward/backends/another.json",
	    quoted("{'description': 'A', 'hooks': {" NEEDED ", 'fields': "
	    "{'event': 'name'}, 'events': {'end': 'tool'}}}"));
	is_text(seen("{'name': 'end'}"), "another tool - -");
	preferred = "nothing";
	is_text(seen("{'name': 'end'}"), "another tool - -");
	preferred = "mine";
	is_text(seen("{'name': 'end'}"), "mine turn-ended - -");
	preferred = NULL;
	is_text(dialect_error(&d, "quota"), "rate_limit");
	is_text(dialect_error(&d, "other"), "other");
	ok(argv_has(d.shells, "sh") && !argv_has(d.shells, "ash"));
	unlinkat(scratch_fd, "paneward/backends/another.json", 0);
	/* The first broken file is named, once. */
	hooks_are(", 'note': ''");
	scratch_write("paneward/backends/claude.json",
	    quoted("{'hooks': {'note': 1}}"));
	is_text(strstr(seen("{'name': 'end'}"), "claude.json"),
	    "claude.json' line 1: 'hooks.note' is not a text");
	unlinkat(scratch_fd, "paneward/backends/claude.json", 0);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
}
