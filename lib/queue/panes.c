#include "queue/queue.h"

#include "queue/paneevents.h"
#include "run/restart.h"
#include "tmux/sockets.h"

enum {
	ANSWER = 1000,                  /* ms for the answer of a server */
	SCREENS = 32,                   /* rounds of some 180 screens a call */
	CAPTURE_QUIET = 1000,           /* ms without output, or */
	CAPTURE_EVERY = 3000,           /* ms since the last capture */
	JUDGE_EVERY = 10000             /* ms */
};

/* By process, then as found. */
static int
placed_compare(const void *a, const void *b)
{
	const struct queue_entry *x = *(const struct queue_entry *const *)a;
	const struct queue_entry *y = *(const struct queue_entry *const *)b;
	pid_t p = x->row.status.place.pane_pid, q = y->row.status.place.pane_pid;

	return p != q ? (p < q ? -1 : 1) : x->order < y->order ? -1 : 1;
}

static bool
place_on(const struct pane_ref *p, pid_t server, int64_t start)
{
	return p->socket != NULL && p->server == server &&
	    p->server_start == start;
}

static bool
entry_judged(const struct queue *x, const struct queue_entry *e)
{
	return e->open && entry_there(e) && (e->row.pane || !x->how.names);
}

/* The issue found first counts.  An agent that outlives its issue is the other
 * one. */
static struct queue_entry *
panes_owner(struct queue *x, const struct server_pane *at,
    struct queue_entry **issue, struct queue_entry **other)
{
	const struct tmux_listing *l = &at->server->listing;
	const struct pane_ref *p;
	struct queue_entry **slot, *e;
	size_t i, end, middle;

	if (!x->sorted) {
		x->placed = xreallocarray(x->placed, x->nentries + 1,
		    sizeof(*x->placed));
		for (i = 0; i < x->nentries; i++)
			x->placed[i] = x->entries[i];
		x->nplaced = x->nentries;
		qsort(x->placed, x->nplaced, sizeof(*x->placed),
		    placed_compare);
		x->sorted = true;
	}
	*issue = *other = NULL;
	for (i = 0, end = x->nplaced; i < end; ) {
		middle = (i + end) / 2;
		if (x->placed[middle]->row.status.place.pane_pid <
		    at->pane->pid)
			i = middle + 1;
		else
			end = middle;
	}
	for (; i < x->nplaced; i++) {
		p = &x->placed[i]->row.status.place;
		if (p->pane_pid != at->pane->pid)
			break;
		if (strcmp(p->pane, at->pane->id) != 0 ||
		    !place_on(p, l->server, l->server_start))
			continue;
		slot = x->placed[i]->row.pane ? other : issue;
		*slot = *slot != NULL ? *slot : x->placed[i];
	}
	e = *issue;
	return e != NULL && (entry_judged(x, e) || e->row.seen ==
	    SEEN_FORGOTTEN || !row_finished(&e->row)) ? e : *other;
}

static void
panes_seen(struct queue *x, struct row *r)
{
	if (r->shown && r->seen == SEEN_NOT && row_needs(r))
		queue_see(x, r, SEEN_ONCE);
}

static void
entry_listed(struct queue *x, struct queue_entry *e,
    const struct server_pane *at)
{
	struct row *r = &e->row;
	bool shown = listing_shown(&at->server->listing, at->pane);

	if (!r->status.agent.background) {
		free(r->where);
		r->where = server_pane_name(at);
	}
	x->changed |= shown != r->shown;
	r->shown = shown;
	if (r->pane)
		entry_find_project(x, e, at->pane->path);
	if (!entry_judged(x, e))
		panes_seen(x, r);
}

size_t
panes_listed(struct queue *x, struct tmux_server *s, struct tmux_wish *wishes)
{
	const struct tmux_listing *l = &s->listing;
	struct server_pane at = { .server = s };
	struct queue_entry *issue, *other, *e;
	size_t i, n = 0;

	for (i = 0; i < x->nentries; i++)
		if (place_on(&x->entries[i]->row.status.place, l->server,
		    l->server_start))
			x->entries[i]->listed = false;
	for (i = 0; i < l->npanes; i++) {
		at.pane = &l->panes[i];
		e = panes_owner(x, &at, &issue, &other);
		if (issue != NULL) {
			issue->listed = true;
			entry_listed(x, issue, &at);
		}
		if (other != NULL) {
			other->listed = e == other;
			other->open |= e != other;
			if (other->listed && entry_there(other))
				entry_listed(x, other, &at);
		}
		if (wishes != NULL && (e != NULL && !e->row.pane ?
		    entry_judged(x, e) : x->how.panes && !at.pane->dead &&
		    agentprocess_likely(&x->backends, at.pane->command)))
			wishes[n++] = TMUX_CAPTURE_WISH(at.pane->id);
	}
	/* An agent without an issue leaves no end to be shown. */
	for (i = x->nentries; i-- > 0; ) {
		e = x->entries[i];
		if (!e->row.pane || e->listed || !place_on(&e->row.status.place,
		    l->server, l->server_start) || (!e->open && entry_there(e)))
			continue;
		x->changed |= entry_there(e);
		issues_drop(x, i);
	}
	return n;
}

void
entry_begin(const struct queue *x, struct queue_entry *e)
{
	struct status *r = &e->row.status;
	struct pane_ref place = r->place;
	char name[ISSUE_MAX + 1];

	entry_leave(e);
	memcpy(name, r->issue, sizeof(name));
	r->place.socket = NULL;
	status_release(r);
	status_init(r, name);
	r->place = place;
	r->adopted = true;
	memcpy(r->boot, x->presence.boot, sizeof(r->boot));
	e->ended = false;
	e->looked = 0;
	e->open = e->row.alive = true;
	e->row.unwatched = 0;
}

/* A restarted agent keeps its row and its age. */
static bool
entry_reloads(struct queue *x, struct queue_entry *e)
{
	struct status *r = &e->row.status;
	const struct folder *f;
	char key[RELOAD_KEY];
	struct reload reload;
	bool after = false;
	size_t i;

	issues_find(x);                 /* the folder may be new */
	r->reload.since = 0;
	reload_pane_key(key, r->place.server, r->place.pane);
	for (i = 0; e->row.project != NULL && i < x->nfolders; i++) {
		f = x->folders[i];
		if (f == x->panes || strcmp(f->project, e->row.project) != 0)
			continue;
		if (reload_read(&reload, f->dir.state_fd, key) == 1) {
			after = reload.agent == e->process.pid &&
			    reload.agent_start == e->process.start;
			if (reload_under_way(&reload, NULL))
				r->reload.since = reload.since;
		}
		reload_release(&reload);
	}
	return r->reload.since != 0 || after;
}

static void
entry_search(struct queue *x, struct queue_entry *e,
    const struct server_pane *at)
{
	struct status *r = &e->row.status;
	const struct agentprocess *p = &e->process;
	char path[32];
	bool same;
	int there = 0;

	/* A clock that was set back makes a look's times mislead. */
	if (e->look != NULL && clock_wall() < e->look->judged) {
		entry_leave(e);
		e->process = (struct agentprocess){ .backend = NULL };
		if (r->run[0] == '\0')
			r->agent.pid = 0;
	}
	if (e->look != NULL && e->row.alive && look_rests(e->look, at->pane))
		return;
	if (!at->pane->dead)
		there = agentprocess_look(&e->process, &x->backends,
		    at->pane->pid);
	if (there == -1) {
		snprintf(path, sizeof(path), "/proc/%ld", (long)at->pane->pid);
		issues_report(x, path, NULL, errno);
		return;
	}
	same = there && r->agent.pid == p->pid && r->agent.start == p->start;
	if (same && r->reload.since != 0)
		entry_reloads(x, e);
	if (same || (!there && (r->agent.pid == 0 || !e->open)))
		return;
	if (r->agent.pid == 0 || !entry_reloads(x, e)) {
		entry_begin(x, e);
		x->changed = true;
	}
	if (!there)
		return;
	r->agent.pid = p->pid;
	r->agent.start = p->start;
	if (r->backend == NULL) {
		r->backend = xstrdup(p->backend->name);
		r->started = p->began;
		r->place.pane_start = p->pane_start;
		entry_listed(x, e, at);
	}
}

void
panes_search(struct queue *x, struct tmux_server *s)
{
	const struct tmux_listing *l = &s->listing;
	struct server_pane at = { .server = s };
	size_t i, known = x->found;
	struct queue_entry *e, *issue, *other;

	for (i = 0; x->how.panes && i < l->npanes; i++) {
		at.pane = &l->panes[i];
		e = panes_owner(x, &at, &issue, &other);
		if (e == NULL) {
			e = issues_add(x, x->panes);
			paneevents_name(e->row.status.issue, at.pane->id,
			    l->server);
			e->row.status.place = (struct pane_ref){
			    .socket = xstrdup(s->socket), .server = l->server,
			    .server_start = l->server_start,
			    .pane_pid = at.pane->pid };
			memcpy(e->row.status.place.pane, at.pane->id, TMUX_ID);
			entry_begin(x, e);
			e->listed = true;
		}
		if (e->row.pane)
			entry_search(x, e, &at);
	}
	x->sorted &= x->found == known;
}

bool
look_rests(const struct look *k, const struct tmux_pane *pane)
{
	return !pane->dead && (msec)pane->activity * 1000 + 1000 < k->judged &&
	    clock_wall() < k->judged + JUDGE_EVERY &&
	    k->title == text_hash(pane->title, strlen(pane->title)) &&
	    !events_unread(k->sources.dir->state_fd,
	    k->sources.record->issue, k->sources.events.read);
}

/* tmux counts in seconds. */
bool
look_wants(const struct look *k)
{
	msec now = clock_wall();

	return k == NULL || k->captured == 0 ||
	    (k->activity + 1000 > k->captured &&
	    (now >= k->activity + 1000 + CAPTURE_QUIET ||
	    now >= k->captured + CAPTURE_EVERY));
}

/* The capture may be NULL.  True: the record has changed. */
static bool
look_judge(struct look *k, const struct tmux_pane *pane,
    const struct tmux_capture *c, struct backends *backends,
    const char *configured)
{
	struct sources *s = &k->sources;
	struct status *r = s->record;
	bool issue = s->dir->fd != -1, first = k->captured == 0, changes, told;
	struct buf error = BUF_INIT;
	struct verdict v;

	if (issue) {
		reload_take(r, s->dir->state_fd, &k->evidence.reload);
		reload_find(r, s->dir->state_fd, pane);
	} else {
		k->evidence.reload = r->reload.since != 0;
	}
	sources_life(s, &k->evidence, pane->dead ? PANE_DEAD : PANE_LIVES,
	    pane);
	sources_backend(s, backends, pane->command, configured, &error);
	buf_release(&error);
	s->now = k->judged = clock_wall();
	k->title = text_hash(pane->title, strlen(pane->title));
	s->title = pane->title;
	/* Without an issue a shell in front is the agent's wrapper. */
	s->foreground = issue ? pane->command : NULL;
	s->text = c != NULL ? c->text : NULL;
	s->text_len = c != NULL ? c->len : 0;
	if (c != NULL)
		k->captured = s->now;
	s->events_due = true;
	judge(s, &k->evidence, &v);
	s->pane = NULL;
	s->title = s->foreground = s->text = NULL;
	changes = judge_changes(r, &v);
	told = judge_lines(r, &k->evidence);
	if (!issue && (v.state == STATE_NONE || state_ended(v.state)))
		return false;
	if (!changes) {
		/* Without a record the reason stays current. */
		if (r->run[0] != '\0')
			return told;
		changes = told || strcmp(r->verdict.why, v.why) != 0 ||
		    strcmp(r->verdict.message, v.message) != 0;
		r->verdict = v;
		return changes;
	}
	if (issue && (state_reported(v.state) || state_ended(v.state)))
		verdict_add_why(&v, v.state == STATE_ERROR ?
		    "; not recorded yet, 'paneward sweep --check-errors' does "
		    "that" : "; not recorded yet, 'paneward sweep' does that");
	judge_since(r, &v, &k->evidence, first, k->judged,
	    first ? 0 : k->judged);
	r->verdict = v;
	return true;
}

/* The first look waits for the screen, unless nothing is known.  Our
 * configuration replaces the project's wrong one. */
void
entry_look(struct queue *x, struct queue_entry *e,
    const struct tmux_pane *pane, const struct tmux_capture *c)
{
	const struct context *ours = x->how.context;
	struct status *r = &e->row.status;
	struct folder *f = e->folder;
	struct buf why = BUF_INIT;
	char shown[EVENT_BRIEF];
	struct look *k;

	if (f->config == NULL)
		f->config = f->project != NULL && strcmp(f->project,
		    ours->project.root) != 0 && context_find(&f->settings,
		    f->project, &why) == EXIT_DONE ? &f->settings.config :
		    &ours->config;
	buf_release(&why);
	if (e->look != NULL && clock_wall() < e->look->judged)
		entry_leave(e);
	k = e->look;
	if (k == NULL) {
		k = e->look = xcalloc(1, sizeof(*k));
		sources_init(&k->sources, &f->dir, r);
		k->sources.pass = true;
		k->sources.budget = &x->budget;
		evidence_init(&k->evidence, r->issue);
		k->evidence.stalled_after = f->config->stalled_after * 1000;
	}
	k->activity = (msec)pane->activity * 1000;
	if (k->captured == 0 && c == NULL && r->verdict.state != STATE_NONE)
		return;
	if ((c != NULL || !look_rests(k, pane)) &&
	    look_judge(k, pane, c, &x->backends, f->config->backend)) {
		entry_rate(e);
		x->changed = true;
	}
	x->changed |= row_does(&e->row, judge_doing(&k->evidence, shown));
	/* The budget may leave a rest of the log. */
	if (k->sources.log.left != 0 || k->sources.log_error != 0 ||
	    k->sources.signal_error != 0)
		return;
	e->looked = clock_wall();
	x->changed |= e->row.unwatched != 0;
	e->row.unwatched = 0;
	e->open = !status_over(r) && r->verdict.state != STATE_COMPLETE;
	if (!e->open)
		entry_leave(e);
}

void
panes_judge(struct queue *x, struct tmux_server *s)
{
	const struct tmux_listing *l = &s->listing;
	struct server_pane at = { .server = s };
	const struct tmux_capture *c;
	struct queue_entry *e, *issue, *other;
	size_t i;

	for (i = 0; i < l->npanes; i++) {
		at.pane = &l->panes[i];
		e = panes_owner(x, &at, &issue, &other);
		if (e == NULL || !entry_judged(x, e) ||
		    (x->first && !look_wants(e->look)))
			continue;
		c = listing_capture(l, at.pane->id);
		if (c == NULL && x->more)
			continue;
		entry_look(x, e, at.pane, c);
		panes_seen(x, &e->row);
	}
}

void
panes_drop(struct queue *x, bool all)
{
	struct tmux_server *s, *next;

	for (s = x->servers.first; s != NULL; s = next) {
		next = s->next;
		if (all || s->result == TMUX_NO_SERVER) {
			row_release(&((struct side *)s)->problem);
			servers_remove(s);
		}
	}
}

/* Asks socket_dead() once for all issues of a server. */
static void
panes_add(struct queue *x, const char *socket)
{
	struct side *side;

	if (servers_at(&x->servers, socket) != NULL || socket_dead(socket))
		return;
	side = (struct side *)servers_add(&x->servers, socket);
	status_init(&side->problem.status, "");
}

void
panes_servers(struct queue *x)
{
	const struct queue_entry *e;
	bool any = x->how.panes;
	const char *socket;
	size_t i;

	for (i = 0; i < x->nentries; i++) {
		e = x->entries[i];
		socket = e->row.status.place.socket;
		if (socket != NULL && (entry_judged(x, e) ||
		    (x->how.panes && e->row.alive))) {
			any = true;
			panes_add(x, socket);
		}
	}
	if (!any)
		panes_drop(x, true);
}

struct tmux_wish *
panes_wishes(const struct queue *x, const struct tmux_server *s, size_t *n)
{
	struct tmux_wish *wishes = xcalloc(x->nentries + 1, sizeof(*wishes));
	const struct queue_entry *e;
	size_t i;

	*n = 0;
	if (place_on(&x->shown, s->pid, s->start))
		wishes[(*n)++] = TMUX_CAPTURE_WISH(x->shown.pane);
	for (i = 0; i < x->nentries; i++) {
		e = x->entries[i];
		if (e->listed && place_on(&e->row.status.place, s->pid,
		    s->start) && entry_judged(x, e) && look_wants(e->look))
			wishes[(*n)++] =
			    TMUX_CAPTURE_WISH(e->row.status.place.pane);
	}
	return wishes;
}

static void
side_failed(struct tmux_server *s)
{
	struct row *r = &((struct side *)s)->problem;

	free(r->problem);
	r->problem = xstrdup(buf_str(&s->why));
	if (r->where == NULL) {
		r->where = xstrdup(s->socket);
		r->status.since = clock_wall();
	}
	row_rate(r);
}

static void
panes_ask(void *context, struct tmux_server *s, msec now)
{
	struct queue *x = context;
	size_t n;
	struct tmux_wish *wishes = panes_wishes(x, s, &n);

	server_at(s, now + x->how.pace);
	if (server_call(s, TMUX_PANES, wishes, n) == -1)
		side_failed(s);
	free(wishes);
}

/* Captures without a listing; frees the wishes. */
static void
side_capture(struct queue *x, struct tmux_server *s, struct tmux_wish *wishes,
    size_t n)
{
	ssize_t taken;

	if (n > 0 && s->misses == 0) {
		taken = server_call(s, TMUX_WISHES, wishes, n);
		if (taken == -1)
			side_failed(s);
		x->more |= taken != -1 && (size_t)taken < n;
	}
	free(wishes);
}

/* The first look finds agents while tmux captures, and judges them with their
 * screens. */
static void
panes_answered(void *context, struct tmux_server *s, msec now)
{
	struct queue *x = context;
	struct tmux_listing *l = &s->listing;
	struct row *problem = &((struct side *)s)->problem;
	const struct tmux_capture *c;
	struct tmux_wish *wishes;
	size_t n;

	(void)now;
	if (s->misses > 0) {
		x->changed = true;
		side_failed(s);
		return;
	}
	x->changed |= problem->problem != NULL;
	row_release(problem);
	status_init(&problem->status, "");
	if (s->lists == TMUX_WISHES)
		return;
	if (s->shown_by != s)
		listing_release(l);
	wishes = x->first ? xcalloc(l->npanes + 1, sizeof(*wishes)) : NULL;
	n = panes_listed(x, s, wishes);
	side_capture(x, s, wishes, n);
	panes_search(x, s);
	if (x->first)
		return;
	c = place_on(&x->shown, s->pid, s->start) ?
	    listing_capture(l, x->shown.pane) : NULL;
	if (c != NULL) {
		x->changed |= c->len != x->screen.len || memcmp(c->text,
		    x->screen.data, c->len) != 0;
		buf_set(&x->screen, c->text, c->len);
	}
	panes_judge(x, s);
	listing_release(l);
}

static void
panes_sockets(struct queue *x)
{
	struct servers all = SERVERS_INIT;
	struct tmux_server *s;
	char *usual;
	int error;

	if (!x->how.panes)
		return;
	if (servers_add_all(&all, x->how.context->config.sockets) == -1) {
		error = errno;
		usual = tmux_usual_socket();
		*strrchr(usual, '/') = '\0';
		issues_report(x, usual, NULL, error);
		free(usual);
	}
	for (s = all.first; s != NULL; s = s->next)
		panes_add(x, s->socket);
	servers_release(&all);
}

/* Ended servers may begin again. */
static void
panes_renew(void *context, msec now)
{
	struct queue *x = context;

	panes_drop(x, false);
	panes_sockets(x);
	x->search.at = now + x->how.pace;
}

void
panes_init(struct queue *x)
{
	x->servers = (struct servers){ .size = sizeof(struct side),
	    .limit = ANSWER, .begin = panes_ask, .answered = panes_answered,
	    .context = x, .loop = x->how.loop };
	x->search = LOOP_WAIT(-1, panes_renew, x);
	x->search.at = 0;
	if (x->how.loop != NULL)
		loop_add(x->how.loop, &x->search);
}

void
panes_begin(struct queue *x)
{
	x->first = true;
	panes_sockets(x);
	servers_due(&x->servers, clock_now());
}

void
panes_look(struct queue *x)
{
	unsigned rounds = SCREENS;
	struct tmux_wish *wishes;
	struct tmux_server *s;
	bool more = true;
	size_t n;

	servers_due(&x->servers, clock_now());
	for (;;) {
		while (servers_wait(&x->servers, CLOCK_NEVER))
			continue;
		x->more = more;
		for (s = x->servers.first; s != NULL; s = s->next) {
			panes_judge(x, s);
			if (!more)
				listing_release(&s->listing);
		}
		if (!more)
			break;
		x->more = false;
		for (s = x->servers.first; s != NULL; s = s->next) {
			wishes = panes_wishes(x, s, &n);
			side_capture(x, s, wishes, n);
		}
		more = x->more && --rounds > 0;
	}
	x->first = false;
}

void
queue_show(struct queue *x, const struct row *r)
{
	const struct pane_ref *pane = r != NULL && r->host == NULL ?
	    &r->status.place : NULL;
	struct tmux_server *s;

	if (pane != NULL && strcmp(x->shown.pane, pane->pane) == 0 &&
	    place_on(&x->shown, pane->server, pane->server_start))
		return;
	pane_ref_release(&x->shown);
	buf_reset(&x->screen);
	if (pane == NULL || pane->socket == NULL)
		return;
	x->shown = *pane;
	x->shown.socket = xstrdup(pane->socket);
	/* The first capture is due now. */
	for (s = x->servers.first; s != NULL; s = s->next)
		if (place_on(&x->shown, s->pid, s->start) && s->misses == 0)
			server_at(s, 0);
}
