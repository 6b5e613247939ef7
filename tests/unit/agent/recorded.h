/*
 * recorded.h - our backends, what tests/ has recorded of their clients, and a
 * backend of one's own.
 */
#ifndef PANEWARD_RECORDED_H
#define PANEWARD_RECORDED_H

#include <glob.h>

#include "agent/backend.h"
#include "os/file.h"
#include "scratch.h"
#include "unit/fixture.h"

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

/* Reads the user's backend "mine" of that text, with single quotes; "", or why it
 * is refused: "2: 'command' is empty".  Never behind recorded_begin(). */
static inline const char *
recorded_mine(struct backend *b, const char *text)
{
	static struct buf error;
	const char *at;
	int got;

	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_write("paneward/backends/mine.json", quoted(text));
	buf_reset(&error);
	backend_release(b);
	got = backend_read(b, "mine", &error);
	is_number(got, error.len > 0 ? -1 : 0);
	at = strstr(buf_str(&error), "/mine.json' line ");
	return at != NULL ? at + strlen("/mine.json' line ") : buf_str(&error);
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
