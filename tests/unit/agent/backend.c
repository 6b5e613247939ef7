#include "agent/backend.h"

#include <dirent.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

static struct backend b;                /* of the last read_backend() */

/* What the backend is refused for, "" where it is not; the folder of this
 * test is left out. */
static const char *
read_backend(const char *name)
{
	static char *told;
	struct buf error = BUF_INIT;
	int got;
	char *at;

	backend_release(&b);
	got = backend_read(&b, name, &error);
	is_number(got, error.len > 0 ? -1 : 0);
	if (got == -1)
		ok(b.name == NULL && b.file == NULL && b.arguments == NULL);
	free(told);
	told = buf_steal(&error);
	at = strstr(told, scratch);
	if (at != NULL)
		memmove(at, at + strlen(scratch),
		    strlen(at + strlen(scratch)) + 1);
	return told;
}

static void
backend_says(const char *text)
{
	scratch_write("paneward/backends/mine.json", text);
}

#define is_refused(text, why) do { \
	backend_says(text); \
	is_text(read_backend("mine"), \
	    "'/paneward/backends/mine.json' line " why); \
} while (0)

/* The words of a command line, with a bar behind each; frees them. */
static const char *
joined(char **words)
{
	static struct buf line;
	size_t i;

	buf_reset(&line);
	for (i = 0; words[i] != NULL; i++)
		buf_printf(&line, "%s|", words[i]);
	argv_free(words);
	return buf_str(&line);
}

/* The words of a start, and those of its prompt. */
static const char *
started(const char *prompt)
{
	return joined(backend_fill(backend_argv(&b, RUN, "/w"), b.prompt,
	    "prompt", prompt));
}

static const char *
prompted(const char *prompt)
{
	return joined(backend_fill(xcalloc(1, sizeof(char *)), b.prompt,
	    "prompt", prompt));
}

TEST(every_key_is_read) {
	backend_says("// mine\n{ \"$schema\": \"x\", \"description\": \"y\",\n"
	    "\"command\": \"agent\", \"arguments\": [\"-a\", \"<<run>>\"],\n"
	    "\"prompt\": [\"--\", \"<<prompt>>\"], \"session_is_run\": true }");
	is_text(read_backend("mine"), "");
	is_text(b.name, "mine");
	is_text(b.file, scratch_path("paneward/backends/mine.json"));
	is_text(b.command, "agent");
	is_text(b.arguments[0], "-a");
	is_text(b.arguments[1], "<<run>>");
	is_text(b.arguments[2], NULL);
	is_text(b.prompt[1], "<<prompt>>");
	is_text(b.prompt[2], NULL);
	ok(b.session_is_run);
}

TEST(no_key_is_needed) {
	backend_says("{}");
	is_text(read_backend("mine"), "");
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
	is_refused("{\n\"comand\": \"x\"}", "2: unknown key 'comand' (did you mean "
	    "'command'?)");
	is_refused("{\"command\": 1}", "1: 'command' is not a text");
	is_refused("{\"command\": \"\"}", "1: 'command' is empty");
	is_refused("{\n\n\"arguments\": \"x\"}",
	    "3: 'arguments' is not a list of texts");
	is_refused("{\"arguments\": [\"x\", 1]}",
	    "1: 'arguments' is not a list of texts");
	is_refused("{\"prompt\": {}}", "1: 'prompt' is not a list of texts");
	is_refused("{\"resume\": \"x\"}",
	    "1: 'resume' is not a list of texts");
	is_refused("{\"interrupts\": \"2\"}",
	    "1: 'interrupts' is not a whole number from 0 to 10000");
	is_refused("{\"interrupts\": -1}",
	    "1: 'interrupts' is not a whole number from 0 to 10000");
	is_refused("{\"session_is_run\": 1}",
	    "1: 'session_is_run' is not true or false");
	is_refused("{\"description\": []}", "1: 'description' is not a text");
	is_refused("[]", "1: it is not an object");
	is_refused("{\"command\": \"a\",\n\"command\": \"b\"}",
	    "2: the key 'command' stands twice");
	backend_says("{\n");
	ok(strncmp(read_backend("mine"),
	    "'/paneward/backends/mine.json' line ", 36) == 0);
}

TEST(an_unknown_backend_is_told) {
	const char *error;

	backend_says("{}");
	error = read_backend("none");
	ok(strncmp(error, "unknown backend 'none': no backends/none.json; "
	    "there are ", 57) == 0);
	ok(strstr(error, " mine") != NULL);
	ok(strncmp(read_backend("../backends/mine"), "unknown backend ", 16) ==
	    0);
	ok(strncmp(read_backend(""), "unknown backend ", 16) == 0);
	ok(strncmp(read_backend(".hidden"), "unknown backend ", 16) == 0);
}

TEST(run_and_prompt_become_words) {
	backend_says("{\"command\": \"agent\", \"arguments\": "
	    "[\"--id=<<run>>\", \"\"], \"prompt\": [\"-p\", \"<<prompt>>\"]}");
	is_text(read_backend("mine"), "");
	is_text(started("do it"),
	    "agent|--id=0123abcd-1111-4222-8333-444444444444||-p|do it|");
	is_text(started(NULL),
	    "agent|--id=0123abcd-1111-4222-8333-444444444444||");
	is_text(prompted("do it"), "-p|do it|");
	is_text(prompted(NULL), "");
	is_text(started(""),
	    "agent|--id=0123abcd-1111-4222-8333-444444444444||-p||");
}

/* What is added to a command of up to three words. */
static const char *
session_added(const char *a, const char *b2, const char *c)
{
	const char *const words[] = { a, b2, c, NULL };
	char **given = argv_add_all(NULL, words);
	char **more = backend_session(&b, given, RUN, "/tmp/x y");

	argv_free(given);
	return more != NULL ? joined(more) : NULL;
}

TEST(a_prompt_is_data) {
	static const char prompt[] = "<<run>> {{prompt}} \\<<x>>\n'\"$HOME`;#%s"
	    "\xff|";

	is_text(prompted(prompt), "-p|<<run>> {{prompt}} "
	    "\\<<x>>\n'\"$HOME`;#%s\xff||");
}

/* What resumes a session, or NULL the last one, with a prompt. */
static const char *
resumed(const char *session, bool *typed)
{
	char **words = backend_resume(&b, session, NULL, "say <<session>>",
	    typed);

	return words != NULL ? joined(words) : "none";
}

TEST(a_session_is_resumed_with_a_prompt) {
	bool typed;

	backend_says("{\"resume\": [\"-r\", \"<<session>>\"], \"latest\": "
	    "[\"-c\"], \"resume_prompt\": [\"-i\", \"<<prompt>>\"]}");
	is_text(read_backend("mine"), "");
	is_number(b.interrupts, 1);
	is_text(resumed("id-7", &typed), "-r|id-7|-i|say <<session>>|");
	ok(!typed);
	is_text(resumed(NULL, &typed), "-c|-i|say <<session>>|");
	backend_says("{\"resume\": [\"<<session>>\"], \"interrupts\": 3}");
	is_text(read_backend("mine"), "");
	is_number(b.interrupts, 3);
	is_text(resumed("id-7", &typed), "id-7|");
	ok(typed);
	is_text(resumed(NULL, &typed), "none");
}

TEST(a_session_is_resumed_by_its_transcript) {
	bool typed;

	backend_says("{\"resume_transcript\": [\"--from\", "
	    "\"<<transcript>>\"], \"latest\": [\"-c\"]}");
	is_text(read_backend("mine"), "");
	is_text(joined(backend_resume(&b, NULL, "/x/<<session>>.jsonl", NULL,
	    &typed)), "--from|/x/<<session>>.jsonl|");
	ok(backend_resume(&b, "id-7", NULL, NULL, &typed) == NULL);
}

TEST(options_are_kept) {
	char sh[] = "/bin/sh", program[] = "/x/agent", model[] = "--model",
	    m[] = "m1", joined_[] = "--model=m2", all[] = "--dir", a[] = "a",
	    c[] = "c", fast[] = "--fast", faster[] = "--faster",
	    session[] = "--resume", id[] = "id-7", prompt[] = "do it";
	char *words[] = { sh, program, model, m, joined_, session, id, all, a,
	    c, fast, faster, prompt, NULL };
	char *cut[] = { sh, model, NULL }, *none[] = { NULL };

	backend_says("{\"command\": \"agent\", \"keep\": [\"--model=\", "
	    "\"--dir=*\", \"--fast\"]}");
	is_text(read_backend("mine"), "");
	is_text(joined(backend_keep(&b, words)),
	    "agent|--model|m1|--model=m2|--dir|a|c|--fast|");
	is_text(joined(backend_keep(&b, cut)), "agent|--model|");
	is_text(joined(backend_keep(&b, none)), "agent|");
	is_text(joined(backend_keep(&b, NULL)), "agent|");
}

/* What the words of agent, blank-separated, become for a program. */
static const char *
with_known(const char *program, const char *words, size_t *n)
{
	char *copy = xstrdup(words), *rest = copy, *word;
	char **argv = NULL;

	while ((word = strsep(&rest, " ")) != NULL)
		argv = argv_add(argv, word);
	*n = backend_add_known(&b, scratch_path(program), &argv);
	free(copy);
	return joined(argv);
}

static void
a_program(const char *name, const char *text)
{
	scratch_write(name, text);
	ok(chmod(scratch_path(name), 0700) == 0);
}

TEST(an_option_that_the_help_names_is_added) {
	size_t n;

	a_program("new", "#!/bin/sh\nprintf '  -h, --help\\n      --alone\\n  "
	    "    --alone-not\\n      --quick=N\\n'\n");
	a_program("old", "#!/bin/sh\nprintf '  --not-alone, --alone-not\\n'\n");
	a_program("fails", "#!/bin/sh\necho --alone\nexit 2\n");
	backend_says("{\"command\": \"agent\", \"if_known\": "
	    "[\"--alone\", \"--quick\"]}");
	is_text(read_backend("mine"), "");
	is_text(with_known("new", "agent do it", &n),
	    "agent|--alone|--quick|do|it|");
	is_number(n, 2);
	is_text(with_known("new", "/x/agent", &n),
	    "/x/agent|--alone|--quick|");
	is_text(with_known("new", "agent --alone it", &n),
	    "agent|--quick|--alone|it|");
	is_number(n, 1);
	is_text(with_known("new", "sh agent", &n), "sh|agent|");
	is_text(with_known("old", "agent it", &n), "agent|it|");
	is_number(n, 0);
	is_text(with_known("fails", "agent it", &n), "agent|it|");
	is_text(with_known("none", "agent it", &n), "agent|it|");
}

TEST(a_backend_without_prompt_takes_none) {
	backend_says("{\"command\": \"agent\"}");
	is_text(read_backend("mine"), "");
	is_text(started("do it"), "agent|");
	is_text(prompted("do it"), "");
}

TEST(a_command_of_ones_own_gets_the_session) {
	static const char added[] = "--file|-tmp-x y/"
	    "0123abcd-1111-4222-8333-444444444444|";

	backend_says("{ \"command\": \"agent\", \"session_is_run\": true,"
	    "\"arguments\": [\"--file\", \"<<cwd_dashed>>/<<run>>\"],"
	    "\"sessions\": [\"--file\", \"-c\"] }");
	is_text(read_backend("mine"), "");
	is_text(session_added("agent", NULL, NULL), added);
	is_text(session_added("/opt/agent", "--fast", "do it"), added);
	is_text(session_added("agent", "--fast", "-c"), NULL);
	is_text(session_added("agent", "--file=x", NULL), NULL);
	is_text(session_added("agent", "--fast", "--"), NULL);
	is_text(session_added("agent", "config", NULL), NULL);
	is_text(session_added("sh", "-c", "agent"), NULL);
}

TEST(a_backend_is_read_once) {
	struct backends all = { .complete = false };
	struct buf error = BUF_INIT;
	const struct backend *mine;

	backend_says("{ \"title\": { \"busy\": [\"x\"] } }");
	mine = backends_get(&all, "mine", &error);
	ok(mine != NULL && mine->signs.all[0].pattern != NULL);
	backend_says("{ \"title\": { \"busy\": [\"(\"] } }");
	ok(backends_get(&all, "mine", &error) == mine);
	is_text(buf_str(&error), "");
	backend_release(all.first);
	free(all.first);
	all.first = NULL;
	ok(backends_get(&all, "mine", &error) == NULL && all.first == NULL);
	ok(strstr(buf_str(&error), "line 1: 'title.busy': pattern '('"));
	buf_release(&error);
}

TEST(a_run_is_of_what_is_recorded_or_in_front_or_configured) {
	backend_says("{ }");
	is_text(backend_choose("pi", "mine", "claude"), "pi");
	is_text(backend_choose(NULL, "mine", "claude"), "mine");
	is_text(backend_choose(NULL, "node", "claude"), "claude");
	is_text(backend_choose(NULL, "../mine", "claude"), "claude");
	is_text(backend_choose(NULL, "", "claude"), "claude");
	is_text(backend_choose(NULL, NULL, "claude"), "claude");
}

/* Those in the checkout, as if they were the user's. */
TEST(what_runs_its_program_is_read) {
	scratch_write("paneward/backends/mine.json", "{ \"process\": { \"names\": [\"mine\"], "
	    "\"packages\": [\"@m/mine\"], \"not\": [\"-p\"] } }");
	is_text(read_backend("mine"), "");
	is_text(b.process_names[0], "mine");
	is_text(b.process_packages[0], "@m/mine");
	is_text(b.process_not[0], "-p");
	scratch_write("paneward/backends/mine.json",
	    "{ \"process\": { \"name\": [] } }");
	ok(strstr(read_backend("mine"), "line 1: unknown key 'process.name' "
	    "(did you mean 'names'?)") != NULL);
}

TEST(all_backends_are_read_once) {
	/* They are kept until the program ends. */
	static struct backends all;
	const struct backend *one, *first;
	struct buf why = BUF_INIT;

	scratch_write("paneward/backends/mine.json", "{ \"command\": \"mine\" }");
	scratch_write("paneward/backends/an-other.json", "{}");
	scratch_write("paneward/backends/broken.json", "{ \"colour\": 1 }");
	one = backends_get(&all, "mine", &why);
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
	ok(unlink(scratch_path("paneward/backends/broken.json")) == 0);
	ok(unlink(scratch_path("paneward/backends/an-other.json")) == 0);
	buf_release(&why);
}

TEST(the_backends_that_are_shipped_can_be_read) {
	char *here = realpath("backends", NULL), *name;
	DIR *folder = here ? opendir(here) : NULL;
	struct dirent *entry;
	unsigned count = 0;
	size_t len;

	ok(folder != NULL);
	ok(symlink(here, scratch_path("ours")) == 0);
	ok(rename(scratch_path("paneward/backends"),
	    scratch_path("paneward/hidden")) == 0);
	ok(symlink("../ours", scratch_path("paneward/backends")) == 0);
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		len = strlen(entry->d_name);
		if (len < 6 || strcmp(entry->d_name + len - 5, ".json") != 0)
			continue;
		name = xstrndup(entry->d_name, len - 5);
		is_text(read_backend(name), "");
		ok(b.command != NULL || strcmp(name, "shell") == 0 ||
		    strcmp(name, "cursor") == 0);
		free(name);
		count++;
	}
	ok(count >= 6);
	if (folder != NULL)
		closedir(folder);
	free(here);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
}

AFTER_TESTS {
	backend_release(&b);
}
