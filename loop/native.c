/*
 * native.c - sessions without a terminal: the keeper copies the agent's output
 * into the log.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "loop/manager.h"
#include "loop/tail.h"
#include "os/spawn.h"

static int
native_create(struct loop_session *s, const char *const *keeper,
    struct buf *why)
{
	pid_t pid = spawn_apart(keeper, s->launch.cwd, NULL, 0);

	if (pid == -1) {
		buf_adds(why, strerror(errno));
		return -1;
	}
	s->keeper = pid;
	return 0;
}

static void
native_output(const struct loop_session *s, struct buf *text)
{
	tail_read(text, s->log);
}

static void
native_close(struct loop_session *s)
{
	pid_t child = s->keeper;

	session_destroy(s);
	if (child > 0)
		while (waitpid(child, NULL, 0) == -1 && errno == EINTR)
			continue;
}

static void
native_attach(const struct loop_session *s, struct buf *command)
{
	char name[LOOP_FILE], *path;

	loop_log_name(name, s->name, s->iteration);
	path = xasprintf("%s/.paneward/%s", s->dir->path, name);
	buf_adds(command, "tail -f ");
	session_quote(command, path);
	free(path);
}

const struct session_manager native_manager = {
	.name = "native",
	.way = KEEPER_LOG,
	.create = native_create,
	.output = native_output,
	.close = native_close,
	.attach = native_attach,
};
