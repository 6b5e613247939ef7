#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/proc.h"
#include "queue/hosts.h"
#include "queue/issues.h"
#include "queue/paneevents.h"
#include "queue/panes.h"
#include "queue/seen.h"
#include "run/queued.h"

struct queue {
	struct queue_how how;
	struct issues    issues;
	struct row     **rows;          /* of all of them, sorted */
	size_t           nrows;
	size_t           room;          /* of rows */
	struct backends  backends;
	struct statusdir events;        /* of panes; fd -1: there are none */
	struct panes    *panes;         /* NULL: tmux is not asked */
	struct hosts    *hosts;         /* NULL: none is asked */
	struct loop      own;           /* theirs, of one that is not live */
	char            *fleet;         /* the program that they have */
	struct notify   *notify;        /* of a live one */
	int              pane_watch;    /* of the folder of events of panes */
	bool             hurry;         /* something was reported that a look
					   is to find */
	struct loop_wait changes;       /* of notify */
	struct loop_wait tick;
	unsigned         ticks;
	msec             ticked;        /* the time of the last one */
	bool             changed;       /* since the rows were sorted */
	uint64_t         budget;        /* bytes of logs that are read */
};

enum {
	BUDGET = 64 << 20,              /* bytes of all logs, in a turn */
	TICK = 1000,                    /* ms */
	TICKS = 10                      /* between looks at a watched run, and
					   at the registry */
};

/* ---- panes --------------------------------------------------------------- */

/* What a client shows is seen. */
static void
queue_shown(void *context, struct row *r)
{
	struct queue *q = context;

	if (r->shown && r->seen == SEEN_NOT && row_needs(r))
		queue_see(q, r, SEEN_ONCE);
}

static void
queue_open_panes(struct queue *q)
{
	const struct config *config = &q->how.context->config;

	q->panes = panes_new(&(struct panes_how){
	    .agent = { &q->backends, config, &q->events,
	    q->issues.presence.boot, NULL },
	    .all = q->how.panes, .sockets = config->sockets,
	    .loop = q->how.loop, .pace = q->how.pace,
	    .owner = issues_owned, .judge = issues_judge,
	    .context = &q->issues });
}

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
		if (q->panes == NULL)
			queue_open_panes(q);
		panes_add(q->panes, socket);
	}
	if (any || q->panes == NULL)
		return;
	panes_free(q->panes);
	q->panes = NULL;
}

struct backends *
queue_backends(struct queue *q)
{
	struct buf why = BUF_INIT;

	backends_all(&q->backends, &why);
	buf_release(&why);
	return &q->backends;
}

static void
queue_ask(struct queue *q)
{
	queue_add_servers(q);
	if (q->panes == NULL)
		return;
	if (q->how.panes)
		queue_backends(q);
	else
		panes_begin(q->panes);
	panes_look(q->panes);
}

/* ---- the queue ----------------------------------------------------------- */

/* The folder of the events of panes. */
static void
queue_open_events(struct queue *q, bool make)
{
	if (q->events.fd == -1)
		q->events.fd = q->events.state_fd = paneevents_open(make);
	q->events.owner = geteuid();
	if (q->events.fd != -1 && q->how.loop != NULL && q->how.pace > TICK &&
	    q->pane_watch == -1)
		q->pane_watch = notify_watch(q->notify, q->events.fd,
		    NOTIFY_DIRECTORY);
}

static void
queue_init_issues(struct queue *q)
{
	const struct queue_how *how = &q->how;

	issues_init(&q->issues, &(struct issues_how){
	    .where = how->context, .all = how->all, .panes = how->panes,
	    .names = how->names, .issues = how->issues,
	    .nissues = how->nissues, .notify = q->notify,
	    .pace = how->pace, .directories = how->pace > TICK,
	    .backends = &q->backends, .budget = &q->budget,
	    .trouble = how->trouble,
	    .trouble_context = how->trouble_context, .shown = queue_shown,
	    .context = q });
}

struct queue *
queue_new(const struct queue_how *how)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->how = *how;
	if (q->how.pace == 0)
		q->how.pace = TICK;
	q->events = (struct statusdir)STATUSDIR_INIT;
	q->pane_watch = -1;
	if (how->loop != NULL)
		q->notify = context_notify();
	queue_init_issues(q);
	if (how->panes)
		queue_open_events(q, false);
	if (how->hosts && how->context->config.fleet != NULL)
		q->fleet = proc_beside("paneward-fleet");
	if (how->hosts)
		q->hosts = hosts_new(how->context->config.hosts, q->fleet);
	return q;
}

void
queue_end(struct queue *q)
{
	if (q->panes != NULL)
		panes_free(q->panes);
	if (q->hosts != NULL)
		hosts_free(q->hosts);
	loop_release(&q->own);
	q->panes = NULL;
	q->hosts = NULL;
}

void
queue_free(struct queue *q)
{
	loop_drop(&q->changes);
	loop_drop(&q->tick);
	queue_end(q);
	issues_release(&q->issues);
	if (q->events.fd != -1)
		close(q->events.fd);
	if (q->notify != NULL)
		notify_free(q->notify);
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
	if (r->pane)
		queue_shown(q, r);
	if (q->nrows == q->room) {
		q->room = 2 * q->room + 16;
		q->rows = xreallocarray(q->rows, q->room, sizeof(*q->rows));
	}
	q->rows[q->nrows++] = r;
}

/* Issues that were named stay in the order of the question. */
static void
queue_sort(struct queue *q)
{
	q->nrows = 0;
	issues_rows(&q->issues, queue_row, q);
	if (q->how.panes)
		panes_rows(q->panes, queue_row, q);
	if (q->hosts != NULL)
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
	if (watch != q->pane_watch || watch == -1)
		issues_note(&q->issues, watch, change, name);
}

/* Is the tick one of those that come each TICKS seconds? */
static bool
queue_slow(const struct queue *q, size_t tick)
{
	return q->how.pace >= TICK * TICKS ||
	    (tick + 1) % (size_t)(TICK * TICKS / q->how.pace) == 0;
}

/* A tenth of the issues that are watched, each second. */
static bool
queue_turns_to(const void *queue, size_t issue)
{
	const struct queue *q = queue;

	return queue_slow(q, issue + q->ticks);
}

static void
queue_tick(struct queue *q)
{
	presence_init(&q->issues.presence);
	if (queue_slow(q, q->ticks++)) {
		issues_forget(&q->issues);
		issues_find(&q->issues);
	}
	if (q->how.panes)
		queue_open_events(q, false);
	issues_tick(&q->issues, queue_turns_to, q);
	queue_add_servers(q);
}

static void
queue_read(void *context, msec now)
{
	struct queue *q = context;

	(void)now;
	notify_read(q->notify, queue_note, q);
	if (q->hurry && q->how.pace > TICK) {
		q->tick.at = clock_sooner(q->tick.at, q->ticked + TICK);
		if (q->panes != NULL)
			panes_hurry(q->panes);
	}
	q->hurry = false;
}

/* If the kernel does not report changes, all files are read. */
static void
queue_ticks(void *context, msec now)
{
	struct queue *q = context;

	if (notify_fd(q->notify) == -1)
		queue_read(q, now);
	queue_tick(q);
	q->ticked = now;
	q->tick.at = now + q->how.pace;
}

static void
queue_follow(struct queue *q)
{
	q->changes = LOOP_WAIT(notify_fd(q->notify), queue_read, q);
	q->tick = LOOP_WAIT(-1, queue_ticks, q);
	q->tick.at = 0;
	loop_add(q->how.loop, &q->changes);
	loop_add(q->how.loop, &q->tick);
}

/* ---- the first look -------------------------------------------------------- */

void
queue_look(struct queue *q)
{
	size_t i;

	q->budget = BUDGET;
	if (q->how.panes) {             /* tmux works while records are read */
		queue_open_panes(q);
		panes_begin(q->panes);
	}
	if (q->hosts != NULL)
		hosts_connect(q->hosts, q->how.loop != NULL ? q->how.loop :
		    &q->own);
	issues_find(&q->issues);
	for (i = 0; q->issues.nfolders == 0 && i < q->how.nissues &&
	    q->how.trouble != NULL; i++)
		q->how.trouble(q->how.trouble_context,
		    q->how.context->dir.path, q->how.issues[i], 0);
	queue_ask(q);
	if (q->hosts != NULL && q->how.loop == NULL)
		hosts_wait(q->hosts);
	queue_sort(q);
	if (q->how.loop != NULL)
		queue_follow(q);
}

bool
queue_changed(struct queue *q)
{
	bool changed;

	q->budget = BUDGET;
	q->changes.fd = notify_fd(q->notify);
	if (q->panes != NULL && panes_changed(q->panes))
		q->changed = true;
	if (q->hosts != NULL && hosts_changed(q->hosts))
		q->changed = true;
	changed = q->changed || q->issues.changed;
	q->changed = q->issues.changed = false;
	if (changed)
		queue_sort(q);
	return changed;
}

void
queue_show(struct queue *q, const struct row *r)
{
	if (q->panes != NULL)
		panes_show(q->panes, r != NULL && r->host == NULL ?
		    &r->status.place : NULL);
}

const char *
queue_screen(const struct queue *q)
{
	return q->panes != NULL ? panes_screen(q->panes) : NULL;
}

struct servers *
queue_servers(const struct queue *q)
{
	return panes_servers(q->panes);
}

/* ---- its rows ------------------------------------------------------------ */

struct row *const *
queue_rows(const struct queue *q, size_t *n)
{
	*n = q->nrows;
	return q->rows;
}

int
queue_state_fd(struct queue *q, const struct row *r)
{
	int fd = issues_state_fd(&q->issues, r);

	if (fd != -1)
		return fd;
	queue_open_events(q, true);
	/* Agents without hooks leave files there, too. */
	paneevents_tidy(q->events.state_fd);
	return q->events.state_fd;
}

int
queue_see(struct queue *q, struct row *r, enum seen seen)
{
	char episode[SEEN_EPISODE];

	if (r->status.verdict.state == STATE_QUEUED)
		return seen != SEEN_FORGOTTEN ? 0 : queued_forget(
		    queue_state_fd(q, r), r->status.issue);
	seen_episode(episode, &r->status);
	r->seen = seen;
	row_rate(r);
	return seen_write(queue_state_fd(q, r), r->status.issue, episode, seen);
}
