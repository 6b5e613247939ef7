#include "context.h"

#include "msg.h"
#include "xalloc.h"

static void
open_directory(struct context *c, char *path, bool make)
{
	struct buf error = BUF_INIT;
	bool narrowed = false;

	if (statusdir_open(&c->dir, path, make, &error, &narrowed) == -1)
		fatalx("%s", buf_str(&error));
	if (narrowed)
		warnx("status directory '%s': the group could write to it; "
		    "its mode is 700 now", c->dir.path);
	buf_release(&error);
}

void
context_open(struct context *c, const char *status_dir, bool make)
{
	struct buf error = BUF_INIT;

	if (project_find(&c->project, ".") == -1)
		fatal("cannot find the project around the current directory");
	if (config_read(&c->config, &c->project, &error) == -1)
		fatal_usage("%s", buf_str(&error));
	open_directory(c, statusdir_path(status_dir, &c->config, &c->project),
	    make);
	buf_release(&error);
}

void
context_make(struct context *c)
{
	char *path = xstrdup(c->dir.path);

	statusdir_close(&c->dir);
	open_directory(c, path, true);
}

void
context_close(struct context *c)
{
	statusdir_close(&c->dir);
	config_release(&c->config);
	project_release(&c->project);
}
