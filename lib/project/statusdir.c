#include "project/statusdir.h"

#include <limits.h>

static const char usual[] = "/.worktrees/.status";

enum { OPEN_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

char *
statusdir_path(const char *option, const struct config *config,
    const struct project *project)
{
	char *cwd, *path;

	if (option == NULL)
		return config->status_dir != NULL ? xstrdup(config->status_dir)
		    : xasprintf("%s%s", project->root, usual);
	cwd = xrealpath(".");
	path = project_join(cwd ? cwd : "", option);
	free(cwd);
	return path;
}

int
statusdir_open(struct statusdir *d, char *path, bool make, struct buf *error)
{
	size_t len = strlen(path), size = strlen(usual);
	const char *wrong = NULL;
	struct stat st;
	char *above;
	int fd, there;

	*d = (struct statusdir)STATUSDIR_INIT;
	d->path = path;
	/* With a slash behind it a link would be followed. */
	while (len > 1 && (path[len - 1] == '/' ||
	    (len > 2 && strcmp(path + len - 2, "/.") == 0)))
		path[--len] = '\0';
	there = file_look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &st);
	if (there == 1 && S_ISLNK(st.st_mode))
		wrong = "it is a link";
	if (there == -1 || wrong != NULL)
		goto fail;
	d->fd = open(path, OPEN_DIRECTORY);
	if (d->fd == -1 && errno == ENOENT && !make)
		return 0;
	if (d->fd == -1 && errno == ENOENT && file_make_path(path) == 0)
		d->fd = open(path, OPEN_DIRECTORY);
	if (d->fd == -1 && errno == ENOTDIR)
		wrong = "it is not a directory";
	if (d->fd == -1 || fstat(d->fd, &st) == -1)
		goto fail;
	d->narrowed = make && st.st_mode & S_IWGRP;
	if (st.st_uid != geteuid())
		wrong = "it belongs to another user";
	else if (st.st_mode & S_IWOTH)
		wrong = "any user can write to it; chmod it to 700";
	if (wrong != NULL || (d->narrowed && fchmod(d->fd, 0700) == -1))
		goto fail;
	d->owner = st.st_uid;
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	if (make) {
		if (mkdirat(d->fd, ".paneward", 0700) == -1 && errno != EEXIST)
			goto fail;
		project_hide(d->fd);
	}
	/* Git would offer to add the work trees beside its usual place. */
	if (make && len >= size && strcmp(path + len - size, usual) == 0) {
		above = xstrndup(path, len - strlen("/.status"));
		fd = open(above, OPEN_DIRECTORY);
		project_hide(fd);
		file_close(fd);
		free(above);
	}
	d->state_fd = openat(d->fd, ".paneward", OPEN_DIRECTORY);
	if (d->state_fd != -1 || (!make && errno == ENOENT))
		return 0;
	if (errno == ENOTDIR || errno == ELOOP)
		wrong = ".paneward in it is not a directory";
fail:
	there = wrong == NULL ? errno : 0;
	buf_printf(error, "cannot use the status directory '%s': %s", path,
	    wrong != NULL ? wrong : strerror(there));
	statusdir_close(d);
	errno = there;
	return -1;
}

void
statusdir_close(struct statusdir *d)
{
	file_close(d->fd);
	file_close(d->state_fd);
	free(d->path);
	*d = (struct statusdir)STATUSDIR_INIT;
}

bool
statusdir_current(const struct statusdir *d)
{
	struct stat st;

	return lstat(d->path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_dev == d->dev && st.st_ino == d->ino;
}

bool
statusdir_reopen(struct statusdir *d, bool make)
{
	struct buf error = BUF_INIT;
	struct statusdir now;
	bool found;

	if (statusdir_current(d))
		return false;
	found = statusdir_open(&now, xstrdup(d->path), make, &error) == 0 &&
	    now.state_fd != -1;
	statusdir_close(found ? d : &now);
	if (found)
		*d = now;
	buf_release(&error);
	return found;
}

static const char claimed[] = "project";

static int
read_claim(const struct statusdir *d, struct buf *root)
{
	int ret = file_read(d->state_fd, claimed, FILE_NOFOLLOW, root,
	    PATH_MAX + 1);

	if (ret == -1)
		buf_reset(root);
	buf_chomp(root);
	return ret == -1 && d->state_fd != -1 && !file_missing(errno) &&
	    !file_refused(errno) ? -1 : 0;
}

char *
statusdir_folder(const char *path)
{
	size_t len = strlen(path), size = strlen(usual);
	bool below = len > size && strcmp(path + len - size, usual) == 0;

	return xstrndup(path, below ? len - size :
	    (size_t)(strrchr(path, '/') - path));
}

char *
statusdir_project(const struct statusdir *d)
{
	struct buf root = BUF_INIT;

	if (read_claim(d, &root) == -1)
		return NULL;
	if (root.len > 0)
		return buf_steal(&root);
	buf_release(&root);
	return statusdir_folder(d->path);
}

int
statusdir_ours(const struct statusdir *d, const char *root, bool claim,
    char **other)
{
	struct buf text = BUF_INIT;
	struct stat st;
	int there = 0;
	bool ours;

	*other = NULL;
	if (read_claim(d, &text) == -1)
		return -1;
	ours = strcmp(buf_str(&text), root) == 0;
	if (!ours && text.len > 0)
		there = file_look(AT_FDCWD, buf_str(&text), 0, &st);
	if (there == 1 && S_ISDIR(st.st_mode)) {
		*other = buf_steal(&text);
		return 0;
	}
	if (there != -1 && !ours && claim) {
		buf_reset(&text);
		buf_printf(&text, "%s\n", root);
		file_replace(d->state_fd, claimed, text.data, text.len, 0600);
	}
	buf_release(&text);
	return there == -1 ? -1 : 1;
}

const struct runfile runfiles[] = {
	{ "output-", ".log",          false, RUNFILE_RUN, true },
	{ "output-", ".log.1",        false, RUNFILE_RUN, true },
	{ "",        ".watch.log",    true,  RUNFILE_ANY, true },
	{ "",        ".setup.log",    true },
	{ "",        ".records",      true,  RUNFILE_AGENT },
	{ "",        ".agent",        true,  RUNFILE_AGENT },
	{ "",        ".pipe",         true,  RUNFILE_RUN },
	{ "",        ".command",      true,  RUNFILE_RUN },
	{ "",        ".reload",       true },
	{ "",        ".reload.log",   true },
	/* The note that a removal has begun goes last. */
	{ "",        ".removing.new", true },
	{ "",        ".removing",     true },
	{ NULL }
};

const char *
runfile_name(char name[RUNFILE_NAME], const struct runfile *f,
    const char *issue, bool old)
{
	snprintf(name, RUNFILE_NAME, "%s%s%s%s", f->before, issue, f->behind,
	    old ? ".old" : "");
	return name;
}

unsigned
runfiles_move(const struct statusdir *d, const char *issue,
    enum runfile_of of, unsigned which, bool back)
{
	char from[RUNFILE_NAME], to[RUNFILE_NAME];
	const struct runfile *f = runfiles;
	unsigned bit, moved = 0;
	int dir;

	for (bit = 1; f->before != NULL; bit <<= 1, f++) {
		dir = f->inner ? d->state_fd : d->fd;
		if (f->of >= of && which & bit && renameat(dir,
		    runfile_name(from, f, issue, back), dir,
		    runfile_name(to, f, issue, !back)) == 0)
			moved |= bit;
	}
	return moved;
}
