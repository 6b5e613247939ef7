/*
 * run.c - `loop run`: what it was called with, and what of that an earlier
 * engine of the same loop has written down.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "loop/engine.h"
#include "loop/keyword.h"
#include "loop/loop.h"
#include "os/lock.h"
#include "os/trap.h"

enum { MAX_ITERATIONS = 100 };

#define NO_ISSUE "default"              /* whose loop has none */

static char *
here_or_fatal(void)
{
	char *here = xrealpath(".");

	if (here == NULL)
		fatal("loop run: cannot find the current directory");
	return here;
}

static void
set_text(char **place, const char *text)
{
	if (text == NULL)
		return;
	free(*place);
	*place = xstrdup(text);
}

static void
set_prompt(struct loop_state *s, const char *path)
{
	struct stat st;

	if (path == NULL)
		return;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		fatalx("loop run: cannot read the prompt '%s': it is not a "
		    "regular file, and is read for every round", path);
	free(s->prompt_file);
	s->prompt_file = xrealpath(path);
	if (s->prompt_file == NULL)
		fatal("loop run: cannot read the prompt '%s'", path);
}

static void
set_words(struct loop_state *s, char **words)
{
	if (words[0] == NULL)
		return;
	argv_free(s->words);
	for (s->words = NULL; *words != NULL; words++)
		s->words = argv_add(s->words, *words);
}

static void
set_number(int64_t *place, long number)
{
	if (number >= 0)
		*place = number;
}

/* That a report has no place is better known now than after a night. */
static void
check_report(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? xstrdup(".") :
	    xasprintf("%.*s", (int)(slash - path + 1), path);

	if (access(folder, W_OK) == -1)
		fatal("loop run: cannot write the report '%s'", path);
	free(folder);
}

/* In full: a loop may be resumed in another directory. */
static void
set_report(struct loop_state *s, enum report kind, const char *path)
{
	char *here = path[0] == '/' ? NULL : here_or_fatal();

	free(s->reports[kind]);
	s->reports[kind] = here ? xasprintf("%s/%s", here, path) :
	    xstrdup(path);
	free(here);
}

static void
take_configured_report(struct loop_state *s, const char *path)
{
	enum report kind;

	if (path == NULL)
		return;
	kind = report_kind(path);
	if (kind == REPORTS)
		fatal_usage("loop run: the configured report '%s' ends neither "
		    "in .json nor in .html", path);
	set_report(s, kind, path);
}

static void
take_reports(struct loop_state *s, const struct loop_call *c)
{
	enum report kind;

	for (kind = 0; kind < REPORTS; kind++) {
		if (c->reports[kind] != NULL)
			set_report(s, kind, c->reports[kind]);
		if (s->reports[kind] != NULL)
			check_report(s->reports[kind]);
	}
}

/* For a loop that begins; one that is resumed has it from its first call. */
static void
take_config(struct loop_state *s, const struct config_loop *c)
{
	set_text(&s->keyword, c->keyword);
	set_text(&s->manager, c->session_manager);
	set_text(&s->prompt_file, c->prompt_file);
	s->max_iterations = c->max_iterations;
	s->max_time = c->max_time;
	s->idle_timeout = c->idle_timeout;
	s->same_rounds = c->same_rounds;
	take_configured_report(s, c->report);
	if (c->keyword != NULL && !keyword_valid(c->keyword))
		fatal_usage("loop run: the configured keyword '%s' cannot be "
		    "one", c->keyword);
	if (c->session_manager != NULL && !manager_known(c->session_manager))
		fatal_usage("loop run: the configured session manager '%s' is "
		    "none of native, tmux, zellij, auto", c->session_manager);
}

/* What was said now beats what an earlier call has said. */
static void
take_call(struct loop_state *s, const struct loop_call *c,
    const struct config *config)
{
	set_text(&s->issue, c->issue);
	set_text(&s->keyword, c->keyword);
	set_text(&s->backend, c->backend);
	set_text(&s->manager, c->manager);
	set_prompt(s, c->prompt_file);
	set_words(s, c->words);
	set_number(&s->max_iterations, c->max_iterations);
	set_number(&s->max_time, c->max_time);
	set_number(&s->idle_timeout, c->idle_timeout);
	set_number(&s->same_rounds, c->same_rounds);
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
	take_reports(s, c);
}

static void
check_text(const char *what, const char *text)
{
	if (text != NULL && !loop_state_holds(text))
		fatal_usage("loop run: %s '%s' is not UTF-8 and could not be "
		    "written down for --resume", what, text);
}

static void
check_texts(const struct loop_state *s)
{
	char **word;

	for (word = s->words; word != NULL && *word != NULL; word++)
		check_text("the word", *word);
	check_text("the directory", s->cwd);
	check_text("the prompt", s->prompt_file);
	check_text("the keyword", s->keyword);
	check_text("the backend", s->backend);
	check_text("the report", s->reports[REPORT_JSON]);
	check_text("the report", s->reports[REPORT_HTML]);
}

/* ---- an earlier one ------------------------------------------------------ */

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

/* Nothing of it is left: logs of other rounds would be taken for ours. */
static void
forget(struct engine *e, const struct loop_state *earlier)
{
	if (earlier->reason == NULL)
		warnx("loop run: the loop before this one was cut short at "
		    "iteration %ld and is forgotten; '--resume' would have "
		    "gone on with it", earlier->iteration);
	statusdir_names(e->context.dir.state_fd, remove_log, e);
}

/* Another agent is not under the limit of the one before. */
static void
resume_limit(struct engine *e, const struct loop_call *c)
{
	if (c->words[0] != NULL || c->backend != NULL)
		e->state.limited_until = 0;
}

static void
resume(struct engine *e, const struct loop_call *c)
{
	resume_limit(e, c);
	e->state.elapsed += loop_state_since(&e->state, e->context.dir.state_fd,
	    e->name);
	e->state.run[0] = '\0';
	if (c->words[0] != NULL && c->backend == NULL) {
		free(e->state.backend);
		e->state.backend = NULL;
	}
	free(e->state.reason);
	e->state.reason = NULL;
	/* Another try, with what has been put right since. */
	e->state.failures = 0;
	e->state.same = 0;
}

static void
meet_earlier(struct engine *e, const struct loop_call *c)
{
	int found = loop_state_read(&e->state, e->context.dir.state_fd,
	    e->name);

	if (found == -1)
		fatalx("loop run: cannot go by '%s/.paneward/%s.json', remove "
		    "it or name another loop with --issue: %s",
		    e->context.dir.path, e->name, errno == EBADMSG ?
		    "it is damaged" : strerror(errno));
	if (found == 0 && c->resume)
		fatalx("loop run: cannot resume: there is no '%s/.paneward/"
		    "%s.json'", e->context.dir.path, e->name);
	if (c->resume)
		resume(e, c);
	else
		loop_state_release(&e->state);
}

/* Only once nothing can refuse any more: its file still says what it has left
 * behind. */
static void
clear_earlier(struct engine *e, const struct loop_call *c)
{
	struct loop_state earlier;

	if (loop_state_read(&earlier, e->context.dir.state_fd, e->name) != 1)
		return;
	engine_clear(e, &earlier);
	if (!c->resume)
		forget(e, &earlier);
	loop_state_release(&earlier);
}

/* It has ended as it should: there is nothing to go on with, unless something
 * else is to be done now. */
static bool
is_finished(const struct loop_state *s, const struct loop_call *c)
{
	return c->resume && s->nrounds > 0 &&
	    s->rounds[s->nrounds - 1].end == ROUND_KEYWORD &&
	    (c->keyword == NULL || strcmp(c->keyword, s->keyword) == 0) &&
	    c->prompt_file == NULL && c->words[0] == NULL;
}

/* ---- beginning ----------------------------------------------------------- */

static void
lock_loop(struct engine *e, struct lock *lock)
{
	*lock = (struct lock)LOCK_INIT;
	switch (lock_take(lock, e->context.dir.state_fd, e->name)) {
	case -1:
		fatal("loop run: cannot lock '%s' in '%s'", e->name,
		    e->context.dir.path);
	case 0:
		fatalx("loop run: process %ld runs this loop already; end it, "
		    "or name another one with --issue", (long)lock->holder);
	}
}

static void
choose_backend(struct engine *e)
{
	const struct loop_state *s = &e->state;
	struct buf error = BUF_INIT;

	if (backend_read(&e->backend, s->backend, &error) == -1 ||
	    signs_compile(&e->backend.signs, e->backend.file, &error) == -1)
		fatal_usage("loop run: %s", buf_str(&error));
	if (s->words != NULL)
		return;
	if (e->backend.command == NULL || e->backend.once[0] == NULL)
		fatal_usage("loop run: backend '%s' does not say how it is run "
		    "for one turn ('once' in '%s'): paneward loop run -- "
		    "COMMAND", s->backend, e->backend.file);
	if (s->prompt_file == NULL)
		fatal_usage("loop run: backend '%s' needs a --prompt-file",
		    s->backend);
}

static void
choose_manager(struct engine *e)
{
	struct buf error = BUF_INIT;

	e->manager = manager_find(e->state.manager, &error);
	if (e->manager == NULL)
		fatalx("loop run: %s", buf_str(&error));
	set_text(&e->state.manager, e->manager->name);
}

/* Later a prompt that cannot be used is an end of the loop. */
static void
check_prompt(struct engine *e)
{
	if (round_prompt(e) == -1)
		fatalx("loop run: '%s': %s", e->state.prompt_file,
		    buf_str(&e->why));
}

static void
watch_files(struct engine *e)
{
	e->files = context_files();
	files_watch_renames(e->files, e->context.dir.state_fd);
	files_watch_directory(e->files, e->context.dir.fd);
	signal(SIGPIPE, SIG_IGN);
	e->trap = trap_open();
	if (e->trap == -1)
		fatal("loop run: cannot wait for signals");
}

int
loop_rounds(const struct loop_call *c)
{
	struct engine e = { .json = c->json };
	struct lock lock;
	bool finished;
	int status;

	snprintf(e.name, sizeof(e.name), "loop-%s",
	    c->issue ? c->issue : NO_ISSUE);
	if (c->issue != NULL && strcmp(c->issue, NO_ISSUE) == 0)
		fatal_usage("loop run: the issue cannot be '%s', which is the "
		    "name of the loop without one; leave --issue out",
		    NO_ISSUE);
	context_open(&e.context, c->status_dir, true);
	context_claim(&e.context);
	lock_loop(&e, &lock);
	meet_earlier(&e, c);
	finished = is_finished(&e.state, c);
	if (e.state.cwd == NULL)
		take_config(&e.state, &e.context.config.loop);
	take_call(&e.state, c, &e.context.config);
	check_texts(&e.state);
	choose_backend(&e);
	choose_manager(&e);
	check_prompt(&e);
	e.live = !e.json && isatty(STDERR_FILENO) && isatty(STDOUT_FILENO);
	e.before = e.state.elapsed;
	e.began = clock_now();
	if (e.state.started == 0)
		e.state.started = clock_wall();
	watch_files(&e);
	clear_earlier(&e, c);
	if (finished)
		e.round = e.state.rounds[e.state.nrounds - 1];
	status = engine_run(&e);
	lock_release(&lock);
	return status;
}
