/*
 * cleanup.c - the steps of scripts/cleanup.sh, one a call.
 *
 * Each step judges right before it acts whether anything would be lost, and
 * finishes after a kill when it is called again.  PANEWARD_* and the status
 * record on standard input describe the run.
 */
#include "paneward.h"

#include <signal.h>

#include "handoff/tree.h"
#include "run/keptlog.h"
#include "run/panelog.h"
#include "tmux/tmux.h"

enum {
	PAUSE = 100,
	CLOSING = 50,                   /* tries until tmux closes the pane */
	WRITING = 20,
	ENDED_NOW = 10,                 /* seconds for processes of the pane */
	SHOWN = 10 * 60 * 1000          /* ms that a pane on a client stays
					   after its run's end */
};

struct cleanup {
	struct tree tree;
	struct pane_ref pane;           /* .pane empty: none */
	bool            shown, ours;    /* ours: the record is the run's */
	msec            since;
	int64_t         keep_logs;
};

#define HELP "; see 'paneward handoff --help'"

static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static _Noreturn void
wrong_variable(const char *name, const char *want)
{
	fatal_usage("cannot clean up: %s is '%s', not %s" HELP, name,
	    variable(name), want);
}

static char *
absolute(const char *name)
{
	const char *value = variable(name);
	size_t len = strlen(value);

	if (value[0] != '/')
		wrong_variable(name, "an absolute path");
	/* A slash at the end would follow a link. */
	while (len > 1 && value[len - 1] == '/')
		len--;
	return xasprintf("%.*s", (int)len, value);
}

static void
cleanup_read(struct cleanup *c)
{
	struct tree *w = &c->tree;
	struct pane_ref *p = &c->pane;
	const char *pane = variable("PANEWARD_PANE");
	const char *bytes = variable("PANEWARD_KEEP_LOGS");
	char *rest = xasprintf("%s", variable("PANEWARD_BUILD_DIRS"));
	struct buf text = BUF_INIT;
	struct json *record;
	struct status r;
	char *dir, *at;

	w->issue = variable("PANEWARD_ISSUE");
	if (!issue_valid(w->issue))
		wrong_variable("PANEWARD_ISSUE", "an issue");
	w->run = variable("PANEWARD_RUN");
	if (!run_id_valid(w->run))
		wrong_variable("PANEWARD_RUN", "the id of a run");
	if (pane[0] != '\0' && !tmux_id_valid(pane, '%'))
		wrong_variable("PANEWARD_PANE", "a pane's id");
	w->status_dir = absolute("PANEWARD_STATUS_DIR");
	w->tree = variable("PANEWARD_WORKTREE")[0] != '\0' ?
	    absolute("PANEWARD_WORKTREE") : "";
	w->root = variable("PANEWARD_WORKTREE_ROOT")[0] != '\0' ?
	    absolute("PANEWARD_WORKTREE_ROOT") : ".worktrees";
	while ((dir = strsep(&rest, ":")) != NULL) {
		if (dir[0] == '\0')
			continue;
		if (!config_inside(dir))
			fatal_usage("cannot clean up: '%s' in "
			    "PANEWARD_BUILD_DIRS is no folder within a work "
			    "tree" HELP, dir);
		at = dir + strlen(dir) - 1;
		if (*at == '/')
			*at = '\0';
		w->build_dirs = argv_add(w->build_dirs, dir);
	}
	if (strlen(bytes) > 15 || bytes[strspn(bytes, "0123456789")] != '\0')
		wrong_variable("PANEWARD_KEEP_LOGS", "a number of bytes");
	c->keep_logs = bytes[0] == '\0' ? KEPTLOG_BYTES :
	    strtoll(bytes, NULL, 10);
	if (!isatty(STDIN_FILENO))
		file_drain(STDIN_FILENO, &text, STATUS_MAX);
	if (strspn(buf_str(&text), " \n") == text.len)
		file_read(AT_FDCWD, xasprintf("%s/.paneward/%s.json",
		    w->status_dir, w->issue), 0, &text, STATUS_MAX);
	record = json_parse(buf_str(&text), text.len, false, NULL);
	/* A user's hook may name no more than the run and its pane. */
	if (record != NULL && json_member(record, "issue") == NULL)
		json_add_text(record, "issue", w->issue);
	status_take(&r, record);
	c->ours = r.run[0] != '\0' && strcmp(r.run, w->run) == 0;
	c->since = r.since;
	*p = r.place;
	p->socket = pane[0] != '\0' ? absolute("PANEWARD_SOCKET") : NULL;
	snprintf(p->pane, sizeof(p->pane), "%s", pane);
	w->occupants.server = p->server;
}

/* Is the run's pane on its server, with its process?  A server that does not
 * answer has it. */
static bool
cleanup_pane(struct cleanup *c)
{
	enum tmux_result result = TMUX_NO_SERVER;
	struct tmux_listing listing = { 0 };
	const struct tmux_pane *p;
	struct proc now = { 0 };
	struct buf why = BUF_INIT;
	bool found;

	if (c->ours && c->pane.pane[0] != '\0')
		result = tmux_list(c->pane.socket, &listing, &why);
	if (result == TMUX_MISSING)
		tree_fail(&c->tree, "cannot end pane %s: no tmux in PATH, "
		    "which is '%s'", c->pane.pane, variable("PATH"));
	if (result != TMUX_OK && result != TMUX_NO_SERVER)
		tree_fail(&c->tree, "cannot end pane %s: the tmux server "
		    "at '%s' does not answer (%s); wake it or end it",
		    c->pane.pane, c->pane.socket, buf_str(&why));
	p = listing_ref(&listing, &c->pane);
	found = p != NULL && (p->dead ||
	    c->pane.pane_start == 0 || proc_read(&now, p->pid) == -1 ||
	    now.start == 0 || now.start == c->pane.pane_start);
	c->shown = found && listing_shown(&listing, p);
	c->tree.occupants.pane = found ? c->pane.pane_pid : 0;
	return found;
}

static void
close_pane(struct cleanup *c)
{
	struct buf why = BUF_INIT;
	int tries = CLOSING;
	msec age = clock_wall() - c->since;

	if (!cleanup_pane(c))
		return;
	if (c->shown && age >= 0 && age < SHOWN) {
		tree_say("not yet: a tmux client shows pane %s, "
		    "which is left for ten minutes at most", c->pane.pane);
		exit(CLEANUP_LATER);
	}
	worktree_judge(&c->tree);
	tmux_close_pane(&c->pane, &why);
	while (cleanup_pane(c)) {
		if (tries-- == 0)
			tree_fail(&c->tree, "cannot end pane %s: tmux does "
			    "not close it", c->pane.pane);
		loop_pause(PAUSE);
	}
	tree_say("ended pane %s", c->pane.pane);
	if (c->tree.present && c->tree.admin != NULL)
		worktree_judge_occupants(&c->tree, ENDED_NOW);
}

/* The status record stays, and shows that this is done; so do lock, journal and
 * signals. */
static void
remove_files(struct cleanup *c)
{
	struct tree *w = &c->tree;
	struct statusdir dir = STATUSDIR_INIT;
	struct buf why = BUF_INIT;
	int tries = w->plan ? 0 : WRITING, got, i, in;
	char name[RUNFILE_NAME];
	const char *path;
	const struct runfile *f;
	struct stat st;

	if (!c->ours) {
		tree_say("left the files of issue %s: its status record is "
		    "not that of run %s", w->issue, w->run);
		return;
	}
	if (statusdir_open(&dir, xstrdup(w->status_dir), false, &why) == -1)
		tree_fail(w, "%s", buf_str(&why));
	/* The log's writer has the last lines. */
	while (tries-- > 0 && panelog_writer(dir.state_fd, w->issue,
	    PANE_NAME(&c->pane), NULL) == PANELOG_WRITTEN)
		loop_pause(PAUSE);
	if (!w->plan && dir.state_fd != -1) {
		got = c->keep_logs > 0 ?
		    keptlog_put(&dir, w->issue, w->run, &why) : 0;
		if (got == -1)
			tree_fail(w, "cannot keep the log of issue %s: %s",
			    w->issue, buf_str(&why));
		if (got == 1)
			tree_say("kept the log of issue %s as it is: %s",
			    w->issue, buf_str(&why));
		keptlog_prune(dir.state_fd, c->keep_logs, clock_wall());
	}
	for (i = 0; (f = &runfiles[i / 2])->before != NULL; i++) {
		runfile_name(name, f, w->issue, i % 2);
		path = xasprintf("%s%s/%s", dir.path, f->inner ?
		    "/.paneward" : "", name);
		in = f->inner ? dir.state_fd : dir.fd;
		if (fstatat(in, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
			continue;
		/* A log that came after the move stays. */
		if (S_ISDIR(st.st_mode))
			tree_say("left '%s': it is a folder", path);
		else if (c->keep_logs > 0 && f->kept && S_ISREG(st.st_mode) &&
		    st.st_size > 0)
			tree_say("%s '%s'", w->plan ? "would keep" : "left",
			    path);
		else if (w->plan)
			tree_say("would remove '%s'", path);
		else if (unlinkat(in, name, 0) == -1 && errno != ENOENT)
			tree_fail(w, "cannot remove '%s': %s", path,
			    strerror(errno));
	}
}

enum { STEP_CHECK = OPTION_LONG, STEP_CLOSE, STEP_TREE, STEP_FILES };

static const struct command_option options[] = {
	{ STEP_CHECK, "check", NULL, "print what would be done; 77: something "
	    "would be lost" },
	{ STEP_CLOSE, "close-pane", NULL, "close the run's pane and wait for "
	    "its processes" },
	{ STEP_TREE, "remove-tree", NULL, "remove the run's work tree" },
	{ STEP_FILES, "remove-files", NULL, "keep the run's log, and remove "
	    "what else it left in the status directory" },
	{ 'f', "force", NULL, "save first what would be lost",
	    FLAG_AT(struct cleanup, tree.force) },
	{ 0 }
};

static int
cleanup_run(const struct command *command, int argc, char **argv)
{
	extern char **environ;
	struct cleanup c = { .ours = false };
	struct tree *w = &c.tree;
	bool lives;
	int key, step = 0;
	size_t i = 0;

	while ((key = command_option(command, argc, argv, &c)) != -1)
		if (step != 0)
			command_usage(command, "takes one step");
		else
			step = key;
	if (step == 0 || argc != optind)
		command_usage(command, "takes one step and no argument");
	/* git is led nowhere else, writes no index while it only looks, and
	 * shows a commit as it is. */
	while (environ[i] != NULL)
		if (strncmp(environ[i], "GIT_", 4) == 0)
			unsetenv(xasprintf("%.*s",
			    (int)strcspn(environ[i], "="), environ[i]));
		else
			i++;
	setenv("GIT_OPTIONAL_LOCKS", "0", 1);
	setenv("GIT_NO_REPLACE_OBJECTS", "1", 1);
	setenv("GIT_TERMINAL_PROMPT", "0", 1);
	setenv("LC_ALL", "C", 1);
	umask(077);
	/* The pane that is closed may be our own. */
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	cleanup_read(&c);
	w->plan = step == STEP_CHECK;
	lives = w->plan && cleanup_pane(&c);
	if (step == STEP_CLOSE) {
		close_pane(&c);
	} else if (step != STEP_FILES) {
		worktree_judge(w);
		if (lives)
			tree_say("would end pane %s", c.pane.pane);
		worktree_remove(w);
	}
	if (w->plan || step == STEP_FILES)
		remove_files(&c);
	tree_release(w);
	return EXIT_DONE;
}

const struct command cleanup_command = {
	.name = "cleanup",
	.summary = "Do a step of the default hand-off, cleanup.sh",
	.examples =
	"  paneward cleanup --check\n"
	"  paneward cleanup --close-pane\n",
	.options = options,
	.run = cleanup_run,
};
