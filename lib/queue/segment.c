#include "queue/segment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "os/compat.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/userfolder.h"
#include "tmux/inquiry.h"
#include "tmux/servers.h"

enum {
	SEGMENT_CLEAR = 1000,           /* ms for the end of a segment */
	SEGMENT_SEARCH = 1000,          /* ms between looks for new servers */
	SEGMENT_PAUSE = 250             /* ms between changes of one server */
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
	struct inquiry call;
	struct stat file;               /* of the socket */
	bool     sets;                  /* its query, or it asks */
	msec     asked;
	pid_t    server;                /* from its last answer; 0: none */
	int64_t  server_start;
	struct buf print;               /* all that is wanted of it */
};

struct segment {
	char *const *sockets;
	struct lock  lock;
	bool         ours;              /* this process does it */
	struct loop_wait search;        /* until new servers are searched */
	struct buf   text;
	struct segmark *marks;
	size_t       nmarks;
	struct inquiries servers;
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

static struct segserver *
segserver(struct inquiry *call)
{
	return (struct segserver *)call;
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
	if (v->call.misses == 0)
		inquiry_at(&v->call, v->asked + SEGMENT_PAUSE > now ?
		    v->asked + SEGMENT_PAUSE : now);
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
	for (i = 0; i < s->servers.n; i++)
		segserver_compare(s, segserver(s->servers.all[i]), now);
}

/* ---- the servers --------------------------------------------------------- */

/* A server that ends and begins again makes its socket anew. */
static void
segserver_look(struct segserver *v, msec now)
{
	struct stat st;

	if (stat(v->call.socket, &st) == -1 || !S_ISSOCK(st.st_mode) ||
	    (st.st_ino == v->file.st_ino && st.st_dev == v->file.st_dev &&
	    st.st_mtim.tv_sec == v->file.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == v->file.st_mtim.tv_nsec))
		return;
	v->file = st;
	v->call.misses = 0;
	inquiry_at(&v->call, now);
}

/* It is due once there is a socket. */
static struct inquiry *
segment_add(struct segment *s, const char *socket)
{
	struct inquiry *call = inquiries_add(&s->servers, socket,
	    sizeof(struct segserver));

	inquiry_at(call, CLOCK_NEVER);
	return call;
}

static void
segment_search(struct segment *s, msec now)
{
	struct servers all = SERVERS_INIT;
	struct inquiry *call;
	size_t i;

	servers_add_all(&all, s->sockets);
	for (i = 0; i < all.n; i++) {
		call = inquiries_find(&s->servers, all.server[i].socket);
		if (call == NULL)
			call = segment_add(s, all.server[i].socket);
		segserver_look(segserver(call), now);
	}
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
segment_ask(void *context, struct inquiry *call, msec now)
{
	struct segserver *v = segserver(call);

	(void)context;
	inquiry_at(call, CLOCK_NEVER);
	v->asked = now;
	v->sets = false;
	inquiry_begun(call, tmux_query_marks(&call->query, call->socket) != -1,
	    now);
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
		done = tmux_show_begin(&v->call.query, v->call.socket, &show);
		v->sets = true;
		inquiry_begun(&v->call, done != -1, now);
		if (done != -1 && (size_t)done < show.nmarks)
			inquiry_at(&v->call, now + SEGMENT_PAUSE);
	}
	free(marks);
}

static void
segment_answered(void *context, struct inquiry *call, msec now)
{
	struct segment *s = context;
	struct segserver *v = segserver(call);
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	enum tmux_result result = tmux_query_answer(&call->query, &l, &why);

	/* A window or client has gone since it was listed; the rest is set. */
	if (result == TMUX_FAILED && v->sets)
		result = TMUX_OK;
	if (result == TMUX_OK)
		call->misses = 0;
	else if (result != TMUX_NO_SERVER)
		inquiry_missed(call, now);
	if (result == TMUX_OK && !v->sets) {
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

static void
segment_searches(void *context, msec now)
{
	struct segment *s = context;

	s->search.at = now + SEGMENT_SEARCH;
	if (!s->ours)
		segment_lock(s);
	if (s->ours)
		segment_search(s, now);
}

struct segment *
segment_new(char *const *sockets, struct loop *loop)
{
	struct segment *s = xcalloc(1, sizeof(*s));

	s->sockets = sockets;
	s->lock = (struct lock)LOCK_INIT;
	s->servers = (struct inquiries){ .ask = segment_ask, .loop = loop,
	    .answered = segment_answered, .context = s };
	s->search = LOOP_WAIT(-1, segment_searches, s);
	s->search.at = 0;
	loop_add(loop, &s->search);
	return s;
}

/* Nothing is shown of a queue that is not followed any more. */
static void
segment_clear(struct segment *s)
{
	msec now = clock_now(), end = now + SEGMENT_CLEAR;
	struct inquiry *call;
	size_t i;

	segment_empty(s);
	for (i = 0; i < s->servers.n; i++) {
		call = s->servers.all[i];
		if (call->misses == 0 && segserver(call)->server != 0)
			inquiry_at(call, now);
	}
	do
		inquiries_ask(&s->servers, clock_now());
	while (inquiries_wait(&s->servers, end));
}

static void
segserver_release(struct inquiry *call)
{
	buf_release(&segserver(call)->print);
}

void
segment_free(struct segment *s)
{
	if (s->ours)
		segment_clear(s);
	loop_drop(&s->search);
	inquiries_release(&s->servers, segserver_release);
	lock_release(&s->lock);
	segment_empty(s);
	buf_release(&s->text);
	free(s->marks);
	free(s);
}
