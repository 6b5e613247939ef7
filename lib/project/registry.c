#include "project/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/userfolder.h"

enum {
	REGISTRY_MAX = 4 << 20,         /* bytes */
	REGISTRY_LOCKING = 200          /* ms */
};

static const char registry_name[] = "projects";

/* ---- the file ------------------------------------------------------------ */

/* Its text, with a line feed before and behind each line.  -1 with errno if
 * there is a file of that name that is not ours. */
static int
registry_read(int state, struct buf *text)
{
	struct stat st;
	int fd = file_open_own(state, registry_name, O_RDONLY, &st), ret = 0;

	buf_addc(text, '\n');
	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	ret = file_read_open(fd, 0, text, REGISTRY_MAX);
	file_close(fd);
	buf_addc(text, '\n');
	return ret;
}

static bool
registry_holds(struct buf *text, const char *path)
{
	char *line = xasprintf("\n%s\n", path);
	bool found = strstr(buf_str(text), line) != NULL;

	free(line);
	return found;
}

/* ---- the directories in it ----------------------------------------------- */

/* The directories that a line led to. */
struct registry {
	char **paths;
	struct place {
		dev_t dev;
		ino_t ino;
	} *places;
	size_t n;
};

/* Two paths may lead to one directory. */
static bool
registry_knows(const struct registry *r, const struct statusdir *d)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->places[i].dev == d->dev && r->places[i].ino == d->ino)
			return true;
	return false;
}

static void
registry_take(struct registry *r, const char *path)
{
	struct buf refused = BUF_INIT;
	struct statusdir d;

	if (path[0] != '/')
		return;
	if (statusdir_open(&d, xstrdup(path), false, &refused) == -1) {
		if (errno != 0)
			r->paths = argv_add(r->paths, path);
	} else {
		if (d.state_fd != -1 && !registry_knows(r, &d)) {
			r->places = xreallocarray(r->places, r->n + 1,
			    sizeof(*r->places));
			r->places[r->n++] = (struct place){ d.dev, d.ino };
			r->paths = argv_add(r->paths, path);
		}
		statusdir_close(&d);
	}
	buf_release(&refused);
}

/* Of the lines in the text, which loses them. */
static char **
registry_parse(struct buf *text)
{
	struct registry r = { 0 };
	char *rest, *line;

	buf_str(text);
	for (rest = text->data; (line = strsep(&rest, "\n")) != NULL; )
		registry_take(&r, line);
	free(r.places);
	return r.paths;
}

/* ---- the two ways to use it ---------------------------------------------- */

/* Under the lock of the folder. */
static void
registry_write(int state, const char *path)
{
	struct buf text = BUF_INIT;
	char **paths, **p;

	if (registry_read(state, &text) == 0 && !registry_holds(&text, path)) {
		buf_printf(&text, "%s\n", path);
		paths = registry_parse(&text);
		buf_reset(&text);
		for (p = paths; p != NULL && *p != NULL; p++)
			buf_printf(&text, "%s\n", *p);
		file_replace(state, registry_name, text.data, text.len, 0600);
		argv_free(paths);
	}
	buf_release(&text);
}

/* Nearly always it has it: every command asks, so the folder is not opened. */
static bool
registry_has(const char *path)
{
	char *file = userfolder_state_path(registry_name);
	struct buf text = BUF_INIT;
	bool has;

	buf_addc(&text, '\n');
	if (file != NULL)
		file_read(AT_FDCWD, file, FILE_NOFOLLOW | FILE_TRUSTED, &text,
		    REGISTRY_MAX);
	buf_addc(&text, '\n');
	has = registry_holds(&text, path);
	buf_release(&text);
	free(file);
	return has;
}

void
registry_add(const struct statusdir *d)
{
	int state;

	if (d->state_fd == -1 || strchr(d->path, '\n') != NULL ||
	    registry_has(d->path))
		return;
	state = userfolder_state(NULL, true);
	if (state == -1)
		return;
	if (file_lock(state, REGISTRY_LOCKING) == 0)
		registry_write(state, d->path);
	close(state);
}

/* What is not ours does not count.  Errno, or 0. */
static int
registry_read_user(struct buf *text)
{
	int state = userfolder_state(NULL, false), error = 0;

	if (state == -1 || registry_read(state, text) == -1)
		error = errno;
	file_close(state);
	return file_missing(error) || file_refused(error) || error == EPERM ?
	    0 : error;
}

char **
registry_directories(void)
{
	struct buf text = BUF_INIT;
	int error = registry_read_user(&text);
	char **paths = registry_parse(&text);

	buf_release(&text);
	errno = error;
	return paths;
}

char **
registry_lines(void)
{
	struct buf text = BUF_INIT;
	int error = registry_read_user(&text);
	char *rest, *line, **lines = NULL;

	buf_str(&text);
	for (rest = text.data; (line = strsep(&rest, "\n")) != NULL; )
		if (line[0] == '/')
			lines = argv_add(lines, line);
	buf_release(&text);
	errno = error;
	return lines;
}
