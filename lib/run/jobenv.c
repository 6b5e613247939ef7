#include "run/jobenv.h"

#include "os/compat.h"
#include "tmux/sockets.h"
#include "tmux/tmux.h"

static const char *const allowed[] = {
	"ALL_PROXY", "DBUS_SESSION_BUS_ADDRESS", "HOME", "HTTPS_PROXY",
	"HTTP_PROXY", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LOGNAME",
	"NO_PROXY", "PANEWARD_CEILING", "PATH", "SHELL", "SSH_AUTH_SOCK",
	"TERM", "TMPDIR", "TMUX_TMPDIR", "TZ", "USER", "XDG_CONFIG_HOME",
	"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "all_proxy", "http_proxy",
	"https_proxy", "no_proxy",
};

static char **
jobenv_add(char **env, const char *name, const char *value)
{
	return argv_own(env, xasprintf("%s=%s", name, value ? value : ""));
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

char **
jobenv_environment(const struct context *c, const struct status *r,
    bool notice)
{
	bool handoff = notice && r->notice == NOTICE_HANDOFF;
	const char *message = handoff ? r->handoff.message :
	    r->verdict.message, *root = c->config.worktree_root, *value;
	char **env = NULL, episode[JOBENV_EPISODE];
	char *const *dir = c->config.build_dirs;
	char *usual = tmux_usual_socket();
	struct buf text = BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if ((value = getenv(allowed[i])) != NULL)
			env = jobenv_add(env, allowed[i], value);
	if (getenv("PATH") == NULL)
		env = jobenv_add(env, "PATH", "/usr/local/bin:/usr/bin:/bin");
	/* Commands take an issue, or a pane: "%7" on the usual server. */
	env = jobenv_add(env, "PANEWARD_ISSUE", r->name == NULL ? r->issue :
	    strcmp(r->place.socket, usual) == 0 ? r->place.pane :
	    PANE_NAME(&r->place));
	free(usual);
	env = jobenv_add(env, "PANEWARD_NAME", r->name ? r->name : r->issue);
	env = jobenv_add(env, "PANEWARD_RUN", r->run);
	env = jobenv_add(env, "PANEWARD_SOURCE", verdict_source(&r->verdict));
	env = jobenv_add(env, "PANEWARD_SESSION", r->place.session);
	env = jobenv_add(env, "PANEWARD_PANE", r->place.pane);
	env = jobenv_add(env, "PANEWARD_SOCKET", r->place.socket);
	env = jobenv_add(env, "PANEWARD_WORKTREE", r->worktree);
	env = jobenv_add(env, "PANEWARD_BRANCH", r->branch);
	env = jobenv_add(env, "PANEWARD_HANDOFF_ID", r->handoff.id);
	env = argv_own(env, xasprintf("PANEWARD_ATTEMPT=%u",
	    r->handoff.attempts));
	if (handoff)
		handoff_describe(&text, &r->handoff, clock_wall());
	else
		buf_adds(&text, r->verdict.why);
	if (notice) {
		jobenv_episode(episode, r);
		env = jobenv_add(env, "PANEWARD_EPISODE", episode);
		if (message == NULL || message[0] == '\0')
			message = buf_str(&text);
	}
	env = jobenv_add(env, "PANEWARD_STATE", handoff ? jobenv_state(r) :
	    state_name(r->verdict.state));
	env = jobenv_add(env, "PANEWARD_WHY", buf_str(&text));
	env = jobenv_add(env, "PANEWARD_MESSAGE", message);
	env = argv_own(env, xasprintf("PANEWARD_KEEP_LOGS=%lld",
	    (long long)c->config.keep_logs));
	buf_reset(&text);
	for (; dir != NULL && *dir != NULL; dir++)
		buf_printf(&text, "%s%s", text.len ? ":" : "", *dir);
	env = jobenv_add(env, "PANEWARD_BUILD_DIRS", buf_str(&text));
	env = argv_own(env, xasprintf("PANEWARD_WORKTREE_ROOT=%s%s",
	    root ? root : c->project.root, root ? "" : "/.worktrees"));
	env = jobenv_add(env, "PANEWARD_STATUS_DIR", c->dir.path);
	env = jobenv_add(env, "PANEWARD", proc_program());
	buf_release(&text);
	return env;
}

int
jobenv_pipe(const struct buf *text)
{
	bool whole;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == -1)
		return -1;
	whole = write(ends[1], text->data, text->len) == (ssize_t)text->len;
	close(ends[1]);
	if (whole) {
		fcntl(ends[0], F_SETFL, 0);
		return ends[0];
	}
	close(ends[0]);
	errno = EMSGSIZE;
	return -1;
}

int
jobenv_input(const struct status *r)
{
	struct buf text = BUF_INIT;
	int fd;

	status_print(&text, r);
	buf_addc(&text, '\n');
	fd = jobenv_pipe(&text);
	buf_release(&text);
	return fd;
}
