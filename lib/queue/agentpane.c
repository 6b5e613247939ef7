#include "queue/agentpane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chain/judge.h"
#include "project/project.h"
#include "queue/agentprocess.h"
#include "queue/look.h"
#include "queue/paneevents.h"

struct agentpane {
	struct agentpane_how how;
	struct row      row;            /* its status was never written */
	struct agentprocess process;
	struct look    *look;           /* NULL: no agent runs */
	char           *path;           /* where the project was searched */
};

char *
paneat_name(const struct paneat *at)
{
	return xasprintf("%s:%s.%s", at->pane->session_name,
	    at->pane->window_name, at->pane->index);
}

struct agentpane *
agentpane_new(const struct agentpane_how *how, const struct paneat *at)
{
	struct agentpane *p = xcalloc(1, sizeof(*p));
	struct status *r = &p->row.status;
	struct pane_ref *place = &r->place;

	p->how = *how;
	p->row.pane = true;
	status_init(r, "");
	paneevents_name(r->issue, at->pane->id, at->listing->server);
	r->adopted = true;
	place->socket = xstrdup(at->socket);
	place->server = at->listing->server;
	place->server_start = at->listing->server_start;
	place->pane_pid = at->pane->pid;
	memcpy(place->pane, at->pane->id, sizeof(place->pane));
	return p;
}

static void
agentpane_end(struct agentpane *p)
{
	look_free(p->look);
	p->look = NULL;
}

void
agentpane_free(struct agentpane *p)
{
	agentpane_end(p);
	row_release(&p->row);
	free(p->path);
	free(p);
}

bool
agentpane_is(const struct agentpane *p, const struct paneat *at)
{
	const struct pane_ref *place = &p->row.status.place;

	return place->pane_pid == at->pane->pid &&
	    place->server == at->listing->server &&
	    place->server_start == at->listing->server_start &&
	    strcmp(place->pane, at->pane->id) == 0;
}

/* An agent that was not there before. */
static void
agentpane_begin(struct agentpane *p)
{
	struct status *r = &p->row.status;
	struct buf error = BUF_INIT;

	agentpane_end(p);
	r->agent.pid = p->process.pid;
	r->agent.start = p->process.start;
	r->started = p->process.began;
	snprintf(r->boot, sizeof(r->boot), "%s", p->how.boot);
	r->since = 0;
	r->verdict = (struct verdict){ .state = STATE_NONE };
	free(r->backend);
	r->backend = xstrdup(p->process.backend->name);
	free(r->transcript.path);
	r->transcript.path = NULL;
	r->tokens = (struct token_count){ .read = 0 };
	p->look = look_new(p->how.dir, r, p->how.config->stalled_after * 1000);
	sources_backend(&p->look->sources, p->how.backends, NULL, "shell",
	    &error);
	buf_release(&error);
}

/* Another process may have seen it since the last look. */
static void
agentpane_rate(struct agentpane *p)
{
	char episode[SEEN_EPISODE];

	seen_episode(episode, &p->row.status);
	p->row.seen = p->how.dir->state_fd == -1 ? SEEN_NOT :
	    seen_read(p->how.dir->state_fd, p->row.status.issue, episode);
	row_rate(&p->row);
}

static void
agentpane_ask(struct agentpane *p, const struct tmux_pane *pane,
    const struct tmux_capture *c)
{
	struct status *r = &p->row.status;
	struct verdict v;

	look_judge(p->look, pane, c, &v);
	if (judge_changes(r, &v))
		look_take(p->look, &v);
	else if (v.state != STATE_NONE)
		r->verdict = v;
}

void
agentplace_release(struct agentplace *a)
{
	free(a->path);
	free(a->root);
	*a = (struct agentplace){ NULL, NULL };
}

static void
agentplace_search(struct agentplace *a, const char *path)
{
	struct buf why = BUF_INIT;
	struct project found;

	agentplace_release(a);
	a->path = xstrdup(path);
	if (project_find(&found, path, &why) == 0) {
		a->root = xstrdup(found.root);
		project_release(&found);
	}
	buf_release(&why);
}

/* Its project is where it works. */
static void
agentpane_find_project(struct agentpane *p, const char *path)
{
	struct agentplace *last = p->how.last;

	if (p->path != NULL && strcmp(p->path, path) == 0)
		return;
	if (last->path == NULL || strcmp(last->path, path) != 0)
		agentplace_search(last, path);
	free(p->path);
	p->path = xstrdup(path);
	free(p->row.project);
	p->row.project = last->root != NULL ? xstrdup(last->root) : NULL;
}

static void
agentpane_see(struct agentpane *p, const struct paneat *at)
{
	free(p->row.where);
	p->row.where = paneat_name(at);
	p->row.shown = listing_shown(at->listing, at->pane);
	agentpane_find_project(p, at->pane->path);
	p->row.alive = true;
	look_see(p->look, at->pane);
}

static void
agentpane_check_clock(struct agentpane *p)
{
	if (p->look == NULL || !look_misled(p->look))
		return;
	agentpane_end(p);
	p->process = (struct agentprocess){ .backend = NULL };
}

bool
agentpane_look(struct agentpane *p, const struct paneat *at)
{
	struct agentprocess before;
	bool there;

	agentpane_check_clock(p);
	before = p->process;
	there = agentpane_row(p) != NULL;
	if (there && look_rests(p->look, at->pane))
		return false;
	if (at->pane->dead || !agentprocess_look(&p->process, p->how.backends,
	    at->pane->pid)) {
		agentpane_end(p);
		return there;
	}
	if (there && before.pid == p->process.pid &&
	    before.start == p->process.start)
		return false;
	agentpane_begin(p);
	return true;
}

bool
agentpane_judge(struct agentpane *p, const struct paneat *at,
    const struct tmux_capture *c)
{
	struct row was = p->row;

	agentpane_see(p, at);
	if (c != NULL || !look_rests(p->look, at->pane))
		agentpane_ask(p, at->pane, c);
	agentpane_rate(p);
	return was.rank != p->row.rank || was.seen != p->row.seen ||
	    was.shown != p->row.shown || was.status.since !=
	    p->row.status.since || strcmp(
	    was.status.verdict.why, p->row.status.verdict.why) != 0 ||
	    strcmp(was.status.verdict.message,
	    p->row.status.verdict.message) != 0;
}

bool
agentpane_wants(const struct agentpane *p)
{
	return p->look != NULL && look_wants(p->look);
}

const struct pane_ref *
agentpane_place(const struct agentpane *p)
{
	return &p->row.status.place;
}

struct row *
agentpane_row(struct agentpane *p)
{
	return p->look != NULL ? &p->row : NULL;
}
