#include "agent/ourhooks.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "data/datafile.h"
#include "recorded.h"

static struct dialect dialect;

/* Uses the dialect of these hooks. */
static void
speak(const char *hooks)
{
	struct buf text = BUF_INIT, why = BUF_INIT;

	dialect_release(&dialect);
	buf_printf(&text, "{'command': 'm', 'hooks': {'folder': '.m', "
	    "'file': 's.json', 'user_folder': '.user', %s}}", hooks);
	scratch_write("paneward/backends/m.json", quoted(buf_str(&text)));
	is_number(dialect_read(&dialect, "m", &why), 1);
	is_text(buf_str(&why), "");
	buf_release(&text);
	buf_release(&why);
}

/* init.sh finds a program in a folder with a blank and a quote. */
TEST(a_program_is_one_word_of_the_shell) {
	struct buf line = BUF_INIT, word = BUF_INIT;

	ourhook_add_program(&line, "/\xc3\xa4/$x \"p\"");
	buf_adds(&line, " hook x");
	is_text(buf_str(&line), "'/\xc3\xa4/$x \"p\"' hook x");
	is_text(ourhook_word(buf_str(&line), &word), " hook x");
	is_text(buf_str(&word), "/\xc3\xa4/$x \"p\"");
	ok(ourhook_word("$HOME/p", &word) == NULL);
	ok(ourhook_word("'a", &word) == NULL);
	ok(ourhook_word("a;b", &word) == NULL);
	buf_release(&line);
	buf_release(&word);
}

#define STOP(command) "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": " \
	"\"" command "\"}]}]}}"

static struct json *files;              /* of another tool's hooks */

/* The hook of ours that runs a command; "other", or "none". */
static const char *
hook_of(const char *command)
{
	struct ourhook s = OURHOOK_INIT;
	char *text = xasprintf(STOP("%s"), command);
	struct json *root = json_parse(text, strlen(text), false, NULL);
	const char *name = ourhook_find(&s, root, 0, NULL) ? s.name : "none";

	if (ourhook_find(&s, root, 0, files))
		name = strcmp(name, "none") == 0 ? "other" : "both";
	json_free(root);
	buf_release(&s.program);
	free(text);
	return name;
}

TEST(a_hook_is_ours_by_its_command_or_another_tools_by_its_file) {
	files = json_parse("[\"c\", \"b.sh\"]", 13, false, NULL);
	ROWS(hook_of, "/a/paneward hook record => record",
	    "/a/paneward hook loop => loop",
	    "'/a b/paneward' hook inbox --x => inbox",
	    "paneward hook record => none", "/a/other hook record => none",
	    "/a/paneward status => none", "/a/paneward hook records => none",
	    "cd /x; /a/paneward hook record => none", "b.sh => other",
	    "bash x/b.sh --quick => other", "cd 'x y' && './b.sh' => other",
	    "ab.sh => none", "b.sh.old => none", "b.sh/run => none");
	json_free(files);
}

TEST(every_hook_of_ours_is_found_in_its_order) {
	static const char settings[] = "{'hooks': {'A': ["
	    "{'command': '/1/paneward hook record'}, {'hooks': ["
	    "{'command': 'theirs'}, "
	    "{'command': '/2/paneward hook loop -x'}]}], "
	    "'B': [{'hooks': [{'command': '/3/paneward hook inbox'}]}]}}";
	struct ourhook s = OURHOOK_INIT;
	struct json *root = json_parse(quoted(settings), strlen(settings),
	    false, NULL);

	ok(ourhook_find(&s, root, 0, NULL));
	ok(!s.options && s.object == s.entry);
	is_text(buf_str(&s.program), "/1/paneward");
	ok(ourhook_find(&s, root, 1, NULL) && s.options && s.object != s.entry);
	is_text(buf_str(&s.program), "/2/paneward");
	ok(ourhook_find(&s, root, 2, NULL));
	is_text(s.event->key, "B");
	ok(!ourhook_find(&s, root, 3, NULL));
	buf_release(&s.program);
	json_free(root);
}

/* tests/system/doctor.sh lists those of settings and plugins. */
TEST(hooks_are_installed_where_the_environment_says) {
	struct buf text = BUF_INIT;

	speak("'entry': {}, 'register': {}, 'user_variable': 'M_HOME'");
	buf_printf(&text, STOP("%s hook record"), scratch_path("b/paneward"));
	scratch_write(".user/s.json", buf_str(&text));
	scratch_write("b/paneward", "");
	ok(!ourhooks_installed(&dialect, "/"));
	chmod(scratch_path("b/paneward"), 0700);
	setenv("M_HOME", scratch_path("elsewhere"), 1);
	ok(!ourhooks_installed(&dialect, "/"));
	setenv("M_HOME", scratch_path(".user"), 1);
	ok(ourhooks_installed(&dialect, "/"));
	unsetenv("M_HOME");
	buf_release(&text);
}

/* ---- of a session -------------------------------------------------------- */

/* The words of a command line that was given its hooks so often, or why it was
 * not. */
static const char *
given(const char *program, const char *prompt, unsigned times)
{
	static struct buf why;
	char **words = argv_add_all(NULL, WORDS(program, prompt));
	const char *said;
	int ret = 0;

	buf_reset(&why);
	while (times-- > 0)
		ret |= sessionhooks_add("mine", scratch, &words, &why);
	ok((ret == -1) == (why.len > 0));
	said = ret == 0 ? joined(words) : buf_str(&why);
	argv_free(words);
	return said;
}

/* session-hooks.sh shows what each client gets. */
TEST(words_stand_once_behind_the_program_if_their_file_is_there) {
	char *want = xasprintf("/x/mine|-e|%s|prompt|",
	    scratch_path("paneward/templates/p.js"));

	scratch_write("paneward/templates/p.js", "");
	scratch_write("paneward/backends/mine.json", quoted("{'hooks': "
	    "{'folder': '.mine', 'file': 'p.js', 'user_folder': '.user', "
	    "'plugin': 'p.js', 'session': {'file': 'templates/p.js', "
	    "'words': ['-e', '<<file>>']}}, 'command': 'mine'}"));
	is_text(given("/x/mine", "prompt", 1), want);
	is_text(given("/x/mine", "prompt", 2), want);
	is_text(given("other", "prompt", 1), "other|prompt|");
	ok(unlink(scratch_path("paneward/templates/p.js")) == 0);
	is_text(given("mine", NULL, 1), "'templates/p.js' is not installed");
	free(want);
}

BEFORE_TESTS {
	scratch_home();
}
