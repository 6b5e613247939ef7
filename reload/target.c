#include "reload/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "run/self.h"
#include "text/shell.h"
#include "tmux/tmux.h"

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
	bool found = self_find(&self, SELF_ENVIRONMENT, ".", &why) == 1 &&
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
	struct pane_ref *place = &t->r.place;

	if (pane != NULL && !tmux_id_valid(pane, '%'))
		fatal_usage("reload: '%s' is not the id of a pane, as '%%3'",
		    pane);
	if (pane == NULL && place_by_environment(place))
		return;
	if (pane == NULL && getenv("TMUX") != NULL)
		pane = getenv("TMUX_PANE");
	if (pane == NULL || !tmux_id_valid(pane, '%'))
		target_refuse("this is not inside tmux (no TMUX_PANE in the "
		    "environment); name its pane with --pane");
	place->socket = tmux_socket();
	snprintf(place->pane, sizeof(place->pane), "%s", pane);
}

/* Not as tmux names it: a script by its interpreter. */
static void
name_front(pid_t pane, char *name, size_t size)
{
	struct proc first;

	name[0] = '\0';
	if (proc_read(&first, pane) == 0 && first.foreground > 0)
		proc_program_name(first.foreground, name, size);
}

/* Counts the other panes of the project with that command in front. */
static void
count_alike(struct target *t, const struct tmux_listing *l)
{
	const char *root = t->context.project.root;
	size_t len = strlen(root), i;
	char name[sizeof(t->command)];

	for (i = 0; i < l->npanes; i++) {
		const struct tmux_pane *p = &l->panes[i];

		if (strcmp(p->id, t->r.place.pane) == 0 || p->dead ||
		    strncmp(p->path, root, len) != 0 ||
		    (p->path[len] != '/' && p->path[len] != '\0'))
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
	const struct pane_ref *p = &t->r.place;

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
	struct pane_ref *place = &t->r.place;
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane;
	struct proc first;

	if (tmux_list(place->socket, &l, &why) != TMUX_OK)
		target_refuse("%s", buf_str(&why));
	pane = listing_pane(&l, place->pane);
	if (pane == NULL)
		target_refuse("there is no pane %s on the tmux server at '%s'",
		    place->pane, place->socket);
	if (pane->dead || proc_read(&first, pane->pid) == -1)
		target_refuse("pane %s: its process has ended", place->pane);
	place->server = l.server;
	place->server_start = l.server_start;
	memcpy(place->session, pane->session, sizeof(place->session));
	memcpy(place->window, pane->window, sizeof(place->window));
	place->pane_pid = first.pid;
	place->pane_start = first.start;
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
find_started(struct target *t, pid_t foreground)
{
	int state_fd = t->context.dir.state_fd;
	struct launched l;

	if (!t->issue || t->record.adopted || launched_read(&l, state_fd,
	    t->key, t->record.run) != 1 || l.ended ||
	    l.pid != foreground || !proc_alive(l.pid, l.start) ||
	    proc_read(&t->agent, l.pid) == -1 ||
	    t->agent.parent != t->r.place.pane_pid)
		return false;
	t->r.shape = RELOAD_STARTED;
	launch_noted(&t->launch, state_fd, t->key, t->record.run);
	return true;
}

static void
find_shell(struct target *t)
{
	struct reload *r = &t->r;
	struct proc shell;

	if (proc_read(&shell, t->agent.parent) == -1)
		target_refuse("the shell that started '%s' is gone",
		    t->command);
	proc_program_name(shell.pid, r->shell_name, sizeof(r->shell_name));
	if (!shell_known(r->shell_name))
		target_refuse("'%s' was started by '%s', which is no known "
		    "shell, so nothing can be typed at its prompt",
		    t->command, r->shell_name);
	r->shape = RELOAD_IN_SHELL;
	r->shell = shell.pid;
	r->shell_start = shell.start;
}

static void
target_agent(struct target *t)
{
	const struct pane_ref *place = &t->r.place;
	struct proc first;

	if (proc_read(&first, place->pane_pid) == -1 || first.foreground <= 0)
		target_refuse("nothing runs in front of pane %s", place->pane);
	if (find_started(t, first.foreground))
		return;
	if (shell_known(t->command) || first.foreground == getpid())
		target_refuse("there is none in front of pane %s, but '%s'",
		    place->pane, t->command);
	if (proc_read(&t->agent, first.foreground) == -1 || t->agent.zombie)
		target_refuse("the leader of what runs in front of pane %s has "
		    "ended", place->pane);
	if (first.foreground == place->pane_pid)
		t->r.shape = RELOAD_OWN;
	else
		find_shell(t);
}

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
		target_refuse("which kind of agent is '%s'? There is no "
		    "backends/%s.json", t->command, t->command);
	if (backend_read(&t->backend, name, &error) == -1)
		fatal_wrong("%s", buf_str(&error));
	if (t->backend.command == NULL || (t->backend.resume[0] == NULL &&
	    t->backend.latest[0] == NULL))
		target_refuse("backend '%s' does not say how a session is "
		    "resumed", name);
	buf_release(&error);
}

void
target_find(struct target *t, const char *pane, const char *status_dir)
{
	target_find_place(t, pane);
	target_find_pane(t, status_dir);
	target_agent(t);
	t->here = we_descend_from(t->agent.pid);
	target_find_backend(t);
}
