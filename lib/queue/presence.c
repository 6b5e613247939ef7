#include "queue/row.h"

enum { SWEPT = 10 * 60 * 1000 };        /* ms for which a sweep is enough */

void
presence_init(struct presence *x)
{
	*x = (struct presence){ .state_fd = -1, .wall = clock_wall() };
	proc_boot(x->boot);
}

void
presence_enter(struct presence *x, int state_fd)
{
	struct stat st;
	int there;

	if (x->state_fd == state_fd)
		return;
	x->state_fd = state_fd;
	x->names = NULL;
	x->swept = x->followed = 0;
	x->blind = 0;
	there = file_look(state_fd, STATUSDIR_SWEPT, AT_SYMLINK_NOFOLLOW, &st);
	if (there == 1)
		x->swept = file_mtime(&st);
	if (there == -1 || lock_held(state_fd, STATUSDIR_ALL, &x->followed) ==
	    -1)
		x->blind = errno;
	if (x->swept > x->wall)         /* the clock was set back */
		x->swept = 0;
	if (x->followed > x->wall)
		x->followed = 0;
}

msec
presence_unwatched(struct presence *x, const struct status *r)
{
	bool over = status_over(r) && !handoff_open(&r->handoff);
	msec held = 0;
	int got = 0;

	x->unsure = 0;
	if (over || (x->swept + SWEPT > x->wall && !r->hidden))
		return 0;
	x->unsure = x->blind;
	if (x->unsure == 0 && (x->names == NULL || argv_has_sorted(x->names,
	    x->nnames, ISSUE_NAME(r->issue, "lock"))) &&
	    (got = lock_held(x->state_fd, r->issue, &held)) == -1)
		x->unsure = errno;
	if (x->unsure != 0 || got != 0)
		return 0;
	if (held == 0)
		held = r->since;
	if (held < x->followed)
		held = x->followed;
	return held > x->swept ? held : x->swept;
}

/* A missing process counts as a zombie; after a failed lookup only the pid is
 * known. */
static const struct proc *
look_up(struct proc *last, pid_t pid)
{
	if (last->pid != pid && proc_read(last, pid) == -1)
		*last = (struct proc){ .pid = pid, .zombie = errno == ESRCH };
	return last;
}

static bool
process_ended(struct presence *x, pid_t pid, uint64_t start)
{
	const struct proc *p = look_up(&x->last, pid);

	return p->zombie || (p->start != 0 && start != 0 && p->start != start);
}

static const char *
server_ended(struct presence *x, const struct status *r)
{
	const struct pane_ref *p = &r->place;
	const struct proc *server;

	if (proc_boot_differs(x->boot, r->boot))
		return "the machine was restarted";
	server = look_up(&x->server, p->server);
	/* A younger process than the pane's has reused the pid. */
	return server->zombie || (p->pane_start != 0 &&
	    server->start > p->pane_start) ? "its tmux server has ended" : NULL;
}

bool
presence_served(struct presence *x, const struct status *r)
{
	const struct pane_ref *p = &r->place;

	return p->socket != NULL && server_ended(x, r) == NULL &&
	    (!process_ended(x, p->pane_pid, p->pane_start) || x->last.zombie);
}

const char *
presence_ended(struct presence *x, const struct status *r)
{
	const struct pane_ref *p = &r->place;
	const char *server;

	if (state_reported(r->verdict.state) || status_over(r) ||
	    p->socket == NULL)
		return NULL;
	server = r->agent.background ? NULL : server_ended(x, r);
	if (server != NULL || r->reload.since != 0)
		return server;          /* a restart replaces processes */
	if (!r->agent.background &&
	    process_ended(x, p->pane_pid, p->pane_start))
		return "its pane's process has ended";
	return r->agent.pid != 0 && process_ended(x, r->agent.pid,
	    r->agent.start) ? "its agent has ended" : NULL;
}

bool
presence_alive(struct presence *x, const struct status *r)
{
	const struct pane_ref *p = &r->place;

	if (r->ended || proc_boot_differs(x->boot, r->boot))
		return false;
	return r->agent.pid != 0 ?
	    !process_ended(x, r->agent.pid, r->agent.start) :
	    p->pane_pid != 0 && !process_ended(x, p->pane_pid, p->pane_start);
}
