/*
 * A work tree has .git, the git directory or a file with `gitdir: PATH`.  A
 * linked one has worktrees/ID in the common git directory, which its file
 * commondir names; its file gitdir leads back.
 */
#include "project/project.h"

#include <strings.h>

#include "os/file.h"

enum {
	LINE_MAX_BYTES = 4096,          /* of a file with one path */
	CONFIG_MAX_BYTES = 256 * 1024   /* of git's configuration */
};

char *
project_join(const char *base, const char *path)
{
	if (path[0] == '/')
		return xstrdup(path);
	return xasprintf("%s/%s", strcmp(base, "/") == 0 ? "" : base, path);
}

static void
cannot_look(struct buf *why, const char *path)
{
	if (why->len == 0)
		buf_printf(why, "cannot look at '%s': %s", path,
		    strerror(errno));
}

/* HEAD of an old repository may be a broken link. */
static bool
is_there(const char *base, const char *name, bool directory, struct buf *why)
{
	char *path = project_join(base, name);
	struct stat st;
	int there = file_look(AT_FDCWD, path,
	    directory ? 0 : AT_SYMLINK_NOFOLLOW, &st);

	if (there == -1)
		cannot_look(why, path);
	free(path);
	return there == 1 && (!directory || S_ISDIR(st.st_mode));
}

/* Frees the path. */
static char *
real_path(char *path, struct buf *why)
{
	char *real = xrealpath(path);

	if (real == NULL && !file_missing(errno) && errno != ENAMETOOLONG)
		cannot_look(why, path);
	free(path);
	return real;
}

static char *
parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? xstrdup("/") :
	    xstrndup(path, (size_t)(slash - path));
}

static bool
project_read_file(const char *base, const char *name, struct buf *text,
    size_t most, struct buf *why)
{
	char *path = project_join(base, name);
	bool read = file_read(AT_FDCWD, path, 0, text, most) == 0;

	if (!read && !file_missing(errno) && errno != EINVAL)
		cannot_look(why, path);
	free(path);
	return read;
}

/* The rest of the first line behind the prefix, or NULL. */
static char *
read_line(const char *base, const char *name, const char *prefix,
    struct buf *why)
{
	struct buf text = BUF_INIT;
	size_t skip = strlen(prefix), len = 0;
	char *line = NULL;

	if (project_read_file(base, name, &text, LINE_MAX_BYTES, why) &&
	    strncmp(buf_str(&text), prefix, skip) == 0)
		len = strcspn(text.data + skip, "\r\n");
	if (len > 0)
		line = xstrndup(text.data + skip, len);
	buf_release(&text);
	return line;
}

static char *
read_path(const char *base, const char *name, const char *prefix,
    struct buf *why)
{
	char *line = read_line(base, name, prefix, why);
	char *real = line ? real_path(project_join(base, line), why) : NULL;

	free(line);
	return real;
}

static bool
is_git_directory(const char *path, struct buf *why)
{
	return is_there(path, "HEAD", false, why) &&
	    (is_there(path, "commondir", false, why) ||
	    (is_there(path, "objects", true, why) &&
	    is_there(path, "refs", true, why)));
}

static char *
git_dir_of(const char *dir, struct buf *why)
{
	char *real = is_there(dir, ".git", true, why) ?
	    real_path(project_join(dir, ".git"), why) :
	    read_path(dir, ".git", "gitdir: ", why);

	if (real != NULL && is_git_directory(real, why))
		return real;
	free(real);
	return NULL;
}

/* The last value in section core, or NULL.  A name alone means true; its
 * section may stand before it in the line. */
static char *
core_value(const char *text, const char *name)
{
	struct buf out = BUF_INIT;
	char *value = NULL;
	bool core = false, quoted;
	size_t end;
	const char *p;

	for (; *text != '\0'; text += *text == '\n') {
		text += strspn(text, " \t");
		if (*text == '[') {
			core = strncasecmp(text, "[core]", 6) == 0;
			text += strcspn(text, "]\n");
			text += *text == ']';
			text += strspn(text, " \t");
		}
		p = text;
		text += strcspn(text, "\n");
		if (!core || strncasecmp(p, name, strlen(name)) != 0)
			continue;
		p += strlen(name);
		p += strspn(p, " \t");
		if (*p != '=' && *p != '\0' && strchr("\r\n#;", *p) == NULL)
			continue;
		free(value);
		if (*p != '=') {
			value = xstrdup("true");
			continue;
		}
		quoted = false;
		end = 0;
		for (p += 1 + strspn(p + 1, " \t"); *p != '\0' && *p != '\n' &&
		    *p != '\r' && (quoted || (*p != '#' && *p != ';')); p++) {
			if (*p == '"') {
				quoted = !quoted;
				continue;
			}
			if (*p == '\\' && p[1] != '\0' && p[1] != '\n')
				p++;
			buf_addc(&out, *p);
			if (quoted || !text_blank(*p))
				end = out.len;
		}
		out.len = end;
		value = buf_steal(&out);
	}
	return value;
}

int
project_foreign(const char *path, struct stat *st, struct buf *why)
{
	int there = file_look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, st);

	if (there == 1 && !file_foreign(st) && S_ISLNK(st->st_mode))
		there = file_look(AT_FDCWD, path, 0, st);
	if (there == -1)
		cannot_look(why, path);
	if (there != 1)
		st->st_mode = 0;
	else if (file_foreign(st))
		buf_printf(why, "cannot use '%s': it belongs to user %lu, "
		    "neither to you nor to root", path,
		    (unsigned long)st->st_uid);
	return there == 1 ? file_foreign(st) : there;
}

static void
project_check_owner(struct project *project, const char *folder,
    const char *name, struct buf *why)
{
	struct buf refusal = BUF_INIT;
	char *path = project_join(folder, name);
	struct stat st;

	if (project->refused == NULL &&
	    project_foreign(path, &st, &refusal) == 1)
		project->refused = buf_steal(&refusal);
	else
		buf_adds(why, buf_str(&refusal));
	buf_release(&refusal);
	free(path);
}

/* The project around a broken work tree is still right. */
static bool
git_found(struct project *project, const char *dir, struct buf *why)
{
	char *own = git_dir_of(dir, why), *common, *bare, *configured;
	bool worktree = own != NULL;
	struct buf config = BUF_INIT;

	if (own == NULL && is_git_directory(dir, why))
		own = xstrdup(dir);
	if (own == NULL)
		return false;
	project->git_dir = common = is_there(own, "commondir", false, why) ?
	    read_path(own, "commondir", "", why) : xstrdup(own);
	if (common == NULL) {
		free(own);
		return false;
	}
	/* config.worktree wins: git may keep settings of the main work tree
	 * there. */
	project_read_file(common, "config", &config, CONFIG_MAX_BYTES, why);
	buf_adds(&config, "\n[]\n");
	project_read_file(common, "config.worktree", &config,
	    CONFIG_MAX_BYTES, why);
	bare = core_value(buf_str(&config), "bare");
	configured = core_value(config.data, "worktree");
	project->bare = bare != NULL && (strcasecmp(bare, "true") == 0 ||
	    strcasecmp(bare, "yes") == 0 || strcasecmp(bare, "on") == 0 ||
	    strtol(bare, NULL, 10) != 0);
	/* Submodules configure their work tree. */
	if (configured != NULL && !project->bare)
		project->root = real_path(project_join(common, configured),
		    why);
	/* Without the name .git it is bare, unless it denies that or a work
	 * tree's .git leads straight to it. */
	if (project->root == NULL && !project->bare &&
	    strcmp(strrchr(common, '/'), "/.git") != 0) {
		if (worktree && (strcmp(own, common) == 0 || bare != NULL))
			project->root = xstrdup(dir);
		else
			project->bare = true;
	}
	if (project->root == NULL)
		project->root = parent(common);
	if (worktree)
		project_check_owner(project, dir, ".git", why);
	project_check_owner(project, dir, own, why);
	free(configured);
	free(bare);
	free(own);
	buf_release(&config);
	return true;
}

/* NULL, or why a status directory alone makes no project: it would claim
 * everything of a user. */
static const char *
shared_folder(const char *dir, struct buf *why)
{
	const char *home = getenv("HOME");
	struct stat st, at_home = { 0 };

	if (stat(dir, &st) == -1)
		cannot_look(why, dir);
	else if (home != NULL && file_look(AT_FDCWD, home, 0, &at_home) == -1)
		cannot_look(why, home);
	else if (strcmp(dir, "/") == 0)
		return "it is the root of all folders";
	else if (st.st_dev == at_home.st_dev && st.st_ino == at_home.st_ino)
		return "it is your home";
	else if (st.st_mode & S_IWOTH)
		return "any user can write to it";
	return NULL;
}

/* PANEWARD_CEILING is a list like git's. */
static char **
folders_up(const char *folder)
{
	const char *list = getenv("PANEWARD_CEILING");
	char *copy = xstrdup(list != NULL ? list : ""), *rest = copy, *item;
	char **folders = argv_add(NULL, folder), **ceilings = NULL;

	while ((item = strsep(&rest, ":")) != NULL) {
		item = item[0] == '/' ? xrealpath(item) : NULL;
		if (item != NULL)
			ceilings = argv_own(ceilings, item);
	}
	free(copy);
	while (strcmp(folder, "/") != 0) {
		item = parent(folder);
		if (argv_has(ceilings, item)) {
			free(item);
			break;
		}
		folders = argv_own(folders, item);
		folder = item;
	}
	argv_free(ceilings);
	return folders;
}

int
project_find(struct project *project, const char *start, struct buf *error)
{
	static const char *const marks[] = { ".paneward.json", ".worktrees",
	    ".worktrees/.status" };
	char *inside = project_join(start, "."), *from = NULL, **folders, **p;
	struct buf failed = BUF_INIT, *why = &failed;
	bool found = false;
	size_t i;

	*project = (struct project){ .root = NULL };
	if (access(inside, X_OK) == 0)
		from = xrealpath(start);
	free(inside);
	if (from == NULL) {
		buf_printf(error, "cannot find the project%s: %s",
		    strcmp(start, ".") == 0 ? " around the current directory" :
		    "", strerror(errno));
		return -1;
	}
	folders = folders_up(from);
	for (p = folders; *p != NULL && !found && why->len == 0; p++)
		found = git_found(project, *p, why);
	for (p = folders; *p != NULL && !found && why->len == 0; p++) {
		found = is_there(*p, ".paneward.json", false, why) ||
		    (shared_folder(*p, why) == NULL &&
		    is_there(*p, ".worktrees/.status", true, why));
		if (found)
			project->root = xstrdup(*p);
	}
	if (!found && why->len == 0) {
		project->root = xstrdup(from);
		project->unfit = shared_folder(from, why);
	}
	/* Readers of start's own marks check those. */
	project->above = project->git_dir == NULL && why->len == 0 &&
	    strcmp(project->root, from) != 0;
	for (i = 0; project->above && i < sizeof(marks) / sizeof(*marks); i++)
		project_check_owner(project, project->root, marks[i], why);
	argv_free(folders);
	free(from);
	if (why->len == 0)
		return 0;
	project_release(project);
	buf_adds(error, buf_str(why));
	buf_release(why);
	return -1;
}

bool
project_fit(const struct project *project, struct buf *why)
{
	if (project->unfit != NULL)
		buf_printf(why, "'%s' is no project by itself: %s; go to the "
		    "project's folder, or make '.paneward.json' here",
		    project->root, project->unfit);
	return project->unfit == NULL;
}

void
project_release(struct project *project)
{
	free(project->root);
	free(project->git_dir);
	free(project->refused);
	*project = (struct project){ .root = NULL };
}

char *
project_resolve(const char *path, struct buf *why)
{
	char *known = xstrdup(path), *real, *whole = NULL, *up, *names;
	const char *rest;

	while ((real = real_path(xstrdup(known), why)) == NULL &&
	    why->len == 0 && known[0] == '/' && known[1] != '\0') {
		up = parent(known);
		free(known);
		known = up;
	}
	rest = path + strlen(known);
	rest += strspn(rest, "/");
	names = xasprintf("/%s/", rest);
	if (real != NULL && strstr(names, "/../") == NULL)
		whole = *rest != '\0' ? project_join(real, rest) :
		    xstrdup(real);
	free(names);
	free(real);
	free(known);
	return whole;
}

bool
project_contains(const char *folder, const char *path)
{
	size_t size = strlen(folder);

	if (strcmp(folder, "/") == 0)
		return path[0] == '/';
	return strncmp(folder, path, size) == 0 &&
	    (path[size] == '/' || path[size] == '\0');
}

/* The work tree of a linked one's git directory, or NULL. */
static char *
project_linked(const char *own, struct buf *why)
{
	char *line = read_line(own, "gitdir", "", why);
	char *path = line ? project_join(own, line) : NULL, *worktree = NULL;

	if (path != NULL && strcmp(strrchr(path, '/'), "/.git") == 0) {
		*strrchr(path, '/') = '\0';
		worktree = project_resolve(path, why);
	}
	free(path);
	free(line);
	return worktree;
}

char **
project_linked_all(const char *git_dir, struct buf *why)
{
	char **list = NULL, *folder, *own, *path, **names, **p;

	if (git_dir == NULL)
		return NULL;
	folder = project_join(git_dir, "worktrees");
	names = file_names(AT_FDCWD, folder);
	if (names == NULL && !file_missing(errno))
		cannot_look(why, folder);
	for (p = names; p != NULL && *p != NULL; p++) {
		own = project_join(folder, *p);
		path = **p != '.' ? project_linked(own, why) : NULL;
		if (path != NULL)
			list = argv_own(argv_own(list, own), path);
		else
			free(own);
	}
	argv_free(names);
	free(folder);
	return list;
}

/* The root can be a linked one, too. */
char *
project_worktree_at(const struct project *project, const char *path,
    bool linked, struct buf *why)
{
	char **list = project_linked_all(project->git_dir, why);
	char *real = project_resolve(path, why), *worktree = NULL, **p;
	const char *best = NULL;

	if (real != NULL && project->git_dir != NULL && !project->bare &&
	    project_contains(project->root, real))
		best = project->root;
	for (p = list; real != NULL && p != NULL && *p != NULL; p += 2)
		if (project_contains(p[1], real) &&
		    (best == NULL || strlen(p[1]) >= strlen(best)))
			best = p[1];
	if (best != NULL && why->len == 0 && (!linked || best != project->root))
		worktree = xstrdup(best);
	free(real);
	argv_free(list);
	return worktree;
}

char *
project_worktree_of(const struct project *project, const char *issue,
    struct buf *why)
{
	char **list = project_linked_all(project->git_dir, why), **p;
	char *want = xasprintf("/issue-%s", issue), *found = NULL;
	size_t size = strlen(want), n = 0;
	const char *name;

	for (p = list; p != NULL && *p != NULL; p += 2) {
		name = strrchr(p[1], '/');
		if (strncmp(name, want, size) == 0 &&
		    (name[size] == '\0' || name[size] == '-')) {
			free(found);
			found = n++ == 0 ? xstrdup(p[1]) : NULL;
		}
	}
	argv_free(list);
	free(want);
	return found;
}

char *
project_branch(const char *worktree, struct buf *why)
{
	char *git_dir = git_dir_of(worktree, why);
	char *branch = git_dir ?
	    read_line(git_dir, "HEAD", "ref: refs/heads/", why) : NULL;

	free(git_dir);
	/* If branches are not files, HEAD names an impossible one. */
	if (branch == NULL || branch[0] != '.')
		return branch;
	free(branch);
	return NULL;
}

void
project_hide(int fd)
{
	int ignore = openat(fd, ".gitignore",
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (ignore == -1)
		return;
	if (write(ignore, "*\n", 2) != 2)
		unlinkat(fd, ".gitignore", 0);
	close(ignore);
}
