#include "agent/backend.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "recorded.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"

static struct backend b;                /* of the last read_backend() */

/* What the backend is refused for, "" where it is not. */
static const char *
read_backend(const char *name)
{
	static struct buf error;
	int got;

	buf_reset(&error);
	backend_release(&b);
	got = backend_read(&b, name, &error);
	is_number(got, error.len > 0 ? -1 : 0);
	if (got == -1)
		ok(b.name == NULL && b.file == NULL && b.arguments == NULL);
	return buf_str(&error);
}

static void
backend_says(const char *text)
{
	scratch_write("paneward/backends/mine.json", quoted(text));
}

static void
backend_is_read(const char *text)
{
	backend_says(text);
	is_text(read_backend("mine"), "");
}

/* The words of a command line, with a bar behind each; frees them. */
static const char *
joined(char **words)
{
	static struct buf line;
	size_t i;

	buf_reset(&line);
	for (i = 0; words != NULL && words[i] != NULL; i++)
		buf_printf(&line, "%s|", words[i]);
	argv_free(words);
	return words != NULL ? buf_str(&line) : "none";
}

static char **
words_of(const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	char **words = xcalloc(1, sizeof(char *));

	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			words = argv_add(words, word);
	free(copy);
	return words;
}

/* The words of a start, or only those of its prompt. */
static const char *
filled(bool start, const char *prompt)
{
	return joined(backend_fill(start ? backend_argv(&b, RUN, "/w") :
	    xcalloc(1, sizeof(char *)), b.prompt, "prompt", prompt));
}

TEST(every_key_is_read_and_none_is_needed) {
	backend_is_read("// mine\n{ '$schema': 'x', 'description': 'y',"
	    "\n'command': 'agent', 'arguments': ['-a', '<<run>>'],"
	    "\n'prompt': ['--', '<<prompt>>'], 'session_is_run': true,"
	    " 'process': { 'names': ['mine'], 'packages': "
	    "['@m/mine'], 'not': ['-p'] } }");
	is_text(b.name, "mine");
	is_text(b.file, scratch_path("paneward/backends/mine.json"));
	is_text(b.command, "agent");
	is_text(filled(true, "x"), "agent|-a|" RUN "|--|x|");
	ok(b.session_is_run);
	is_text(b.process_names[0], "mine");
	is_text(b.process_packages[0], "@m/mine");
	is_text(b.process_not[0], "-p");
	backend_is_read("{}");
	is_text(b.command, NULL);
	ok(b.arguments[0] == NULL && b.prompt[0] == NULL && !b.session_is_run);
}

TEST(the_users_backend_is_before_ours) {
	scratch_write("paneward/backends/claude.json",
	    "{\"command\": \"my claude\"}");
	is_text(read_backend("claude"), "");
	is_text(b.command, "my claude");
	unlink(scratch_path("paneward/backends/claude.json"));
}

TEST(what_is_wrong_is_told_with_its_line) {
	static const struct { const char *text, *why; } rows[] = {
		{ "{\n'comand': 'x'}",
		    "2: unknown key 'comand' (did you mean 'command'?)" },
		{ "{'command': 1}", "1: 'command' is not a text" },
		{ "{'command': ''}", "1: 'command' is empty" },
		{ "{\n\n'arguments': 'x'}",
		    "3: 'arguments' is not a list of texts" },
		{ "{'arguments': ['x', 1]}",
		    "1: 'arguments' is not a list of texts" },
		{ "{'prompt': {}}", "1: 'prompt' is not a list of texts" },
		{ "{'resume': 'x'}", "1: 'resume' is not a list of texts" },
		{ "{'interrupts': '2'}",
		    "1: 'interrupts' is not a whole number from 0 to 10000" },
		{ "{'interrupts': -1}",
		    "1: 'interrupts' is not a whole number from 0 to 10000" },
		{ "{'session_is_run': 1}",
		    "1: 'session_is_run' is not true or false" },
		{ "{'description': []}", "1: 'description' is not a text" },
		{ "[]", "1: it is not an object" },
		{ "{'command': 'a',\n'command': 'b'}",
		    "2: the key 'command' stands twice" },
		{ "{ 'process': { 'name': [] } }",
		    "1: unknown key 'process.name' (did you mean 'names'?)" },
		{ "{\n", "2: it ends too early" },
		{ "{'transcript': 1}", "1: 'transcript' is not an object" },
		{ "{'transcript': {'lines': {}}}",
		    "1: 'transcript.lines' is not a list" },
		{ "{'transcript': {'lines': [{'is': 'tool'}]}}",
		    "1: 'transcript.lines' has no 'is', or no 'when'" },
		{ "{'transcript': {'lines': [{'is': 'x', 'when': {}}]}}",
		    "1: 'transcript.lines.is' is nothing that a line may be" },
		{ "{'transcript': {'usage': [{'input': ['a']}]}}",
		    "1: 'transcript.usage' has no 'input', or no 'when'" },
		{ "{'transcript': {'usage': [{'when': {}, 'input': 1}]}}",
		    "1: 'transcript.usage.input' is not a list of texts" },
		{ "{'transcript': {'colour': 1}}",
		    "1: unknown key 'transcript.colour'" },
	};
	static const char file[] = "/paneward/backends/mine.json' line ";
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].why);
		backend_says(rows[i].text);
		why = strstr(read_backend("mine"), file);
		is_text(why != NULL ? why + strlen(file) : "", rows[i].why);
	}
}

TEST(an_unknown_backend_is_told) {
	static const char *const bad[] = { "../backends/mine", "", ".hidden" };
	const char *error;
	size_t i;

	backend_says("{}");
	error = read_backend("none");
	ok(strncmp(error, "unknown backend 'none': no backends/none.json; "
	    "there are ", 57) == 0);
	ok(strstr(error, " mine") != NULL);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(strncmp(read_backend(bad[i]), "unknown backend ", 16) == 0);
}

/* start-words.sh shows that a prompt is data. */
TEST(run_and_prompt_become_words) {
	backend_is_read("{'command': 'agent', 'arguments': "
	    "['--id=<<run>>', ''], 'prompt': ['-p', '<<prompt>>']}");
	is_text(filled(true, "<<run>> it"),
	    "agent|--id=" RUN "||-p|<<run>> it|");
	is_text(filled(true, NULL), "agent|--id=" RUN "||");
	is_text(filled(false, ""), "-p||");
	backend_is_read("{'command': 'agent'}");
	is_text(filled(true, "do it"), "agent|");
	is_text(filled(false, "do it"), "");
}

/* reload.sh and revive.sh show what resumes an agent's session. */
TEST(a_session_is_resumed_by_its_id_its_transcript_or_as_the_latest) {
	bool typed;

	backend_is_read("{'resume': ['<<session>>'], 'interrupts': 3}");
	is_number(b.interrupts, 3);
	is_text(joined(backend_resume(&b, "id-7", NULL, "do it", &typed)),
	    "id-7|");
	ok(typed);
	is_text(joined(backend_resume(&b, NULL, NULL, "", &typed)), "none");
	backend_is_read("{'resume_transcript': ['--from', '<<transcript>>'], "
	    "'latest': ['-c'], 'resume_prompt': ['-i', '<<prompt>>']}");
	is_number(b.interrupts, 1);
	is_text(joined(backend_resume(&b, NULL, "/x/<<session>>", NULL,
	    &typed)), "--from|/x/<<session>>|");
	is_text(joined(backend_resume(&b, NULL, NULL, "<<session>>", &typed)),
	    "-c|-i|<<session>>|");
	ok(!typed);
	is_text(joined(backend_resume(&b, "id-7", NULL, NULL, &typed)), "none");
}

static const char *
kept(char **words)
{
	const char *kept_ = joined(backend_keep(&b, words));

	argv_free(words);
	return kept_;
}

TEST(options_are_kept) {
	backend_is_read("{'command': 'agent', 'keep': ['--model=', "
	    "'--dir=*', '--fast']}");
	is_text(kept(words_of("/bin/sh /x/agent --model m1 --model=m2 --resume "
	    "id-7 --dir a c --fast --faster do-it")),
	    "agent|--model|m1|--model=m2|--dir|a|c|--fast|");
	is_text(kept(words_of("/bin/sh --model")), "agent|--model|");
	is_text(kept(words_of("")), "agent|");
	is_text(kept(NULL), "agent|");
}

/* start-words.sh shows what is added to which command. */
TEST(an_option_is_added_only_by_a_help_that_succeeds) {
	static const char *const programs[] = { "fails", "none" };
	char **argv;
	size_t i;

	scratch_write("fails", "#!/bin/sh\necho --alone\nexit 2\n");
	ok(chmod(scratch_path("fails"), 0700) == 0);
	backend_is_read("{'command': 'agent', 'if_known': ['--alone']}");
	for (i = 0; i < 2; i++) {
		argv = words_of("agent it");
		is_number(backend_add_known(&b, scratch_path(programs[i]),
		    &argv), 0);
		is_text(joined(argv), "agent|it|");
	}
}

TEST(a_command_of_ones_own_gets_the_session) {
	static const char *const rows[][2] = {
		{ "agent", "--file|-tmp-x y/" RUN "|" },
		{ "/opt/agent --fast do-it", "--file|-tmp-x y/" RUN "|" },
		{ "agent --fast -c", "none" }, { "agent --file=x", "none" },
		{ "agent --fast --", "none" }, { "agent config", "none" },
		{ "sh -c agent", "none" },
	};
	char **given;
	size_t i;

	backend_is_read("{ 'command': 'agent', 'session_is_run': true,"
	    "'arguments': ['--file', '<<cwd_dashed>>/<<run>>'],"
	    "'sessions': ['--file', '-c'] }");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i][0]);
		given = words_of(rows[i][0]);
		is_text(joined(backend_session(&b, given, RUN, "/tmp/x y")),
		    rows[i][1]);
		argv_free(given);
	}
}

TEST(a_run_is_of_what_is_recorded_or_in_front_or_configured) {
	static const char *const rows[][3] = {
		{ "pi", "mine", "pi" }, { NULL, "mine", "mine" },
		{ NULL, "node", "claude" }, { NULL, "../mine", "claude" },
		{ NULL, "", "claude" }, { NULL, NULL, "claude" },
	};
	size_t i;

	backend_says("{ }");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(backend_choose(rows[i][0], rows[i][1], "claude"),
		    rows[i][2]);
}

TEST(all_backends_are_read_once) {
	/* They are kept until the program ends. */
	static struct backends all;
	const struct backend *one, *first;
	struct buf why = BUF_INIT;

	backend_says("{ 'title': { 'busy': ['('] } }");
	ok(backends_get(&all, "mine", &why) == NULL && all.first == NULL);
	ok(strstr(buf_str(&why), "line 1: 'title.busy': pattern '('"));
	buf_reset(&why);
	backend_says("{ 'title': { 'busy': ['x'] } }");
	one = backends_get(&all, "mine", &why);
	ok(one != NULL && one->signs.all[0].pattern != NULL);
	backend_says("{ 'title': { 'busy': ['('] } }");
	scratch_write("paneward/backends/an-other.json", "{}");
	scratch_write("paneward/backends/broken.json", "{ \"colour\": 1 }");
	ok(backends_get(&all, "mine", &why) == one);
	is_text(buf_str(&why), "");
	backends_all(&all, &why);
	ok(strstr(buf_str(&why), "broken.json' line 1: unknown key 'colour'") !=
	    NULL);
	first = all.first;
	is_text(first->name, "an-other");
	buf_reset(&why);
	backends_all(&all, &why);
	is_text(buf_str(&why), "");
	ok(all.first == first);
	ok(backends_get(&all, "mine", &why) == one);
	buf_release(&why);
}

/* ---- the version of its client ------------------------------------------- */

/* doctor.sh shows what the clients answer. */
TEST(a_client_that_is_not_there_is_not_asked) {
	static const char *const none[] = { "{'version': ['-c']}",
	    "{'command': '/nowhere/sh', 'version': ['-c']}",
	    "{'command': 'sh'}" };
	struct spawn s;
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		backend_is_read(none[i]);
		ok(!clientversion_begin(&s, &b));
	}
}

TEST(a_version_is_a_number_with_a_dot) {
	static const char *const texts[][2] = {
		{ "codex-cli 0.169.0", "0.169.0" }, { "2 of 3: 4.5.", "4.5" },
		{ "2.1.330 (Claude Code)", "2.1.330" },
		{ "v2.0-beta.1", "2.0" }, { "", NULL }, { "1", NULL },
		{ "...", NULL }, { "v", NULL },
	};
	char *found;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		found = clientversion_in(texts[i][0]);
		is_text(found, texts[i][1]);
		free(found);
	}
}

TEST(newer_is_newer_than_all_that_were_tried) {
	static const struct { const char *version; bool newer; } rows[] = {
		{ "2.1.331", true }, { "2.1.1000", true }, { "2.2", true },
		{ "2.1.330.1", true }, { "10.0", true }, { "2.1.330", false },
		{ "2.1.330.0", false }, { "2.1.200", false },
		{ "1.9.999", false },
	};
	size_t i;

	backend_is_read("{'tried': ['2.1.330', '2.1.197', 'x']}");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].version);
		ok(clientversion_newer(&b, rows[i].version) == rows[i].newer);
	}
	backend_is_read("{}");
	ok(!clientversion_newer(&b, "1.0"));
}

/* Those in the checkout, as if they were the user's. */
TEST(the_backends_that_are_shipped_can_be_read) {
	glob_t found = { .gl_pathc = 0 };
	char *name;
	size_t i;

	ok(rename(scratch_path("paneward"), scratch_path("hidden")) == 0);
	recorded_begin();
	is_number(glob("backends/*.json", 0, NULL, &found), 0);
	ok(found.gl_pathc >= 6);
	for (i = 0; i < found.gl_pathc; i++) {
		name = found.gl_pathv[i] + strlen("backends/");
		name[strlen(name) - strlen(".json")] = '\0';
		is_text(read_backend(name), "");
		ok(b.command != NULL || strcmp(name, "shell") == 0 ||
		    strcmp(name, "cursor") == 0);
	}
	globfree(&found);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
}

AFTER_TESTS {
	backend_release(&b);
}
