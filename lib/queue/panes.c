#include "queue/panes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "queue/agentprocess.h"
#include "tmux/inquiry.h"
#include "tmux/servers.h"
#include "tmux/sockets.h"
#include "tmux/tmux.h"

enum {
	ASK_EVERY = 1000,               /* ms between calls for one server */
	SCREENS = 32                    /* rounds of calls for screens, of which
					   one carries some 180 */
};

/* A tmux server. */
struct side {
	struct inquiry call;
	msec     asked;                 /* when the last one began */
	struct tmux_listing listing;    /* its last answer, while its agents are
					   judged */
	pid_t    server;                /* from its last answer; 0: none, or
					   another path leads to it */
	int64_t  server_start;
	struct row problem;             /* why it does not answer */
	struct agentpane **agents;
	size_t   n;
	struct issuepane {
		char id[TMUX_ID];
		bool wants;             /* its screen */
	} *issues;                      /* panes that are judged elsewhere */
	size_t   nissues;
};

struct panes {
	struct panes_how how;
	struct inquiries servers;
	struct loop_wait search;        /* until new servers are searched */
	struct pane_ref shown;          /* socket NULL: none */
	struct buf   screen;
	struct agentplace place;        /* of agents, see agentpane.h */
	bool         changed;           /* since the last turn */
	bool         first;             /* the first look is under way, */
	bool         more;              /* and more of its screens are to be
					   captured */
};

static struct side *
side(struct inquiry *call)
{
	return (struct side *)call;
}

static void
side_empty(struct side *s)
{
	while (s->n > 0)
		agentpane_free(s->agents[--s->n]);
}

static void
side_release(struct inquiry *call)
{
	struct side *s = side(call);

	side_empty(s);
	listing_release(&s->listing);
	row_release(&s->problem);
	free(s->agents);
}

void
panes_free(struct panes *p)
{
	loop_drop(&p->search);
	inquiries_release(&p->servers, side_release);
	pane_ref_release(&p->shown);
	buf_release(&p->screen);
	agentplace_release(&p->place);
	free(p);
}

/* A server has many issues: whether a socket is dead is asked once. */
void
panes_add(struct panes *p, const char *socket)
{
	struct side *s;

	if (inquiries_find(&p->servers, socket) != NULL || socket_dead(socket))
		return;
	s = side(inquiries_add(&p->servers, socket, sizeof(*s)));
	status_init(&s->problem.status, "");
}

/* ---- asking -------------------------------------------------------------- */

static bool
side_shows(const struct panes *p, const struct side *s)
{
	return p->shown.socket != NULL && p->shown.server == s->server &&
	    p->shown.server_start == s->server_start;
}

/* The panes whose screens are wanted; how many. */
static size_t
side_wishes(const struct side *s, struct tmux_wish *wishes)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		if (agentpane_wants(s->agents[i]))
			wishes[n++] = (struct tmux_wish){
			    .pane = agentpane_place(s->agents[i])->pane,
			    .want = TMUX_CAPTURE };
	for (i = 0; i < s->nissues; i++)
		if (s->issues[i].wants)
			wishes[n++] = (struct tmux_wish){
			    .pane = s->issues[i].id, .want = TMUX_CAPTURE };
	return n;
}

static struct tmux_wish *
side_room(const struct side *s)
{
	return xcalloc(s->n + s->nissues + 1, sizeof(struct tmux_wish));
}

static void
side_failed(struct side *s, const char *why)
{
	struct row *r = &s->problem;

	free(r->problem);
	r->problem = xstrdup(why);
	if (r->where == NULL) {
		r->where = xstrdup(s->call.socket);
		r->status.since = clock_wall();
	}
	row_rate(r);
}

static void
side_begun(const struct panes *p, struct side *s, bool begun, msec now)
{
	s->asked = now;
	inquiry_at(&s->call, now + p->how.pace);
	inquiry_begun(&s->call, begun, now);
	if (!begun)
		side_failed(s, "tmux cannot be run");
}

static void
panes_ask(void *context, struct inquiry *call, msec now)
{
	struct panes *p = context;
	struct side *s = side(call);
	struct tmux_wish *wishes = side_room(s);
	size_t n = 0;

	if (side_shows(p, s))
		wishes[n++] = (struct tmux_wish){ .pane = p->shown.pane,
		    .want = TMUX_CAPTURE };
	n += side_wishes(s, wishes + n);
	side_begun(p, s, tmux_query_begin(&call->query, call->socket, wishes,
	    n) != -1, now);
	free(wishes);
}

/* Without a listing, since the first look has one. */
static void
side_capture(struct panes *p, struct side *s, const struct tmux_wish *wishes,
    size_t n)
{
	ssize_t taken;

	if (n == 0 || s->call.misses > 0)
		return;
	taken = tmux_query_captures(&s->call.query, s->call.socket, wishes, n);
	side_begun(p, s, taken != -1, clock_now());
	p->more |= taken != -1 && (size_t)taken < n;
}

/* Of all screens that are wanted and not there yet. */
static void
side_capture_wanted(struct panes *p, struct side *s)
{
	struct tmux_wish *wishes = side_room(s);

	side_capture(p, s, wishes, side_wishes(s, wishes));
	free(wishes);
}

/* ---- an answer ----------------------------------------------------------- */

static size_t
side_find(const struct side *s, const struct paneat *at)
{
	size_t place = 0;

	while (place < s->n && !agentpane_is(s->agents[place], at))
		place++;
	return place;
}

static void
side_drop(struct panes *p, struct side *s, size_t place)
{
	p->changed |= agentpane_row(s->agents[place]) != NULL;
	agentpane_free(s->agents[place]);
	s->agents[place] = s->agents[--s->n];
}

static void
side_issue(struct side *s, const char *id)
{
	struct issuepane *i;

	s->issues = xreallocarray(s->issues, s->nissues + 1,
	    sizeof(*s->issues));
	i = &s->issues[s->nissues++];
	memcpy(i->id, id, sizeof(i->id));
	i->wants = true;
}

static void
side_pane(struct panes *p, struct side *s, const struct paneat *at,
    enum panes_owner owner)
{
	size_t place = side_find(s, at);

	if (owner != PANES_FREE || !p->how.all) {
		if (place < s->n)
			side_drop(p, s, place);
		return;
	}
	if (place == s->n) {
		s->agents = xreallocarray(s->agents, s->n + 1,
		    sizeof(*s->agents));
		s->agents[s->n++] = agentpane_new(&p->how.agent, at);
	}
	p->changed |= agentpane_look(s->agents[place], at);
}

/* Captures the screens of issues, and those that an agent is likely to have. */
static void
side_capture_likely(struct panes *p, struct side *s,
    const enum panes_owner *owners)
{
	const struct tmux_listing *l = &s->listing;
	struct tmux_wish *wishes = xcalloc(l->npanes + 1, sizeof(*wishes));
	const struct tmux_pane *pane;
	size_t i, n = 0;

	for (i = 0; i < l->npanes; i++) {
		pane = &l->panes[i];
		if (owners[i] == PANES_JUDGED || (owners[i] == PANES_FREE &&
		    p->how.all && !pane->dead && agentprocess_likely(
		    p->how.agent.backends, pane->command)))
			wishes[n++] = (struct tmux_wish){ .pane = pane->id,
			    .want = TMUX_CAPTURE };
	}
	side_capture(p, s, wishes, n);
	free(wishes);
}

/* Finds the agents in the panes that are listed: in the first look while tmux
 * captures. */
static void
side_search(struct panes *p, struct side *s)
{
	const struct tmux_listing *l = &s->listing;
	struct paneat at = { .socket = s->call.socket, .listing = l };
	enum panes_owner *owners = xcalloc(l->npanes + 1, sizeof(*owners));
	size_t i;

	s->nissues = 0;
	for (i = 0; i < l->npanes; i++) {
		at.pane = &l->panes[i];
		owners[i] = p->how.owner(p->how.context, &at);
		if (owners[i] == PANES_JUDGED)
			side_issue(s, at.pane->id);
	}
	if (p->first)
		side_capture_likely(p, s, owners);
	for (i = 0; i < l->npanes; i++) {
		at.pane = &l->panes[i];
		side_pane(p, s, &at, owners[i]);
	}
	free(owners);
}

/* May a pane be judged by that screen (NULL: none)?  The first look judges each
 * pane once: with its screen, or without it if no more screens come. */
static bool
side_due(const struct panes *p, bool wants, const struct tmux_capture *c)
{
	return (c != NULL || !p->more) && (wants || !p->first);
}

static void
side_judge_issues(struct panes *p, struct side *s)
{
	struct paneat at = { .socket = s->call.socket, .listing = &s->listing };
	const struct tmux_capture *c;
	struct issuepane *i;

	for (i = s->issues; i < s->issues + s->nissues; i++) {
		at.pane = listing_pane(&s->listing, i->id);
		c = listing_capture(&s->listing, i->id);
		if (at.pane != NULL && side_due(p, i->wants, c))
			i->wants = p->how.judge(p->how.context, &at, c);
	}
}

/* Judges them.  Those whose pane is not listed any more are dropped. */
static void
side_judge(struct panes *p, struct side *s)
{
	struct paneat at = { .socket = s->call.socket, .listing = &s->listing };
	const struct pane_ref *place;
	const struct tmux_capture *c;
	size_t i;

	for (i = s->n; i-- > 0; ) {
		place = agentpane_place(s->agents[i]);
		at.pane = listing_ref(&s->listing, place);
		c = listing_capture(&s->listing, place->pane);
		if (at.pane == NULL)
			side_drop(p, s, i);
		else if (agentpane_row(s->agents[i]) != NULL &&
		    side_due(p, agentpane_wants(s->agents[i]), c))
			p->changed |= agentpane_judge(s->agents[i], &at, c);
	}
	side_judge_issues(p, s);
	agentplace_release(&p->place);
	if (!p->more)
		listing_release(&s->listing);
}

static void
side_screen(struct panes *p, const struct side *s)
{
	const struct tmux_capture *c = side_shows(p, s) ?
	    listing_capture(&s->listing, p->shown.pane) : NULL;

	if (c == NULL)
		return;
	p->changed |= c->len != p->screen.len || memcmp(c->text,
	    p->screen.data, c->len) != 0;
	buf_reset(&p->screen);
	buf_add(&p->screen, c->text, c->len);
}

/* Two paths may lead to one server: the one that answered first has it. */
static bool
side_double(const struct panes *p, const struct side *s,
    const struct tmux_listing *l)
{
	const struct side *other;
	size_t i;

	for (i = 0; i < p->servers.n; i++) {
		other = side(p->servers.all[i]);
		if (other != s && l->server != 0 &&
		    other->server == l->server &&
		    other->server_start == l->server_start)
			return true;
	}
	return false;
}

/* In the first look the agents are judged with their screens. */
static void
side_listed(struct panes *p, struct side *s, struct tmux_listing *l)
{
	if (side_double(p, s, l))
		listing_release(l);
	s->server = l->server;
	s->server_start = l->server_start;
	listing_release(&s->listing);
	s->listing = *l;
	*l = (struct tmux_listing){ 0 };
	side_search(p, s);
	if (p->first)
		return;
	side_screen(p, s);
	side_judge(p, s);
}

static void
side_captured(struct side *s, struct tmux_listing *l)
{
	struct tmux_listing before = s->listing;

	s->listing.captures = l->captures;
	s->listing.ncaptures = l->ncaptures;
	l->captures = before.captures;
	l->ncaptures = before.ncaptures;
}

/* The server answers, or has ended. */
static void
side_well(struct panes *p, struct side *s, enum tmux_result result)
{
	p->changed |= s->call.misses > 0;
	s->call.misses = 0;
	row_release(&s->problem);
	status_init(&s->problem.status, "");
	if (result == TMUX_NO_SERVER) {
		inquiry_at(&s->call, CLOCK_NEVER);
		listing_release(&s->listing);
	}
}

static void
panes_answered(void *context, struct inquiry *call, msec now)
{
	struct panes *p = context;
	struct side *s = side(call);
	struct tmux_listing l;
	struct buf why = BUF_INIT;
	enum tmux_result result = tmux_query_answer(&s->call.query, &l, &why);

	if (result != TMUX_OK && result != TMUX_NO_SERVER) {
		p->changed = true;
		inquiry_missed(call, now);
		side_failed(s, buf_str(&why));
	} else {
		side_well(p, s, result);
		if (s->call.query.captures)
			side_captured(s, &l);
		else
			side_listed(p, s, &l);
	}
	listing_release(&l);
	buf_release(&why);
}

/* ---- the loop ------------------------------------------------------------ */

struct panes *
panes_new(const struct panes_how *how)
{
	struct panes *p = xcalloc(1, sizeof(*p));

	p->how = *how;
	if (p->how.pace == 0)
		p->how.pace = ASK_EVERY;
	p->servers = (struct inquiries){ .ask = panes_ask,
	    .answered = panes_answered, .context = p };
	p->how.agent.last = &p->place;
	return p;
}

/* A server that begins again is found again. */
static void
panes_forget(struct panes *p)
{
	struct inquiries *q = &p->servers;
	size_t i = 0;

	while (i < q->n)
		if (q->all[i]->due == CLOCK_NEVER) {
			side_release(q->all[i]);
			inquiry_free(q->all[i]);
			q->all[i] = q->all[--q->n];
		} else {
			i++;
		}
}

static void
panes_sockets(struct panes *p)
{
	struct servers all = SERVERS_INIT;
	size_t i;

	if (!p->how.all)
		return;
	servers_add_all(&all, p->how.sockets);
	for (i = 0; i < all.n; i++)
		panes_add(p, all.server[i].socket);
	servers_release(&all);
}

void
panes_hurry(struct panes *p)
{
	struct inquiry *call;
	size_t i;

	for (i = 0; i < p->servers.n; i++) {
		call = p->servers.all[i];
		if (call->misses == 0 && call->due != CLOCK_NEVER)
			inquiry_at(call, clock_sooner(call->due,
			    side(call)->asked + ASK_EVERY));
	}
}

static void
panes_search(void *context, msec now)
{
	struct panes *p = context;

	panes_forget(p);
	panes_sockets(p);
	p->search.at = now + p->how.pace;
}

void
panes_follow(struct panes *p, struct loop *loop)
{
	p->search = LOOP_WAIT(-1, panes_search, p);
	p->search.at = 0;
	loop_add(loop, &p->search);
	inquiries_follow(&p->servers, loop);
}

bool
panes_changed(struct panes *p)
{
	bool changed = p->changed;

	p->changed = false;
	return changed;
}

void
panes_begin(struct panes *p)
{
	p->first = true;
	panes_sockets(p);
	inquiries_ask(&p->servers, clock_now());
}

/* Waits for the answers. */
static void
panes_wait(struct panes *p)
{
	while (inquiries_wait(&p->servers, CLOCK_NEVER))
		continue;
}

/* Waits for the answers and judges what can be. */
static void
panes_judge(struct panes *p, bool more)
{
	size_t i;

	panes_wait(p);
	p->more = more;
	for (i = 0; i < p->servers.n; i++)
		side_judge(p, side(p->servers.all[i]));
}

void
panes_look(struct panes *p)
{
	unsigned rounds = SCREENS;
	size_t i;

	inquiries_ask(&p->servers, clock_now());
	panes_judge(p, true);
	do {
		p->more = false;
		for (i = 0; i < p->servers.n; i++)
			side_capture_wanted(p, side(p->servers.all[i]));
		panes_judge(p, p->more && --rounds > 0);
	} while (p->more);
	p->first = false;
}

/* ---- what was found ------------------------------------------------------ */

void
panes_rows(const struct panes *p, void (*take)(void *, struct row *),
    void *context)
{
	struct side *s;
	struct row *r;
	size_t i, k;

	for (i = 0; i < p->servers.n; i++) {
		s = side(p->servers.all[i]);
		if (s->problem.problem != NULL)
			take(context, &s->problem);
		for (k = 0; k < s->n; k++)
			if ((r = agentpane_row(s->agents[k])) != NULL)
				take(context, r);
	}
}

static bool
panes_shows(const struct panes *p, const struct pane_ref *pane)
{
	return p->shown.socket != NULL && p->shown.server == pane->server &&
	    p->shown.server_start == pane->server_start &&
	    strcmp(p->shown.pane, pane->pane) == 0;
}

/* The first answer with it is wanted at once. */
static void
panes_show_soon(struct panes *p)
{
	struct inquiry *call;
	size_t i;

	for (i = 0; i < p->servers.n; i++) {
		call = p->servers.all[i];
		if (side_shows(p, side(call)) && call->misses == 0)
			inquiry_at(call, 0);
	}
}

void
panes_show(struct panes *p, const struct pane_ref *pane)
{
	if (pane != NULL && panes_shows(p, pane))
		return;
	pane_ref_release(&p->shown);
	buf_reset(&p->screen);
	p->shown = (struct pane_ref){ .socket = NULL };
	if (pane == NULL || pane->socket == NULL)
		return;
	p->shown = *pane;
	p->shown.socket = xstrdup(pane->socket);
	panes_show_soon(p);
}

const char *
panes_screen(struct panes *p)
{
	return p->screen.len > 0 ? buf_str(&p->screen) : NULL;
}
