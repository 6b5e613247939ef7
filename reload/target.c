#include "reload/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/shell.h"
#include "run/run.h"
#include "run/self.h"
#include "tmux/tmux.h"

/* Ends the program; the agent is left alone. */
#define refuse(...) fatalx("cannot restart the agent: " __VA_ARGS__)

/* ---- the pane ------------------------------------------------------------ */

/* Is this process one of our ancestors? */
static bool
we_descend_from(pid_t from)
{
	pid_t pid = getppid();
	struct proc p;
	int steps;

	for (steps = 0; steps < 100 && pid > 1; steps++) {
		if (pid == from)
			return true;
		if (proc_read(&p, pid) == -1)
			return false;
		pid = p.parent;
	}
	return false;
}

/*
 * The pane in the record of the run that the environment names, if we descend
 * from it.  Some agents run their tools in a tmux of their own, so TMUX_PANE
 * may be another pane.
 */
static bool
place_by_environment(struct pane_ref *p)
{
	struct buf why = BUF_INIT;
	struct self self;
	const struct pane_ref *place = &self.record.place;
	bool found = self_find(&self, SELF_ENVIRONMENT, ".", NULL, &why) == 1 &&
	    place->socket != NULL && we_descend_from(place->pane_pid);

	if (found) {
		p->socket = xstrdup(place->socket);
		memcpy(p->pane, place->pane, sizeof(p->pane));
	}
	self_release(&self);
	buf_release(&why);
	return found;
}

static void
target_find_place(struct target *t, const char *pane)
{
	const char *own = getenv("TMUX_PANE");

	if (pane != NULL && !tmux_id_valid(pane, '%'))
		fatal_usage("reload: '%s' is not the id of a pane, as '%%3'",
		    pane);
	if (pane == NULL && place_by_environment(&t->place))
		return;
	if (pane == NULL)
		pane = getenv("TMUX") != NULL ? own : NULL;
	if (pane == NULL || !tmux_id_valid(pane, '%'))
		refuse("this is not inside tmux (no TMUX_PANE in the "
		    "environment); name its pane with --pane");
	t->place.socket = tmux_socket();
	snprintf(t->place.pane, sizeof(t->place.pane), "%s", pane);
}

static bool
path_within(const char *path, const char *root)
{
	size_t len = strlen(root);

	return strncmp(path, root, len) == 0 &&
	    (path[len] == '/' || path[len] == '\0');
}

/* Not as tmux names it: a script by its interpreter. */
static void
name_front(pid_t pane, char *name, size_t size)
{
	struct proc first;

	name[0] = '\0';
	if (proc_read(&first, pane) == 0 && first.front > 0)
		proc_name(first.front, name, size);
}

static void
count_alike(struct target *t, const struct tmux_listing *l)
{
	char name[sizeof(t->command)];
	size_t i;

	for (i = 0; i < l->npanes; i++) {
		const struct tmux_pane *p = &l->panes[i];

		if (strcmp(p->id, t->place.pane) == 0 || p->dead ||
		    !path_within(p->path, t->context.project.root))
			continue;
		name_front(p->pid, name, sizeof(name));
		t->alike += strcmp(name, t->command) == 0;
	}
}

/* The run of the issue that the pane names, if the run is in this pane. */
static void
target_find_run(struct target *t, const struct tmux_pane *pane)
{
	struct status *r = &t->record;
	const struct pane_ref *p = &t->place;

	status_init(r, "");
	reload_pane_key(t->key, p->server, p->pane);
	if (!issue_valid(pane->issue) || status_read(r, t->context.dir.state_fd,
	    pane->issue) != 1)
		return;
	if (r->place.socket == NULL || r->place.server != p->server ||
	    r->place.server_start != p->server_start ||
	    strcmp(r->place.pane, p->pane) != 0) {
		status_release(r);
		return;
	}
	t->issue = true;
	snprintf(t->key, sizeof(t->key), "%s", pane->issue);
}

static void
target_find_pane(struct target *t, const char *status_dir)
{
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane;
	struct proc first;

	if (tmux_list(t->place.socket, &l, &why) != TMUX_OK)
		refuse("%s", buf_str(&why));
	pane = listing_pane(&l, t->place.pane);
	if (pane == NULL)
		refuse("there is no pane %s on the tmux server at '%s'",
		    t->place.pane, t->place.socket);
	if (pane->dead || proc_read(&first, pane->pid) == -1)
		refuse("pane %s: its process has ended", t->place.pane);
	t->place.server = l.server;
	t->place.server_start = l.server_start;
	memcpy(t->place.session, pane->session, sizeof(t->place.session));
	memcpy(t->place.window, pane->window, sizeof(t->place.window));
	t->place.pane_pid = first.pid;
	t->place.pane_start = first.start;
	name_front(first.pid, t->command, sizeof(t->command));
	context_open(&t->context, status_dir != NULL ? status_dir :
	    issue_valid(pane->issue) && pane->dir[0] == '/' ? pane->dir : NULL,
	    false);
	t->path = xrealpath(pane->path);
	if (t->path == NULL)
		t->path = xstrdup(t->context.project.root);
	target_find_run(t, pane);
	count_alike(t, &l);
	listing_release(&l);
	buf_release(&why);
}

/* ---- the agent ----------------------------------------------------------- */

/* The agent of `paneward start`, if it is in front. */
static bool
find_started(struct target *t, pid_t front)
{
	struct launched l;

	if (!t->issue || t->record.adopted || launched_read(&l,
	    t->context.dir.state_fd, t->key, t->record.run) != 1 || l.ended ||
	    l.pid != front || !proc_alive(l.pid, l.start) ||
	    proc_read(&t->agent, l.pid) == -1 ||
	    t->agent.parent != t->place.pane_pid)
		return false;
	t->shape = RELOAD_STARTED;
	if (launch_noted(&t->launch, t->context.dir.state_fd, t->key,
	    t->record.run) != 1)
		t->launch = (struct launch){ 0 };
	return true;
}

static void
find_shell(struct target *t)
{
	pid_t parent = t->agent.parent;

	if (proc_read(&t->shell, parent) == -1)
		refuse("the shell that started '%s' is gone",
		    t->command);
	proc_name(parent, t->shell_name, sizeof(t->shell_name));
	if (!shell_known(t->shell_name))
		refuse("'%s' was started by '%s', which is no known shell, "
		    "so nothing can be typed at its prompt",
		    t->command, t->shell_name);
	t->shape = RELOAD_IN_SHELL;
}

static void
target_agent(struct target *t)
{
	struct proc first;
	pid_t front;

	if (proc_read(&first, t->place.pane_pid) == -1 || first.front <= 0)
		refuse("nothing runs in front of pane %s", t->place.pane);
	front = first.front;
	if (find_started(t, front))
		return;
	if (shell_known(t->command) || front == getpid())
		refuse("there is none in front of pane %s, but '%s'",
		    t->place.pane, t->command);
	if (proc_read(&t->agent, front) == -1 || t->agent.zombie)
		refuse("the leader of what runs in front of pane %s has "
		    "ended", t->place.pane);
	if (front == t->place.pane_pid)
		t->shape = RELOAD_OWN;
	else
		find_shell(t);
}

/* ---- its kind ------------------------------------------------------------ */

/* If start ran a command of the user's, its program names the backend. */
static void
target_find_backend(struct target *t)
{
	const char *recorded = t->issue ? t->record.backend : NULL;
	struct buf error = BUF_INIT;
	const char *name;

	if (recorded != NULL && strcmp(recorded, "shell") == 0)
		recorded = NULL;
	name = backend_choose(recorded, t->command, NULL);
	if (name == NULL)
		refuse("which kind of agent is '%s'? There is no "
		    "backends/%s.json", t->command, t->command);
	if (backend_read(&t->backend, name, &error) == -1)
		fatal_usage("%s", buf_str(&error));
	if (t->backend.command == NULL || (t->backend.resume[0] == NULL &&
	    t->backend.latest[0] == NULL))
		refuse("backend '%s' does not say how a session is resumed",
		    name);
	buf_release(&error);
}

void
target_find(struct target *t, const char *pane, const char *status_dir)
{
	*t = (struct target){ 0 };
	target_find_place(t, pane);
	target_find_pane(t, status_dir);
	target_agent(t);
	t->here = we_descend_from(t->agent.pid);
	target_find_backend(t);
}
