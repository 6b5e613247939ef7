#include "run/run.h"

#include <signal.h>

#include "run/panelog.h"
#include "run/sigfile.h"

enum { KILLING = 1000, PAUSE = 5 };

int
run_oldest(const struct statusdir *dir, const char *issue, msec *oldest)
{
	const char *const names[] = { SIGFILE_OF(SIGFILE_COMPLETE, issue),
	    SIGFILE_OF(SIGFILE_ERROR, issue), PANELOG_OF(issue, "") };
	struct stat st;
	int any = 0, there;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		there = file_look(dir->fd, names[i], AT_SYMLINK_NOFOLLOW, &st);
		if (there == -1)
			return -1;
		if (there == 0 || !S_ISREG(st.st_mode))
			continue;
		if (any == 0 || file_mtime(&st) < *oldest)
			*oldest = file_mtime(&st);
		any = 1;
	}
	return any;
}

static void
run_take_place(struct status *r, const struct server_pane *f)
{
	struct pane_ref *p = &r->place;

	pane_ref_release(p);
	p->socket = xstrdup(f->server->socket);
	p->server = f->server->listing.server;
	p->server_start = f->server->listing.server_start;
	memcpy(p->session, f->pane->session, sizeof(p->session));
	memcpy(p->window, f->pane->window, sizeof(p->window));
	memcpy(p->pane, f->pane->id, sizeof(p->pane));
	p->pane_pid = f->pane->pid;
	p->pane_start = proc_start(p->pane_pid);
}

void
run_stop_writer(const struct status *r, const struct statusdir *dir,
    const struct server_pane *where)
{
	struct proc_id writer;
	msec until;

	if ((where != NULL && strcmp(where->pane->id, r->place.pane) == 0 &&
	    where->server->listing.server == r->place.server) ||
	    panelog_writer(dir->state_fd, r->issue, PANE_NAME(&r->place),
	    &writer) != PANELOG_WRITTEN)
		return;
	kill(writer.pid, SIGKILL);
	until = clock_now() + KILLING;
	while (proc_alive(writer.pid, writer.start) && clock_now() < until)
		loop_pause(PAUSE);
}

int
run_begin(struct status *r, const struct run_how *how, struct buf *why)
{
	const struct tmux_pane *pane = how->where ? how->where->pane : NULL;
	struct status old = *r;
	struct proc root, foreground;
	char id[RUN_ID_LEN + 1];

	/* Without its record, the agent's pane still knows the run's id. */
	if (pane != NULL && !how->fresh && old.run[0] == '\0' &&
	    run_id_valid(pane->run))
		memcpy(id, pane->run, sizeof(id));
	else if (run_id_make(id) == -1) {
		buf_printf(why, "cannot make a run id: %s", strerror(errno));
		return -1;
	}
	status_init(r, old.issue);
	memcpy(r->run, id, sizeof(r->run));
	r->adopted = true;
	r->fresh = how->fresh;
	r->verdict.state = STATE_UNKNOWN;
	verdict_set_source(&r->verdict, "process");
	verdict_why(&r->verdict, "nothing was judged yet");
	proc_boot(r->boot);
	r->started = r->since = clock_wall();
	if (pane != NULL)
		run_take_place(r, how->where);
	if (pane != NULL && proc_read(&root, pane->pid) == 0 && !root.zombie) {
		if (proc_read(&foreground, root.foreground) == -1)
			foreground = root;
		r->agent.pid = foreground.pid;
		r->agent.start = foreground.start;
		r->started = foreground.began;
	} else if (run_oldest(how->dir, r->issue, &r->started) == -1) {
		buf_printf(why, "cannot look at its files in '%s': %s",
		    how->dir->path, strerror(errno));
	}
	r->cwd = pane ? xrealpath(pane->path) : NULL;
	r->worktree = r->cwd ? project_worktree_at(how->project, r->cwd, true,
	    why) : project_worktree_of(how->project, r->issue, why);
	if (r->worktree != NULL)
		r->branch = project_branch(r->worktree, why);
	if (why->len > 0) {
		status_release(r);
		*r = old;
		return -1;
	}
	if (how->fresh)
		r->started = r->since;
	if (how->marker != NULL)
		r->marker = xstrdup(how->marker);
	/* Log and screen are the earlier run's. */
	if (how->fresh || old.run[0] != '\0') {
		panelog_end(how->dir->fd, r->issue, &r->log);
		r->log.begin = r->log.scan.offset = r->log.read;
	}
	if (how->fresh || (pane != NULL && old.place.pane_pid == pane->pid)) {
		r->ignored_capture.complete = r->ignored_capture.error =
		    UINT32_MAX;
		r->transcript.past = r->since;
	}
	status_release(&old);
	return 0;
}

bool
run_find_place(struct status *r, const struct server_pane *f)
{
	if (r->place.socket != NULL || r->run[0] == '\0' ||
	    strcmp(f->pane->run, r->run) != 0)
		return false;
	run_take_place(r, f);
	return true;
}

const char *
run_of_panes(const struct status *r)
{
	return r->adopted && r->place.socket == NULL ? "" : r->run;
}

bool
run_stands(const struct status *r, const struct server_pane *old,
    const struct server_pane *found, size_t n)
{
	if (r->run[0] == '\0')
		return false;
	if (handoff_open(&r->handoff))
		return true;
	if (run_of_panes(r)[0] == '\0' && n == 1)
		return false;
	return !status_over(r) || (old->pane != NULL && !old->pane->dead) ||
	    n == 0 || (n == 1 && found[0].pane == old->pane);
}

enum run_answer
run_resolve(const struct status *r, const struct statusdir *dir,
    const struct server_pane *old, const struct server_pane *found, size_t n,
    struct buf *panes)
{
	msec oldest;
	size_t i;

	if (run_stands(r, old, found, n))
		return RUN_STANDS;
	if (n == 0 && run_oldest(dir, r->issue, &oldest) == 0)
		return RUN_NOTHING;
	if (n <= 1)
		return RUN_NEW;
	for (i = 0; i < n && i < RUN_LISTED; i++)
		buf_printf(panes, "%s%s (session %s)", i ? ", " : "",
		    found[i].pane->id, found[i].pane->session_name);
	return RUN_MANY;
}

enum pane_life
run_life(const struct servers *s, const struct status *r,
    struct server_pane *found)
{
	const struct pane_ref *p = &r->place;
	struct tmux_server *server;
	struct proc proc;
	msec began;

	*found = (struct server_pane){ NULL, NULL };
	if (p->socket == NULL)
		return PANE_NONE;
	server = servers_at(s, p->socket);
	if (proc_boot_differs(s->boot, r->boot) || server == NULL)
		return PANE_GONE;               /* no pane survives a boot */
	if (!servers_serves(server, p)) {
		if (proc_read(&proc, p->server) == -1)
			return errno != ESRCH ? PANE_SILENT : PANE_GONE;
		/* A reused pid did not start when tmux did. */
		began = proc.began / 1000;
		return !proc.zombie && began >= p->server_start - 5 &&
		    began <= p->server_start + 5 ? PANE_SILENT : PANE_GONE;
	}
	found->pane = listing_pane(&server->listing, p->pane);
	found->server = found->pane ? server : NULL;
	if (found->pane == NULL)
		return PANE_GONE;
	/* Before 3.6 tmux can lose the news of an end. */
	return found->pane->dead || (found->pane->pid == p->pane_pid &&
	    proc_ended(p->pane_pid)) ? PANE_DEAD : PANE_LIVES;
}
