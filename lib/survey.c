#include "survey.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "proc.h"
#include "xalloc.h"

void
survey_add(struct survey *s, const char *socket)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->servers[i].socket, socket) == 0)
			return;
	s->servers = xreallocarray(s->servers, s->n + 1, sizeof(*s->servers));
	s->servers[s->n++] = (struct survey_server){
	    .socket = xstrdup(socket), .result = TMUX_FAILED };
}

void
survey_add_usual(struct survey *s, char *const *configured)
{
	char *own = tmux_socket();

	survey_add(s, own);
	free(own);
	for (; configured != NULL && *configured != NULL; configured++)
		survey_add(s, *configured);
}

/* ---- asking -------------------------------------------------------------- */

/* What the queries that still run are to be polled for. */
static size_t
collect(const struct tmux_query *q, size_t n, struct pollfd *p, msec now,
    msec *until)
{
	size_t i, count = 0;
	msec deadline;

	*until = CLOCK_NEVER;
	for (i = 0; i < n; i++) {
		const struct spawn *s = &q[i].spawn;

		if (s->pid == 0)
			continue;
		if (!s->closed)
			p[count++] = (struct pollfd){ .fd = s->out,
			    .events = POLLIN };
		if (!s->closed && !s->quiet)
			p[count++] = (struct pollfd){ .fd = s->err,
			    .events = POLLIN };
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
		count = collect(q, n, p, now, &until);
		poll(p, (nfds_t)count, clock_until(until, now));
	}
	free(p);
}

void
survey_ask(struct survey *s)
{
	struct tmux_query *q = xcalloc(s->n, sizeof(*q));
	struct survey_server *server;
	size_t i;

	for (i = 0; i < s->n; i++) {
		q[i] = (struct tmux_query)TMUX_QUERY_INIT;
		server = &s->servers[i];
		if (!server->asked && tmux_query_begin(&q[i], server->socket,
		    NULL, 0) == -1)
			buf_adds(&server->why, "cannot run tmux");
	}
	run_all(q, s->n);
	for (i = 0; i < s->n; i++) {
		server = &s->servers[i];
		if (!server->asked && q[i].socket != NULL &&
		    server->why.len == 0)
			server->result = tmux_query_answer(&q[i],
			    &server->listing, &server->why);
		server->asked = true;
		tmux_query_release(&q[i]);
	}
	free(q);
}

void
survey_release(struct survey *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->servers[i].socket);
		tmux_listing_release(&s->servers[i].listing);
		buf_release(&s->servers[i].why);
	}
	free(s->servers);
	*s = (struct survey)SURVEY_INIT;
}

/* ---- looking ------------------------------------------------------------- */

static const struct survey_server *
server_of(const struct survey *s, const char *socket)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->servers[i].socket, socket) == 0)
			return &s->servers[i];
	return NULL;
}

/* Is it still the process that tmux said it was?  tmux notes when it starts;
 * that is also when its process did. */
static bool
server_lives(const struct place *p)
{
	struct proc proc;
	msec began;

	if (proc_read(&proc, p->server) == -1 || proc.zombie)
		return false;
	began = proc.began / 1000;
	return began >= p->server_start - 5 && began <= p->server_start + 5;
}

enum pane_life
survey_life(const struct survey *s, const struct status *r,
    struct survey_pane *found)
{
	const struct place *p = &r->place;
	const struct survey_server *server;
	char boot[PROC_BOOT];

	*found = (struct survey_pane){ NULL, NULL };
	if (p->socket == NULL)
		return PANE_NONE;
	proc_boot(boot);
	server = server_of(s, p->socket);
	if (strcmp(boot, r->boot) != 0 || server == NULL)
		return PANE_GONE;               /* no pane survives a boot */
	if (server->result != TMUX_OK)
		return server_lives(p) ? PANE_SILENT : PANE_GONE;
	if (server->listing.server != p->server ||
	    server->listing.server_start != p->server_start)
		return server_lives(p) ? PANE_SILENT : PANE_GONE;
	found->pane = tmux_listing_pane(&server->listing, p->pane);
	found->server = found->pane ? server : NULL;
	if (found->pane == NULL)
		return PANE_GONE;
	/* Before 3.6 tmux can lose the news of an end. */
	return found->pane->dead || (found->pane->pid == p->pane_pid &&
	    !proc_alive(p->pane_pid, p->pane_start)) ? PANE_DEAD : PANE_LIVES;
}

size_t
survey_claims(const struct survey *s, const struct claim_rules *rules,
    const char *issue, struct survey_pane *found, size_t max)
{
	const struct tmux_pane **panes = xcalloc(max, sizeof(*panes));
	size_t i, k, n, count = 0;

	for (i = 0; i < s->n; i++) {
		n = claim_panes(rules, &s->servers[i].listing, issue, panes,
		    max);
		for (k = 0; k < n && k < max && count + k < max; k++)
			found[count + k] = (struct survey_pane){
			    &s->servers[i], panes[k] };
		count += n;
	}
	free(panes);
	return count;
}
