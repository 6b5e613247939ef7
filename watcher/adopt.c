/*
 * adopt.c - which run does an issue have (SPEC 1, 3 and 5, watch)?
 *
 * The run is the record's as long as its pane lives or its end is not yet
 * judged.  Otherwise a pane that belongs to the issue begins a new one, which
 * began when the process in front of it did; and where there is no pane but
 * something was left behind, that is judged.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "msg.h"
#include "proc.h"
#include "watch.h"
#include "xalloc.h"

enum { CANDIDATES = 16 };

/* A pane that was found, and where. */
struct found {
	char            *socket;
	pid_t            server;
	int64_t          server_start;
	struct tmux_pane pane;          /* its texts are borrowed */
};

struct search {
	struct watch *w;
	const char   *issue;
	const struct place *known;      /* the record's place */
	struct tmux_listing listings[CANDIDATES];
	size_t        nlistings;
	struct found  found[CANDIDATES];
	size_t        nfound;
	struct found  old;              /* the record's own pane, if it is there */
	bool          old_there;
	bool          trouble;          /* a server did not answer */
};

static struct found
found_in(const char *socket, const struct tmux_listing *l,
    const struct tmux_pane *p)
{
	return (struct found){ .socket = xstrdup(socket), .server = l->server,
	    .server_start = l->server_start, .pane = *p };
}

static void
add_found(struct search *s, const char *socket, const struct tmux_listing *l,
    const struct tmux_pane *p)
{
	if (s->nfound < CANDIDATES)
		s->found[s->nfound++] = found_in(socket, l, p);
}

/* The panes of a listing that the options name, or else the issue's. */
static void
search_listing(struct search *s, const char *socket,
    const struct tmux_listing *l)
{
	const struct tmux_pane *panes[CANDIDATES], *p;
	const struct watch *w = s->w;
	size_t i, n;

	p = s->known->socket != NULL && strcmp(s->known->socket, socket) == 0 &&
	    s->known->server == l->server &&
	    s->known->server_start == l->server_start ?
	    tmux_listing_pane(l, s->known->pane) : NULL;
	if (p != NULL) {
		s->old = found_in(socket, l, p);
		s->old_there = true;
	}
	if (w->pane != NULL || w->session != NULL) {
		for (i = 0; i < l->npanes; i++) {
			p = &l->panes[i];
			if (w->pane ? strcmp(p->id, w->pane) == 0 :
			    strcmp(p->session_name, w->session) == 0)
				add_found(s, socket, l, p);
		}
		return;
	}
	n = claim_panes(&w->rules, l, s->issue, panes, CANDIDATES);
	for (i = 0; i < n && i < CANDIDATES; i++)
		add_found(s, socket, l, panes[i]);
}

static void
search_socket(struct search *s, const char *socket)
{
	struct tmux_listing *l = &s->listings[s->nlistings];
	struct buf why = BUF_INIT;
	enum tmux_result result;

	result = tmux_list(socket, l, &why);
	if (result == TMUX_OK) {
		s->nlistings++;
		search_listing(s, socket, l);
	} else if (result != TMUX_NO_SERVER) {
		warnx("issue '%s': %s", s->issue, buf_str(&why));
		s->trouble = true;
	}
	buf_release(&why);
}

/* Each socket once: the record's, the user's, those of the configuration. */
static void
search_all(struct search *s)
{
	const char *sockets[CANDIDATES];
	char *user = tmux_socket();
	char *const *more = s->w->context.config.sockets;
	size_t i, n = 0;

	if (s->known->socket != NULL)
		sockets[n++] = s->known->socket;
	if (n == 0 || strcmp(user, sockets[0]) != 0)
		sockets[n++] = user;
	for (; more != NULL && *more != NULL && n < CANDIDATES; more++) {
		for (i = 0; i < n && strcmp(sockets[i], *more) != 0; i++)
			continue;
		if (i == n)
			sockets[n++] = *more;
	}
	for (i = 0; i < n; i++)
		search_socket(s, sockets[i]);
	free(user);
}

static void
search_release(struct search *s)
{
	size_t i;

	for (i = 0; i < s->nfound; i++)
		free(s->found[i].socket);
	free(s->old.socket);
	for (i = 0; i < s->nlistings; i++)
		tmux_listing_release(&s->listings[i]);
}

static int
refuse_many(const struct search *s)
{
	struct buf names = BUF_INIT;
	size_t i;

	for (i = 0; i < s->nfound; i++)
		buf_printf(&names, "%s%s (session %s)", i ? ", " : "",
		    s->found[i].pane.id, s->found[i].pane.session_name);
	warnx("cannot watch issue '%s': %zu panes belong to it: %s; choose "
	    "one with --pane", s->issue, s->nfound, buf_str(&names));
	buf_release(&names);
	return EXIT_USAGE;
}

/* What lies there of the issue, and since when; false: nothing. */
static bool
oldest_evidence(const struct watch *w, const char *issue, msec *oldest)
{
	char names[2 + SIGFILE_KINDS][SIGFILE_NAME];
	struct stat st;
	bool any = false;
	size_t i;

	sigfile_name(names[0], SIGFILE_COMPLETE, issue);
	sigfile_name(names[1], SIGFILE_ERROR, issue);
	panelog_name(names[2], issue);
	for (i = 0; i < 3; i++) {
		msec written;

		if (fstatat(w->context.dir.fd, names[i], &st,
		    AT_SYMLINK_NOFOLLOW) == -1)
			continue;
		written = (msec)st.st_mtim.tv_sec * 1000 +
		    st.st_mtim.tv_nsec / 1000000;
		if (!any || written < *oldest)
			*oldest = written;
		any = true;
	}
	return any;
}

/* Where this pane is, for the record. */
static void
take_place(struct status *r, const struct found *f)
{
	struct place *p = &r->place;
	struct proc pane;

	place_release(p);
	p->socket = xstrdup(f->socket);
	p->server = f->server;
	p->server_start = f->server_start;
	memcpy(p->session, f->pane.session, sizeof(p->session));
	memcpy(p->window, f->pane.window, sizeof(p->window));
	memcpy(p->pane, f->pane.id, sizeof(p->pane));
	p->pane_pid = f->pane.pid;
	p->pane_start = proc_read(&pane, p->pane_pid) == 0 ? pane.start : 0;
}

/* The process in front of the pane is the agent; the run began with it. */
static void
take_agent(struct watch *w, struct status *r, const struct found *f)
{
	struct proc pane, front;
	msec oldest;

	if (proc_read(&pane, f->pane.pid) == -1 || pane.zombie) {
		r->started = oldest_evidence(w, r->issue, &oldest) ? oldest :
		    clock_wall();
		return;
	}
	if (pane.front <= 0 || proc_read(&front, pane.front) == -1)
		front = pane;
	r->agent.pid = front.pid;
	r->agent.start = front.start;
	r->started = front.began;
}

static void
take_worktree(struct watch *w, struct status *r, const struct found *f)
{
	const struct project *project = &w->context.project;
	char *path = f ? realpath(f->pane.path, NULL) : NULL;

	if (path != NULL)
		r->worktree = project_worktree_at(project, path);
	else
		r->worktree = project_worktree_of(project, r->issue);
	if (r->worktree != NULL &&
	    !project_worktree_linked(project, r->worktree)) {
		free(r->worktree);
		r->worktree = NULL;
	}
	if (r->worktree != NULL)
		r->branch = project_branch(r->worktree);
	free(path);
}

/* What was read of the log, or stands on the screen, is of an earlier run. */
static void
disown_log(struct status *r, const struct log_mark *read)
{
	r->log = *read;
	r->log.begin = r->log.read;
	r->log.scan = (struct marker_state){ .offset = r->log.read };
}

static void
disown_screen(struct status *r)
{
	r->past_capture.complete = r->past_capture.error = UINT32_MAX;
}

/* A new run, in the pane f, or (f NULL) of what was left behind. */
static int
begin_run(struct track *t, const struct found *f, bool fresh)
{
	struct watch *w = t->watch;
	struct status old = t->record, *r = &t->record;
	struct log_mark read = old.log;
	msec oldest = clock_wall();

	status_init(r, t->issue);
	if (f != NULL && !fresh && old.run[0] == '\0' &&
	    run_id_valid(f->pane.run)) {
		/* The record was lost; the agent still knows its run's id. */
		strcpy(r->run, f->pane.run);
	} else if (run_id_make(r->run) == -1) {
		warn("cannot make a run id");
		return EXIT_COULD_NOT;
	}
	r->adopted = true;
	r->verdict.state = STATE_UNKNOWN;
	r->verdict.source = SOURCE_PROCESS;
	verdict_why(&r->verdict, "nothing was judged yet");
	r->since = clock_wall();
	proc_boot(r->boot);
	if (f != NULL) {
		take_place(r, f);
		take_agent(w, r, f);
	} else {
		oldest_evidence(w, t->issue, &oldest);
		r->started = oldest;
	}
	take_worktree(w, r, f);
	if (w->marker != NULL)
		r->marker = xstrdup(w->marker);
	r->fresh = fresh;
	if (fresh) {
		r->started = clock_wall();
		gather_log_end(t, &read);
	}
	if (fresh || old.run[0] != '\0')
		disown_log(r, &read);
	if (fresh || (f != NULL && old.place.pane_pid == f->pane.pid))
		disown_screen(r);
	status_release(&old);
	t->unsaved = true;
	track_journal(t, JOURNAL_RUN, "adopted");
	return 0;
}

static bool
same_pane(const struct found *a, const struct found *b)
{
	return b->socket != NULL && strcmp(a->pane.id, b->pane.id) == 0 &&
	    strcmp(a->socket, b->socket) == 0;
}

/* Does the record's run go on to be the issue's? */
static bool
record_stands(const struct track *t, const struct search *s)
{
	const struct status *r = &t->record;

	if (r->run[0] == '\0')
		return false;
	if (s->w->pane != NULL || s->w->session != NULL)
		return s->nfound == 1 && same_pane(&s->found[0], &s->old);
	if (!state_ended(r->verdict.state) && !r->ended)
		return true;
	if (s->old_there && !s->old.pane.dead)
		return true;
	/* Judged and over: only another pane begins something new. */
	return s->nfound == 0 ||
	    (s->nfound == 1 && same_pane(&s->found[0], &s->old));
}

/* start was killed between opening the pane and writing down which it is. */
static void
find_lost_place(struct track *t, const struct search *s)
{
	size_t i;

	if (t->record.place.socket != NULL || t->record.run[0] == '\0')
		return;
	for (i = 0; i < s->nfound; i++)
		if (strcmp(s->found[i].pane.run, t->record.run) == 0) {
			take_place(&t->record, &s->found[i]);
			t->unsaved = true;
		}
}

static int
refuse_unknown(const struct track *t)
{
	warnx("cannot watch issue '%s': nothing is known of it, no record, "
	    "signal, log or pane", t->issue);
	return EXIT_COULD_NOT;
}

static int
adopt_found(struct track *t, struct search *s)
{
	const struct watch *w = t->watch;
	msec oldest;

	if (w->new && s->nfound == 0 && s->old_there)
		return begin_run(t, &s->old, true);
	find_lost_place(t, s);
	if (!w->new && record_stands(t, s))
		return 0;
	if (s->nfound > 1)
		return refuse_many(s);
	if (s->nfound == 1)
		return begin_run(t, &s->found[0], w->new);
	if (s->trouble)
		return EXIT_COULD_NOT;
	if (w->pane != NULL || w->session != NULL || w->new) {
		warnx("cannot watch issue '%s': there is no %s%s", t->issue,
		    w->pane ? "pane " : w->session ? "session " : "pane of it",
		    w->pane ? w->pane : w->session ? w->session : "");
		return EXIT_COULD_NOT;
	}
	if (oldest_evidence(w, t->issue, &oldest))
		return begin_run(t, NULL, false);
	return refuse_unknown(t);
}

int
track_nothing(struct track *t)
{
	struct search s = { .w = t->watch, .issue = t->issue,
	    .known = &t->record.place };
	struct status r;
	msec oldest;
	bool known;

	known = status_read(&r, t->watch->context.dir.own, t->issue) != 0;
	status_release(&r);
	if (known || oldest_evidence(t->watch, t->issue, &oldest))
		return 0;
	search_all(&s);
	search_release(&s);
	if (s.nfound > 0)
		return 0;
	return s.trouble ? EXIT_COULD_NOT : refuse_unknown(t);
}

int
track_adopt(struct track *t)
{
	struct watch *w = t->watch;
	struct search s = { .w = w, .issue = t->issue,
	    .known = &t->record.place };
	const struct status *r = &t->record;
	int ret;

	/* A run that nobody has judged needs no search: its signals and its
	 * log can be looked at before tmux has answered. */
	if (r->run[0] != '\0' && !state_ended(r->verdict.state) && !r->ended &&
	    r->place.socket != NULL && !w->new && w->pane == NULL &&
	    w->session == NULL)
		return 0;
	search_all(&s);
	ret = adopt_found(t, &s);
	search_release(&s);
	return ret;
}
