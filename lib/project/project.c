/*
 * What git keeps where: a work tree has .git, which is the git directory or a
 * file with `gitdir: PATH`.  The git directory of a linked work tree is
 * worktrees/ID in the common one, which its file commondir names; its file
 * gitdir names the work tree's .git.  Paths may be relative to the folder of
 * their file.
 */
#include "project/project.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/text.h"
#include "os/file.h"

enum {
	LINE_MAX_BYTES = 4096,          /* of a file that holds one path */
	CONFIG_MAX_BYTES = 256 * 1024   /* of git's configuration */
};

/* path, as a file of the folder base means it. */
static char *
join(const char *base, const char *path)
{
	if (path[0] == '/')
		return xstrdup(path);
	return xasprintf("%s/%s", strcmp(base, "/") == 0 ? "" : base, path);
}

/* Is there a directory of that name, or anything?  A link that leads nowhere is
 * something: HEAD may be one in old repositories. */
static bool
is_there(const char *base, const char *name, bool directory)
{
	char *path = join(base, name);
	struct stat st;
	bool yes = directory ? stat(path, &st) == 0 && S_ISDIR(st.st_mode) :
	    lstat(path, &st) == 0;

	free(path);
	return yes;
}

/* The folder of an absolute path. */
static char *
parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? xstrdup("/") :
	    xstrndup(path, (size_t)(slash - path));
}

/* Adds the first bytes of a regular file.  False without one. */
static bool
project_read_file(const char *base, const char *name, struct buf *text,
    size_t most)
{
	char *path = join(base, name);
	bool read = file_read(AT_FDCWD, path, 0, text, most) == 0;

	free(path);
	return read;
}

/* The rest of a file's first line behind the prefix; NULL if there is none.
 * The caller frees it. */
static char *
read_line(const char *base, const char *name, const char *prefix)
{
	struct buf text = BUF_INIT;
	size_t skip = strlen(prefix);
	char *line = NULL;

	if (project_read_file(base, name, &text, LINE_MAX_BYTES) &&
	    strncmp(buf_str(&text), prefix, skip) == 0)
		line = xstrndup(text.data + skip,
		    strcspn(text.data + skip, "\r\n"));
	buf_release(&text);
	if (line != NULL && line[0] != '\0')
		return line;
	free(line);
	return NULL;
}

/* The same line as a real path. */
static char *
read_path(const char *base, const char *name, const char *prefix)
{
	char *line = read_line(base, name, prefix);
	char *path = line ? join(base, line) : NULL;
	char *real = path ? xrealpath(path) : NULL;

	free(path);
	free(line);
	return real;
}

static bool
is_git_directory(const char *path)
{
	return is_there(path, "HEAD", false) &&
	    (is_there(path, "commondir", false) ||
	    (is_there(path, "objects", true) && is_there(path, "refs", true)));
}

/* The git directory of the work tree at dir, or NULL. */
static char *
git_dir_of(const char *dir)
{
	char *path = join(dir, ".git"), *real = NULL;
	struct stat st;

	if (stat(path, &st) == 0)
		real = S_ISDIR(st.st_mode) ? xrealpath(path) :
		    read_path(dir, ".git", "gitdir: ");
	free(path);
	if (real != NULL && is_git_directory(real))
		return real;
	free(real);
	return NULL;
}

/* ---- git's configuration ------------------------------------------------- */

/* The value that begins at p, without quotes, escapes and a comment. */
static char *
config_value(const char *p)
{
	struct buf out = BUF_INIT;
	bool quoted = false;
	size_t end = 0;

	for (; *p != '\0' && *p != '\n' && *p != '\r'; p++) {
		if (!quoted && (*p == '#' || *p == ';'))
			break;
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
	return buf_steal(&out);
}

/*
 * The last value of a variable in section core, or NULL; its name alone means
 * true.  A section's name may stand before a variable in one line.
 */
static char *
core_value(const char *text, const char *name)
{
	char *value = NULL;
	bool core = false;
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
		value = *p != '=' ? xstrdup("true") :
		    config_value(p + 1 + strspn(p + 1, " \t"));
	}
	return value;
}

/* ---- finding the project ------------------------------------------------- */

static bool
ends_in_git(const char *path)
{
	return strcmp(strrchr(path, '/'), "/.git") == 0;
}

/*
 * Submodules configure their work tree.  A repository that is not called .git
 * and does not deny being bare is bare, unless a work tree's .git leads
 * straight to it.
 */
static void
set_root(struct project *project, const char *worktree, bool linked)
{
	const char *common = project->git_dir;
	struct buf config = BUF_INIT;
	char *bare, *configured, *path;

	/* With settings per work tree, git keeps some of the main one's in
	 * config.worktree, which wins. */
	project_read_file(common, "config", &config, CONFIG_MAX_BYTES);
	buf_adds(&config, "\n[]\n");
	project_read_file(common, "config.worktree", &config,
	    CONFIG_MAX_BYTES);
	bare = core_value(buf_str(&config), "bare");
	configured = core_value(config.data, "worktree");
	path = configured ? join(common, configured) : NULL;
	project->bare = bare != NULL && (strcasecmp(bare, "true") == 0 ||
	    strcasecmp(bare, "yes") == 0 || strcasecmp(bare, "on") == 0 ||
	    strtol(bare, NULL, 10) != 0);
	if (path != NULL && !project->bare)
		project->root = xrealpath(path);
	if (project->root == NULL && !project->bare && !ends_in_git(common)) {
		if (worktree != NULL && (!linked || bare != NULL))
			project->root = xstrdup(worktree);
		else
			project->bare = true;
	}
	if (project->root == NULL)
		project->root = parent(common);
	free(path);
	free(configured);
	free(bare);
	buf_release(&config);
}

bool
project_foreign(const char *path, struct buf *why)
{
	struct stat st;

	if (lstat(path, &st) == -1 || (!file_foreign(&st) &&
	    (!S_ISLNK(st.st_mode) || stat(path, &st) == -1 ||
	    !file_foreign(&st))))
		return false;
	buf_printf(why, "cannot use '%s': it belongs to user %lu, neither to "
	    "you nor to root", path, (unsigned long)st.st_uid);
	return true;
}

/* Refuses the project if name in the folder is another user's. */
static void
project_check_owner(struct project *project, const char *folder,
    const char *name)
{
	struct buf why = BUF_INIT;
	char *path = join(folder, name);

	if (project->refused == NULL && project_foreign(path, &why))
		project->refused = buf_steal(&why);
	buf_release(&why);
	free(path);
}

/* Is dir a work tree, or a git directory?  A .git that leads nowhere is not:
 * the project around a broken work tree is still the right one. */
static bool
git_found(struct project *project, const char *dir)
{
	char *own = git_dir_of(dir);
	const char *worktree = own ? dir : NULL;

	if (own == NULL && is_git_directory(dir))
		own = xstrdup(dir);
	if (own == NULL)
		return false;
	project->git_dir = is_there(own, "commondir", false) ?
	    read_path(own, "commondir", "") : xstrdup(own);
	if (project->git_dir != NULL) {
		set_root(project, worktree, strcmp(own, project->git_dir) != 0);
		if (worktree != NULL)
			project_check_owner(project, dir, ".git");
		project_check_owner(project, dir, own);
	}
	free(own);
	return project->git_dir != NULL;
}

static bool
mark_found(struct project *project, const char *dir)
{
	if (!is_there(dir, ".paneward.json", false) &&
	    !is_there(dir, ".worktrees/.status", true))
		return false;
	project->root = xstrdup(dir);
	return true;
}

/* Is there one in start, or in a folder above it? */
static bool
search_up(struct project *project, const char *start,
    bool (*found)(struct project *, const char *dir))
{
	char *dir = xstrdup(start), *up;
	bool yes;

	while (!(yes = found(project, dir)) && strcmp(dir, "/") != 0) {
		up = parent(dir);
		free(dir);
		dir = up;
	}
	free(dir);
	return yes;
}

int
project_find(struct project *project, const char *start)
{
	static const char *const marks[] = { ".paneward.json", ".worktrees",
	    ".worktrees/.status" };
	char *inside = join(start, "."), *from = NULL;
	size_t i;

	*project = (struct project){ .root = NULL };
	if (access(inside, X_OK) == 0)
		from = xrealpath(start);
	free(inside);
	if (from == NULL)
		return -1;
	if (!search_up(project, from, git_found) &&
	    !search_up(project, from, mark_found))
		project->root = xstrdup(from);
	/* The users of start's own marks check those. */
	project->above = project->git_dir == NULL &&
	    strcmp(project->root, from) != 0;
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (project->above)
			project_check_owner(project, project->root, marks[i]);
	free(from);
	return 0;
}

void
project_release(struct project *project)
{
	free(project->root);
	free(project->git_dir);
	free(project->refused);
	*project = (struct project){ .root = NULL };
}

/* ---- work trees ---------------------------------------------------------- */

/* Does a part of the path lead back up? */
static bool
climbs(const char *path)
{
	size_t size;

	for (; *path != '\0'; path += size) {
		path += strspn(path, "/");
		size = strcspn(path, "/");
		if (size == 2 && memcmp(path, "..", 2) == 0)
			return true;
	}
	return false;
}

char *
project_resolve(const char *path)
{
	char *known = xstrdup(path), *real, *whole = NULL, *up;
	const char *rest;

	while ((real = xrealpath(known)) == NULL && known[0] == '/' &&
	    known[1] != '\0') {
		up = parent(known);
		free(known);
		known = up;
	}
	rest = path + strlen(known);
	rest += strspn(rest, "/");
	if (real != NULL && !climbs(rest))
		whole = *rest != '\0' ? join(real, rest) : xstrdup(real);
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

char *
project_linked(const char *own)
{
	char *line = read_line(own, "gitdir", "");
	char *path = line ? join(own, line) : NULL, *worktree = NULL;

	if (path != NULL && ends_in_git(path)) {
		*strrchr(path, '/') = '\0';
		worktree = project_resolve(path);
	}
	free(path);
	free(line);
	return worktree;
}

/* All of them, for argv_free(). */
static char **
linked_worktrees(const struct project *project)
{
	char **list = NULL, *folder, *own, *path;
	struct dirent *entry;
	DIR *dir;

	if (project->git_dir == NULL)
		return NULL;
	folder = join(project->git_dir, "worktrees");
	dir = file_opendir(AT_FDCWD, folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		own = join(folder, entry->d_name);
		path = entry->d_name[0] != '.' ? project_linked(own) : NULL;
		if (path != NULL)
			list = argv_own(list, path);
		free(own);
	}
	if (dir != NULL)
		closedir(dir);
	free(folder);
	return list;
}

/* The work tree that a path lies in; linked: NULL if it is the main one.  The
 * root can be a linked one: a git directory that is kept elsewhere does not
 * name its main one. */
static char *
worktree_around(const struct project *project, const char *path, bool linked)
{
	char **list = linked_worktrees(project), *real = project_resolve(path);
	char *worktree = NULL, **p;
	const char *best = NULL;

	if (real != NULL && project->git_dir != NULL && !project->bare &&
	    project_contains(project->root, real))
		best = project->root;
	for (p = list; real != NULL && p != NULL && *p != NULL; p++)
		if (project_contains(*p, real) &&
		    (best == NULL || strlen(*p) >= strlen(best)))
			best = *p;
	if (best != NULL && (!linked || best != project->root))
		worktree = xstrdup(best);
	free(real);
	argv_free(list);
	return worktree;
}

char *
project_worktree_at(const struct project *project, const char *path)
{
	return worktree_around(project, path, false);
}

char *
project_linked_at(const struct project *project, const char *path)
{
	return worktree_around(project, path, true);
}

char *
project_worktree_of(const struct project *project, const char *issue)
{
	char **list = linked_worktrees(project), **p, *found = NULL;
	char *want = xasprintf("/issue-%s", issue);
	size_t size = strlen(want), n = 0;
	const char *name;

	for (p = list; p != NULL && *p != NULL; p++) {
		name = strrchr(*p, '/');
		if (strncmp(name, want, size) == 0 &&
		    (name[size] == '\0' || name[size] == '-')) {
			free(found);
			found = n++ == 0 ? xstrdup(*p) : NULL;
		}
	}
	argv_free(list);
	free(want);
	return found;
}

char *
project_branch(const char *worktree)
{
	char *git_dir = git_dir_of(worktree);
	char *branch = git_dir ?
	    read_line(git_dir, "HEAD", "ref: refs/heads/") : NULL;

	free(git_dir);
	/* If branches are not files, HEAD names one that none can have. */
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
