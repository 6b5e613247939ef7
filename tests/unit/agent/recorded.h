/*
 * recorded.h - our backends, what tests/ has recorded of their clients, and
 * JSON as "{'a': 'b'}" instead of "{\"a\": \"b\"}".
 */
#ifndef PANEWARD_RECORDED_H
#define PANEWARD_RECORDED_H

#include <glob.h>

#include "agent/backend.h"
#include "os/file.h"
#include "scratch.h"

/* With double quotes in the place of single ones, until the next call. */
static inline const char *
quoted(const char *text)
{
	static struct buf json;

	buf_reset(&json);
	for (; *text != '\0'; text++)
		buf_addc(&json, *text == '\'' ? '"' : *text);
	return buf_str(&json);
}

/* Ours are the user's, not those that are installed. */
static inline void
recorded_begin(void)
{
	char *here = realpath("backends", NULL);

	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_folder("paneward");
	ok(here != NULL &&
	    symlink(here, scratch_path("paneward/backends")) == 0);
	free(here);
}

static inline void
recorded_backend(struct backend *b, const char *name)
{
	struct buf error = BUF_INIT;

	backend_release(b);
	is_number(backend_read(b, name, &error), 0);
	is_text(buf_str(&error), "");
	buf_release(&error);
}

/* Reads a screen, and the backend of the client that its path names. */
static inline void
recorded_screen(const char *path, struct backend *b, struct buf *screen)
{
	const char *name = strstr(path, "cases/");
	char client[16];

	ROW("%s", path);
	name = name != NULL ? name + 6 : strrchr(path, '/') + 1;
	snprintf(client, sizeof(client), "%.*s", (int)strcspn(name, "-"), name);
	recorded_backend(b, client);
	buf_reset(screen);
	ok(file_read(AT_FDCWD, path, FILE_TRUSTED, screen, 1 << 20) == 0);
}

#endif
