#include "queue/queue.h"

enum {
	BUDGET = 64 << 20,              /* bytes of all logs in a turn */
	SLOW = 10000                    /* ms; for watched runs and the
					   registry */
};

struct backends *
queue_backends(struct queue *q)
{
	struct buf why = BUF_INIT;

	if (backends_all(&q->backends, &why) == -1)
		issues_report(q, "backends", NULL, errno);
	else if (why.len > 0)
		issues_report(q, buf_str(&why), NULL, 0);
	buf_release(&why);
	return &q->backends;
}

struct queue *
queue_new(const struct queue_how *how)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->how = *how;
	if (q->how.pace == 0)
		q->how.pace = QUEUE_TICK;
	if (q->how.loop != NULL)
		q->notify = context_notify();
	presence_init(&q->presence);
	panes_init(q);
	return q;
}

void
queue_end(struct queue *q)
{
	loop_drop(&q->search);
	panes_drop(q, true);
	pane_ref_release(&q->shown);
	buf_release(&q->screen);
	hosts_end(q);
	loop_release(&q->own);
}

void
queue_free(struct queue *q)
{
	loop_drop(&q->changes);
	loop_drop(&q->tick);
	queue_end(q);
	issues_release(q);
	free(q->fleet);
	free(q->rows);
	free(q);
}

void
queue_row(struct queue *q, struct row *r)
{
	if (q->how.all || !r->pane || (r->project != NULL &&
	    strcmp(r->project, q->how.context->project.root) == 0))
		*ARRAY_ADD(q->rows, q->nrows) = r;
}

/* Named issues stay in their order. */
void
queue_sort(struct queue *q)
{
	struct tmux_server *s = q->how.panes ? q->servers.first : NULL;
	size_t i;

	q->nrows = 0;
	for (i = 0; i < q->nentries; i++)
		if (entry_there(q->entries[i]))
			queue_row(q, &q->entries[i]->row);
	for (; s != NULL; s = s->next)
		if (((struct side *)s)->problem.problem != NULL)
			queue_row(q, &((struct side *)s)->problem);
	hosts_rows(q);
	if (q->nrows > 1 && q->how.issues == NULL)
		qsort(q->rows, q->nrows, sizeof(*q->rows), row_compare);
}

static void
queue_note(void *context, int watch, enum notify_change change,
    const char *name)
{
	struct queue *q = context;
	char issue[ISSUE_MAX + 1];

	q->hurry |= name == NULL || issue_in_name(name, "", ".records", issue);
	issues_note(q, watch, change, name);
}

static void
queue_read(void *context, msec now)
{
	struct queue *q = context;
	struct tmux_server *s;

	(void)now;
	notify_read(q->notify, queue_note, q);
	q->hurry &= q->how.pace > QUEUE_TICK;
	if (q->hurry)
		q->tick.at = clock_sooner(q->tick.at, q->ticked + QUEUE_TICK);
	for (s = q->servers.first; q->hurry && s != NULL; s = s->next)
		if (s->misses == 0 && s->due != CLOCK_NEVER)
			server_at(s, clock_sooner(s->due, s->began +
			    QUEUE_TICK));
	q->hurry = false;
}

/* Without the kernel's reports all files are read. */
static void
queue_ticks(void *context, msec now)
{
	struct queue *q = context;
	unsigned slow = q->how.pace >= SLOW ? 1 : SLOW / q->how.pace;

	if (q->notify->fd == -1)
		queue_read(q, now);
	presence_init(&q->presence);
	if (++q->ticks % slow == 0)
		issues_find(q);
	issues_tick(q, q->ticks, slow);
	panes_servers(q);
	sessions_look(q);
	q->ticked = now;
	q->tick.at = now + q->how.pace;
}

void
queue_look(struct queue *q)
{
	const struct context *c = q->how.context;
	char *const *issue = q->how.issues;

	q->budget = BUDGET;
	if (q->how.panes)               /* tmux works while records are read */
		panes_begin(q);
	if (q->how.hosts && c->config.fleet != NULL)
		q->fleet = proc_beside("paneward-fleet");
	if (q->how.hosts)
		hosts_begin(q, c->config.hosts);
	issues_find(q);
	for (; q->nfolders == 0 && issue != NULL && *issue != NULL; issue++)
		issues_report(q, c->dir.path, *issue, 0);
	panes_servers(q);
	if (q->how.panes)
		queue_backends(q);
	else
		panes_begin(q);
	panes_look(q);
	sessions_look(q);
	if (q->how.loop == NULL)
		hosts_wait(q);
	queue_sort(q);
	if (q->how.loop == NULL)
		return;
	q->changes = LOOP_WAIT(q->notify->fd, queue_read, q);
	q->tick = LOOP_WAIT(-1, queue_ticks, q);
	q->tick.at = 0;
	loop_add(q->how.loop, &q->changes);
	loop_add(q->how.loop, &q->tick);
}

bool
queue_changed(struct queue *q)
{
	bool changed = q->changed;
	size_t i;

	q->budget = BUDGET;
	q->changes.fd = q->notify->fd;
	for (i = 0; i < q->nhosts; i++) {
		changed |= q->hosts[i].feed.changed;
		q->hosts[i].feed.changed = false;
	}
	q->changed = false;
	if (changed)
		queue_sort(q);
	return changed;
}
