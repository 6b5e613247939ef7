#include "queue/queue.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "project/registry.h"
#include "queue/hosts.h"
#include "queue/look.h"
#include "queue/paneevents.h"
#include "queue/panes.h"
#include "queue/presence.h"
#include "queue/seen.h"
#include "run/queued.h"

/* The status directory of a project. */
struct folder {
	struct statusdir dir;
	char            *project;       /* the root */
	struct context   settings;      /* its configuration, once that is
					   wanted; its directory is closed */
	enum { SETTINGS_UNREAD, SETTINGS_READ, SETTINGS_WRONG } read;
	struct queued_list queued;      /* the issues that wait for their
					   start */
	int              watch;         /* of its .paneward; -1: none */
};

/* An issue of one. */
struct entry {
	struct row     row;
	struct folder *folder;
	bool           ended;           /* since its record was written */
	bool           open;            /* nothing watches it, and its pane may
					   be there */
	unsigned       order;           /* in which they were found */
	struct look   *look;            /* NULL: it is not judged here */
	msec           looked;          /* wall time of the last one; 0 */
	msec           stands;          /* how long that stands behind it */
};

struct queue {
	struct queue_how how;
	struct folder  **folders;
	size_t           nfolders;
	struct entry   **entries;
	size_t           nentries;
	unsigned         found;         /* so far */
	size_t           entry_room;
	struct entry   **placed;        /* those with a pane, in the order of
					   panes; as many as entries fit */
	size_t           nplaced;       /* 0: to be sorted anew */
	struct row     **rows;          /* of all of them, sorted */
	size_t           nrows;
	size_t           room;          /* of rows */
	struct presence  presence;      /* of the last look or tick */
	struct backends  backends;
	struct statusdir events;        /* of panes; fd -1: there are none */
	struct panes    *panes;         /* NULL: tmux is not asked */
	struct hosts    *hosts;         /* NULL: none is asked */
	char            *fleet;         /* the program that they have */
	struct notify   *notify;        /* of a live one */
	int              pane_watch;    /* of the folder of events of panes */
	bool             hurry;         /* something was reported that a look
					   is to find */
	unsigned         ticks;
	msec             tick, ticked;  /* the times of the next one, and of
					   the last */
	bool             changed;       /* since the rows were sorted */
	uint64_t         budget;        /* bytes of logs that are read */
};

enum {
	BUDGET = 64 << 20,              /* bytes of all logs, in a turn */
	LOOK_STANDS = 2000,             /* ms behind a row, and a pace */
	TICK = 1000,                    /* ms */
	TICKS = 10                      /* between looks at a watched run, and
					   at the registry */
};

/* ---- an issue ------------------------------------------------------------ */

/* Since when is a row not watched, if neither its watcher nor a look stands
 * behind it? */
static msec
entry_unwatched(const struct entry *e, msec since, msec wall)
{
	if (since == 0 || e->looked + e->stands > wall)
		return 0;
	return since > e->looked ? since : e->looked;
}

/* An end that was not judged yet is unknown: the run may have left a report. */
static void
entry_compare(struct presence *x, struct entry *e)
{
	struct row *r = &e->row;
	struct status *s = &r->status;
	const char *ended = e->ended ? NULL : presence_ended(x, s);
	msec since;

	if (s->verdict.state == STATE_QUEUED)
		return;
	presence_enter(x, e->folder->dir.state_fd);
	since = presence_unwatched(x, s);
	e->open = since != 0 && s->verdict.state != STATE_COMPLETE &&
	    presence_served(x, s);
	r->unwatched = entry_unwatched(e, since, x->wall);
	r->alive = presence_alive(x, s);
	if (ended == NULL)
		return;
	e->ended = true;
	e->looked = 0;
	r->unwatched = since;
	s->verdict = (struct verdict){ .state = STATE_UNKNOWN,
	    .source = "process" };
	verdict_why(&s->verdict, "%s; not judged yet%s", ended,
	    r->unwatched ? ", 'paneward sweep' does that" : "");
	s->since = r->unwatched ? r->unwatched : x->wall;
}

static void
entry_rate(struct entry *e)
{
	char episode[SEEN_EPISODE];

	seen_episode(episode, &e->row.status);
	e->row.seen = seen_read(e->folder->dir.state_fd, e->row.status.issue,
	    episode);
	row_rate(&e->row);
}

static void
entry_leave(struct entry *e)
{
	look_free(e->look);
	e->look = NULL;
}

static void
entry_free(struct entry *e)
{
	entry_leave(e);
	row_release(&e->row);
	free(e);
}

static void
queue_report(const struct queue *q, const struct folder *f, const char *issue,
    int error)
{
	if (q->how.trouble != NULL)
		q->how.trouble(q->how.trouble_context, f->dir.path, issue,
		    error);
}

/* The record of the issue, or while it waits for its start what stands for
 * one; as status_read(). */
static int
folder_record(const struct folder *f, const char *issue, struct status *s)
{
	int found = status_read(s, f->dir.state_fd, issue);
	const struct queued *waits = queued_find(&f->queued, issue);

	if (waits == NULL || queued_started(waits, s))
		return found;
	status_release(s);
	queued_record(&f->queued, waits, s);
	return 1;
}

/* False, after telling why: it has no record that can be read. */
static bool
entry_read(struct queue *q, struct entry *e, const char *issue)
{
	int found;

	q->nplaced = 0;
	entry_leave(e);
	if (e->row.status.issue[0] != '\0')
		status_release(&e->row.status);
	found = folder_record(e->folder, issue, &e->row.status);
	if (found != 1) {
		queue_report(q, e->folder, issue, found == 0 ? 0 : errno);
		return false;
	}
	e->ended = false;
	e->looked = 0;
	return true;
}


/* A watcher has it now, or has had it: its record counts again. */
static void
entry_record(struct queue *q, struct entry *e)
{
	char issue[ISSUE_MAX + 1];

	memcpy(issue, e->row.status.issue, sizeof(issue));
	if (entry_read(q, e, issue)) {
		entry_compare(&q->presence, e);
		entry_rate(e);
	}
	q->changed = true;
}

/* ---- a status directory -------------------------------------------------- */

static void
folder_free(struct folder *f)
{
	if (f->read == SETTINGS_READ)
		context_close(&f->settings);
	statusdir_close(&f->dir);
	queued_release(&f->queued);
	free(f->project);
	free(f);
}

/* Takes over the open directory.  One without records is tried again. */
static void
folder_add(struct queue *q, struct statusdir *dir)
{
	struct folder *f;
	size_t i;

	for (i = 0; i < q->nfolders; i++)
		if (q->folders[i]->dir.dev == dir->dev &&
		    q->folders[i]->dir.ino == dir->ino)
			break;
	if (i < q->nfolders || dir->state_fd == -1) {
		statusdir_close(dir);
		return;
	}
	f = xcalloc(1, sizeof(*f));
	f->dir = *dir;
	f->project = statusdir_project(dir);
	f->watch = q->notify != NULL ?
	    notify_watch(q->notify, dir->state_fd, q->how.pace > TICK ?
	    NOTIFY_DIRECTORY : NOTIFY_RENAMES) : -1;
	q->folders = xreallocarray(q->folders, q->nfolders + 1,
	    sizeof(*q->folders));
	q->folders[q->nfolders++] = f;
}

/* Where that of its project is wrong, ours counts. */
static const struct config *
folder_config(const struct queue *q, struct folder *f)
{
	struct buf why = BUF_INIT;

	if (strcmp(f->project, q->how.context->project.root) == 0)
		return &q->how.context->config;
	if (f->read == SETTINGS_UNREAD)
		f->read = context_find(&f->settings, f->project, &why) ==
		    EXIT_DONE ? SETTINGS_READ : SETTINGS_WRONG;
	buf_release(&why);
	return f->read == SETTINGS_READ ? &f->settings.config :
	    &q->how.context->config;
}

/* One that cannot be opened drops out. */
static void
folder_open(struct queue *q, const char *path)
{
	struct buf error = BUF_INIT;
	struct statusdir dir;

	if (statusdir_open(&dir, xstrdup(path), false, &error) == 0)
		folder_add(q, &dir);
	buf_release(&error);
}

/* Its entry is not compared yet. */
static void
folder_issue(struct queue *q, struct folder *f, const char *issue)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->folder = f;
	e->order = q->found++;
	e->stands = LOOK_STANDS + q->how.pace;
	if (!entry_read(q, e, issue)) {
		entry_free(e);
		return;
	}
	e->row.directory = xstrdup(f->dir.path);
	e->row.project = xstrdup(f->project);
	if (q->nentries == q->entry_room) {
		q->entry_room = 2 * q->entry_room + 16;
		q->entries = xreallocarray(q->entries, q->entry_room,
		    sizeof(*q->entries));
		q->placed = xreallocarray(q->placed, q->entry_room,
		    sizeof(*q->placed));
	}
	q->entries[q->nentries++] = e;
}

/* A listing that is read: the issues that have a file of what was seen, and
 * those that have one of a lock. */
struct folder_names {
	struct queue  *queue;
	struct folder *folder;
	char         **seen, **locks;
};

static void
folder_name(void *context, const char *name)
{
	struct folder_names *n = context;
	char issue[ISSUE_MAX + 1];

	if (issue_in_name(name, "", ".seen", issue))
		n->seen = argv_add(n->seen, issue);
	else if (issue_in_name(name, "", ".lock", issue))
		n->locks = argv_add(n->locks, issue);
	else if (status_named(n->folder->dir.state_fd, name, issue))
		folder_issue(n->queue, n->folder, issue);
}

/* Reads the entries of all its records. */
static void
folder_list(struct folder_names *n)
{
	const struct folder *f = n->folder;

	if (f->dir.state_fd == -1)
		return;
	if (statusdir_names(f->dir.state_fd, folder_name, n) == -1) {
		queue_report(n->queue, f, NULL, errno);
		return;
	}
	argv_sort(n->seen);
	argv_sort(n->locks);
	presence_locks(&n->queue->presence, f->dir.state_fd, n->locks);
}

/* Compares the entries from that one on. */
static void
folder_compare(struct folder_names *n, size_t first)
{
	struct queue *q = n->queue;
	struct entry *e;

	for (; first < q->nentries; first++) {
		e = q->entries[first];
		entry_compare(&q->presence, e);
		row_rate(&e->row);
		if (q->how.issues != NULL || argv_has_sorted(n->seen,
		    e->row.status.issue))
			entry_rate(e);
	}
	presence_leave(&q->presence);
	argv_free(n->seen);
	argv_free(n->locks);
}

/* Is it one of the entries from that one on? */
static bool
folder_has(const struct queue *q, const struct folder *f, size_t first,
    const char *issue)
{
	while (first < q->nentries && (q->entries[first]->folder != f ||
	    strcmp(q->entries[first]->row.status.issue, issue) != 0))
		first++;
	return first < q->nentries;
}

static void
folder_queued(struct queue *q, struct folder *f)
{
	queued_release(&f->queued);
	if (queued_read(&f->queued, f->dir.state_fd) == -1)
		queue_report(q, f, NULL, errno);
}

static void
folder_read(struct queue *q, struct folder *f)
{
	struct folder_names n = { .queue = q, .folder = f };
	size_t i, first = q->nentries;

	folder_queued(q, f);
	if (q->how.issues == NULL)
		folder_list(&n);
	for (i = 0; q->how.issues != NULL && i < q->how.nissues; i++)
		folder_issue(q, f, q->how.issues[i]);
	for (i = 0; q->how.issues == NULL && i < f->queued.n; i++)
		if (!folder_has(q, f, first, f->queued.v[i].issue))
			folder_issue(q, f, f->queued.v[i].issue);
	folder_compare(&n, first);
}

/* ---- panes --------------------------------------------------------------- */

/* By what tells panes apart. */
static int
pane_compare(const struct pane_ref *a, const struct pane_ref *b)
{
	if (a->pane_pid != b->pane_pid)
		return a->pane_pid < b->pane_pid ? -1 : 1;
	if (a->server != b->server)
		return a->server < b->server ? -1 : 1;
	if (a->server_start != b->server_start)
		return a->server_start < b->server_start ? -1 : 1;
	return strcmp(a->pane, b->pane);
}

static int
placed_compare(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a;
	const struct entry *y = *(const struct entry *const *)b;
	int panes = pane_compare(&x->row.status.place, &y->row.status.place);

	return panes != 0 ? panes : x->order < y->order ? -1 : 1;
}

static int
placed_find(const void *place, const void *of)
{
	const struct entry *const *e = of;

	return pane_compare(place, &(*e)->row.status.place);
}

static void
queue_place(struct queue *q)
{
	size_t i;

	for (i = 0; i < q->nentries; i++)
		if (q->entries[i]->row.status.place.socket != NULL)
			q->placed[q->nplaced++] = q->entries[i];
	if (q->nplaced > 1)
		qsort(q->placed, q->nplaced, sizeof(*q->placed),
		    placed_compare);
}

/* The first one that was found, if several records have the pane. */
static struct entry *
queue_owner(struct queue *q, const struct paneat *at)
{
	struct pane_ref place = { .pane_pid = at->pane->pid,
	    .server = at->listing->server,
	    .server_start = at->listing->server_start };
	struct entry **found;

	if (q->nplaced == 0)
		queue_place(q);
	memcpy(place.pane, at->pane->id, sizeof(place.pane));
	found = q->nplaced == 0 ? NULL : bsearch(&place, q->placed, q->nplaced,
	    sizeof(*q->placed), placed_find);
	while (found > q->placed && placed_find(&place, found - 1) == 0)
		found--;
	return found != NULL ? *found : NULL;
}

/* What a client shows is seen. */
static void
queue_shown(struct queue *q, struct row *r)
{
	if (r->shown && r->seen == SEEN_NOT && row_needs(r))
		queue_see(q, r, SEEN_ONCE);
}

static void
entry_begin(struct queue *q, struct entry *e)
{
	e->look = look_new(&e->folder->dir, &e->row.status,
	    folder_config(q, e->folder)->stalled_after * 1000);
	e->look->sources.budget = &q->budget;
}

/* Judges what nothing watches.  The first look waits for the screen. */
static void
entry_look(struct queue *q, struct entry *e, const struct tmux_pane *pane,
    const struct tmux_capture *c)
{
	struct status *r = &e->row.status;

	if (e->look != NULL && look_misled(e->look))
		entry_leave(e);
	if (e->look == NULL)
		entry_begin(q, e);
	look_see(e->look, pane);
	if (e->look->captured == 0 && c == NULL)
		return;
	if ((c != NULL || !look_rests(e->look, pane)) && look_issue(e->look,
	    pane, c, &q->backends, folder_config(q, e->folder)->backend)) {
		entry_rate(e);
		q->changed = true;
	}
	if (!look_complete(e->look))
		return;
	e->looked = clock_wall();
	q->changed |= e->row.unwatched != 0;
	e->row.unwatched = 0;
	e->open = !status_over(r) && r->verdict.state != STATE_COMPLETE;
	if (!e->open)
		entry_leave(e);
}

static bool
queue_judge(void *context, const struct paneat *at,
    const struct tmux_capture *c)
{
	struct queue *q = context;
	struct entry *e = queue_owner(q, at);

	if (e == NULL || !e->open)
		return false;
	entry_look(q, e, at->pane, c);
	queue_shown(q, &e->row);
	return e->look != NULL && look_wants(e->look);
}

/* An agent that goes on when its issue is over has none again. */
static enum panes_owner
queue_owned(void *context, const struct paneat *at)
{
	struct queue *q = context;
	struct entry *e = queue_owner(q, at);
	struct row *r;
	bool shown;

	if (e == NULL)
		return PANES_FREE;
	r = &e->row;
	free(r->where);
	r->where = paneat_name(at);
	shown = listing_shown(at->listing, at->pane);
	q->changed |= shown != r->shown;
	r->shown = shown;
	if (e->open && !q->how.names)
		return PANES_JUDGED;
	queue_shown(q, r);
	return r->seen == SEEN_FORGOTTEN || !row_finished(r) ? PANES_ISSUE :
	    PANES_FREE;
}

static void
queue_open_panes(struct queue *q)
{
	const struct config *config = &q->how.context->config;

	q->panes = panes_new(&(struct panes_how){
	    .agent = { &q->backends, config, &q->events,
	    q->presence.boot, NULL },
	    .all = q->how.panes, .sockets = config->sockets,
	    .pace = q->how.pace,
	    .owner = queue_owned, .judge = queue_judge, .context = q });
}

/* Of an issue that is judged here, and of all that live if agents without one
 * are searched. */
static bool
entry_asks(const struct queue *q, const struct entry *e)
{
	return e->row.status.place.socket != NULL &&
	    ((e->open && !q->how.names) || (q->how.panes && e->row.alive));
}

static void
queue_add_servers(struct queue *q)
{
	bool any = q->how.panes;
	size_t i;

	for (i = 0; i < q->nentries; i++) {
		if (!entry_asks(q, q->entries[i]))
			continue;
		any = true;
		if (q->panes == NULL)
			queue_open_panes(q);
		panes_add(q->panes, q->entries[i]->row.status.place.socket);
	}
	if (any || q->panes == NULL)
		return;
	panes_free(q->panes);
	q->panes = NULL;
}

static void
queue_ask(struct queue *q)
{
	struct buf why = BUF_INIT;

	queue_add_servers(q);
	if (q->panes == NULL)
		return;
	if (q->how.panes)
		backends_all(&q->backends, &why);
	else
		panes_begin(q->panes);
	panes_look(q->panes);
	buf_release(&why);
}

/* ---- the queue ----------------------------------------------------------- */

/* The folder of the events of panes. */
static void
queue_open_events(struct queue *q, bool make)
{
	if (q->events.fd == -1)
		q->events.fd = q->events.state_fd = paneevents_open(make);
	q->events.owner = geteuid();
	if (q->events.fd != -1 && q->how.live && q->how.pace > TICK &&
	    q->pane_watch == -1)
		q->pane_watch = notify_watch(q->notify, q->events.fd,
		    NOTIFY_DIRECTORY);
}

struct queue *
queue_new(const struct queue_how *how)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->how = *how;
	presence_init(&q->presence);
	if (q->how.pace == 0)
		q->how.pace = TICK;
	q->events = (struct statusdir)STATUSDIR_INIT;
	q->pane_watch = -1;
	if (how->live)
		q->notify = context_notify();
	if (how->panes)
		queue_open_events(q, false);
	if (how->hosts && how->context->config.fleet != NULL)
		q->fleet = proc_beside("paneward-fleet");
	if (how->hosts)
		q->hosts = hosts_new(how->context->config.hosts, q->fleet);
	return q;
}

static void
queue_empty(struct queue *q)
{
	while (q->nentries > 0)
		entry_free(q->entries[--q->nentries]);
	while (q->nfolders > 0)
		folder_free(q->folders[--q->nfolders]);
	q->nrows = 0;
}

void
queue_end(struct queue *q)
{
	if (q->panes != NULL)
		panes_free(q->panes);
	if (q->hosts != NULL)
		hosts_free(q->hosts);
	q->panes = NULL;
	q->hosts = NULL;
}

void
queue_free(struct queue *q)
{
	queue_end(q);
	queue_empty(q);
	if (q->events.fd != -1)
		close(q->events.fd);
	if (q->notify != NULL)
		notify_free(q->notify);
	free(q->fleet);
	free(q->entries);
	free(q->placed);
	free(q->folders);
	free(q->rows);
	free(q);
}

/* Opens and reads those that are new. */
static void
queue_folders(struct queue *q)
{
	char **paths = q->how.all ? registry_directories() : NULL;
	size_t i, known = q->nfolders;

	folder_open(q, q->how.context->dir.path);
	for (i = 0; paths != NULL && paths[i] != NULL; i++)
		folder_open(q, paths[i]);
	argv_free(paths);
	q->changed |= q->nfolders > known;
	for (i = known; i < q->nfolders; i++)
		folder_read(q, q->folders[i]);
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
	size_t i;

	q->nrows = 0;
	for (i = 0; i < q->nentries; i++)
		queue_row(q, &q->entries[i]->row);
	if (q->how.panes)
		panes_rows(q->panes, queue_row, q);
	if (q->hosts != NULL)
		hosts_rows(q->hosts, queue_row, q);
	if (q->nrows > 1 && q->how.issues == NULL)
		qsort(q->rows, q->nrows, sizeof(*q->rows), row_compare);
}

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
		hosts_connect(q->hosts);
	queue_folders(q);
	for (i = 0; q->nfolders == 0 && i < q->how.nissues &&
	    q->how.trouble != NULL; i++)
		q->how.trouble(q->how.trouble_context,
		    q->how.context->dir.path, q->how.issues[i], 0);
	queue_ask(q);
	if (q->hosts != NULL && !q->how.live)
		hosts_wait(q->hosts);
	queue_sort(q);
}

/* ---- a live one ---------------------------------------------------------- */

static struct folder *
queue_watched(struct queue *q, int watch)
{
	size_t i = 0;

	while (i < q->nfolders && q->folders[i]->watch != watch)
		i++;
	return i < q->nfolders ? q->folders[i] : NULL;
}

static void
queue_drop(struct queue *q, size_t place)
{
	q->nplaced = 0;
	entry_free(q->entries[place]);
	q->entries[place] = q->entries[--q->nentries];
}

static void
queue_drop_all(struct queue *q, const struct folder *f)
{
	size_t i;

	for (i = q->nentries; i-- > 0; )
		if (q->entries[i]->folder == f)
			queue_drop(q, i);
	q->changed = true;
}

/* Those whose paths lead elsewhere by now, or nowhere. */
static void
queue_forget(struct queue *q)
{
	struct folder *f;
	size_t i;

	for (i = q->nfolders; i-- > 0; ) {
		f = q->folders[i];
		if (statusdir_current(&f->dir))
			continue;
		queue_drop_all(q, f);
		notify_unwatch(q->notify, f->watch);
		folder_free(f);
		q->folders[i] = q->folders[--q->nfolders];
	}
}

static bool
queue_wants(const struct queue *q, const char *issue)
{
	size_t i = 0;

	while (i < q->how.nissues && strcmp(q->how.issues[i], issue) != 0)
		i++;
	return q->how.issues == NULL || i < q->how.nissues;
}

/* A record was written, or is gone. */
static void
queue_again(struct queue *q, struct folder *f, const char *issue)
{
	size_t i = 0;

	if (!queue_wants(q, issue))
		return;
	while (i < q->nentries && (q->entries[i]->folder != f ||
	    strcmp(q->entries[i]->row.status.issue, issue) != 0))
		i++;
	if (i == q->nentries)
		folder_issue(q, f, issue);
	else if (!entry_read(q, q->entries[i], issue))
		queue_drop(q, i);
	if (i < q->nentries && q->entries[i]->folder == f) {
		entry_compare(&q->presence, q->entries[i]);
		entry_rate(q->entries[i]);
	}
	q->changed = true;
}

/* The list of waiting issues is another one. */
static void
queue_again_queued(struct queue *q, struct folder *f)
{
	struct queued_list before = f->queued;
	size_t i;

	f->queued = (struct queued_list){ .n = 0 };
	folder_queued(q, f);
	for (i = 0; i < f->queued.n; i++)
		queue_again(q, f, f->queued.v[i].issue);
	for (i = 0; i < before.n; i++)
		if (queued_find(&f->queued, before.v[i].issue) == NULL)
			queue_again(q, f, before.v[i].issue);
	queued_release(&before);
}

/* A change that is no folder's may be any one's. */
static void
queue_note(void *context, int watch, enum notify_change change,
    const char *name)
{
	struct queue *q = context;
	struct folder *f = queue_watched(q, watch);
	char issue[ISSUE_MAX + 1];
	size_t i;

	q->hurry |= name == NULL || issue_in_name(name, "", ".records", issue);
	if (watch == q->pane_watch && watch != -1)
		return;
	if (change == NOTIFY_ENTRY && name != NULL) {
		if (f != NULL && (status_named(f->dir.state_fd, name, issue) ||
		    issue_in_name(name, "", ".seen", issue)))
			queue_again(q, f, issue);
		else if (f != NULL && strcmp(name, QUEUED_FILE) == 0)
			queue_again_queued(q, f);
		return;
	}
	for (i = 0; i < q->nfolders; i++)
		if (watch == -1 || q->folders[i] == f) {
			queue_drop_all(q, q->folders[i]);
			folder_read(q, q->folders[i]);
		}
}

/* Is the tick one of those that come each TICKS seconds? */
static bool
queue_slow(const struct queue *q, size_t tick)
{
	return q->how.pace >= TICK * TICKS ||
	    (tick + 1) % (size_t)(TICK * TICKS / q->how.pace) == 0;
}

/* What ends without a word is found by looking: often if nothing watches it. */
static void
queue_tick(struct queue *q)
{
	struct entry *e;
	struct row *r;
	msec unwatched;
	size_t i;

	presence_init(&q->presence);
	if (queue_slow(q, q->ticks++)) {
		queue_forget(q);
		queue_folders(q);
	}
	if (q->how.panes)
		queue_open_events(q, false);
	for (i = 0; i < q->nentries; i++) {
		e = q->entries[i];
		r = &e->row;
		if (!r->alive || (r->unwatched == 0 && e->look == NULL &&
		    !queue_slow(q, i + q->ticks)))
			continue;
		unwatched = r->unwatched;
		entry_compare(&q->presence, e);
		if (e->look != NULL && !e->open)
			entry_record(q, e);
		if (e->ended)
			entry_rate(e);
		q->changed |= e->ended || !r->alive || unwatched !=
		    r->unwatched;
	}
	queue_add_servers(q);
}

size_t
queue_poll(const struct queue *q, struct pollfd *fds, size_t most)
{
	int fd = notify_fd(q->notify);
	size_t n = 0;

	if (fd != -1 && most > 0)
		fds[n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	if (q->panes != NULL)
		n += panes_poll(q->panes, fds + n, most - n);
	if (q->hosts != NULL)
		n += hosts_poll(q->hosts, fds + n, most - n);
	return n;
}

msec
queue_due(const struct queue *q, msec now)
{
	msec due = q->tick;

	if (q->panes != NULL)
		due = clock_sooner(due, panes_due(q->panes, now));
	if (q->hosts != NULL)
		due = clock_sooner(due, hosts_due(q->hosts, now));
	return due;
}

bool
queue_turn(struct queue *q, msec now)
{
	bool changed;

	q->budget = BUDGET;
	/* If the kernel does not report changes, all files are read. */
	if (notify_fd(q->notify) != -1 || now >= q->tick)
		notify_read(q->notify, queue_note, q);
	if (q->hurry && q->how.pace > TICK) {
		q->tick = clock_sooner(q->tick, q->ticked + TICK);
		if (q->panes != NULL)
			panes_hurry(q->panes);
	}
	q->hurry = false;
	if (now >= q->tick) {
		queue_tick(q);
		q->ticked = now;
		q->tick = now + q->how.pace;
	}
	if (q->panes != NULL && panes_turn(q->panes, now))
		q->changed = true;
	if (q->hosts != NULL && hosts_turn(q->hosts, now))
		q->changed = true;
	changed = q->changed;
	q->changed = false;
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

/* ---- its rows ------------------------------------------------------------ */

struct row *const *
queue_rows(const struct queue *q, size_t *n)
{
	*n = q->nrows;
	return q->rows;
}

/* Where what was seen of a row is recorded. */
static int
queue_state_fd(struct queue *q, const struct row *r)
{
	size_t i;

	for (i = 0; i < q->nentries; i++)
		if (&q->entries[i]->row == r)
			return q->entries[i]->folder->dir.state_fd;
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
