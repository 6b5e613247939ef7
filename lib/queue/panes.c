#include "queue/queue.h"

enum {
	ANSWER = 1000,                  /* ms for the answer of a server */
	SCREENS = 32                    /* rounds of calls for screens, of which
					   one carries some 180 */
};

/* A tmux server, which has its listing while its agents are judged. */
struct side {
	struct tmux_server server;
	struct row problem;             /* why it does not answer */
};

static struct side *
side(struct tmux_server *s)
{
	return (struct side *)s;
}

static void
side_remove(struct side *s)
{
	row_release(&s->problem);
	servers_remove(&s->server);
}

void
panes_leave(struct queue *p)
{
	while (p->servers.first != NULL)
		side_remove(side(p->servers.first));
}

/* A server has many issues: whether a socket is dead is asked once. */
void
panes_add(struct queue *p, const char *socket)
{
	if (servers_at(&p->servers, socket) == NULL && !socket_dead(socket))
		status_init(&side(servers_add(&p->servers, socket))->
		    problem.status, "");
}

/* ---- asking -------------------------------------------------------------- */

static bool
side_shows(const struct queue *p, const struct side *s)
{
	return p->shown.socket != NULL && p->shown.server == s->server.pid &&
	    p->shown.server_start == s->server.start;
}

/* The panes whose screens are wanted, for free(). */
static struct tmux_wish *
side_wishes(const struct queue *p, const struct side *s, size_t *n)
{
	struct tmux_wish *wishes = xcalloc(p->nentries + 1, sizeof(*wishes));

	*n = 0;
	if (side_shows(p, s))
		wishes[(*n)++] = (struct tmux_wish){ .pane = p->shown.pane,
		    .want = TMUX_CAPTURE };
	*n += issues_wishes(p, &s->server, wishes + *n);
	return wishes;
}

static void
side_failed(struct side *s)
{
	struct row *r = &s->problem;

	free(r->problem);
	r->problem = xstrdup(buf_str(&s->server.why));
	if (r->where == NULL) {
		r->where = xstrdup(s->server.socket);
		r->status.since = clock_wall();
	}
	row_rate(r);
}

static void
panes_ask(void *context, struct tmux_server *server, msec now)
{
	struct queue *p = context;
	size_t n;
	struct tmux_wish *wishes = side_wishes(p, side(server), &n);

	server_at(server, now + p->how.pace);
	if (server_call(server, TMUX_PANES, wishes, n) == -1)
		side_failed(side(server));
	free(wishes);
}

/* Frees the wishes.  Without a listing, since the first look has one. */
static void
side_capture(struct queue *p, struct side *s, struct tmux_wish *wishes,
    size_t n)
{
	ssize_t taken;

	if (n > 0 && s->server.misses == 0) {
		taken = server_call(&s->server, TMUX_WISHES, wishes, n);
		if (taken == -1)
			side_failed(s);
		p->more |= taken != -1 && (size_t)taken < n;
	}
	free(wishes);
}

/* ---- an answer ----------------------------------------------------------- */

/* The server answers, or has ended, or missed the call.  In the first look the
 * agents are searched while tmux captures, and judged with their screens. */
static void
panes_answered(void *context, struct tmux_server *server, msec now)
{
	struct tmux_listing *l = &server->listing;
	const struct tmux_capture *c;
	struct queue *p = context;
	struct side *s = side(server);
	struct tmux_wish *wishes;
	size_t n;

	(void)now;
	if (server->misses > 0) {
		p->changed = true;
		side_failed(s);
		return;
	}
	p->changed |= s->problem.problem != NULL;
	row_release(&s->problem);
	status_init(&s->problem.status, "");
	if (server->lists == TMUX_WISHES)
		return;
	if (server->shown_by != server)
		listing_release(l);
	wishes = p->first ? xcalloc(l->npanes + 1, sizeof(*wishes)) : NULL;
	n = issues_listed(p, server, wishes);
	side_capture(p, s, wishes, n);
	issues_search(p, server);
	if (p->first)
		return;
	c = side_shows(p, s) ? listing_capture(l, p->shown.pane) : NULL;
	if (c != NULL) {
		p->changed |= c->len != p->screen.len || memcmp(c->text,
		    p->screen.data, c->len) != 0;
		buf_reset(&p->screen);
		buf_add(&p->screen, c->text, c->len);
	}
	issues_judge(p, server);
	listing_release(l);
}

/* ---- the loop ------------------------------------------------------------ */

static void
panes_sockets(struct queue *p)
{
	struct servers all = SERVERS_INIT;
	struct tmux_server *s;
	char *usual;
	int error;

	if (!p->how.panes)
		return;
	if (servers_add_all(&all, p->how.context->config.sockets) ==
	    -1) {
		error = errno;
		usual = tmux_usual_socket();
		*strrchr(usual, '/') = '\0';
		issues_report(p, usual, NULL, error);
		free(usual);
	}
	for (s = all.first; s != NULL; s = s->next)
		panes_add(p, s->socket);
	servers_release(&all);
}

/* A server that begins again is found again. */
static void
panes_search(void *context, msec now)
{
	struct queue *p = context;
	struct tmux_server *s, *next;

	for (s = p->servers.first; s != NULL; s = next) {
		next = s->next;
		if (s->result == TMUX_NO_SERVER)
			side_remove(side(s));
	}
	panes_sockets(p);
	p->search.at = now + p->how.pace;
}

void
panes_init(struct queue *p)
{
	p->servers = (struct servers){ .size = sizeof(struct side),
	    .limit = ANSWER, .begin = panes_ask, .answered = panes_answered,
	    .context = p, .loop = p->how.loop };
	p->search = LOOP_WAIT(-1, panes_search, p);
	p->search.at = 0;
	if (p->how.loop != NULL)
		loop_add(p->how.loop, &p->search);
}

void
panes_begin(struct queue *p)
{
	p->first = true;
	panes_sockets(p);
	servers_due(&p->servers, clock_now());
}

/* Waits for the answers and judges what can be. */
static void
panes_judge(struct queue *p, bool more)
{
	struct tmux_server *s;

	while (servers_wait(&p->servers, CLOCK_NEVER))
		continue;
	p->more = more;
	for (s = p->servers.first; s != NULL; s = s->next) {
		issues_judge(p, s);
		if (!more)
			listing_release(&s->listing);
	}
}

void
panes_look(struct queue *p)
{
	unsigned rounds = SCREENS;
	struct tmux_wish *wishes;
	struct tmux_server *s;
	size_t n;

	servers_due(&p->servers, clock_now());
	panes_judge(p, true);
	do {
		p->more = false;
		for (s = p->servers.first; s != NULL; s = s->next) {
			wishes = side_wishes(p, side(s), &n);
			side_capture(p, side(s), wishes, n);
		}
		panes_judge(p, p->more && --rounds > 0);
	} while (p->more);
	p->first = false;
}

/* ---- what was found ------------------------------------------------------ */

void
panes_rows(const struct queue *p, void (*take)(void *, struct row *),
    void *context)
{
	struct tmux_server *s;

	for (s = p->servers.first; s != NULL; s = s->next)
		if (side(s)->problem.problem != NULL)
			take(context, &side(s)->problem);
}

void
queue_show(struct queue *p, const struct row *r)
{
	const struct pane_ref *pane = r != NULL && r->host == NULL ?
	    &r->status.place : NULL;
	struct tmux_server *s;

	if (pane != NULL && p->shown.socket != NULL &&
	    p->shown.server == pane->server &&
	    p->shown.server_start == pane->server_start &&
	    strcmp(p->shown.pane, pane->pane) == 0)
		return;
	pane_ref_release(&p->shown);
	buf_reset(&p->screen);
	p->shown = (struct pane_ref){ .socket = NULL };
	if (pane == NULL || pane->socket == NULL)
		return;
	p->shown = *pane;
	p->shown.socket = xstrdup(pane->socket);
	/* The first answer with it is wanted at once. */
	for (s = p->servers.first; s != NULL; s = s->next)
		if (side_shows(p, side(s)) && s->misses == 0)
			server_at(s, 0);
}
