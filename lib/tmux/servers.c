#include "tmux/servers.h"

#include "tmux/sockets.h"

/* ms after the first miss and later ones */
enum { SERVER_LATER = 10000, SERVER_SELDOM = 60000 };

static void
server_due(void *context, msec now)
{
	struct tmux_server *s = context;

	s->due = CLOCK_NEVER;
	s->all->begin(s->all->context, s, now);
}

struct tmux_server *
servers_add(struct servers *all, const char *socket)
{
	struct tmux_server **end = &all->first, *s;

	for (; (s = *end) != NULL; end = &s->next)
		if (strcmp(s->socket, socket) == 0)
			return s;
	s = *end = xcalloc(1, all->size > 0 ? all->size : sizeof(*s));
	s->all = all;
	s->shown_by = s;
	s->socket = xstrdup(socket);
	s->result = TMUX_FAILED;
	s->query = (struct tmux_query)TMUX_QUERY_INIT;
	if (all->limit > 0)
		s->query.limit = all->limit;
	s->end = LOOP_WAIT(-1, server_ended, s);
	s->wait = LOOP_WAIT(-1, server_due, s);
	s->wait.at = 0;
	if (all->loop != NULL) {
		loop_add(all->loop, &s->end);
		loop_add(all->loop, &s->wait);
	}
	return s;
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

int
servers_add_all(struct servers *s, char *const *configured)
{
	char **sockets = sockets_of_user(), **p;
	int error = sockets == NULL ? errno : 0;

	servers_add_usual(s, configured);
	for (p = sockets; p != NULL && *p != NULL; p++)
		servers_add(s, *p);
	argv_free(sockets);
	errno = error;
	return error == 0 ? 0 : -1;
}

void
servers_remove(struct tmux_server *s)
{
	struct tmux_server **link = &s->all->first, *other;

	for (other = *link; other != NULL; other = other->next)
		if (other->shown_by == s)
			other->shown_by = other;
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	loop_drop(&s->end);
	loop_drop(&s->wait);
	file_close(s->end.fd);
	tmux_query_release(&s->query);
	listing_release(&s->listing);
	listing_release(&s->captures);
	buf_release(&s->why);
	free(s->wishes);
	free(s->socket);
	free(s);
}

void
servers_release(struct servers *all)
{
	while (all->first != NULL)
		servers_remove(all->first);
}

void
server_at(struct tmux_server *s, msec due)
{
	s->due = due;
	s->wait.at = s->running ? CLOCK_NEVER : due;
}

void
server_hurry(struct tmux_server *s)
{
	s->hurried = true;
	server_at(s, 0);
}

static void
server_missed(struct tmux_server *s, msec now)
{
	s->misses++;
	server_at(s, now + (s->all->retry > 0 ? s->all->retry :
	    s->misses == 1 ? SERVER_LATER : SERVER_SELDOM));
}

void
server_identify(struct tmux_server *s, pid_t pid, int64_t start)
{
	struct proc p;

	if (s->pid == pid && s->start == start)
		return;
	s->pid = pid;
	s->start = start;
	s->proc_start = 0;
	file_close(s->end.fd);
	s->end.fd = -1;
	/* A reused pid has another age. */
	if (!s->all->ends || proc_read(&p, pid) == -1 ||
	    p.began / 1000 < start - 5 || p.began / 1000 > start + 5)
		return;
	s->proc_start = p.start;
	s->end.fd = proc_open(pid, p.start);
}

void
server_ended(void *server, msec now)
{
	struct tmux_server *s = server;

	file_close(s->end.fd);
	s->end.fd = -1;
	s->end.ready = 0;
	s->pid = 0;
	s->proc_start = 0;
	spawn_release(&s->query.spawn);
	s->running = s->hurried = false;
	s->misses = 0;
	s->asked = true;
	s->heard = now;
	s->result = TMUX_NO_SERVER;
	listing_release(&s->listing);
	server_at(s, CLOCK_NEVER);
	if (s->all->answered != NULL)
		s->all->answered(s->all->context, s, now);
}

static void
server_answer(struct tmux_server *s, msec now)
{
	struct servers *all = s->all;
	struct tmux_server *o = all->first;
	struct tmux_listing l, before = s->listing;
	enum tmux_result result;

	s->running = false;
	s->heard = s->began;
	server_at(s, s->due);
	buf_reset(&s->why);
	result = tmux_query_answer(&s->query, &l, &s->why);
	/* A window or client may be gone; the rest is set. */
	if (s->query.lists == TMUX_SETS && result != TMUX_SILENT)
		return;
	s->asked = true;
	s->lists = s->query.lists;
	if (result == TMUX_NO_SERVER && s->proc_start != 0 &&
	    proc_alive(s->pid, s->proc_start)) {
		buf_printf(&s->why, ", but its process %ld lives (kill -USR1 "
		    "%ld makes a lost socket again)", (long)s->pid,
		    (long)s->pid);
		result = TMUX_SILENT;
	}
	if (result == TMUX_NO_SERVER) {
		server_ended(s, now);
		return;
	}
	s->result = result;
	if (result == TMUX_OK && s->lists == TMUX_WISHES) {
		s->listing.captures = l.captures;
		s->listing.ncaptures = l.ncaptures;
		l.captures = before.captures;
		l.ncaptures = before.ncaptures;
	} else if (result == TMUX_OK) {
		s->listing = l;
		l = before;
		s->news = s->listing.hash != s->hash;
		s->hash = s->listing.hash;
		if (s->listing.server != 0)
			server_identify(s, s->listing.server,
			    s->listing.server_start);
		while (o != NULL && (o == s || o->shown_by != o ||
		    o->result != TMUX_OK || s->pid == 0 || o->pid != s->pid ||
		    o->start != s->start))
			o = o->next;
		s->shown_by = o != NULL ? o : s;
		if (all->marks != NULL)
			all->marks(all->marks_context, s, now);
	}
	if (result == TMUX_OK)
		s->misses = 0;
	else
		server_missed(s, now);
	listing_release(&l);
	/* Without the captures, the listing still counts. */
	if (result != TMUX_OK && s->lists < TMUX_WISHES)
		listing_release(&s->listing);
	if (all->answered != NULL)
		all->answered(all->context, s, now);
	if (s->shown_by != s)
		listing_release(&s->listing);
}

static void
server_read(void *context, msec now)
{
	struct tmux_server *s = context;

	if (s->query.spawn.pid == 0)
		server_answer(s, now);
}

static ssize_t
server_begun(struct tmux_server *s, ssize_t taken)
{
	struct tmux_listing none;

	s->began = clock_now();
	s->calls++;
	s->wanted = s->hurried;
	s->hurried = false;
	s->running = taken != -1;
	if (s->running) {
		server_at(s, s->due);
		spawn_follow(&s->query.spawn, s->all->loop, server_read, s);
	} else {
		buf_reset(&s->why);
		tmux_query_answer(&s->query, &none, &s->why);
		server_missed(s, s->began);
	}
	return taken;
}

ssize_t
server_call(struct tmux_server *s, enum tmux_lists lists,
    const struct tmux_wish *wishes, size_t n)
{
	if (lists == TMUX_PANES && s->all->marks != NULL)
		lists = TMUX_MARKED;
	return server_begun(s, tmux_query_begin(&s->query, s->socket, lists,
	    wishes, n));
}

ssize_t
server_show(struct tmux_server *s, const struct tmux_show *show)
{
	return server_begun(s, tmux_show_begin(&s->query, s->socket, show));
}

static void
servers_spawns(const struct servers *all, struct loop *loop)
{
	struct tmux_server *s;

	for (s = all->first; s != NULL; s = s->next)
		if (s->running)
			spawn_follow(&s->query.spawn, loop, server_read, s);
}

void
servers_due(struct servers *all, msec now)
{
	struct tmux_server *s;

	for (s = all->first; s != NULL; s = s->next)
		if (s->wait.at <= now)
			server_due(s, now);
}

bool
servers_wait(struct servers *all, msec end)
{
	struct loop own = LOOP_INIT, *before = all->loop;
	const struct tmux_server *s = all->first;

	while (s != NULL && !s->running)
		s = s->next;
	if (s == NULL || clock_now() >= end)
		return false;
	all->loop = &own;
	servers_spawns(all, &own);
	loop_round(&own, end);
	all->loop = before;
	servers_spawns(all, before);
	loop_release(&own);
	return true;
}

bool
servers_busy(const struct servers *all, msec now)
{
	const struct tmux_server *s = all->first;

	while (s != NULL && (s->misses > 0 || (!s->running && s->due > now)))
		s = s->next;
	return s != NULL;
}

void
servers_ask(struct servers *all, bool brief)
{
	struct tmux_server *s;

	for (s = all->first; s != NULL; s = s->next) {
		s->asked &= brief || s->lists != TMUX_BRIEF ||
		    s->result == TMUX_NO_SERVER;
		/* Cheaper than running tmux. */
		if (!s->asked && brief && socket_dead(s->socket)) {
			s->asked = true;
			s->result = TMUX_NO_SERVER;
			buf_printf(&s->why, TMUX_NO_SERVER_WHY, s->socket);
		} else if (!s->asked) {
			server_call(s, brief ? TMUX_BRIEF : TMUX_PANES, NULL,
			    0);
		}
	}
	for (s = all->first; s != NULL; s = s->next)
		if (!s->asked) {
			spawn_finish(&s->query.spawn);
			server_answer(s, clock_now());
		}
	proc_boot(all->boot);
}

bool
servers_next(const struct servers *all, struct server_pane *at)
{
	struct tmux_server *s = at->server != NULL ? at->server : all->first;
	size_t i = at->pane != NULL ?
	    (size_t)(at->pane - s->listing.panes) + 1 : 0;

	for (; s != NULL && i == s->listing.npanes; s = s->next)
		i = 0;
	*at = (struct server_pane){ s, s != NULL ? &s->listing.panes[i] : NULL };
	return s != NULL;
}

void
servers_want(const struct server_pane *p)
{
	struct tmux_server *s = p->server;

	*ARRAY_ADD(s->wishes, s->nwishes) = TMUX_CAPTURE_WISH(p->pane->id);
}

void
servers_capture(struct servers *all)
{
	struct buf why = BUF_INIT;
	enum tmux_result result;
	struct tmux_listing *at, got;
	struct tmux_server *s;
	ssize_t taken;
	size_t done;
	bool more;

	do {
		more = false;
		for (s = all->first; s != NULL; s = s->next) {
			if (s->nwishes == 0)
				continue;
			/* A failure drops all. */
			taken = tmux_query_begin(&s->query, s->socket,
			    TMUX_PANES, s->wishes, s->nwishes);
			s->running = true;
			done = taken == -1 ? s->nwishes : (size_t)taken;
			s->nwishes -= done;
			memmove(s->wishes, s->wishes + done,
			    s->nwishes * sizeof(*s->wishes));
			more = more || s->nwishes > 0;
		}
		for (s = all->first; s != NULL; s = s->next) {
			if (!s->running)
				continue;
			spawn_finish(&s->query.spawn);
			s->running = false;
			buf_reset(&why);
			result = tmux_query_answer(&s->query, &got, &why);
			/* A server that just ended is no error. */
			if (result != TMUX_OK && result != TMUX_NO_SERVER)
				buf_set(&s->why, why.data, why.len);
			at = &s->captures;
			while (got.ncaptures > 0)
				*ARRAY_ADD(at->captures, at->ncaptures) =
				    got.captures[--got.ncaptures];
			if (at->npanes == 0) {
				at->panes = got.panes;
				at->npanes = got.npanes;
				got.panes = NULL;
				got.npanes = 0;
			}
			listing_release(&got);
		}
	} while (more);
	buf_release(&why);
}

char *
server_pane_name(const struct server_pane *p)
{
	return xasprintf("%s:%s.%s", p->pane->session_name,
	    p->pane->window_name, p->pane->index);
}

struct tmux_server *
servers_at(const struct servers *all, const char *socket)
{
	struct tmux_server *s;

	for (s = all->first; s != NULL; s = s->next)
		if (strcmp(s->socket, socket) == 0)
			return s->shown_by;
	return NULL;
}

bool
servers_serves(const struct tmux_server *server, const struct pane_ref *p)
{
	const struct tmux_listing *l = &server->listing;

	return server->result == TMUX_OK &&
	    (l->server == 0 || server_same(l, p));
}
