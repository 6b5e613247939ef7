/*
 * With an argument, a process id: prints the agent in front of its terminal, at
 * once and whenever a line is read.
 */
#include "agent/agentprocess.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

enum { MEMBERS = 4 };

static struct backends all;

/* Processes in front, from the top down: their words, with a '|' between two. */
struct front {
	const char *members[MEMBERS];
	const char *agent;              /* "": none; "once": one that asks no
					   person */
};

static char **
words_of(const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *word, **words = NULL;

	while ((word = strsep(&rest, "|")) != NULL)
		words = argv_add(words, word);
	free(copy);
	return words;
}

/* What the search over them finds. */
static const char *
agent_of(const struct front *f)
{
	enum agentprocess_kind kind = AGENTPROCESS_OTHER;
	const struct backend *backend = NULL;
	char **words;
	size_t i;

	for (i = 0; i < MEMBERS && f->members[i] != NULL &&
	    kind == AGENTPROCESS_OTHER; i++) {
		words = words_of(f->members[i]);
		kind = agentprocess_kind(&all, "any", words, &backend);
		argv_free(words);
	}
	return kind == AGENTPROCESS_AGENT ? backend->name :
	    kind == AGENTPROCESS_ONCE ? "once" : "";
}

static void
check_all(const struct front *fronts, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(agent_of(&fronts[i]), fronts[i].agent) != 0)
			is_text(agent_of(&fronts[i]), fronts[i].members[0]);
}

#define CHECK(fronts) check_all(fronts, sizeof(fronts) / sizeof(*(fronts)))

TEST(agents_are_found_however_they_were_started) {
	static const struct front fronts[] = {
		{ { "claude" }, "claude" },
		{ { "/opt/my tools/claude|--model|opus" }, "claude" },
		{ { "/n/node_modules/@anthropic-ai/claude-code/bin/claude.exe" },
		    "claude" },
		{ { "opencode" }, "opencode" },
		{ { "pi" }, "pi" },
		{ { "node|/n/node_modules/.bin/pi|--session|x" }, "pi" },
		{ { "node|/n/node_modules/.bin/codex",
		    "/n/vendor/x/bin/codex" }, "codex" },
		{ { "node|/n/node_modules/.bin/gemini",
		    "/usr/bin/node|--max-old-space-size=9|/n/.bin/gemini" },
		    "gemini" },
		{ { "/usr/bin/node|--max-old-space-size=9|-r|claude|"
		    "/n/node_modules/@google/gemini-cli/dist/index.js" },
		    "gemini" },
		{ { "node|/a/node_modules/b/node_modules/@anthropic-ai/"
		    "claude-code/cli.js" }, "claude" },
		{ { "node|/n/node_modules/@openai/codex/bin/codex.js" },
		    "codex" },
		{ { "npm exec claude", "sh|-c|claude", "claude" }, "claude" },
		{ { "npm exec gemini", "sh|-c|gemini",
		    "node|/n/.bin/gemini" }, "gemini" },
		{ { "/bin/sh|/home/me/myclaude", "claude" }, "claude" },
		{ { "sh|-c|claude; true", "claude" }, "claude" },
		{ { "timeout|100|claude", "claude" }, "claude" },
		{ { "nice|claude", "claude" }, "claude" },
		{ { "script|-qc|claude --model x" }, "claude" },
		{ { "sudo|-u|me|claude" }, "claude" },
		{ { "/venv/bin/python3.12|/venv/bin/mine" }, "mine" },
		{ { "python|/venv/bin/mine" }, "mine" },
		{ { "python3|-m|mine" }, "mine" },
		{ { "cat|prompt", "codex" }, "codex" },
		{ { "claude|explain update" }, "claude" },
		{ { "claude|fix it|mcp" }, "claude" },
		{ { "claude|--name|doctor" }, "claude" },
		{ { "claude|--|mcp" }, "claude" },
		{ { "codex|resume|--last" }, "codex" },
		{ { "codex|-p|exec" }, "codex" },
		{ { "pi|--mode|text" }, "pi" },
		{ { "opencode|attach|http://localhost:1" }, "opencode" },
	};

	CHECK(fronts);
}

TEST(what_serves_no_person_is_none) {
	static const struct front fronts[] = {
		{ { "claude|-p|what is it" }, "once" },
		{ { "claude|--print" }, "once" },
		{ { "claude|what is it|-p" }, "once" },
		{ { "claude|--model|opus|-p|x" }, "once" },
		{ { "claude|mcp|serve" }, "once" },
		{ { "claude|--verbose|mcp|serve" }, "once" },
		{ { "bash|loop.sh", "claude|-p|x" }, "once" },
		{ { "node|/n/.bin/codex|app-server", "codex|app-server" },
		    "once" },
		{ { "codex|exec|x" }, "once" },
		{ { "codex|-m|gpt|e|x" }, "once" },
		{ { "node|/n/.bin/codex|-C|/tmp|exec|x" }, "once" },
		{ { "node|/n/.bin/gemini|--prompt=x" }, "once" },
		{ { "node|/n/.bin/gemini|mcp|list" }, "once" },
		{ { "opencode|serve" }, "once" },
		{ { "node|/n/.bin/pi|--mode|rpc" }, "once" },
		{ { "node|/n/.bin/pi|--mode=json" }, "once" },
		{ { "node|/n/.bin/pi|-p|x" }, "once" },
	};

	CHECK(fronts);
}

TEST(what_only_names_an_agent_is_none) {
	static const struct front fronts[] = {
		{ { "bash" }, "" },
		{ { "-zsh" }, "" },
		{ { "grep|-r|claude|." }, "" },
		{ { "vim|claude.md" }, "" },
		{ { "less|/n/.bin/claude" }, "" },
		{ { "node|claude/index.js" }, "" },
		{ { "node|server.js|claude" }, "" },
		{ { "node|-e|claude" }, "" },
		{ { "node|-e|code|claude" }, "" },
		{ { "python3|-c|claude" }, "" },
		{ { "pythonic|claude" }, "" },
		{ { "node" }, "" },
		{ { "node|--inspect" }, "" },
		{ { "node|/n/node_modules/@anthropic-ai/claude-code/"
		    "node_modules/other/cli.js" }, "" },
		{ { "node|/n/node_modules/claude-tools/cli.js" }, "" },
		{ { "node|/n/node_modules" }, "" },
		{ { "sh|/usr/local/bin/claude" }, "" },
		{ { "bash|-c|claude --help >x" }, "" },
		{ { "npm exec claude" }, "" },
		{ { "claudette" }, "" },
		{ { "tmux|new|claude" }, "" },
		{ { "ssh|host|claude" }, "" },
		{ { "" }, "" },
		{ { "/" }, "" },
	};

	CHECK(fronts);
}

/* Below it nothing new can appear. */
TEST(a_prompt_is_told_from_a_script) {
	const struct backend *b;
	char *prompt[] = { (char[]){ "-bash" }, (char[]){ "-i" }, NULL };
	char *script[] = { (char[]){ "bash" }, (char[]){ "x.sh" }, NULL };
	char *line[] = { (char[]){ "sh" }, (char[]){ "-ec" },
	    (char[]){ "make" }, NULL };

	is_number(agentprocess_kind(&all, "bash", prompt, &b),
	    AGENTPROCESS_PROMPT);
	is_number(agentprocess_kind(&all, "bash", script, &b),
	    AGENTPROCESS_OTHER);
	is_number(agentprocess_kind(&all, "sh", line, &b), AGENTPROCESS_OTHER);
}

TEST(without_words_the_name_counts) {
	const struct backend *b;

	is_number(agentprocess_kind(&all, "claude", NULL, &b),
	    AGENTPROCESS_AGENT);
	is_text(b->name, "claude");
	is_number(agentprocess_kind(&all, "bash", NULL, &b),
	    AGENTPROCESS_OTHER);
}

TEST(an_agent_is_likely_by_its_name_or_below_what_runs_scripts) {
	ok(agentprocess_likely(&all, "claude"));
	ok(agentprocess_likely(&all, "node"));
	ok(agentprocess_likely(&all, "python3.12"));
	ok(!agentprocess_likely(&all, "bash"));
	ok(!agentprocess_likely(&all, "sleep"));
	ok(!agentprocess_likely(&all, ""));
}

/* A command alone gives way to a list of names; a shell is never an agent. */
TEST(a_backend_without_names_goes_by_its_command) {
	static const struct front fronts[] = {
		{ { "agent-x|anything" }, "a-user" },
		{ { "claude" }, "claude" },
		{ { "bash|script" }, "" },
	};

	CHECK(fronts);
}

TEST(a_process_without_a_terminal_has_none) {
	struct agentprocess a = { .backend = all.first };
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setsid();
		for (;;)
			pause();
	}
	ok(!agentprocess_look(&a, &all, pid));
	ok(a.backend == NULL);
	ok(!agentprocess_look(&a, &all, pid));
	kill(pid, SIGKILL);
	ok(waitpid(pid, NULL, 0) == pid);
	ok(!agentprocess_look(&a, &all, pid));
	is_number(a.pane, 0);
}

/* The shipped backends, as the user's. */
static void
link_backends(void)
{
	static const char *const names[] = { "claude", "codex", "gemini",
	    "opencode", "pi" };
	char *here = xrealpath("backends"), *from, *to;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		from = xasprintf("%s/%s.json", here, names[i]);
		to = xasprintf("paneward/backends/%s.json", names[i]);
		ok(symlink(from, scratch_path(to)) == 0);
		free(from);
		free(to);
	}
	free(here);
}

static int
print_agents(pid_t pane)
{
	struct agentprocess a = { .backend = NULL };
	struct buf why = BUF_INIT;

	backends_all(&all, &why);
	do {
		if (agentprocess_look(&a, &all, pane) == 1)
			printf("%s %ld\n", a.backend->name, (long)a.pid);
		else
			printf("none\n");
		fflush(stdout);
	} while (getchar() != EOF);
	return 0;
}

BEFORE_TESTS {
	struct buf why = BUF_INIT;

	if (tap_argc > 1)
		exit(print_agents((pid_t)strtol(tap_argv[1], NULL, 10)));
	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_write("paneward/backends/mine.json",
	    "{ \"process\": { \"names\": [\"mine\"] } }");
	scratch_write("paneward/backends/a-user.json",
	    "{ \"command\": \"/opt/agent-x\" }");
	scratch_write("paneward/backends/a-claude.json",
	    "{ \"command\": \"claude\" }");
	scratch_write("paneward/backends/a-shell.json",
	    "{ \"command\": \"bash\" }");
	link_backends();
	backends_all(&all, &why);
	is_text(buf_str(&why), "");
	buf_release(&why);
}
