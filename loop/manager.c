/*
 * manager.c - the session managers, and the one without a terminal.
 */
#include "loop/engine.h"

#include <sys/file.h>

#include "data/template.h"

/* The order of `auto`: first those with a terminal. */
static const struct session_manager *const managers[] = {
	&tmux_manager, &zellij_manager, &native_manager,
};

enum {
	MANAGERS = sizeof(managers) / sizeof(managers[0]),
	ORPHAN = 1000, NAP = 10         /* ms */
};

const struct session_manager *
manager_named(const char *name)
{
	size_t i;

	for (i = 0; i < MANAGERS; i++)
		if (strcmp(managers[i]->name, name) == 0)
			return managers[i];
	return NULL;
}

const struct session_manager *
manager_find(const char *name, struct buf *why)
{
	bool any = strcmp(name, "auto") == 0, missing;
	const struct session_manager *m;
	char *path;
	size_t i;

	for (i = 0; i < MANAGERS; i++) {
		m = managers[i];
		if (!any && strcmp(m->name, name) != 0)
			continue;
		buf_reset(why);
		path = m->program != NULL ? spawn_find(m->program) : NULL;
		missing = m->program != NULL && path == NULL;
		free(path);
		if (missing)
			buf_printf(why, "no %s in PATH", m->program);
		else if (m->present == NULL || m->present(why))
			return m;
	}
	return NULL;
}

bool
session_agent(const struct loop_session *s, struct launched *l)
{
	return launched_read(l, s->dir->state_fd, s->title,
	    s->launch.run) == 1 && l->pid > 1 && !l->ended;
}

void
session_signal(struct loop_session *s, int signo)
{
	if (s->keeper.pid > 0 && !child_ended(&s->keeper))
		kill(s->keeper.pid, signo);
}

bool
session_await_log(const struct loop_session *s, msec patience)
{
	return file_lock(s->log, patience) == 0 && flock(s->log, LOCK_UN) == 0;
}

void
session_destroy(struct loop_session *s)
{
	msec until = clock_now() + ORPHAN;
	struct launched l;
	struct proc p;

	session_signal(s, SIGKILL);
	/* An agent that ended unseen may have left others in its group, which
	 * keep its number. */
	if (session_agent(s, &l) && (proc_read(&p, l.pid) == -1 ||
	    p.start == l.start))
		kill(-l.pid, SIGKILL);
	/* The keeper writes the record before it is removed. */
	while (s->keeper.pid == 0 && clock_now() < until &&
	    session_agent(s, &l))
		loop_pause(NAP);
	child_reap(&s->keeper);
	s->keeper.pid = 0;
	launch_remove(s->dir->state_fd, s->title);
	launched_remove(s->dir->state_fd, s->title);
}

/* ---- native: without a terminal ------------------------------------------ */

static int
native_create(struct loop_session *s, const char *const *keeper,
    struct buf *why)
{
	pid_t pid = spawn_detached(&(struct spawn_how){ .argv = keeper,
	    .cwd = s->launch.cwd, .child = true }, -1, STDERR_FILENO);

	if (pid <= 0) {
		buf_printf(why, "cannot run '%s': %s", keeper[0],
		    strerror(errno));
		return -1;
	}
	child_init(&s->keeper, pid);
	return 0;
}

static void
native_attach(const struct loop_session *s, struct buf *command)
{
	char *path = xasprintf("%s/.paneward/%s.%ld.log", s->dir->path,
	    s->state->loop, s->iteration);

	buf_adds(command, "tail -f ");
	template_quote(command, path, strlen(path));
	free(path);
}

const struct session_manager native_manager = {
	.name = "native",
	.way = KEEPER_LOG,
	.create = native_create,
	.close = session_destroy,
	.attach = native_attach,
};
