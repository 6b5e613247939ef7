/*
 * start.c - opens a pane for an issue and starts its agent in it.
 *
 * The order lets the next watch continue after a crash: the record with the
 * run's id is written before the pane is opened, and the pane has the id as an
 * option, so that the two find each other.  If tmux refuses, everything is put
 * back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "handoff/runner.h"
#include "os/file.h"
#include "os/usercommand.h"
#include "run/handoffstate.h"
#include "run/journal.h"
#include "run/launch.h"
#include "run/panelog.h"
#include "run/run.h"
#include "watcher/commands.h"
#include "watcher/newpane.h"
#include "watcher/newtree.h"

enum {
	OPTION_BACKEND = 'b', OPTION_SESSION = 's', OPTION_CWD = 'c',
	OPTION_PROMPT = 'p', OPTION_WORKTREE = 'w', OPTION_MARKER = 'm',
	OPTION_WINDOW = OPTION_LONG, OPTION_PROMPT_FILE, OPTION_NEW_WORKTREE,
	OPTION_BASE, OPTION_NO_WATCH,
	OPTION_HANDOFF, OPTION_NO_HANDOFF, OPTION_EXIT_IS_REPORT,
	PROMPT_MAX = 100 << 10          /* bytes; the system takes 128 KiB */
};

static const struct command_option options[] = {
	{ OPTION_BACKEND, "backend", "NAME", "the kind of agent" },
	{ OPTION_SESSION, "session", "NAME", "the name of the new session" },
	{ OPTION_WINDOW, "window", NULL, "open a window in this tmux session "
	    "instead" },
	{ OPTION_CWD, "cwd", "DIR", "the agent's directory" },
	{ OPTION_PROMPT, "prompt", "TEXT", "what the agent is to do" },
	{ OPTION_PROMPT_FILE, "prompt-file", "FILE", "the same, from a file" },
	{ OPTION_WORKTREE, "worktree", "DIR", "the work tree of the issue" },
	{ OPTION_NEW_WORKTREE, "new-worktree", "[=BRANCH]", "make a work tree "
	    "for the issue" },
	{ OPTION_BASE, "base", "COMMIT", "what the new work tree begins with" },
	{ OPTION_MARKER, "marker", "TEXT", "a completion marker of your own" },
	{ OPTION_EXIT_IS_REPORT, "exit-is-report", NULL, "exit status 0 of the "
	    "agent is complete, any other an error" },
	{ OPTION_NO_WATCH, "no-watch", NULL, "start no watcher" },
	{ OPTION_HANDOFF, "handoff", "COMMAND", "run this when work is "
	    "complete" },
	{ OPTION_NO_HANDOFF, "no-handoff", NULL, "run nothing when work is "
	    "complete" },
	CONTEXT_OPTION,
	{ 0 }
};

struct start {
	const struct command *command;
	const char *self;               /* the path of this program */
	const char *issue;
	const char *backend_name, *session, *cwd_option, *prompt_file;
	const char *worktree_option, *marker, *status_dir, *handoff, *prompt;
	const char *branch, *base;      /* of the new work tree; NULL */
	bool        window, watch, no_handoff, exit_is_report, new_worktree;
	bool        own_session;        /* the agent's session is the run's */
	char      **words;              /* COMMAND, or none */
	struct context context;
	const struct statusdir *dir;    /* of the context */
	struct backend backend;
	struct newtree tree;            /* or none */
	struct launch  launch;
	struct status  old, new;        /* the record before and after */
	bool           had_old;
	unsigned       moved;           /* 1 << place in leftovers[] */
	char          *target;          /* the session: its name, or its id */
	char           dead[TMUX_ID];   /* a dead pane, all that such a session
					   has left; or "" */
	struct lock    lock;
};

/* Files of an earlier run, which must not count for this one. */
static const struct {
	const char *before, *behind;    /* of the issue, in the name */
	bool        state;              /* lies in .paneward */
} leftovers[] = {
	{ "output-", ".log",     false },
	{ "output-", ".log.1",   false },
	{ "",        ".records", true },
	{ "",        ".agent",   true },
	{ "",        ".command", true },
	{ "",        ".pipe",    true },
};

/* Moves them out of the way, or back. */
static void
start_set_aside(struct start *s, bool back)
{
	char name[ISSUE_MAX + 32], old[ISSUE_MAX + 40];
	size_t i;
	int dir;

	for (i = 0; i < sizeof(leftovers) / sizeof(leftovers[0]); i++) {
		dir = leftovers[i].state ? s->dir->state_fd : s->dir->fd;
		snprintf(name, sizeof(name), "%s%s%s", leftovers[i].before,
		    s->issue, leftovers[i].behind);
		snprintf(old, sizeof(old), "%s.old", name);
		if (back && s->moved & 1u << i)
			renameat(dir, old, dir, name);
		else if (!back && renameat(dir, name, dir, old) == 0)
			s->moved |= 1u << i;
	}
}

/* Refuses options that exclude each other. */
static void
start_check(const struct start *s)
{
	const struct command *c = s->command;
	struct marker_set set;

	if (s->session != NULL && s->window)
		command_usage(c, "--session and --window exclude each other");
	if (s->handoff != NULL && s->no_handoff)
		command_usage(c, "--handoff and --no-handoff exclude each "
		    "other");
	if (s->marker != NULL &&
	    marker_set_init(&set, s->issue, NULL, s->marker) == -1)
		command_usage(c, "--marker '%s' cannot be a marker", s->marker);
	if (s->prompt != NULL && s->prompt_file != NULL)
		command_usage(c, "--prompt and --prompt-file exclude each "
		    "other");
	if (s->new_worktree && s->worktree_option != NULL)
		command_usage(c, "--worktree and --new-worktree exclude each "
		    "other");
}

static void
start_parse(struct start *s, int argc, char **argv)
{
	const struct command *c = s->command;
	int key;

	s->watch = true;
	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_BACKEND: s->backend_name = optarg; break;
		case OPTION_SESSION: s->session = optarg; break;
		case OPTION_WINDOW: s->window = true; break;
		case OPTION_CWD: s->cwd_option = optarg; break;
		case OPTION_PROMPT: s->prompt = optarg; break;
		case OPTION_PROMPT_FILE: s->prompt_file = optarg; break;
		case OPTION_WORKTREE: s->worktree_option = optarg; break;
		case OPTION_NEW_WORKTREE:
			s->new_worktree = true;
			s->branch = optarg;
			break;
		case OPTION_BASE: s->base = optarg; break;
		case OPTION_MARKER: s->marker = optarg; break;
		case OPTION_EXIT_IS_REPORT: s->exit_is_report = true; break;
		case OPTION_NO_WATCH: s->watch = false; break;
		case OPTION_HANDOFF: s->handoff = optarg; break;
		case OPTION_NO_HANDOFF: s->no_handoff = true; break;
		case CONTEXT_KEY: s->status_dir = optarg; break;
		}
	}
	if (optind == argc)
		command_usage(c, "takes an issue");
	s->issue = command_issue(c, argv[optind++]);
	s->words = argv + optind;
	start_check(s);
}

static void
start_read_prompt(struct start *s)
{
	struct buf text = BUF_INIT;
	struct marker_set set;
	size_t len;

	if (s->prompt_file != NULL) {
		if (file_read(AT_FDCWD, s->prompt_file, 0, &text,
		    PROMPT_MAX + 1) == -1)
			fatal("cannot read the prompt '%s'", s->prompt_file);
		if (strlen(buf_str(&text)) < text.len)
			fatal_usage("start: the prompt holds a NUL byte");
		s->prompt = buf_steal(&text);
	}
	if (s->prompt == NULL)
		return;
	len = strlen(s->prompt);
	if (len > PROMPT_MAX)
		fatal_usage("start: the prompt is longer than %d bytes; put "
		    "it into a file and let the prompt name that", PROMPT_MAX);
	if (s->prompt[0] == '-')
		fatal_usage("start: the prompt begins with '-', which an "
		    "agent would take for an option");
	marker_set_init(&set, s->issue, NULL, s->marker);
	if (marker_set_in(&set, s->prompt, len))
		fatal_usage("start: the prompt holds a finished marker of "
		    "issue '%s', which would count as soon as the pane shows "
		    "it; describe the marker in pieces", s->issue);
}

static char *
start_directory(const char *what, const char *path)
{
	struct stat st;
	char *real = xrealpath(path);

	if (real == NULL || stat(real, &st) == -1)
		fatal("cannot use the %s '%s'", what, path);
	if (!S_ISDIR(st.st_mode))
		fatalx("cannot use the %s '%s': it is not a directory", what,
		    path);
	return real;
}

static char *
start_worktree(const char *path)
{
	if (access(path, F_OK) == -1 && errno == ENOENT)
		fatalx("cannot use the work tree '%s': it is not there; make "
		    "it first: git worktree add '%s', or by --new-worktree",
		    path, path);
	return start_directory("work tree", path);
}

/* What --new-worktree or the configuration wants is planned, not yet made. */
static void
start_plan_tree(struct start *s)
{
	const struct config *config = &s->context.config;
	struct buf why = BUF_INIT;

	s->new_worktree |= config->worktree && s->worktree_option == NULL;
	if (!s->new_worktree && s->base != NULL)
		command_usage(s->command, "--base is for --new-worktree");
	if (!s->new_worktree)
		return;
	if (config->worktree_setup != NULL &&
	    config->worktree_setup[0] != NULL &&
	    usercommand_check(config->worktree_setup, &why) == -1)
		fatal_usage("start: worktree_setup: %s", buf_str(&why));
	if (newtree_plan(&s->tree, &s->context, s->issue, s->branch, s->base,
	    &why) == -1)
		fatalx("cannot start issue '%s': %s", s->issue, buf_str(&why));
	s->worktree_option = s->tree.path;
	s->launch.setup = argv_add_all(NULL,
	    (const char *const *)config->worktree_setup);
}

/* As the agent would find it, from its own directory.  NULL with the reason. */
static char *
start_find_program(const char *word, const char *cwd, struct buf *why)
{
	bool relative = word[0] != '/' && strchr(word, '/') != NULL;
	char *path = relative ? xasprintf("%s/%s", cwd, word) : xstrdup(word);
	char *found = spawn_find(path);
	struct stat st;

	if (found == NULL && strchr(word, '/') == NULL)
		buf_adds(why, "no such program in PATH");
	else if (found == NULL && stat(path, &st) == -1)
		buf_printf(why, "%s%s", errno == ENOENT ? "no such program" :
		    strerror(errno), errno == ENOENT && relative ?
		    " in the agent's directory" : "");
	else if (found == NULL && !S_ISREG(st.st_mode))
		buf_adds(why, "it is not a file");
	else if (found == NULL)
		buf_adds(why, "it is not executable; see chmod +x");
	free(path);
	return found;
}

static void
start_choose_program(struct start *s)
{
	struct launch *l = &s->launch;
	struct buf why = BUF_INIT;

	l->program = start_find_program(l->argv[0], l->cwd, &why);
	if (l->program == NULL) {
		newtree_undo(&s->tree, &s->context);
		fatalx("cannot start '%s': %s", l->argv[0], buf_str(&why));
	}
	l->base += backend_add_known(&s->backend, l->program, &l->argv);
}

/* A folder that is still to be made is not looked into. */
static char *
start_cwd(const struct start *s)
{
	if (s->cwd_option != NULL)
		return start_directory("directory", s->cwd_option);
	if (s->tree.path != NULL)
		return xstrdup(s->tree.path);
	return s->worktree_option != NULL ?
	    start_worktree(s->worktree_option) :
	    start_directory("directory", ".");
}

static void
start_prepare_launch(struct start *s)
{
	const struct backend *b = &s->backend;
	struct buf error = BUF_INIT;
	const char *name = s->backend_name;
	struct launch *l = &s->launch;
	char **more, **session;

	if (name == NULL)
		name = s->words[0] ? "shell" : s->context.config.backend;
	if (backend_read(&s->backend, name, &error) == -1)
		fatal_usage("%s", buf_str(&error));
	if (b->command == NULL && s->words[0] == NULL)
		fatal_usage("start: backend '%s' needs a command: paneward "
		    "start %s -- COMMAND", name, s->issue);
	if (s->prompt != NULL && b->prompt[0] == NULL)
		fatal_usage("start: backend '%s' takes no prompt on its "
		    "command line", name);
	if (run_id_make(l->run) == -1)
		fatal("cannot make a run id");
	l->cwd = start_cwd(s);
	if (s->words[0] != NULL) {
		more = backend_prompt(b, s->prompt);
		session = backend_session(b, s->words, l->run, l->cwd);
		l->argv = argv_add_all(NULL, (const char *const *)s->words);
		l->base = argv_count(l->argv);
		l->argv = argv_add_all(l->argv, (const char *const *)session);
		l->argv = argv_add_all(l->argv, (const char *const *)more);
		s->own_session = session != NULL;
		argv_free(session);
		argv_free(more);
	} else {
		l->argv = backend_argv(b, l->run, l->cwd, s->prompt);
		s->own_session = b->session_is_run;
		l->base = 1;
	}
	if (s->tree.path == NULL || l->argv[0][0] == '/' ||
	    strchr(l->argv[0], '/') == NULL)
		start_choose_program(s);
	l->status_dir = xstrdup(s->dir->path);
}

/* The program may be a file in it. */
static void
start_make_tree(struct start *s)
{
	struct buf why = BUF_INIT;

	if (s->tree.path == NULL)
		return;
	if (newtree_make(&s->tree, &s->context, &why) == -1)
		fatalx("cannot start issue '%s': %s", s->issue, buf_str(&why));
	if (s->launch.program == NULL)
		start_choose_program(s);
}

static void
start_lock(struct start *s)
{
	int locked = lock_await(&s->lock, s->dir->state_fd, s->issue,
	    LOCK_ENDING);

	if (locked == -1)
		fatal("cannot lock issue '%s' in '%s'", s->issue, s->dir->path);
	if (locked == 0)
		fatalx("cannot start issue '%s': process %ld acts on it; see "
		    "'paneward status %s'", s->issue, (long)s->lock.holder,
		    s->issue);
}

static void
start_refuse_live_run(struct start *s)
{
	int found;

	status_release(&s->old);
	found = status_read(&s->old, s->dir->state_fd, s->issue);
	if (found == -1 && errno != EBADMSG)
		fatal("cannot read the status record of issue '%s'", s->issue);
	if (found == -1)
		warn("cannot read the status record of issue '%s'; it is "
		    "written anew", s->issue);
	s->had_old = found == 1;
	if (s->had_old && !state_ended(s->old.verdict.state) &&
	    s->old.place.pane_pid != 0 &&
	    !proc_boot_over(s->old.boot) &&
	    proc_alive(s->old.place.pane_pid, s->old.place.pane_start))
		fatalx("cannot start issue '%s': its run %.8s in '%s' is "
		    "alive in pane %s; end that one first", s->issue,
		    s->old.run, s->context.project.root, s->old.place.pane);
	if (s->had_old && handoff_open(&s->old.handoff))
		fatalx("cannot start issue '%s': its run %.8s in '%s' is "
		    "complete and not yet handed off; see 'paneward status "
		    "%s'", s->issue, s->old.run, s->context.project.root,
		    s->issue);
}

/* The commit that is checked out there; NULL: none, or no git. */
static char *
start_commit(const char *folder)
{
	struct spawn git = SPAWN_INIT;
	char *commit = NULL;

	if (spawn_run(&git, &(struct spawn_how){ .cwd = folder, .limit = 10000,
	    .argv = WORDS("git", "rev-parse", "-q", "--verify",
	    "HEAD^{commit}") }) == 0) {
		buf_chomp(&git.output);
		commit = xstrdup(buf_str(&git.output));
	}
	spawn_release(&git);
	return commit;
}

static void
start_prepare_record(struct start *s)
{
	struct status *n = &s->new;

	status_init(n, s->issue);
	memcpy(n->run, s->launch.run, sizeof(n->run));
	n->verdict.state = STATE_WORKING;
	verdict_set_source(&n->verdict, "process");
	verdict_why(&n->verdict, "the agent was started");
	n->started = n->since = clock_wall();
	n->exit_is_report = s->exit_is_report;
	if (s->context.config.handoff_option)
		n->handoff_command = argv_add_all(xcalloc(1, sizeof(char *)),
		    (const char *const *)s->context.config.handoff);
	n->backend = xstrdup(s->backend.name);
	/* An older session draws its old reports. */
	n->transcript.said = backend_resumes(&s->backend, s->words);
	if (s->marker != NULL)
		n->marker = xstrdup(s->marker);
	if (s->own_session)
		n->agent.session = xstrdup(n->run);
	n->worktree = s->worktree_option ?
	    start_worktree(s->worktree_option) :
	    project_linked_at(&s->context.project, s->launch.cwd);
	if (n->worktree != NULL)
		n->branch = project_branch(n->worktree);
	if (s->tree.commit != NULL)
		n->base = xstrdup(s->tree.commit);
	else if (s->context.project.git_dir != NULL)
		n->base = start_commit(n->worktree != NULL ? n->worktree :
		    s->context.project.root);
	proc_boot(n->boot);
}

static char *
start_session_name(const struct start *s)
{
	if (s->session == NULL)
		return newpane_session(&s->context, s->issue);
	if (!newpane_session_valid(s->session))
		command_usage(s->command, "--session '%s' is not a "
		    "session name: letters, digits, '_' and '-', the "
		    "first not '-'", s->session);
	return xstrdup(s->session);
}

/* The session this command runs in: $TMUX is socket,pid,number. */
static char *
start_this_session(void)
{
	const char *tmux = getenv("TMUX");
	const char *comma = tmux ? strrchr(tmux, ',') : NULL;
	char *id = xasprintf("$%s", comma ? comma + 1 : "");

	if (!tmux_id_valid(id, '$'))
		fatalx("cannot open a window: this is not inside tmux (no "
		    "TMUX in the environment)");
	return id;
}

static void
start_undo(struct start *s)
{
	char name[ISSUE_FILE];

	launch_remove(s->dir->state_fd, s->issue);
	newtree_undo(&s->tree, &s->context);
	start_set_aside(s, true);
	if (!s->had_old)
		unlinkat(s->dir->state_fd, issue_file(name, s->issue, "json"),
		    0);
	else if (status_write(&s->old, s->dir->state_fd) == -1)
		warn("cannot restore the status record of issue '%s'",
		    s->issue);
}

/* ---- a session of that name ---------------------------------------------- */

/*
 * Can the session be created?  One of that name is in the way, unless it only
 * has a pane of no use, which the new one then replaces: s->dead.  False with
 * the reason in *why.
 */
static bool
start_find_room(struct start *s, struct buf *why)
{
	enum handoff_state handoff = s->old.handoff.state;
	const struct tmux_pane *pane = NULL;
	char *socket = tmux_socket();
	struct tmux_listing l;
	enum tmux_result result = tmux_list(socket, &l, why);
	bool room = result == TMUX_OK || result == TMUX_NO_SERVER;
	size_t i, n = 0;

	for (i = 0; i < l.npanes && !s->window; i++)
		if (strcmp(l.panes[i].session_name, s->target) == 0) {
			pane = &l.panes[i];
			n++;
		}
	/* Its process has ended, and its run was judged: nothing is lost. */
	if (n == 1 && pane->dead && s->had_old &&
	    strcmp(pane->issue, s->issue) == 0 &&
	    strcmp(pane->run, s->old.run) == 0 &&
	    status_over(&s->old)) {
		memcpy(s->dead, pane->id, sizeof(s->dead));
	} else if (n > 0) {
		room = false;
		buf_printf(why, "a session '%s' is there already; end it with "
		    "'tmux kill-session -t =%s'", s->target, s->target);
		if (handoff == HANDOFF_REFUSED || handoff == HANDOFF_FAILED)
			buf_printf(why, " or 'paneward handoff %s'", s->issue);
		buf_adds(why, ", or choose another name with --session");
	}
	listing_release(&l);
	free(socket);
	if (room)
		buf_reset(why);
	return room;
}

static enum tmux_result
start_open_pane(struct start *s, struct buf *why)
{
	char *socket = tmux_socket();
	enum tmux_result result = newpane_open(&(struct newpane){
	    .self = s->self, .context = &s->context, .socket = socket,
	    .session = s->target, .window = s->window,
	    .dead = s->dead[0] != '\0' ? s->dead : NULL,
	    .cwd = s->launch.cwd }, &s->new, why);

	free(socket);
	return result;
}

/* Sets the earlier run's files aside, and writes those that the new pane reads.
 * Ends the program if it cannot. */
static void
start_prepare_files(struct start *s)
{
	if (launch_write(&s->launch, s->dir->state_fd, s->issue,
	    LAUNCH_ORDER) == -1) {
		warn("cannot start issue '%s': cannot write to '%s'",
		    s->issue, s->dir->path);
		newtree_undo(&s->tree, &s->context);
		exit(EXIT_COULD_NOT);
	}
	if (s->had_old)
		run_stop_writer(&s->old, s->dir, NULL);
	start_set_aside(s, false);
	if (status_write(&s->new, s->dir->state_fd) == -1) {
		warn("cannot start issue '%s': cannot write its status "
		    "record", s->issue);
		start_undo(s);
		exit(EXIT_COULD_NOT);
	}
}

/*
 * Before another run of an issue tmux is asked for room, since the pane of the
 * last one may still be there and write its log, or stand in its work tree.
 * For a first one, tmux itself refuses a name that is taken.
 */
static void
start_refuse_session(struct start *s)
{
	struct buf taken = BUF_INIT;

	if (s->had_old && !start_find_room(s, &taken))
		fatalx("cannot start issue '%s': %s", s->issue,
		    buf_str(&taken));
	buf_release(&taken);
}

/* Opens the pane; then the agent runs. */
static void
start_open(struct start *s)
{
	struct buf why = BUF_INIT, taken = BUF_INIT;
	enum tmux_result result;

	start_prepare_files(s);
	result = start_open_pane(s, &why);
	if (result != TMUX_OK) {
		start_undo(s);
		fatalx("cannot start issue '%s': %s", s->issue,
		    buf_str(result == TMUX_FAILED &&
		    !start_find_room(s, &taken) ? &taken : &why));
	}
	if (status_write(&s->new, s->dir->state_fd) == -1)
		warn("cannot write the status record of issue '%s'; the next "
		    "watch finds the pane by its option", s->issue);
	if (journal_add(s->dir->state_fd, s->dir->path, JOURNAL_RUN, &s->new,
	    "started") == -1)
		warn("cannot write to the journal in '%s'", s->dir->path);
}

static void
start_print_tree(const struct start *s)
{
	struct buf path = BUF_INIT;

	msg_escape(&path, s->tree.path, strlen(s->tree.path));
	printf("%s: made work tree %s, branch %s\n", s->issue, buf_str(&path),
	    s->tree.branch);
	buf_release(&path);
}

static int
start_run(const struct command *c, int argc, char **argv)
{
	struct start s = { .command = c, .self = proc_program(),
	    .lock = LOCK_INIT };
	struct buf error = BUF_INIT;

	start_parse(&s, argc, argv);
	if (s.self == NULL)
		fatal("cannot find the path of this program");
	start_read_prompt(&s);
	context_open(&s.context, s.status_dir, false);
	/* Checked now, not when the agent has finished. */
	if ((s.watch || s.handoff != NULL || s.no_handoff) &&
	    runner_choose(&s.context.config, s.handoff, s.no_handoff,
	    &error) == -1)
		fatal_usage("start: %s", buf_str(&error));
	s.dir = &s.context.dir;
	start_plan_tree(&s);
	start_prepare_launch(&s);
	context_make(&s.context);
	context_check(&s.context, false);
	s.target = s.window ? start_this_session() : start_session_name(&s);
	start_refuse_live_run(&s);
	start_lock(&s);
	start_refuse_live_run(&s);
	start_refuse_session(&s);
	start_make_tree(&s);
	start_prepare_record(&s);
	start_open(&s);
	context_check(&s.context, true);
	lock_release(&s.lock);
	if (s.watch && !newpane_left(&s.context))
		newpane_watch(s.self, &s.context, s.issue);
	if (s.tree.path != NULL)
		start_print_tree(&s);
	printf("%1$s: started in session %2$s, pane %3$s (run %4$s)\n"
	    "%1$s: 'paneward attach %1$s' shows it\n", s.issue,
	    s.new.session_name, s.new.place.pane, s.new.run);
	return EXIT_DONE;
}

const struct command start_command = {
	.name = "start",
	.summary = "Start an agent for an issue in tmux, and a watcher",
	.arguments = "ISSUE [-- COMMAND [ARG...]]",
	.examples =
	"  paneward start 42 --prompt \"Please work on issue 42.\"\n"
	"  paneward start 42 --worktree .worktrees/issue-42-login \\\n"
	"      --prompt-file plan.md\n"
	"  paneward start 43 --new-worktree --prompt \"Please fix 43.\"\n"
	"  paneward start 42 -- ./agent.sh --fast\n",
	.options = options,
	.run = start_run,
};
