#include "queue/panes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tmux/servers.h"
#include "tmux/sockets.h"
#include "tmux/tmux.h"

enum {
	ANSWER = 1000,                  /* ms for an answer */
	ASK_EVERY = 1000,               /* ms between calls for one server */
	ASK_LATER = 10000,              /* after it did not answer, */
	ASK_SELDOM = 60000,             /* twice */
	SCREENS = 32                    /* rounds of calls for screens, of which
					   one carries some 180 */
};

/* A tmux server. */
struct side {
	char    *socket;
	struct tmux_query query;
	bool     running;
	struct tmux_listing listing;    /* its last answer, while its agents are
					   judged */
	unsigned misses;                /* answers that did not come */
	msec     due;                   /* CLOCK_NEVER: it has ended */
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
	struct side **sides;
	size_t       nsides;
	msec         search;            /* for new servers, then */
	struct pane_ref shown;          /* socket NULL: none */
	struct buf   screen;
	struct agentplace place;        /* of agents, see agentpane.h */
	bool         changed;           /* since the last turn */
	bool         first;             /* the first look is under way, */
	bool         more;              /* and more of its screens are to be
					   captured */
};

struct panes *
panes_new(const struct panes_how *how)
{
	struct panes *p = xcalloc(1, sizeof(*p));

	p->how = *how;
	p->how.agent.last = &p->place;
	return p;
}

static void
side_empty(struct side *s)
{
	while (s->n > 0)
		agentpane_free(s->agents[--s->n]);
}

static void
side_free(struct side *s)
{
	side_empty(s);
	tmux_query_release(&s->query);
	listing_release(&s->listing);
	row_release(&s->problem);
	free(s->agents);
	free(s->issues);
	free(s->socket);
	free(s);
}

void
panes_free(struct panes *p)
{
	while (p->nsides > 0)
		side_free(p->sides[--p->nsides]);
	free(p->sides);
	pane_ref_release(&p->shown);
	buf_release(&p->screen);
	free(p);
}

static struct side *
panes_side(const struct panes *p, const char *socket)
{
	size_t i = 0;

	while (i < p->nsides && strcmp(p->sides[i]->socket, socket) != 0)
		i++;
	return i < p->nsides ? p->sides[i] : NULL;
}

/* A server has many issues: whether a socket is dead is asked once. */
void
panes_add(struct panes *p, const char *socket)
{
	struct side *s;

	if (panes_side(p, socket) != NULL || socket_dead(socket))
		return;
	s = xcalloc(1, sizeof(*s));
	s->socket = xstrdup(socket);
	s->query = (struct tmux_query)TMUX_QUERY_INIT;
	s->query.limit = ANSWER;
	status_init(&s->problem.status, "");
	p->sides = xreallocarray(p->sides, p->nsides + 1, sizeof(*p->sides));
	p->sides[p->nsides++] = s;
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
side_failed(struct side *s, const char *why, msec now)
{
	struct row *r = &s->problem;

	s->misses++;
	s->due = now + (s->misses == 1 ? ASK_LATER : ASK_SELDOM);
	free(r->problem);
	r->problem = xstrdup(why);
	if (r->where == NULL) {
		r->where = xstrdup(s->socket);
		r->status.since = clock_wall();
	}
	row_rate(r);
}

static void
side_begun(struct side *s, bool begun, msec now)
{
	s->due = now + ASK_EVERY;
	s->running = begun;
	if (!begun)
		side_failed(s, "tmux cannot be run", now);
}

static void
side_begin(struct panes *p, struct side *s, msec now)
{
	struct tmux_wish *wishes = side_room(s);
	size_t n = 0;

	if (side_shows(p, s))
		wishes[n++] = (struct tmux_wish){ .pane = p->shown.pane,
		    .want = TMUX_CAPTURE };
	n += side_wishes(s, wishes + n);
	side_begun(s, tmux_query_begin(&s->query, s->socket, wishes, n) != -1,
	    now);
	free(wishes);
}

/* Without a listing, since the first look has one. */
static void
side_capture(struct panes *p, struct side *s, msec now)
{
	struct tmux_wish *wishes = side_room(s);
	size_t n = side_wishes(s, wishes);
	ssize_t taken;

	if (n > 0 && s->misses == 0) {
		taken = tmux_query_captures(&s->query, s->socket, wishes, n);
		side_begun(s, taken != -1, now);
		p->more |= taken != -1 && (size_t)taken < n;
	}
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
side_pane(struct panes *p, struct side *s, const struct paneat *at)
{
	size_t place = side_find(s, at);
	enum panes_owner owner = p->how.owner(p->how.context, at);

	if (owner == PANES_JUDGED)
		side_issue(s, at->pane->id);
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

/* Finds the agents in the panes that are listed. */
static void
side_search(struct panes *p, struct side *s)
{
	const struct tmux_listing *l = &s->listing;
	struct paneat at = { .socket = s->socket, .listing = l };

	s->nissues = 0;
	for (at.pane = l->panes; at.pane < l->panes + l->npanes; at.pane++)
		side_pane(p, s, &at);
}

static void
side_judge_issues(struct panes *p, struct side *s)
{
	struct paneat at = { .socket = s->socket, .listing = &s->listing };
	const struct tmux_capture *c;
	struct issuepane *i;

	for (i = s->issues; i < s->issues + s->nissues; i++) {
		at.pane = listing_pane(&s->listing, i->id);
		c = listing_capture(&s->listing, i->id);
		if (at.pane != NULL && (c != NULL || !p->more))
			i->wants = p->how.judge(p->how.context, &at, c);
	}
}

/* Judges them, in the first look only with their screens while more of these
 * come.  Those whose pane is not listed any more are dropped. */
static void
side_judge(struct panes *p, struct side *s)
{
	struct paneat at = { .socket = s->socket, .listing = &s->listing };
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
		    (c != NULL || !p->more))
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
	size_t i;

	for (i = 0; i < p->nsides; i++)
		if (p->sides[i] != s && l->server != 0 &&
		    p->sides[i]->server == l->server &&
		    p->sides[i]->server_start == l->server_start)
			return true;
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
	p->changed |= s->misses > 0;
	s->misses = 0;
	row_release(&s->problem);
	status_init(&s->problem.status, "");
	if (result == TMUX_NO_SERVER) {
		s->due = CLOCK_NEVER;
		listing_release(&s->listing);
	}
}

static void
side_answered(struct panes *p, struct side *s, msec now)
{
	struct tmux_listing l;
	struct buf why = BUF_INIT;
	enum tmux_result result = tmux_query_answer(&s->query, &l, &why);

	s->running = false;
	if (result != TMUX_OK && result != TMUX_NO_SERVER) {
		p->changed = true;
		side_failed(s, buf_str(&why), now);
	} else {
		side_well(p, s, result);
		if (s->query.captures)
			side_captured(s, &l);
		else
			side_listed(p, s, &l);
	}
	listing_release(&l);
	buf_release(&why);
}

/* ---- the loop ------------------------------------------------------------ */

size_t
panes_poll(const struct panes *p, struct pollfd *fds, size_t most)
{
	size_t i, n = 0;

	for (i = 0; i < p->nsides && n + 2 <= most; i++)
		if (p->sides[i]->running)
			n += spawn_poll(&p->sides[i]->query.spawn, fds + n);
	return n;
}

/* When is a call that runs to be looked at?  CLOCK_NEVER: none runs. */
static msec
panes_deadline(const struct panes *p, msec now)
{
	msec due = CLOCK_NEVER;
	size_t i;

	for (i = 0; i < p->nsides; i++)
		if (p->sides[i]->running)
			due = clock_sooner(due, spawn_deadline(
			    &p->sides[i]->query.spawn, now));
	return due;
}

msec
panes_due(const struct panes *p, msec now)
{
	msec due = panes_deadline(p, now);
	size_t i;

	for (i = 0; i < p->nsides; i++)
		if (!p->sides[i]->running)
			due = clock_sooner(due, p->sides[i]->due);
	return due;
}

/* Takes the answers that are there. */
static void
panes_answers(struct panes *p, msec now)
{
	size_t i;

	for (i = 0; i < p->nsides; i++)
		if (p->sides[i]->running &&
		    spawn_step(&p->sides[i]->query.spawn, now))
			side_answered(p, p->sides[i], now);
}

/* A server that begins again is found again. */
static void
panes_forget(struct panes *p)
{
	size_t i = 0;

	while (i < p->nsides)
		if (p->sides[i]->due == CLOCK_NEVER) {
			side_free(p->sides[i]);
			p->sides[i] = p->sides[--p->nsides];
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

/* Asks the servers that are due. */
static void
panes_ask(struct panes *p, msec now)
{
	size_t i;

	for (i = 0; i < p->nsides; i++)
		if (!p->sides[i]->running && p->sides[i]->due <= now)
			side_begin(p, p->sides[i], now);
}

bool
panes_turn(struct panes *p, msec now)
{
	bool changed;

	panes_answers(p, now);
	panes_forget(p);
	if (now >= p->search) {
		panes_sockets(p);
		p->search = now + ASK_EVERY;
	}
	panes_ask(p, now);
	changed = p->changed;
	p->changed = false;
	return changed;
}

void
panes_begin(struct panes *p)
{
	p->first = true;
	panes_sockets(p);
	panes_ask(p, clock_now());
}

/* Waits for the answers.  A call that has closed its output has not ended
 * yet. */
static void
panes_wait(struct panes *p)
{
	struct pollfd fds[64];
	msec now = clock_now(), due;

	while ((due = panes_deadline(p, now)) != CLOCK_NEVER) {
		poll(fds, (nfds_t)panes_poll(p, fds, 64),
		    clock_until(due, now));
		now = clock_now();
		panes_answers(p, now);
	}
}

void
panes_look(struct panes *p)
{
	unsigned rounds = SCREENS;
	size_t i;

	panes_ask(p, clock_now());
	panes_wait(p);
	do {
		p->more = false;
		for (i = 0; i < p->nsides; i++)
			side_capture(p, p->sides[i], clock_now());
		panes_wait(p);
		p->more = p->more && --rounds > 0;
		for (i = 0; i < p->nsides; i++)
			side_judge(p, p->sides[i]);
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

	for (i = 0; i < p->nsides; i++) {
		s = p->sides[i];
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
panes_hurry(struct panes *p)
{
	size_t i;

	for (i = 0; i < p->nsides; i++)
		if (side_shows(p, p->sides[i]) && p->sides[i]->misses == 0)
			p->sides[i]->due = 0;
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
	panes_hurry(p);
}

const char *
panes_screen(const struct panes *p)
{
	return p->screen.len > 0 ? p->screen.data : NULL;
}
