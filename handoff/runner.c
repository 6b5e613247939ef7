#include "handoff/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "handoff/attempt.h"
#include "handoff/commands.h"
#include "os/compat.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "project/usercommand.h"
#include "run/handoffstate.h"
#include "run/status.h"
#include "text/datafile.h"

/* ---- which command ------------------------------------------------------- */

static int
runner_check(char *const *words, struct buf *error)
{
	struct buf why = BUF_INIT;
	int ret = usercommand_check(words, &why), reason = errno;

	if (ret == -1)
		buf_printf(error, "cannot use the command of handoff: %s",
		    buf_str(&why));
	buf_release(&why);
	errno = reason;
	return ret;
}

int
runner_choose(struct config *config, const char *option, bool none,
    struct buf *error)
{
	char *path;
	int ret;

	config->handoff_option = none || option != NULL;
	if (none || option != NULL) {
		path = xrealpath(".");
		argv_free(config->handoff);
		config->handoff = usercommand_parse(none ? "" : option, path);
		free(path);
	} else if (config->handoff == NULL) {
		path = datafile_find("scripts", "cleanup.sh");
		if (path == NULL && errno != ENOENT) {
			buf_printf(error, "cannot look for 'cleanup.sh': %s",
			    strerror(errno));
			return -1;
		}
		errno = 0;
		if (path == NULL) {
			buf_adds(error, "cannot hand anything off: "
			    "'cleanup.sh' is not installed; name a command "
			    "with 'handoff' in the configuration, or use "
			    "--no-handoff");
			return -1;
		}
		config->handoff = argv_own(NULL, path);
	}
	if (runner_check(config->handoff, error) == -1)
		return -1;
	ret = noticeways_check(&config->notify, error);
	errno = 0;
	return ret;
}

char *const *
runner_command(const struct config *config, const struct status *record)
{
	return record->handoff_command != NULL && !config->handoff_option ?
	    record->handoff_command : config->handoff;
}

bool
runner_wanted(const struct config *config, const struct status *record)
{
	char *const *words = runner_command(config, record);

	return words != NULL && words[0] != NULL;
}

/* ---- starting one -------------------------------------------------------- */

/*
 * handoff-run --status-dir DIR --lock N --alive N -- ISSUE WORD...: the words
 * are the command, so that it runs exactly what runner_command() said.
 * parked-run has none.
 */
static char **
runner_argv(const struct runner *runner, int lock, int alive,
    const struct status *r, const struct context *c)
{
	bool parked = runner->work == RUNNER_PARKED;
	char *self = proc_program(), **argv, n[16], m[16];

	snprintf(n, sizeof(n), "%d", lock);
	snprintf(m, sizeof(m), "%d", alive);
	argv = argv_add_all(NULL, WORDS(self ? self : "paneward",
	    parked ? "parked-run" : "handoff-run", "--status-dir",
	    c->dir.path, "--lock", n, "--alive", m, runner->again ? "--again" : NULL));
	argv = argv_add_all(argv, WORDS("--", r->issue));
	free(self);
	return parked ? argv : argv_add_all(argv,
	    (const char *const *)runner_command(&c->config, r));
}

int
runner_start(struct runner *runner, const struct lock *lock,
    const struct status *r, const struct context *c)
{
	int alive[2];
	char **argv;

	if (pipe2(alive, O_CLOEXEC) == -1)
		return -1;
	argv = runner_argv(runner, lock->fd, alive[1], r, c);
	runner->pid = spawn_apart((const char *const *)argv, c->project.root,
	    (const int[]){ lock->fd, alive[1] }, 2);
	argv_free(argv);
	file_close(alive[1]);
	if (runner->pid == -1) {
		file_close(alive[0]);
		return -1;
	}
	runner->fd = alive[0];
	return 0;
}

int
runner_reap(struct runner *runner)
{
	int status = 0;

	if (runner->fd == -1)
		return 0;
	close(runner->fd);
	runner->fd = -1;
	while (waitpid(runner->pid, &status, 0) == -1 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- the process itself -------------------------------------------------- */

enum { OPTION_LOCK = OPTION_LONG, OPTION_ALIVE, OPTION_AGAIN };

const struct command_option runner_options[] = {
	{ OPTION_LOCK, "lock", "N", "the descriptor of the lock" },
	{ OPTION_ALIVE, "alive", "N", "one that is closed at the end" },
	{ OPTION_AGAIN, "again", NULL, "its start has failed before" },
	CONTEXT_OPTION,
	{ 0 }
};

/* The command does not inherit it. */
static int
runner_descriptor(const struct command *c, const char *option)
{
	int fd = (int)command_number(c, option, optarg, 0, 1 << 20);

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

void
runner_parse(struct runner_call *call, const struct command *c, int argc,
    char **argv)
{
	int key, alive = -1;

	*call = (struct runner_call){ .lock = LOCK_INIT };
	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == OPTION_LOCK)
			call->lock.fd = runner_descriptor(c, "--lock");
		else if (key == OPTION_ALIVE)
			alive = runner_descriptor(c, "--alive");
		else if (key == OPTION_AGAIN)
			call->again = true;
		else
			call->status_dir = optarg;
	}
	if (optind == argc || call->lock.fd == -1 || alive == -1)
		command_usage(c, "is run by paneward itself");
	call->issue = command_issue(c, argv[optind]);
	call->words = argv + optind + 1;
}

static int
runner_main(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct status record;
	struct attempt a = { .context = &context, .record = &record,
	    .out = -1 };
	struct runner_call call;
	int ret;

	runner_parse(&call, c, argc, argv);
	if (call.words[0] == NULL)
		command_usage(c, "is run by paneward itself");
	a.again = call.again;
	context_open(&context, call.status_dir, false);
	argv_free(context.config.handoff);
	context.config.handoff = usercommand_words(
	    (const char *const *)call.words, NULL);
	lock_mark(&call.lock);
	if (!lock_counts(&call.lock, context.dir.state_fd, call.issue) ||
	    status_read(&record, context.dir.state_fd, call.issue) != 1)
		return EXIT_COULD_NOT;
	attempt_recover(&a);
	ret = handoff_open(&record.handoff) ? attempt_run(&a) :
	    status_write(&record, context.dir.state_fd);
	return ret == 0 ? EXIT_DONE : EXIT_COULD_NOT;
}

const struct command handoffrun_command = {
	.name = "handoff-run",
	.arguments = "-- ISSUE WORD...",
	.options = runner_options,
	.run = runner_main,
};
