/*
 * With an argument, a process id: prints the agent in front of its terminal, at
 * once and whenever a line is read.
 */
#include "agent/agentprocess.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "recorded.h"

static struct backends all;

/* What a search finds over processes in front, from the top down: a line each,
 * with a '|' between two words. */
static const char *
agent_of(const char *front)
{
	enum agentprocess_kind kind = AGENTPROCESS_OTHER;
	const struct backend *backend = NULL;
	char *copy = xstrdup(front), *rest = copy, *line, *word, **words;

	while (kind == AGENTPROCESS_OTHER &&
	    (line = strsep(&rest, "\n")) != NULL) {
		words = NULL;
		while ((word = strsep(&line, "|")) != NULL)
			words = argv_add(words, word);
		kind = agentprocess_kind(&all, "any", words, &backend);
		argv_free(words);
	}
	free(copy);
	return kind == AGENTPROCESS_AGENT ? backend->name :
	    kind == AGENTPROCESS_ONCE ? "once" :
	    kind == AGENTPROCESS_PROMPT ? "prompt" : "none";
}

static void
are(const char *agent, const char *const *fronts)
{
	for (; *fronts != NULL; fronts++) {
		ROW("%s", *fronts);
		is_text(agent_of(*fronts), agent);
	}
}

#define ARE(agent, ...) are((agent), (const char *const[]){ __VA_ARGS__, NULL })

/* agent-process.sh shows those that run. */
TEST(agents_are_found_however_they_were_started) {
	ARE("claude", "claude", "/opt/my tools/claude|--model|opus",
	    "/n/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
	    "node|/a/node_modules/b/node_modules/@anthropic-ai/claude-code/"
	    "cli.js", "timeout|100|claude\nclaude", "nice|claude\nclaude",
	    "script|-qc|claude --model x", "sudo|-u|me|claude",
	    "claude|explain update", "claude|fix it|mcp",
	    "claude|--name|doctor", "claude|--|mcp");
	ARE("opencode", "opencode", "opencode|attach|http://localhost:1");
	ARE("pi", "pi", "node|/n/node_modules/.bin/pi|--session|x",
	    "pi|--mode|text");
	ARE("codex", "node|/n/node_modules/.bin/codex\n/n/vendor/x/bin/codex",
	    "node|/n/node_modules/@openai/codex/bin/codex.js",
	    "cat|prompt\ncodex", "codex|resume|--last", "codex|-p|exec");
	ARE("gemini", "node|/n/node_modules/.bin/gemini\n"
	    "/usr/bin/node|--max-old-space-size=9|/n/.bin/gemini",
	    "/usr/bin/node|--max-old-space-size=9|-r|claude|"
	    "/n/node_modules/@google/gemini-cli/dist/index.js");
	ARE("mine", "/venv/bin/python3.12|/venv/bin/mine",
	    "python|/venv/bin/mine", "python3|-m|mine");
	/* A backend without names goes by its command, but a list of names
	 * comes first, and a shell is never an agent. */
	ARE("a-user", "agent-x|anything");
	/* It has no file. */
	ARE("gptme", "python3|/venv/bin/gptme|-n");
}

TEST(what_serves_no_person_or_only_names_an_agent_is_none) {
	ARE("once", "claude|-p|what is it", "claude|--print",
	    "claude|what is it|-p", "claude|--model|opus|-p|x",
	    "claude|mcp|serve", "claude|--verbose|mcp|serve",
	    "bash|loop.sh\nclaude|-p|x",
	    "node|/n/.bin/codex|app-server\ncodex|app-server",
	    "codex|exec|x", "codex|-m|gpt|e|x",
	    "node|/n/.bin/codex|-C|/tmp|exec|x",
	    "node|/n/.bin/gemini|--prompt=x", "node|/n/.bin/gemini|mcp|list",
	    "opencode|serve", "node|/n/.bin/pi|--mode|rpc",
	    "node|/n/.bin/pi|--mode=json", "node|/n/.bin/pi|-p|x");
	/* Below a prompt nothing new can appear, below a script an agent. */
	ARE("prompt", "bash", "-zsh", "-bash|-i");
	ARE("none", "bash|script", "sh|-ec|make", "grep|-r|claude|.",
	    "vim|claude.md", "less|/n/.bin/claude", "node|claude/index.js",
	    "node|server.js|claude", "node|-e|claude", "node|-e|code|claude",
	    "python3|-c|claude", "pythonic|claude", "node", "node|--inspect",
	    "node|/n/node_modules/@anthropic-ai/claude-code/node_modules/"
	    "other/cli.js", "node|/n/node_modules/claude-tools/cli.js",
	    "node|/n/node_modules", "sh|/usr/local/bin/claude",
	    "bash|-c|claude --help >x", "npm exec claude", "claudette",
	    "tmux|new|claude", "ssh|host|claude", "", "/");
}

TEST(by_its_name_alone_an_agent_is_likely_or_found) {
	const struct backend *b;

	is_number(agentprocess_kind(&all, "claude", NULL, &b),
	    AGENTPROCESS_AGENT);
	is_text(b->name, "claude");
	is_number(agentprocess_kind(&all, "bash", NULL, &b),
	    AGENTPROCESS_OTHER);
	ok(agentprocess_likely(&all, "claude"));
	ok(agentprocess_likely(&all, "node"));          /* runs scripts */
	ok(agentprocess_likely(&all, "python3.12"));
	ok(!agentprocess_likely(&all, "bash"));
	ok(!agentprocess_likely(&all, ""));
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

#define FILE_OF(name) "paneward/backends/" name ".json"

BEFORE_TESTS {
	static const char *const own[][2] = {
		{ FILE_OF("mine"), "{ 'process': { 'names': ['mine'] } }" },
		{ FILE_OF("a-user"), "{ 'command': '/opt/agent-x' }" },
		{ FILE_OF("a-claude"), "{ 'command': 'claude' }" },
		{ FILE_OF("a-shell"), "{ 'command': 'bash' }" },
	}, *const shipped[] = { FILE_OF("claude"), FILE_OF("codex"),
	    FILE_OF("cursor"), FILE_OF("gemini"), FILE_OF("opencode"),
	    FILE_OF("pi"), FILE_OF("shell") };
	struct buf why = BUF_INIT;
	char *here;
	size_t i;

	if (tap_argc > 1)
		exit(print_agents((pid_t)strtol(tap_argv[1], NULL, 10)));
	setenv("XDG_CONFIG_HOME", scratch, 1);
	for (i = 0; i < COUNT(own); i++)
		scratch_write(own[i][0], quoted(own[i][1]));
	/* All that are shipped are the user's, too, and can be read. */
	for (i = 0; i < COUNT(shipped); i++) {
		here = xrealpath(shipped[i] + strlen("paneward/"));
		ok(symlink(here, scratch_path(shipped[i])) == 0);
		free(here);
	}
	backends_all(&all, &why);
	is_text(buf_str(&why), "");
	buf_release(&why);
}
