#include "handoff/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "os/usercommand.h"
#include "text/datafile.h"

/* ---- which command ------------------------------------------------------- */

/* Our own one, where nothing is configured. */
static int
choose_ours(struct config *config, struct buf *error)
{
	char *path = datafile_find("scripts", "cleanup.sh");

	if (path == NULL) {
		buf_adds(error, "cannot hand anything off: 'cleanup.sh' is "
		    "not installed; name a command with 'handoff' in the "
		    "configuration, or use --no-handoff");
		return -1;
	}
	config->handoff = usercommand_words((const char *const[]){ path, NULL },
	    NULL);
	free(path);
	return 0;
}

static int
check(const char *what, char *const *words, struct buf *error)
{
	struct buf why = BUF_INIT;
	int ret = usercommand_check(words, &why);

	if (ret == -1)
		buf_printf(error, "cannot use the command of %s: %s", what,
		    buf_str(&why));
	buf_release(&why);
	return ret;
}

int
runner_choose(struct config *config, const char *option, bool none,
    struct buf *error)
{
	char *here;

	if (none || option != NULL) {
		here = xrealpath(".");
		argv_free(config->handoff);
		config->handoff = usercommand_parse(none ? "" : option, here);
		free(here);
	} else if (config->handoff == NULL && choose_ours(config, error) ==
	    -1) {
		return -1;
	}
	return check("handoff", config->handoff, error) == 0 &&
	    check("notify", config->notify, error) == 0 ? 0 : -1;
}

bool
runner_wanted(const struct config *config)
{
	return config->handoff != NULL && config->handoff[0] != NULL;
}

/* ---- its runner ---------------------------------------------------------- */

/*
 * handoff-run --status-dir DIR --lock N --alive N -- ISSUE WORD...: the words
 * are the command, so that it is the one that we have looked at.
 */
static char **
runner_argv(const char *issue, const char *dir, int lock, int alive,
    bool again, char *const *words)
{
	char *self = proc_program(), *n = xasprintf("%d", lock);
	char *m = xasprintf("%d", alive);
	char **argv;

	argv = usercommand_words((const char *const[]){ self ? self :
	    "paneward", "handoff-run", "--status-dir", dir, "--lock", n,
	    "--alive", m, again ? "--again" : "--", again ? "--" : issue,
	    again ? issue : NULL, NULL }, NULL);
	for (; *words != NULL; words++)
		argv = argv_add(argv, *words);
	free(self);
	free(n);
	free(m);
	return argv;
}

int
runner_start(struct runner *runner, const struct lock *lock,
    const char *issue, const struct statusdir *dir, const struct config *config,
    const struct project *project)
{
	int alive[2], saved;
	char **argv;

	if (pipe2(alive, O_CLOEXEC) == -1)
		return -1;
	argv = runner_argv(issue, dir->path, lock->fd, alive[1],
	    runner->again, config->handoff);
	runner->pid = spawn_apart((const char *const *)argv, project->root,
	    (const int[]){ lock->fd, alive[1] }, 2);
	saved = errno;
	argv_free(argv);
	close(alive[1]);
	if (runner->pid == -1) {
		close(alive[0]);
		errno = saved;
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
