#include "queue/segment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/userfolder.h"
#include "tmux/servers.h"

enum {
	SEGMENT_ANSWER = 1000,          /* ms for an answer */
	SEGMENT_SEARCH = 1000,          /* ms between looks for new servers */
	SEGMENT_PAUSE = 250,            /* ms between changes of one server */
	SEGMENT_LATER = 10000,          /* after it did not answer, */
	SEGMENT_SELDOM = 60000          /* twice */
};

/* What a window is to show of an agent. */
struct segmark {
	pid_t    server;
	int64_t  server_start;
	char     pane[TMUX_ID];
	char    *where;
	enum row_rank rank;
	enum state state;
};

/* A tmux server. */
struct segserver {
	char    *socket;
	struct stat file;               /* of the socket */
	struct tmux_query query;
	enum { SEGMENT_RESTS, SEGMENT_ASKS, SEGMENT_SETS } step;
	msec     due, asked;
	unsigned misses;                /* answers that did not come */
	pid_t    server;                /* from its last answer; 0: none */
	int64_t  server_start;
	struct buf print;               /* all that is wanted of it */
};

struct segment {
	char *const *sockets;
	struct lock  lock;
	bool         ours;              /* this process does it */
	msec         search;            /* for new servers, then */
	struct buf   text;
	struct segmark *marks;
	size_t       nmarks;
	struct segserver **servers;
	size_t       nservers;
};

/* ---- what is wanted ------------------------------------------------------ */

void
segment_text(struct buf *out, struct row *const *rows, size_t n)
{
	static const char *const words[ROW_RANKS] = {
		[ROW_ASKING]   = "asking",
		[ROW_ERROR]    = "error",
		[ROW_HANDOFF]  = "refused",
		[ROW_DEAD]     = "dead",
		[ROW_GONE]     = "gone",
		[ROW_STALLED]  = "stalled",
		[ROW_WAITING]  = "waiting",
		[ROW_COMPLETE] = "complete",
	};
	unsigned count[ROW_RANKS] = { 0 };
	size_t i;
	int rank;

	for (i = 0; i < n; i++)
		if (!row_finished(rows[i]))
			count[rows[i]->rank]++;
	for (rank = 0; rank < ROW_RANKS; rank++)
		if (words[rank] != NULL && count[rank] > 0)
			buf_printf(out, "%s%u %s", out->len > 0 ? " " : "",
			    count[rank], words[rank]);
}

static bool
segmark_of(const struct segmark *m, pid_t server, int64_t start)
{
	return m->server == server && m->server_start == start;
}

/* Everything that is wanted of the server, as text to compare. */
static void
segserver_print(const struct segment *s, const struct segserver *v,
    struct buf *print)
{
	const struct segmark *m;

	buf_add(print, s->text.data, s->text.len);
	for (m = s->marks; m < s->marks + s->nmarks; m++)
		if (segmark_of(m, v->server, v->server_start))
			buf_printf(print, "\n%s %s %s", m->pane, m->where,
			    state_name(m->state));
}

static void
segment_empty(struct segment *s)
{
	while (s->nmarks > 0)
		free(s->marks[--s->nmarks].where);
	buf_reset(&s->text);
}

static void
segment_mark(struct segment *s, const struct row *r)
{
	const struct pane_ref *p = &r->status.place;
	struct segmark *m;

	if (r->host != NULL || r->problem != NULL || p->socket == NULL ||
	    row_finished(r))
		return;
	m = &s->marks[s->nmarks++];
	*m = (struct segmark){ .server = p->server,
	    .server_start = p->server_start, .rank = r->rank,
	    .state = r->status.verdict.state,
	    .where = xstrdup(r->where != NULL ? r->where : "") };
	memcpy(m->pane, p->pane, sizeof(m->pane));
}

static void
segserver_compare(struct segment *s, struct segserver *v, msec now)
{
	struct buf print = BUF_INIT;

	segserver_print(s, v, &print);
	if (buf_same(&print, &v->print)) {
		buf_release(&print);
		return;
	}
	buf_release(&v->print);
	v->print = print;
	if (v->misses == 0)
		v->due = v->asked + SEGMENT_PAUSE > now ?
		    v->asked + SEGMENT_PAUSE : now;
}

void
segment_set(struct segment *s, struct row *const *rows, size_t n, msec now)
{
	size_t i;

	segment_empty(s);
	segment_text(&s->text, rows, n);
	s->marks = xreallocarray(s->marks, n + 1, sizeof(*s->marks));
	for (i = 0; i < n; i++)
		segment_mark(s, rows[i]);
	for (i = 0; i < s->nservers; i++)
		segserver_compare(s, s->servers[i], now);
}

/* ---- the servers --------------------------------------------------------- */

struct segment *
segment_new(char *const *sockets)
{
	struct segment *s = xcalloc(1, sizeof(*s));

	s->sockets = sockets;
	s->lock = (struct lock)LOCK_INIT;
	return s;
}

static void
segserver_free(struct segserver *v)
{
	tmux_query_release(&v->query);
	buf_release(&v->print);
	free(v->socket);
	free(v);
}

static struct segserver *
segserver_find(struct segment *s, const char *socket)
{
	struct segserver *v;
	size_t i;

	for (i = 0; i < s->nservers; i++)
		if (strcmp(s->servers[i]->socket, socket) == 0)
			return s->servers[i];
	v = xcalloc(1, sizeof(*v));
	v->socket = xstrdup(socket);
	v->query = (struct tmux_query)TMUX_QUERY_INIT;
	v->query.limit = SEGMENT_ANSWER;
	v->due = CLOCK_NEVER;
	s->servers = xreallocarray(s->servers, s->nservers + 1,
	    sizeof(*s->servers));
	return s->servers[s->nservers++] = v;
}

/* A server that ends and begins again makes its socket anew. */
static void
segserver_look(struct segserver *v, msec now)
{
	struct stat st;

	if (stat(v->socket, &st) == -1 || !S_ISSOCK(st.st_mode) ||
	    (st.st_ino == v->file.st_ino && st.st_dev == v->file.st_dev &&
	    st.st_mtim.tv_sec == v->file.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == v->file.st_mtim.tv_nsec))
		return;
	v->file = st;
	v->misses = 0;
	v->due = now;
}

static void
segment_search(struct segment *s, msec now)
{
	struct servers all = SERVERS_INIT;
	size_t i;

	servers_add_all(&all, s->sockets);
	for (i = 0; i < all.n; i++)
		segserver_look(segserver_find(s, all.server[i].socket), now);
	servers_release(&all);
}

/* The lock is tried again and again: its holder may end.  Without a folder for
 * it, every process is alone. */
static void
segment_lock(struct segment *s)
{
	int dir = userfolder_state(NULL, true);

	s->ours = dir == -1 || lock_take(&s->lock, dir, "tmux") != 0;
	file_close(dir);
}

/* ---- asking and setting -------------------------------------------------- */

static void
segserver_failed(struct segserver *v, msec now)
{
	v->misses++;
	v->step = SEGMENT_RESTS;
	v->due = now + (v->misses == 1 ? SEGMENT_LATER : SEGMENT_SELDOM);
}

static void
segserver_ask(struct segserver *v, msec now)
{
	v->due = CLOCK_NEVER;
	v->asked = now;
	v->step = SEGMENT_ASKS;
	if (tmux_query_marks(&v->query, v->socket) == -1)
		segserver_failed(v, now);
}

/* The worst state of the agents in a window; "": it has none. */
static const char *
segment_state(const struct segment *s, const struct tmux_listing *l,
    const char *window)
{
	const struct segmark *m, *worst = NULL;
	const struct tmux_pane *p;

	for (m = s->marks; m < s->marks + s->nmarks; m++) {
		if (!segmark_of(m, l->server, l->server_start))
			continue;
		p = listing_pane(l, m->pane);
		if (p != NULL && strcmp(p->window, window) == 0 &&
		    (worst == NULL || m->rank < worst->rank))
			worst = m;
	}
	return worst != NULL ? state_name(worst->state) : "";
}

static bool
pane_first(const struct tmux_listing *l, const struct tmux_pane *p)
{
	const struct tmux_pane *q = l->panes;

	while (strcmp(q->window, p->window) != 0)
		q++;
	return q == p;
}

/* The windows whose mark differs; how many. */
static size_t
segment_differ(const struct segment *s, const struct tmux_listing *l,
    struct tmux_mark *marks)
{
	const struct tmux_pane *p;
	const char *state;
	size_t n = 0;

	for (p = l->panes; p < l->panes + l->npanes; p++) {
		if (!pane_first(l, p))
			continue;
		state = segment_state(s, l, p->window);
		if (strcmp(state, p->mark) != 0)
			marks[n++] = (struct tmux_mark){ p->window, state };
	}
	return n;
}

static void
segserver_change(struct segment *s, struct segserver *v,
    const struct tmux_listing *l, msec now)
{
	struct tmux_mark *marks = xcalloc(l->npanes + 1, sizeof(*marks));
	struct tmux_show show = { .listing = l, .marks = marks };
	const char *text = buf_str(&s->text);
	ssize_t done;

	show.nmarks = segment_differ(s, l, marks);
	if (l->npanes > 0 && strcmp(l->panes[0].queue, text) != 0)
		show.queue = text;
	if (show.queue != NULL || show.nmarks > 0) {
		done = tmux_show_begin(&v->query, v->socket, &show);
		v->step = SEGMENT_SETS;
		if (done == -1)
			segserver_failed(v, now);
		else if ((size_t)done < show.nmarks)
			v->due = now + SEGMENT_PAUSE;
	}
	free(marks);
}

/* Its query is over. */
static void
segserver_answered(struct segment *s, struct segserver *v, msec now)
{
	bool asked = v->step == SEGMENT_ASKS;
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	enum tmux_result result = tmux_query_answer(&v->query, &l, &why);

	v->step = SEGMENT_RESTS;
	/* A window or client has gone since it was listed; the rest is set. */
	if (result == TMUX_FAILED && !asked)
		result = TMUX_OK;
	if (result == TMUX_OK)
		v->misses = 0;
	else if (result != TMUX_NO_SERVER)
		segserver_failed(v, now);
	if (result == TMUX_OK && asked) {
		v->server = l.server;
		v->server_start = l.server_start;
		buf_reset(&v->print);
		segserver_print(s, v, &v->print);
		segserver_change(s, v, &l, now);
	}
	listing_release(&l);
	buf_release(&why);
}

/* ---- the loop ------------------------------------------------------------ */

size_t
segment_poll(const struct segment *s, struct pollfd *fds, size_t most)
{
	size_t i, n = 0;

	for (i = 0; i < s->nservers && n + 2 <= most; i++)
		if (s->servers[i]->step != SEGMENT_RESTS)
			n += spawn_poll(&s->servers[i]->query.spawn, fds + n);
	return n;
}

static msec
segserver_due(const struct segserver *v, msec now)
{
	return v->step == SEGMENT_RESTS ? v->due :
	    spawn_deadline(&v->query.spawn, now);
}

msec
segment_due(const struct segment *s, msec now)
{
	msec due = s->search;
	size_t i;

	for (i = 0; i < s->nservers; i++)
		due = clock_sooner(due, segserver_due(s->servers[i], now));
	return due;
}

static void
segment_step(struct segment *s, msec now)
{
	struct segserver *v;
	size_t i;

	for (i = 0; i < s->nservers; i++) {
		v = s->servers[i];
		if (v->step != SEGMENT_RESTS &&
		    spawn_step(&v->query.spawn, now))
			segserver_answered(s, v, now);
		if (v->step == SEGMENT_RESTS && v->due <= now)
			segserver_ask(v, now);
	}
}

void
segment_turn(struct segment *s, msec now)
{
	if (now >= s->search) {
		s->search = now + SEGMENT_SEARCH;
		if (!s->ours)
			segment_lock(s);
		if (s->ours)
			segment_search(s, now);
	}
	segment_step(s, now);
}

static bool
segment_busy(const struct segment *s)
{
	size_t i = 0;

	while (i < s->nservers && s->servers[i]->step == SEGMENT_RESTS)
		i++;
	return i < s->nservers;
}

/* Nothing is shown of a queue that is not followed any more. */
static void
segment_clear(struct segment *s)
{
	msec now = clock_now(), end = now + SEGMENT_ANSWER;
	struct pollfd fds[64];
	size_t i, n;

	segment_empty(s);
	for (i = 0; i < s->nservers; i++)
		if (s->servers[i]->misses == 0 && s->servers[i]->server != 0)
			s->servers[i]->due = now;
	s->search = CLOCK_NEVER;
	segment_step(s, now);
	while (segment_busy(s) && now < end) {
		n = segment_poll(s, fds, 64);
		poll(fds, (nfds_t)n, clock_until(clock_sooner(end,
		    segment_due(s, now)), now));
		now = clock_now();
		segment_step(s, now);
	}
}

void
segment_free(struct segment *s)
{
	if (s->ours)
		segment_clear(s);
	while (s->nservers > 0)
		segserver_free(s->servers[--s->nservers]);
	lock_release(&s->lock);
	segment_empty(s);
	buf_release(&s->text);
	free(s->servers);
	free(s->marks);
	free(s);
}
