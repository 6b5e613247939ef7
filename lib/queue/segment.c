#include "queue/queue.h"

#include "os/userfolder.h"

enum {
	SEGMENT_CLEAR = 1000,           /* ms */
	SEGMENT_PAUSE = 250             /* ms between changes of one server */
};

struct segmark {
	pid_t    server;
	int64_t  server_start;
	char     pane[TMUX_ID];
	enum row_rank rank;
	enum state state;
};

struct segment {
	struct servers *servers;
	struct lock  lock;
	bool         ours;
	struct segmark *marks;
	size_t       nmarks;
	struct buf   text;              /* the counts, then behind NULs the
					   marks, to be compared */
};

static void
segment_text(struct buf *out, struct row *const *rows, size_t n)
{
	unsigned count[ROW_RANKS] = { 0 };
	size_t i;
	int rank;

	for (i = 0; i < n; i++)
		if (!row_finished(rows[i]))
			count[rows[i]->rank]++;
	for (rank = 0; rank <= ROW_COMPLETE; rank++)
		if (count[rank] > 0)
			buf_printf(out, "%s%u %s", out->len > 0 ? " " : "",
			    count[rank], rank == ROW_HANDOFF ? "refused" :
			    row_styles[rank].word);
}

static void
segment_ask(const struct segment *s, msec soonest)
{
	struct tmux_server *v;

	for (v = s->servers->first; v != NULL && s->ours; v = v->next)
		if (v->misses == 0 && v->result != TMUX_NO_SERVER)
			server_at(v, clock_sooner(v->due, v->began + soonest));
}

void
segment_set(struct segment *s, struct row *const *rows, size_t n)
{
	struct buf before = s->text;
	const struct pane_ref *p;
	struct segmark *m;
	size_t i;

	s->text = (struct buf)BUF_INIT;
	segment_text(&s->text, rows, n);
	s->nmarks = 0;
	s->marks = xreallocarray(s->marks, n + 1, sizeof(*s->marks));
	for (i = 0; i < n; i++) {
		p = &rows[i]->status.place;
		if (rows[i]->host != NULL || rows[i]->problem != NULL ||
		    p->socket == NULL || row_finished(rows[i]))
			continue;
		m = &s->marks[s->nmarks++];
		*m = (struct segmark){ .server = p->server,
		    .server_start = p->server_start, .rank = rows[i]->rank,
		    .state = rows[i]->status.verdict.state };
		memcpy(m->pane, p->pane, sizeof(m->pane));
		buf_printf(&s->text, "%c%ld %s %s", '\0', (long)m->server,
		    m->pane, state_name(m->state));
	}
	if (!buf_same(&s->text, &before))
		segment_ask(s, SEGMENT_PAUSE);
	buf_release(&before);
}

/* Without a folder to lock, we are alone. */
static void
segment_lock(struct segment *s)
{
	int dir = userfolder_state(NULL, true);

	s->ours = dir == -1 || lock_take(&s->lock, dir, "tmux") != 0;
	file_close(dir);
}

/* Sets what differs.  The next listing finds what one call cannot carry. */
static void
segment_listed(void *context, struct tmux_server *v, msec now)
{
	struct segment *s = context;
	const struct tmux_listing *l = &v->listing;
	const struct tmux_pane *p, *end = l->panes + l->npanes;
	const struct segmark *m, *worst = NULL;
	const char *text = buf_str(&s->text), *state;
	struct tmux_show show = { .listing = l };
	struct tmux_mark *marks;

	(void)now;
	if (!s->ours)
		segment_lock(s);
	if (!s->ours || v->shown_by != v)
		return;
	show.marks = marks = xcalloc(l->npanes + 1, sizeof(*marks));
	/* A window's panes are adjacent. */
	for (p = l->panes; p < end; p++) {
		for (m = s->marks; m < s->marks + s->nmarks; m++)
			if (strcmp(m->pane, p->id) == 0 &&
			    m->server == l->server &&
			    m->server_start == l->server_start &&
			    (worst == NULL || m->rank < worst->rank))
				worst = m;
		if (p + 1 < end && strcmp(p[1].window, p->window) == 0)
			continue;
		state = worst != NULL ? state_name(worst->state) : "";
		if (strcmp(state, p->mark) != 0)
			marks[show.nmarks++] = (struct tmux_mark){ p->window,
			    state };
		worst = NULL;
	}
	if (l->npanes > 0 && strcmp(l->panes[0].queue, text) != 0)
		show.queue = text;
	if (show.queue != NULL || show.nmarks > 0)
		server_show(v, &show);
	free(marks);
}

struct segment *
segment_new(struct servers *servers)
{
	struct segment *s = xcalloc(1, sizeof(*s));

	s->lock = (struct lock)LOCK_INIT;
	s->servers = servers;
	servers->marks = segment_listed;
	servers->marks_context = s;
	segment_lock(s);
	return s;
}

void
segment_free(struct segment *s)
{
	msec end = clock_now() + SEGMENT_CLEAR;

	segment_set(s, NULL, 0);
	segment_ask(s, 0);
	do
		servers_due(s->servers, clock_now());
	while (s->ours && servers_wait(s->servers, end));
	s->servers->marks = NULL;
	lock_release(&s->lock);
	buf_release(&s->text);
	free(s->marks);
	free(s);
}
