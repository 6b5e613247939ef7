/*
 * native.c - sessions without a terminal: the agent's output and its messages
 * go straight into the log.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "argv.h"
#include "manager.h"
#include "msg.h"
#include "proc.h"
#include "spawn.h"
#include "tail.h"

static bool
native_present(struct buf *why)
{
	(void)why;
	return true;
}

static int
native_create(struct loop_session *s, struct buf *why)
{
	char **argv = session_keeper(s, KEEPER_LOG);
	struct proc p = { 0 };
	pid_t pid = -1;

	if (argv != NULL && session_open_log(s) == 0)
		pid = spawn_apart((const char *const *)argv, s->launch.cwd,
		    NULL, 0);
	if (pid == -1) {
		buf_adds(why, strerror(errno));
	} else {
		s->keeper = pid;
		if (proc_read(&p, pid) == 0)
			s->keeper_start = p.start;
	}
	argv_free(argv);
	return pid == -1 ? -1 : 0;
}

static void
native_output(const struct loop_session *s, struct buf *text)
{
	tail_read(text, s->log);
}

/* The agent itself has written it. */
static bool
native_stream(struct loop_session *s)
{
	(void)s;
	return true;
}

static void
native_kill(const struct loop_session *s)
{
	session_signal(s, SIGTERM);
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
	char name[LOOP_FILE];

	loop_log_name(name, s->name, s->iteration);
	buf_adds(command, "tail -f ");
	msg_escape(command, s->dir->path, strlen(s->dir->path));
	buf_printf(command, "/.paneward/%s", name);
}

const struct session_manager native_manager = {
	.name = "native",
	.present = native_present,
	.create = native_create,
	.output = native_output,
	.stream = native_stream,
	.running = session_runs,
	.kill = native_kill,
	.close = native_close,
	.attach = native_attach,
	.list = session_list,
};
