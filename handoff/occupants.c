#include "handoff/tree.h"

#include <ctype.h>

#include "os/proc.h"
#include "project/project.h"

enum { LIMIT = 10000 };

/* -1 with errno: some cannot be seen, beside those of other users. */
static int
inside_by_proc(const char *folder, struct buf *inside)
{
	char **names = file_names(AT_FDCWD, "/proc"), **name;
	char path[300], cwd[8192];
	int error = names == NULL ? errno : 0;
	ssize_t len;
	pid_t pid;

	for (name = names; name != NULL && *name != NULL; name++) {
		snprintf(path, sizeof(path), "/proc/%s/cwd", *name);
		len = isdigit((unsigned char)**name) ? readlink(path, cwd,
		    sizeof(cwd) - 1) : 0;
		if (len == -1 && errno != ENOENT && errno != ESRCH &&
		    errno != EACCES && errno != EPERM)
			error = errno;
		if (len <= 0)
			continue;
		cwd[len] = '\0';
		/* That of a removed folder is "PATH (deleted)". */
		if (project_contains(folder, cwd) && (access(cwd, F_OK) == 0 ||
		    !file_missing(errno))) {
			pid = (pid_t)atol(*name);
			buf_add(inside, &pid, sizeof(pid));
		}
	}
	argv_free(names);
	errno = error;
	return error == 0 ? 0 : -1;
}

/* lsof prints a line "p42" for each process, then "n/its/directory". */
static bool
inside_by_lsof(const char *folder, struct buf *inside)
{
	struct spawn s = SPAWN_INIT;
	char *rest, *line;
	pid_t pid = 0;
	int status = spawn_run(&s, &(struct spawn_how){ .limit = LIMIT, .argv =
	    WORDS("lsof", "-w", "-d", "cwd", "-F", "pn") });

	buf_addc(&s.output, '\0');
	for (rest = s.output.data; (line = strsep(&rest, "\n")) != NULL;)
		if (line[0] == 'p')
			pid = (pid_t)atol(line + 1);
		else if (line[0] == 'n' && project_contains(folder, line + 1))
			buf_add(inside, &pid, sizeof(pid));
	spawn_release(&s);
	return status >= 0 && status != 127;
}

static bool
descends(struct proc p, pid_t pane)
{
	struct proc top = { .pid = pane };

	if (pane == 0)
		return false;
	proc_read(&top, pane);
	while (p.pid != pane && p.group != pane && (top.terminal[0] == '\0' ||
	    strcmp(p.terminal, top.terminal) != 0))
		if (p.parent <= 1 || proc_read(&p, p.parent) == -1)
			return false;
	return true;
}

bool
occupants_ours(const struct occupants *o, pid_t pid)
{
	size_t i;

	for (i = 0; i < o->ours.len; i += sizeof(pid))
		if (memcmp(o->ours.data + i, &pid, sizeof(pid)) == 0)
			return true;
	return false;
}

pid_t
occupants_stranger(struct occupants *o, const char *folder)
{
	struct buf inside = BUF_INIT;
	struct proc p = { 0 }, leader;
	pid_t pid, who = 0;
	size_t i;
	bool known;

	if (access("/proc/self/cwd", F_OK) == 0 || !file_missing(errno)) {
		if (inside_by_proc(folder, &inside) == -1)
			who = -1;
	} else if (!inside_by_lsof(folder, &inside)) {
		errno = 0;
		who = -1;
	}
	for (i = 0; who != -1 && i < inside.len; i += sizeof(pid)) {
		memcpy(&pid, inside.data + i, sizeof(pid));
		known = proc_read(&p, pid) == 0;
		if (!known && errno == ESRCH)
			continue;
		/* The tmux server and its pipes. */
		if (known && o->server != 0 && (p.group == o->server ||
		    (proc_read(&leader, p.group) == 0 &&
		    leader.parent == o->server && leader.terminal[0] == '\0')))
			continue;
		if (known && descends(p, o->pane))
			buf_add(&o->ours, &pid, sizeof(pid));
		else if (who == 0 || pid < who)
			who = pid;
	}
	buf_release(&inside);
	return who;
}
