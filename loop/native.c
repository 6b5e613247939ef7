/*
 * native.c - sessions without a terminal: the keeper copies the agent's output
 * into the log.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/argv.h"
#include "base/msg.h"
#include "loop/manager.h"
#include "loop/tail.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "text/template.h"

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
	struct buf path = BUF_INIT, word = BUF_INIT;

	loop_log_name(name, s->name, s->iteration);
	buf_printf(&path, "%s/.paneward/%s", s->dir->path, name);
	template_quote(&word, path.data, path.len);
	buf_adds(command, "tail -f ");
	msg_escape(command, buf_str(&word), word.len);
	buf_release(&path);
	buf_release(&word);
}

const struct session_manager native_manager = {
	.name = "native",
	.present = native_present,
	.create = native_create,
	.output = native_output,
	.close = native_close,
	.attach = native_attach,
	.list = session_list,
};
