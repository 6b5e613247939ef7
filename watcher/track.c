#include "watcher/track.h"

const struct policy policies[] = {
	/*                   pass   once   errors pipes  saves */
	[POLICY_WATCH] = { false, false, true,  true,  true },
	[POLICY_ONCE]  = { false, true,  true,  false, true },
	[POLICY_SWEEP] = { true,  false, false, false, true },
	[POLICY_DRY]   = { true,  false, false, false, false },
};

struct track *
track_new(struct site *s, const char *issue)
{
	struct watch *w = s->watch;
	struct track *t = xmalloc(sizeof(*t));
	size_t i;

	*t = (struct track){ .watch = w, .site = s, .dir = &s->context.dir,
	    .config = &s->context.config, .due.at = CLOCK_NEVER,
	    .lock = LOCK_INIT, .runner = RUNNER_INIT, .tree = SPAWN_INIT,
	    .sources = { .dir = &s->context.dir, .record = &t->record,
		.pass = w->policy->pass, .recall = true, .output = w->now,
		.budget = &w->budget, .log.file.fd = -1 } };
	snprintf(t->issue, sizeof(t->issue), "%s", issue);
	status_init(&t->record, issue);
	evidence_init(&t->evidence, t->issue);
	t->evidence.errors = w->policy->errors || w->check_errors;
	t->evidence.stalled_after = t->config->stalled_after * 1000;
	for (i = 0; i < TRACK_FILES; i++)
		t->files[i].watch = -1;
	memset(t->fd, -1, sizeof(t->fd));
	for (i = 0; i < TRACK_TIMERS; i++)
		t->at[i] = CLOCK_NEVER;
	return t;
}

void
track_free(struct track *t)
{
	size_t i;

	for (i = 0; i < TRACK_FDS; i++)
		track_close(t, (enum track_fd)i);
	for (i = 0; i < TRACK_FILES; i++)
		if (t->files[i].watch != -1)
			notify_unwatch(t->watch->notify, t->files[i].watch);
	loop_drop(&t->handed);
	spawn_follow(&t->tree, NULL, NULL, NULL);
	spawn_release(&t->tree);
	file_close(t->runner.fd);
	sources_release(&t->sources);
	free(t->pane.foreground);
	evidence_release(&t->evidence);
	lock_release(&t->lock);
	status_release(&t->record);
	free(t);
}

struct track *
track_find(const struct site *s, const char *issue)
{
	struct track *t = s->watch->tracks;

	while (t != NULL && (t->site != s || strcmp(t->issue, issue) != 0))
		t = t->next;
	return t;
}

void
track_finish(struct track *t, int status)
{
	t->life.finished = true;
	t->life.exit = status;
	lock_release(&t->lock);
}

void
track_journal(struct track *t, enum journal_type type, const char *detail)
{
	if (journal_add(t->dir->state_fd, t->dir->path, type, &t->record,
	    detail) == -1)
		warn("cannot write to the journal in '%s'", t->dir->path);
}

bool
track_first(struct track *t, enum warning what)
{
	bool first = !t->shown.warned[what];

	t->shown.warned[what] = true;
	return first;
}

int
track_open(struct track *t, enum track_fd which, pid_t pid, uint64_t start)
{
	int fd;

	track_close(t, which);
	if (t->watch->policy->pass) {
		errno = proc_alive(pid, start) ? ENOSYS : ESRCH;
		return -1;
	}
	fd = proc_open(pid, start);
	if (fd != -1 && proc_ends_set(t->watch->ends.fd, fd, true) == -1) {
		close(fd);
		fd = -1;
	}
	t->watch->deaf |= fd == -1 && errno != ESRCH;
	return t->fd[which] = fd;
}

void
track_close(struct track *t, enum track_fd which)
{
	int *fd = &t->fd[which];

	if (*fd == -1)
		return;
	proc_ends_set(t->watch->ends.fd, *fd, false);
	close(*fd);
	*fd = -1;
}

void
watch_again(struct watch *w, int *id, int fd, enum notify_what what)
{
	struct notify *n = w->notify;
	bool kernel = n->fd != -1;

	notify_unwatch(n, *id);
	*id = fd == -1 ? -1 : notify_watch(n, fd, what);
	if (kernel && n->fd == -1)
		context_warn_polling(n, ENOSPC);
}

void
track_watch(struct track *t, enum track_files which, int fd, ino_t ino)
{
	struct track_file *f = &t->files[which];

	if (f->watch != -1 && f->ino == ino)
		return;
	watch_again(t->watch, &f->watch, fd, NOTIFY_FILE);
	f->ino = ino;
}

void
track_schedule(struct track *t)
{
	/* An unwritten record allows no hand-off and no notice. */
	size_t i, n = t->at[AT_RETRY] == CLOCK_NEVER ? TRACK_ACTS : TRACK_WAKES;
	const struct evidence *ev = &t->evidence;
	msec heard = t->judged_at - (ev->wall - evidence_told(ev));
	/* Then pane, hooks and transcript have been silent for too long.  A
	 * judged time changes nothing more. */
	msec at = ev->stalled_after + (heard > t->sources.output ? heard :
	    t->sources.output);

	if (t->lock.fd == -1 || ev->pane != PANE_LIVES || ev->agent_ended ||
	    !state_restless(t->record.verdict.state) || at <= t->judged_at)
		at = CLOCK_NEVER;
	if (!ev->final && t->last.captured)
		at = clock_sooner(at, t->at[ev->pane == PANE_GONE &&
		    t->pipe.state == PIPE_CLAIMED ? AT_DRAIN : AT_ENDING]);
	for (i = 0; i < n; i++)
		at = clock_sooner(at, t->at[i]);
	t->due.at = t->runner.fd == -1 ? at : CLOCK_NEVER;
}

msec
track_deadline(const struct track *t)
{
	return t->life.finished ? CLOCK_NEVER : t->due.marked ? 0 : t->due.at;
}

struct site *
site_new(struct watch *w, struct site **end)
{
	struct site *s = xmalloc(sizeof(*s));

	*s = (struct site){ .watch = w, .context.dir = STATUSDIR_INIT,
	    .dir_watch = -1, .state_watch = -1, .all = LOCK_INIT };
	while (*end != NULL)
		end = &(*end)->next;
	return *end = s;
}

void
site_free(struct site *s)
{
	struct watch *w = s->watch;
	struct site **link = &w->sites;

	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	notify_unwatch(w->notify, s->dir_watch);
	notify_unwatch(w->notify, s->state_watch);
	lock_release(&s->all);
	pattern_free(s->rules.pattern);
	argv_free(s->unread);
	context_close(&s->context);
	free(s);
}

int
site_prepare(struct site *s, struct buf *wrong)
{
	struct watch *w = s->watch;
	struct config *config = &s->context.config;
	struct backend used;

	if (runner_choose(config, w->handoff, w->no_handoff, wrong) == -1 ||
	    backend_read(&used, config->backend, wrong) == -1)
		return -1;
	backend_release(&used);
	s->rules = paneowner_open(&s->context);
	return 0;
}

void
site_watch(struct site *s, enum notify_what what)
{
	const struct statusdir *dir = &s->context.dir;

	watch_again(s->watch, &s->dir_watch, dir->fd, what);
	/* A line in the journal must not wake every watcher. */
	watch_again(s->watch, &s->state_watch, dir->state_fd, NOTIFY_RENAMES);
}

void
site_claim(struct site *s)
{
	const struct watch *w = s->watch;

	if (!w->all || w->policy->once || w->no_handoff || w->handoff != NULL ||
	    w->warned_most)
		lock_release(&s->all);
	else if (s->all.fd != -1)
		lock_touch(&s->all);
	else
		lock_take(&s->all, s->context.dir.state_fd, STATUSDIR_ALL);
	if (s->all.fd != -1)
		queued_go(&s->context.dir);
}

int
settle_exit(const struct status *s, unsigned states)
{
	const struct handoff *h = &s->handoff;

	if ((states & 1u << s->verdict.state) == 0)
		return -1;
	if (s->verdict.state != STATE_COMPLETE)
		return state_exit(s->verdict.state);
	if (handoff_open(h))
		return -1;
	return h->state == HANDOFF_NONE || h->state == HANDOFF_DONE ?
	    EXIT_DONE : EXIT_HANDOFF;
}

int
settle_both(int a, int b)
{
	/* The first of these counts. */
	static const int order[] = { EXIT_COULD_NOT, EXIT_USAGE, EXIT_HANDOFF,
	    EXIT_NO, EXIT_ENDED, EXIT_WAITING, EXIT_TIMEOUT };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_DONE;
}
