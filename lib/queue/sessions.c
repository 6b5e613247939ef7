#include "queue/queue.h"

#include "queue/paneevents.h"

/* Only the client's files count, as if a pane showed nothing. */
static void
session_read(struct queue *x, struct queue_entry *e)
{
	static char none[] = "";
	const struct tmux_capture nothing = { .text = none };
	const struct tmux_pane pane = { .title = none, .command = none,
	    .pid = e->row.status.place.pane_pid,
	    .activity = clock_wall() / 1000 };

	entry_look(x, e, &pane, &nothing);
}

/* A new one's files have the name of a pane's, so they go a day after its
 * process.  An issue's row only says where the session is. */
static void
session_row(struct queue *x, struct queue_entry *e, const struct backend *b,
    const struct proc *p, const struct transcript_session *s)
{
	struct status *r = &e->row.status;
	msec since = r->since;

	if (r->issue[0] == '\0') {
		paneevents_name(r->issue, "%0", p->pid);
		entry_begin(x, e);
		r->backend = xstrdup(b->name);
		r->agent.pid = p->pid;
		r->agent.start = p->start;
		r->started = p->began;
	}
	free(e->row.where);
	e->row.where = xasprintf("%s:bg.%s", b->name, s->id);
	if (!e->row.pane)
		return;
	e->listed = true;
	if (s->folder != NULL && s->folder[0] == '/') {
		free(r->cwd);
		r->cwd = xstrdup(s->folder);
		entry_find_project(x, e, s->folder);
	}
	session_read(x, e);
	if (strcmp(r->verdict.source, "process") == 0) {
		r->verdict.state = STATE_UNKNOWN;
		verdict_why(&r->verdict, "its client does not say what it "
		    "does");
		r->since = since != 0 ? since : e->looked;
		row_rate(&e->row);
	}
	verdict_set_source(&r->verdict, "client");
	if (r->task == NULL && s->name != NULL) {
		r->task = xmalloc(EVENT_BRIEF);
		verdict_shown(r->task, EVENT_BRIEF, s->name, strlen(s->name));
	}
}

/* Does the process show it, as "attach ID"? */
static bool
session_shown(const struct backend *b, pid_t pid, const char *id)
{
	char **words = proc_words(pid);
	char **way = backend_fill(NULL, b->attach, "id", id);
	size_t n = argv_count(words), i = argv_count(way);

	while (i > 0 && n > 0 && strcmp(words[n - 1], way[i - 1]) == 0)
		n--, i--;
	argv_free(words);
	argv_free(way);
	return i == 0 && n > 0;
}

static bool
session_taken(struct queue *x, const struct backend *b,
    const struct transcript_session *s)
{
	struct queue_entry *e;
	struct status *r;
	size_t i;

	for (i = 0; i < x->nentries; i++) {
		e = x->entries[i];
		r = &e->row.status;
		if (row_session(&e->row))
			continue;
		if (r->agent.session == NULL && r->backend != NULL &&
		    strcmp(r->backend, b->name) == 0 &&
		    session_shown(b, r->agent.pid, s->id) &&
		    status_session(r, s->session) && e->open)
			session_read(x, e);
		if (r->agent.session != NULL &&
		    strcmp(r->agent.session, s->session) == 0 &&
		    !row_finished(&e->row))
			return true;
	}
	return false;
}

/* Reads no file of an agent in a pane: there may be a thousand. */
static void
session_look(struct queue *x, const struct backend *b, const char *folder,
    pid_t pid)
{
	const struct transcript_place *place = transcript_place(b->transcript);
	struct queue_entry *e = NULL;
	struct transcript_session s;
	struct json *o = NULL;
	struct proc p;
	size_t i = 0;

	while (i < x->nentries && (!x->entries[i]->row.alive ||
	    x->entries[i]->row.status.agent.pid != pid))
		i++;
	if (i < x->nentries)
		e = x->entries[i];
	if ((e != NULL && (row_session(&e->row) ? e->listed :
	    !e->row.status.agent.background)) ||
	    proc_read(&p, pid) == -1 || p.zombie ||
	    !transcript_file(place, folder, pid, &o))
		return;
	if (transcript_session(place, o, &s) &&
	    (!session_taken(x, b, &s) || (e != NULL && !e->row.pane)))
		session_row(x, e != NULL ? e : issues_add(x, x->panes), b, &p,
		    &s);
	else if (o == NULL && e != NULL)
		e->listed |= e->row.pane;       /* it is being written */
	json_free(o);
}

void
sessions_look(struct queue *x)
{
	const struct backend *b = x->how.panes ? x->backends.first : NULL;
	const struct transcript_place *place;
	struct queue_entry *e;
	char *folder;
	pid_t *pids;
	size_t i, n;

	for (i = 0; i < x->nentries; i++)
		x->entries[i]->listed &= !row_session(&x->entries[i]->row);
	for (; b != NULL; b = b->next) {
		place = b->transcript == NULL || b->attach[0] == NULL ? NULL :
		    transcript_place(b->transcript);
		folder = place != NULL ? transcript_folder(place, 0) : NULL;
		if (folder == NULL)
			continue;
		n = transcript_pids(place, folder, &pids);
		if (n == 0 && errno != 0)
			issues_report(x, folder, NULL, errno);
		for (i = 0; i < n; i++)
			session_look(x, b, folder, pids[i]);
		free(pids);
		free(folder);
	}
	for (i = x->nentries; i-- > 0; ) {
		e = x->entries[i];
		if (!row_session(&e->row) || e->listed)
			continue;
		issues_drop(x, i);
		x->changed = true;
	}
}
