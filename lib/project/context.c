#include "project/context.h"

/* Without error, a refusal ends the program. */
static int
open_directory(struct statusdir *d, char *path, bool make, struct buf *error)
{
	struct buf fatal = BUF_INIT;
	int ret = statusdir_open(d, path, make, error ? error : &fatal);

	if (d->narrowed)
		warnx("status directory '%s': the group could write to it; "
		    "its mode is 700 now", d->path);
	if (fatal.len > 0)
		fatalx("%s", buf_str(&fatal));
	return ret;
}

enum exit_status
context_find(struct context *c, const char *from, struct buf *why)
{
	enum exit_status status;

	*c = (struct context){ .dir = STATUSDIR_INIT };
	if (project_find(&c->project, from, why) == -1)
		return EXIT_COULD_NOT;
	status = config_read(&c->config, &c->project, why);
	if (status != EXIT_DONE)
		project_release(&c->project);
	return status;
}

enum exit_status
context_at(struct context *c, const char *status_dir, struct buf *why)
{
	enum exit_status status = EXIT_COULD_NOT;
	struct statusdir dir;
	char *root;

	*c = (struct context){ .dir = STATUSDIR_INIT };
	if (statusdir_open(&dir, xstrdup(status_dir), false, why) == -1)
		return EXIT_COULD_NOT;
	root = statusdir_project(&dir);
	if (root == NULL)
		buf_printf(why, "cannot read the status directory '%s': %s",
		    dir.path, strerror(errno));
	else if (dir.state_fd != -1)
		status = context_find(c, root, why);
	free(root);
	if (status == EXIT_DONE)
		c->dir = dir;
	else
		statusdir_close(&dir);
	return status;
}

void
context_open(struct context *c, const char *status_dir, bool make)
{
	struct buf error = BUF_INIT;
	enum exit_status status = context_find(c, ".", &error);

	if (status != EXIT_DONE)
		msg_fatal(status, 0, "%s", buf_str(&error));
	open_directory(&c->dir, statusdir_path(status_dir, &c->config,
	    &c->project), false, NULL);
	c->usual = status_dir == NULL && c->config.status_dir == NULL;
	if (make)
		context_make(c);
	else
		registry_add(&c->dir);
}

void
context_fit(const struct context *c)
{
	struct buf why = BUF_INIT;

	if (c->usual && !project_fit(&c->project, &why))
		fatal_usage("%s, or name a status directory%s", buf_str(&why),
		    c->dir.fd == -1 ? " with --status-dir" :
		    ": '--status-dir .worktrees/.status' goes on with the one "
		    "that is here");
}

/* The path stays the same text. */
static void
take_directory(struct context *c, struct statusdir *now)
{
	char *path = c->dir.path;

	c->dir.path = now->path;
	now->path = path;
	statusdir_close(&c->dir);
	c->dir = *now;
}

void
context_make(struct context *c)
{
	bool new = c->usual && c->dir.state_fd == -1;
	struct statusdir now;

	if (new)
		context_fit(c);
	open_directory(&now, xstrdup(c->dir.path), true, NULL);
	take_directory(c, &now);
	if (new)
		warnx("new project '%s'", c->project.root);
	/* Outside git a forgotten status directory claims everything below
	 * it. */
	if (c->project.above && c->usual)
		warnx("this folder belongs to the project '%s', which has a "
		    "status directory or a configuration", c->project.root);
	registry_add(&c->dir);
}

static void
check_owner(struct buf *error, const struct context *c,
    const struct statusdir *dir, bool claim)
{
	char *other;
	int ours = statusdir_ours(dir, c->project.root, claim, &other);

	if (ours == -1)
		buf_printf(error, "cannot read the status directory '%s': %s",
		    c->dir.path, strerror(errno));
	if (ours == 0)
		buf_printf(error, "the status directory '%s' belongs to the "
		    "project '%s', not to '%s'; name another one with "
		    "--status-dir", c->dir.path, other, c->project.root);
	free(other);
}

bool
context_renew(struct context *c, bool *warned)
{
	const struct statusdir *d = &c->dir;
	struct buf error = BUF_INIT;
	struct stat there, ours;
	struct statusdir now;

	/* A project that is gone stays gone. */
	if ((statusdir_current(d) && fstat(d->state_fd, &ours) == 0 &&
	    fstatat(d->fd, ".paneward", &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    there.st_dev == ours.st_dev && there.st_ino == ours.st_ino) ||
	    access(c->project.root, F_OK) == -1)
		return false;
	if (open_directory(&now, xstrdup(d->path), true, &error) == 0) {
		if (faccessat(now.state_fd, ".", W_OK, AT_EACCESS) == -1)
			buf_printf(&error, "cannot use the status directory "
			    "'%s': %s", now.path, strerror(errno));
		else if (c->claimed)
			check_owner(&error, c, &now, true);
		if (error.len > 0)
			statusdir_close(&now);
	}
	if (error.len > 0) {
		if (!*warned)
			warnx("%s", buf_str(&error));
		*warned = true;
		buf_release(&error);
		return false;
	}
	*warned = false;
	warnx("the status directory '%s' was replaced; going on in the new one",
	    now.path);
	take_directory(c, &now);
	return true;
}

struct notify *
context_notify(void)
{
	int without_kernel;
	struct notify *f = notify_new(&without_kernel);

	if (without_kernel != 0)
		context_warn_polling(f, without_kernel);
	return f;
}

void
context_warn_polling(const struct notify *f, int why)
{
	bool watches = why == ENOSPC;

	warnx("the kernel reports no more changes (%s), so files are "
	    "checked every %lld seconds; see fs.inotify.max_user_%s",
	    watches ? "no watches are left" : strerror(why),
	    (long long)f->period / 1000, watches ? "watches" : "instances");
}

void
context_check(struct context *c, bool claim)
{
	struct buf error = BUF_INIT;

	c->claimed |= claim;
	check_owner(&error, c, &c->dir, claim);
	if (error.len > 0)
		fatalx("%s", buf_str(&error));
}

void
context_close(struct context *c)
{
	statusdir_close(&c->dir);
	config_release(&c->config);
	project_release(&c->project);
}

void
context_statusdir(struct statusdir *dir, const char *path)
{
	open_directory(dir, xstrdup(path), false, NULL);
	if (dir->state_fd == -1)
		fatalx("cannot use the status directory '%s': it is not there",
		    path);
}
