#include "start/start.h"

#include "run/panelog.h"

enum { NEWPANE_LOG_MAX = 1 << 20 };

bool
newpane_session_valid(const char *name)
{
	return name[0] != '\0' && name[0] != '-' && text_only(name, "_-");
}

char *
newpane_session(const struct context *c, const char *issue)
{
	const char *folder = strrchr(c->project.root, '/') + 1;
	char *name = xasprintf("%.60s-issue-%s", folder, issue), *p;

	for (p = name; *p != '\0'; p++)
		if (!text_alnum(*p) && (*p != '-' || p == name))
			*p = '_';
	return name;
}

bool
newpane_prompt(const char *prompt, const char *issue, const char *marker,
    struct buf *why)
{
	size_t len = strlen(prompt), before = why->len;
	struct marker_set set;

	if (issue != NULL)
		marker_set_init(&set, issue, NULL, marker);
	if (len > NEWPANE_PROMPT)
		buf_printf(why, "the prompt is longer than %d bytes; put it "
		    "into a file and let the prompt name that", NEWPANE_PROMPT);
	else if (prompt[0] == '-')
		buf_adds(why, "the prompt begins with '-', which an agent "
		    "would take for an option");
	else if (issue != NULL && marker_set_in(&set, prompt, len))
		buf_printf(why, "the prompt holds a finished marker of issue "
		    "'%s', which would count as soon as the pane shows it; "
		    "describe the marker in pieces", issue);
	return why->len == before;
}

enum tmux_result
newpane_open(const struct context *c, struct tmux_new *n, struct status *r,
    struct buf *why)
{
	char *pipe = panelog_pipe(r->issue, c->dir.path, c->config.log_cap);
	char window[ISSUE_MAX + 8], *name = NULL;
	enum tmux_result result;

	snprintf(window, sizeof(window), "issue-%s", r->issue);
	n->name = window;
	n->wish = (struct tmux_wish){ .want = TMUX_PIPE | TMUX_STAY | TMUX_NAME,
	    .pipe = pipe, .issue = r->issue, .run = r->run,
	    .dir = c->dir.path };
	n->argv = WORDS(proc_program(), "agent-run", r->issue, c->dir.path,
	    r->run);
	result = tmux_open(n, &r->place, &name, why);
	free(pipe);
	if (result != TMUX_OK)
		return result;
	r->place.pane_start = proc_start(r->place.pane_pid);
	free(r->session_name);
	r->session_name = name;
	return TMUX_OK;
}

void
newpane_watch(const struct context *c, const char *issue)
{
	const struct statusdir *dir = &c->dir;
	const char *name = ISSUE_NAME(issue, "watch.log");
	struct buf text = BUF_INIT;
	struct stat st;
	int log;

	/* The watcher of all projects has to find a new one first. */
	if (lock_await_other(dir->state_fd, STATUSDIR_ALL, false,
	    registry_watched() ? LOCK_ENDING : 0))
		return;
	/* A long log of its messages keeps its last half. */
	if (fstatat(dir->state_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_size > NEWPANE_LOG_MAX && file_read(dir->state_fd, name,
	    FILE_NOFOLLOW | FILE_TAIL, &text, NEWPANE_LOG_MAX / 2) == 0)
		file_replace(dir->state_fd, name, text.data, text.len, 0600);
	buf_release(&text);
	log = openat(dir->state_fd, name, O_WRONLY | O_APPEND | O_CREAT |
	    O_NOFOLLOW | O_CLOEXEC, 0600);
	if (log == -1)
		fatal("cannot open the watcher's log of issue '%s'", issue);
	/* The project outlives the agent's work tree. */
	if (spawn_detached(&(struct spawn_how){ .cwd = c->project.root,
	    .argv = WORDS(proc_program(), "watch", issue, "--status-dir",
	    dir->path) }, -1, log) == -1)
		fatal("cannot start the watcher of issue '%s', whose agent "
		    "runs; run 'paneward watch %s'", issue, issue);
	close(log);
	/* A watcher may have done its work already. */
	lock_await_other(dir->state_fd, issue, true, LOCK_ENDING);
}
