#include "watcher/track.h"

#include "notice/notice.h"

/* A directory that was removed has no lock; writing fails there. */
bool
turn_locked(struct track *t)
{
	struct stat st;

	if ((fstat(t->dir->state_fd, &st) == 0 && st.st_nlink == 0) ||
	    lock_counts(&t->lock, t->dir->state_fd, t->issue) || errno != EBUSY)
		return true;
	warnx("the lock of issue '%s' was removed from '%s'; taking it again",
	    t->issue, t->dir->path);
	t->life.lost = true;
	return false;
}

static bool
turn_save(struct track *t)
{
	struct status *r = &t->record;

	if (!t->watch->policy->saves)
		return false;
	if (!t->unsaved.record && !t->unsaved.journal)
		return true;
	if ((t->at[AT_RETRY] != CLOCK_NEVER &&
	    t->watch->now < t->at[AT_RETRY]) || !turn_locked(t))
		return false;
	if (!t->sources.pass)
		panelog_mark(&t->sources.log, &r->log);
	if (t->unsaved.journal && journal_add(t->dir->state_fd, t->dir->path,
	    JOURNAL_STATE, r, NULL) == 0)
		t->unsaved.journal = false;
	if (!t->unsaved.journal && status_save(r, &t->lock,
	    t->dir->state_fd) == 0) {
		t->unsaved.record = false;
		t->at[AT_RETRY] = t->at[AT_MARK] = CLOCK_NEVER;
		if (t->shown.warned[WARNED_SAVE])
			warnx("issue '%s' is recorded now", t->issue);
		t->shown.warned[WARNED_SAVE] = false;
		return true;
	}
	if (track_first(t, WARNED_SAVE))
		warn("cannot record the state of issue '%s' in '%s'; retrying; "
		    "not acting on it until that succeeds",
		    t->issue, t->dir->path);
	t->at[AT_RETRY] = t->watch->now + TRACK_RETRY;
	if (t->sources.pass)
		track_finish(t, EXIT_COULD_NOT);
	return false;
}

static void
turn_print(const struct track *t, bool handoff)
{
	report_print(&t->record, !t->watch->everywhere ? NULL :
	    t->record.name != NULL ? t->record.worktree :
	    t->site->context.project.root, handoff, t->watch->json);
}

void
turn_print_state(struct track *t)
{
	enum state state = t->record.verdict.state;

	t->shown.state = state;
	if (!t->sources.pass || state_ended(state) || state == STATE_ERROR)
		turn_print(t, false);
}

void
turn_print_handoff(struct track *t)
{
	const struct handoff *h = &t->record.handoff;

	if (h->state == HANDOFF_NONE || h->state == HANDOFF_RUNNING ||
	    (h->state == HANDOFF_PENDING && h->last_exit == -1) ||
	    (h->state == t->shown.handoff && h->attempts == t->shown.attempt))
		return;
	t->shown.handoff = h->state;
	t->shown.attempt = h->attempts;
	turn_print(t, true);
}

/* The hook, or the title, is ahead of the screen that shows the question. */
static bool
turn_unseen(const struct track *t)
{
	const struct status *r = &t->record;

	return r->verdict.state == STATE_ASKING && r->verdict.question == 0 &&
	    clock_wall() < r->since + EVIDENCE_GRACE;
}

/* last: no later turn can send the notice. */
static msec
turn_notice_at(struct track *t, bool last)
{
	const struct event_evidence *hook = &t->evidence.hook;
	struct status *r = &t->record;
	enum notice before = r->notice;
	msec wall = clock_wall();
	msec left = notice_wait(r, t->config, t->dir->state_fd, wall);
	msec at = left == CLOCK_NEVER ? left : t->watch->now + left;
	/* A hook may still bring the last words of the turn. */
	bool unsaid = r->verdict.state == STATE_WAITING && hook->there &&
	    wall < EVIDENCE_GRACE +
	    (hook->time > r->since ? hook->time : r->since);

	t->unsaved.record |= r->notice != before;
	if (!last && at != CLOCK_NEVER && (unsaid || turn_unseen(t)) &&
	    r->verdict.message[0] == '\0')
		at = t->watch->now + EVIDENCE_GRACE;
	return last || at > t->shown.notice_from ? at : t->shown.notice_from;
}

static void
turn_notify(struct track *t)
{
	int sent;

	if (t->at[AT_NOTICE] > t->watch->now)
		return;
	sent = notice_send(&t->site->context, &t->record);
	if (sent == -1 && track_first(t, WARNED_NOTIFY))
		warn("cannot run the command of notify for issue '%s'; "
		    "retrying", t->issue);
	else if (sent == 0)
		t->shown.warned[WARNED_NOTIFY] = false;
	t->at[AT_NOTICE] = t->shown.notice_from = clock_now() + NOTICE_JOIN;
}

/* The runner must inherit the issue's lock. */
static int
turn_run(struct track *t, enum runner_work work)
{
	if (!turn_locked(t))
		return 0;
	t->runner.work = work;
	if (runner_start(&t->runner, &t->lock, &t->record,
	    &t->site->context) == -1) {
		if (track_first(t, WARNED_RUNNER))
			warn(work == RUNNER_HANDOFF ? "cannot start the "
			    "hand-off of issue '%s'; retrying" :
			    "cannot tell the agent of issue '%s' to go on; "
			    "retrying", t->issue);
		return -1;
	}
	t->handed = LOOP_WAIT(t->runner.fd, t->watch->handed, t);
	loop_add(&t->watch->loop, &t->handed);
	return 0;
}

void
turn_start(struct track *t)
{
	msec now = t->watch->now, *at = &t->at[AT_HANDOFF];
	msec left = handoff_wait(&t->record.handoff, clock_wall());

	/* The end of a count, which stands in the work tree, marks the track. */
	if (t->tree.pid != 0 || !handoff_open(&t->record.handoff) ||
	    !runner_wanted(t->config, &t->record)) {
		*at = CLOCK_NEVER;
	} else if (*at == CLOCK_NEVER || now >= *at) {
		if (t->evidence.pane == PANE_SILENT)
			left = TRACK_UNTRUSTED;
		*at = left > 0 ? now + left : CLOCK_NEVER;
		if (left <= 0 && turn_run(t, RUNNER_HANDOFF) == -1)
			*at = now + TRACK_RETRY;
	}
	at = &t->at[AT_PARKED];
	left = parked_wait(&t->record, clock_wall());
	if (left == CLOCK_NEVER || t->runner.fd != -1 || t->life.lost) {
		*at = CLOCK_NEVER;
	} else if (left > 0) {
		*at = now + left;
	} else if (now < t->shown.parked_from) {
		*at = t->shown.parked_from;
	} else {
		*at = t->shown.parked_from = now + TRACK_RETRY;
		turn_run(t, RUNNER_PARKED);
	}
}

int
turn_handed(struct track *t)
{
	int killed = runner_reap(&t->runner);
	unsigned before = t->record.handoff.attempts;
	struct status now;
	int got;

	lock_mark(&t->lock);
	t->due.marked = true;
	t->at[AT_HANDOFF] = t->watch->now + TRACK_RETRY;
	got = status_read(&now, t->dir->state_fd, t->issue);
	if (got == -1 && errno != EBADMSG) {
		/* The next lock holder reads the runner's record first. */
		if (track_first(t, WARNED_RECORD))
			warn("cannot read the status record of issue '%s'",
			    t->issue);
		lock_release(&t->lock);
		t->at[AT_RETRY] = t->watch->now + TRACK_RETRY;
		if (t->watch->policy->once)
			track_finish(t, EXIT_COULD_NOT);
		return killed;
	}
	if (got != 1 || strcmp(now.run, t->record.run) != 0) {
		status_release(&now);
		return killed;
	}
	status_release(&t->record);
	t->record = now;
	t->unsaved.journal = false;
	/* An unwritten record must be written before the next runner starts. */
	t->unsaved.record = handoff_open(&now.handoff) &&
	    now.handoff.attempts == before;
	t->runner.again = t->unsaved.record;
	return killed;
}

/* -1: the track goes on. */
static int
turn_exit(const struct track *t)
{
	const struct status *r = &t->record;
	enum state state = r->verdict.state;
	int status = settle_exit(r, t->watch->exit_on | 1u << STATE_COMPLETE |
	    1u << STATE_DEAD | 1u << STATE_GONE);

	/* Without a command, another process does the hand-off. */
	if (t->lock.fd != -1 && state == STATE_COMPLETE &&
	    !runner_wanted(t->config, r))
		return EXIT_DONE;
	if (status == -1 && r->ended && state != STATE_COMPLETE)
		return state == STATE_ERROR ? EXIT_NO : EXIT_ENDED;
	return status;
}

/* No sweep sends a notice for an agent without an issue. */
void
turn_settle(struct track *t)
{
	int status = turn_exit(t);

	if (status != -1 && (t->record.name == NULL ||
	    t->record.notice == NOTICE_NONE || t->watch->policy->once))
		track_finish(t, status);
}

/* ---- what a row tells --------------------------------------------------- */

enum { TREE_LIMIT = 10000, TREE_MOST = 4096, LINES_LATE = 300 };

static void
tree_counted(void *context, msec now)
{
	struct track *t = context;

	(void)now;
	t->due.marked |= t->tree.pid == 0;
}

/* The record waits for the disk, so it does not have the tool in use. */
static void
turn_doing(struct track *t)
{
	const char *name = ISSUE_NAME(t->issue, "doing");
	bool works = t->record.verdict.state == STATE_WORKING;
	char shown[EVENT_BRIEF];
	const char *doing = works ? judge_doing(&t->evidence, shown) : "";
	size_t len = strlen(doing);
	uint64_t hash = works ? text_hash(doing, len) | 1 : 2;

	if (t->sources.pass || !t->watch->policy->saves ||
	    hash == t->shown.doing)
		return;
	t->shown.doing = hash;
	if (len == 0 && !works)
		unlinkat(t->dir->state_fd, name, 0);
	else
		file_put(t->dir->state_fd, name, doing, len, 0600, false);
}

static void
turn_lines(struct track *t, bool begins)
{
	struct status *r = &t->record;
	enum state state = r->verdict.state;
	const struct project *project = &t->site->context.project;
	const char *tree = r->worktree != NULL ? r->worktree : project->root;
	struct buf why = BUF_INIT;

	/* " 3 files changed, 10 insertions(+)", or nothing, of the last turn. */
	if (t->tree.pid == 0 && t->tree.deadline != 0) {
		free(r->tree.branch);
		r->tree.branch = tree != NULL ? project_branch(tree, &why) :
		    NULL;
		r->tree.changes = t->tree.status == 0 ?
		    (int)strtol(buf_str(&t->tree.output), NULL, 10) : -1;
		t->unsaved.record = true;
		spawn_release(&t->tree);
		buf_release(&why);
	}
	/* "paneward diff" runs no program that the repository names. */
	if (begins && (state == STATE_WAITING || state == STATE_COMPLETE ||
	    state == STATE_ERROR) && !t->sources.pass && t->tree.pid == 0 &&
	    (r->worktree != NULL || project->git_dir != NULL) &&
	    spawn_begin(&t->tree, &(struct spawn_how){
	    .limit = TREE_LIMIT, .most = TREE_MOST,
	    .cwd = r->name != NULL ? "/" : project->root,
	    .argv = r->name != NULL ? WORDS(proc_program(), "diff",
	    PANE_NAME(&r->place), "--", "--shortstat") : WORDS(proc_program(),
	    "diff", "--status-dir", t->dir->path, t->issue, "--",
	    "--shortstat") }) == 0)
		spawn_follow(&t->tree, &t->watch->loop, tree_counted, t);
	if (!judge_lines(r, &t->evidence))
		return;
	if (state == STATE_WORKING)
		t->at[AT_MARK] = clock_sooner(t->at[AT_MARK],
		    t->watch->now + LINES_LATE);
	else
		t->unsaved.record = true;
}

static void
turn_take(struct track *t, const struct verdict *v)
{
	struct status *r = &t->record;
	const struct verdict *old = &r->verdict;
	bool said = old->state == v->state && strcmp(old->why, v->why) == 0 &&
	    strcmp(old->message, v->message) == 0 && !v->anew;
	bool begins = r->name != NULL && panes_begins(t, v);
	bool changes = judge_changes(r, v);
	bool anew = changes && judge_begins(r, v);

	/* The next capture shows text from before the error. */
	if (changes && v->state == STATE_ERROR) {
		t->sources.captured = false;
		gather_ask(t, TMUX_CAPTURE);
	}
	/* A state that was replaced before it was recorded sends no notice. */
	if (changes && judge_record(r, v, &t->evidence,
	    runner_wanted(t->config, r), clock_wall())) {
		notice_take(r, t->config);
		if (begins)
			r->notice = NOTICE_NONE;
	}
	if (changes && v->state == STATE_ERROR && t->sources.pass)
		gather_capture(&t->sources, &t->evidence);
	t->unsaved.record |= changes;
	/* Otherwise only its question became visible. */
	t->unsaved.journal |= changes && !said;
	/* The record of an adopted run is old before the first verdict. */
	if (changes ? !said : t->shown.state != r->verdict.state &&
	    !t->sources.pass && (r->changes > 0 ||
	    r->verdict.state != STATE_UNKNOWN))
		turn_print_state(t);
	if (turn_unseen(t)) {
		t->at[AT_CAPTURE] = clock_sooner(t->at[AT_CAPTURE],
		    t->watch->now + EVIDENCE_DRAWN);
		t->at[AT_QUIET] = clock_sooner(t->at[AT_QUIET],
		    t->watch->now + TRACK_QUIET);
	}
	turn_lines(t, anew);
	t->unsaved.record |= detect_conflict(&t->evidence, &r->verdict);
	t->unsaved.record |= parked_take(r, v->state, v->reset,
	    t->config->on_limit, clock_wall());
	t->unsaved.record |= t->at[AT_MARK] <= t->watch->now;
	if (v->state != STATE_NONE && t->evidence.final && !r->ended) {
		r->ended = t->unsaved.record = true;
		r->exit_code = t->evidence.exit_code;
		r->exit_signal = t->evidence.exit_signal;
	}
	t->at[AT_NOTICE] = turn_notice_at(t, t->sources.pass ||
	    t->watch->policy->once || turn_exit(t) != -1 ||
	    handoff_open(&r->handoff));
}

/* A sweep runs its hand-offs later. */
static void
turn_act(struct track *t)
{
	const struct status *r = &t->record;
	msec rest;
	bool before;

	/* A pane with an unrecorded run's name would seem to be of an earlier
	 * run. */
	if (t->pane.unnamed && track_first(t, WARNED_NAME))
		gather_ask(t, TMUX_NAME);
	turn_notify(t);
	if (signals_remove(r, &t->evidence, t->dir, t->evidence.errors) != 0 &&
	    track_first(t, WARNED_REMOVE))
		warn("cannot remove a signal of issue '%s' from '%s'",
		    t->issue, t->dir->path);
	if (t->sources.pass)
		return;
	/* Once an episode: answer-run awaits the dialog. */
	if (r->verdict.state == STATE_ASKING && t->config->answers.n > 0 &&
	    t->shown.answered != r->episode) {
		t->shown.answered = r->episode;
		if (spawn_detached(&(struct spawn_how){ .argv =
		    WORDS(proc_program(), "answer-run", t->issue,
		    t->dir->path), .cwd = t->site->context.project.root }, -1,
		    STDERR_FILENO) == -1)
			warn("cannot answer what the agent of issue '%s' asks",
			    t->issue);
	}
	turn_print_handoff(t);
	turn_start(t);
	before = t->shown.left_place;
	rest = queued_rest(r, clock_wall());
	t->at[AT_REST] = rest == 0 || rest == CLOCK_NEVER ? CLOCK_NEVER :
	    t->watch->now + rest;
	t->shown.left_place = rest == 0;
	if (t->shown.left_place && !before)
		queued_go(t->dir);
	turn_settle(t);
}

void
turn_judge(struct track *t)
{
	struct evidence *ev = &t->evidence;
	bool unread, hidden = false;
	struct verdict v, other;

	t->judged_at = t->watch->now;
	gather_due(t);
	judge(&t->sources, ev, &v);
	/* A report counts before an end, and may be unread.  A pass also
	 * reaches no verdict on half-written evidence or with a hidden error:
	 * such a run is neither dead nor gone. */
	unread = t->sources.signal_error != 0;
	t->held = t->sources.pass && (unread || ev->again != CLOCK_NEVER);
	if (!ev->errors && v.state != STATE_COMPLETE) {
		ev->errors = true;
		hidden = judge(NULL, ev, &other) && other.state == STATE_ERROR;
		ev->errors = false;
	}
	t->unsaved.record |= hidden != t->record.hidden;
	t->record.hidden = hidden;
	t->held |= hidden;
	if (v.state != STATE_COMPLETE && (t->held ||
	    (unread && state_ended(v.state))))
		v = (struct verdict){ 0 };
	gather_done(t, &v);
	if (t->record.name != NULL && state_ended(v.state) && panes_quit(t))
		return;
	turn_take(t, &v);
	turn_doing(t);
	/* tmux's first answer may bring an adopted run's verdict, without
	 * waiting for the disk. */
	if (t->record.adopted && !t->pane.listed && !t->unsaved.journal)
		return;
	if (turn_save(t))
		turn_act(t);
}

void
turn_stop(struct track *t)
{
	if (t->lock.fd == -1 || t->life.finished || t->runner.fd != -1 ||
	    t->life.search != 0)
		return;
	t->unsaved.record = true;
	t->at[AT_RETRY] = CLOCK_NEVER;
	t->at[AT_NOTICE] = turn_notice_at(t, true);
	if (turn_save(t))
		turn_notify(t);
}
