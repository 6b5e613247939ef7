#include "tmux/servers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "os/proc.h"

void
servers_add(struct servers *s, const char *socket)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->server[i].socket, socket) == 0)
			return;
	s->server = xreallocarray(s->server, s->n + 1, sizeof(*s->server));
	s->server[s->n] = (struct tmux_server){ .shown_by = s->n,
	    .socket = xstrdup(socket), .result = TMUX_FAILED };
	s->n++;
}

void
servers_add_usual(struct servers *s, char *const *configured)
{
	char *own = tmux_socket();

	servers_add(s, own);
	free(own);
	for (; configured != NULL && *configured != NULL; configured++)
		servers_add(s, *configured);
}

/* ---- asking -------------------------------------------------------------- */

/* Descriptors of the queries that still run. */
static size_t
servers_poll(const struct tmux_query *q, size_t n, struct pollfd *p, msec now,
    msec *until)
{
	size_t i, count = 0;
	msec deadline;

	*until = CLOCK_NEVER;
	for (i = 0; i < n; i++) {
		const struct spawn *s = &q[i].spawn;

		if (s->pid == 0)
			continue;
		count += spawn_poll(s, p + count);
		deadline = spawn_deadline(s, now);
		if (deadline < *until)
			*until = deadline;
	}
	return count;
}

static void
run_all(struct tmux_query *q, size_t n)
{
	struct pollfd *p = xcalloc(2 * n + 1, sizeof(*p));
	msec now, until;
	size_t i, count;
	bool any;

	for (;;) {
		now = clock_now();
		for (any = false, i = 0; i < n; i++)
			any = !tmux_query_step(&q[i], now) || any;
		if (!any)
			break;
		count = servers_poll(q, n, p, now, &until);
		poll(p, (nfds_t)count, clock_until(until, now));
	}
	free(p);
}

/* Is there no socket?  Cheaper than running tmux. */
static bool
absent(const char *socket)
{
	struct stat st;

	return stat(socket, &st) == -1 && errno == ENOENT;
}

static void
begin_listing(struct tmux_server *server, struct tmux_query *q, bool brief)
{
	if (brief && absent(server->socket)) {
		server->result = TMUX_NO_SERVER;
		buf_printf(&server->why, "no tmux server at '%s'",
		    server->socket);
	} else if ((brief ? tmux_query_brief(q, server->socket) :
	    tmux_query_begin(q, server->socket, NULL, 0)) == -1) {
		buf_printf(&server->why, "cannot run tmux: %s",
		    strerror(errno));
	}
}

/* Drops the panes of a server that was reached through a second socket path. */
static void
drop_doubles(struct servers *s)
{
	const struct tmux_listing *first;
	struct tmux_listing *l;
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		l = &s->server[i].listing;
		for (k = 0; k < i && l->server != 0; k++) {
			first = &s->server[k].listing;
			if (first->server != l->server ||
			    first->server_start != l->server_start)
				continue;
			s->server[i].shown_by = k;
			listing_release(l);
		}
	}
}

static void
servers_query(struct servers *s, bool brief)
{
	struct tmux_query *q = xcalloc(s->n, sizeof(*q));
	struct tmux_server *server;
	size_t i;

	for (i = 0; i < s->n; i++) {
		q[i] = (struct tmux_query)TMUX_QUERY_INIT;
		if (!s->server[i].asked)
			begin_listing(&s->server[i], &q[i], brief);
	}
	run_all(q, s->n);
	for (i = 0; i < s->n; i++) {
		server = &s->server[i];
		if (!server->asked && server->why.len == 0)
			server->result = tmux_query_answer(&q[i],
			    &server->listing, &server->why);
		server->asked = true;
		tmux_query_release(&q[i]);
	}
	free(q);
	drop_doubles(s);
	proc_boot(s->boot);
}

void
servers_ask(struct servers *s)
{
	servers_query(s, false);
}

void
servers_ask_briefly(struct servers *s)
{
	servers_query(s, true);
}

void
servers_ask_again(struct servers *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->server[i].result == TMUX_NO_SERVER)
			continue;
		listing_release(&s->server[i].listing);
		buf_reset(&s->server[i].why);
		s->server[i].shown_by = i;
		s->server[i].asked = false;
	}
	servers_query(s, false);
}

static void
server_release(struct tmux_server *server)
{
	free(server->socket);
	free(server->wanted);
	listing_release(&server->listing);
	listing_release(&server->captures);
	buf_release(&server->why);
}

void
servers_release(struct servers *s)
{
	while (s->n > 0)
		server_release(&s->server[--s->n]);
	free(s->server);
	*s = (struct servers)SERVERS_INIT;
}

/* ---- screens ------------------------------------------------------------- */

void
servers_want(const struct servers *s, const struct server_pane *p)
{
	struct tmux_server *server = &s->server[p->server - s->server];

	server->wanted = xreallocarray(server->wanted, server->nwanted + 1,
	    sizeof(*server->wanted));
	server->wanted[server->nwanted++] = p->pane->id;
}

/* The next wishes for a server, as many as fit into one call. */
static void
begin_captures(struct tmux_server *server, struct tmux_query *q)
{
	size_t i, n = server->nwanted;
	struct tmux_wish *wishes = xcalloc(n + 1, sizeof(*wishes));
	ssize_t taken;

	for (i = 0; i < n; i++)
		wishes[i] = (struct tmux_wish){ .want = TMUX_CAPTURE,
		    .pane = server->wanted[n - 1 - i] };
	taken = n > 0 ? tmux_query_begin(q, server->socket, wishes, n) : 0;
	/* After a failure, drop all of them. */
	if (taken == -1) {
		buf_reset(&server->why);
		buf_printf(&server->why, "cannot run tmux: %s",
		    strerror(errno));
	}
	server->nwanted -= taken == -1 ? n : (size_t)taken;
	free(wishes);
}

static void
take_captures(struct tmux_server *server, struct tmux_query *q)
{
	struct tmux_listing *all = &server->captures, got;
	struct buf why = BUF_INIT;
	enum tmux_result result = TMUX_NO_SERVER;

	if (q->spawn.pid != 0 || q->spawn.out_eof)
		result = tmux_query_answer(q, &got, &why);
	/* A server that just ended is no error. */
	if (result != TMUX_OK && result != TMUX_NO_SERVER) {
		buf_reset(&server->why);
		buf_add(&server->why, why.data, why.len);
	}
	if (result == TMUX_OK) {
		all->captures = xreallocarray(all->captures, all->ncaptures +
		    got.ncaptures + 1, sizeof(*all->captures));
		for (; got.ncaptures > 0; got.ncaptures--)
			all->captures[all->ncaptures++] =
			    got.captures[got.ncaptures - 1];
		if (all->panes == NULL) {
			all->panes = got.panes;
			all->npanes = got.npanes;
			got.panes = NULL;
			got.npanes = 0;
		}
		listing_release(&got);
	}
	buf_release(&why);
	tmux_query_release(q);
}

void
servers_capture(struct servers *s)
{
	struct tmux_query *q = xcalloc(s->n, sizeof(*q));
	bool more = true;
	size_t i;

	while (more) {
		for (i = 0; i < s->n; i++) {
			q[i] = (struct tmux_query)TMUX_QUERY_INIT;
			begin_captures(&s->server[i], &q[i]);
		}
		run_all(q, s->n);
		for (more = false, i = 0; i < s->n; i++) {
			take_captures(&s->server[i], &q[i]);
			more = more || s->server[i].nwanted > 0;
		}
	}
	free(q);
}

const struct tmux_capture *
servers_captured(const struct server_pane *p)
{
	return p->pane == NULL ? NULL :
	    listing_capture(&p->server->captures, p->pane->id);
}

const struct tmux_pane *
servers_seen(const struct server_pane *p)
{
	return p->pane == NULL ? NULL :
	    listing_pane(&p->server->captures, p->pane->id);
}

/* ---- lookups ------------------------------------------------------------- */

bool
servers_same(const struct server_pane *a, const struct server_pane *b)
{
	return a->pane == b->pane && a->server == b->server;
}

const struct tmux_server *
servers_at(const struct servers *s, const char *socket)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->server[i].socket, socket) == 0)
			return &s->server[s->server[i].shown_by];
	return NULL;
}

bool
servers_serves(const struct tmux_server *server, const struct pane_ref *p)
{
	const struct tmux_listing *l = &server->listing;

	return server->result == TMUX_OK && (l->server == 0 ||
	    (l->server == p->server && l->server_start == p->server_start));
}
