#include "queue/issues.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "project/registry.h"
#include "queue/look.h"
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

enum { LOOK_STANDS = 2000 };            /* ms behind a row, and a pace */

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
entry_compare(struct presence *by, struct entry *e)
{
	struct row *r = &e->row;
	struct status *s = &r->status;
	const char *ended = e->ended ? NULL : presence_ended(by, s);
	msec since;

	if (s->verdict.state == STATE_QUEUED)
		return;
	presence_enter(by, e->folder->dir.state_fd);
	since = presence_unwatched(by, s);
	e->open = since != 0 && s->verdict.state != STATE_COMPLETE &&
	    presence_served(by, s);
	r->unwatched = entry_unwatched(e, since, by->wall);
	r->alive = presence_alive(by, s);
	if (ended == NULL)
		return;
	e->ended = true;
	e->looked = 0;
	r->unwatched = since;
	s->verdict = (struct verdict){ .state = STATE_UNKNOWN,
	    .source = "process" };
	verdict_why(&s->verdict, "%s; not judged yet%s", ended,
	    r->unwatched ? ", 'paneward sweep' does that" : "");
	s->since = r->unwatched ? r->unwatched : by->wall;
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
issues_report(const struct issues *x, const char *dir, const char *issue,
    int error)
{
	if (x->how.trouble != NULL)
		x->how.trouble(x->how.trouble_context, dir, issue, error);
}

/* The record of the issue, or while it waits for its start what stands for
 * one; as status_read(). */
static int
folder_record(struct folder *f, const char *issue, struct status *s)
{
	int found = status_read(s, f->dir.state_fd, issue);
	const struct queued *waits = queued_find(&f->queued, issue);

	if (waits == NULL || queued_started(waits, s))
		return found;
	status_release(s);
	queued_record(&f->queued, waits, f->dir.state_fd, s);
	return 1;
}

/* False, after telling why: it has no record that can be read. */
static bool
entry_load(struct issues *x, struct entry *e, const char *issue)
{
	int found;

	x->nplaced = 0;
	entry_leave(e);
	if (e->row.status.issue[0] != '\0')
		status_release(&e->row.status);
	found = folder_record(e->folder, issue, &e->row.status);
	if (found != 1) {
		issues_report(x, e->folder->dir.path, issue,
		    found == 0 ? 0 : errno);
		return false;
	}
	e->ended = false;
	e->looked = 0;
	return true;
}

/* A watcher has it now, or has had it: its record counts again. */
static void
entry_record(struct issues *x, struct entry *e)
{
	char issue[ISSUE_MAX + 1];

	memcpy(issue, e->row.status.issue, sizeof(issue));
	if (entry_load(x, e, issue)) {
		entry_compare(&x->presence, e);
		entry_rate(e);
	}
	x->changed = true;
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
folder_add(struct issues *x, struct statusdir *dir)
{
	struct folder *f;
	size_t i;

	for (i = 0; i < x->nfolders; i++)
		if (x->folders[i]->dir.dev == dir->dev &&
		    x->folders[i]->dir.ino == dir->ino)
			break;
	if (i < x->nfolders || dir->state_fd == -1) {
		statusdir_close(dir);
		return;
	}
	f = xcalloc(1, sizeof(*f));
	f->dir = *dir;
	f->project = statusdir_project(dir);
	f->watch = x->how.notify != NULL ?
	    notify_watch(x->how.notify, dir->state_fd, x->how.directories ?
	    NOTIFY_DIRECTORY : NOTIFY_RENAMES) : -1;
	x->folders = xreallocarray(x->folders, x->nfolders + 1,
	    sizeof(*x->folders));
	x->folders[x->nfolders++] = f;
}

/* Where that of its project is wrong, ours counts. */
static const struct config *
folder_config(const struct issues *x, struct folder *f)
{
	struct buf why = BUF_INIT;

	if (strcmp(f->project, x->how.where->project.root) == 0)
		return &x->how.where->config;
	if (f->read == SETTINGS_UNREAD)
		f->read = context_find(&f->settings, f->project, &why) ==
		    EXIT_DONE ? SETTINGS_READ : SETTINGS_WRONG;
	buf_release(&why);
	return f->read == SETTINGS_READ ? &f->settings.config :
	    &x->how.where->config;
}

/* One that is refused drops out. */
static void
folder_open(struct issues *x, const char *path)
{
	struct buf error = BUF_INIT;
	struct statusdir dir;

	if (statusdir_open(&dir, xstrdup(path), false, &error) == 0)
		folder_add(x, &dir);
	else if (errno != 0)
		issues_report(x, path, NULL, errno);
	buf_release(&error);
}

/* Its entry is not compared yet. */
static void
folder_issue(struct issues *x, struct folder *f, const char *issue)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->folder = f;
	e->order = x->found++;
	e->stands = LOOK_STANDS + x->how.pace;
	if (!entry_load(x, e, issue)) {
		entry_free(e);
		return;
	}
	e->row.directory = xstrdup(f->dir.path);
	e->row.project = xstrdup(f->project);
	if (x->nentries == x->entry_room) {
		x->entry_room = 2 * x->entry_room + 16;
		x->entries = xreallocarray(x->entries, x->entry_room,
		    sizeof(*x->entries));
		x->placed = xreallocarray(x->placed, x->entry_room,
		    sizeof(*x->placed));
	}
	x->entries[x->nentries++] = e;
}

/* A directory listing: the issues that have a .seen file, and those that have a
 * .lock file. */
struct folder_names {
	struct issues *issues;
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
		folder_issue(n->issues, n->folder, issue);
}

/* Reads the entries of all its records. */
static void
folder_list(struct folder_names *n)
{
	const struct folder *f = n->folder;

	if (f->dir.state_fd == -1)
		return;
	if (statusdir_names(f->dir.state_fd, folder_name, n) == -1) {
		issues_report(n->issues, f->dir.path, NULL, errno);
		return;
	}
	argv_sort(n->seen);
	argv_sort(n->locks);
	presence_locks(&n->issues->presence, f->dir.state_fd, n->locks);
}

/* Compares the entries from that one on. */
static void
folder_compare(struct folder_names *n, size_t first)
{
	struct issues *x = n->issues;
	struct entry *e;

	for (; first < x->nentries; first++) {
		e = x->entries[first];
		entry_compare(&x->presence, e);
		row_rate(&e->row);
		if (x->how.issues != NULL || argv_has_sorted(n->seen,
		    e->row.status.issue))
			entry_rate(e);
	}
	presence_leave(&x->presence);
	argv_free(n->seen);
	argv_free(n->locks);
}

/* Is it one of the entries from that one on? */
static bool
folder_has(const struct issues *x, const struct folder *f, size_t first,
    const char *issue)
{
	while (first < x->nentries && (x->entries[first]->folder != f ||
	    strcmp(x->entries[first]->row.status.issue, issue) != 0))
		first++;
	return first < x->nentries;
}

static void
folder_queued(struct issues *x, struct folder *f)
{
	queued_release(&f->queued);
	if (queued_read(&f->queued, f->dir.state_fd) == -1)
		issues_report(x, f->dir.path, NULL, errno);
}

static void
folder_read(struct issues *x, struct folder *f)
{
	struct folder_names n = { .issues = x, .folder = f };
	size_t i, first = x->nentries;

	folder_queued(x, f);
	if (x->how.issues == NULL)
		folder_list(&n);
	for (i = 0; x->how.issues != NULL && i < x->how.nissues; i++)
		folder_issue(x, f, x->how.issues[i]);
	for (i = 0; x->how.issues == NULL && i < f->queued.n; i++)
		if (!folder_has(x, f, first, f->queued.v[i].issue))
			folder_issue(x, f, f->queued.v[i].issue);
	folder_compare(&n, first);
}

void
issues_init(struct issues *x, const struct issues_how *how)
{
	*x = (struct issues){ .how = *how };
	presence_init(&x->presence);
}

void
issues_release(struct issues *x)
{
	while (x->nentries > 0)
		entry_free(x->entries[--x->nentries]);
	while (x->nfolders > 0)
		folder_free(x->folders[--x->nfolders]);
	free(x->entries);
	free(x->placed);
	free(x->folders);
}

void
issues_find(struct issues *x)
{
	char **paths = x->how.all ? registry_directories() : NULL;
	size_t i, known = x->nfolders;

	if (x->how.all && paths == NULL && errno != 0)
		issues_report(x, NULL, NULL, errno);
	folder_open(x, x->how.where->dir.path);
	for (i = 0; paths != NULL && paths[i] != NULL; i++)
		folder_open(x, paths[i]);
	argv_free(paths);
	x->changed |= x->nfolders > known;
	for (i = known; i < x->nfolders; i++)
		folder_read(x, x->folders[i]);
}

/* ---- their panes --------------------------------------------------------- */

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
issues_place(struct issues *x)
{
	size_t i;

	for (i = 0; i < x->nentries; i++)
		if (x->entries[i]->row.status.place.socket != NULL)
			x->placed[x->nplaced++] = x->entries[i];
	if (x->nplaced > 1)
		qsort(x->placed, x->nplaced, sizeof(*x->placed),
		    placed_compare);
}

/* The first one that was found, if several records have the pane. */
static struct entry *
issues_owner(struct issues *x, const struct paneat *at)
{
	struct pane_ref place = { .pane_pid = at->pane->pid,
	    .server = at->listing->server,
	    .server_start = at->listing->server_start };
	struct entry **found;

	if (x->nplaced == 0)
		issues_place(x);
	memcpy(place.pane, at->pane->id, sizeof(place.pane));
	found = x->nplaced == 0 ? NULL : bsearch(&place, x->placed, x->nplaced,
	    sizeof(*x->placed), placed_find);
	while (found > x->placed && placed_find(&place, found - 1) == 0)
		found--;
	return found != NULL ? *found : NULL;
}

static void
issues_shown(const struct issues *x, struct row *r)
{
	x->how.shown(x->how.context, r);
}

static void
entry_begin(struct issues *x, struct entry *e)
{
	e->look = look_new(&e->folder->dir, &e->row.status,
	    folder_config(x, e->folder)->stalled_after * 1000);
	e->look->sources.budget = x->how.budget;
}

/* Judges what nothing watches.  The first look waits for the screen. */
static void
entry_look(struct issues *x, struct entry *e, const struct tmux_pane *pane,
    const struct tmux_capture *c)
{
	struct status *r = &e->row.status;

	if (e->look != NULL && look_misled(e->look))
		entry_leave(e);
	if (e->look == NULL)
		entry_begin(x, e);
	look_see(e->look, pane);
	if (e->look->captured == 0 && c == NULL)
		return;
	if ((c != NULL || !look_rests(e->look, pane)) && look_issue(e->look,
	    pane, c, x->how.backends, folder_config(x, e->folder)->backend)) {
		entry_rate(e);
		x->changed = true;
	}
	if (!look_complete(e->look))
		return;
	e->looked = clock_wall();
	x->changed |= e->row.unwatched != 0;
	e->row.unwatched = 0;
	e->open = !status_over(r) && r->verdict.state != STATE_COMPLETE;
	if (!e->open)
		entry_leave(e);
}

bool
issues_judge(void *context, const struct paneat *at,
    const struct tmux_capture *c)
{
	struct issues *x = context;
	struct entry *e = issues_owner(x, at);

	if (e == NULL || !e->open)
		return false;
	entry_look(x, e, at->pane, c);
	issues_shown(x, &e->row);
	return e->look != NULL && look_wants(e->look);
}

/* An agent that goes on when its issue is over has none again. */
enum panes_owner
issues_owned(void *context, const struct paneat *at)
{
	struct issues *x = context;
	struct entry *e = issues_owner(x, at);
	struct row *r;
	bool shown;

	if (e == NULL)
		return PANES_FREE;
	r = &e->row;
	free(r->where);
	r->where = paneat_name(at);
	shown = listing_shown(at->listing, at->pane);
	x->changed |= shown != r->shown;
	r->shown = shown;
	if (e->open && !x->how.names)
		return PANES_JUDGED;
	issues_shown(x, r);
	return r->seen == SEEN_FORGOTTEN || !row_finished(r) ? PANES_ISSUE :
	    PANES_FREE;
}

/* Of an issue that is judged here, and of all that live if agents without one
 * are searched. */
static bool
entry_asks(const struct issues *x, const struct entry *e)
{
	return e->row.status.place.socket != NULL &&
	    ((e->open && !x->how.names) || (x->how.panes && e->row.alive));
}

const char *
issues_socket(const struct issues *x, size_t i)
{
	return i < x->nentries && entry_asks(x, x->entries[i]) ?
	    x->entries[i]->row.status.place.socket : NULL;
}

/* ---- what changes -------------------------------------------------------- */

static struct folder *
issues_watched(struct issues *x, int watch)
{
	size_t i = 0;

	while (i < x->nfolders && x->folders[i]->watch != watch)
		i++;
	return i < x->nfolders ? x->folders[i] : NULL;
}

static void
issues_drop(struct issues *x, size_t place)
{
	x->nplaced = 0;
	entry_free(x->entries[place]);
	x->entries[place] = x->entries[--x->nentries];
}

static void
issues_drop_all(struct issues *x, const struct folder *f)
{
	size_t i;

	for (i = x->nentries; i-- > 0; )
		if (x->entries[i]->folder == f)
			issues_drop(x, i);
	x->changed = true;
}

void
issues_forget(struct issues *x)
{
	struct folder *f;
	size_t i;

	for (i = x->nfolders; i-- > 0; ) {
		f = x->folders[i];
		if (statusdir_current(&f->dir))
			continue;
		issues_drop_all(x, f);
		notify_unwatch(x->how.notify, f->watch);
		folder_free(f);
		x->folders[i] = x->folders[--x->nfolders];
	}
}

static bool
issues_wants(const struct issues *x, const char *issue)
{
	size_t i = 0;

	while (i < x->how.nissues && strcmp(x->how.issues[i], issue) != 0)
		i++;
	return x->how.issues == NULL || i < x->how.nissues;
}

/* A record was written, or is gone. */
static void
issues_again(struct issues *x, struct folder *f, const char *issue)
{
	size_t i = 0;

	if (!issues_wants(x, issue))
		return;
	while (i < x->nentries && (x->entries[i]->folder != f ||
	    strcmp(x->entries[i]->row.status.issue, issue) != 0))
		i++;
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

/* The list of waiting issues is another one. */
static void
issues_again_queued(struct issues *x, struct folder *f)
{
	struct queued_list before = f->queued;
	size_t i;

	f->queued = (struct queued_list){ .n = 0 };
	folder_queued(x, f);
	for (i = 0; i < f->queued.n; i++)
		issues_again(x, f, f->queued.v[i].issue);
	for (i = 0; i < before.n; i++)
		if (queued_find(&f->queued, before.v[i].issue) == NULL)
			issues_again(x, f, before.v[i].issue);
	queued_release(&before);
}

/* A change that is no folder's may be any one's. */
void
issues_note(struct issues *x, int watch, enum notify_change change,
    const char *name)
{
	struct folder *f = issues_watched(x, watch);
	char issue[ISSUE_MAX + 1];
	size_t i;

	if (change == NOTIFY_ENTRY && name != NULL) {
		if (f != NULL && (status_named(f->dir.state_fd, name, issue) ||
		    issue_in_name(name, "", ".seen", issue)))
			issues_again(x, f, issue);
		else if (f != NULL && strcmp(name, QUEUED_FILE) == 0)
			issues_again_queued(x, f);
		return;
	}
	for (i = 0; i < x->nfolders; i++)
		if (watch == -1 || x->folders[i] == f) {
			issues_drop_all(x, x->folders[i]);
			folder_read(x, x->folders[i]);
		}
}

void
issues_tick(struct issues *x, bool slow(const void *, size_t), const void *of)
{
	struct entry *e;
	struct row *r;
	msec unwatched;
	size_t i;

	for (i = 0; i < x->nentries; i++) {
		e = x->entries[i];
		r = &e->row;
		if (!r->alive || (r->unwatched == 0 && e->look == NULL &&
		    !slow(of, i)))
			continue;
		unwatched = r->unwatched;
		entry_compare(&x->presence, e);
		if (e->look != NULL && !e->open)
			entry_record(x, e);
		if (e->ended)
			entry_rate(e);
		x->changed |= e->ended || !r->alive || unwatched !=
		    r->unwatched;
	}
}

/* ---- their rows ---------------------------------------------------------- */

void
issues_rows(const struct issues *x, void (*take)(void *, struct row *),
    void *context)
{
	size_t i;

	for (i = 0; i < x->nentries; i++)
		take(context, &x->entries[i]->row);
}

int
issues_state_fd(const struct issues *x, const struct row *r)
{
	size_t i;

	for (i = 0; i < x->nentries; i++)
		if (&x->entries[i]->row == r)
			return x->entries[i]->folder->dir.state_fd;
	return -1;
}
