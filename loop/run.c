/*
 * run.c - the command `loop run`: its options, what the configuration and an
 * earlier loop add to them, and what must be there before it begins.
 */
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "loop/engine.h"
#include "marker/markerset.h"
#include "os/lock.h"
#include "os/trap.h"
#include "paneward.h"

enum {
	OPTION_ISSUE = 'i', OPTION_BACKEND = 'b', OPTION_MANAGER = 's',
	OPTION_PROMPT_FILE = 'f', OPTION_KEYWORD = 'k',
	OPTION_ITERATIONS = 'n', OPTION_IDLE = 't', OPTION_TIME = 'T',
	OPTION_SAME = 'e', OPTION_RESUME = 'r', OPTION_REPORT = 'o',
	OPTION_STATUS_DIR = 'S', OPTION_JSON = 'j',
	MAX_ITERATIONS = 100,
	MAX_ROUNDS = 1000000,
	MAX_SECONDS = 31536000
};

static const struct command_option options[] = {
	{ OPTION_ISSUE, "issue", "N", "the issue the agents work on" },
	{ OPTION_BACKEND, "backend", "NAME", "the kind of agent" },
	{ OPTION_MANAGER, "session-manager", "native|tmux|zellij|auto",
	    "what the agents run in" },
	{ OPTION_PROMPT_FILE, "prompt-file", "FILE", "the prompt of each "
	    "agent" },
	{ OPTION_KEYWORD, "keyword", "TEXT", "the word that ends the loop; "
	    "default: LOOP_COMPLETE" },
	{ OPTION_ITERATIONS, "max-iterations", "N", "run at most N agents; "
	    "default: 100" },
	{ OPTION_IDLE, "idle-timeout", "SEC", "end an agent that prints "
	    "nothing for so long" },
	{ OPTION_TIME, "max-time", "SEC", "end the loop after so long" },
	{ OPTION_SAME, "same-rounds", "N", "end after N equal rounds in a "
	    "row; default: 5, 0: never" },
	{ OPTION_RESUME, "resume", NULL, "continue where the last loop "
	    "stopped" },
	{ OPTION_REPORT, "report", "FILE", "write a report, .json or "
	    ".html" },
	{ OPTION_STATUS_DIR, "status-dir", "DIR", "the status directory" },
	{ OPTION_JSON, "json", NULL, "print JSON objects" },
	{ 0 }
};

#define NO_ISSUE "default"              /* the name of the loop without one */

/* What the call or the configuration may set: texts that are NULL, and numbers
 * that are -1, are not set. */
#define AT(member) offsetof(struct loop_state, member)

static const struct {
	int key;                        /* the option whose argument it is; 0:
					   there is none */
	const char *what;
	size_t at;
} texts[] = {
	{ OPTION_ISSUE,       "the issue",     AT(issue) },
	{ OPTION_BACKEND,     "the backend",   AT(backend) },
	{ OPTION_MANAGER,     "the manager",   AT(manager) },
	{ OPTION_PROMPT_FILE, "the prompt",    AT(prompt_file) },
	{ OPTION_KEYWORD,     "the keyword",   AT(keyword) },
	{ 0,                  "the report",    AT(reports[REPORT_JSON]) },
	{ 0,                  "the report",    AT(reports[REPORT_HTML]) },
	{ 0,                  "the directory", AT(cwd) },
};

static const struct {
	int key;
	const char *option;
	size_t at;
	long least, most;
} numbers[] = {
	{ OPTION_ITERATIONS, "--max-iterations", AT(max_iterations), 1,
	    MAX_ROUNDS },
	{ OPTION_IDLE, "--idle-timeout", AT(idle_timeout), 0, MAX_SECONDS },
	{ OPTION_TIME, "--max-time", AT(max_time), 0, MAX_SECONDS },
	{ OPTION_SAME, "--same-rounds", AT(same_rounds), 0, MAX_ROUNDS },
};

enum {
	TEXTS = sizeof(texts) / sizeof(texts[0]),
	NUMBERS = sizeof(numbers) / sizeof(numbers[0])
};

struct loop_call {
	struct loop_state given;
	const char *status_dir;
	bool resume, json;
};

static char **
text_at(struct loop_state *s, size_t i)
{
	return (char **)(void *)((char *)s + texts[i].at);
}

static int64_t *
number_at(struct loop_state *s, size_t i)
{
	return (int64_t *)(void *)((char *)s + numbers[i].at);
}

/* ---- options ------------------------------------------------------------- */

static void
parse_call(struct loop_call *call, const struct command *c, int argc,
    char **argv)
{
	struct loop_state *given = &call->given;
	enum report kind;
	size_t i;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_RESUME: call->resume = true; break;
		case OPTION_REPORT:
			/* One of each kind: the option may be given twice. */
			kind = report_kind(optarg);
			if (kind == REPORTS)
				command_usage(c, "--report '%s' ends neither "
				    "in .json nor in .html", optarg);
			given->reports[kind] = optarg;
			break;
		case OPTION_STATUS_DIR: call->status_dir = optarg; break;
		case OPTION_JSON: call->json = true; break;
		}
		for (i = 0; i < TEXTS; i++)
			if (texts[i].key == key)
				*text_at(given, i) = optarg;
		for (i = 0; i < NUMBERS; i++)
			if (numbers[i].key == key)
				*number_at(given, i) = command_number(c,
				    numbers[i].option, optarg,
				    numbers[i].least, numbers[i].most);
	}
	if (argv[optind] != NULL)
		given->words = argv + optind;
	if (given->issue != NULL)
		command_issue(c, given->issue);
	if (given->manager != NULL && !manager_known(given->manager))
		command_usage(c, "--session-manager '%s' is none of "
		    "native, tmux, zellij, auto", given->manager);
	if (given->keyword != NULL && !keyword_valid(given->keyword))
		command_usage(c, "--keyword '%s' cannot be a keyword: 1 "
		    "to %d bytes, no control characters, no blanks at its ends",
		    given->keyword, MARKER_CUSTOM_MAX);
	if (given->issue != NULL && strcmp(given->issue, NO_ISSUE) == 0)
		fatal_usage("loop run: the issue cannot be '%s', which is the "
		    "name of the loop without one; leave --issue out",
		    NO_ISSUE);
}

/* ---- the settings of the loop -------------------------------------------- */

static char *
here_or_fatal(void)
{
	char *here = xrealpath(".");

	if (here == NULL)
		fatal("loop run: cannot find the current directory");
	return here;
}

static void
take_given(struct loop_state *s, struct loop_state *given)
{
	size_t i;

	for (i = 0; i < TEXTS; i++)
		if (*text_at(given, i) != NULL)
			loop_state_text(text_at(s, i), *text_at(given, i));
	for (i = 0; i < NUMBERS; i++)
		if (*number_at(given, i) >= 0)
			*number_at(s, i) = *number_at(given, i);
	if (given->words != NULL) {
		argv_free(s->words);
		s->words = argv_add_all(NULL,
		    (const char *const *)given->words);
	}
}

/* For a new loop; a resumed one has it in its state. */
static void
take_config(struct loop_state *s, const struct config_loop *c)
{
	struct loop_state given = { .keyword = c->keyword,
	    .manager = c->session_manager, .prompt_file = c->prompt_file,
	    .max_iterations = c->max_iterations, .max_time = c->max_time,
	    .idle_timeout = c->idle_timeout, .same_rounds = c->same_rounds };
	enum report kind;

	if (c->report != NULL) {
		kind = report_kind(c->report);
		if (kind == REPORTS)
			fatal_usage("loop run: the configured report '%s' ends "
			    "neither in .json nor in .html", c->report);
		given.reports[kind] = c->report;
	}
	if (c->keyword != NULL && !keyword_valid(c->keyword))
		fatal_usage("loop run: the configured keyword '%s' cannot be "
		    "one", c->keyword);
	if (c->session_manager != NULL && !manager_known(c->session_manager))
		fatal_usage("loop run: the configured session manager '%s' is "
		    "none of native, tmux, zellij, auto", c->session_manager);
	take_given(s, &given);
}

static void
check_utf8(const char *what, const char *text)
{
	if (text != NULL && !loop_state_holds(text))
		fatal_usage("loop run: %s '%s' is not UTF-8, so --resume could "
		    "not restore it", what, text);
}

/* The options of this call replace those of earlier ones.  Their paths become
 * absolute: a loop may be resumed in another directory. */
static void
take_call(struct loop_state *s, struct loop_state *given,
    const struct config *config)
{
	const char *prompt = given->prompt_file;
	struct stat st;
	char **word;
	size_t i;

	if (prompt != NULL) {
		if (stat(prompt, &st) == 0 && !S_ISREG(st.st_mode))
			fatalx("loop run: cannot read the prompt '%s': it is "
			    "not a regular file, and is read for every round",
			    prompt);
		given->prompt_file = xrealpath(prompt);
		if (given->prompt_file == NULL)
			fatal("loop run: cannot read the prompt '%s'", prompt);
	}
	for (i = 0; i < REPORTS; i++)
		if (given->reports[i] != NULL && given->reports[i][0] != '/')
			given->reports[i] = xasprintf("%s/%s",
			    here_or_fatal(), given->reports[i]);
	take_given(s, given);
	if (s->keyword == NULL)
		s->keyword = xstrdup("LOOP_COMPLETE");
	if (s->backend == NULL)
		s->backend = xstrdup(config->loop.backend ?
		    config->loop.backend : s->words ? "shell" :
		    config->backend);
	if (s->manager == NULL)
		s->manager = xstrdup("native");
	if (s->max_iterations == 0)
		s->max_iterations = MAX_ITERATIONS;
	if (s->cwd == NULL)
		s->cwd = here_or_fatal();
	/* Fails before the loop begins, not after it. */
	for (i = 0; i < REPORTS; i++)
		if (s->reports[i] != NULL &&
		    access(dirname(xstrdup(s->reports[i])), W_OK) == -1)
			fatal("loop run: cannot write the report '%s'",
			    s->reports[i]);
	for (word = s->words; word != NULL && *word != NULL; word++)
		check_utf8("the word", *word);
	for (i = 0; i < TEXTS; i++)
		check_utf8(texts[i].what, *text_at(s, i));
}

/* ---- an earlier engine --------------------------------------------------- */

/* Removes a log of the earlier loop, which would pass for ours. */
static void
remove_log(void *context, const char *name)
{
	const struct engine *e = context;
	size_t len = strlen(e->name), digits;

	if (strncmp(name, e->name, len) != 0 || name[len] != '.')
		return;
	digits = strspn(name + len + 1, "0123456789");
	if (digits > 0 && strcmp(name + len + 1 + digits, ".log") == 0)
		unlinkat(e->context.dir.state_fd, name, 0);
}

/* Reads the state of the loop that is resumed.  A damaged one is refused in any
 * case: it may name a session that still runs. */
static void
read_earlier(struct engine *e, const struct loop_call *c)
{
	struct loop_state *s = &e->state;
	int found = loop_state_read(s, e->context.dir.state_fd, e->name);

	if (found == -1)
		fatalx("loop run: cannot read '%s/.paneward/%s.json', remove "
		    "it or name another loop with --issue: %s",
		    e->context.dir.path, e->name, errno == EBADMSG ?
		    "it is damaged" : strerror(errno));
	if (found == 0 && c->resume)
		fatalx("loop run: cannot resume: there is no '%s/.paneward/"
		    "%s.json'", e->context.dir.path, e->name);
	if (!c->resume) {
		loop_state_release(s);
		return;
	}
	/* Another agent is not under the same usage limit. */
	if (c->given.words != NULL || c->given.backend != NULL)
		s->limited_until = 0;
	if (c->given.words != NULL && c->given.backend == NULL)
		loop_state_text(&s->backend, NULL);
	s->elapsed += loop_state_since(s, e->context.dir.state_fd, e->name);
	s->run[0] = '\0';
	loop_state_text(&s->reason, NULL);
	s->failures = 0;
	s->same = 0;
}

/* Ends the session that the earlier engine has left running, and forgets its
 * loop unless it is resumed.  Runs once all checks have passed; until then the
 * file is left as it is. */
static void
clear_earlier(struct engine *e, bool resume)
{
	struct statusdir *dir = &e->context.dir;
	struct loop_session left = { .dir = dir, .name = e->name, .log = -1 };
	struct loop_state earlier;

	if (loop_state_read(&earlier, dir->state_fd, e->name) != 1)
		return;
	if (earlier.run[0] != '\0' && !proc_boot_over(earlier.boot)) {
		memcpy(left.launch.run, earlier.run, sizeof(left.launch.run));
		snprintf(left.title, sizeof(left.title), "%s", earlier.title);
		loop_state_text(&left.place.socket, earlier.socket);
		manager_named(earlier.manager)->close(&left);
		session_release(&left);
	}
	if (!resume && earlier.reason == NULL)
		warnx("loop run: the previous loop was cut short at iteration "
		    "%ld and is forgotten; '--resume' would have continued it",
		    earlier.iteration);
	if (!resume)
		statusdir_names(dir->state_fd, remove_log, e);
	loop_state_release(&earlier);
}

/* ---- beginning ----------------------------------------------------------- */

static int
looprun_run(const struct command *command, int argc, char **argv)
{
	struct loop_call c = { .given = { .max_iterations = -1,
	    .idle_timeout = -1, .max_time = -1, .same_rounds = -1 } };
	const struct loop_state *given = &c.given;
	struct engine e = { .name = "" };
	struct loop_state *s = &e.state;
	struct lock lock = LOCK_INIT;
	struct buf why = BUF_INIT;
	bool finished;
	int status;

	parse_call(&c, command, argc, argv);
	snprintf(e.name, sizeof(e.name), "loop-%s",
	    given->issue ? given->issue : NO_ISSUE);
	context_open(&e.context, c.status_dir, true);
	context_check(&e.context, true);
	switch (lock_take(&lock, e.context.dir.state_fd, e.name)) {
	case -1:
		fatal("loop run: cannot lock '%s' in '%s'", e.name,
		    e.context.dir.path);
	case 0:
		fatalx("loop run: process %ld already runs this loop; end it, "
		    "or name another loop with --issue", (long)lock.holder);
	}
	read_earlier(&e, &c);
	/* Has it ended by its keyword, and is nothing new to be done? */
	finished = c.resume && s->nrounds > 0 &&
	    s->rounds[s->nrounds - 1].end == ROUND_KEYWORD &&
	    (given->keyword == NULL ||
	    strcmp(given->keyword, s->keyword) == 0) &&
	    given->prompt_file == NULL && given->words == NULL;
	if (s->cwd == NULL)
		take_config(s, &e.context.config.loop);
	take_call(s, &c.given, &e.context.config);
	if (backend_read(&e.backend, s->backend, &why) == -1)
		fatal_wrong("loop run: %s", buf_str(&why));
	if (s->words == NULL && (e.backend.command == NULL ||
	    e.backend.once[0] == NULL))
		fatal_usage("loop run: backend '%s' has no 'once' in '%s', the "
		    "words that run it for one turn; use paneward loop run -- "
		    "COMMAND", s->backend, e.backend.file);
	if (s->words == NULL && s->prompt_file == NULL)
		fatal_usage("loop run: backend '%s' needs a --prompt-file",
		    s->backend);
	e.manager = manager_find(s->manager, &why);
	if (e.manager == NULL)
		fatalx("loop run: cannot use the session manager '%s': %s",
		    s->manager, buf_str(&why));
	loop_state_text(&s->manager, e.manager->name);
	if (round_prompt(&e) == -1)     /* of a later round it ends the loop */
		fatalx("loop run: '%s': %s", s->prompt_file, buf_str(&e.why));
	e.progress.json = c.json;
	e.progress.live = !c.json && isatty(STDERR_FILENO) &&
	    isatty(STDOUT_FILENO);
	e.before = s->elapsed;
	e.began = clock_now();
	if (s->started == 0)
		s->started = clock_wall();
	e.notify = context_notify();
	notify_watch(e.notify, e.context.dir.state_fd, NOTIFY_RENAMES);
	notify_watch(e.notify, e.context.dir.fd, NOTIFY_DIRECTORY);
	signal(SIGPIPE, SIG_IGN);
	e.trap = trap_open();
	if (e.trap == -1)
		fatal("loop run: cannot wait for signals");
	clear_earlier(&e, c.resume);
	if (finished)
		e.round = s->rounds[s->nrounds - 1];
	status = engine_run(&e);
	lock_release(&lock);
	return status;
}

const struct command looprun_command = {
	.name = "loop run",
	.summary = "Run an agent again and again, until it prints the keyword",
	.arguments = "[-- COMMAND [ARG...]]",
	.examples =
	"  paneward loop run -b pi -f TASK.md    until it prints LOOP_COMPLETE\n"
	"  paneward loop run -n 20 -- ./agent.sh    any command\n"
	"  paneward loop run --resume              after Ctrl+C, or a crash\n",
	.options = options,
	.run = looprun_run,
};
