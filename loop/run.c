#include "loop/run.h"

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
#include "loop/report.h"
#include "loop/round.h"
#include "os/lock.h"
#include "os/proc.h"
#include "os/trap.h"

enum { MAX_ITERATIONS = 100 };

#define NO_ISSUE "default"              /* the name of the loop without one */

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

/* Fails before the loop begins, not after it. */
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

/* Absolute: a loop may be resumed in another directory. */
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
set_configured_report(struct loop_state *s, const char *path)
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
set_all_reports(struct loop_state *s, const struct loop_call *c)
{
	enum report kind;

	for (kind = 0; kind < REPORTS; kind++) {
		if (c->reports[kind] != NULL)
			set_report(s, kind, c->reports[kind]);
		if (s->reports[kind] != NULL)
			check_report(s->reports[kind]);
	}
}

/* For a new loop; a resumed one has it in its state. */
static void
set_config(struct loop_state *s, const struct config_loop *c)
{
	set_text(&s->keyword, c->keyword);
	set_text(&s->manager, c->session_manager);
	set_text(&s->prompt_file, c->prompt_file);
	s->max_iterations = c->max_iterations;
	s->max_time = c->max_time;
	s->idle_timeout = c->idle_timeout;
	s->same_rounds = c->same_rounds;
	set_configured_report(s, c->report);
	if (c->keyword != NULL && !keyword_valid(c->keyword))
		fatal_usage("loop run: the configured keyword '%s' cannot be "
		    "one", c->keyword);
	if (c->session_manager != NULL && !manager_known(c->session_manager))
		fatal_usage("loop run: the configured session manager '%s' is "
		    "none of native, tmux, zellij, auto", c->session_manager);
}

/* The options of this call replace those of earlier ones. */
static void
set_call(struct loop_state *s, const struct loop_call *c,
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
	set_all_reports(s, c);
}

static void
check_utf8(const char *what, const char *text)
{
	if (text != NULL && !loop_state_holds(text))
		fatal_usage("loop run: %s '%s' is not UTF-8, so --resume could "
		    "not restore it", what, text);
}

static void
check_state(const struct loop_state *s)
{
	char **word;

	for (word = s->words; word != NULL && *word != NULL; word++)
		check_utf8("the word", *word);
	check_utf8("the directory", s->cwd);
	check_utf8("the prompt", s->prompt_file);
	check_utf8("the keyword", s->keyword);
	check_utf8("the backend", s->backend);
	check_utf8("the report", s->reports[REPORT_JSON]);
	check_utf8("the report", s->reports[REPORT_HTML]);
}

/* ---- an earlier engine --------------------------------------------------- */

static void
remove_log(void *context, const char *name)
{
	const struct loop *l = context;
	size_t len = strlen(l->name), digits;

	if (strncmp(name, l->name, len) != 0 || name[len] != '.')
		return;
	digits = strspn(name + len + 1, "0123456789");
	if (digits > 0 && strcmp(name + len + 1 + digits, ".log") == 0)
		unlinkat(l->context.dir.state_fd, name, 0);
}

/* Removes the logs of its rounds, which would pass for ours. */
static void
forget_earlier(struct loop *l, const struct loop_state *earlier)
{
	if (earlier->reason == NULL)
		warnx("loop run: the previous loop was cut short at iteration "
		    "%ld and is forgotten; '--resume' would have continued "
		    "it", earlier->iteration);
	statusdir_names(l->context.dir.state_fd, remove_log, l);
}

static void
resume(struct loop *l, const struct loop_call *c)
{
	/* Another agent is not under the same usage limit. */
	if (c->words[0] != NULL || c->backend != NULL)
		l->state.limited_until = 0;
	l->state.elapsed += loop_state_since(&l->state, l->context.dir.state_fd,
	    l->name);
	l->state.run[0] = '\0';
	if (c->words[0] != NULL && c->backend == NULL) {
		free(l->state.backend);
		l->state.backend = NULL;
	}
	free(l->state.reason);
	l->state.reason = NULL;
	l->state.failures = 0;
	l->state.same = 0;
}

static void
read_earlier(struct loop *l, const struct loop_call *c)
{
	int found = loop_state_read(&l->state, l->context.dir.state_fd,
	    l->name);

	if (found == -1)
		fatalx("loop run: cannot read '%s/.paneward/%s.json', remove "
		    "it or name another loop with --issue: %s",
		    l->context.dir.path, l->name, errno == EBADMSG ?
		    "it is damaged" : strerror(errno));
	if (found == 0 && c->resume)
		fatalx("loop run: cannot resume: there is no '%s/.paneward/"
		    "%s.json'", l->context.dir.path, l->name);
	if (c->resume)
		resume(l, c);
	else
		loop_state_release(&l->state);
}

/* Ends the session that the engine of this state has left running. */
static void
close_left_session(struct loop *l, const struct loop_state *s)
{
	struct loop_session left = { .dir = &l->context.dir, .name = l->name,
	    .log = -1 };
	char boot[PROC_BOOT];

	proc_boot(boot);
	if (s->run[0] == '\0' || proc_boot_differs(boot, s->boot))
		return;
	memcpy(left.launch.run, s->run, sizeof(left.launch.run));
	snprintf(left.title, sizeof(left.title), "%s", s->title);
	left.place.socket = s->socket ? xstrdup(s->socket) : NULL;
	manager_named(s->manager)->close(&left);
	session_release(&left);
}

/* Runs once all checks have passed; until then the file is left as it is. */
static void
clear_earlier(struct loop *l, const struct loop_call *c)
{
	struct loop_state earlier;

	if (loop_state_read(&earlier, l->context.dir.state_fd, l->name) != 1)
		return;
	close_left_session(l, &earlier);
	if (!c->resume)
		forget_earlier(l, &earlier);
	loop_state_release(&earlier);
}

/* Has the loop ended by its keyword, and is nothing new to be done? */
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
lock_loop(struct loop *l, struct lock *lock)
{
	*lock = (struct lock)LOCK_INIT;
	switch (lock_take(lock, l->context.dir.state_fd, l->name)) {
	case -1:
		fatal("loop run: cannot lock '%s' in '%s'", l->name,
		    l->context.dir.path);
	case 0:
		fatalx("loop run: process %ld already runs this loop; end it, "
		    "or name another loop with --issue", (long)lock->holder);
	}
}

static void
choose_backend(struct loop *l)
{
	const struct loop_state *s = &l->state;
	struct buf error = BUF_INIT;

	if (backend_read(&l->backend, s->backend, &error) == -1)
		fatal_usage("loop run: %s", buf_str(&error));
	if (s->words != NULL)
		return;
	if (l->backend.command == NULL || l->backend.once[0] == NULL)
		fatal_usage("loop run: backend '%s' has no 'once' in '%s', the "
		    "words that run it for one turn; use paneward loop run -- "
		    "COMMAND", s->backend, l->backend.file);
	if (s->prompt_file == NULL)
		fatal_usage("loop run: backend '%s' needs a --prompt-file",
		    s->backend);
}

static void
choose_manager(struct loop *l)
{
	struct buf why = BUF_INIT;

	l->manager = manager_find(l->state.manager, &why);
	if (l->manager == NULL)
		fatalx("loop run: cannot use the session manager '%s': %s",
		    l->state.manager, buf_str(&why));
	set_text(&l->state.manager, l->manager->name);
}

/* Later in the loop an unusable prompt ends it. */
static void
check_first_prompt(struct loop *l)
{
	if (round_prompt(l) == -1)
		fatalx("loop run: '%s': %s", l->state.prompt_file,
		    buf_str(&l->why));
}

static void
watch_files(struct loop *l)
{
	l->notify = context_notify();
	notify_watch_renames(l->notify, l->context.dir.state_fd);
	notify_watch_directory(l->notify, l->context.dir.fd);
	signal(SIGPIPE, SIG_IGN);
	l->trap = trap_open();
	if (l->trap == -1)
		fatal("loop run: cannot wait for signals");
}

int
run_loop(const struct loop_call *c)
{
	struct loop l = { .progress = { .json = c->json } };
	struct lock lock;
	bool finished;
	int status;

	snprintf(l.name, sizeof(l.name), "loop-%s",
	    c->issue ? c->issue : NO_ISSUE);
	if (c->issue != NULL && strcmp(c->issue, NO_ISSUE) == 0)
		fatal_usage("loop run: the issue cannot be '%s', which is the "
		    "name of the loop without one; leave --issue out",
		    NO_ISSUE);
	context_open(&l.context, c->status_dir, true);
	context_adopt(&l.context);
	lock_loop(&l, &lock);
	read_earlier(&l, c);
	finished = is_finished(&l.state, c);
	if (l.state.cwd == NULL)
		set_config(&l.state, &l.context.config.loop);
	set_call(&l.state, c, &l.context.config);
	check_state(&l.state);
	choose_backend(&l);
	choose_manager(&l);
	check_first_prompt(&l);
	l.progress.live = !c->json && isatty(STDERR_FILENO) &&
	    isatty(STDOUT_FILENO);
	l.before = l.state.elapsed;
	l.began = clock_now();
	if (l.state.started == 0)
		l.state.started = clock_wall();
	watch_files(&l);
	clear_earlier(&l, c);
	if (finished)
		l.round = l.state.rounds[l.state.nrounds - 1];
	status = engine_run(&l);
	lock_release(&lock);
	return status;
}
