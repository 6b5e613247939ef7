#include "queue/queue.h"

#include "queue/paneevents.h"

enum { LOOK_STANDS = 2000 };            /* ms behind a row, and a pace */

bool
entry_there(const struct queue_entry *e)
{
	return !e->row.pane || e->row.status.agent.pid != 0;
}

void
entry_leave(struct queue_entry *e)
{
	if (e->look == NULL)
		return;
	sources_release(&e->look->sources);
	evidence_release(&e->look->evidence);
	free(e->look);
	e->look = NULL;
}

/* An end is unknown until it is judged: the run may have left a report.  An
 * agent without an issue leaves none: its row goes. */
static void
entry_compare(struct queue *x, struct queue_entry *e)
{
	struct presence *by = &x->presence;
	struct row *r = &e->row;
	struct status *s = &r->status;
	pid_t agent = s->agent.pid;
	const char *ended;
	msec since, stands = e->looked + LOOK_STANDS + x->how.pace;

	if (s->verdict.state == STATE_QUEUED)
		return;
	if (r->pane && e->listed)
		s->agent.pid = 0;
	ended = e->ended ? NULL : presence_ended(by, s);
	s->agent.pid = agent;
	presence_enter(by, e->folder->dir.state_fd);
	since = r->pane && s->run[0] == '\0' ? s->started + 1 :
	    presence_unwatched(by, s);
	e->open = since != 0 && s->verdict.state != STATE_COMPLETE &&
	    presence_served(by, s);
	/* Neither a watcher nor a look stands behind the row. */
	r->unwatched = since == 0 || stands > by->wall ? 0 :
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

void
entry_rate(struct queue_entry *e)
{
	char episode[SEEN_EPISODE];

	seen_episode(episode, &e->row.status);
	e->row.seen = seen_read(e->folder->dir.state_fd, e->row.status.issue,
	    episode);
	row_rate(&e->row);
}

void
entry_find_project(const struct queue *x, struct queue_entry *e,
    const char *path)
{
	struct buf why = BUF_INIT;
	struct project found;
	size_t i = 0;

	if (e->path != NULL && strcmp(e->path, path) == 0)
		return;
	while (i < x->nentries && (x->entries[i]->path == NULL ||
	    strcmp(x->entries[i]->path, path) != 0))
		i++;
	free(e->path);
	free(e->row.project);
	e->path = xstrdup(path);
	e->row.project = NULL;
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

/* A watcher writes the tool in use into <issue>.doing. */
static void
entry_does(struct queue *x, struct queue_entry *e)
{
	char shown[EVENT_BRIEF + 16] = "";
	struct buf text = BUF_INIT;

	if (e->row.status.verdict.state == STATE_WORKING &&
	    file_read(e->folder->dir.state_fd, ISSUE_NAME(e->row.status.issue,
	    "doing"), FILE_NOFOLLOW, &text, EVENT_BRIEF) == 0)
		verdict_shown(shown, sizeof(shown), text.data, text.len);
	x->changed |= row_does(&e->row, shown);
	buf_release(&text);
}

/* An issue that waits for its start has a record in memory.  Without an issue
 * the run in memory goes on, unless the record is of its agent.  False: none,
 * which is reported. */
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

struct queue_entry *
issues_add(struct queue *x, struct folder *f)
{
	struct queue_entry *e = xcalloc(1, sizeof(*e));

	e->folder = f;
	e->row.pane = f == x->panes;
	e->order = x->found++;
	return *ARRAY_ADD(x->entries, x->nentries) = e;
}

void
issues_drop(struct queue *x, size_t place)
{
	struct queue_entry *e = x->entries[place];

	x->sorted = false;
	x->entries[place] = x->entries[--x->nentries];
	entry_leave(e);
	row_release(&e->row);
	free(e->path);
	free(e);
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

static void
folder_free(struct folder *f)
{
	if (f->config == &f->settings.config)
		context_close(&f->settings);
	statusdir_close(&f->dir);
	queued_release(&f->queued);
	free(f->project);
	free(f);
}

static void
folder_open(struct queue *x, const char *path)
{
	struct buf error = BUF_INIT;
	struct statusdir dir;
	struct folder *f;
	char *project = NULL;
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
	if (i == x->nfolders && dir.state_fd != -1) {
		project = statusdir_project(&dir);
		if (project == NULL)
			issues_report(x, path, NULL, errno);
	}
	if (project == NULL) {
		statusdir_close(&dir);
		return;
	}
	f = xcalloc(1, sizeof(*f));
	*f = (struct folder){ .dir = dir, .project = project, .watch = -1 };
	*ARRAY_ADD(x->folders, x->nfolders) = f;
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
folder_read(struct queue *x, struct folder *f)
{
	char **names = NULL, **p, issue[ISSUE_MAX + 1];
	size_t n = 0, i, first = f == x->panes ? 0 : x->nentries;
	struct queue_entry *e;

	if (x->notify != NULL && f->watch == -1)
		f->watch = notify_watch(x->notify, f->dir.state_fd,
		    x->how.pace > QUEUE_TICK ? NOTIFY_DIRECTORY :
		    NOTIFY_RENAMES);
	queued_release(&f->queued);
	if (f != x->panes && queued_read(&f->queued, f->dir.state_fd) == -1)
		issues_report(x, f->dir.path, NULL, errno);
	for (i = 0; x->how.issues != NULL && x->how.issues[i] != NULL; i++)
		folder_issue(x, f, x->how.issues[i]);
	if (x->how.issues == NULL) {
		names = statusdir_names(f->dir.state_fd);
		if (names == NULL)
			issues_report(x, f->dir.path, NULL, errno);
		argv_sort(names);
		n = x->presence.nnames = argv_count(names);
		for (p = names; p < names + n; p++) {
			if (!status_named(f->dir.state_fd, *p, issue))
				continue;
			i = f == x->panes ? issues_entry(x, f, issue) :
			    x->nentries;
			if (i < x->nentries)
				entry_load(x, x->entries[i], issue);
			else
				folder_issue(x, f, issue);
		}
		presence_enter(&x->presence, f->dir.state_fd);
		x->presence.names = names;
		for (i = 0; i < f->queued.n; i++)
			if (issues_entry(x, f, f->queued.v[i].issue) ==
			    x->nentries)
				folder_issue(x, f, f->queued.v[i].issue);
	}
	for (i = first; i < x->nentries; i++) {
		e = x->entries[i];
		if (e->folder != f)
			continue;
		entry_compare(x, e);
		row_rate(&e->row);
		if (x->how.issues != NULL || argv_has_sorted(names, n,
		    ISSUE_NAME(e->row.status.issue, "seen")))
			entry_rate(e);
		if (x->how.issues != NULL || argv_has_sorted(names, n,
		    ISSUE_NAME(e->row.status.issue, "doing")))
			entry_does(x, e);
	}
	if (x->presence.state_fd != -1 && x->presence.blind != 0)
		issues_report(x, f->dir.path, NULL, x->presence.blind);
	x->presence.state_fd = -1;
	x->presence.names = NULL;
	argv_free(names);
}

static void
issues_open_panes(struct queue *x, bool make)
{
	struct folder *f = x->panes;

	if (f == NULL) {
		f = x->panes = xcalloc(1, sizeof(*f));
		*ARRAY_ADD(x->folders, x->nfolders) = f;
		f->dir.state_fd = f->dir.fd = f->watch = -1;
	}
	if (f->dir.state_fd != -1)
		return;
	statusdir_close(&f->dir);
	f->dir = paneevents_dir(make);
	if (f->dir.state_fd == -1)
		return;
	folder_read(x, f);
}

void
issues_release(struct queue *x)
{
	while (x->nentries > 0)
		issues_drop(x, x->nentries - 1);
	while (x->nfolders > 0)
		folder_free(x->folders[--x->nfolders]);
	notify_free(x->notify);
	free(x->entries);
	free(x->placed);
	free(x->folders);
}

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
issues_find(struct queue *x)
{
	char **paths = x->how.all ? registry_directories(true) : NULL;
	struct folder *f;
	size_t i, known;

	if (x->how.all && paths == NULL && errno != 0)
		issues_report(x, NULL, NULL, errno);
	for (i = x->nfolders; i-- > 0; ) {
		f = x->folders[i];
		if (f == x->panes || statusdir_current(&f->dir))
			continue;
		issues_drop_all(x, f);
		if (x->notify != NULL)
			notify_unwatch(x->notify, f->watch);
		folder_free(f);
		x->presence.state_fd = -1;      /* of this one, perhaps */
		x->folders[i] = x->folders[--x->nfolders];
	}
	known = x->nfolders;
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

const struct statusdir *
queue_dir(struct queue *x, const struct row *r)
{
	if (!r->pane)
		return &((const struct queue_entry *)r)->folder->dir;
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
issues_again(struct queue *x, struct folder *f, const char *issue)
{
	size_t i;

	if (x->how.issues != NULL && !argv_has(x->how.issues, issue))
		return;
	i = issues_entry(x, f, issue);
	if (i == x->nentries)
		folder_issue(x, f, issue);
	else if (!entry_load(x, x->entries[i], issue))
		issues_drop(x, i);
	if (i < x->nentries && x->entries[i]->folder == f) {
		entry_compare(x, x->entries[i]);
		entry_rate(x->entries[i]);
		entry_does(x, x->entries[i]);
	}
	x->changed = true;
}

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
	if (change == NOTIFY_ENTRY && name != NULL) {
		if (f != NULL && (status_named(f->dir.state_fd, name, issue) ||
		    issue_in_name(name, "", ".seen", issue)))
			issues_again(x, f, issue);
		else if (f != NULL && issue_in_name(name, "", ".doing", issue)
		    && (i = issues_entry(x, f, issue)) < x->nentries)
			entry_does(x, x->entries[i]);
		if (f == NULL || strcmp(name, QUEUED_FILE) != 0)
			return;
		before = f->queued;
		if (queued_read(&f->queued, f->dir.state_fd) == -1)
			issues_report(x, f->dir.path, NULL, errno);
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
			if (x->folders[i] != x->panes)
				issues_drop_all(x, x->folders[i]);
			folder_read(x, x->folders[i]);
		}
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
		if (!r->alive || row_session(r) || (r->unwatched == 0 &&
		    e->look == NULL && (i + turn) % slow != 0))
			continue;
		unwatched = r->unwatched;
		entry_compare(x, e);
		if (e->look != NULL && !e->open) {
			/* A watcher has, or had, it. */
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
