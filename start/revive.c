/*
 * revive.c - brings back runs whose pane was lost: each as the same run, in its
 * session, with the same conversation.  The order of files and pane is that of
 * start (start.h).  A run that has reported is left to the next watch or sweep.
 */
#include "chain/sources.h"
#include "os/compat.h"
#include "paneward.h"
#include "project/schedule.h"
#include "queue/row.h"
#include "run/journal.h"
#include "run/restart.h"
#include "run/run.h"
#include "start/start.h"
#include "tmux/sockets.h"

enum {
	REVIVE_MOMENT = 3000,           /* ms; a refused session ends sooner */
	REVIVE_PAUSE = 50,              /* ms between two looks */
	REVIVE_LINES = 5                /* of its log that are shown */
};

struct revive {
	const char *prompt, *status_dir;
	bool   all, dry_run, json, no_watch, systemd, launchd;
	char **issues;                  /* empty: all that can be */
	struct backends backends;
	enum exit_status status;
};

#define FLAG(member) FLAG_AT(struct revive, member)

static const struct command_option options[] = {
	{ 'a', "all", NULL, "the runs of all your projects", FLAG(all) },
	{ 'n', "dry-run", NULL, "print what would be done; write nothing",
	    FLAG(dry_run) },
	{ 'j', "json", NULL, "one JSON object per line", FLAG(json) },
	{ 'p', "prompt", "TEXT", "what the agents are told; without it they "
	    "wait at their prompt", TEXT_AT(struct revive, prompt) },
	{ 0, "no-watch", NULL, "start no watcher", FLAG(no_watch) },
	{ 0, "print-systemd", NULL, "print a systemd user service that does it "
	    "at login, and do nothing else", FLAG(systemd) },
	{ 0, "print-launchd", NULL, "the same for launchd", FLAG(launchd) },
	CONTEXT_OPTION_AT(struct revive, status_dir),
	{ 0 }
};

bool
resume_session(struct resume *x, const struct status *r, struct buf *why)
{
	const struct backend *b = x->backend;
	const char *id = r->agent.session;
	bool by_id = b->resume[0] != NULL;
	bool by_file = !by_id && b->resume_transcript[0] != NULL;
	size_t before = why->len;

	if (!by_id && !by_file && b->latest[0] == NULL)
		buf_printf(why, "backend '%s' does not say how a session is "
		    "resumed", b->name);
	else if (!by_id && !by_file && r->worktree == NULL)
		buf_printf(why, "backend '%s' resumes only the last session "
		    "of a folder, and the run has no work tree of its own",
		    b->name);
	else if (by_id && (id == NULL || !backend_session_valid(id)))
		buf_adds(why, "the id of its session is not known");
	else if (by_file && r->transcript.path == NULL)
		buf_adds(why, "no transcript of its session is known");
	else if (r->transcript.path != NULL &&
	    access(r->transcript.path, F_OK) == -1)
		buf_adds(why, "the transcript of its session is gone");
	if (why->len > before)
		return false;
	x->session = by_id ? id : NULL;
	x->transcript = by_file ? r->transcript.path : NULL;
	return true;
}

static bool
resume_find(struct resume *x, struct backends *all, const struct status *r,
    const struct statusdir *dir, struct buf *why)
{
	struct launch *l = &x->launch;
	const char *recorded = r->backend, *program = NULL, *name, *command;
	bool noted = launch_noted(l, dir->state_fd, r->issue, r->run);

	/* The program of a user's own command names its backend. */
	if (noted) {
		program = strrchr(l->argv[0], '/');
		program = program != NULL ? program + 1 : l->argv[0];
	}
	if (recorded != NULL && strcmp(recorded, "shell") == 0)
		recorded = NULL;
	name = backend_choose(recorded, program, NULL);
	x->backend = NULL;
	if (!noted && !r->adopted)
		buf_adds(why, "how its agent was started is not known");
	else if (name != NULL)
		x->backend = backends_get(all, name, why);
	else
		buf_adds(why, noted ? "its command is that of no known agent" :
		    "which agent it was is not known");
	if (x->backend == NULL)
		return false;
	/* An adopted run gets the backend's command. */
	command = x->backend->command;
	if (!noted && r->cwd != NULL && command != NULL)
		l->program = spawn_find(command);
	if (!noted && l->program != NULL) {
		memcpy(l->run, r->run, sizeof(l->run));
		l->cwd = xstrdup(r->cwd);
		l->status_dir = xstrdup(dir->path);
		l->argv = argv_add(NULL, command);
		l->base = 1;
	}
	if (l->program == NULL && r->cwd == NULL)
		buf_adds(why, "it was not begun by 'paneward start', and the "
		    "folder of its agent is not known");
	else if (l->program == NULL)
		buf_printf(why, "it was not begun by 'paneward start', and the "
		    "program of backend '%s' is not in PATH",
		    x->backend->name);
	else if (access(l->cwd, F_OK) == -1)
		buf_adds(why, "the folder of its agent is gone");
	else if (r->worktree != NULL && access(r->worktree, F_OK) == -1)
		buf_adds(why, "its work tree is gone");
	else if (access(l->program, X_OK) == -1)
		buf_adds(why, "the program of its agent is gone");
	else
		return resume_session(x, r, why);
	return false;
}

struct revival {
	struct revive  *of;
	struct context *context;
	const char *issue;
	bool   named;                   /* by a person */
	struct status record;
	struct servers servers;
	struct resume resume;
	char   dead[TMUX_ID];           /* its dead pane; "": none */
	bool   unknown;                 /* there is no such issue */
	bool   over;                    /* of no interest, unless named */
	struct buf why;                 /* it is left alone; then a function
					   returns false */
};

static void
revival_release(struct revival *v)
{
	status_release(&v->record);
	servers_release(&v->servers);
	launch_release(&v->resume.launch);
	buf_release(&v->why);
}

/* Is neither its pane nor its agent there?  Asks tmux. */
static bool
revival_lost(struct revival *v, enum pane_life *life, struct server_pane *own)
{
	struct servers *s = &v->servers;
	const struct status *r = &v->record;
	int state_fd = v->context->dir.state_fd;
	struct server_pane p = { .server = NULL };
	struct tmux_server *at;
	struct reload reload;
	struct launched l;
	bool reloads;

	if (r->place.socket != NULL)
		servers_add(s, r->place.socket);
	servers_add_usual(s, v->context->config.sockets);
	servers_ask(s, false);
	*life = run_life(s, r, own);
	v->over = *life == PANE_LIVES;
	if (*life == PANE_LIVES)
		buf_printf(&v->why, "its pane %s is alive", own->pane->id);
	for (at = s->first; at != NULL && v->why.len == 0; at = at->next)
		if (at->result != TMUX_OK && at->result != TMUX_NO_SERVER)
			buf_printf(&v->why, "its pane may be there: %s",
			    buf_str(&at->why));
	if (*life == PANE_SILENT && v->why.len == 0)
		buf_printf(&v->why, "its pane may be there: the tmux server "
		    "%ld lives and does not answer", (long)r->place.server);
	/* A killed start or revive recorded no pane. */
	while (v->why.len == 0 && servers_next(s, &p)) {
		if (strcmp(p.pane->run, r->run) != 0)
			continue;
		memcpy(v->dead, p.pane->id, sizeof(v->dead));
		if (!p.pane->dead)
			buf_printf(&v->why, "its pane %s is alive", p.pane->id);
	}
	if (v->why.len > 0 || proc_boot_over(r->boot))
		return v->why.len == 0;
	reloads = reload_read(&reload, state_fd, v->issue) == 1 &&
	    reload_under_way(&reload, r->run);
	reload_release(&reload);
	if (launched_read(&l, state_fd, v->issue, r->run) != 1)
		l = (struct launched){ .pid = r->agent.pid,
		    .start = r->agent.start, .ended = r->agent.pid == 0 };
	if (reloads)
		buf_adds(&v->why, "its agent is being restarted");
	else if (!l.ended && proc_alive(l.pid, l.start))
		buf_printf(&v->why, "its agent, process %ld, lives without a "
		    "pane; end that first", (long)l.pid);
	return v->why.len == 0;
}

/* Judges as the next watch would; the record gets what that read. */
static bool
revival_unreported(struct revival *v, enum pane_life life,
    const struct tmux_pane *pane)
{
	struct status *r = &v->record;
	struct buf error = BUF_INIT;
	struct verdict verdict;
	struct evidence ev;
	struct sources s;

	evidence_init(&ev, v->issue);
	ev.stalled_after = CLOCK_NEVER;
	sources_init(&s, &v->context->dir, r);
	s.pass = s.hasty = true;
	sources_life(&s, &ev, life, pane);
	sources_backend(&s, &v->of->backends, NULL,
	    v->context->config.backend, &error);
	judge(&s, &ev, &verdict);
	if (state_reported(verdict.state))
		buf_printf(&v->why, "it is %s, which is not recorded yet; "
		    "'paneward sweep --check-errors' does that",
		    state_name(verdict.state));
	else if (s.signal_error != 0 || s.log_error != 0)
		buf_printf(&v->why, "whether it has reported cannot be read: "
		    "%s", strerror(s.signal_error ? s.signal_error :
		    s.log_error));
	else if (r->agent.background)
		buf_adds(&v->why, "its session goes on in the client's "
		    "background: 'paneward attach' shows it");
	else if (!v->named && (life == PANE_DEAD ||
	    r->verdict.state == STATE_DEAD))
		buf_adds(&v->why, "its agent ended before its pane; name the "
		    "issue to revive it");
	sources_release(&s);
	evidence_release(&ev);
	return v->why.len == 0;
}

static bool
revival_open_ended(struct revival *v)
{
	const struct status *r = &v->record;

	v->over = !handoff_open(&r->handoff) &&
	    state_reported(r->verdict.state);
	if (v->over)
		buf_printf(&v->why, "its run is over: %s",
		    state_name(r->verdict.state));
	else if (handoff_open(&r->handoff))
		buf_adds(&v->why, "it is complete; 'paneward sweep' hands it "
		    "off");
	return v->why.len == 0;
}

/* Writes nothing. */
static bool
revival_plan(struct revival *v)
{
	const char *prompt = v->of->prompt;
	enum pane_life life;
	struct server_pane own;
	int found;

	revival_release(v);
	v->over = false;
	v->dead[0] = '\0';
	found = status_read(&v->record, v->context->dir.state_fd, v->issue);
	if (found == -1)
		buf_printf(&v->why, "its record cannot be read: %s",
		    msg_reason(errno));
	v->unknown = found == 0;
	if (found == 0)
		buf_adds(&v->why, "it has no run");
	if (found != 1 || !revival_open_ended(v) || !revival_lost(v, &life,
	    &own) || !revival_unreported(v, life, own.pane) ||
	    !resume_find(&v->resume, &v->of->backends, &v->record,
	    &v->context->dir, &v->why))
		return false;
	if (prompt != NULL && v->resume.backend->resume_prompt[0] == NULL)
		buf_printf(&v->why, "backend '%s' takes no prompt when it "
		    "resumes a session", v->resume.backend->name);
	else if (prompt != NULL)
		newpane_prompt(prompt, v->issue, v->record.marker, &v->why);
	return v->why.len == 0;
}

/* In a new session, or in a window of one with other panes. */
static enum tmux_result
revival_open(struct revival *v, const char *socket)
{
	struct status *r = &v->record;
	char *name = r->session_name != NULL ? xstrdup(r->session_name) :
	    newpane_session(v->context, v->issue);
	const struct tmux_server *s = servers_at(&v->servers, socket);
	struct tmux_new new = { .socket = socket, .session = name,
	    .dead = v->dead[0] != '\0' ? v->dead : NULL,
	    .cwd = v->resume.launch.cwd };
	const struct tmux_pane *p;
	size_t i;

	for (i = 0; s != NULL && i < s->listing.npanes; i++) {
		p = &s->listing.panes[i];
		if (strcmp(p->session_name, name) == 0 &&
		    strcmp(p->id, v->dead) != 0) {
			new.session = p->session;
			new.window = true;
		}
	}
	return newpane_open(v->context, &new, r, &v->why);
}

/* Under the lock.  False: all is as before. */
static bool
revival_begin(struct revival *v)
{
	const struct statusdir *dir = &v->context->dir;
	const struct resume *x = &v->resume;
	struct status *r = &v->record;
	char *socket = r->place.socket != NULL ? xstrdup(r->place.socket) :
	    tmux_socket();
	struct status old;
	unsigned moved = 0;
	bool done;

	status_read(&old, dir->state_fd, v->issue);
	/* Only the reports, set aside below, may have named the session. */
	done = backend_launch(x->backend, &x->launch, x->session, x->transcript,
	    v->of->prompt, dir->state_fd, v->issue) == 0 &&
	    status_write(r, dir->state_fd) == 0;
	if (!done) {
		buf_printf(&v->why, "cannot write to '%s': %s", dir->path,
		    strerror(errno));
	} else {
		run_stop_writer(r, dir, NULL);
		/* The lost agent's end and reports. */
		moved = runfiles_move(dir, v->issue, RUNFILE_AGENT, ~0u, false);
		pane_ref_release(&r->place);
		r->verdict = (struct verdict){ .state = STATE_WORKING };
		verdict_set_source(&r->verdict, "process");
		verdict_why(&r->verdict, "the agent was revived");
		r->since = clock_wall();
		parked_take(r, STATE_WORKING, 0, false, r->since);
		r->changes++;
		r->adopted = false;
		r->agent.pid = 0;
		r->agent.start = 0;
		r->ended = false;
		r->exit_code = r->exit_signal = -1;
		r->notice = NOTICE_NONE;
		/* Text that the agent draws again is not a report. */
		r->transcript.said = true;
		r->transcript.past = r->since;
		r->ignored_capture.complete = UINT32_MAX;
		r->ignored_capture.error = UINT32_MAX;
		r->ignored_events = (struct marker_ignored){ 0 };
		r->events = 0;
		proc_boot(r->boot);
		done = status_write(r, dir->state_fd) == 0 &&
		    revival_open(v, socket) == TMUX_OK;
		if (!done && v->why.len == 0)
			buf_printf(&v->why, "cannot write its record: %s",
			    strerror(errno));
	}
	if (!done) {
		launch_remove(dir->state_fd, v->issue);
		runfiles_move(dir, v->issue, RUNFILE_AGENT, moved, true);
		status_write(&old, dir->state_fd);
	} else {
		status_write(r, dir->state_fd);
		journal_add(dir->state_fd, dir->path, JOURNAL_RUN, r,
		    "revived");
	}
	return done;
}

static void
revive_print_json(struct revival *v, const char *did)
{
	const struct status *s = &v->record;
	const struct row r = { .status = *s,
	    .project = v->context->project.root,
	    .directory = v->context->dir.path };
	struct json *o = row_done(v->unknown ? NULL : &r, v->issue, did);

	json_add_texts(o, "run", s->run, "backend", s->backend, "session",
	    s->session_name, "cwd", v->resume.launch.cwd, "reason",
	    v->why.len > 0 ? buf_str(&v->why) : NULL);
	json_puts(o);
	fflush(stdout);
}

static void
revive_print(const struct revive *x, struct revival *v, const char *does)
{
	const char *cwd = v->resume.launch.cwd;
	struct buf text = BUF_INIT, shown = BUF_INIT;

	if (x->json) {
		revive_print_json(v, does);
		return;
	}
	buf_printf(&text, "%s%s%s: %s", x->all ? v->context->project.root : "",
	    x->all ? " " : "", v->issue, does);
	if (v->why.len > 0)
		buf_printf(&text, ": %.*s", (int)v->why.len, v->why.data);
	else if (v->resume.session != NULL)
		buf_printf(&text, " %s with session %s in '%s'",
		    v->resume.backend->name, v->resume.session, cwd);
	else if (v->resume.transcript != NULL)
		buf_printf(&text, " %s with transcript '%s' in '%s'",
		    v->resume.backend->name, v->resume.transcript, cwd);
	else
		buf_printf(&text, " %s with its last session in '%s'",
		    v->resume.backend->name, cwd);
	msg_escape(&shown, text.data, text.len);
	puts(buf_str(&shown));
	fflush(stdout);
}

/* Shows the last lines of an agent that ends until then without a report, as a
 * client does that refuses the session. */
static void
revive_await(struct revive *x, struct revival *v, msec until)
{
	int state_fd = v->context->dir.state_fd, n = 0;
	struct spawn log = SPAWN_INIT;
	struct launched l;
	const char *line;

	for (;;) {
		revival_release(v);
		if (status_read(&v->record, state_fd, v->issue) == 1 &&
		    launched_read(&l, state_fd, v->issue, v->record.run) == 1 &&
		    l.ended && revival_open_ended(v) &&
		    revival_unreported(v, PANE_DEAD, NULL))
			break;
		if (clock_now() >= until ||
		    v->record.verdict.state != STATE_WORKING)
			return;
		loop_pause(REVIVE_PAUSE);
	}
	x->status = EXIT_COULD_NOT;
	loop_pause(EVIDENCE_SILENCE);   /* the log comes later */
	spawn_run(&log, &(struct spawn_how){ .limit = 10000,
	    .argv = WORDS(proc_program(), "log", v->issue, "--status-dir",
	    v->context->dir.path) });
	buf_chomp(&log.output);
	line = buf_str(&log.output) + log.output.len;
	while (line > log.output.data && (line[-1] != '\n' ||
	    ++n < REVIVE_LINES))
		line--;
	warnx("the agent of issue '%s' has ended already%s", v->issue,
	    *line != '\0' ? "; it printed last:" : "");
	if (*line != '\0')
		fprintf(stderr, "%s\n", line);
	spawn_release(&log);
}

static void
revive_project(struct revive *x, struct context *c)
{
	struct revival v = { .of = x, .context = c,
	    .named = x->issues[0] != NULL };
	char **issues = argv_add_all(NULL, (const char *const *)x->issues);
	struct lock lock = LOCK_INIT;
	size_t i, n;
	bool *wanted;
	msec until;
	int locked;

	if (!v.named && c->dir.state_fd != -1) {
		issues = status_issues(c->dir.state_fd);
		if (issues == NULL)
			fatal("cannot read the status directory '%s'",
			    c->dir.path);
		qsort(issues, argv_count(issues), sizeof(char *), issue_order);
	}
	n = argv_count(issues);
	wanted = xcalloc(n + 1, sizeof(*wanted));

	for (i = 0; i < n; i++) {
		v.issue = issues[i];
		wanted[i] = revival_plan(&v);
		if (wanted[i] && (x->dry_run || !x->json))
			revive_print(x, &v, x->dry_run ?
			    "would revive" : "revives");
		else if (!wanted[i] && (v.named || !v.over))
			revive_print(x, &v, "left alone");
		if (!wanted[i] && v.named && x->status != EXIT_COULD_NOT)
			x->status = v.unknown ? EXIT_NO : EXIT_COULD_NOT;
	}
	for (i = 0; i < n && !x->dry_run; i++) {
		v.issue = issues[i];
		if (!wanted[i])
			continue;
		buf_reset(&v.why);
		locked = lock_await(&lock, c->dir.state_fd, v.issue,
		    LOCK_ENDING);
		if (locked == -1)
			buf_printf(&v.why, "cannot lock it: %s",
			    strerror(errno));
		else if (locked == 0)
			buf_printf(&v.why, "process %ld acts on it",
			    (long)lock.holder);
		wanted[i] = locked == 1 && revival_plan(&v) &&
		    revival_begin(&v);
		lock_release(&lock);
		if (!wanted[i]) {
			revive_print(x, &v, "left alone");
			x->status = EXIT_COULD_NOT;
			continue;
		}
		if (x->json)
			revive_print_json(&v, "revived");
		else
			printf("%s: revived in session %s, pane %s (run %s)\n",
			    v.issue, v.record.session_name,
			    v.record.place.pane, v.record.run);
		fflush(stdout);
		if (!x->no_watch)
			newpane_watch(c, v.issue);
	}
	v.named = true;
	until = clock_now() + REVIVE_MOMENT;
	for (i = 0; i < n && !x->dry_run && !x->no_watch; i++) {
		v.issue = issues[i];
		if (wanted[i])
			revive_await(x, &v, until);
	}
	revival_release(&v);
}

static int
revive_run(const struct command *c, int argc, char **argv)
{
	struct revive x = { .prompt = NULL };
	struct buf why = BUF_INIT;
	struct context context;
	char **paths, **p;

	command_option(c, argc, argv, &x);
	x.issues = argv + optind;
	for (p = x.issues; *p != NULL; p++)
		command_issue(c, *p);
	if (x.all && (x.issues[0] != NULL || x.status_dir != NULL))
		command_usage(c, "--all takes no issue and no --status-dir");
	if (x.prompt != NULL && x.prompt[0] == '\0')
		command_usage(c, "--prompt is empty");
	if (x.prompt != NULL && !newpane_prompt(x.prompt, NULL, NULL, &why))
		command_usage(c, "%s", buf_str(&why));
	if (x.systemd || x.launchd) {
		schedule_print(x.launchd ? SCHEDULE_REVIVE_LAUNCHD :
		    SCHEDULE_REVIVE_SYSTEMD, NULL);
		return EXIT_DONE;
	}
	if (!x.all) {
		context_open(&context, x.status_dir, false);
		context_check(&context, false);
		revive_project(&x, &context);
		return x.status;
	}
	paths = registry_directories(true);
	if (paths == NULL && errno != 0)
		fatal("cannot read which projects there are");
	for (p = paths; p != NULL && *p != NULL; p++) {
		buf_reset(&why);
		if (context_at(&context, *p, &why) != EXIT_DONE) {
			warnx("'%s' is left out: %s", *p, buf_str(&why));
			x.status = EXIT_COULD_NOT;
			continue;
		}
		revive_project(&x, &context);
		context_close(&context);
	}
	return x.status;
}

const struct command revive_command = {
	.name = "revive",
	.summary = "Bring lost agents back, with the same conversation",
	.arguments = "[ISSUE...]",
	.examples =
	"  paneward revive --dry-run\n"
	"  paneward revive 42 --prompt \"The machine was restarted; go on.\"\n"
	"  paneward revive --all\n",
	.options = options,
	.run = revive_run,
};
