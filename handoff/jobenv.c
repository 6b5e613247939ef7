#include "handoff/jobenv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/compat.h"
#include "os/proc.h"
#include "run/handoffstate.h"

/* The variables of our own environment that a command gets. */
static const char *const allowed[] = {
	"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LOGNAME", "PATH",
	"SHELL", "SSH_AUTH_SOCK", "TERM", "TMPDIR", "TMUX_TMPDIR", "TZ", "USER",
	"XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
};

static char **
jobenv_add(char **env, const char *name, const char *value)
{
	char *both = xasprintf("%s=%s", name, value ? value : "");

	env = argv_add(env, both);
	free(both);
	return env;
}

static char **
add_allowed(char **env)
{
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if ((value = getenv(allowed[i])) != NULL)
			env = jobenv_add(env, allowed[i], value);
	return getenv("PATH") ? env :
	    jobenv_add(env, "PATH", "/usr/local/bin:/usr/bin:/bin");
}

static char *
joined(char *const *list)
{
	struct buf text = BUF_INIT;

	for (; list != NULL && *list != NULL; list++)
		buf_printf(&text, "%s%s", text.len ? ":" : "", *list);
	buf_adds(&text, "");
	return buf_steal(&text);
}

void
jobenv_episode(char id[JOBENV_EPISODE], const struct status *r)
{
	if (r->notice == NOTICE_HANDOFF)
		snprintf(id, JOBENV_EPISODE, "%s-handoff-%u", r->run,
		    r->handoff.attempts);
	else
		snprintf(id, JOBENV_EPISODE, "%s-%llu", r->run,
		    (unsigned long long)r->episode);
}

const char *
jobenv_state(const struct status *r)
{
	return r->notice == NOTICE_HANDOFF ? "refused" :
	    state_name(r->verdict.state);
}

static char **
add_verdict(char **env, const struct status *r)
{
	env = jobenv_add(env, "PANEWARD_STATE",
	    state_name(r->verdict.state));
	env = jobenv_add(env, "PANEWARD_WHY", r->verdict.why);
	return jobenv_add(env, "PANEWARD_MESSAGE", r->verdict.message);
}

/* A notice always has a message: without one of the agent, the reason. */
static char **
add_notice_of(char **env, const struct status *r)
{
	bool handoff = r->notice == NOTICE_HANDOFF;
	const char *message = handoff ? r->handoff.message :
	    r->verdict.message;
	char episode[JOBENV_EPISODE];
	struct buf why = BUF_INIT;

	jobenv_episode(episode, r);
	if (handoff)
		handoff_describe(&why, &r->handoff);
	else
		buf_adds(&why, r->verdict.why);
	env = jobenv_add(env, "PANEWARD_EPISODE", episode);
	env = jobenv_add(env, "PANEWARD_STATE", jobenv_state(r));
	env = jobenv_add(env, "PANEWARD_WHY", buf_str(&why));
	env = jobenv_add(env, "PANEWARD_MESSAGE", message != NULL &&
	    message[0] != '\0' ? message : buf_str(&why));
	buf_release(&why);
	return env;
}

static char **
add_run(char **env, const struct status *r)
{
	char attempt[24];

	snprintf(attempt, sizeof(attempt), "%u", r->handoff.attempts);
	env = jobenv_add(env, "PANEWARD_ISSUE", r->issue);
	env = jobenv_add(env, "PANEWARD_RUN", r->run);
	env = jobenv_add(env, "PANEWARD_SOURCE",
	    verdict_source(&r->verdict));
	env = jobenv_add(env, "PANEWARD_SESSION", r->place.session);
	env = jobenv_add(env, "PANEWARD_PANE", r->place.pane);
	env = jobenv_add(env, "PANEWARD_SOCKET", r->place.socket);
	env = jobenv_add(env, "PANEWARD_WORKTREE", r->worktree);
	env = jobenv_add(env, "PANEWARD_BRANCH", r->branch);
	env = jobenv_add(env, "PANEWARD_HANDOFF_ID", r->handoff.id);
	return jobenv_add(env, "PANEWARD_ATTEMPT", attempt);
}

char **
jobenv_environment(const struct job_env *a)
{
	char **env = add_allowed(xcalloc(1, sizeof(*env)));
	char *build_dirs = joined(a->config->build_dirs);
	char *self = proc_program();
	char *root = a->config->worktree_root ?
	    xstrdup(a->config->worktree_root) :
	    xasprintf("%s/.worktrees", a->project->root);

	env = add_run(env, a->record);
	env = a->notice ? add_notice_of(env, a->record) :
	    add_verdict(env, a->record);
	env = jobenv_add(env, "PANEWARD_STATUS_DIR", a->dir->path);
	env = jobenv_add(env, "PANEWARD_WORKTREE_ROOT", root);
	env = jobenv_add(env, "PANEWARD_BUILD_DIRS", build_dirs);
	env = jobenv_add(env, "PANEWARD", self ? self : "paneward");
	free(root);
	free(build_dirs);
	free(self);
	return env;
}

int
jobenv_input(const struct status *r)
{
	struct buf text = BUF_INIT;
	int ends[2];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == -1)
		return -1;
	status_print(&text, r);
	buf_addc(&text, '\n');
	/* A record has a few KiB, a pipe takes 64. */
	n = write(ends[1], text.data, text.len);
	close(ends[1]);
	if (n != (ssize_t)text.len) {
		close(ends[0]);
		ends[0] = -1;
		errno = EMSGSIZE;
	} else {
		fcntl(ends[0], F_SETFL, 0);
	}
	buf_release(&text);
	return ends[0];
}
