/*
 * run.c - the command `loop run`: its settings and its checks.
 */
#include <libgen.h>

#include "loop/engine.h"
#include "os/trap.h"
#include "paneward.h"

enum {
	OPTION_REPORT = 'o',
	MAX_ROUNDS = 1000000,
	MAX_SECONDS = 31536000
};

#define NO_ISSUE "default"

/* Missing texts are NULL, missing numbers -1. */
struct loop_call {
	struct loop_state given;
	const char *status_dir;
	bool resume, json;
};

#define GIVEN_TEXT(member) TEXT_AT(struct loop_call, given.member)
#define GIVEN_NUMBER(member, least, most) \
	NUMBER_AT(struct loop_call, given.member, least, most)

static const struct command_option options[] = {
	{ 'i', "issue", "N", "the issue the agents work on",
	    GIVEN_TEXT(issue) },
	{ 'b', "backend", "NAME", "the kind of agent", GIVEN_TEXT(backend) },
	{ 's', "session-manager", "native|tmux|zellij|auto",
	    "what the agents run in", GIVEN_TEXT(manager) },
	{ 'f', "prompt-file", "FILE", "the prompt of each agent",
	    GIVEN_TEXT(prompt_file) },
	{ 'k', "keyword", "TEXT", "the word that ends the loop; default: "
	    "LOOP_COMPLETE", GIVEN_TEXT(keyword) },
	{ 'n', "max-iterations", "N", "run at most N agents; default: 100",
	    GIVEN_NUMBER(max_iterations, 1, MAX_ROUNDS) },
	{ 't', "idle-timeout", "SEC", "end an agent that prints nothing for "
	    "so long", GIVEN_NUMBER(idle_timeout, 0, MAX_SECONDS) },
	{ 'T', "max-time", "SEC", "end the loop after so long",
	    GIVEN_NUMBER(max_time, 0, MAX_SECONDS) },
	{ 'e', "same-rounds", "N", "end after N equal rounds in a row; "
	    "default: 5, 0: never", GIVEN_NUMBER(same_rounds, 0, MAX_ROUNDS) },
	{ 'r', "resume", NULL, "continue where the last loop stopped",
	    FLAG_AT(struct loop_call, resume) },
	{ OPTION_REPORT, "report", "FILE", "write a report, .json or .html" },
	{ 'S', "status-dir", "DIR", "the status directory",
	    TEXT_AT(struct loop_call, status_dir) },
	JSON_AT(struct loop_call, json, "print JSON objects"),
	{ 0 }
};

static void
parse_call(struct loop_call *call, const struct command *c, int argc,
    char **argv)
{
	struct loop_state *given = &call->given;
	enum report kind;

	while (command_option(c, argc, argv, call) == OPTION_REPORT) {
		/* The option may be given once for each kind. */
		kind = report_kind(optarg);
		if (kind == REPORTS)
			command_usage(c, "--report '%s' ends neither in .json "
			    "nor in .html", optarg);
		given->reports[kind] = optarg;
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

#define AT(member) offsetof(struct loop_state, member)
#define MEMBER(state, type, at) (*(type *)(void *)((char *)(state) + (at)))

static const struct {
	const char *what;
	size_t at;
} texts[] = {
	{ "the issue", AT(issue) },
	{ "the backend", AT(backend) },
	{ "the manager", AT(manager) },
	{ "the prompt", AT(prompt_file) },
	{ "the keyword", AT(keyword) },
	{ "the report", AT(reports[REPORT_JSON]) },
	{ "the report", AT(reports[REPORT_HTML]) },
	{ "the directory", AT(cwd) },
};

static const size_t numbers[] = { AT(max_iterations), AT(idle_timeout),
    AT(max_time), AT(same_rounds) };

enum {
	TEXTS = sizeof(texts) / sizeof(texts[0]),
	NUMBERS = sizeof(numbers) / sizeof(numbers[0])
};

static void
take_given(struct loop_state *s, struct loop_state *given)
{
	size_t i;

	for (i = 0; i < TEXTS; i++)
		if (MEMBER(given, char *, texts[i].at) != NULL)
			loop_state_text(&MEMBER(s, char *, texts[i].at),
			    MEMBER(given, char *, texts[i].at));
	for (i = 0; i < NUMBERS; i++)
		if (MEMBER(given, long, numbers[i]) >= 0)
			MEMBER(s, long, numbers[i]) =
			    MEMBER(given, long, numbers[i]);
	if (given->words != NULL) {
		argv_free(s->words);
		s->words = argv_add_all(NULL,
		    (const char *const *)given->words);
	}
}

static void
check_utf8(const char *what, const char *text)
{
	if (text != NULL && !utf8_valid(text, strlen(text)))
		fatal_usage("loop run: %s '%s' is not UTF-8, so --resume could "
		    "not restore it", what, text);
}

/* A new loop starts from the configuration, a resumed one from its state.  The
 * options of this call replace both.  Paths become absolute: a loop may be
 * resumed in another directory. */
static void
take_settings(struct loop_state *s, struct loop_state *given,
    const struct config *config)
{
	const struct config_loop *c = &config->loop;
	char *here = xrealpath("."), **word;
	struct loop_state configured = { .cwd = here, .keyword = c->keyword,
	    .manager = c->session_manager, .prompt_file = c->prompt_file,
	    .max_iterations = c->max_iterations, .max_time = c->max_time,
	    .idle_timeout = c->idle_timeout, .same_rounds = c->same_rounds };
	enum report kind = c->report != NULL ? report_kind(c->report) : REPORTS;
	const char *prompt = given->prompt_file;
	struct stat st;
	size_t i;

	if (here == NULL)
		fatal("loop run: cannot find the current directory");
	if (s->cwd == NULL) {
		if (kind != REPORTS)
			configured.reports[kind] = c->report;
		else if (c->report != NULL)
			fatal_usage("loop run: the configured report '%s' ends "
			    "neither in .json nor in .html", c->report);
		if (!keyword_valid(c->keyword))
			fatal_usage("loop run: the configured keyword '%s' "
			    "cannot be one", c->keyword);
		if (!manager_known(c->session_manager))
			fatal_usage("loop run: the configured session manager "
			    "'%s' is none of native, tmux, zellij, auto",
			    c->session_manager);
		take_given(s, &configured);
	}
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
		if (given->reports[i] != NULL)
			given->reports[i] = project_join(here,
			    given->reports[i]);
	take_given(s, given);
	if (s->backend == NULL)
		s->backend = xstrdup(c->backend ? c->backend :
		    s->words ? "shell" : config->backend);
	for (i = 0; i < REPORTS; i++)
		if (s->reports[i] != NULL &&
		    access(dirname(xstrdup(s->reports[i])), W_OK) == -1)
			fatal("loop run: cannot write the report '%s'",
			    s->reports[i]);
	for (word = s->words; word != NULL && *word != NULL; word++)
		check_utf8("the word", *word);
	for (i = 0; i < TEXTS; i++)
		check_utf8(texts[i].what, MEMBER(s, char *, texts[i].at));
}

/* ---- an earlier engine --------------------------------------------------- */

/* Logs of an earlier loop would pass for ours. */
static void
remove_logs(const struct engine *e)
{
	int dir = e->context.dir.state_fd;
	char **names = statusdir_names(dir), **p;
	char *loop = xasprintf("%s.", e->state.loop), number[ISSUE_MAX + 1];

	for (p = names; p != NULL && *p != NULL; p++)
		if (issue_in_name(*p, loop, ".log", number) &&
		    strspn(number, "0123456789") == strlen(number))
			unlinkat(dir, *p, 0);
	argv_free(names);
	free(loop);
}

/* Reads the state, and the session that an earlier engine has left.  A damaged
 * state is refused in any case: it may name one. */
static bool
read_earlier(struct engine *e, const struct loop_call *c,
    struct loop_session *left)
{
	struct loop_state *s = &e->state;
	char *name = s->loop, log[LOOP_FILE];
	int state_fd = e->context.dir.state_fd;
	int found = loop_state_read(s, state_fd, name);
	struct stat begun, printed;

	if (found == -1)
		fatalx("loop run: cannot read '%s/.paneward/%s.json', %s it "
		    "or name another loop with --issue: %s",
		    e->context.dir.path, name, errno == ENEWER ? "move" :
		    "remove", errno == EBADMSG ? "it is damaged" :
		    msg_reason(errno));
	if (found == 0 && c->resume)
		fatalx("loop run: cannot resume: there is no '%s/.paneward/"
		    "%s.json'", e->context.dir.path, name);
	*left = (struct loop_session){ .dir = &e->context.dir,
	    .iteration = s->reason == NULL ? s->iteration : 0, .log = -1,
	    .keeper.fd = -1 };
	if (s->run[0] != '\0' && !proc_boot_over(s->boot)) {
		left->manager = manager_named(s->manager);
		memcpy(left->launch.run, s->run, sizeof(s->run));
		snprintf(left->title, sizeof(left->title), "%s", s->title);
		loop_state_text(&left->place.socket, s->socket);
	}
	if (!c->resume) {
		*s = (struct loop_state){ .loop = name };
		return found == 1;
	}
	/* Another agent is not under the same usage limit. */
	if (c->given.words != NULL || c->given.backend != NULL)
		s->limited_until = 0;
	if (c->given.words != NULL && c->given.backend == NULL)
		loop_state_text(&s->backend, NULL);
	/* The state is as old as the beginning of the round, its log as the
	 * engine. */
	loop_log_name(log, name, s->iteration);
	if (s->run[0] != '\0' && fstatat(state_fd, ISSUE_NAME(name, "json"),
	    &begun, AT_SYMLINK_NOFOLLOW) == 0 &&
	    fstatat(state_fd, log, &printed, AT_SYMLINK_NOFOLLOW) == 0 &&
	    file_mtime(&printed) > file_mtime(&begun))
		s->elapsed += file_mtime(&printed) - file_mtime(&begun);
	s->run[0] = '\0';
	loop_state_text(&s->reason, NULL);
	s->failures = s->same = 0;
	return true;
}

static int
looprun_run(const struct command *command, int argc, char **argv)
{
	struct loop_call c = { .given = { .max_iterations = -1,
	    .idle_timeout = -1, .max_time = -1, .same_rounds = -1 } };
	const struct loop_state *given = &c.given;
	struct engine e = { .unsaved = false };
	struct loop_state *s = &e.state;
	struct lock lock = LOCK_INIT;
	struct buf why = BUF_INIT;
	struct loop_session left;
	bool finished, found;

	parse_call(&c, command, argc, argv);
	s->loop = xasprintf("loop-%s", given->issue ? given->issue : NO_ISSUE);
	context_open(&e.context, c.status_dir, true);
	context_check(&e.context, true);
	switch (lock_take(&lock, e.context.dir.state_fd, s->loop)) {
	case -1:
		fatal("loop run: cannot lock '%s' in '%s'", s->loop,
		    e.context.dir.path);
	case 0:
		fatalx("loop run: process %ld already runs this loop; end it, "
		    "or name another loop with --issue", (long)lock.holder);
	}
	found = read_earlier(&e, &c, &left);
	/* A loop that ended by its keyword needs something new. */
	finished = c.resume && s->nrounds > 0 &&
	    s->rounds[s->nrounds - 1].end == ROUND_KEYWORD &&
	    (given->keyword == NULL ||
	    strcmp(given->keyword, s->keyword) == 0) &&
	    given->prompt_file == NULL && given->words == NULL;
	take_settings(s, &c.given, &e.context.config);
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
	if (round_prompt(&e) == -1)     /* later a bad one ends the loop */
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
	if (left.manager != NULL)
		left.manager->close(&left);
	if (found && !c.resume && left.iteration > 0)
		warnx("loop run: the previous loop was cut short at iteration "
		    "%ld and is forgotten; '--resume' would have continued it",
		    left.iteration);
	if (found && !c.resume)
		remove_logs(&e);
	if (finished)
		e.round = s->rounds[s->nrounds - 1];
	return engine_run(&e);
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
