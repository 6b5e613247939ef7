#include "tmux/servers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "tmux/sockets.h"

void
servers_add(struct servers *s, const char *socket)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->server[i].socket, socket) == 0)
			return;
	s->server = xreallocarray(s->server, s->n + 1, sizeof(*s->server));
	s->server[s->n] = (struct tmux_server){ .shown_by = s->n,
	    .socket = xstrdup(socket), .query = TMUX_QUERY_INIT,
	    .result = TMUX_FAILED };
	if (s->limit > 0)
		s->server[s->n].query.limit = s->limit;
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

void
servers_add_all(struct servers *s, char *const *configured)
{
	char **sockets = sockets_of_user(), **p;

	servers_add_usual(s, configured);
	for (p = sockets; p != NULL && *p != NULL; p++)
		servers_add(s, *p);
	argv_free(sockets);
}

/* ---- asking -------------------------------------------------------------- */

/* Runs the queries that were begun to their end. */
static void
run_all(struct servers *s)
{
	struct loop loop = LOOP_INIT;
	size_t i;

	for (i = 0; i < s->n; i++)
		spawn_follow(&s->server[i].query.spawn, &loop, NULL, NULL);
	for (i = 0; i < s->n; i++)
		while (s->server[i].query.spawn.pid != 0)
			loop_round(&loop, CLOCK_NEVER);
	loop_release(&loop);
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

void
servers_ask(struct servers *s, bool brief)
{
	struct tmux_server *server, *end = s->server + s->n;

	for (server = s->server; server < end; server++) {
		if (server->asked)
			continue;
		/* Cheaper than running tmux. */
		if (brief && socket_dead(server->socket)) {
			server->asked = true;
			server->result = TMUX_NO_SERVER;
			buf_printf(&server->why, "no tmux server at '%s'",
			    server->socket);
		} else if (brief) {
			tmux_query_brief(&server->query, server->socket);
		} else {
			tmux_query_begin(&server->query, server->socket, NULL,
			    0);
		}
	}
	run_all(s);
	for (server = s->server; server < end; server++) {
		if (!server->asked)
			server->result = tmux_query_answer(&server->query,
			    &server->listing, &server->why);
		server->asked = true;
	}
	drop_doubles(s);
	proc_boot(s->boot);
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
	servers_ask(s, false);
}

void
servers_release(struct servers *s)
{
	struct tmux_server *server;

	for (; s->n > 0; s->n--) {
		server = &s->server[s->n - 1];
		free(server->socket);
		free(server->wanted);
		tmux_query_release(&server->query);
		listing_release(&server->listing);
		listing_release(&server->captures);
		buf_release(&server->why);
	}
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

/* Begins a query for the next panes, as many as fit into one call. */
static void
begin_captures(struct tmux_server *server)
{
	size_t i, n = server->nwanted;
	struct tmux_wish *wishes = xcalloc(n, sizeof(*wishes));
	ssize_t taken;

	for (i = 0; i < n; i++)
		wishes[i] = (struct tmux_wish){ .want = TMUX_CAPTURE,
		    .pane = server->wanted[n - 1 - i] };
	taken = tmux_query_begin(&server->query, server->socket, wishes, n);
	/* After a failure, drop all of them. */
	server->nwanted -= taken == -1 ? n : (size_t)taken;
	free(wishes);
}

static void
take_captures(struct tmux_server *server)
{
	struct tmux_listing *all = &server->captures, got;
	struct buf why = BUF_INIT;
	enum tmux_result result = tmux_query_answer(&server->query, &got, &why);

	/* A server that just ended is no error. */
	if (result != TMUX_OK && result != TMUX_NO_SERVER) {
		buf_reset(&server->why);
		buf_add(&server->why, why.data, why.len);
	}
	all->captures = xreallocarray(all->captures, all->ncaptures +
	    got.ncaptures, sizeof(*all->captures));
	while (got.ncaptures > 0)
		all->captures[all->ncaptures++] = got.captures[--got.ncaptures];
	if (all->npanes == 0) {
		all->panes = got.panes;
		all->npanes = got.npanes;
		got.panes = NULL;
		got.npanes = 0;
	}
	listing_release(&got);
	buf_release(&why);
}

void
servers_capture(struct servers *s)
{
	bool more = true, *asked = xcalloc(s->n, sizeof(*asked));
	size_t i;

	while (more) {
		more = false;
		for (i = 0; i < s->n; i++) {
			asked[i] = s->server[i].nwanted > 0;
			if (asked[i])
				begin_captures(&s->server[i]);
			more = more || s->server[i].nwanted > 0;
		}
		run_all(s);
		for (i = 0; i < s->n; i++)
			if (asked[i])
				take_captures(&s->server[i]);
	}
	free(asked);
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
