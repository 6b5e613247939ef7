/*
 * newrun.c - one run that start begins.
 */
#include "start/start.h"

#include "data/datafile.h"
#include "data/template.h"
#include "handoff/runner.h"
#include "run/queued.h"
#include "run/run.h"
#include "tmux/sockets.h"

struct newrun {
	struct newrun_how how;
	bool        own_session;        /* the agent's session is the run's */
	bool        stays;              /* until it is merged */
	struct context context;
	const struct statusdir *dir;    /* of the context */
	struct backend backend;
	struct newtree tree;            /* or none */
	struct launch  launch;
	struct status  old, new;        /* the record before (without a run:
					   none) and after */
	bool           interrupted;     /* an earlier start of this run wrote
					   the old record */
	char          *socket;          /* of the tmux server */
	char          *target;          /* the session: its name, or its id */
	char           dead[TMUX_ID];   /* the only pane of that session, which
					   is dead; or "" */
	struct lock    lock;
};

/* The agent's directory, or with tree set the work tree. */
static char *
newrun_directory(const char *path, bool tree)
{
	const char *what = tree ? "work tree" : "directory";
	char *real = xrealpath(path);
	struct stat st;

	if (real == NULL && errno == ENOENT && tree)
		fatalx("cannot use the work tree '%s': it is not there; make "
		    "it first: git worktree add '%s', or by --new-worktree",
		    path, path);
	if (real == NULL || stat(real, &st) == -1)
		fatal("cannot use the %s '%s'", what, path);
	if (!S_ISDIR(st.st_mode))
		fatalx("cannot use the %s '%s': it is not a directory", what,
		    path);
	return real;
}

/* Finds the program from the agent's own directory. */
static void
newrun_choose_program(struct newrun *r)
{
	struct launch *l = &r->launch;
	const char *word = l->argv[0], *why;
	bool path = strchr(word, '/') != NULL;
	bool relative = path && word[0] != '/';
	char *program = relative ? xasprintf("%s/%s", l->cwd, word) :
	    xstrdup(word);
	struct stat st;

	l->program = spawn_find(program);
	if (l->program == NULL) {
		if (!file_missing(errno))
			why = strerror(errno);
		else if (!path)
			why = "no such program in PATH";
		else if (stat(program, &st) == -1)
			why = errno != ENOENT ? strerror(errno) : relative ?
			    "no such program in the agent's directory" :
			    "no such program";
		else if (!S_ISREG(st.st_mode))
			why = "it is not a file";
		else
			why = "it is not executable; see chmod +x";
		newtree_undo(&r->tree);
		fatalx("cannot start '%s': %s", word, why);
	}
	l->base += backend_add_known(&r->backend, l->program, &l->argv);
}

/* Adds to the prompt how to report: by a marker, which needs neither a
 * permission nor a place outside a sandbox.  Not if the prompt says it already,
 * if the exit or a marker of its own counts, or to the command of a client. */
static void
newrun_add_report(struct newrun *r)
{
	const struct newrun_how *h = &r->how;
	const char *dir = r->dir->path, *known[] = { dir, "signal complete",
	    "signal-complete-", "TASK_COMPLETE", "three hash signs" };
	struct buf form = BUF_INIT, text = BUF_INIT, why = BUF_INIT;
	char *path;
	size_t i;

	if (h->prompt == NULL || h->prompt[0] == '\0' || h->prompt[0] == '/' ||
	    h->no_report || h->exit_is_report || h->marker != NULL)
		return;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(h->prompt, known[i]) != NULL)
			return;
	path = datafile_find("agents", "report.md");
	if (path == NULL || file_read(AT_FDCWD, path, 0, &form,
	    NEWPANE_PROMPT) == -1)
		fatal("cannot read 'agents/report.md' (see --no-report)");
	template_expand(&text, form.data, form.len,
	    (const struct template_value[]){
		{ "issue_number", h->issue, strlen(h->issue) },
		{ "signal_dir", dir, strlen(dir) } }, 2, NULL);
	r->how.prompt = xasprintf("%s\n\n%s", h->prompt, buf_str(&text));
	if (!newpane_prompt(h->prompt, h->issue, NULL, &why))
		fatal_wrong("cannot add '%s': %s", path, buf_str(&why));
}

static void
newrun_prepare_launch(struct newrun *r)
{
	const struct backend *b = &r->backend;
	struct buf error = BUF_INIT;
	const char *name = r->how.backend;
	struct launch *l = &r->launch;
	char **session;

	if (name == NULL)
		name = r->how.words[0] ? "shell" : r->context.config.backend;
	if (backend_read(&r->backend, name, &error) == -1)
		fatal_wrong("%s", buf_str(&error));
	if (b->command == NULL && r->how.words[0] == NULL)
		fatal_usage("start: backend '%s' needs a command: paneward "
		    "start %s -- COMMAND", name, r->how.issue);
	if (r->how.prompt != NULL && b->prompt[0] == NULL)
		fatal_usage("start: backend '%s' takes no prompt on its "
		    "command line; start it without, then: paneward send %s "
		    "--when-idle PROMPT", name, r->how.issue);
	newrun_add_report(r);
	if (r->how.run != NULL)
		memcpy(l->run, r->how.run, sizeof(l->run));
	else if (run_id_make(l->run) == -1)
		fatal("cannot make a run id");
	/* A new work tree is not there yet. */
	if (r->how.cwd == NULL && r->tree.path != NULL)
		l->cwd = xstrdup(r->tree.path);
	else if (r->how.cwd == NULL && r->how.worktree != NULL)
		l->cwd = newrun_directory(r->how.worktree, true);
	else
		l->cwd = newrun_directory(r->how.cwd ? r->how.cwd : ".", false);
	if (r->how.words[0] != NULL) {
		session = backend_session(b, r->how.words, l->run, l->cwd);
		l->argv = argv_add_all(NULL, (const char *const *)r->how.words);
		l->base = argv_count(l->argv);
		l->argv = argv_add_all(l->argv, (const char *const *)session);
		r->own_session = session != NULL;
	} else {
		l->argv = backend_arguments(argv_add(NULL, b->command), b,
		    l->run, l->cwd);
		r->own_session = b->session_is_run;
		l->base = 1;
	}
	l->argv = backend_fill(l->argv, b->prompt, "prompt", r->how.prompt);
	/* The program may be in a tree that is not made. */
	if (r->tree.path == NULL || l->argv[0][0] == '/' ||
	    strchr(l->argv[0], '/') == NULL)
		newrun_choose_program(r);
	l->status_dir = xstrdup(r->dir->path);
}

/* Reads the record.  Refuses a run that lives, or waits for its start. */
static void
newrun_refuse_live_run(struct newrun *r)
{
	const struct status *old = &r->old;
	const char *issue = r->how.issue, *root = r->context.project.root;
	struct queued_list l = { 0 };
	const struct queued *q;
	int found;

	status_release(&r->old);
	found = status_read(&r->old, r->dir->state_fd, issue);
	if (found == -1 && errno != EBADMSG)
		fatal("cannot read the status record of issue '%s'", issue);
	if (found == -1)
		warn("cannot read the status record of issue '%s'; rewriting "
		    "it", issue);
	r->interrupted = r->how.run != NULL &&
	    strcmp(old->run, r->how.run) == 0;
	if (r->how.run == NULL && queued_read(&l, r->dir->state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", r->dir->path);
	q = queued_find(&l, issue);
	if (q != NULL && !queued_started(q, old))
		fatalx("cannot start issue '%s': it is queued; 'paneward "
		    "forget %s' takes it out", issue, issue);
	if (old->run[0] == '\0' || r->interrupted)
		return;
	if (!state_ended(old->verdict.state) && old->place.pane_pid != 0 &&
	    !proc_boot_over(old->boot) &&
	    proc_alive(old->place.pane_pid, old->place.pane_start))
		fatalx("cannot start issue '%s': its run %.8s in '%s' is "
		    "alive in pane %s; end that one first", issue, old->run,
		    root, old->place.pane);
	if (handoff_open(&old->handoff))
		fatalx("cannot start issue '%s': its run %.8s in '%s' is "
		    "complete and not yet handed off; see 'paneward status "
		    "%s'", issue, old->run, root, issue);
}

struct newrun *
newrun_plan(const struct newrun_how *how)
{
	struct newrun *r = xcalloc(1, sizeof(*r));
	const struct config *config = &r->context.config;
	struct buf text = BUF_INIT, why = BUF_INIT;
	const char *tmux = getenv("TMUX"), *comma;
	char **setup;

	*r = (struct newrun){ .how = *how, .socket = tmux_socket(),
	    .lock = LOCK_INIT };
	status_init(&r->old, how->issue);
	status_init(&r->new, how->issue);
	if (how->prompt_file != NULL) {
		if (file_read(AT_FDCWD, how->prompt_file, 0, &text,
		    NEWPANE_PROMPT + 1) == -1)
			fatal("cannot read the prompt '%s'", how->prompt_file);
		if (strlen(buf_str(&text)) < text.len)
			fatal_usage("start: the prompt holds a NUL byte");
		r->how.prompt = buf_steal(&text);
	}
	if (r->how.prompt != NULL && !newpane_prompt(r->how.prompt, how->issue,
	    how->marker, &why))
		fatal_usage("start: %s", buf_str(&why));
	context_open(&r->context, how->status_dir, false);
	context_fit(&r->context);
	r->how.new_worktree |= config->worktree && how->worktree == NULL;
	/* A person looks at it, says more, and hands it off by "merge". */
	r->stays = r->how.new_worktree && r->how.prompt != NULL &&
	    !how->at_once && config->handoff == NULL && how->handoff == NULL;
	r->how.no_handoff |= r->stays;
	/* Checked now, not when the agent is done. */
	if ((!how->no_watch || how->handoff != NULL || r->how.no_handoff) &&
	    runner_choose(&r->context.config, how->handoff, r->how.no_handoff,
	    &why) == -1)
		fatal_wrong("start: %s", buf_str(&why));
	r->dir = &r->context.dir;
	context_check(&r->context, false);
	if (!r->how.new_worktree && how->base != NULL)
		command_usage(how->command, "--base is for --new-worktree");
	if (r->how.new_worktree) {
		setup = config->worktree_setup;
		if (setup != NULL && setup[0] != NULL &&
		    usercommand_check(setup, "worktree_setup: ", &why) == -1)
			fatal_wrong("start: %s", buf_str(&why));
		r->tree.how = &r->how;
		r->tree.context = &r->context;
		if (newtree_plan(&r->tree, &why) == -1)
			fatalx("cannot start issue '%s': %s", how->issue,
			    buf_str(&why));
		r->how.worktree = r->tree.path;
		r->launch.setup = argv_add_all(NULL,
		    (const char *const *)setup);
	}
	newrun_prepare_launch(r);
	if (how->window) {
		/* TMUX is "socket,pid,session". */
		comma = tmux != NULL ? strrchr(tmux, ',') : NULL;
		r->target = xasprintf("$%s", comma ? comma + 1 : "");
		if (!tmux_id_valid(r->target, '$'))
			fatalx("cannot open a window: this is not inside tmux "
			    "(no TMUX in the environment)");
	} else if (how->session == NULL) {
		r->target = newpane_session(&r->context, how->issue);
	} else {
		r->target = xstrdup(how->session);
		if (!newpane_session_valid(how->session))
			command_usage(how->command, "--session '%s' is not a "
			    "session name: letters, digits, '_' and '-', the "
			    "first not '-'", how->session);
	}
	newrun_refuse_live_run(r);
	if (!how->queued && r->tree.path == NULL)
		shared_ask(&r->context, &(struct shared){
		    .issue = how->issue, .folder = r->launch.cwd }, 1);
	return r;
}

void
newrun_check(const struct newrun_how *how, char **backend, char **folder)
{
	struct newrun *r = newrun_plan(how);

	*backend = xstrdup(r->backend.name);
	*folder = r->tree.path == NULL ? xstrdup(r->launch.cwd) : NULL;
	context_close(&r->context);
}

static void
newrun_prepare_record(struct newrun *r)
{
	struct status *n = &r->new;
	const char *root = r->context.project.root;
	struct spawn git = SPAWN_INIT;
	struct buf why = BUF_INIT;

	status_init(n, r->how.issue);
	memcpy(n->run, r->launch.run, sizeof(n->run));
	n->verdict.state = STATE_WORKING;
	verdict_set_source(&n->verdict, "process");
	verdict_why(&n->verdict, "the agent was started");
	n->started = n->since = clock_wall();
	n->exit_is_report = r->how.exit_is_report;
	if (r->context.config.handoff_option)
		n->handoff_command = argv_add_all(xcalloc(1, sizeof(char *)),
		    (const char *const *)r->context.config.handoff);
	n->backend = xstrdup(r->backend.name);
	/* An older session shows its old reports again. */
	n->transcript.said = backend_resumes(&r->backend, r->how.words);
	if (r->how.marker != NULL)
		n->marker = xstrdup(r->how.marker);
	if (r->own_session)
		n->agent.session = xstrdup(n->run);
	n->worktree = r->how.worktree != NULL ?
	    newrun_directory(r->how.worktree, true) :
	    project_worktree_at(&r->context.project, r->launch.cwd, true, &why);
	if (n->worktree != NULL)
		n->branch = project_branch(n->worktree, &why);
	if (why.len > 0)
		fatalx("%s", buf_str(&why));
	if (r->tree.commit != NULL) {
		n->base = xstrdup(r->tree.commit);
	} else if (r->context.project.git_dir != NULL && spawn_run(&git,
	    &(struct spawn_how){ .cwd = n->worktree ? n->worktree : root,
	    .limit = 10000, .argv = WORDS("git", "rev-parse", "-q", "--verify",
	    "HEAD^{commit}") }) == 0) {
		buf_chomp(&git.output);
		n->base = xstrdup(buf_str(&git.output));
	}
	proc_boot(n->boot);
}

/* A session of that name is in the way, unless it has only a dead pane of the
 * issue's last run, which was judged.  False with the reason in *why. */
static bool
newrun_find_room(struct newrun *r, struct buf *why)
{
	const char *session = r->how.window ? NULL : r->target;
	const struct status *last = &r->old;
	const struct tmux_pane *pane = NULL;
	struct tmux_listing l;
	enum tmux_result result = tmux_list(r->socket, &l, why);
	bool room = result == TMUX_OK || result == TMUX_NO_SERVER;
	size_t i, n = 0;

	for (i = 0; session != NULL && i < l.npanes; i++)
		if (strcmp(l.panes[i].session_name, session) == 0) {
			pane = &l.panes[i];
			n++;
		}
	if (n == 1 && pane->dead && strcmp(pane->issue, last->issue) == 0 &&
	    last->run[0] != '\0' && strcmp(pane->run, last->run) == 0 &&
	    status_over(last)) {
		memcpy(r->dead, pane->id, TMUX_ID);
	} else if (n > 0) {
		room = false;
		buf_printf(why, "a session '%s' is there already; end it with "
		    "'tmux kill-session -t =%s'", session, session);
		if (last->handoff.state == HANDOFF_REFUSED ||
		    last->handoff.state == HANDOFF_FAILED)
			buf_printf(why, " or 'paneward handoff %s'",
			    last->issue);
		buf_adds(why, ", or choose another name with --session");
	}
	if (room)
		buf_reset(why);
	return room;
}

/* A killed start, or one without an answer of tmux, may have opened it. */
static bool
newrun_find_pane(const struct newrun *r, struct status *record)
{
	struct servers all = SERVERS_INIT;
	struct server_pane p = { .server = NULL };
	bool found = false;

	servers_add(&all, r->socket);
	servers_ask(&all, false);
	while (!found && servers_next(&all, &p)) {
		if (strcmp(p.pane->run, r->launch.run) != 0)
			continue;
		found = run_find_place(record, &p);
		free(record->session_name);
		record->session_name = xstrdup(p.pane->session_name);
	}
	servers_release(&all);
	return found;
}

/* Sets the earlier run's files aside and opens the pane, or puts everything
 * back and ends the program. */
static void
newrun_open(struct newrun *r)
{
	const char *issue = r->how.issue;
	struct buf why = BUF_INIT, taken = BUF_INIT;
	int state_fd = r->dir->state_fd;
	enum tmux_result result;
	unsigned moved;

	if (launch_write(&r->launch, state_fd, issue, LAUNCH_ORDER) == -1) {
		warn("cannot start issue '%s': cannot write to '%s'", issue,
		    r->dir->path);
		newtree_undo(&r->tree);
		exit(EXIT_COULD_NOT);
	}
	if (r->old.run[0] != '\0')
		run_stop_writer(&r->old, r->dir, NULL);
	moved = runfiles_move(r->dir, issue, RUNFILE_RUN, ~0u, false);
	if (status_write(&r->new, state_fd) == -1) {
		buf_printf(&why, "cannot write its status record: %s",
		    strerror(errno));
		goto undo;
	}
	result = newpane_open(&r->context, &(struct tmux_new){
	    .socket = r->socket, .session = r->target,
	    .window = r->how.window, .cwd = r->launch.cwd,
	    .dead = r->dead[0] != '\0' ? r->dead : NULL }, &r->new, &why);
	if (result == TMUX_OK || newrun_find_pane(r, &r->new))
		return;
	if (result == TMUX_FAILED && !newrun_find_room(r, &taken))
		why = taken;
undo:
	launch_remove(state_fd, issue);
	newtree_undo(&r->tree);
	runfiles_move(r->dir, issue, RUNFILE_RUN, moved, true);
	if (r->old.run[0] == '\0')
		unlinkat(state_fd, ISSUE_NAME(issue, "json"), 0);
	else if (status_write(&r->old, state_fd) == -1)
		warn("cannot restore the status record of issue '%s'", issue);
	fatalx("cannot start issue '%s': %s", issue, buf_str(&why));
}

void
newrun_begin(struct newrun *r)
{
	const char *issue = r->how.issue;
	const struct status *n = &r->new;
	struct buf why = BUF_INIT, path = BUF_INIT;
	struct launched l;
	int locked;

	context_make(&r->context);
	context_check(&r->context, false);
	locked = lock_await(&r->lock, r->dir->state_fd, issue, LOCK_ENDING);
	if (locked == -1)
		fatal("cannot lock issue '%s' in '%s'", issue, r->dir->path);
	if (locked == 0)
		fatalx("cannot start issue '%s': process %ld acts on it; see "
		    "'paneward status %s'", issue, (long)r->lock.holder, issue);
	newrun_refuse_live_run(r);
	/* The agent may run, or have run. */
	if (r->interrupted && (r->old.place.socket != NULL ||
	    newrun_find_pane(r, &r->old) ||
	    launched_read(&l, r->dir->state_fd, issue, r->how.run) == 1)) {
		r->new = r->old;
		status_init(&r->old, issue);
	} else {
		/* The last run's pane may write its log, or stand in its work
		 * tree.  For a first run tmux refuses a taken name. */
		if (!r->interrupted && ((r->old.run[0] != '\0' &&
		    !newrun_find_room(r, &why)) || (r->tree.path != NULL &&
		    newtree_make(&r->tree, &why) == -1)))
			fatalx("cannot start issue '%s': %s", issue,
			    buf_str(&why));
		if (r->launch.program == NULL)
			newrun_choose_program(r);
		newrun_prepare_record(r);
		newrun_open(r);
	}
	if (status_write(n, r->dir->state_fd) == -1)
		warn("cannot write the status record of issue '%s'; the next "
		    "watch finds the pane by its option", issue);
	if (journal_add(r->dir->state_fd, r->dir->path, JOURNAL_RUN, n,
	    "started") == -1)
		warn("cannot write to the journal in '%s'", r->dir->path);
	context_check(&r->context, true);
	lock_release(&r->lock);
	if (!r->how.no_watch)
		newpane_watch(&r->context, issue);
	if (r->how.run == NULL)
		queued_go(r->dir);
	if (r->tree.made) {
		msg_escape(&path, r->tree.path, strlen(r->tree.path));
		printf("%s: made work tree %s, branch %s\n", issue,
		    buf_str(&path), r->tree.branch);
		if (r->stays)
			printf("%1$s: it stays until 'paneward merge %1$s'\n",
			    issue);
	}
	printf("%1$s: started in session %2$s, pane %3$s (run %4$s)\n"
	    "%1$s: 'paneward attach %1$s' shows it\n", issue,
	    n->session_name, n->place.pane, n->run);
}
