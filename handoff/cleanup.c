/*
 * cleanup.c - the steps of scripts/cleanup.sh, one a call.
 *
 * A step judges again, right before it acts, whether anything would be lost.
 * It is idempotent: killed at any point and called again, it does what is left.
 * The run is described by PANEWARD_* and by the status record, one line of
 * JSON on standard input.
 */
#include "handoff/commands.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/issue.h"
#include "base/msg.h"
#include "handoff/worktree.h"
#include "os/file.h"
#include "os/proc.h"
#include "run/panelog.h"
#include "run/status.h"
#include "text/json.h"
#include "tmux/tmux.h"

enum {
	PAUSE = 100,                    /* ms between two tries */
	CLOSING = 50,                   /* tries: tmux closes the pane, */
	WRITING = 20,                   /* the writer of its log ends */
	ENDED_BEFORE = 3,               /* seconds in which processes end: of a
					   pane closed by an earlier attempt, */
	ENDED_NOW = 10                  /* of one closed now */
};

struct cleanup {
	struct tree tree;
	struct pane_ref pane;           /* the run's; .pane empty: none */
	char           *status_dir;
	bool            ours;           /* the record is the run's */
	bool            check;
};

/* ---- how it was called --------------------------------------------------- */

static _Noreturn void called_wrongly(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static _Noreturn void
called_wrongly(const char *format, ...)
{
	char why[1000];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	fatal_usage("cannot clean up: %s; see 'paneward handoff --help'", why);
}

static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static char *
absolute(const char *name)
{
	const char *value = variable(name);
	size_t len = strlen(value);

	if (value[0] != '/')
		called_wrongly("%s is '%s', not an absolute path", name, value);
	/* A slash at the end would follow a link. */
	while (len > 1 && value[len - 1] == '/')
		len--;
	return xstrndup(value, len);
}

static void
check_build_dir(const char *dir)
{
	char *path = xasprintf("/%s/", dir), *p;
	bool bad = strstr(path, "//") != NULL || strstr(path, "/../") != NULL ||
	    strstr(path, "/./") != NULL;

	for (p = path; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	if (bad || strstr(path, "/.git/") != NULL)
		called_wrongly("'%s' in PANEWARD_BUILD_DIRS is no folder "
		    "within a work tree", dir);
	free(path);
}

static char **
read_build_dirs(void)
{
	char *text = xstrdup(variable("PANEWARD_BUILD_DIRS")), *rest = text;
	char **dirs = NULL, *dir;
	size_t len;

	while ((dir = strsep(&rest, ":")) != NULL) {
		len = strlen(dir);
		if (len > 0 && dir[len - 1] == '/')
			dir[len - 1] = '\0';
		if (dir[0] == '\0' && len == 0)
			continue;
		check_build_dir(dir);
		dirs = argv_add(dirs, dir);
	}
	free(text);
	return dirs;
}

static void
read_variables(struct cleanup *c)
{
	struct tree *w = &c->tree;
	const char *pane = variable("PANEWARD_PANE");

	w->issue = variable("PANEWARD_ISSUE");
	if (!issue_valid(w->issue))
		called_wrongly("PANEWARD_ISSUE is '%s', not an issue",
		    w->issue);
	w->run = variable("PANEWARD_RUN");
	if (!run_id_valid(w->run))
		called_wrongly("PANEWARD_RUN is not the id of a run");
	if (pane[0] != '\0' && !tmux_id_valid(pane, '%'))
		called_wrongly("PANEWARD_PANE is '%s', not a pane's id", pane);
	if (pane[0] != '\0')
		c->pane.socket = absolute("PANEWARD_SOCKET");
	snprintf(c->pane.pane, sizeof(c->pane.pane), "%s", pane);
	w->status_dir = c->status_dir = absolute("PANEWARD_STATUS_DIR");
	w->tree = variable("PANEWARD_WORKTREE")[0] == '\0' ? xstrdup("") :
	    absolute("PANEWARD_WORKTREE");
	w->root = getenv("PANEWARD_WORKTREE_ROOT") ?
	    absolute("PANEWARD_WORKTREE_ROOT") : xrealpath(".worktrees");
	if (w->root == NULL)
		w->root = ".worktrees";
	w->build_dirs = read_build_dirs();
}

/* Nothing in the environment leads git or tmux elsewhere; git writes no
 * refreshed index while it only looks, and shows a commit as it is. */
static void
cleanup_environment(void)
{
	static const char *const set[] = { "GIT_OPTIONAL_LOCKS", "0",
	    "GIT_NO_REPLACE_OBJECTS", "1", "GIT_TERMINAL_PROMPT", "0",
	    "LC_ALL", "C" };
	extern char **environ;
	char *name;
	size_t i;

	for (i = 0; environ[i] != NULL;) {
		if (strncmp(environ[i], "GIT_", 4) == 0) {
			name = xstrndup(environ[i], strcspn(environ[i], "="));
			unsetenv(name);
			free(name);
			i = 0;
		} else {
			i++;
		}
	}
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
	for (i = 0; i < sizeof(set) / sizeof(set[0]); i += 2)
		setenv(set[i], set[i + 1], 1);
	umask(077);
	/* The pane that is closed may be the one we were called from. */
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

static void
cleanup_record(struct cleanup *c)
{
	char *path = xasprintf("%s/.paneward/%s.json", c->status_dir,
	    c->tree.issue);
	struct buf text = BUF_INIT;
	const cJSON *tmux;
	cJSON *record;
	ssize_t n = 1;

	while (!isatty(STDIN_FILENO) && n > 0 && text.len < STATUS_MAX) {
		n = read(STDIN_FILENO, buf_room(&text, 4096), 4096);
		text.len += n > 0 ? (size_t)n : 0;
	}
	if (strspn(buf_str(&text), " \n") == text.len)
		file_read(AT_FDCWD, path, 0, &text, STATUS_MAX);
	record = json_parse(buf_str(&text), text.len, false, NULL);
	c->ours = json_text(record, "run") != NULL &&
	    strcmp(json_text(record, "run"), c->tree.run) == 0;
	tmux = json_member(record, "tmux");
	c->pane.server = (pid_t)json_number(tmux, "server_pid", 0);
	c->pane.server_start = json_number(tmux, "server_start", 0);
	c->pane.pane_pid = (pid_t)json_number(tmux, "pane_pid", 0);
	c->pane.pane_start = (uint64_t)json_number(tmux, "pane_start", 0);
	c->tree.occupants.server = c->pane.server;
	json_free(record);
	buf_release(&text);
	free(path);
}

/* ---- the pane ------------------------------------------------------------ */

/* Is it the process of the record?  A later one may have the same number. */
static bool
process_recorded(const struct cleanup *c, const struct tmux_pane *p)
{
	struct proc now = { 0 };

	return p->pid == c->pane.pane_pid && (p->dead ||
	    c->pane.pane_start == 0 || proc_read(&now, p->pid) == -1 ||
	    now.start == 0 || now.start == c->pane.pane_start);
}

/* A server that does not answer still has the pane. */
static bool
list_panes(struct cleanup *c, struct tmux_listing *listing)
{
	struct buf why = BUF_INIT;
	enum tmux_result result = tmux_list(c->pane.socket, listing, &why);

	if (result == TMUX_MISSING)
		tree_fail(&c->tree, "cannot end pane %s: no tmux in PATH, "
		    "which is '%s'", c->pane.pane, variable("PATH"));
	if (result != TMUX_OK && result != TMUX_NO_SERVER)
		tree_fail(&c->tree, "cannot end pane %s: the tmux server "
		    "at '%s' does not answer (%s); wake it or end it",
		    c->pane.pane, c->pane.socket, buf_str(&why));
	buf_release(&why);
	return result == TMUX_OK;
}

/* Is the run's pane there: on its server, with its process? */
static bool
cleanup_pane(struct cleanup *c)
{
	struct tmux_listing listing = { 0 };
	const struct tmux_pane *p = NULL;
	bool found = false;

	if (c->ours && c->pane.pane[0] != '\0' && list_panes(c, &listing) &&
	    listing.server == c->pane.server &&
	    listing.server_start == c->pane.server_start)
		p = listing_pane(&listing, c->pane.pane);
	if (p != NULL)
		found = process_recorded(c, p);
	listing_release(&listing);
	c->tree.occupants.pane = found ? c->pane.pane_pid : 0;
	return found;
}

static void
close_pane(struct cleanup *c)
{
	struct buf why = BUF_INIT;
	int tries = CLOSING;

	if (!cleanup_pane(c))
		return;
	worktree_judge(&c->tree, 0);
	tmux_close_pane(&c->pane, &why);
	buf_release(&why);
	while (cleanup_pane(c)) {
		if (tries-- == 0)
			tree_fail(&c->tree, "cannot end pane %s: tmux does "
			    "not close it", c->pane.pane);
		poll(NULL, 0, PAUSE);
	}
	tree_say("ended pane %s", c->pane.pane);
	if (c->tree.present && c->tree.admin != NULL)
		worktree_judge_occupants(&c->tree, ENDED_NOW);
}

/* ---- the work tree ------------------------------------------------------- */

static void
remove_tree(struct cleanup *c)
{
	worktree_judge(&c->tree, cleanup_pane(c) ? 0 : ENDED_BEFORE);
	worktree_remove(&c->tree);
}

/* ---- what the run left --------------------------------------------------- */

/* The status record, which shows that this is done, stays; so do the lock, the
 * journal and the signals. */
static const struct {
	const char *before, *behind;    /* of the issue, in the name */
	bool        inner;              /* lies in .paneward */
} leavings[] = {
	{ "output-", ".log",           false },
	{ "output-", ".log.1",         false },
	{ "",        ".watch.log",     true },
	{ "",        ".records",       true },
	{ "",        ".agent",         true },
	{ "",        ".pipe",          true },
	{ "",        ".command",       true },
	{ "",        ".reload",        true },
	{ "",        ".reload.log",    true },
	/* The note that a removal has begun goes last. */
	{ "",        ".removing.new",  true },
	{ "",        ".removing",      true },
};

static void
remove_file(struct cleanup *c, int dir, const char *name, bool inner)
{
	char *path = xasprintf("%s%s/%s", c->status_dir, inner ? "/.paneward" :
	    "", name);
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		st.st_mode = 0;
	else if (S_ISDIR(st.st_mode))
		tree_say("left '%s': it is a folder", path);
	else if (c->check)
		tree_say("would remove '%s'", path);
	else if (unlinkat(dir, name, 0) == -1 && errno != ENOENT)
		tree_fail(&c->tree, "cannot remove '%s': %s", path,
		    strerror(errno));
	free(path);
}

/* The writer of the log ends with the pane; until then it has its last
 * lines. */
static void
wait_for_writer(const struct cleanup *c, int own)
{
	char pane[PANE_REF_NAME];
	int tries = c->check ? 0 : WRITING;
	uint64_t start;
	pid_t pid;

	pane_ref_name(pane, &c->pane);
	while (tries-- > 0 && panelog_writer(own, c->tree.issue, pane, &pid,
	    &start) == PANELOG_WRITTEN)
		poll(NULL, 0, PAUSE);
}

/* -1: there is none. */
static int
cleanup_folder(struct cleanup *c, const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		tree_fail(&c->tree, "cannot remove the run's files: '%s' "
		    "is a link", path);
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void
remove_leavings(struct cleanup *c, int dir, int own)
{
	char name[ISSUE_MAX + 32], old[ISSUE_MAX + 40];
	size_t i;
	int in;

	for (i = 0; i < sizeof(leavings) / sizeof(leavings[0]); i++) {
		in = leavings[i].inner ? own : dir;
		snprintf(name, sizeof(name), "%s%s%s", leavings[i].before,
		    c->tree.issue, leavings[i].behind);
		snprintf(old, sizeof(old), "%s.old", name);
		if (in != -1) {
			remove_file(c, in, name, leavings[i].inner);
			remove_file(c, in, old, leavings[i].inner);
		}
	}
}

static void
remove_files(struct cleanup *c)
{
	char *inner = xasprintf("%s/.paneward", c->status_dir);
	int dir, own;

	if (!c->ours) {
		tree_say("left the files of issue %s: its status record is "
		    "not that of run %s", c->tree.issue, c->tree.run);
		free(inner);
		return;
	}
	dir = cleanup_folder(c, c->status_dir);
	own = cleanup_folder(c, inner);
	if (own != -1)
		wait_for_writer(c, own);
	remove_leavings(c, dir, own);
	if (dir != -1)
		close(dir);
	if (own != -1)
		close(own);
	free(inner);
}

/* ---- what would be done -------------------------------------------------- */

static void
cleanup_check(struct cleanup *c)
{
	struct tree *w = &c->tree;
	bool lives = cleanup_pane(c);

	c->check = w->plan = true;
	worktree_judge(w, lives ? 0 : ENDED_BEFORE);
	if (lives)
		tree_say("would end pane %s", c->pane.pane);
	if (w->tree[0] != '\0' && !w->present && w->admin == NULL)
		tree_say("work tree '%s' is gone already", w->tree);
	else if (w->tree[0] != '\0')
		tree_say("would remove work tree '%s'%s", w->tree,
		    w->build_dirs ? ", what is ignored in its build "
		    "directories included" : "");
	remove_files(c);
}

/* ---- the command --------------------------------------------------------- */

enum { OPTION_FORCE = 'f', OPTION_CHECK = OPTION_LONG, OPTION_CLOSE,
	OPTION_TREE, OPTION_FILES };

static const struct command_option options[] = {
	{ OPTION_CHECK, "check", NULL, "print what would be done; 77: "
	    "something would be lost" },
	{ OPTION_CLOSE, "close-pane", NULL, "close the run's pane and wait "
	    "for its processes" },
	{ OPTION_TREE, "remove-tree", NULL, "remove the run's work tree" },
	{ OPTION_FILES, "remove-files", NULL, "remove what the run left in "
	    "the status directory" },
	{ OPTION_FORCE, "force", NULL, "save first what would be lost" },
	{ 0 }
};

static const struct {
	int    key;
	void (*act)(struct cleanup *);
} steps[] = {
	{ OPTION_CHECK, cleanup_check },
	{ OPTION_CLOSE, close_pane },
	{ OPTION_TREE,  remove_tree },
	{ OPTION_FILES, remove_files },
};

static int
cleanup_run(const struct command *command, int argc, char **argv)
{
	struct cleanup c = { 0 };
	void (*act)(struct cleanup *) = NULL;
	size_t i;
	int key;

	while ((key = command_option(command, argc, argv)) != -1) {
		if (key == OPTION_FORCE)
			c.tree.force = true;
		else if (act != NULL)
			command_usage(command, "takes one step");
		for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			if (steps[i].key == key)
				act = steps[i].act;
	}
	if (act == NULL || argc != optind)
		command_usage(command, "takes one step and no argument");
	read_variables(&c);
	cleanup_environment();
	cleanup_record(&c);
	act(&c);
	tree_release(&c.tree);
	return EXIT_DONE;
}

const struct command cleanup_command = {
	.name = "cleanup",
	.summary = "Do a step of the default hand-off, cleanup.sh",
	.arguments = "",
	.examples =
	"  paneward cleanup --check\n"
	"  paneward cleanup --close-pane\n",
	.options = options,
	.run = cleanup_run,
};
