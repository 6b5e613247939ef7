#include "handoff/occupants.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "run/project.h"

enum { LIMIT = 10000 };                 /* ms that lsof may take */

static void
pids_add(pid_t **list, size_t *n, pid_t pid)
{
	*list = xreallocarray(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = pid;
}

/* ---- who is inside ------------------------------------------------------- */

static void
inside_by_proc(DIR *proc, const char *folder, pid_t **inside, size_t *n)
{
	char path[300], cwd[8192];
	const struct dirent *e;
	ssize_t len;

	while ((e = readdir(proc)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cwd", e->d_name);
		len = readlink(path, cwd, sizeof(cwd) - 1);
		if (len <= 0)
			continue;
		cwd[len] = '\0';
		if (project_contains(folder, cwd))
			pids_add(inside, n, (pid_t)atol(e->d_name));
	}
}

/* A line "p42" for each process, then "n/its/directory". */
static bool
inside_by_lsof(const char *folder, pid_t **inside, size_t *n)
{
	struct spawn s = SPAWN_INIT;
	char *rest, *line;
	pid_t pid = 0;
	int status = spawn_run(&s, &(struct spawn_how){ .limit = LIMIT, .argv =
	    (const char *const[]){ "lsof", "-w", "-d", "cwd", "-F", "pn",
	    NULL } });

	buf_addc(&s.output, '\0');
	for (rest = s.output.data; (line = strsep(&rest, "\n")) != NULL;)
		if (line[0] == 'p')
			pid = (pid_t)atol(line + 1);
		else if (line[0] == 'n' && project_contains(folder, line + 1))
			pids_add(inside, n, pid);
	spawn_release(&s);
	return status >= 0 && status != 127;
}

static bool
find_inside(const char *folder, pid_t **inside, size_t *n)
{
	DIR *proc = access("/proc/self/cwd", F_OK) == 0 ?
	    file_opendir(AT_FDCWD, "/proc") : NULL;

	if (proc == NULL)
		return inside_by_lsof(folder, inside, n);
	inside_by_proc(proc, folder, inside, n);
	closedir(proc);
	return true;
}

/* ---- whose they are ------------------------------------------------------ */

static bool
of_pane(const struct proc *p, const struct proc *top)
{
	return p->pid == top->pid || p->group == top->pid ||
	    (top->terminal[0] != '\0' &&
	    strcmp(p->terminal, top->terminal) == 0);
}

/* Does the process, or one that it descends from, belong to the pane? */
static bool
descends(struct proc p, pid_t pane)
{
	struct proc top = { .pid = pane };

	if (pane == 0)
		return false;
	if (proc_read(&top, pane) == -1)
		top = (struct proc){ .pid = pane };
	while (!of_pane(&p, &top))
		if (p.parent <= 1 || proc_read(&p, p.parent) == -1)
			return false;
	return true;
}

/* Is it the tmux server, or a pipe of it? */
static bool
serves(const struct proc *p, pid_t server)
{
	struct proc leader;

	return server != 0 && (p->group == server ||
	    (proc_read(&leader, p->group) == 0 && leader.parent == server &&
	    leader.terminal[0] == '\0'));
}

bool
occupants_ours(const struct occupants *o, pid_t pid)
{
	size_t i;

	for (i = 0; i < o->nours; i++)
		if (o->ours[i] == pid)
			return true;
	return false;
}

pid_t
occupants_stranger(struct occupants *o, const char *folder)
{
	pid_t *inside = NULL, who = 0;
	struct proc p = { 0 };
	size_t i, n = 0;
	bool known;

	if (!find_inside(folder, &inside, &n))
		return -1;
	for (i = 0; i < n; i++) {
		known = proc_read(&p, inside[i]) == 0;
		if (known ? serves(&p, o->server) : errno == ESRCH)
			continue;
		if (known && descends(p, o->pane))
			pids_add(&o->ours, &o->nours, inside[i]);
		else if (who == 0 || inside[i] < who)
			who = inside[i];
	}
	free(inside);
	return who;
}
