#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "os/proc.h"
#include "queue/issues.h"

struct queue {
	struct queue_how how;
	struct issues    issues;
	struct row     **rows;          /* of all of them, sorted */
	size_t           nrows;
	struct panes     panes;
	struct hosts    *hosts;
	struct loop      own;           /* theirs, of one that is not live */
	char            *fleet;         /* the program that they have */
	bool             hurry;         /* something was reported that a look
					   is to find */
	struct loop_wait changes;       /* of notify */
	struct loop_wait tick;
	unsigned         ticks;
	msec             ticked;        /* the time of the last one */
};

enum {
	BUDGET = 64 << 20,              /* bytes of all logs, in a turn */
	SLOW = 10000                    /* ms between looks at a watched run,
					   and at the registry */
};

/* ---- panes --------------------------------------------------------------- */

static void
queue_add_servers(struct queue *q)
{
	bool any = q->how.panes;
	const char *socket;
	size_t i;

	for (i = 0; i < q->issues.nentries; i++) {
		socket = issues_socket(&q->issues, i);
		if (socket == NULL)
			continue;
		any = true;
		panes_add(&q->panes, socket);
	}
	if (!any)
		panes_leave(&q->panes);
}

struct backends *
queue_backends(struct queue *q)
{
	struct buf why = BUF_INIT;

	backends_all(&q->issues.backends, &why);
	buf_release(&why);
	return &q->issues.backends;
}

/* ---- the queue ----------------------------------------------------------- */

struct queue *
queue_new(const struct queue_how *how)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->how = *how;
	if (q->how.pace == 0)
		q->how.pace = QUEUE_TICK;
	issues_init(&q->issues, &q->how);
	if (how->hosts && how->context->config.fleet != NULL)
		q->fleet = proc_beside("paneward-fleet");
	q->hosts = hosts_new(how->hosts ? how->context->config.hosts : NULL,
	    q->fleet);
	panes_init(&q->panes, &q->issues);
	return q;
}

void
queue_end(struct queue *q)
{
	panes_release(&q->panes);
	hosts_free(q->hosts);
	loop_release(&q->own);
}

void
queue_free(struct queue *q)
{
	loop_drop(&q->changes);
	loop_drop(&q->tick);
	queue_end(q);
	issues_release(&q->issues);
	free(q->fleet);
	free(q->rows);
	free(q);
}

static void
queue_row(void *context, struct row *r)
{
	struct queue *q = context;

	if (!q->how.all && r->pane && (r->project == NULL || strcmp(r->project,
	    q->how.context->project.root) != 0))
		return;
	*ARRAY_ADD(q->rows, q->nrows) = r;
}

/* Issues that were named stay in the order of the question. */
static void
queue_sort(struct queue *q)
{
	q->nrows = 0;
	issues_rows(&q->issues, queue_row, q);
	if (q->how.panes)
		panes_rows(&q->panes, queue_row, q);
	hosts_rows(q->hosts, queue_row, q);
	if (q->nrows > 1 && q->how.issues == NULL)
		qsort(q->rows, q->nrows, sizeof(*q->rows), row_compare);
}

/* ---- a live one ---------------------------------------------------------- */

/* A change that is no folder's may be any one's. */
static void
queue_note(void *context, int watch, enum notify_change change,
    const char *name)
{
	struct queue *q = context;
	char issue[ISSUE_MAX + 1];

	q->hurry |= name == NULL || issue_in_name(name, "", ".records", issue);
	issues_note(&q->issues, watch, change, name);
}

static void
queue_read(void *context, msec now)
{
	struct queue *q = context;

	(void)now;
	notify_read(q->issues.notify, queue_note, q);
	if (q->hurry && q->how.pace > QUEUE_TICK) {
		q->tick.at = clock_sooner(q->tick.at, q->ticked + QUEUE_TICK);
		panes_hurry(&q->panes);
	}
	q->hurry = false;
}

/* If the kernel does not report changes, all files are read. */
static void
queue_ticks(void *context, msec now)
{
	struct queue *q = context;
	unsigned slow = q->how.pace >= SLOW ? 1 : SLOW / q->how.pace;

	if (q->issues.notify->fd == -1)
		queue_read(q, now);
	presence_init(&q->issues.presence);
	if (++q->ticks % slow == 0) {
		issues_forget(&q->issues);
		issues_find(&q->issues);
	}
	issues_tick(&q->issues, q->ticks, slow);
	queue_add_servers(q);
	q->ticked = now;
	q->tick.at = now + q->how.pace;
}

/* ---- the first look ------------------------------------------------------ */

void
queue_look(struct queue *q)
{
	size_t i;

	q->issues.budget = BUDGET;
	if (q->how.panes)               /* tmux works while records are read */
		panes_begin(&q->panes);
	hosts_connect(q->hosts, q->how.loop != NULL ? q->how.loop : &q->own);
	issues_find(&q->issues);
	for (i = 0; q->issues.nfolders == 0 && i < q->how.nissues &&
	    q->how.trouble != NULL; i++)
		q->how.trouble(q->how.trouble_context,
		    q->how.context->dir.path, q->how.issues[i], 0);
	queue_add_servers(q);
	if (q->how.panes)
		queue_backends(q);
	else
		panes_begin(&q->panes);
	panes_look(&q->panes);
	if (q->how.loop == NULL)
		hosts_wait(q->hosts);
	queue_sort(q);
	if (q->how.loop == NULL)
		return;
	q->changes = LOOP_WAIT(q->issues.notify->fd, queue_read, q);
	q->tick = LOOP_WAIT(-1, queue_ticks, q);
	q->tick.at = 0;
	loop_add(q->how.loop, &q->changes);
	loop_add(q->how.loop, &q->tick);
}

bool
queue_changed(struct queue *q)
{
	bool changed;

	q->issues.budget = BUDGET;
	q->changes.fd = q->issues.notify->fd;
	changed = q->issues.changed || q->panes.changed;
	if (hosts_changed(q->hosts))
		changed = true;
	q->issues.changed = q->panes.changed = false;
	if (changed)
		queue_sort(q);
	return changed;
}

void
queue_show(struct queue *q, const struct row *r)
{
	panes_show(&q->panes, r != NULL && r->host == NULL ?
	    &r->status.place : NULL);
}

const char *
queue_screen(struct queue *q)
{
	return q->panes.screen.len > 0 ? buf_str(&q->panes.screen) : NULL;
}

struct servers *
queue_servers(struct queue *q)
{
	return &q->panes.servers;
}

/* ---- its rows ------------------------------------------------------------ */

struct row *const *
queue_rows(const struct queue *q, size_t *n)
{
	*n = q->nrows;
	return q->rows;
}

const struct statusdir *
queue_dir(struct queue *q, const struct row *r)
{
	return issues_dir(&q->issues, r);
}

int
queue_see(struct queue *q, struct row *r, enum seen seen)
{
	return issues_see(&q->issues, r, seen);
}
