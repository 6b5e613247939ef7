#include "notify.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "argv.h"
#include "journal.h"
#include "proc.h"
#include "spawn.h"
#include "usercommand.h"
#include "xalloc.h"

bool
notify_take(struct status *r, const struct config *config, msec wall)
{
	enum state state = r->verdict.state;
	msec last = r->notified[state];

	if (config->notify == NULL || config->notify[0] == NULL ||
	    (config->notify_on & 1u << state) == 0)
		return false;
	/* A date in the future is of a clock that was set back since. */
	if (last != 0 && last <= wall && wall - last < NOTIFY_AGAIN)
		return false;
	r->notified[state] = wall;
	return true;
}

/* Our own notify-run, which ends the command when its time is over. */
static char **
runner_argv(const struct config *config)
{
	char *self = proc_program(), **argv = NULL;
	char *const *word;

	argv = argv_add(argv, self ? self : "paneward");
	argv = argv_add(argv, "notify-run");
	argv = argv_add(argv, "--");
	for (word = config->notify; *word != NULL; word++)
		argv = argv_add(argv, *word);
	free(self);
	return argv;
}

int
notify_send(const struct briefing *b)
{
	char **env = briefing_environment(b), **argv = runner_argv(b->config);
	int in = briefing_input(b->record), ret = -1, saved;

	if (in != -1)
		ret = spawn_beside(&(struct spawn_how){ .argv =
		    (const char *const *)argv, .env =
		    (const char *const *)env, .cwd = b->project->root }, in);
	saved = errno;
	if (in != -1)
		close(in);
	argv_free(env);
	argv_free(argv);
	if (ret == 0)
		journal_add(b->dir->own, b->dir->path, JOURNAL_NOTIFY,
		    b->record, state_name(b->record->verdict.state));
	errno = saved;
	return ret;
}
