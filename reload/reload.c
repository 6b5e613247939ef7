/*
 * reload.c - an agent restarts itself in its pane.
 *
 * All checks are made before the agent is stopped.  One detached process does
 * the rest (restarter.c), once the agent's turn has ended.
 *
 * The session is that of the option, of the agent's environment, of the run's
 * events, or the one that the hook has recorded, if only that is open.  Else
 * the last one of the directory is resumed, if no other such agent works there.
 *
 * Memory is left to the end of the program.
 */
#include <libgen.h>

#include "agent/backend.h"
#include "data/shell.h"
#include "paneward.h"
#include "reload/memo.h"
#include "run/launch.h"
#include "run/self.h"
#include "run/sigfile.h"
#include "tmux/sockets.h"

enum {
	REASON_MOST = 200,              /* code points */
	TYPED_MOST = 8000,              /* bytes */
	LOG_MOST = 256 << 10
};

/* ---- what is restarted --------------------------------------------------- */

struct target {
	const char *session, *memo, *pane, *status_dir;         /* options */
	struct context context;
	char   key[RELOAD_KEY];
	bool   issue;                   /* the key is one, with a run */
	struct status  record;          /* of it */
	struct reload  r;
	bool   here;                    /* the agent has called us */
	char  *path;                    /* without links */
	char   command[64];             /* in front */
	unsigned alike;                 /* panes of the project with that
					   command */
	struct proc agent;
	struct launch  launch;          /* argv NULL: not known */
	struct backend backend;
};

static const struct command_option options[] = {
	{ 's', "session-id", "ID", "the session to resume",
	    TEXT_AT(struct target, session) },
	{ 'f', "memo", "FILE", "what the agent has left for itself",
	    TEXT_AT(struct target, memo) },
	{ 0, "handoff", "FILE", "the old name of --memo",
	    TEXT_AT(struct target, memo) },
	{ 'p', "pane", "%N", "the agent's pane, if not this one",
	    TEXT_AT(struct target, pane) },
	CONTEXT_OPTION_AT(struct target, status_dir),
	{ 0 }
};

/* These end the program; the agent is left alone.  deny(): nothing failed. */
#define target_refuse(...) fatalx("cannot restart the agent: " __VA_ARGS__)
#define deny(...) fatal_no("cannot restart the agent: " __VA_ARGS__)

/* ---- the pane ------------------------------------------------------------ */

static bool
we_descend_from(pid_t from)
{
	struct proc p = { .parent = getppid() };

	while (p.parent > 1 && p.parent != from)
		if (proc_read(&p, p.parent) == -1)
			return false;
	return p.parent == from;
}

/*
 * The pane of the option, of the run that the environment names, if we descend
 * from it, or of the environment.  Tools may run in a tmux of their own, so
 * TMUX_PANE may be another pane.
 */
static void
target_find_place(struct target *t)
{
	struct pane_ref *place = &t->r.place;
	const char *pane = t->pane;
	struct buf why = BUF_INIT;
	struct self self;
	const struct pane_ref *p = &self.record.place;

	if (pane != NULL && !tmux_id_valid(pane, '%'))
		fatal_usage("reload: '%s' is not the id of a pane, as '%%3'",
		    pane);
	if (pane == NULL && self_find(&self, SELF_ENVIRONMENT, ".", &why) == 1
	    && p->socket != NULL && we_descend_from(p->pane_pid)) {
		place->socket = xstrdup(p->socket);
		memcpy(place->pane, p->pane, sizeof(place->pane));
		return;
	}
	if (pane == NULL && getenv("TMUX") != NULL)
		pane = getenv("TMUX_PANE");
	if (pane == NULL || !tmux_id_valid(pane, '%'))
		target_refuse("this is not inside tmux (no TMUX_PANE in the "
		    "environment); name its pane with --pane");
	place->socket = tmux_socket();
	snprintf(place->pane, sizeof(place->pane), "%s", pane);
}

static void
target_find_pane(struct target *t)
{
	struct pane_ref *place = &t->r.place;
	struct status *r = &t->record;
	struct buf why = BUF_INIT;
	struct tmux_listing l;
	const struct tmux_pane *pane, *p;
	char name[sizeof(t->command)];
	struct proc first;
	int got = 0;

	if (tmux_list(place->socket, &l, &why) != TMUX_OK)
		target_refuse("%s", buf_str(&why));
	pane = listing_pane(&l, place->pane);
	if (pane == NULL)
		deny("there is no pane %s on the tmux server at '%s'",
		    place->pane, place->socket);
	if (pane->dead || proc_read(&first, pane->pid) == -1)
		deny("pane %s: its process has ended", place->pane);
	place->server = l.server;
	place->server_start = l.server_start;
	place->pane_pid = first.pid;
	place->pane_start = first.start;
	/* Not as tmux names it: a script by its interpreter. */
	proc_program_name(first.foreground, t->command, sizeof(t->command));
	context_open(&t->context, t->status_dir != NULL ? t->status_dir :
	    issue_valid(pane->issue) && pane->dir[0] == '/' ? pane->dir : NULL,
	    false);
	t->path = xrealpath(pane->path);
	if (t->path == NULL)
		t->path = xstrdup(t->context.project.root);
	/* The pane may name an issue whose run is elsewhere. */
	status_init(r, "");
	reload_pane_key(t->key, place->server, place->pane);
	if (issue_valid(pane->issue))
		got = status_read(r, t->context.dir.state_fd, pane->issue);
	if (got == -1 && !file_refused(errno))
		fatal("cannot read the status record of issue '%s'",
		    pane->issue);
	t->issue = got == 1 && r->place.socket != NULL &&
	    r->place.server == place->server &&
	    r->place.server_start == place->server_start &&
	    strcmp(r->place.pane, place->pane) == 0;
	if (t->issue)
		snprintf(t->key, sizeof(t->key), "%s", pane->issue);
	else
		status_release(r);
	for (p = l.panes; p < l.panes + l.npanes; p++) {
		if (p == pane || p->dead || !project_contains(
		    t->context.project.root, p->path) ||
		    proc_read(&first, p->pid) == -1)
			continue;
		proc_program_name(first.foreground, name, sizeof(name));
		t->alike += strcmp(name, t->command) == 0;
	}
}

/* The agent is that of `paneward start`, or leads the front. */
static void
target_agent(struct target *t)
{
	const struct pane_ref *place = &t->r.place;
	int state_fd = t->context.dir.state_fd;
	struct reload *r = &t->r;
	struct proc first, shell;
	struct launched l;

	if (proc_read(&first, place->pane_pid) == -1 || first.foreground <= 0)
		target_refuse("nothing runs in front of pane %s", place->pane);
	if (t->issue && !t->record.adopted && launched_read(&l, state_fd,
	    t->key, t->record.run) == 1 && !l.ended &&
	    l.pid == first.foreground && proc_alive(l.pid, l.start) &&
	    proc_read(&t->agent, l.pid) == 0 &&
	    t->agent.parent == place->pane_pid) {
		r->shape = RELOAD_STARTED;
		launch_noted(&t->launch, state_fd, t->key, t->record.run);
		return;
	}
	if (shell_known(t->command) || first.foreground == getpid())
		deny("no agent is in front of pane %s, but '%s'",
		    place->pane, t->command);
	if (proc_read(&t->agent, first.foreground) == -1 || t->agent.zombie)
		target_refuse("the leader of what runs in front of pane %s has "
		    "ended", place->pane);
	if (first.foreground == place->pane_pid) {
		r->shape = RELOAD_OWN;
		return;
	}
	if (proc_read(&shell, t->agent.parent) == -1)
		target_refuse("the shell that started '%s' is gone",
		    t->command);
	proc_program_name(shell.pid, r->shell_name, sizeof(r->shell_name));
	if (!shell_known(r->shell_name))
		target_refuse("'%s' was started by '%s', which is no known "
		    "shell, so nothing can be typed at its prompt",
		    t->command, r->shell_name);
	r->shape = RELOAD_IN_SHELL;
	r->shell = shell.pid;
	r->shell_start = shell.start;
}

static void
find_session(struct target *t)
{
	const char *root = t->here ? getenv("CLAUDE_PROJECT_DIR") : NULL;
	char *real = root != NULL && root[0] == '/' ? xrealpath(root) : NULL;
	const char *variable = t->backend.session_variable, *id = t->session;
	struct reload *r = &t->r;
	struct buf why = BUF_INIT;
	unsigned open = 0;
	char *copy, *tree;

	r->file = xstrdup(MEMO_FILE);
	if (t->memo != NULL) {
		copy = xstrdup(t->memo);
		r->file = xstrdup(basename(copy));
		r->folder = xrealpath(dirname(copy));
		if (r->folder == NULL)
			fatal("cannot use the memo '%s'", t->memo);
	} else if (real != NULL) {
		r->folder = xasprintf("%s/%s", real, MEMO_FOLDER);
	} else {
		tree = project_worktree_at(&t->context.project, t->path,
		    false, &why);
		if (why.len > 0)
			fatalx("%s", buf_str(&why));
		r->folder = memo_folder(t->path, tree ? tree :
		    t->context.project.root);
	}
	if (t->backend.resume[0] != NULL) {
		if (id == NULL && variable != NULL && t->here)
			id = getenv(variable);
		if (id == NULL && t->issue)
			id = t->record.agent.session;
		if (id == NULL)
			id = memo_session(r->folder, &open);
	} else if (id != NULL) {
		target_refuse("backend '%s' does not say how a session is "
		    "resumed by its id", t->backend.name);
	}
	if (id != NULL && (strlen(id) >= EVENT_SESSION_MAX ||
	    !backend_session_valid(id)))
		fatal_usage("reload: '%s' is not the id of a session", id);
	if (id == NULL && (t->alike > 0 || open > 1))
		deny("cannot tell its session, since another agent runs in "
		    "'%s'; name it with --session-id", t->context.project.root);
	if (id == NULL && t->backend.latest[0] == NULL)
		target_refuse("its session is not known; name it with "
		    "--session-id");
	r->session = id != NULL ? xstrdup(id) : NULL;
}

/* A missing or stale memo is not delivered; a named one is refused. */
static void
read_memo_file(struct target *t)
{
	const char *named = t->memo;
	struct reload *r = &t->r;
	struct buf text = BUF_INIT;
	struct memo m;
	int found = memo_read(&m, r->folder, r->file, &text);

	if (found == -1)
		target_refuse("%s", buf_str(&text));
	if (found == 0 && named != NULL)
		target_refuse("cannot use the memo '%s': it is not there",
		    named);
	if (found == 1 && memo_stale(&m, t->agent.began, r->since)) {
		if (named != NULL)
			deny("the memo '%s' is stale: it is older than the "
			    "agent, or than ten minutes", named);
		warnx("the memo '%s/%s' is stale, and not delivered: it is "
		    "older than the agent, or than ten minutes",
		    r->folder, r->file);
		m.text.len = 0;
		found = 0;
	}
	if (found == 0)
		r->file = NULL;
	memo_prompt(&text, r->reason, &m);
	if (t->backend.resume_prompt[0] == NULL && text.len > TYPED_MOST)
		target_refuse("its memo is longer than %d bytes, and backend "
		    "'%s' must have it typed", TYPED_MOST, t->backend.name);
	if (t->issue && memo_marked(&text, t->key, t->record.marker))
		target_refuse("its memo holds a finished marker of issue '%s', "
		    "which would count as soon as the pane shows it; describe "
		    "the marker in pieces", t->key);
}

/*
 * Also records the agent's command without session and prompt.  Start has done
 * that; of other agents the known options are kept.
 */
static int
lock_restart(struct target *t)
{
	int held, state_fd = t->context.dir.state_fd;
	const char *pane = t->r.place.pane;
	struct lock lock = LOCK_INIT;
	struct reload *r = &t->r, old;
	struct launch l = { .program = r->program,
	    .status_dir = t->context.dir.path };

	held = lock_take(&lock, state_fd, ISSUE_NAME(t->key, "reload"));
	if (held == 0)
		deny("a restart of the one in pane %s is under way already",
		    pane);
	if (held == -1)
		fatal("cannot lock the restarts of pane %s in '%s'", pane,
		    t->context.dir.path);
	if (reload_read(&old, state_fd, t->key) == -1 && errno != EBADMSG)
		fatal("cannot read the record of earlier restarts of pane "
		    "%s", pane);
	memcpy(r->past, old.past, sizeof(r->past));
	r->npast = old.npast;
	if (!reload_allowed(r, r->since, &r->not_before))
		deny("it was restarted %d times within an hour; not before %s",
		    RELOAD_PAST, CLOCK_WORDS(r->not_before));
	r->agent = t->agent.pid;
	r->agent_start = t->agent.start;
	r->backend = xstrdup(t->backend.name);
	r->cwd = xstrdup(t->launch.argv != NULL ? t->launch.cwd : t->path);
	r->own_turn = t->here;
	r->log_cap = t->context.config.log_cap;
	proc_identify(&r->process, getpid());
	if (t->issue)
		memcpy(r->run, t->record.run, sizeof(r->run));
	else if (run_id_make(r->run) == -1)
		fatal("cannot make an id");
	if (t->launch.argv != NULL)
		return lock.fd;
	l.cwd = r->cwd;
	memcpy(l.run, r->run, sizeof(l.run));
	l.argv = backend_keep(&t->backend, proc_words(t->agent.pid));
	l.base = argv_count(l.argv);
	if (launch_write(&l, state_fd, t->key, LAUNCH_COMMAND) == -1)
		fatal("cannot write to '%s'; the agent is left alone",
		    t->context.dir.path);
	return lock.fd;
}

/* ---- the command --------------------------------------------------------- */

/* The process gets our lock; its standard error is the log. */
static void
start_restarter(const struct target *t, const char *self, int lock)
{
	const struct statusdir *dir = &t->context.dir;
	const struct reload *r = &t->r;
	int err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int log = openat(dir->state_fd, ISSUE_NAME(t->key, "reload.log"),
	    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;
	pid_t pid;

	if (log == -1)
		fatal("cannot open the log of the restart");
	if (fstat(log, &st) == 0 && st.st_size > LOG_MOST &&
	    ftruncate(log, 0) == -1)
		warn("cannot empty the log of the restarts");
	if (reload_write(r, dir->state_fd, t->key) == -1)
		fatal("cannot write to '%s'; the agent is left alone",
		    dir->path);
	printf("the agent in pane %s (%s, %s%s) is restarted as soon as its "
	    "turn ends\n", r->place.pane, r->backend, r->session ? "session " :
	    "its last session", r->session ? r->session : "");
	if (r->file != NULL)
		printf("it gets the memo %s/%s\n", r->folder, r->file);
	if (r->not_before > r->since)
		printf("it was restarted before; this one waits %lld s\n",
		    (long long)((r->not_before - r->since + 999) / 1000));
	if (r->own_turn)
		printf("end your turn now, and do nothing else\n");
	if (fflush(stdout) == EOF)
		fatal("cannot write to standard output; the agent is left "
		    "alone");
	dup2(log, STDERR_FILENO);
	pid = spawn_detached(&(struct spawn_how){ .argv = WORDS(self,
	    "reload-run", xasprintf("%d", lock), t->key, dir->path),
	    .cwd = "/", .child = true, .keep = &lock, .kept = 1 }, -1,
	    STDERR_FILENO);
	dup2(err, STDERR_FILENO);
	if (pid == -1)
		fatal("cannot begin the restart; the agent is left alone");
}

static int
reload_run(const struct command *command, int argc, char **argv)
{
	struct buf reason = BUF_INIT, why = BUF_INIT, line = BUF_INIT;
	struct target t = { .r.phase = RELOAD_WAITING };
	const struct backend *b = &t.backend;
	const struct launch *l = &t.launch;
	const char *self = proc_program(), *word, *kind;

	command_option(command, argc, argv, &t);
	word = argv[optind];
	if (word != NULL)
		sigfile_text(&reason, word, strlen(word), REASON_MOST);
	if (reason.len > 0)
		t.r.reason = buf_steal(&reason);
	t.r.since = clock_wall();
	target_find_place(&t);
	target_find_pane(&t);
	target_agent(&t);
	t.here = we_descend_from(t.agent.pid);
	/* The program of a user's command names the backend. */
	kind = t.issue ? t.record.backend : NULL;
	if (kind != NULL && strcmp(kind, "shell") == 0)
		kind = NULL;
	kind = backend_choose(kind, t.command, NULL);
	if (kind == NULL)
		target_refuse("which kind of agent is '%s'? There is no "
		    "backends/%s.json", t.command, t.command);
	if (backend_read(&t.backend, kind, &why) == -1)
		fatal_wrong("%s", buf_str(&why));
	if (b->command == NULL || (b->resume[0] == NULL &&
	    b->latest[0] == NULL))
		target_refuse("backend '%s' does not say how a session is "
		    "resumed", kind);
	find_session(&t);
	/* The agent's tools have the agent's PATH. */
	t.r.program = l->argv != NULL ? xstrdup(l->program) :
	    spawn_find(b->command);
	if (t.r.program == NULL)
		target_refuse("'%s' is not in PATH", b->command);
	if (l->argv != NULL && access(l->program, X_OK) == -1)
		target_refuse("cannot run '%s': %s", l->program,
		    strerror(errno));
	if (l->argv != NULL && shell_known(strrchr(l->program, '/') + 1))
		target_refuse("it was started by the shell '%s', which cannot "
		    "pass on the words that resume it", l->program);
	read_memo_file(&t);
	context_make(&t.context);
	context_check(&t.context, false);
	if (tmux_input(&t.r.place, &why) != TMUX_OK)
		target_refuse("%s", buf_str(&why));
	if (t.r.shape == RELOAD_IN_SHELL && !shell_line(&line, t.r.shell_name,
	    WORDS(self, "reload-agent", t.key, t.context.dir.path)))
		target_refuse("the shell '%s' cannot be given the paths '%s' "
		    "and '%s' on a line", t.r.shell_name, self,
		    t.context.dir.path);
	start_restarter(&t, self, lock_restart(&t));
	return EXIT_DONE;
}

const struct command reload_command = {
	.name = "reload",
	.summary = "Restart the agent in this pane, with the same conversation",
	.arguments = "[REASON]",
	.examples =
	"  paneward reload \"the hooks have changed\"\n"
	"  paneward reload --memo next.md\n"
	"  paneward reload --pane %3\n",
	.options = options,
	.run = reload_run,
};
