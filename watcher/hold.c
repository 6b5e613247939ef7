#include "watcher/track.h"

/* A track that has begun is retried. */
static void
hold_failed(struct track *t, enum warning what, const char *act)
{
	if (track_first(t, what))
		warn("cannot %s issue '%s' in '%s'%s", act, t->issue,
		    t->dir->path, t->life.begun ? "; retrying" :
		    "; skipping it");
	lock_release(&t->lock);
	t->at[AT_RETRY] = t->watch->now + TRACK_RETRY;
	if (!t->life.begun)
		track_finish(t, EXIT_COULD_NOT);
}

/* Called at each answer of a server, until the run is known. */
static void
hold_adopt(struct track *t)
{
	int refused = adopt_run(t);

	if (refused == ADOPT_LATER)
		return;
	t->life.begun = true;
	if (refused != 0)
		track_finish(t, refused);
	else
		gather_open(t);
}

static void
hold_take_over(struct track *t)
{
	struct status *r = &t->record, then = *r;
	const struct pane_ref *a = &then.place, *b = &r->place;
	struct queued_list l;
	const struct queued *q;
	bool outrun, waits;

	if (status_read(r, t->dir->state_fd, t->issue) == -1) {
		if (errno != EBADMSG) {
			hold_failed(t, WARNED_RECORD, "read the status record "
			    "of");
			status_release(&then);
			return;
		}
		warn("cannot read the status record of issue '%s'; rewriting "
		    "it", t->issue);
	}
	/* For a pass: the record's state or pane has changed, perhaps after the
	 * listing. */
	outrun = strcmp(then.run, r->run) != 0 || then.since != r->since ||
	    !server_same(a, b) || strcmp(a->pane, b->pane) != 0 ||
	    then.verdict.state != r->verdict.state ||
	    then.handoff.state != r->handoff.state;
	status_release(&then);
	/* An interrupted start goes on under this lock, and finds its pane.
	 * Unreadable queued issues may include it. */
	waits = r->run[0] != '\0' && r->place.socket == NULL;
	if (waits && queued_read(&l, t->dir->state_fd) == 0) {
		q = queued_find(&l, t->issue);
		waits = q != NULL && !queued_started(q, r);
		queued_release(&l);
	} else if (waits && t->sources.pass) {
		hold_failed(t, WARNED_RECORD, "read what is queued beside");
		return;
	}
	if ((outrun || waits) && t->sources.pass) {
		track_finish(t, EXIT_DONE);
		return;
	}
	if (waits) {
		lock_release(&t->lock);
		t->pane.listed = t->life.begun = true;
		return;
	}
	t->at[AT_RETRY] = CLOCK_NEVER;
	hold_adopt(t);
}

void
hold_begin(struct track *t)
{
	struct watch *w = t->watch;
	const struct track *u;
	const struct site *s;
	size_t locked = 0;
	/* The option requires the lock until it took effect. */
	const char *option = t->life.begun ? NULL : w->new ? "--new" :
	    w->pane != NULL ? "--pane" : w->session != NULL ? "--session" :
	    NULL;
	struct lock *l = &t->lock;
	struct proc p;
	bool stopped;
	int held;

	t->due.marked = true;
	t->at[AT_RETRY] = w->now + TRACK_RETRY;
	/* Locked issues, hand-offs and projects need descriptors. */
	for (s = w->sites; s != NULL && s->next != NULL; s = s->next)
		locked++;
	for (u = w->tracks; u != NULL; u = u->next)
		locked += u->lock.fd != -1;
	if (locked >= w->most) {
		if (!w->warned_most)
			warnx("issue '%s', and others, are left to a sweep: "
			    "the limit on open files (ulimit -Hn) is enough "
			    "for %zu issues in one watch", t->issue, w->most);
		w->warned_most = true;
		t->pane.listed = t->life.begun = true;
		t->at[AT_RETRY] = w->now + w->tick;
		return;
	}
	if (!w->policy->saves) {
		held = lock_held(t->dir->state_fd, t->issue, NULL);
		if (held == -1)
			hold_failed(t, WARNED_LOCK, "look at the lock of");
		else if (held == 1 || proc_id_alive(&t->record.runner))
			track_finish(t, EXIT_DONE);
		else
			hold_take_over(t);
		return;
	}
	switch (status_lock(l, t->dir->state_fd, t->issue,
	    option != NULL ? LOCK_ENDING : 0)) {
	case 1:
		hold_take_over(t);
		return;
	case -1:
		hold_failed(t, WARNED_LOCK, "lock");
		return;
	}
	stopped = proc_read(&p, l->holder) == 0 && p.stopped;
	t->pane.listed = true;
	if (option != NULL) {
		warnx("cannot watch issue '%s' with %s: process %ld%s acts on "
		    "it; end that one first", t->issue, option,
		    (long)l->holder, stopped ? ", which is stopped," : "");
		track_finish(t, EXIT_COULD_NOT);
		return;
	}
	if (stopped && track_first(t, WARNED_STOPPED))
		warnx("issue '%s' is left alone: the process holding its lock "
		    "(%ld) is suspended", t->issue, (long)l->holder);
	if (l->holder != 0 &&
	    track_open(t, FD_HOLDER, l->holder, l->holder_start) != -1)
		t->at[AT_RETRY] = CLOCK_NEVER;
	t->life.begun = true;
}

static void
hold_read(struct track *t)
{
	struct track_followed *f = &t->followed;
	struct status *r = &t->record;
	msec now = t->watch->now;
	struct sigfile signal;
	bool known, tidy;

	status_release(r);
	if (status_read(r, t->dir->state_fd, t->issue) == -1 &&
	    track_first(t, WARNED_RECORD))
		warn("cannot read the status record of issue '%s'", t->issue);
	known = r->run[0] != '\0';
	if (known && !f->known) {
		f->known = true;
		f->changes = r->changes;
		/* A watch that had the lock has followed this run. */
		if (t->shown.state == STATE_NONE && status_over(r) &&
		    !handoff_open(&r->handoff))
			memcpy(f->run, r->run, sizeof(f->run));
	}
	/* A run that was over at our start is not reported: the holder may
	 * begin another. */
	known = known && (t->watch->policy->once || r->changes != f->changes ||
	    strcmp(r->run, f->run) != 0);
	/* The runner removes the signal last. */
	tidy = handoff_find_signal(r, t->dir, &signal) != 1;
	if (known && r->verdict.state != t->shown.state)
		turn_print_state(t);
	if (known && tidy) {
		turn_print_handoff(t);
		turn_settle(t);
	}
	/* The holder may free the lock long before its process ends. */
	if (!t->life.finished && now >= t->at[AT_RETRY]) {
		if (t->fd[FD_HOLDER] != -1 && now < f->patience) {
			t->at[AT_RETRY] = f->patience;
		} else {
			track_close(t, FD_HOLDER);
			hold_begin(t);
			t->due.marked = t->lock.fd != -1;
		}
	}
	/* No event reports a removed signal, or a holder that frees the lock
	 * and goes on. */
	if ((!known || !tidy) && t->lock.fd == -1 &&
	    t->at[AT_RETRY] == CLOCK_NEVER)
		t->at[AT_RETRY] = now + TRACK_RETRY;
}

void
hold_turn(struct track *t)
{
	t->due.marked = false;
	if (t->life.search != 0)
		hold_adopt(t);
	if (t->life.search == 0 && !t->life.finished &&
	    t->runner.fd == -1) {       /* its end marks the track */
		if (t->lock.fd != -1)
			turn_judge(t);
		else
			hold_read(t);
	}
	if (t->watch->policy->once && !t->life.finished && !t->due.marked &&
	    t->pane.listed && t->runner.fd == -1 && t->tree.pid == 0 &&
	    (t->lock.fd == -1 || t->at[AT_ENDING] == CLOCK_NEVER))
		track_finish(t, t->sources.signal_error != 0 ||
		    t->unsaved.record ? EXIT_COULD_NOT :
		    t->record.verdict.state == STATE_ERROR ? EXIT_NO :
		    EXIT_TIMEOUT);
	track_schedule(t);
}

void
hold_tick(struct track *t, bool check)
{
	if (t->lock.fd == -1)
		t->at[AT_RETRY] = t->watch->now;
	else if (t->site->all.fd == -1)
		lock_touch(&t->lock);
	if (!check && t->lock.fd != -1)
		return;
	t->due.marked = t->due.claims = t->sources.events_due = true;
	if (t->lock.fd != -1 && t->runner.fd == -1 && turn_locked(t))
		gather_tick(t);
}

/* An earlier holder there may have recorded news, or a younger run. */
static void
hold_moved(struct track *t)
{
	bool held = t->lock.fd != -1;
	struct status there, *r = &t->record;
	const struct handoff *h = &there.handoff, *k = &r->handoff;
	int got;

	lock_release(&t->lock);
	/* The holder that we follow comes to the new directory at its next
	 * tick. */
	if (!held)
		t->followed.patience = t->watch->now + TRACK_PATIENCE;
	if (!held || t->life.finished)
		return;
	if (t->life.search != 0 || lock_take(&t->lock, t->dir->state_fd,
	    t->issue) != 1) {
		t->life.lost = true;
		return;
	}
	got = status_read(&there, t->dir->state_fd, t->issue);
	if (got == -1 && !file_refused(errno)) {
		warn("cannot read the status record of issue '%s'", t->issue);
		t->life.lost = true;
	} else if (got == 1 && strcmp(there.run, r->run) != 0) {
		t->life.lost = there.started > r->started;
	} else if (got == 1 && (there.changes != r->changes ?
	    there.changes > r->changes : h->attempts != k->attempts ?
	    h->attempts > k->attempts : h->attempts > 0 && !handoff_open(h) &&
	    handoff_open(k))) {
		status_release(r);
		*r = there;
		status_init(&there, "");
		t->unsaved.journal = false;
	}
	status_release(&there);
	if (t->life.lost)
		return;
	panelog_mark(&t->sources.log, &t->record.log);
	sources_open_log(&t->sources);
	t->unsaved.record = true;
	gather_ask(t, 0);
}

void
hold_renew(struct site *s)
{
	struct track *t;

	if (!context_renew(&s->context, &s->warned_directory))
		return;
	lock_release(&s->all);
	s->watch->lost = true;
	site_watch(s, NOTIFY_DIRECTORY);
	for (t = s->watch->tracks; t != NULL; t = t->next)
		if (t->site == s)
			hold_moved(t);
}
