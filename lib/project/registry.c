#include "project/statusdir.h"

#include "os/lock.h"
#include "os/userfolder.h"

enum {
	REGISTRY_MAX = 4 << 20,         /* bytes */
	REGISTRY_LOCKING = 200          /* ms */
};

static const char registry_name[] = "projects";

/* Reads anew, with a line feed before and behind each line.  -1 with errno: the
 * file is not ours. */
static int
registry_read(int state, struct buf *text)
{
	struct stat st;
	int fd = file_open_own(state, registry_name, O_RDONLY, &st), ret = 0;

	buf_reset(text);
	buf_addc(text, '\n');
	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	ret = file_read_open(fd, 0, text, REGISTRY_MAX);
	file_close(fd);
	buf_addc(text, '\n');
	return ret;
}

/* Lists existing directories once, or all lines; destroys the text. */
static char **
registry_parse(struct buf *text, bool there)
{
	struct buf refused = BUF_INIT;
	struct statusdir d;
	char *rest, *line, *place, **paths = NULL, **places = NULL;

	buf_str(text);
	for (rest = text->data; (line = strsep(&rest, "\n")) != NULL; ) {
		if (line[0] != '/')
			continue;
		if (!there || statusdir_open(&d, xstrdup(line), false,
		    &refused) == -1) {
			if (!there || errno != 0)
				paths = argv_add(paths, line);
			continue;
		}
		place = xasprintf("%llu %llu", (unsigned long long)d.dev,
		    (unsigned long long)d.ino);
		if (d.state_fd != -1 && !argv_has(places, place)) {
			places = argv_add(places, place);
			paths = argv_add(paths, line);
		}
		free(place);
		statusdir_close(&d);
	}
	buf_release(&refused);
	argv_free(places);
	return paths;
}

void
registry_add(const struct statusdir *d)
{
	struct buf text = BUF_INIT;
	char *own, **paths, **p;
	int state;

	if (d->state_fd == -1 || strchr(d->path, '\n') != NULL)
		return;
	own = xasprintf("\n%s\n", d->path);
	state = userfolder_state(NULL, true);
	/* Nearly always it is there. */
	if (state != -1 && registry_read(state, &text) == 0 &&
	    strstr(buf_str(&text), own) == NULL &&
	    file_lock(state, REGISTRY_LOCKING) == 0 &&
	    registry_read(state, &text) == 0 &&
	    strstr(buf_str(&text), own) == NULL) {
		buf_printf(&text, "%s\n", d->path);
		paths = registry_parse(&text, true);
		buf_reset(&text);
		for (p = paths; p != NULL && *p != NULL; p++)
			buf_printf(&text, "%s\n", *p);
		file_replace(state, registry_name, text.data, text.len, 0600);
		argv_free(paths);
	}
	file_close(state);
	free(own);
	buf_release(&text);
}

char **
registry_directories(bool there)
{
	struct buf text = BUF_INIT;
	int state = userfolder_state(NULL, false), error = 0;
	char **paths;

	if (state == -1 || registry_read(state, &text) == -1)
		error = errno;
	file_close(state);
	paths = registry_parse(&text, there);
	buf_release(&text);
	/* A file that is not ours does not count. */
	errno = file_missing(error) || file_refused(error) || error == EPERM ?
	    0 : error;
	return paths;
}

bool
registry_watched(void)
{
	int state = userfolder_state(NULL, false);
	bool held = state != -1 && lock_held(state, REGISTRY_LOCK, NULL) == 1;

	file_close(state);
	return held;
}
