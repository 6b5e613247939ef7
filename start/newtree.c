/*
 * newtree.c - the work tree that start makes for an issue.
 */
#include "start/start.h"

#include "os/trap.h"

enum {
	GIT_LIMIT = 3600 * 1000,        /* ms: a checkout may be long */
	LOCK_LIMIT = 10000,             /* ms */
	EXCLUDE_MAX = 1 << 20           /* bytes */
};

/* A signal that would end us ends it; its status. */
static int
newtree_run(struct spawn *s, const struct spawn_how *how)
{
	struct loop loop = LOOP_INIT;
	struct loop_wait trap = LOOP_WAIT(trap_open(), NULL, NULL);
	int signo = 0;

	loop_add(&loop, &trap);
	spawn_begin(s, how);
	spawn_follow(s, &loop, NULL, NULL);
	while (s->pid != 0 && signo == 0) {
		loop_round(&loop, CLOCK_NEVER);
		signo = trap_read();
	}
	loop_release(&loop);
	trap_close();
	if (signo == 0)
		return s->status;
	spawn_release(s);
	buf_adds(&s->errors, "interrupted");
	return SPAWN_SIGNAL + signo;
}

/* Runs git with a lock (0: none); its status.  said (or NULL) gets its output,
 * or after a failure its messages as one line. */
static int
newtree_git_in(const char *folder, char **argv, int turn, struct buf *said)
{
	static const char *const without[] = { "GIT_DIR", "GIT_WORK_TREE",
	    "GIT_INDEX_FILE", "GIT_COMMON_DIR", NULL };
	struct spawn git = SPAWN_INIT;
	int status = newtree_run(&git, &(struct spawn_how){ .cwd = folder,
	    .argv = (const char *const *)argv, .limit = GIT_LIMIT, .in = turn,
	    .without = without });
	struct buf *from = status == 0 ? &git.output : &git.errors;
	char *p;

	buf_chomp(from);
	buf_str(from);
	while (status != 0 && (p = strchr(from->data, '\n')) != NULL)
		*p = ' ';
	if (said != NULL) {
		buf_reset(said);
		buf_adds(said, from->data);
		buf_str(said);
	}
	spawn_release(&git);
	return status;
}

static int
newtree_git(const struct newtree *n, const char *const *words, struct buf *said)
{
	char **argv = argv_own(argv_add_all(NULL, WORDS("git",
	    "--no-optional-locks")), xasprintf("--git-dir=%s",
	    n->context->project.git_dir));

	return newtree_git_in(n->context->project.root,
	    argv_add_all(argv, words), n->how->turn, said);
}

/* A killed start leaves an empty folder. */
static int
plan_free(const struct newtree *n, struct buf *why)
{
	struct stat st;
	bool taken = lstat(n->path, &st) == 0 &&
	    (S_ISLNK(st.st_mode) || !file_empty(n->path));

	if (taken)
		buf_printf(why, "there is already a '%s'; start in it by "
		    "--worktree '%s', or remove it by: git worktree remove "
		    "'%s'", n->path, n->path, n->path);
	return taken ? -1 : 0;
}

int
newtree_plan(struct newtree *n, struct buf *why)
{
	const struct context *c = n->context;
	const struct newrun_how *how = n->how;
	const char *root = c->project.root, *base = how->base;
	struct buf said = BUF_INIT, dirty = BUF_INIT;
	char *what, *given, *folder;

	if (c->project.git_dir == NULL) {
		buf_printf(why, "the project '%s' is in no git repository",
		    root);
		return -1;
	}
	n->branch = how->branch != NULL ? xstrdup(how->branch) :
	    xasprintf("issue-%s", how->issue);
	n->ref = xasprintf("refs/heads/%s", n->branch);
	if (n->branch[0] == '-' || newtree_git(n, WORDS("check-ref-format",
	    n->ref), NULL) != 0) {
		buf_printf(why, "'%s' cannot be the name of a branch",
		    n->branch);
		return -1;
	}
	n->new_branch = newtree_git(n, WORDS("show-ref", "-q", "--verify",
	    n->ref), NULL) != 0;
	/* An earlier start may have made the branch. */
	if (how->again && !n->new_branch)
		base = NULL;
	what = !n->new_branch ? n->ref : xasprintf("%s^{commit}", base != NULL ?
	    base : "HEAD");
	if (base != NULL && !n->new_branch)
		buf_printf(why, "branch '%s' is there already, and --base is "
		    "for a new one", n->branch);
	else if (what[0] == '-' || newtree_git(n, WORDS("rev-parse", "-q",
	    "--verify", what), &said) != 0)
		buf_printf(why, base != NULL ? "there is no commit '%s'" :
		    "the project '%s' has no commit yet", base != NULL ? base :
		    root);
	else if (base == NULL && n->new_branch && how->run == NULL &&
	    !c->project.bare && newtree_git(n, WORDS("status", "--porcelain",
	    "--untracked-files=no"), &dirty) == 0 && dirty.len > 0)
		buf_printf(why, "'%s' has uncommitted changes, which the work "
		    "tree would not have; commit them, or start without them "
		    "by '--base HEAD'", root);
	if (why->len > 0)
		return -1;
	n->commit = buf_steal(&said);
	given = c->config.worktree_root != NULL ?
	    xstrdup(c->config.worktree_root) : xasprintf("%s/.worktrees", root);
	folder = project_resolve(given, why);
	if (folder == NULL && why->len == 0)
		buf_printf(why, "cannot use the worktree_root '%s': it leads "
		    "back up", given);
	if (folder == NULL)
		return -1;
	n->path = xasprintf("%s/issue-%s", folder, how->issue);
	if (!c->project.bare && project_contains(root, folder))
		n->ignore = xasprintf("%s/", strcmp(folder, root) == 0 ?
		    n->path + strlen(root) : folder + strlen(root));
	return how->queued && !how->again ? plan_free(n, why) : 0;
}

static int
newtree_exclude(const struct newtree *n)
{
	const struct context *c = n->context;
	char *folder = xasprintf("%s/info", c->project.git_dir);
	char *path = xasprintf("%s/exclude", folder);
	struct buf text = BUF_INIT, line = BUF_INIT;
	const char *p;
	int fd, ret = -1;

	mkdir(folder, 0777);
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
	    0666);
	if (fd != -1 && file_lock(fd, LOCK_LIMIT) == 0)
		ret = 0;
	if (ret == 0 && newtree_git(n, WORDS("check-ignore", "-q", "--",
	    n->path), NULL) != 0) {
		ret = file_read_open(fd, 0, &text, EXCLUDE_MAX);
		if (text.len > 0 && text.data[text.len - 1] != '\n')
			buf_addc(&line, '\n');
		/* No letter is a pattern. */
		for (p = n->ignore; *p != '\0'; p++) {
			if (strchr("\\*?[ ", *p) != NULL)
				buf_addc(&line, '\\');
			buf_addc(&line, *p);
		}
		buf_addc(&line, '\n');
		if (ret == 0)
			ret = file_write(fd, line.data, line.len);
	}
	file_close(fd);
	return ret;
}

/* Opens the folder of a path below root; -1.  *there: the path is there. */
static int
copy_folder(const char *root, const char *path, bool make, bool *there)
{
	const char *slash = strrchr(path, '/');
	int fd = file_folder(root, xstrndup(path, slash ? (size_t)(slash -
	    path) : 0), make);
	struct stat st;

	*there = fd != -1 && fstatat(fd, slash ? slash + 1 : path, &st,
	    AT_SYMLINK_NOFOLLOW) == 0;
	return fd;
}

/* Copies what the project has, but git has not checked out. */
static void
newtree_copy(const struct newtree *n, struct buf *why)
{
	const struct context *c = n->context;
	char *const *item = c->config.worktree_copy;
	struct spawn cp = SPAWN_INIT;
	char *path, *from, *to;
	bool there, taken;
	int source, target;
	size_t len;

	for (; why->len == 0 && item != NULL && *item != NULL; item++) {
		len = strlen(*item);
		path = xstrndup(*item, len - ((*item)[len - 1] == '/'));
		from = xasprintf("%s/%s", c->project.root, path);
		to = xasprintf("%s/%s", n->path, path);
		source = copy_folder(c->project.root, path, false, &there);
		target = there ? copy_folder(n->path, path, true, &taken) : -1;
		if (there && target == -1)
			buf_printf(why, "cannot copy '%s' into the work tree: "
			    "%s", from, strerror(errno));
		else if (there && !taken && newtree_run(&cp,
		    &(struct spawn_how){ .limit = GIT_LIMIT,
		    .in = n->how->turn,
		    .argv = WORDS("cp", "-RPp", "--", from, to) }) != 0)
			buf_printf(why, "cannot copy '%s' into the work tree: "
			    "%.*s", from, (int)strcspn(buf_str(&cp.errors),
			    "\n"), buf_str(&cp.errors));
		file_close(target);
		file_close(source);
		spawn_release(&cp);
	}
}

/* Is the rest of an interrupted start a work tree of the branch, without work?
 * Then git status shows only files that are not checked out, or copied. */
static bool
left_untouched(const struct newtree *n)
{
	struct buf said = BUF_INIT;
	const char *line;
	char *const *item;
	size_t len, size;
	bool copied, ours = access(xasprintf("%s/.git", n->path), F_OK) == 0 &&
	    newtree_git_in(n->path, argv_add_all(NULL, WORDS("git",
	    "symbolic-ref", "HEAD")), 0, &said) == 0 &&
	    strcmp(buf_str(&said), n->ref) == 0 &&
	    newtree_git_in(n->path, argv_add_all(NULL, WORDS("git", "-c",
	    "core.quotePath=false", "status", "--porcelain", "--ignored",
	    "--untracked-files=all")), 0, &said) == 0;

	for (line = buf_str(&said); ours && *line != '\0'; line += len) {
		len = strcspn(line, "\n");
		/* Is it, or lies it in, a path of worktree_copy? */
		copied = false;
		item = n->context->config.worktree_copy;
		for (; len >= 4 && item != NULL && *item != NULL; item++) {
			size = strlen(*item);
			size -= (*item)[size - 1] == '/';
			copied |= len - 3 >= size &&
			    memcmp(line + 3, *item, size) == 0 &&
			    (len - 3 == size || line[3 + size] == '/');
		}
		if (strncmp(line, "??", 2) == 0 || strncmp(line, "!!", 2) == 0)
			ours = copied;
		else
			ours = len >= 4 && strspn(line, " D") >= 2;
		len += line[len] != '\0';
	}
	return ours;
}

int
newtree_make(struct newtree *n, struct buf *why)
{
	struct buf said = BUF_INIT;
	int ret;

	if (n->how->again && left_untouched(n))
		newtree_git(n, WORDS("worktree", "remove", "--force",
		    "--force", n->path), NULL);
	if (plan_free(n, why) == -1)
		return -1;
	rmdir(n->path);
	if (file_make_path(xstrndup(n->path, (size_t)(strrchr(n->path, '/') -
	    n->path))) == -1 || mkdir(n->path, 0777) == -1) {
		buf_printf(why, "cannot make the folder '%s': %s", n->path,
		    strerror(errno));
		return -1;
	}
	n->made = true;
	if (n->ignore != NULL && newtree_exclude(n) == -1)
		buf_printf(why, "cannot write '%s/info/exclude': %s",
		    n->context->project.git_dir, strerror(errno));
	else if ((ret = newtree_git(n, n->new_branch ? WORDS("worktree", "add",
	    "-q", "-b", n->branch, n->path, n->commit) : WORDS("worktree",
	    "add", "-q", n->path, n->branch), &said)) == SPAWN_TIMEOUT)
		buf_printf(why, "git took too long to make the work tree '%s'",
		    n->path);
	else if (ret != 0)
		buf_printf(why, "cannot make the work tree '%s': %s", n->path,
		    said.data + (strncmp(said.data, "fatal: ", 7) ? 0 : 7));
	else
		newtree_copy(n, why);
	if (why->len > 0)
		newtree_undo(n);
	return why->len > 0 ? -1 : 0;
}

void
newtree_undo(struct newtree *n)
{
	struct buf said = BUF_INIT;

	if (!n->made)
		return;
	newtree_git(n, WORDS("worktree", "remove", "--force", "--force",
	    n->path), NULL);
	rmdir(n->path);
	/* Git keeps one that another work tree has. */
	if (n->new_branch && newtree_git(n, WORDS("rev-parse", "-q", "--verify",
	    n->ref), &said) == 0 && strcmp(said.data, n->commit) == 0)
		newtree_git(n, WORDS("branch", "-q", "-D", n->branch), NULL);
	n->made = false;
}
