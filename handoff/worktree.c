#include "handoff/tree.h"

#include "os/proc.h"
#include "project/project.h"

enum {
	PAUSE = 100,
	COPY_MAX = 1 << 20
};

static bool
admin_has(struct tree *w, const char *name)
{
	return tree_kind(xasprintf("%s/%s", w->admin, name)) != 0;
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

static void
find_admin_in(struct tree *w, const char *repository)
{
	struct buf why = BUF_INIT;
	char **p = NULL;

	if (tree_kind(xasprintf("%s/HEAD", repository)) != 0)
		p = project_linked_all(repository, &why);
	for (; p != NULL && *p != NULL; p += 2)
		if (strcmp(p[1], w->real) == 0 && tree_kind(*p) == S_IFDIR) {
			w->admin = xrealpath(*p);
			w->common = xrealpath(repository);
			return;
		}
	if (why.len > 0)
		fatalx("%s", why.data);
}

/* A bare repository lies beside the project. */
void
worktree_find(struct tree *w)
{
	char **names = file_names(AT_FDCWD, "."), **name;
	const char *top = NULL;

	if (tree_run(w, NULL, WORDS("git", "rev-parse",
	    "--git-common-dir")) == 0)
		top = xrealpath(tree_line(w));
	if (top != NULL)
		find_admin_in(w, top);
	for (name = names; w->admin == NULL && name != NULL && *name != NULL;
	    name++)
		if (access(*name, X_OK) == 0)
			find_admin_in(w, *name);
	if (w->admin == NULL)
		w->common = top;
}

static void
judge_place(struct tree *w)
{
	const char *path = getenv("PATH"), *here = xrealpath("."), *to;
	const char *root = xrealpath(w->root), *within, *row = NULL;
	size_t len = strlen(w->tree), tail;
	bool known = false, first = true;
	mode_t kind;
	char *p;

	if (spawn_find("git") == NULL)
		tree_refuse(w, "install it", "no git in PATH, which is "
		    "'%s'", path ? path : "");
	if (w->common != NULL && tree_git(w, GIT_MAIN, WORDS("worktree",
	    "list", "--porcelain", "-z")) != 0) {
		tree_git(w, GIT_MAIN, WORDS("worktree", "list", "--porcelain"));
		for (p = w->out.data; (p = strchr(p, '\n')) != NULL;)
			*p++ = '\0';
	}
	while (w->common != NULL && !known &&
	    (row = tree_next(w, row)) != NULL) {
		if (strncmp(row, "worktree ", 9) != 0)
			continue;
		known = strcmp(row + 9, w->real) == 0;
		if (known && first)
			tree_refuse(w, "let the run have a linked one",
			    "it is the project's main work tree");
		first = false;
	}
	if (root == NULL || tree_kind(root) != S_IFDIR)
		tree_refuse(w, "set worktree_root", "there is no folder "
		    "'%s'", w->root);
	if (!project_contains(root, w->real) || strcmp(root, w->real) == 0)
		tree_refuse(w, "set worktree_root, or remove it with 'git "
		    "worktree remove'", "it does not lie below '%s'", w->root);
	within = w->real + strlen(root);
	within += *within == '/';
	tail = strlen(within);
	if (len <= tail || strcmp(w->tree + len - tail, within) != 0 ||
	    !tree_same(xasprintf("%.*s", (int)(len - tail), w->tree), root))
		tree_refuse(w, "remove the link", "a link leads to it, its "
		    "real path is '%s'", w->real);
	if (w->common == NULL)
		tree_refuse(w, "look at it and move it away",
		    "git knows no project in '%s': %s", here ? here : ".",
		    tree_complaint(w));
	/* A .git that leads elsewhere is another repository, with work. */
	if (known && w->admin != NULL) {
		kind = tree_kind(xasprintf("%s/.git", w->real));
		to = kind == S_IFREG ? tree_file(w->real, ".git") : NULL;
		if (to != NULL && strncmp(to, "gitdir: ", 8) == 0)
			to += 8;
		if (to != NULL && to[0] != '/')
			to = xasprintf("%s/%s", w->real, to);
		if (to != NULL ? !tree_same(to, w->admin) :
		    kind != 0 || !w->begun)
			tree_refuse(w, "look at it and try 'git worktree "
			    "repair'", "its .git does not lead to '%s'",
			    w->admin);
		return;
	}
	/* An interrupted removal may have left folders alone. */
	w->admin = NULL;
	if (!w->begun || tree_run(w, NULL, WORDS("find", w->real, "!",
	    "-type", "d")) != 0 || w->out.len > 0)
		tree_refuse(w, "look at it and move it away, or try 'git "
		    "worktree repair'", "'git worktree list' does not know it");
}

void
worktree_judge_occupants(struct tree *w, int seconds)
{
	int tries = seconds * 1000 / PAUSE;
	const char *process;
	char name[64];
	pid_t who;

	while ((who = occupants_stranger(&w->occupants, w->real)) > 0 &&
	    tries-- > 0)
		loop_pause(PAUSE);
	if (who == -1 && errno != 0)
		tree_fail(w, "cannot remove work tree '%s' yet: cannot see "
		    "which processes are in it: %s; retrying",
		    w->tree, strerror(errno));
	if (who == -1)
		tree_say("not checked: whether a process has its current "
		    "directory in '%s', since there is neither /proc nor lsof",
		    w->tree);
	if (who <= 0)
		return;
	proc_program_name(who, name, sizeof(name));
	process = xasprintf("process %ld (%s)", (long)who, name[0] ? name :
	    "?");
	if (occupants_ours(&w->occupants, who))
		tree_fail(w, "cannot remove work tree '%s' yet: %s of the pane "
		    "has not ended; retrying", w->tree, process);
	tree_refuse(w, "end it or let it go elsewhere", "%s has its current "
	    "directory there", process);
}

static void
judge_within(struct tree *w)
{
	const char *path = NULL, *name;
	const char *user = xasprintf("%ld", (long)getuid());
	size_t len;

	if (tree_run(w, w->real, WORDS("find", ".", "-name",
	    ".[gG][iI][tT]", "!", "-path", "./.git", "-print0")) != 0)
		tree_refuse(w, "make it readable", "it cannot be searched: "
		    "%s", tree_complaint(w));
	/* Our commit cannot hold an inner repository's. */
	while ((path = tree_next(w, path)) != NULL) {
		if (in_build_dir(w, path + 2))
			continue;
		len = strlen(path + 2);
		tree_refuse(w, "push that and move it away", "'%.*s' is a "
		    "submodule, or another repository, whose work cannot be "
		    "saved", (int)(len > 5 ? len - 5 : len), path + 2);
	}
	/* git would stop half-way at a folder that is not writable. */
	if (getuid() == 0)
		return;
	tree_run(w, w->real, WORDS("find", ".", "-type", "d", "(", "-user",
	    user, "!", "-perm", "-300", "-o", "!", "-user", user, "!", "-perm",
	    "-030", "!", "-perm", "-003", ")", "-print0"));
	while ((path = tree_next(w, path)) != NULL) {
		name = path[1] == '/' ? path + 2 : path;
		if (!in_build_dir(w, xasprintf("%s/", name)))
			tree_refuse(w, "make that writable", "nothing can "
			    "be removed from its folder '%s'", name);
	}
}

/* git takes a submodule's folder for empty. */
static void
judge_submodules(struct tree *w)
{
	const char *modules = xasprintf("%s/modules", w->admin), *row, *path;
	int list;

	if (!file_empty(modules))
		tree_refuse(w, "push those and move that away", "it has "
		    "submodules, whose commits in '%s' cannot be saved",
		    modules);
	for (list = 0; list < 2; list++) {
		tree_git(w, GIT_TREE, list == 0 ? WORDS("ls-files", "-s",
		    "-z") : WORDS("ls-tree", "-r", "-z", "HEAD"));
		for (row = NULL; (row = tree_next(w, row)) != NULL;) {
			path = strchr(row, '\t');
			if (path != NULL && strncmp(row, "160000 ", 7) == 0 &&
			    !file_empty(xasprintf("%s/%s", w->real, path + 1)))
				tree_refuse(w, "move that away", "the folder "
				    "of its submodule '%s' may have something "
				    "in it", path + 1);
		}
	}
}

/* The index may hold what is neither in HEAD nor in a file. */
static void
judge_commits(struct tree *w)
{
	const char *title, *id, *branch, *against;
	int status;

	w->head = tree_git_line(w, GIT_TREE, WORDS("rev-parse", "-q",
	    "--verify", "HEAD^{commit}"));
	branch = w->head != NULL ? NULL : tree_git_line(w, GIT_TREE,
	    WORDS("symbolic-ref", "-q", "HEAD"));
	if (w->head == NULL && (branch == NULL ||
	    strncmp(branch, "refs/heads/", 11) != 0 || tree_git(w, GIT_MAIN,
	    WORDS("show-ref", "-q", "--verify", branch)) == 0))
		tree_refuse(w, "repair that", "its HEAD cannot be read");
	if (!tree_find_lone(w))
		tree_unreadable(w, "its commits cannot be read");
	if (w->lone != NULL) {
		id = xasprintf("%.12s", w->lone[0]);
		tree_git(w, GIT_MAIN, WORDS("cat-file", "commit", w->lone[0]));
		title = strstr(buf_str(&w->out), "\n\n");
		title = title != NULL ? title + 2 : "";
		tree_lose(w, xasprintf("keep that with 'git branch NAME %s'",
		    id), "its commit %s, '%.*s', is on no branch", id,
		    (int)strcspn(title, "\n"), title);
	}
	if (!admin_has(w, "index"))
		return;
	tree_git(w, GIT_TREE, WORDS("ls-files", "-u"));
	if (w->out.len > 0)
		tree_refuse(w, "resolve or discard them",
		    "it has unmerged files");
	against = w->head != NULL ? w->head : tree_git_line(w, GIT_MAIN,
	    WORDS("hash-object", "-t", "tree", "/dev/null"));
	status = tree_git(w, GIT_TREE, WORDS("diff-index", "--cached",
	    "--quiet", "--ignore-submodules=none", against ? against : "",
	    "--"));
	if (status != 0 && status != 1)
		tree_unreadable(w, "its index cannot be read");
	w->staged = status == 1;
	if (w->staged && !w->present)
		tree_lose(w, "remove it with 'git worktree remove'",
		    "something is staged in it");
}

/* A new index of HEAD has no flags and times that could hide a change.  Only
 * git's own index tells whether a missing file should be there. */
static void
judge_files(struct tree *w)
{
	static const char sessions[] = "/" PROJECT_SESSIONS "/";
	const char *first = NULL, *line, *path, *kind, *settings;
	const char *root = xrealpath(".");
	struct buf theirs = BUF_INIT, copy = BUF_INIT;
	char **paths = NULL;
	size_t i, more = 0;
	int own;

	if (tree_git(w, GIT_FRESH, WORDS("read-tree", w->head ? w->head :
	    "--empty")) != 0)
		tree_unreadable(w, "its commit cannot be read");
	for (own = 0; own < 2; own++) {
		/* git warns of what it did not inspect. */
		if (tree_git(w, own ? GIT_TREE : GIT_FRESH, WORDS("status",
		    "--porcelain=v1", "-z", "--no-renames",
		    "--ignore-submodules=none", own ? "--untracked-files=no" :
		    "--untracked-files=all", own ? NULL :
		    "--ignored=traditional")) != 0 || w->errors.len > 0)
			tree_unreadable(w, "git cannot look at it");
		for (line = NULL; (line = tree_next(w, line)) != NULL;) {
			/* An interrupted removal may have taken files. */
			if (strlen(line) < 4 || (strncmp(line, " D ", 3) == 0 &&
			    (!own || w->begun)))
				continue;
			path = line + 3;
			kind = line[0] == '!' ? "ignored" :
			    line[0] == '?' ? "untracked" :
			    line[1] == 'D' ? "deleted" :
			    line[0] == ' ' ? "modified" : "staged";
			/* Hooks keep some files of the agent's sessions. */
			settings = strchr(path, '/');
			if (line[0] == '!' && (in_build_dir(w, path) ||
			    (settings != NULL && strncmp(settings, sessions,
			    strlen(sessions)) == 0)))
				continue;
			/* A link may lead to the work tree itself. */
			buf_reset(&theirs);
			buf_reset(&copy);
			if (strchr("!?", line[0]) != NULL && root != NULL &&
			    tree_same(path, xasprintf("%s/%s", root, path)) &&
			    file_read(AT_FDCWD, path, FILE_NOFOLLOW, &theirs,
			    COPY_MAX) == 0 && file_read(AT_FDCWD, xasprintf(
			    "%s/%s", w->real, path), FILE_NOFOLLOW, &copy,
			    COPY_MAX) == 0 && theirs.len < COPY_MAX &&
			    buf_same(&theirs, &copy)) {
				w->copies = argv_add(w->copies, path);
				continue;
			}
			if (first == NULL)
				first = xasprintf("%s file '%s'", kind, path);
			paths = argv_add(paths, path);
		}
	}
	argv_sort(paths);
	for (i = 1; paths != NULL && paths[i] != NULL; i++)
		more += strcmp(paths[i], paths[i - 1]) != 0;
	if (first != NULL)
		tree_lose(w, "commit, move or discard what 'git status "
		    "--ignored' shows", "it has the %s%s", first, more == 0 ?
		    "" : xasprintf(" and %zu more", more));
}

/* An interrupted removal may leave no more than a name in the repository. */
void
worktree_judge(struct tree *w)
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
	mode_t kind = tree_kind(w->tree);
	struct buf why = BUF_INIT;
	const char *note, *reason;
	size_t i;

	if (w->tree[0] == '\0')
		return;
	if (kind == S_IFLNK)
		tree_refuse(w, "put back what was there, or remove the "
		    "link", "it is a link");
	w->real = project_resolve(w->tree, &why);
	/* A failed look may hide a reason against a removal. */
	if (why.len > 0)
		fatalx("%s", why.data);
	if (w->real == NULL)
		w->real = w->tree;
	w->note = xasprintf("%s %s", w->run, w->real);
	note = tree_file(w->status_dir, xasprintf(".paneward/%s.removing",
	    w->issue));
	w->begun = note != NULL && strcmp(note, w->note) == 0;
	worktree_find(w);
	w->present = kind != 0;
	if (w->present && kind != S_IFDIR)
		tree_refuse(w, "move it away", "it is not a folder");
	if (w->present)
		judge_place(w);
	if (w->admin == NULL)
		return;
	reason = tree_file(w->admin, "locked");
	if (admin_has(w, "locked"))
		tree_refuse(w, "unlock it with 'git worktree unlock'",
		    "it is locked%s", reason != NULL && reason[0] != '\0' ?
		    xasprintf(": '%s'", reason) : "");
	if (w->present) {
		worktree_judge_occupants(w, OCCUPANTS_LEAVE);
		judge_within(w);
	}
	if (w->begun && !admin_has(w, "HEAD"))
		return;
	judge_submodules(w);
	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (admin_has(w, signs[i].name))
			tree_lose(w, "finish or abort that",
			    "%s is in progress in it", signs[i].what);
	judge_commits(w);
	if (w->present)
		judge_files(w);
}

void
worktree_remove(struct tree *w)
{
	const char *saved, *files, *text, *const *list;
	char *const *dir;
	int fd, noted;

	if (w->tree[0] == '\0')
		return;
	if (!w->present && w->admin == NULL) {
		tree_say("work tree '%s' is gone already", w->tree);
		return;
	}
	if (w->plan) {
		tree_say("would remove work tree '%s'%s", w->tree,
		    w->build_dirs ? ", what is ignored in its build "
		    "directories included" : "");
		return;
	}
	if (w->admin == NULL) {
		tree_run(w, NULL, WORDS("find", w->real, "-depth", "-type",
		    "d", "-exec", "rmdir", "{}", ";"));
		goto removed;
	}
	saved = w->must_save ? tree_rescue(w) : NULL;
	text = xasprintf("%s\n", w->note);
	mkdir(w->status_dir, 0700);
	fd = file_folder(w->status_dir, ".paneward", true);
	noted = fd == -1 ? -1 : file_replace(fd, xasprintf("%s.removing",
	    w->issue), text, strlen(text), 0600);
	file_close(fd);
	if (noted == -1)
		tree_fail(w, "cannot write '%s/.paneward/%s.removing': %s; "
		    "work tree '%s' stays", w->status_dir, w->issue,
		    strerror(errno), w->tree);
	/* Puts back what an interrupted removal took. */
	if (w->begun && w->present) {
		text = xasprintf("gitdir: %s\n", w->admin);
		fd = open(xasprintf("%s/.git", w->real), O_WRONLY | O_CREAT |
		    O_EXCL | O_CLOEXEC, 0666);
		if (fd != -1)
			file_write(fd, text, strlen(text));
		file_close(fd);
		tree_git(w, GIT_TREE, WORDS("checkout-index", "-a", "-q"));
	}
	/* git would stop half-way at one that resists; but those with tracked
	 * files are left to it. */
	for (dir = w->build_dirs; w->present && dir != NULL && *dir; dir++) {
		text = xasprintf("%s/%s", w->real, *dir);
		list = WORDS("ls-files", "--", xasprintf(":(top,literal)%s",
		    *dir));
		if (tree_kind(text) == S_IFDIR && tree_same(text, text) &&
		    tree_git(w, GIT_TREE, list) == 0 && w->out.len == 0 &&
		    tree_git(w, GIT_FRESH, list) == 0 && w->out.len == 0 &&
		    tree_run(w, NULL, WORDS("rm", "-rf", "--", text)) != 0)
			tree_fail(w, "cannot remove build directory '%s' of "
			    "'%s': %s", *dir, w->tree, tree_complaint(w));
	}
	/* git would keep them. */
	for (dir = w->copies; saved == NULL && dir != NULL && *dir; dir++)
		unlink(xasprintf("%s/%s", w->real, *dir));
	files = saved != NULL ? tree_save_files(w) : NULL;
	if (saved != NULL && (files == NULL || strcmp(files, saved) != 0))
		tree_fail(w, "cannot remove work tree '%s' yet: it changed "
		    "while it was saved", w->tree);
	/* git inspects the tree again, unless all of it was saved. */
	if (tree_git(w, GIT_APART, WORDS("worktree", "remove", w->real,
	    saved != NULL ? "--force" : NULL)) != 0)
		tree_fail(w, "cannot remove work tree '%s': %s", w->tree,
		    tree_complaint(w));
removed:
	if (tree_kind(w->tree) != 0)
		tree_fail(w, "cannot remove work tree '%s': it is still "
		    "there: %s", w->tree, tree_complaint(w));
	tree_say("removed work tree '%s'", w->tree);
}
