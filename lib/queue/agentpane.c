#include "queue/agentpane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "chain/judge.h"
#include "chain/sources.h"
#include "project/project.h"
#include "queue/agentprocess.h"
#include "queue/paneevents.h"

enum {
	CAPTURE_QUIET = 1000,           /* ms without output, or */
	CAPTURE_EVERY = 3000,           /* ms since the last capture */
	JUDGE_EVERY = 10000             /* ms, though nothing changed */
};

struct agentpane {
	struct agentpane_how how;
	struct row      row;            /* its status was never written */
	struct agentprocess process;
	struct sources  sources;        /* without a backend: not begun */
	struct evidence evidence;
	char           *path;           /* where the project was searched */
	msec            activity;       /* wall time of the last output */
	msec            captured;       /* wall time; 0: never */
	msec            judged;         /* wall time; 0: never */
	uint64_t        title;          /* a hash of the title then */
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
	if (p->sources.backend == NULL)
		return;
	sources_release(&p->sources);
	evidence_release(&p->evidence);
	p->sources = (struct sources){ .backend = NULL };
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
	proc_boot(r->boot);
	r->since = 0;
	r->verdict = (struct verdict){ .state = STATE_NONE };
	free(r->backend);
	r->backend = xstrdup(p->process.backend->name);
	free(r->transcript.path);
	r->transcript.path = NULL;
	sources_init(&p->sources, p->how.dir, r);
	sources_backend(&p->sources, p->how.backends, NULL, "shell", &error);
	buf_release(&error);
	p->sources.pass = true;
	evidence_init(&p->evidence, r->issue);
	p->evidence.stalled_after = p->how.config->stalled_after * 1000;
	p->captured = p->judged = 0;
}

/* When did what decided happen?  0: that is not known. */
static msec
agentpane_since(const struct agentpane *p, const struct verdict *v)
{
	const struct evidence *ev = &p->evidence;

	if (strcmp(v->source, "hook") == 0)
		return ev->hook.time;
	if (strcmp(v->source, "transcript") == 0)
		return ev->transcript.time;
	return v->state == STATE_WORKING ? 0 : p->activity;
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
agentpane_judge(struct agentpane *p, const struct tmux_pane *pane,
    const struct tmux_capture *c)
{
	struct sources *s = &p->sources;
	struct status *r = &p->row.status;
	bool first = r->verdict.state == STATE_NONE || p->captured == 0;
	struct verdict v;

	s->now = p->judged = clock_wall();
	p->title = text_hash(pane->title, strlen(pane->title));
	s->pane = pane;
	s->title = pane->title;
	s->text = c != NULL ? c->text : NULL;
	s->text_len = c != NULL ? c->len : 0;
	if (c != NULL)
		p->captured = s->now;
	s->events_due = true;
	p->evidence.pane = PANE_LIVES;
	judge(s, &p->evidence, &v);
	if (v.state != r->verdict.state || strcmp(v.why, r->verdict.why) != 0)
		r->since = first ? agentpane_since(p, &v) : s->now;
	r->verdict = v;
	s->pane = NULL;
	s->title = s->text = NULL;
}

/* Its project is where it works. */
static void
agentpane_find_project(struct agentpane *p, const char *path)
{
	struct project found;

	if (p->path != NULL && strcmp(p->path, path) == 0)
		return;
	free(p->path);
	p->path = xstrdup(path);
	free(p->row.project);
	p->row.project = NULL;
	if (project_find(&found, p->path) == -1)
		return;
	p->row.project = xstrdup(found.root);
	project_release(&found);
}

static void
agentpane_see(struct agentpane *p, const struct paneat *at)
{
	free(p->row.where);
	p->row.where = paneat_name(at);
	p->row.shown = listing_shown(at->listing, at->pane);
	agentpane_find_project(p, at->pane->path);
	p->row.alive = true;
	p->activity = (msec)at->pane->activity * 1000;
	p->sources.screen.moved |= p->activity >= p->captured;
}

/* Has the pane done nothing since it was judged?  What happens without any
 * output is seen a few seconds later. */
static bool
agentpane_rests(const struct agentpane *p, const struct paneat *at)
{
	return !at->pane->dead &&
	    (msec)at->pane->activity * 1000 + 1000 < p->judged &&
	    clock_wall() < p->judged + JUDGE_EVERY &&
	    p->title == text_hash(at->pane->title, strlen(at->pane->title));
}

/* Once the clock was set back, all times from before mislead. */
static void
agentpane_check_clock(struct agentpane *p)
{
	if (clock_wall() >= p->judged)
		return;
	agentpane_end(p);
	p->process = (struct agentprocess){ .backend = NULL };
}

bool
agentpane_look(struct agentpane *p, const struct paneat *at,
    const struct tmux_capture *c)
{
	struct agentprocess before;
	struct row was;
	bool there, rests;

	agentpane_check_clock(p);
	before = p->process;
	was = p->row;
	there = agentpane_row(p) != NULL;
	rests = there && c == NULL && agentpane_rests(p, at);
	if (!rests && (at->pane->dead || !agentprocess_look(&p->process,
	    p->how.backends, at->pane->pid))) {
		agentpane_end(p);
		return there;
	}
	if (!there || before.pid != p->process.pid ||
	    before.start != p->process.start)
		agentpane_begin(p);
	agentpane_see(p, at);
	if (!rests)
		agentpane_judge(p, at->pane, c);
	agentpane_rate(p);
	return !there || was.rank != p->row.rank || was.seen != p->row.seen ||
	    was.shown != p->row.shown || was.status.since !=
	    p->row.status.since || strcmp(
	    was.status.verdict.why, p->row.status.verdict.why) != 0;
}

bool
agentpane_wants(const struct agentpane *p)
{
	msec now = clock_wall();

	/* tmux counts in seconds. */
	return p->sources.backend != NULL && (p->captured == 0 ||
	    (p->activity + 1000 > p->captured &&
	    (now >= p->activity + 1000 + CAPTURE_QUIET ||
	    now >= p->captured + CAPTURE_EVERY)));
}

const struct pane_ref *
agentpane_place(const struct agentpane *p)
{
	return &p->row.status.place;
}

struct row *
agentpane_row(struct agentpane *p)
{
	return p->sources.backend != NULL ? &p->row : NULL;
}
