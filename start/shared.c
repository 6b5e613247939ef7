/*
 * shared.c - agents that would work in one folder, and overwrite what the
 * others do.
 */
#include "start/start.h"

#include "agent/agentprocess.h"
#include "run/queued.h"
#include "tmux/servers.h"

/* The agents named of a folder, and ms for the answer of a tmux server. */
enum { SHARED_NAMED = 3, SHARED_ASKING = 1000 };

int
issue_order(const void *a, const void *b)
{
	return text_order(*(char *const *)a, *(char *const *)b);
}

/* Adds the agents in a folder that are of no issue, or of another project's.  A
 * tmux server that does not answer has none. */
static char **
shared_panes(char **names, struct servers *servers, struct backends *all,
    const char *folder, const char *status_dir)
{
	struct agentprocess process = { .backend = NULL };
	struct buf why = BUF_INIT;
	const struct tmux_pane *p;
	struct server_pane at = { .server = NULL };

	servers_ask(servers, false);
	while (servers_next(servers, &at)) {
		p = at.pane;
		if (p->dead || strcmp(p->path, folder) != 0 ||
		    (p->issue[0] != '\0' && strcmp(p->dir, status_dir) == 0))
			continue;
		/* A backend that cannot be read has no agents. */
		backends_all(all, &why);
		if (why.len > 0)
			warnx("%s", buf_str(&why));
		buf_reset(&why);
		if (agentprocess_look(&process, all, p->pid) == 1)
			names = argv_own(names, server_pane_name(&at));
	}
	return names;
}

static char **
shared_issues(char **names, char *const *living, int state_fd,
    const char *folder)
{
	struct launch l;
	struct status r;
	const char *cwd;

	for (; living != NULL && *living != NULL; living++) {
		status_read(&r, state_fd, *living);
		cwd = launch_noted(&l, state_fd, *living, r.run) ?
		    l.cwd : r.cwd;
		if (cwd != NULL && strcmp(cwd, folder) == 0)
			names = argv_add(names, *living);
		launch_release(&l);
		status_release(&r);
	}
	return names;
}

void
shared_ask(const struct context *c, struct shared *v, size_t n)
{
	int state_fd = c->dir.state_fd;
	char **living = queued_agents(state_fd, false), **names;
	struct servers servers = { .limit = SHARED_ASKING };
	struct backends all = { .first = NULL };
	struct buf text = BUF_INIT;
	const char *folder;
	bool any = false;
	size_t i, k, count;

	if (living == NULL && state_fd != -1)
		fatal("cannot read which agents are at work");
	servers_add_all(&servers, c->config.sockets);
	for (i = 0; i < n; i++) {
		if ((folder = v[i].folder) == NULL)
			continue;
		names = shared_issues(NULL, living, state_fd, folder);
		for (k = i; k < n; k++)
			if (v[k].folder != NULL &&
			    strcmp(v[k].folder, folder) == 0) {
				names = argv_add(names, v[k].issue);
				v[k].folder = NULL;
			}
		qsort(names, argv_count(names), sizeof(*names), issue_order);
		names = shared_panes(names, &servers, &all, folder,
		    c->dir.path);
		count = argv_count(names);
		buf_reset(&text);
		for (k = 0; k < count && k < SHARED_NAMED; k++)
			buf_printf(&text, "%s%s", k ? ", " : "", names[k]);
		if (count > SHARED_NAMED)
			buf_printf(&text, " and %zu more", count -
			    SHARED_NAMED);
		if (count > 1)
			warnx("more than one agent would work in '%s': %s; "
			    "--new-worktree makes a work tree for each",
			    folder, buf_str(&text));
		any |= count > 1;
		argv_free(names);
	}
	servers_release(&servers);
	if (any && !msg_confirm("Start all the same?"))
		exit(EXIT_NO);
}
