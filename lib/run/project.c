/*
 * What git keeps where: a work tree has .git, the git directory itself or a
 * file that says `gitdir: PATH`.  The git directory of a linked work tree is
 * worktrees/ID in the common one, which its file commondir names; its file
 * gitdir leads back to the work tree's .git.  Paths may be relative to the
 * folder of the file they stand in.
 */
#include "run/project.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "os/file.h"

enum {
	LINE_MAX_BYTES = 4096,          /* of a file that holds one path */
	CONFIG_MAX_BYTES = 256 * 1024   /* of git's configuration */
};

/* Where git is found, going up from a directory. */
struct place {
	char *worktree;         /* NULL inside of a git directory */
	char *git_dir;          /* this work tree's own */
	char *common;           /* all work trees' */
};

static void
place_release(struct place *place)
{
	free(place->worktree);
	free(place->git_dir);
	free(place->common);
	*place = (struct place){ NULL, NULL, NULL };
}

/* path, as it is meant in a file of the folder base. */
static char *
join(const char *base, const char *path)
{
	if (path[0] == '/')
		return xstrdup(path);
	return xasprintf("%s/%s", strcmp(base, "/") == 0 ? "" : base, path);
}

static bool
is_directory(const char *base, const char *name)
{
	char *path = join(base, name);
	struct stat st;
	bool yes = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	free(path);
	return yes;
}

/* A link that leads nowhere is there, as HEAD may be in old repositories. */
static bool
is_there(const char *base, const char *name)
{
	char *path = join(base, name);
	struct stat st;
	bool yes = lstat(path, &st) == 0;

	free(path);
	return yes;
}

/* The folder an absolute path lies in. */
static char *
parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == path)
		return xstrdup("/");
	return xstrndup(path, (size_t)(slash - path));
}

/* The first bytes of a regular file, or NULL.  The caller frees them. */
static char *
project_read_file(const char *base, const char *name, size_t most)
{
	char *path = join(base, name);
	struct buf text = BUF_INIT;
	int ret = file_read(AT_FDCWD, path, 0, &text, most);

	free(path);
	if (ret == 0)
		return buf_steal(&text);
	buf_release(&text);
	return NULL;
}

/* The only line of a file, or NULL.  The caller frees it. */
static char *
read_line(const char *base, const char *name)
{
	char *line = project_read_file(base, name, LINE_MAX_BYTES);

	if (line != NULL)
		line[strcspn(line, "\r\n")] = '\0';
	return line;
}

/* The real path that stands in a file of base behind a prefix, or NULL. */
static char *
read_path(const char *base, const char *name, const char *prefix)
{
	char *line = read_line(base, name), *path, *real = NULL;
	size_t skip = strlen(prefix);

	if (line != NULL && strncmp(line, prefix, skip) == 0 &&
	    line[skip] != '\0') {
		path = join(base, line + skip);
		real = xrealpath(path);
		free(path);
	}
	free(line);
	return real;
}

static bool
is_git_directory(const char *path)
{
	return is_there(path, "HEAD") && (is_there(path, "commondir") ||
	    (is_directory(path, "objects") && is_directory(path, "refs")));
}

/* The git directory of the work tree at dir, or NULL. */
static char *
git_dir_of(const char *dir)
{
	char *path = join(dir, ".git"), *real = NULL;

	if (is_directory(dir, ".git"))
		real = xrealpath(path);
	else
		real = read_path(dir, ".git", "gitdir: ");
	free(path);
	if (real != NULL && !is_git_directory(real)) {
		free(real);
		return NULL;
	}
	return real;
}

/* Is git found at dir itself? */
static bool
place_at(struct place *place, const char *dir)
{
	place->git_dir = git_dir_of(dir);
	if (place->git_dir != NULL)
		place->worktree = xstrdup(dir);
	else if (is_git_directory(dir))
		place->git_dir = xstrdup(dir);
	else
		return false;
	if (is_there(place->git_dir, "commondir"))
		place->common = read_path(place->git_dir, "commondir", "");
	else
		place->common = xstrdup(place->git_dir);
	if (place->common != NULL)
		return true;
	place_release(place);
	return false;
}

/*
 * The nearest directory from start upwards at which found() says yes, or NULL.
 * A .git that leads nowhere does not stop the search: the project around a
 * broken work tree is still the right one.
 */
static char *
search_up(const char *start, bool (*found)(void *, const char *), void *data)
{
	char *dir = xstrdup(start), *up;

	while (!found(data, dir)) {
		if (strcmp(dir, "/") == 0) {
			free(dir);
			return NULL;
		}
		up = parent(dir);
		free(dir);
		dir = up;
	}
	return dir;
}

static bool
git_found(void *data, const char *dir)
{
	return place_at(data, dir);
}

static bool
mark_found(void *unused, const char *dir)
{
	(void)unused;
	return is_there(dir, ".paneward.json") ||
	    is_directory(dir, ".worktrees/.status");
}

/* Adds the value that begins at p: quotes, escapes and a comment go. */
static void
add_value(struct buf *out, const char *p)
{
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
		buf_addc(out, *p);
		if (quoted || (*p != ' ' && *p != '\t'))
			end = out->len;
	}
	out->len = end;
}

/*
 * The value of a variable in a line of git's configuration; `name` alone
 * means true.  NULL where the line is about something else.
 */
static char *
line_value(const char *line, const char *name)
{
	struct buf value = BUF_INIT;
	size_t size = strlen(name);

	if (strncasecmp(line, name, size) != 0)
		return NULL;
	line += size;
	line += strspn(line, " \t");
	if (*line == '\0' || strchr("\r\n#;", *line) != NULL)
		return xstrdup("true");
	if (*line != '=')
		return NULL;
	line++;
	add_value(&value, line + strspn(line, " \t"));
	return buf_steal(&value);
}

/* Takes the section's name, in brackets, from the beginning of a line. */
static const char *
skip_section(const char *line, bool *core)
{
	const char *end;

	if (*line != '[')
		return line;
	*core = strncasecmp(line, "[core]", 6) == 0;
	end = line + strcspn(line, "]\n");
	if (*end == ']')
		end++;
	return end + strspn(end, " \t");
}

/* What section core of git's configuration says last, or NULL. */
static char *
core_value_in(const char *text, const char *name)
{
	char *value = NULL, *next;
	bool core = false;

	for (; *text != '\0'; text += *text == '\n') {
		text += strspn(text, " \t");
		text = skip_section(text, &core);
		next = core ? line_value(text, name) : NULL;
		if (next != NULL) {
			free(value);
			value = next;
		}
		text += strcspn(text, "\n");
	}
	return value;
}

/* With work trees that have settings of their own, git keeps some of the main
 * one's in config.worktree. */
static char *
core_value(const char *common, const char *name)
{
	static const char *const files[] = { "config.worktree", "config" };
	char *text, *value = NULL;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]) && !value; i++) {
		text = project_read_file(common, files[i], CONFIG_MAX_BYTES);
		if (text != NULL)
			value = core_value_in(text, name);
		free(text);
	}
	return value;
}

static bool
means_true(const char *value)
{
	return value != NULL && (strcasecmp(value, "true") == 0 ||
	    strcasecmp(value, "yes") == 0 || strcasecmp(value, "on") == 0 ||
	    strtol(value, NULL, 10) != 0);
}

/* core.worktree as a real path; submodules have it. */
static char *
configured_worktree(const char *common)
{
	char *value = core_value(common, "worktree"), *path, *real;

	if (value == NULL)
		return NULL;
	path = join(common, value);
	real = xrealpath(path);
	free(path);
	free(value);
	return real;
}

static bool
ends_in_git(const char *path)
{
	return strcmp(strrchr(path, '/'), "/.git") == 0;
}

/*
 * The project of a place.  What is not called .git and does not say that it is
 * no bare repository is one, unless .git of the place leads straight to it.
 */
static void
set_root(struct project *project, const struct place *place)
{
	char *bare = core_value(place->common, "bare");
	bool linked = strcmp(place->git_dir, place->common) != 0;

	project->bare = means_true(bare);
	if (!project->bare)
		project->root = configured_worktree(place->common);
	if (project->root == NULL && !project->bare &&
	    !ends_in_git(place->common)) {
		if (place->worktree && (!linked || bare != NULL))
			project->root = xstrdup(place->worktree);
		else
			project->bare = true;
	}
	if (project->root == NULL)
		project->root = parent(place->common);
	free(bare);
}

/* The real path of a directory that we may enter, or NULL with errno. */
static char *
directory(const char *path)
{
	char *inside = join(path, "."), *real = NULL;

	if (access(inside, X_OK) == 0)
		real = xrealpath(path);
	free(inside);
	return real;
}

bool
project_foreign(const char *path, struct buf *why)
{
	struct stat st;

	if (!(lstat(path, &st) == 0 && file_foreign(&st)) &&
	    !(stat(path, &st) == 0 && file_foreign(&st)))
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

static void
take_git(struct project *project, const struct place *place, const char *dir)
{
	set_root(project, place);
	project->git_dir = xstrdup(place->common);
	if (place->worktree != NULL)
		project_check_owner(project, dir, ".git");
	project_check_owner(project, dir, place->git_dir);
}

/* Outside git the nearest folder with a mark, else where the search began.
 * What stands in that one, those check who use it. */
static void
take_marked(struct project *project, const char *from)
{
	static const char *const marks[] = { ".paneward.json", ".worktrees",
	    ".worktrees/.status" };
	size_t i;

	project->root = search_up(from, mark_found, NULL);
	if (project->root == NULL)
		project->root = xstrdup(from);
	project->above = strcmp(project->root, from) != 0;
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (project->above)
			project_check_owner(project, project->root, marks[i]);
}

int
project_find(struct project *project, const char *start)
{
	struct place place = { NULL, NULL, NULL };
	char *from = directory(start), *dir;

	*project = (struct project){ .root = NULL };
	if (from == NULL)
		return -1;
	dir = search_up(from, git_found, &place);
	if (dir != NULL)
		take_git(project, &place, dir);
	else
		take_marked(project, from);
	place_release(&place);
	free(dir);
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

/*
 * A path without links, as far as it exists; what does not is kept as it
 * stands.  NULL where that could lead elsewhere.
 */
static char *
resolve(const char *path)
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

/* The linked work tree that worktrees/id of the git directory is about. */
static char *
linked_worktree(const char *git_dir, const char *id)
{
	char *own = xasprintf("%s/worktrees/%s", git_dir, id);
	char *line = read_line(own, "gitdir"), *dot_git, *path = NULL;

	if (line != NULL && line[0] != '\0') {
		dot_git = join(own, line);
		if (ends_in_git(dot_git)) {
			*strrchr(dot_git, '/') = '\0';
			path = resolve(dot_git);
		}
		free(dot_git);
	}
	free(line);
	free(own);
	return path;
}

/* All of them, NULL-ended; freed with project_free_list(). */
static char **
linked_worktrees(const struct project *project)
{
	char **list = xcalloc(1, sizeof(*list)), *folder, *path;
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	if (project->git_dir == NULL)
		return list;
	folder = join(project->git_dir, "worktrees");
	dir = file_opendir(AT_FDCWD, folder);
	free(folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		path = linked_worktree(project->git_dir, entry->d_name);
		if (path == NULL)
			continue;
		list = xreallocarray(list, n + 2, sizeof(*list));
		list[n++] = path;
		list[n] = NULL;
	}
	if (dir != NULL)
		closedir(dir);
	return list;
}

static void
project_free_list(char **list)
{
	char **p;

	for (p = list; *p != NULL; p++)
		free(*p);
	free(list);
}

/* The longest of the list that contains path, or NULL. */
static const char *
deepest(char **list, const char *path)
{
	const char *best = NULL;

	for (; *list != NULL; list++)
		if (project_contains(*list, path) &&
		    (best == NULL || strlen(*list) > strlen(best)))
			best = *list;
	return best;
}

char *
project_worktree_at(const struct project *project, const char *path)
{
	char **list = linked_worktrees(project), *real = resolve(path);
	const char *best = real ? deepest(list, real) : NULL;
	char *worktree = NULL;

	if (real != NULL && project->git_dir != NULL && !project->bare &&
	    project_contains(project->root, real) &&
	    (best == NULL || strlen(project->root) > strlen(best)))
		best = project->root;
	if (best != NULL)
		worktree = xstrdup(best);
	free(real);
	project_free_list(list);
	return worktree;
}

bool
project_worktree_linked(const struct project *project, const char *worktree)
{
	char **list = linked_worktrees(project), *real = resolve(worktree);
	const char *at = real ? deepest(list, real) : NULL;
	bool linked = at != NULL && strcmp(at, real) == 0;

	free(real);
	project_free_list(list);
	return linked;
}

static bool
named_after(const char *worktree, const char *issue)
{
	const char *name = strrchr(worktree, '/') + 1;
	size_t size = strlen(issue);

	return strncmp(name, "issue-", 6) == 0 &&
	    strncmp(name + 6, issue, size) == 0 &&
	    (name[6 + size] == '\0' || name[6 + size] == '-');
}

char *
project_worktree_of(const struct project *project, const char *issue)
{
	char **list = linked_worktrees(project), **p, *found = NULL;
	size_t n = 0;

	for (p = list; *p != NULL; p++)
		if (named_after(*p, issue) && n++ == 0)
			found = xstrdup(*p);
	project_free_list(list);
	if (n == 1)
		return found;
	free(found);
	return NULL;
}

char *
project_branch(const char *worktree)
{
	static const char prefix[] = "ref: refs/heads/";
	char *git_dir = git_dir_of(worktree), *line, *branch = NULL;

	line = git_dir ? read_line(git_dir, "HEAD") : NULL;
	/* Where branches are not files, HEAD names one that none can have. */
	if (line != NULL && strncmp(line, prefix, sizeof(prefix) - 1) == 0 &&
	    line[sizeof(prefix) - 1] != '\0' &&
	    line[sizeof(prefix) - 1] != '.')
		branch = xstrdup(line + sizeof(prefix) - 1);
	free(line);
	free(git_dir);
	return branch;
}
