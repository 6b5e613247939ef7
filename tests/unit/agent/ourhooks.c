#include "agent/ourhooks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "data/datafile.h"
#include "scratch.h"

static struct dialect dialect;

/* Uses the dialect of these hooks. */
static void
speak(const char *hooks)
{
	struct buf text = BUF_INIT, why = BUF_INIT;

	dialect_release(&dialect);
	buf_printf(&text, "{\"command\": \"m\", \"hooks\": {\"folder\": \".m\", "
	    "\"file\": \"s.json\", \"user_folder\": \".user\", %s}}", hooks);
	scratch_write("paneward/backends/m.json", buf_str(&text));
	is_number(dialect_read(&dialect, "m", &why), 1);
	is_text(buf_str(&why), "");
	buf_release(&text);
	buf_release(&why);
}

TEST(a_program_is_one_word_of_the_shell) {
	static const char *const paths[] = { "/usr/bin/paneward", "/a b/$x/p",
	    "/it's/p", "/\xc3\xa4/\"p\"" };
	struct buf line = BUF_INIT, word = BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		buf_reset(&line);
		buf_reset(&word);
		ourhook_add_program(&line, paths[i]);
		buf_adds(&line, " hook x");
		is_text(ourhook_word(buf_str(&line), &word), " hook x");
		is_text(buf_str(&word), paths[i]);
	}
	ok(strncmp(buf_str(&line), "'", 1) == 0);
	ok(ourhook_word("$HOME/p", &word) == NULL);
	ok(ourhook_word("'a", &word) == NULL);
	ok(ourhook_word("a;b", &word) == NULL);
	buf_release(&line);
	buf_release(&word);
}

/* The name of the hook of ours that runs a command, "?" for one that is not
 * known; "": it is not ours. */
static const char *
hook_of(const char *command)
{
	struct ourhook s = OURHOOK_INIT;
	struct buf text = BUF_INIT, why = BUF_INIT;
	const char *name = "";
	unsigned comment;
	struct json *root;

	buf_printf(&text, "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": "
	    "\"%s\"}]}]}}", command);
	root = ourhooks_parse(&text, &comment, &why);
	if (ourhook_find(&s, root, 0, NULL))
		name = s.name == NULL ? "?" : s.name;
	json_free(root);
	buf_release(&s.program);
	buf_release(&text);
	buf_release(&why);
	return name;
}

TEST(a_hook_is_ours_by_its_command) {
	static const char *const rows[][2] = {
		{ "/a/paneward hook record", "record" },
		{ "/a/paneward hook loop", "loop" },
		{ "'/a b/paneward' hook inbox --x", "inbox" },
		{ "paneward hook record", "" }, { "/a/other hook record", "" },
		{ "/a/paneward status", "" },
		{ "/a/paneward hook records", "" },
		{ "cd /x; /a/paneward hook record", "" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(hook_of(rows[i][0]), rows[i][1]);
}

TEST(every_hook_of_ours_is_found_in_its_order) {
	static const char settings[] = "{\"hooks\": {\"A\": ["
	    "{\"command\": \"/1/paneward hook record\"}, {\"hooks\": ["
	    "{\"command\": \"theirs\"}, "
	    "{\"command\": \"/2/paneward hook loop -x\"}]}], "
	    "\"B\": [{\"hooks\": [{\"command\": \"/3/paneward hook inbox\"}]}]}}";
	struct ourhook s = OURHOOK_INIT;
	struct json *root = json_parse(settings, strlen(settings), false, NULL);

	ok(ourhook_find(&s, root, 0, NULL) && !s.options && s.object == s.entry);
	is_text(buf_str(&s.program), "/1/paneward");
	ok(ourhook_find(&s, root, 1, NULL) && s.options && s.object != s.entry);
	is_text(buf_str(&s.program), "/2/paneward");
	ok(ourhook_find(&s, root, 2, NULL));
	is_text(s.event->key, "B");
	ok(!ourhook_find(&s, root, 3, NULL));
	buf_release(&s.program);
	json_free(root);
}

TEST(settings_that_cannot_hold_hooks_are_refused) {
	static const struct {
		const char *text, *why;
		unsigned comment;               /* the line of the first */
	} rows[] = {
		{ "{}", "", 0 }, { "{\n // c\n}", "", 2 },
		{ "[]", "it is no JSON object", 0 },
		{ "{\"hooks\": []}", "'hooks' is no JSON object", 0 },
		{ "{\"hooks\": {\"A\": [], \"B\": 1}}",
		    "'hooks.B' is no list", 0 },
		{ "{\n,}", "line 2: unexpected ','", 0 },
	};
	struct buf settings = BUF_INIT, why = BUF_INIT;
	unsigned comment;
	struct json *root;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		buf_reset(&settings);
		buf_reset(&why);
		buf_adds(&settings, rows[i].text);
		root = ourhooks_parse(&settings, &comment, &why);
		is_text(buf_str(&why), rows[i].why);
		ok((root == NULL) == (why.len > 0));
		ok(root == NULL || comment == rows[i].comment);
		json_free(root);
	}
	buf_release(&settings);
	buf_release(&why);
}

/* The programs in settings, with commas between; '!': one is our own. */
static const char *
listed(const char *text, int want)
{
	static struct buf said = BUF_INIT;
	struct buf settings = BUF_INIT, why = BUF_INIT;
	char **programs, **p;
	bool own;

	buf_adds(&settings, text);
	is_number(ourhooks_list(&dialect, &settings, &programs, &own, &why),
	    want);
	buf_reset(&said);
	for (p = programs; p != NULL && *p != NULL; p++)
		buf_printf(&said, "%s,", *p);
	buf_adds(&said, own ? "!" : "");
	argv_free(programs);
	buf_release(&settings);
	buf_release(&why);
	return buf_str(&said);
}

#define STOP(command) "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": " \
	"\"" command "\"}]}]}}"

TEST(the_programs_of_settings_are_listed) {
	speak("\"entry\": {}, \"register\": {}");
	is_text(listed(" \n", 0), "");
	is_text(listed(STOP("/a/paneward hook record"), 0), "/a/paneward,!");
	is_text(listed(STOP("/a/paneward hook record -x"), 0), "/a/paneward,");
	is_text(listed("// c\n" STOP("/a/paneward hook record"), 1),
	    "/a/paneward,!");
	is_text(listed("{", -1), "");
}

TEST(a_plugin_counts_if_init_wrote_it) {
	struct buf text = BUF_INIT;

	speak("\"plugin\": \"p.js\"");
	buf_adds(&text, "const program = \"/a/paneward\"\nrest\n");
	is_text(listed(buf_str(&text), 0), "");
	ownfile_sign(&text);
	is_text(listed(buf_str(&text), 0), "/a/paneward,!");
	buf_release(&text);
}

TEST(hooks_are_installed_if_their_program_runs) {
	struct buf text = BUF_INIT;

	speak("\"entry\": {}, \"register\": {}, \"user_variable\": \"M_HOME\"");
	buf_printf(&text, STOP("%s hook record"), scratch_path("b/paneward"));
	scratch_write(".m/s.json", buf_str(&text));
	ok(!ourhooks_installed(&dialect, scratch));
	scratch_write("b/paneward", "");
	chmod(scratch_path("b/paneward"), 0700);
	ok(ourhooks_installed(&dialect, scratch));
	ok(!ourhooks_installed(&dialect, "/"));
	scratch_write(".user/s.json", buf_str(&text));
	ok(ourhooks_installed(&dialect, "/"));
	setenv("M_HOME", scratch_path("elsewhere"), 1);
	ok(!ourhooks_installed(&dialect, "/"));
	setenv("M_HOME", scratch_path(".user"), 1);
	ok(ourhooks_installed(&dialect, "/"));
	buf_release(&text);
}

TEST(a_folder_that_the_environment_names_is_absolute) {
	struct buf why = BUF_INIT;
	const char *folder;

	setenv("M_HOME", "/x", 1);
	ok(ourhooks_named_folder(&dialect, &folder, &why));
	is_text(folder, "/x");
	setenv("M_HOME", "x", 1);
	ok(!ourhooks_named_folder(&dialect, &folder, &why));
	is_text(buf_str(&why), "M_HOME is 'x', which is no absolute path");
	unsetenv("M_HOME");
	ok(ourhooks_named_folder(&dialect, &folder, &why));
	ok(folder == NULL);
	buf_release(&why);
}

static bool
finds_other(const char *command)
{
	char *text = xasprintf("{\"hooks\": {\"Stop\": [{\"hooks\": ["
	    "{\"command\": \"%s\"}]}]}}", command);
	struct json *root = json_parse(text, strlen(text), false, NULL);
	struct json *files = json_parse("[\"a\", \"b.sh\"]", 13, false, NULL);
	struct ourhook s = OURHOOK_INIT;
	bool found = ourhook_find_other(&s, root, files);

	ok(!ourhook_find_other(&s, root, NULL));
	json_free(root);
	json_free(files);
	free(text);
	return found;
}

TEST(a_hook_of_another_tool_is_found_by_its_file) {
	ok(finds_other("b.sh"));
	ok(finds_other("bash x/b.sh --quick"));
	ok(finds_other("cd 'x y' && './b.sh'"));
	ok(!finds_other("ab.sh"));
	ok(!finds_other("b.sh.old"));
	ok(!finds_other("b.sh/run"));
	ok(!finds_other("/opt/paneward hook inbox"));
}

BEFORE_TESTS {
	scratch_home();
}

AFTER_TESTS {
	dialect_release(&dialect);
}
