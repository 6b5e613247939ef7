#include "queue/queue.h"

#include "agent/agentprocess.h"
#include "os/file.h"
#include "queue/paneevents.h"
#include "run/queued.h"
#include "run/restart.h"

/* The status directory of a project, or the folder of panes. */
struct folder {
	struct statusdir dir;           /* of panes: fd is -1 */
	char            *project;       /* the root; NULL: of panes */
	struct context   settings;      /* its configuration, once that is
					   wanted; its directory is closed */
	enum { SETTINGS_UNREAD, SETTINGS_READ, SETTINGS_WRONG } read;
	struct queued_list queued;      /* the issues that wait for their
					   start */
	int              watch;         /* of its .paneward; -1: none */
};

/* An issue of one, or a pane that is no issue's. */
struct queue_entry {
	struct row     row;
	struct folder *folder;
	struct agentprocess process;    /* in front of a pane */
	char          *path;            /* where its project was searched */
	bool           ended;           /* since its record was written */
	bool           open;            /* nothing watches it, and its pane may
					   be there */
	bool           listed;          /* in the last answer of its server */
	unsigned       order;           /* in which they were found */
	struct look   *look;            /* NULL: it is not judged here */
	msec           looked;          /* wall time of the last one; 0 */
	msec           stands;          /* how long that stands behind it */
};

enum { LOOK_STANDS = 2000 };            /* ms behind a row, and a pace */

/* ---- an agent ------------------------------------------------------------ */

/* In a pane that is no issue's there may be none. */
static bool
entry_there(const struct queue_entry *e)
{
	return !e->row.pane || e->row.status.agent.pid != 0;
}

static void
entry_leave(struct queue_entry *e)
{
	if (e->look == NULL)
		return;
	sources_release(&e->look->sources);
	evidence_release(&e->look->evidence);
	free(e->look);
	e->look = NULL;
}

/* An end that was not judged yet is unknown: the run may have left a report.
 * Without an issue there is none, and nothing to tell of it. */
static void
entry_compare(struct presence *by, struct queue_entry *e)
{
	struct row *r = &e->row;
	struct status *s = &r->status;
	pid_t agent = s->agent.pid;
	const char *ended;
	msec since;

	if (s->verdict.state == STATE_QUEUED)
		return;
	if (r->pane && e->listed)
		s->agent.pid = 0;       /* it is searched in its pane */
	ended = e->ended ? NULL : presence_ended(by, s);
	s->agent.pid = agent;
	presence_enter(by, e->folder->dir.state_fd);
	since = r->pane && s->run[0] == '\0' ? s->started + 1 :
	    presence_unwatched(by, s);
	e->open = since != 0 && s->verdict.state != STATE_COMPLETE &&
	    presence_served(by, s);
	/* Neither its watcher nor a look stands behind it. */
	r->unwatched = since == 0 || e->looked + e->stands > by->wall ? 0 :
	    since > e->looked ? since : e->looked;
	r->alive = presence_alive(by, s);
	if (ended == NULL)
		return;
	e->ended = true;
	e->looked = 0;
	r->unwatched = since;
	if (r->pane && since != 0) {
		s->agent.pid = 0;
		entry_leave(e);
		return;
	}
	s->verdict = (struct verdict){ .state = STATE_UNKNOWN,
	    .source = "process" };
	verdict_why(&s->verdict, "%s; not judged yet%s", ended,
	    r->unwatched ? ", 'paneward sweep' does that" : "");
	s->since = r->unwatched ? r->unwatched : by->wall;
}

static void
entry_rate(struct queue_entry *e)
{
	char episode[SEEN_EPISODE];

	seen_episode(episode, &e->row.status);
	e->row.seen = seen_read(e->folder->dir.state_fd, e->row.status.issue,
	    episode);
	row_rate(&e->row);
}

static void
entry_free(struct queue_entry *e)
{
	entry_leave(e);
	row_release(&e->row);
	free(e->path);
	free(e);
}

static void
entry_find_project(const struct queue *x, struct queue_entry *e,
    const char *path)
{
	struct buf why = BUF_INIT;
	struct project found;
	size_t i = 0;

	if (e->path != NULL && strcmp(e->path, path) == 0)
		return;
	free(e->path);
	free(e->row.project);
	e->path = NULL;
	e->row.project = NULL;
	while (i < x->nentries && (x->entries[i]->path == NULL ||
	    strcmp(x->entries[i]->path, path) != 0))
		i++;
	e->path = xstrdup(path);
	if (i < x->nentries && x->entries[i]->row.project != NULL) {
		e->row.project = xstrdup(x->entries[i]->row.project);
	} else if (i == x->nentries && project_find(&found, path, &why) == 0) {
		e->row.project = xstrdup(found.root);
		project_release(&found);
	}
	buf_release(&why);
}

void
issues_report(struct queue *x, const char *dir, const char *issue, int error)
{
	if (error != 0 && !file_refused(error))
		x->trouble = error;
	if (x->how.trouble != NULL)
		x->how.trouble(x->how.trouble_context, dir, issue, error);
}

/* Reads its record, or while it waits for its start what stands for one.
 * Without an issue the run in memory goes on, unless the record is of its
 * agent.  False, after telling why: it has none that can be read. */
static bool
entry_load(struct queue *x, struct queue_entry *e, const char *issue)
{
	struct folder *f = e->folder;
	struct status *r = &e->row.status, s;
	int found = status_read(&s, f->dir.state_fd, issue);
	const struct queued *waits = queued_find(&f->queued, issue);
	bool known = r->issue[0] != '\0';

	if (waits != NULL && !queued_started(waits, &s)) {
		status_release(&s);
		queued_record(&f->queued, waits, f->dir.state_fd, &s);
		found = 1;
	}
	if (e->row.pane && (found != 1 || (e->row.alive && known &&
	    r->agent.pid != 0 && (s.agent.pid != r->agent.pid ||
	    s.agent.start != r->agent.start)))) {
		status_release(&s);
		if (found == 0) {
			r->run[0] = '\0';
			e->ended = false;
		}
		return known;
	}
	x->sorted = false;
	entry_leave(e);
	if (known)
		status_release(r);
	*r = s;
	if (found != 1) {
		issues_report(x, f->dir.path, issue, found == 0 ? 0 : errno);
		return false;
	}
	if (e->row.pane && e->row.where == NULL && r->name != NULL)
		e->row.where = xstrdup(r->name);
	if (e->row.pane && r->cwd != NULL)
		entry_find_project(x, e, r->cwd);
	e->ended = false;
	e->looked = 0;
	return true;
}

static struct queue_entry *
issues_add(struct queue *x, struct folder *f)
{
	struct queue_entry *e = xcalloc(1, sizeof(*e));

	e->folder = f;
	e->row.pane = f == x->panes;
	e->order = x->found++;
	e->stands = LOOK_STANDS + x->how.pace;
	return *ARRAY_ADD(x->entries, x->nentries) = e;
}

static void
issues_drop(struct queue *x, size_t place)
{
	x->sorted = false;
	entry_free(x->entries[place]);
	x->entries[place] = x->entries[--x->nentries];
}

static size_t
issues_entry(const struct queue *x, const struct folder *f, const char *issue)
{
	size_t i = 0;

	while (i < x->nentries && (x->entries[i]->folder != f ||
	    strcmp(x->entries[i]->row.status.issue, issue) != 0))
		i++;
	return i;
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

static void
folder_watch(const struct queue *x, struct folder *f)
{
	f->watch = x->notify == NULL ? -1 : notify_watch(x->notify,
	    f->dir.state_fd, x->how.pace > QUEUE_TICK ? NOTIFY_DIRECTORY :
	    NOTIFY_RENAMES);
}

/* A refused folder is dropped; a folder without records is tried again. */
static void
folder_open(struct queue *x, const char *path)
{
	struct buf error = BUF_INIT;
	struct statusdir dir;
	struct folder *f;
	char *project;
	size_t i = 0;

	if (statusdir_open(&dir, xstrdup(path), false, &error) == -1) {
		if (errno != 0)
			issues_report(x, path, NULL, errno);
		buf_release(&error);
		return;
	}
	while (i < x->nfolders && (x->folders[i]->dir.dev != dir.dev ||
	    x->folders[i]->dir.ino != dir.ino))
		i++;
	if (i < x->nfolders || dir.state_fd == -1) {
		statusdir_close(&dir);
		return;
	}
	project = statusdir_project(&dir);
	if (project == NULL) {
		issues_report(x, path, NULL, errno);
		statusdir_close(&dir);
		return;
	}
	f = xcalloc(1, sizeof(*f));
	f->dir = dir;
	f->project = project;
	folder_watch(x, f);
	*ARRAY_ADD(x->folders, x->nfolders) = f;
}

/* Where that of its project is wrong, ours counts. */
static const struct config *
folder_config(const struct queue *x, struct folder *f)
{
	const struct context *ours = x->how.context;
	struct buf why = BUF_INIT;

	if (f->project == NULL || strcmp(f->project, ours->project.root) == 0)
		return &ours->config;
	if (f->read == SETTINGS_UNREAD)
		f->read = context_find(&f->settings, f->project, &why) ==
		    EXIT_DONE ? SETTINGS_READ : SETTINGS_WRONG;
	buf_release(&why);
	return f->read == SETTINGS_READ ? &f->settings.config : &ours->config;
}

static void
folder_issue(struct queue *x, struct folder *f, const char *issue)
{
	struct queue_entry *e = issues_add(x, f);

	if (!entry_load(x, e, issue)) {
		issues_drop(x, x->nentries - 1);
	} else if (!e->row.pane) {
		e->row.directory = xstrdup(f->dir.path);
		e->row.project = xstrdup(f->project);
	}
}

static void
folder_queued(struct queue *x, struct folder *f)
{
	queued_release(&f->queued);
	if (queued_read(&f->queued, f->dir.state_fd) == -1)
		issues_report(x, f->dir.path, NULL, errno);
}

/* Reads the entries of all its records.  In a pane the agent goes on. */
static void
folder_read(struct queue *x, struct folder *f)
{
	/* Listed: the issues that have a .seen file, or a .lock file. */
	char **names, **p, **seen = NULL, **locks = NULL, issue[ISSUE_MAX + 1];
	size_t i, first = f == x->panes ? 0 : x->nentries;
	struct queue_entry *e;

	if (f != x->panes)
		folder_queued(x, f);
	for (i = 0; x->how.issues != NULL && i < x->how.nissues; i++)
		folder_issue(x, f, x->how.issues[i]);
	if (x->how.issues == NULL) {
		names = statusdir_names(f->dir.state_fd);
		if (names == NULL)
			issues_report(x, f->dir.path, NULL, errno);
		for (p = names; p != NULL && *p != NULL; p++)
			if (issue_in_name(*p, "", ".seen", issue)) {
				seen = argv_add(seen, issue);
			} else if (issue_in_name(*p, "", ".lock", issue)) {
				locks = argv_add(locks, issue);
			} else if (status_named(f->dir.state_fd, *p, issue)) {
				i = f == x->panes ? issues_entry(x, f, issue) :
				    x->nentries;
				if (i < x->nentries)
					entry_load(x, x->entries[i], issue);
				else
					folder_issue(x, f, issue);
			}
		argv_free(names);
		argv_sort(seen);
		argv_sort(locks);
		presence_locks(&x->presence, f->dir.state_fd, locks);
		for (i = 0; i < f->queued.n; i++)
			if (issues_entry(x, f, f->queued.v[i].issue) ==
			    x->nentries)
				folder_issue(x, f, f->queued.v[i].issue);
	}
	for (i = first; i < x->nentries; i++) {
		e = x->entries[i];
		if (e->folder != f)
			continue;
		entry_compare(&x->presence, e);
		row_rate(&e->row);
		if (x->how.issues != NULL || argv_has_sorted(seen,
		    e->row.status.issue))
			entry_rate(e);
	}
	presence_leave(&x->presence);
	argv_free(seen);
	argv_free(locks);
}

/* Opens the folder of panes, which may come later. */
static void
issues_open_panes(struct queue *x, bool make)
{
	struct folder *f = x->panes;

	if (f == NULL) {
		f = x->panes = xcalloc(1, sizeof(*f));
		f->dir.state_fd = f->dir.fd = f->watch = -1;
	}
	if (f->dir.state_fd != -1)
		return;
	statusdir_close(&f->dir);
	f->dir = paneevents_dir(make);
	if (f->dir.state_fd == -1)
		return;
	folder_watch(x, f);
	folder_read(x, f);
}

void
issues_init(struct queue *x)
{
	presence_init(&x->presence);
	if (x->how.loop != NULL)
		x->notify = context_notify();
}

void
issues_release(struct queue *x)
{
	while (x->nentries > 0)
		entry_free(x->entries[--x->nentries]);
	while (x->nfolders > 0)
		folder_free(x->folders[--x->nfolders]);
	if (x->panes != NULL)
		folder_free(x->panes);
	if (x->notify != NULL)
		notify_free(x->notify);
	free(x->entries);
	free(x->placed);
	free(x->folders);
}

void
issues_find(struct queue *x)
{
	char **paths = x->how.all ? registry_directories(true) : NULL;
	size_t i, known = x->nfolders;

	if (x->how.all && paths == NULL && errno != 0)
		issues_report(x, NULL, NULL, errno);
	folder_open(x, x->how.context->dir.path);
	for (i = 0; paths != NULL && paths[i] != NULL; i++)
		folder_open(x, paths[i]);
	argv_free(paths);
	x->changed |= x->nfolders > known;
	for (i = known; i < x->nfolders; i++)
		folder_read(x, x->folders[i]);
	if (x->how.panes)
		issues_open_panes(x, false);
}

/* ---- what was seen ------------------------------------------------------- */

/* An agent without hooks leaves files in the folder of panes, too. */
const struct statusdir *
queue_dir(struct queue *x, const struct row *r)
{
	size_t i;

	for (i = 0; i < x->nentries; i++)
		if (&x->entries[i]->row == r && !r->pane)
			return &x->entries[i]->folder->dir;
	issues_open_panes(x, true);
	paneevents_tidy(x->panes->dir.state_fd);
	return &x->panes->dir;
}

int
queue_see(struct queue *x, struct row *r, enum seen seen)
{
	char episode[SEEN_EPISODE];

	if (r->status.verdict.state == STATE_QUEUED)
		return seen != SEEN_FORGOTTEN ? 0 : queued_forget(
		    queue_dir(x, r)->state_fd, r->status.issue, NULL);
	seen_episode(episode, &r->status);
	r->seen = seen;
	row_rate(r);
	return seen_write(queue_dir(x, r)->state_fd, r->status.issue, episode,
	    seen);
}

static void
issues_shown(struct queue *x, struct row *r)
{
	if (r->shown && r->seen == SEEN_NOT && row_needs(r))
		queue_see(x, r, SEEN_ONCE);
}

/* ---- their panes --------------------------------------------------------- */

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

/* Issues before an agent without one. */
static int
placed_compare(const void *a, const void *b)
{
	const struct queue_entry *x = *(const struct queue_entry *const *)a;
	const struct queue_entry *y = *(const struct queue_entry *const *)b;
	int panes = pane_compare(&x->row.status.place, &y->row.status.place);

	return panes != 0 ? panes : x->row.pane != y->row.pane ?
	    (x->row.pane ? 1 : -1) : x->order < y->order ? -1 : 1;
}

static int
placed_find(const void *place, const void *of)
{
	const struct queue_entry *const *e = of;

	return pane_compare(place, &(*e)->row.status.place);
}

static bool
entry_judged(const struct queue *x, const struct queue_entry *e)
{
	return e->open && entry_there(e) && (e->row.pane || !x->how.names);
}

/* Finds the agent of a pane; NULL: none.  Its issue is the first one that was
 * found, if several records have the pane.  The other one is its agent without
 * an issue: an agent that continues after its issue is over has no issue
 * again. */
static struct queue_entry *
issues_owner(struct queue *x, const struct server_pane *at,
    struct queue_entry **issue, struct queue_entry **other)
{
	struct pane_ref place = { .pane_pid = at->pane->pid,
	    .server = at->server->listing.server,
	    .server_start = at->server->listing.server_start };
	struct queue_entry **found, **end, **slot, *e;
	size_t i;

	if (!x->sorted) {
		x->placed = xreallocarray(x->placed, x->nentries + 1,
		    sizeof(*x->placed));
		x->nplaced = 0;
		for (i = 0; i < x->nentries; i++)
			if (x->entries[i]->row.status.place.socket != NULL)
				x->placed[x->nplaced++] = x->entries[i];
		if (x->nplaced > 1)
			qsort(x->placed, x->nplaced, sizeof(*x->placed),
			    placed_compare);
		x->sorted = true;
	}
	*issue = *other = NULL;
	memcpy(place.pane, at->pane->id, sizeof(place.pane));
	found = x->nplaced == 0 ? NULL : bsearch(&place, x->placed, x->nplaced,
	    sizeof(*x->placed), placed_find);
	if (found == NULL)
		return NULL;
	end = x->placed + x->nplaced;
	while (found > x->placed && placed_find(&place, found - 1) == 0)
		found--;
	for (; found < end && placed_find(&place, found) == 0; found++) {
		slot = (*found)->row.pane ? other : issue;
		*slot = *slot != NULL ? *slot : *found;
	}
	e = *issue;
	return e != NULL && (entry_judged(x, e) || e->row.seen ==
	    SEEN_FORGOTTEN || !row_finished(&e->row)) ? e : *other;
}

static void
entry_listed(struct queue *x, struct queue_entry *e, const struct server_pane *at)
{
	struct row *r = &e->row;
	bool shown = listing_shown(&at->server->listing, at->pane);

	free(r->where);
	r->where = server_pane_name(at);
	x->changed |= shown != r->shown;
	r->shown = shown;
	if (r->pane)
		entry_find_project(x, e, at->pane->path);
	if (!entry_judged(x, e))
		issues_shown(x, r);
}

static bool
entry_on(const struct queue_entry *e, pid_t server, int64_t start)
{
	return e->row.status.place.socket != NULL &&
	    e->row.status.place.server == server &&
	    e->row.status.place.server_start == start;
}

size_t
issues_listed(struct queue *x, struct tmux_server *s, struct tmux_wish *wishes)
{
	const struct tmux_listing *l = &s->listing;
	struct server_pane at = { .server = s };
	struct queue_entry *issue, *other, *e;
	size_t i, n = 0;

	for (i = 0; i < x->nentries; i++)
		if (entry_on(x->entries[i], l->server, l->server_start))
			x->entries[i]->listed = false;
	for (i = 0; i < l->npanes; i++) {
		at.pane = &l->panes[i];
		e = issues_owner(x, &at, &issue, &other);
		if (issue != NULL) {
			issue->listed = true;
			entry_listed(x, issue, &at);
		}
		if (other != NULL) {
			other->listed = e == other;
			other->open |= e != other;      /* and leaves */
			if (other->listed && entry_there(other))
				entry_listed(x, other, &at);
		}
		if (wishes != NULL && (e != NULL && !e->row.pane ?
		    entry_judged(x, e) : x->how.panes && !at.pane->dead &&
		    agentprocess_likely(&x->backends, at.pane->command)))
			wishes[n++] = (struct tmux_wish){ .pane = at.pane->id,
			    .want = TMUX_CAPTURE };
	}
	/* An agent that is not there any more, and left no end to be seen. */
	for (i = x->nentries; i-- > 0; ) {
		e = x->entries[i];
		if (!e->row.pane || e->listed || !entry_on(e, l->server,
		    l->server_start) || (!e->open && entry_there(e)))
			continue;
		x->changed |= entry_there(e);
		issues_drop(x, i);
	}
	return n;
}

static void
entry_empty(const struct queue *x, struct queue_entry *e)
{
	struct status *r = &e->row.status;
	struct pane_ref place = r->place;
	char name[ISSUE_MAX + 1];

	entry_leave(e);
	memcpy(name, r->issue, sizeof(name));
	r->place.socket = NULL;
	status_release(r);
	status_init(r, name);
	r->place = place;
	r->adopted = true;
	memcpy(r->boot, x->presence.boot, sizeof(r->boot));
	e->ended = false;
	e->looked = 0;
	e->open = e->row.alive = true;
	e->row.unwatched = 0;
}

/* Is the agent of the pane restarted, or is it the one that is there after that?
 * It keeps its row, and its age. */
static bool
issues_reloads(struct queue *x, struct queue_entry *e)
{
	struct status *r = &e->row.status;
	const struct folder *f;
	char key[RELOAD_KEY];
	struct reload reload;
	bool after = false;
	size_t i;

	issues_find(x);                 /* which may be new by that */
	r->reload.since = 0;
	reload_pane_key(key, r->place.server, r->place.pane);
	for (i = 0; e->row.project != NULL && i < x->nfolders; i++) {
		f = x->folders[i];
		if (strcmp(f->project, e->row.project) != 0)
			continue;
		if (reload_read(&reload, f->dir.state_fd, key) == 1) {
			after = reload.agent == e->process.pid &&
			    reload.agent_start == e->process.start;
			if (reload_under_way(&reload, NULL))
				r->reload.since = reload.since;
		}
		reload_release(&reload);
	}
	return r->reload.since != 0 || after;
}

static void
issues_agent(struct queue *x, struct queue_entry *e, const struct server_pane *at)
{
	struct status *r = &e->row.status;
	const struct agentprocess *p = &e->process;
	char path[32];
	bool same;
	int there = 0;

	if (e->look != NULL && look_misled(e->look)) {
		entry_leave(e);
		e->process = (struct agentprocess){ .backend = NULL };
		if (r->run[0] == '\0')
			r->agent.pid = 0;
	}
	if (e->look != NULL && e->row.alive && look_rests(e->look, at->pane))
		return;
	if (!at->pane->dead)
		there = agentprocess_look(&e->process, &x->backends,
		    at->pane->pid);
	if (there == -1) {
		snprintf(path, sizeof(path), "/proc/%ld", (long)at->pane->pid);
		issues_report(x, path, NULL, errno);
		return;
	}
	same = there && r->agent.pid == p->pid && r->agent.start == p->start;
	if (same && r->reload.since != 0)
		issues_reloads(x, e);
	if (same || (!there && (r->agent.pid == 0 || !e->open)))
		return;
	if (r->agent.pid == 0 || !issues_reloads(x, e)) {
		entry_empty(x, e);
		x->changed = true;
	}
	if (!there)
		return;
	r->agent.pid = p->pid;
	r->agent.start = p->start;
	if (r->backend == NULL) {       /* its run begins */
		r->backend = xstrdup(p->backend->name);
		r->started = p->began;
		r->place.pane_start = p->pane_start;
		entry_listed(x, e, at);
	}
}

void
issues_search(struct queue *x, struct tmux_server *s)
{
	const struct tmux_listing *l = &s->listing;
	struct server_pane at = { .server = s };
	size_t i, known = x->nentries;
	struct pane_ref *place;
	struct queue_entry *e, *issue, *other;

	for (i = 0; x->how.panes && i < l->npanes; i++) {
		at.pane = &l->panes[i];
		e = issues_owner(x, &at, &issue, &other);
		if (e == NULL) {
			e = issues_add(x, x->panes);
			status_init(&e->row.status, "");
			paneevents_name(e->row.status.issue, at.pane->id,
			    l->server);
			place = &e->row.status.place;
			place->socket = xstrdup(s->socket);
			place->server = l->server;
			place->server_start = l->server_start;
			place->pane_pid = at.pane->pid;
			memcpy(place->pane, at.pane->id, sizeof(place->pane));
			entry_empty(x, e);
			e->listed = true;
		}
		if (e->row.pane)
			issues_agent(x, e, &at);
	}
	x->sorted &= x->nentries == known;
}

/* ---- a look ------------------------------------------------------------- */

enum {
	CAPTURE_QUIET = 1000,           /* ms without output, or */
	CAPTURE_EVERY = 3000,           /* ms since the last capture */
	JUDGE_EVERY = 10000             /* ms, though nothing changed */
};

bool
look_rests(const struct look *k, const struct tmux_pane *pane)
{
	return !pane->dead && (msec)pane->activity * 1000 + 1000 < k->judged &&
	    clock_wall() < k->judged + JUDGE_EVERY &&
	    k->title == text_hash(pane->title, strlen(pane->title)) &&
	    !events_unread(k->sources.dir->state_fd,
	    k->sources.record->issue, k->sources.events.read);
}

bool
look_wants(const struct look *k)
{
	msec now = clock_wall();

	/* tmux counts in seconds. */
	return k == NULL || k->captured == 0 ||
	    (k->activity + 1000 > k->captured &&
	    (now >= k->activity + 1000 + CAPTURE_QUIET ||
	    now >= k->captured + CAPTURE_EVERY));
}

bool
look_misled(const struct look *k)
{
	return clock_wall() < k->judged;
}

/* Judges the agent; the capture is NULL if there is none.  True if that changed
 * its record.  The configured backend is that of a record without one. */
static bool
look_judge(struct look *k, const struct tmux_pane *pane,
    const struct tmux_capture *c, struct backends *backends,
    const char *configured)
{
	struct sources *s = &k->sources;
	struct status *r = s->record;
	bool issue = s->dir->fd != -1, first = k->captured == 0, changes;
	struct buf error = BUF_INIT;
	struct verdict v;

	if (issue) {
		reload_take(r, s->dir->state_fd, &k->evidence.reload);
		reload_find(r, s->dir->state_fd, pane);
	} else {
		k->evidence.reload = r->reload.since != 0;
	}
	sources_life(s, &k->evidence, pane->dead ? PANE_DEAD : PANE_LIVES,
	    pane);
	sources_backend(s, backends, pane->command, configured, &error);
	buf_release(&error);
	s->now = k->judged = clock_wall();
	k->title = text_hash(pane->title, strlen(pane->title));
	s->title = pane->title;
	/* Without an issue the agent was found by its process: a shell in front
	 * is its wrapper. */
	s->foreground = issue ? pane->command : NULL;
	s->text = c != NULL ? c->text : NULL;
	s->text_len = c != NULL ? c->len : 0;
	if (c != NULL)
		k->captured = s->now;
	s->events_due = true;
	judge(s, &k->evidence, &v);
	s->pane = NULL;
	s->title = s->foreground = s->text = NULL;
	changes = judge_changes(r, &v);
	if (!issue && (v.state == STATE_NONE || state_ended(v.state)))
		return false;           /* its process is searched again */
	if (!changes) {
		/* An agent without a record is told as it goes on. */
		if (r->run[0] != '\0')
			return false;
		changes = strcmp(r->verdict.why, v.why) != 0 ||
		    strcmp(r->verdict.message, v.message) != 0;
		r->verdict = v;
		return changes;
	}
	if (issue && (state_reported(v.state) || state_ended(v.state)))
		verdict_add_why(&v, v.state == STATE_ERROR ?
		    "; not recorded yet, 'paneward sweep --check-errors' does "
		    "that" : "; not recorded yet, 'paneward sweep' does that");
	judge_since(r, &v, &k->evidence, first, k->judged,
	    first ? 0 : k->judged);
	r->verdict = v;
	return true;
}

/* Judges what nothing watches.  The first look waits for the screen, unless
 * nothing is known. */
static void
entry_look(struct queue *x, struct queue_entry *e,
    const struct tmux_pane *pane, const struct tmux_capture *c)
{
	const struct config *config = folder_config(x, e->folder);
	struct status *r = &e->row.status;
	struct look *k;

	if (e->look != NULL && look_misled(e->look))
		entry_leave(e);
	k = e->look;
	if (k == NULL) {
		k = e->look = xcalloc(1, sizeof(*k));
		sources_init(&k->sources, &e->folder->dir, r);
		k->sources.pass = true;
		k->sources.budget = &x->budget;
		evidence_init(&k->evidence, r->issue);
		k->evidence.stalled_after = config->stalled_after * 1000;
	}
	k->activity = (msec)pane->activity * 1000;
	if (k->captured == 0 && c == NULL && r->verdict.state != STATE_NONE)
		return;
	if ((c != NULL || !look_rests(k, pane)) &&
	    look_judge(k, pane, c, &x->backends, config->backend)) {
		entry_rate(e);
		x->changed = true;
	}
	/* Of the log only so much is read as the budget allows. */
	if (k->sources.log.left != 0 || k->sources.log_error != 0 ||
	    k->sources.signal_error != 0)
		return;
	e->looked = clock_wall();
	x->changed |= e->row.unwatched != 0;
	e->row.unwatched = 0;
	e->open = !status_over(r) && r->verdict.state != STATE_COMPLETE;
	if (!e->open)
		entry_leave(e);
}

void
issues_judge(struct queue *x, struct tmux_server *s)
{
	const struct tmux_listing *l = &s->listing;
	struct server_pane at = { .server = s };
	const struct tmux_capture *c;
	struct queue_entry *e, *issue, *other;
	size_t i;

	for (i = 0; i < l->npanes; i++) {
		at.pane = &l->panes[i];
		e = issues_owner(x, &at, &issue, &other);
		if (e == NULL || !entry_judged(x, e) ||
		    (x->first && !look_wants(e->look)))
			continue;
		c = listing_capture(l, at.pane->id);
		if (c == NULL && x->more)
			continue;
		entry_look(x, e, at.pane, c);
		issues_shown(x, &e->row);
	}
}

size_t
issues_wishes(const struct queue *x, const struct tmux_server *s,
    struct tmux_wish *wishes)
{
	const struct queue_entry *e;
	size_t i, n = 0;

	for (i = 0; i < x->nentries; i++) {
		e = x->entries[i];
		if (e->listed && entry_on(e, s->pid, s->start) &&
		    entry_judged(x, e) && look_wants(e->look))
			wishes[n++] = (struct tmux_wish){
			    .pane = e->row.status.place.pane,
			    .want = TMUX_CAPTURE };
	}
	return n;
}

/* For an agent that is judged here, and for each live one if agents without an
 * issue are searched. */
void
issues_servers(struct queue *x)
{
	const struct queue_entry *e;
	bool any = x->how.panes;
	const char *socket;
	size_t i;

	for (i = 0; i < x->nentries; i++) {
		e = x->entries[i];
		socket = e->row.status.place.socket;
		if (socket == NULL || (!entry_judged(x, e) &&
		    !(x->how.panes && e->row.alive)))
			continue;
		any = true;
		panes_add(x, socket);
	}
	if (!any)
		panes_leave(x);
}

/* ---- what changes -------------------------------------------------------- */

static void
issues_drop_all(struct queue *x, const struct folder *f)
{
	size_t i;

	for (i = x->nentries; i-- > 0; )
		if (x->entries[i]->folder == f)
			issues_drop(x, i);
	x->changed = true;
}

void
issues_forget(struct queue *x)
{
	struct folder *f;
	size_t i;

	for (i = x->nfolders; i-- > 0; ) {
		f = x->folders[i];
		if (statusdir_current(&f->dir))
			continue;
		issues_drop_all(x, f);
		notify_unwatch(x->notify, f->watch);
		folder_free(f);
		x->folders[i] = x->folders[--x->nfolders];
	}
}

static void
issues_again(struct queue *x, struct folder *f, const char *issue)
{
	size_t i = 0;

	while (i < x->how.nissues && strcmp(x->how.issues[i], issue) != 0)
		i++;
	if (x->how.issues != NULL && i == x->how.nissues)
		return;
	i = issues_entry(x, f, issue);
	if (i == x->nentries)
		folder_issue(x, f, issue);
	else if (!entry_load(x, x->entries[i], issue))
		issues_drop(x, i);
	if (i < x->nentries && x->entries[i]->folder == f) {
		entry_compare(&x->presence, x->entries[i]);
		entry_rate(x->entries[i]);
	}
	x->changed = true;
}

/* A change that is no folder's may be any one's. */
void
issues_note(struct queue *x, int watch, enum notify_change change,
    const char *name)
{
	struct folder *f = NULL;
	struct queued_list before;
	char issue[ISSUE_MAX + 1];
	size_t i;

	for (i = 0; f == NULL && i < x->nfolders; i++)
		if (x->folders[i]->watch == watch)
			f = x->folders[i];
	if (f == NULL && x->panes != NULL && x->panes->watch == watch)
		f = x->panes;
	if (change == NOTIFY_ENTRY && name != NULL) {
		if (f != NULL && (status_named(f->dir.state_fd, name, issue) ||
		    issue_in_name(name, "", ".seen", issue)))
			issues_again(x, f, issue);
		if (f == NULL || strcmp(name, QUEUED_FILE) != 0)
			return;
		before = f->queued;
		f->queued = (struct queued_list){ .n = 0 };
		folder_queued(x, f);
		for (i = 0; i < f->queued.n; i++)
			issues_again(x, f, f->queued.v[i].issue);
		for (i = 0; i < before.n; i++)
			if (queued_find(&f->queued, before.v[i].issue) == NULL)
				issues_again(x, f, before.v[i].issue);
		queued_release(&before);
		return;
	}
	for (i = 0; i < x->nfolders; i++)
		if (watch == -1 || x->folders[i] == f) {
			issues_drop_all(x, x->folders[i]);
			folder_read(x, x->folders[i]);
		}
	if (x->panes != NULL && (watch == -1 || x->panes == f))
		folder_read(x, x->panes);
}

void
issues_tick(struct queue *x, unsigned turn, unsigned slow)
{
	struct queue_entry *e;
	struct row *r;
	msec unwatched;
	size_t i;

	if (x->how.panes)
		issues_open_panes(x, false);
	for (i = x->nentries; i-- > 0; ) {
		e = x->entries[i];
		r = &e->row;
		if (!r->alive || (r->unwatched == 0 && e->look == NULL &&
		    (i + turn) % slow != 0))
			continue;
		unwatched = r->unwatched;
		entry_compare(&x->presence, e);
		if (e->look != NULL && !e->open) {
			/* A watcher has it now, or has had it. */
			issues_again(x, e->folder, r->status.issue);
			continue;
		}
		if (e->ended)
			entry_rate(e);
		x->changed |= e->ended || !r->alive || unwatched !=
		    r->unwatched;
		if (e->ended && !entry_there(e))
			issues_drop(x, i);
	}
}

void
issues_rows(const struct queue *x, void (*take)(void *, struct row *),
    void *context)
{
	size_t i;

	for (i = 0; i < x->nentries; i++)
		if (entry_there(x->entries[i]))
			take(context, &x->entries[i]->row);
}
