/*
 * panes.c - agents without an issue: --everywhere gives each a run of its own.
 *
 * Their site, the user's folder of panes (queue/paneevents.h), has no status
 * directory: no signal, log, pipe, hand-off or answering rule.  A track's issue
 * is the name of its pane; its run is one process.
 */
#include "watcher/track.h"

#include "agent/agentprocess.h"
#include "queue/paneevents.h"

enum { PANES_BEGINNING = 60000 };       /* ms until an agent shows its prompt,
					   on a busy machine */

/* old: the run before in the pane, whose notice may be due, or NULL.  True:
 * there is no agent, or it has a run. */
static bool
panes_begin(struct watch *w, const char *name, const struct server_pane *at,
    struct track *old)
{
	struct agentprocess a = { .backend = NULL };
	struct project project = { .root = NULL };
	struct buf why = BUF_INIT;
	struct tmux_pane pane = *at->pane;
	char none[] = "";
	struct status *r;
	struct track *t;
	int got;

	got = pane.dead ? 0 : agentprocess_look(&a, &w->backends, pane.pid);
	if (got != 1)
		return got == 0;
	if (old != NULL)
		track_finish(old, EXIT_DONE);
	t = track_new(w->panes, name);
	r = &t->record;
	pane.run = none;                /* of an issue that has left it */
	if (project_find(&project, pane.path, &why) == -1)
		buf_reset(&why);
	if (run_begin(r, &(struct run_how){ .project = &project, .dir = t->dir,
	    .where = &(struct server_pane){ at->server, &pane } }, &why) == -1
	    || status_lock(&t->lock, t->dir->state_fd, name, 0) != 1) {
		project_release(&project);
		buf_release(&why);
		track_free(t);
		return false;
	}
	if (r->worktree == NULL && project.git_dir != NULL && !project.bare) {
		r->worktree = xstrdup(project.root);
		r->branch = project_branch(r->worktree, &why);
	}
	project_release(&project);
	buf_release(&why);
	r->name = server_pane_name(at);
	r->backend = xstrdup(a.backend->name);
	r->agent.pid = a.pid;
	r->agent.start = a.start;
	r->started = a.began;
	t->next = w->tracks;
	w->tracks = t;
	t->life.begun = t->due.marked = t->unsaved.record = true;
	track_journal(t, JOURNAL_RUN, "adopted");
	gather_open(t);
	return true;
}

static void
panes_end(struct track *t, const char *how)
{
	int folder = t->dir->state_fd;

	track_journal(t, JOURNAL_RUN, how);
	unlinkat(folder, ISSUE_NAME(t->issue, "json"), 0);
	unlinkat(folder, ISSUE_NAME(t->issue, "notice"), 0);
	unlinkat(folder, ISSUE_NAME(t->issue, "doing"), 0);
	unlinkat(folder, ISSUE_NAME(t->issue, "seen"), 0);
	track_finish(t, EXIT_DONE);
}

bool
panes_listing(struct watch *w, struct tmux_server *s)
{
	const struct tmux_listing *l = &s->listing;
	struct server_pane at = { .server = s };
	char name[ISSUE_MAX + 1], issue[ISSUE_MAX + 1];
	const struct site *owner;
	struct track *t;
	bool again = false;
	size_t i;

	for (i = 0; w->panes != NULL && i < l->npanes; i++) {
		at.pane = &l->panes[i];
		if (!paneevents_name(name, at.pane->id, l->server))
			continue;
		t = track_find(w->panes, name);
		if (t != NULL && t->life.finished)
			t = NULL;
		owner = w->sites;
		while (owner != NULL && paneowner_of(&owner->rules, at.pane,
		    false, issue) == PANEOWNER_NONE)
			owner = owner->next;
		if (owner != NULL || at.pane->issue[0] != '\0') {
			/* A pane that was handed over has a name. */
			if (t != NULL && at.pane->issue[0] != '\0')
				panes_end(t, "it goes on as an issue's");
		} else if (t == NULL || t->record.ended) {
			again |= !panes_begin(w, name, &at, t);
		} else {
			free(t->record.name);
			t->record.name = server_pane_name(&at);
			again |= t->evidence.agent_ended;
		}
	}
	return again;
}

static bool
panes_rest(const struct evidence *ev)
{
	enum event_type hook = ev->hook.last, said = ev->transcript.last;

	return hook == EVENT_ENDED || hook == EVENT_OVER ||
	    said == EVENT_ENDED || said == EVENT_OVER;
}

/* An agent that draws its first screen is only known to live. */
bool
panes_begins(const struct track *t, const struct verdict *v)
{
	const struct evidence *ev = &t->evidence;
	const struct status *r = &t->record;

	return v->state == STATE_WAITING && r->changes <= 1 &&
	    strcmp(verdict_source(&r->verdict), "process") == 0 &&
	    ev->hook.turns == 0 && ev->transcript.turns == 0 &&
	    !panes_rest(ev) && clock_wall() < r->started + PANES_BEGINNING;
}

bool
panes_quit(struct track *t)
{
	const struct evidence *ev = &t->evidence;
	enum state state = t->record.verdict.state;
	bool known = ev->exit_code != -1 || ev->exit_signal != -1;

	if (known ? ev->exit_code != 0 : !panes_rest(ev) &&
	    state != STATE_WAITING && state != STATE_LIMITED)
		return false;
	panes_end(t, "its agent was ended");
	return true;
}

void
panes_hand_over(struct status *r, const struct statusdir *dir)
{
	int folder = paneevents_open(false);
	char name[ISSUE_MAX + 1];
	struct status old, new;

	status_init(&old, "");
	if (paneevents_name(name, r->place.pane, r->place.server) &&
	    status_read(&old, folder, name) == 1 &&
	    old.place.server_start == r->place.server_start &&
	    old.place.pane_pid == r->place.pane_pid &&
	    proc_alive(old.agent.pid, old.agent.start)) {
		events_copy(folder, name, dir->state_fd, r->issue);
		new = old;
		memcpy(new.issue, r->issue, sizeof(new.issue));
		new.name = NULL;
		new.worktree = r->worktree;
		new.branch = r->branch;
		new.marker = r->marker;
		new.log = r->log;
		new.ignored_capture = r->ignored_capture;
		new.events = 0;
		new.notice = NOTICE_NONE;       /* it was sent already */
		r->worktree = old.worktree;
		r->branch = old.branch;
		r->marker = NULL;
		status_release(r);
		free(old.name);
		*r = new;
		status_init(&old, "");
	}
	status_release(&old);
	file_close(folder);
}
