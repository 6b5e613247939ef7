#include "handoff/worktree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "run/project.h"

enum { PAUSE = 100 };                   /* ms between two tries */

/* ---- paths --------------------------------------------------------------- */

static bool
path_is(const char *path, mode_t kind)
{
	struct stat st;

	return lstat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

static bool
path_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool
folder_has(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	bool there = path_there(path);

	free(path);
	return there;
}

/* The real path where only the folder that it lies in has to be there. */
static char *
real_place(const char *path)
{
	const char *name = strrchr(path, '/');
	char *folder, *real, *place = NULL;

	folder = name == path ? xstrdup("/") : xstrndup(path,
	    (size_t)(name - path));
	real = xrealpath(folder);
	if (real != NULL)
		place = xasprintf("%s/%s", strcmp(real, "/") == 0 ? "" : real,
		    name + 1);
	free(folder);
	free(real);
	return place;
}

static bool
same_real(const char *path, const char *real)
{
	char *found = xrealpath(path);
	bool same = found != NULL && strcmp(found, real) == 0;

	free(found);
	return same;
}

static bool
in_build_dir(const struct tree *w, const char *path)
{
	char *const *dir;

	for (dir = w->build_dirs; dir != NULL && *dir != NULL; dir++)
		if (project_contains(*dir, path) && path[strlen(*dir)] == '/')
			return true;
	return false;
}

/* ---- its folder in the repository ---------------------------------------- */

static bool
leads_to_tree(const struct tree *w, const char *admin)
{
	char *place = path_is(admin, S_IFDIR) ? tree_file(admin, "gitdir") :
	    NULL, *path;
	size_t len = place ? strlen(place) : 0;
	bool same;

	if (place == NULL)
		return false;
	if (len > 5 && strcmp(place + len - 5, "/.git") == 0)
		place[len - 5] = '\0';
	if (place[0] != '/') {
		path = xasprintf("%s/%s", admin, place);
		free(place);
		place = real_place(path);
		free(path);
	}
	same = place != NULL && (strcmp(place, w->real) == 0 ||
	    strcmp(place, w->tree) == 0);
	free(place);
	return same;
}

/* Finds the work tree's folder in that repository. */
static bool
find_admin_in(struct tree *w, const char *repository)
{
	char *folder = xasprintf("%s/worktrees", repository), *admin;
	DIR *dir = folder_has(repository, "HEAD") ? opendir(folder) : NULL;
	const struct dirent *e;

	while (dir != NULL && w->admin == NULL && (e = readdir(dir)) != NULL) {
		admin = xasprintf("%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.' && leads_to_tree(w, admin)) {
			w->admin = xrealpath(admin);
			w->common = xrealpath(repository);
		}
		free(admin);
	}
	if (dir != NULL)
		closedir(dir);
	free(folder);
	return w->admin != NULL;
}

/*
 * Looks in the project and, for a bare repository, in the folders beside it.
 * The work tree itself is not asked.
 */
static void
find_admin(struct tree *w)
{
	char *top = tree_repository(w);
	DIR *dir = NULL;
	const struct dirent *e;

	if (top == NULL || !find_admin_in(w, top))
		dir = opendir(".");
	while (dir != NULL && w->admin == NULL && (e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			find_admin_in(w, e->d_name);
	if (dir != NULL)
		closedir(dir);
	if (w->admin == NULL)
		w->common = top;
	else
		free(top);
}

/* ---- its place ----------------------------------------------------------- */

/* Only folders may be left of a removal that was cut short. */
static void
judge_unknown(struct tree *w)
{
	free(w->admin);
	w->admin = NULL;
	if (w->begun && tree_run(w, NULL, WORDS("find", w->real, "!",
	    "-type", "d")) == 0 && w->out.len == 0)
		return;
	tree_refuse(w, "look at it and move it away, or try 'git worktree "
	    "repair'", "'git worktree list' does not know it");
}

/* Its .git leads back; otherwise there is another repository, with work. */
static void
judge_link(struct tree *w)
{
	char *git = xasprintf("%s/.git", w->real), *back, *path;
	bool leads = !path_there(git) && w->begun;

	back = path_is(git, S_IFREG) ? tree_file(w->real, ".git") : NULL;
	if (back != NULL) {
		const char *to = strncmp(back, "gitdir: ", 8) == 0 ? back + 8 :
		    back;

		path = to[0] == '/' ? xstrdup(to) : xasprintf("%s/%s", w->real,
		    to);
		leads = same_real(path, w->admin);
		free(path);
	}
	free(back);
	free(git);
	if (!leads)
		tree_refuse(w, "look at it and try 'git worktree repair'",
		    "its .git does not lead to '%s'", w->admin);
}

/* Is it below the root, without a link on the way? */
static void
judge_below_root(struct tree *w)
{
	char *root = xrealpath(w->root), *above;
	const char *within;
	size_t len, tail;
	bool same;

	if (root == NULL || !path_is(root, S_IFDIR))
		tree_refuse(w, "set worktree_root", "there is no folder "
		    "'%s'", w->root);
	if (!project_contains(root, w->real) || strcmp(root, w->real) == 0)
		tree_refuse(w, "set worktree_root, or remove it with 'git "
		    "worktree remove'", "it does not lie below '%s'", w->root);
	within = w->real + strlen(root);
	within += *within == '/';
	len = strlen(w->tree);
	tail = strlen(within);
	above = len > tail && strcmp(w->tree + len - tail, within) == 0 ?
	    xstrndup(w->tree, len - tail) : xstrdup(w->tree);
	same = same_real(above, root);
	free(above);
	free(root);
	if (!same)
		tree_refuse(w, "remove the link", "a link leads to it, its "
		    "real path is '%s'", w->real);
}

static void
judge_place(struct tree *w)
{
	char *git = spawn_find("git"), **trees = NULL, *cwd;
	bool known = false;
	size_t i;

	if (git == NULL)
		tree_refuse(w, "install it", "no git in PATH, which is "
		    "'%s'", getenv("PATH") ? getenv("PATH") : "");
	free(git);
	if (w->common != NULL)
		trees = tree_trees(w);
	if (trees != NULL && strcmp(trees[0], w->real) == 0)
		tree_refuse(w, "let the run have a linked one",
		    "it is the project's main work tree");
	judge_below_root(w);
	if (w->common == NULL) {
		cwd = xrealpath(".");
		tree_refuse(w, "look at it and move it away",
		    "git knows no project in '%s': %s", cwd ? cwd : ".",
		    tree_complaint(w));
	}
	for (i = 0; trees != NULL && trees[i] != NULL; i++)
		known = known || strcmp(trees[i], w->real) == 0;
	argv_free(trees);
	if (known && w->admin != NULL)
		judge_link(w);
	else
		judge_unknown(w);
}

static void
judge_lock(struct tree *w)
{
	char *reason;

	if (!folder_has(w->admin, "locked"))
		return;
	reason = tree_file(w->admin, "locked");
	tree_refuse(w, "unlock it with 'git worktree unlock'",
	    "it is locked%s%s%s", reason && *reason ? ": '" : "",
	    reason ? reason : "", reason && *reason ? "'" : "");
}

/* ---- what is in it ------------------------------------------------------- */

void
worktree_judge_occupants(struct tree *w, int seconds)
{
	int tries = seconds * 1000 / PAUSE;
	char name[64];
	pid_t who;

	while ((who = occupants_stranger(&w->occupants, w->real)) > 0 &&
	    tries-- > 0)
		poll(NULL, 0, PAUSE);
	if (who == -1)
		tree_say("not checked: whether a process has its current "
		    "directory in '%s', since there is neither /proc nor lsof",
		    w->tree);
	if (who <= 0)
		return;
	proc_name(who, name, sizeof(name));
	if (occupants_ours(&w->occupants, who))
		tree_fail(w, "cannot remove work tree '%s' yet: process "
		    "%ld (%s) of the pane has not ended; it is tried again",
		    w->tree, (long)who, name[0] ? name : "?");
	tree_refuse(w, "end it or let it go elsewhere", "process %ld (%s) "
	    "has its current directory there", (long)who, name[0] ? name : "?");
}

/* A repository within it has commits and files that our commit cannot hold. */
static void
judge_repositories(struct tree *w)
{
	const char *path;
	size_t len;

	if (tree_run(w, w->real, WORDS("find", ".", "-name",
	    ".[gG][iI][tT]", "!", "-path", "./.git", "-print0")) != 0)
		tree_refuse(w, "make it readable", "it cannot be searched: "
		    "%s", tree_complaint(w));
	for (path = NULL; (path = tree_next(w, path)) != NULL;) {
		if (in_build_dir(w, path + 2))
			continue;
		len = strlen(path + 2);
		tree_refuse(w, "push that and move it away", "'%.*s' is a "
		    "submodule, or another repository, whose work cannot be "
		    "saved", (int)(len > 5 ? len - 5 : len), path + 2);
	}
}

/* git would stop half-way where a folder keeps what is in it. */
static void
judge_folders(struct tree *w)
{
	char user[24], *slash;
	const char *path;

	if (getuid() == 0)
		return;
	snprintf(user, sizeof(user), "%ld", (long)getuid());
	tree_run(w, w->real, WORDS("find", ".", "-type", "d", "(", "-user",
	    user, "!", "-perm", "-300", "-o", "!", "-user", user, "!", "-perm",
	    "-030", "!", "-perm", "-003", ")", "-print0"));
	for (path = NULL; (path = tree_next(w, path)) != NULL;) {
		slash = xasprintf("%s/", path[1] == '/' ? path + 2 : path);
		if (!in_build_dir(w, slash))
			tree_refuse(w, "make that writable", "nothing can "
			    "be removed from its folder '%s'", path);
		free(slash);
	}
}

static bool
empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e = NULL;

	if (dir == NULL)
		return errno == ENOENT;
	while ((e = readdir(dir)) != NULL && (strcmp(e->d_name, ".") == 0 ||
	    strcmp(e->d_name, "..") == 0))
		continue;
	closedir(dir);
	return e == NULL;
}

/* To git a submodule's folder is empty, whatever is in it. */
static void
judge_gitlinks(struct tree *w)
{
	const char *row, *path;
	char *folder;

	for (row = NULL; (row = tree_next(w, row)) != NULL;) {
		path = strchr(row, '\t');
		if (path == NULL || strncmp(row, "160000 ", 7) != 0)
			continue;
		folder = xasprintf("%s/%s", w->real, path + 1);
		if (!empty_folder(folder))
			tree_refuse(w, "move that away", "the folder of "
			    "its submodule '%s' may have something in it",
			    path + 1);
		free(folder);
	}
}

/* Commits of submodules lie in admin even if none is checked out. */
static void
judge_submodules(struct tree *w)
{
	char *modules = xasprintf("%s/modules", w->admin);

	if (!empty_folder(modules))
		tree_refuse(w, "push those and move that away", "it has "
		    "submodules, whose commits in '%s' cannot be saved",
		    modules);
	free(modules);
	tree_git(w, GIT_TREE, WORDS("ls-files", "-s", "-z"));
	judge_gitlinks(w);
	tree_git(w, GIT_TREE, WORDS("ls-tree", "-r", "-z", "HEAD"));
	judge_gitlinks(w);
}

static void
judge_progress(struct tree *w)
{
	static const struct {
		const char *name, *what;
	} signs[] = {
		{ "rebase-merge",     "a rebase" },
		{ "rebase-apply",     "a rebase or an 'am'" },
		{ "MERGE_HEAD",       "a merge" },
		{ "CHERRY_PICK_HEAD", "a cherry-pick" },
		{ "REVERT_HEAD",      "a revert" },
		{ "BISECT_LOG",       "a bisection" },
		{ "sequencer",        "a cherry-pick or a revert" },
	};
	size_t i;

	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (folder_has(w->admin, signs[i].name))
			tree_lose(w, "finish or abort that",
			    "%s is in progress in it", signs[i].what);
}

static void
judge_commits(struct tree *w)
{
	char *title, advice[64];

	if (!tree_find_head(w))
		tree_refuse(w, "repair that", "its HEAD cannot be read");
	if (!tree_find_lone(w))
		tree_refuse(w, "repair that", "its commits cannot be read: "
		    "%s", tree_complaint(w));
	if (w->lone == NULL)
		return;
	title = tree_title(w, w->lone[0]);
	snprintf(advice, sizeof(advice), "keep that with 'git branch NAME "
	    "%.12s'", w->lone[0]);
	tree_lose(w, advice, "its commit %.12s, '%s', is on no branch",
	    w->lone[0], title);
	free(title);
}

/* The index may hold what is neither in HEAD nor in a file. */
static void
judge_index(struct tree *w)
{
	int status;

	w->staged = false;
	if (!folder_has(w->admin, "index"))
		return;
	tree_git(w, GIT_TREE, WORDS("ls-files", "-u"));
	if (w->out.len > 0)
		tree_refuse(w, "resolve or discard them",
		    "it has unmerged files");
	status = tree_staged(w);
	if (status != 0 && status != 1)
		tree_refuse(w, "repair that", "its index cannot be read: "
		    "%s", tree_complaint(w));
	w->staged = status == 1;
	if (w->staged && !w->present)
		tree_lose(w, "remove it with 'git worktree remove'",
		    "something is staged in it");
}

/* ---- its files ----------------------------------------------------------- */

struct changes {
	char  **paths;
	size_t  n;
	char   *first;                  /* in words */
};

static const char *
change_kind(const char *line)
{
	if (strncmp(line, "!! ", 3) == 0)
		return "ignored";
	if (strncmp(line, "?? ", 3) == 0)
		return "untracked";
	if (line[1] == 'D')
		return "deleted";
	return line[0] == ' ' ? "modified" : "staged";
}

/* Adds the lines of a status, but what may be lost. */
static void
changes_add(struct changes *c, struct tree *w, bool deleted)
{
	const char *line, *kind;

	for (line = NULL; (line = tree_next(w, line)) != NULL;) {
		if (strlen(line) < 4 || (!deleted &&
		    strncmp(line, " D ", 3) == 0))
			continue;
		kind = change_kind(line);
		if (kind[0] == 'i' && in_build_dir(w, line + 3))
			continue;
		if (c->n == 0)
			c->first = xasprintf("%s file '%s'", kind, line + 3);
		c->paths = xreallocarray(c->paths, c->n + 1,
		    sizeof(*c->paths));
		c->paths[c->n++] = xstrdup(line + 3);
	}
}

static int
path_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t
changes_count(struct changes *c)
{
	size_t i, n = 0;

	qsort(c->paths, c->n, sizeof(*c->paths), path_order);
	for (i = 0; i < c->n; i++)
		n += i == 0 || strcmp(c->paths[i], c->paths[i - 1]) != 0;
	return n;
}

/*
 * Asks git twice.  An index made anew from HEAD has no flags and no times that
 * could hide a change.  Only git's own index knows whether a file that is
 * missing should be there.
 */
static void
judge_files(struct tree *w)
{
	struct changes c = { 0 };
	char more[40] = "";
	size_t n;

	if (!tree_fresh_index(w))
		tree_refuse(w, "repair that", "its commit cannot be read: "
		    "%s", tree_complaint(w));
	if (!tree_status(w, GIT_FRESH))
		tree_refuse(w, "repair that", "git cannot look at it: %s",
		    tree_complaint(w));
	changes_add(&c, w, false);
	if (!tree_status(w, GIT_TREE))
		tree_refuse(w, "repair that", "git cannot look at it: %s",
		    tree_complaint(w));
	/* Files are missing after a removal that was cut short. */
	changes_add(&c, w, !w->begun);
	if (c.n == 0)
		return;
	n = changes_count(&c) - 1;
	if (n > 0)
		snprintf(more, sizeof(more), " and %zu more", n);
	tree_lose(w, "commit, move or discard what 'git status --ignored' "
	    "shows", "it has the %s%s", c.first, more);
	for (n = 0; n < c.n; n++)
		free(c.paths[n]);
	free(c.paths);
	free(c.first);
}

/* ---- all of it ----------------------------------------------------------- */

static bool
removal_begun(const struct tree *w)
{
	char *own = xasprintf("%s/.paneward", w->status_dir);
	char *name = xasprintf("%s.removing", w->issue);
	char *found = tree_file(own, name);
	char *want = xasprintf("%s %s", w->run, w->real);
	bool begun = found != NULL && strcmp(found, want) == 0;

	free(own);
	free(name);
	free(found);
	free(want);
	return begun;
}

void
worktree_judge(struct tree *w, int seconds)
{
	if (w->tree[0] == '\0')
		return;
	if (path_is(w->tree, S_IFLNK))
		tree_refuse(w, "put back what was there, or remove the "
		    "link", "it is a link");
	w->real = real_place(w->tree);
	if (w->real == NULL)
		w->real = xstrdup(w->tree);
	w->begun = removal_begun(w);
	find_admin(w);
	w->present = path_there(w->tree);
	if (w->present && !path_is(w->tree, S_IFDIR))
		tree_refuse(w, "move it away", "it is not a folder");
	if (w->present)
		judge_place(w);
	if (w->admin == NULL)
		return;
	judge_lock(w);
	if (w->present) {
		worktree_judge_occupants(w, seconds);
		judge_repositories(w);
		judge_folders(w);
	}
	/* Only a name may be left of a removal that was cut short. */
	if (w->begun && !folder_has(w->admin, "HEAD"))
		return;
	judge_submodules(w);
	judge_progress(w);
	judge_commits(w);
	judge_index(w);
	if (w->present)
		judge_files(w);
}

/* ---- removing it --------------------------------------------------------- */

/* Tells the next attempt, if this removal is cut short, that it was ours. */
static int
write_note(const struct tree *w)
{
	char *own = xasprintf("%s/.paneward", w->status_dir);
	char *name = xasprintf("%s.removing", w->issue);
	char *text = xasprintf("%s %s\n", w->run, w->real);
	int dir, ret = -1;

	mkdir(w->status_dir, 0700);
	mkdir(own, 0700);
	dir = open(own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir != -1) {
		ret = file_replace(dir, name, text, strlen(text), 0600);
		close(dir);
	}
	free(own);
	free(name);
	free(text);
	return ret;
}

/*
 * Puts back what a removal that was cut short took, so that the next one is
 * like any other.  No file that is there is overwritten.
 */
static void
mend(struct tree *w)
{
	char *git = xasprintf("%s/.git", w->real);
	char *text = xasprintf("gitdir: %s\n", w->admin);
	int fd = open(git, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd != -1) {
		file_write(fd, text, strlen(text));
		close(fd);
	}
	free(git);
	free(text);
	tree_git(w, GIT_TREE, WORDS("checkout-index", "-a", "-q"));
}

/* Those that hold a tracked file are left to git. */
static void
clear_build_dir(struct tree *w, const char *dir)
{
	char *path = xasprintf("%s/%s", w->real, dir);
	char *spec = xasprintf(":(top,literal)%s", dir);

	if (same_real(path, path) && tree_git(w, GIT_TREE, WORDS("ls-files",
	    "--", spec)) == 0 && w->out.len == 0 && tree_git(w, GIT_FRESH,
	    WORDS("ls-files", "--", spec)) == 0 && w->out.len == 0 &&
	    tree_run(w, NULL, WORDS("rm", "-rf", "--", path)) != 0)
		tree_fail(w, "cannot remove build directory '%s' of '%s': "
		    "%s", dir, w->tree, tree_complaint(w));
	free(path);
	free(spec);
}

static void
remove_known(struct tree *w)
{
	char *const *dir;

	if (w->must_save)
		tree_rescue(w);
	if (write_note(w) == -1)
		tree_fail(w, "cannot write '%s/.paneward/%s.removing': %s; "
		    "work tree '%s' stays", w->status_dir, w->issue,
		    strerror(errno), w->tree);
	if (w->begun && w->present)
		mend(w);
	/* They come first: git would stop half-way where one resists. */
	for (dir = w->build_dirs; w->present && dir != NULL && *dir; dir++)
		clear_build_dir(w, *dir);
	if (tree_remove(w) != 0)
		tree_fail(w, "cannot remove work tree '%s': %s", w->tree,
		    tree_complaint(w));
}

void
worktree_remove(struct tree *w)
{
	if (w->tree[0] == '\0')
		return;
	if (!w->present && w->admin == NULL) {
		tree_say("work tree '%s' is gone already", w->tree);
		return;
	}
	if (w->admin != NULL)
		remove_known(w);
	else
		tree_run(w, NULL, WORDS("find", w->real, "-depth", "-type",
		    "d", "-exec", "rmdir", "{}", ";"));
	if (path_there(w->tree))
		tree_fail(w, "cannot remove work tree '%s': it is still "
		    "there: %s", w->tree, tree_complaint(w));
	tree_say("removed work tree '%s'", w->tree);
}
