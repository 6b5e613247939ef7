#include "agent/backend.h"

#include "base/argv.h"
#include "recorded.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"

static struct backend b;                /* of the last reads() */

/* Why the backend is refused, "" where it is not. */
static const char *
reads(const char *text)
{
	const char *why = recorded_mine(&b, text);

	if (why[0] != '\0')
		ok(b.name == NULL && b.file == NULL && b.arguments == NULL);
	return why;
}

/* The words with a '|' behind each; frees them. */
static const char *
freed(char **words)
{
	const char *text = joined(words);

	argv_free(words);
	return text;
}

/* NULL if there are none. */
static char **
words_of(const char *text)
{
	char *copy = strdup(text), *rest = copy, *word, **words = NULL;

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
	return freed(backend_fill(start ? backend_arguments(
	    argv_add(NULL, b.command), &b, RUN, "/w") :
	    NULL, b.prompt, "prompt", prompt));
}

#define TRANSCRIPT(text) "{'transcript': {" text "}} => 1: 'transcript."

/* strict.c shows the usual, start-refused.sh what is said of an unknown one. */
TEST(what_is_wrong_is_told_with_its_line) {
	ROWS(reads, "{\n'comand': 'x'} => "
	    "2: unknown key 'comand' (did you mean 'command'?)",
	    "{'command': ''} => 1: 'command' is empty",
	    "{'interrupts': -1} => "
	    "1: 'interrupts' is not a whole number from 0 to 10000",
	    "{ 'process': { 'name': [] } } => "
	    "1: unknown key 'process.name' (did you mean 'names'?)",
	    "{\n'extends': 'mine'} => 2: 'extends' is 'mine', which extends it",
	    "{'extends': 'none'} => "
	    "1: 'extends' is 'none': there is no backends/none.json",
	    "{'extends': '../x'} => "
	    "1: 'extends' is '../x': there is no backends/../x.json",
	    "{'patterns': {'a': '('}} => 1: 'patterns' do not compile: "
	    "missing closing parenthesis at offset 18, in "
	    "'(?(DEFINE)(?<a>())'",
	    "{'transcript': 1} => 1: 'transcript' is not an object",
	    "{'transcript': {'colour': 1}} => "
	    "1: unknown key 'transcript.colour'",
	    TRANSCRIPT("'lines': {}") "lines' is not a list",
	    TRANSCRIPT("'lines': [{'is': 'tool'}]")
	    "lines' has no 'is', or no 'when'",
	    TRANSCRIPT("'lines': [{'is': 'x', 'when': {}}]")
	    "lines.is' is nothing that a line may be",
	    TRANSCRIPT("'usage': [{'input': ['a']}]")
	    "usage' has no 'input', or no 'when'",
	    TRANSCRIPT("'usage': [{'when': {}, 'input': 1}]")
	    "usage.input' is not a list of texts");
}

/* The keys of the other one count where it has none, each whole. */
TEST(a_backend_extends_another_one) {
	struct signs *signs = &b.signs;
	const char *screen = "said\n---\n> ", *title = "\u2733 x";
	char *ours = realpath("backends/claude.json", NULL);

	scratch_folder("paneward/backends");
	ok(ours != NULL && symlink(ours,
	    scratch_path("paneward/backends/claude.json")) == 0);
	free(ours);
	is_text(reads("{'screen': {'ready': ['^(?&box)$']}, 'command': 'k',"
	    "'process': {'names': ['k']}, 'patterns': {'box': '^---$\\n> '},"
	    "'extends': 'claude'}"), "");
	is_text(b.command, "k");
	is_text(filled(false, "go"), "go|");
	is_number(argv_count(b.process_packages), 0);
	is_text(sign_kinds[signs_find(signs, SIGN_SCREEN, screen,
	    strlen(screen), 0).sign->kind].key, "ready");
	ok(signs_find(signs, SIGN_SCREEN, "\u2500", 3, 0).sign == NULL);
	is_text(sign_kinds[signs_find(signs, SIGN_TITLE, title,
	    strlen(title), 0).sign->kind].key, "ready");
	ok(b.transcript != NULL && strstr(b.file, "/mine.json") != NULL);
	unlink(scratch_path("paneward/backends/claude.json"));
}

/* start-words.sh shows that a prompt is data. */
TEST(run_and_prompt_become_words) {
	is_text(reads("{'command': 'agent', 'arguments': "
	    "['--id=<<run>>', ''], 'prompt': ['-p', '<<prompt>>']}"), "");
	is_text(filled(true, "<<run>> it"),
	    "agent|--id=" RUN "||-p|<<run>> it|");
	is_text(filled(true, NULL), "agent|--id=" RUN "||");
	is_text(filled(false, ""), "-p||");
	is_text(reads("{'command': 'agent'}"), "");
	is_text(filled(true, "do it"), "agent|");
	is_text(filled(false, "do it"), "-");
}

/* reload.sh and revive.sh show what resumes an agent's session. */
TEST(a_session_is_resumed_by_its_id_its_transcript_or_as_the_latest) {
	bool typed;

	is_text(reads("{'resume': ['<<session>>'], 'interrupts': 3}"), "");
	is_number(b.interrupts, 3);
	is_text(freed(backend_resume(&b, "id-7", NULL, "do it", &typed)),
	    "id-7|");
	ok(typed);
	is_text(freed(backend_resume(&b, NULL, NULL, "", &typed)), "-");
	is_text(reads("{'resume_transcript': ['--from', '<<transcript>>'], "
	    "'latest': ['-c'], 'resume_prompt': ['-i', '<<prompt>>']}"), "");
	is_number(b.interrupts, 1);
	is_text(freed(backend_resume(&b, NULL, "/x/<<session>>", NULL,
	    &typed)), "--from|/x/<<session>>|");
	is_text(freed(backend_resume(&b, NULL, NULL, "<<session>>", &typed)),
	    "-c|-i|<<session>>|");
	ok(!typed);
	is_text(freed(backend_resume(&b, "id-7", NULL, NULL, &typed)), "-");
}

static const char *
kept(const char *text)
{
	char **words = words_of(text);
	const char *kept_ = freed(backend_keep(&b, words));

	argv_free(words);
	return kept_;
}

TEST(options_are_kept) {
	is_text(reads("{'command': 'agent', 'keep': ['--model=', "
	    "'--dir=*', '--fast']}"), "");
	ROWS(kept, "/bin/sh /x/agent --model m1 --model=m2 --resume id-7 "
	    "--dir a c --fast --faster do-it => "
	    "agent|--model|m1|--model=m2|--dir|a|c|--fast|",
	    "/bin/sh --model => agent|--model|", " => agent|");
}

/* start-words.sh shows what is added to which command. */
TEST(an_option_is_added_only_by_a_help_that_succeeds) {
	static const char *const programs[] = { "fails", "none" };
	char **argv;
	size_t i;

	scratch_write("fails", "#!/bin/sh\necho --alone\nexit 2\n");
	ok(chmod(scratch_path("fails"), 0700) == 0);
	is_text(reads("{'command': 'agent', 'if_known': ['--alone']}"), "");
	for (i = 0; i < COUNT(programs); i++) {
		argv = words_of("agent it");
		is_number(backend_add_known(&b, scratch_path(programs[i]),
		    &argv), 0);
		is_text(freed(argv), "agent|it|");
	}
}

static const char *
given_session(const char *text)
{
	char **words = words_of(text);
	const char *given = freed(backend_session(&b, words, RUN, "/tmp/x y"));

	argv_free(words);
	return given;
}

TEST(a_command_of_ones_own_gets_the_session) {
	is_text(reads("{ 'command': 'agent', 'session_is_run': true,"
	    "'arguments': ['--file', '<<cwd_dashed>>/<<run>>'],"
	    "'sessions': ['--file', '-c'] }"), "");
	ROWS(given_session, "agent => --file|-tmp-x y/" RUN "|",
	    "/opt/agent --fast do-it => --file|-tmp-x y/" RUN "|",
	    "agent --fast -c => -", "agent --file=x => -",
	    "agent --fast -- => -", "agent config => -", "sh -c agent => -");
}

static const char *
chosen(const char *foreground)
{
	return backend_choose(NULL, foreground, "claude");
}

TEST(a_run_is_of_what_is_recorded_or_in_front_or_configured) {
	is_text(reads("{}"), "");
	is_text(backend_choose("pi", "mine", "claude"), "pi");
	is_text(chosen(NULL), "claude");
	ROWS(chosen, "mine => mine", "node => claude", "../mine => claude",
	    " => claude");
}

static void
mine_is(const char *text)
{
	scratch_write("paneward/backends/mine.json", quoted(text));
}

TEST(all_backends_are_read_once) {
	/* They are kept until the program ends. */
	static struct backends all;
	const struct backend *one, *first;
	struct buf why = BUF_INIT;

	mine_is("{ 'title': { 'busy': ['('] } }");
	ok(backends_get(&all, "mine", &why) == NULL && all.first == NULL);
	ok(strstr(buf_str(&why), "line 1: 'title.busy': pattern '('"));
	buf_reset(&why);
	mine_is("{ 'title': { 'busy': ['x'] } }");
	one = backends_get(&all, "mine", &why);
	ok(one != NULL && one->signs.all[0].pattern != NULL);
	mine_is("{ 'title': { 'busy': ['('] } }");
	scratch_write("paneward/backends/a-other.json", "{}");
	scratch_write("paneward/backends/broken.json", "{ \"colour\": 1 }");
	ok(backends_get(&all, "mine", &why) == one);
	is_text(buf_str(&why), "");
	backends_all(&all, &why);
	ok(strstr(buf_str(&why), "broken.json' line 1: unknown key 'colour'") !=
	    NULL);
	first = all.first;
	is_text(first->name, "a-other");
	buf_reset(&why);
	backends_all(&all, &why);
	is_text(buf_str(&why), "");
	ok(all.first == first);
	ok(backends_get(&all, "mine", &why) == one);
	buf_release(&why);
}

static const char *
version_in(const char *text)
{
	static char *found;

	free(found);
	found = clientversion_in(text);
	return found != NULL ? found : "none";
}

static const char *
is_newer(const char *version)
{
	return clientversion_newer(&b, version) ? "newer" : "not";
}

TEST(a_version_is_a_number_with_a_dot_and_newer_than_all_that_were_tried) {
	ROWS(version_in, "codex-cli 0.169.0 => 0.169.0", "2 of 3: 4.5. => 4.5",
	    "2.1.330 (Claude Code) => 2.1.330", "v2.0-beta.1 => 2.0",
	    " => none", "1 => none", "... => none", "v => none");
	is_text(reads("{'tried': ['2.1.330', '2.1.197', 'x']}"), "");
	ROWS(is_newer, "2.1.331 => newer", "2.1.1000 => newer", "2.2 => newer",
	    "2.1.330.1 => newer", "10.0 => newer", "2.1.330 => not",
	    "2.1.330.0 => not", "2.1.200 => not", "1.9.999 => not");
	is_text(reads("{}"), "");
	ok(!clientversion_newer(&b, "1.0"));
}
