#include "handoff/occupants.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/file.h"
#include "os/spawn.h"
#include "run/project.h"

enum { LIMIT = 10000 };                 /* ms that ps and lsof may take */

struct row {
	pid_t pid, parent, group;
	char  tty[32];
	bool  ours;                     /* of the pane */
};

struct processes {
	struct row *rows;
	size_t      n;
};

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

static char *
occupants_run(const char *const *argv)
{
	struct spawn s = SPAWN_INIT;
	char *text = NULL;

	if (spawn_begin(&s, &(struct spawn_how){ .argv = argv,
	    .limit = LIMIT }) == 0) {
		spawn_finish(&s);
		buf_adds(&s.output, "");
		if (s.status >= 0 && s.status != 127)
			text = buf_steal(&s.output);
	}
	spawn_release(&s);
	return text;
}

/* A line "p42" for each process, then "n/its/directory". */
static bool
inside_by_lsof(const char *folder, pid_t **inside, size_t *n)
{
	char *text = occupants_run((const char *const[]){ "lsof", "-w", "-d",
	    "cwd", "-F", "pn", NULL });
	char *rest = text, *line;
	pid_t pid = 0;

	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL) {
		if (line[0] == 'p')
			pid = (pid_t)atol(line + 1);
		else if (line[0] == 'n' && project_contains(folder, line + 1))
			pids_add(inside, n, pid);
	}
	free(text);
	return text != NULL;
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

static void
processes_read(struct processes *all)
{
	char *text = occupants_run((const char *const[]){ "ps", "-A", "-o",
	    "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "tty=", NULL });
	char *rest = text, *line;
	long pid, parent, group;
	struct row r;

	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL) {
		if (sscanf(line, "%ld %ld %ld %31s", &pid, &parent, &group,
		    r.tty) != 4)
			continue;
		r.pid = (pid_t)pid;
		r.parent = (pid_t)parent;
		r.group = (pid_t)group;
		r.ours = false;
		all->rows = xreallocarray(all->rows, all->n + 1, sizeof(r));
		all->rows[all->n++] = r;
	}
	free(text);
}

static struct row *
process_of(const struct processes *all, pid_t pid)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->rows[i].pid == pid)
			return &all->rows[i];
	return NULL;
}

/* ps shows '?' or '-' for a process without a terminal. */
static bool
has_terminal(const struct row *r)
{
	return isalnum((unsigned char)r->tty[0]);
}

static bool
belongs(const struct processes *all, const struct row *r, pid_t pane)
{
	const struct row *top = process_of(all, pane);
	const struct row *parent = process_of(all, r->parent);

	return r->pid == pane || r->group == pane ||
	    (parent != NULL && parent->ours) || (top != NULL &&
	    has_terminal(r) && strcmp(r->tty, top->tty) == 0);
}

static void
mark_ours(struct processes *all, pid_t pane)
{
	bool again = pane != 0;
	size_t i;

	while (again) {
		again = false;
		for (i = 0; i < all->n; i++)
			if (!all->rows[i].ours && belongs(all, &all->rows[i],
			    pane))
				again = all->rows[i].ours = true;
	}
}

/* Is it the tmux server, or a pipe of it? */
static bool
serves(const struct processes *all, const struct row *r, pid_t server)
{
	const struct row *leader = process_of(all, r->group);

	return server != 0 && (r->group == server || (leader != NULL &&
	    leader->parent == server && !has_terminal(leader)));
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
	struct processes all = { 0 };
	pid_t *inside = NULL, who = 0;
	size_t i, n = 0;

	if (!find_inside(folder, &inside, &n))
		return -1;
	if (n > 0)
		processes_read(&all);
	mark_ours(&all, o->pane);
	for (i = 0; i < n; i++) {
		const struct row *r = process_of(&all, inside[i]);

		if (r != NULL && r->ours && !serves(&all, r, o->server))
			pids_add(&o->ours, &o->nours, r->pid);
		else if ((all.n == 0 || (r != NULL && !serves(&all, r,
		    o->server))) && (who == 0 || inside[i] < who))
			who = inside[i];
	}
	free(inside);
	free(all.rows);
	return who;
}
