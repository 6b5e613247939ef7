/*
 * tmuxsession.c - sessions in tmux.
 *
 * The log has the first byte, since session and pipe are made in one call.  It
 * has the last one when the keeper's end mark is in it.  Only then is the
 * session closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "loop/commands.h"
#include "loop/manager.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "run/context.h"
#include "text/template.h"
#include "tmux/tmux.h"

enum {
	BLOCK = 64 << 10,
	WRITING = 2000,                 /* ms, for the pipe to end */
	LOCKING = 100
};

static bool
tmux_present(struct buf *why)
{
	char *path = spawn_find("tmux");

	if (path == NULL)
		buf_adds(why, "no tmux in PATH");
	free(path);
	return path != NULL;
}

static char *
pipe_command(const struct loop_session *s)
{
	char *self = proc_program(), *line;
	char name[LOOP_FILE];

	if (self == NULL)
		return NULL;
	loop_log_name(name, s->name, s->iteration);
	line = tmux_pipe_command((const char *[]){ self, "loop-log", name,
	    s->dir->path, NULL });
	free(self);
	return line;
}

static int
open_tmux_session(struct loop_session *s, char *const *argv, const char *pipe,
    struct buf *why)
{
	char *socket = tmux_socket(), *name = NULL;
	struct proc p = { 0 };
	enum tmux_result result;

	result = tmux_open(&(struct tmux_new){ .socket = socket,
	    .session = s->title, .cwd = s->launch.cwd, .pipe = pipe,
	    .argv = (const char *const *)argv }, &s->place, &name, why);
	free(socket);
	free(name);
	if (result != TMUX_OK)
		return -1;
	s->keeper = s->place.pane_pid;
	if (proc_read(&p, s->keeper) == 0)
		s->keeper_start = p.start;
	return 0;
}

static int
tmux_create(struct loop_session *s, struct buf *why)
{
	char **argv = session_keeper(s, KEEPER_TERMINAL);
	char *pipe = pipe_command(s);
	int ret = -1;

	if (argv == NULL || pipe == NULL || session_open_log(s) == -1)
		buf_printf(why, "%s", strerror(errno));
	else
		ret = open_tmux_session(s, argv, pipe, why);
	free(pipe);
	argv_free(argv);
	return ret;
}

static void
tmux_output(const struct loop_session *s, struct buf *text)
{
	struct buf why = BUF_INIT;

	tmux_text(&s->place, text, &why);
	buf_release(&why);
}

/* Searches what is new of the log for the end mark. */
static bool
find_mark(struct loop_session *s, const char *mark, char *block)
{
	size_t len = strlen(mark);
	const char *found;
	ssize_t n;

	while ((n = pread(s->log, block, BLOCK, (off_t)s->searched)) >=
	    (ssize_t)len) {
		found = memmem(block, (size_t)n, mark, len);
		if (found != NULL) {
			s->end = s->searched + (uint64_t)(found - block);
			return true;
		}
		s->searched += (uint64_t)n - len + 1;
	}
	return false;
}

static bool
tmux_stream(struct loop_session *s)
{
	char *mark, *block;
	struct stat st;

	if (s->end != LOG_OPEN)
		return true;
	if (fstat(s->log, &st) == 0 && (uint64_t)st.st_size < s->searched)
		s->searched = 0;        /* the log was emptied */
	mark = session_end_mark(s->launch.run);
	block = xmalloc(BLOCK);
	find_mark(s, mark, block);
	free(block);
	free(mark);
	return s->end != LOG_OPEN;
}

/* Cuts off the mark and what other processes have printed behind it, so that
 * equal output makes equal logs. */
static void
cut_log(struct loop_session *s)
{
	if (s->log == -1)
		return;
	session_await_log(s, WRITING);
	if (tmux_stream(s) && ftruncate(s->log, (off_t)s->end) == -1)
		errno = 0;
}

static void
tmux_close(struct loop_session *s)
{
	char *socket = s->place.socket != NULL ? xstrdup(s->place.socket) :
	    tmux_socket();
	struct buf why = BUF_INIT;

	session_destroy(s);
	tmux_end(socket, s->title, &why);
	cut_log(s);
	buf_release(&why);
	free(socket);
}

/* Does tmux use it without -S? */
static bool
default_server(const char *socket)
{
	const char *dir = getenv("TMUX_TMPDIR");
	char *usual = xasprintf("%s/tmux-%ld/default",
	    dir != NULL && dir[0] != '\0' ? dir : "/tmp", (long)getuid());
	bool is = strcmp(socket, usual) == 0;

	free(usual);
	return is;
}

static void
tmux_attach(const struct loop_session *s, struct buf *command)
{
	const char *socket = s->place.socket;
	struct buf word = BUF_INIT;

	buf_adds(command, "tmux ");
	if (socket != NULL && !default_server(socket)) {
		template_quote(&word, socket, strlen(socket));
		buf_adds(command, "-S ");
		msg_escape(command, buf_str(&word), word.len);
		buf_addc(command, ' ');
	}
	buf_printf(command, "attach -t =%s", s->title);
	buf_release(&word);
}

static void
tmux_list_session(const struct loop_session *s, struct buf *words)
{
	struct buf answer = BUF_INIT, why = BUF_INIT;

	if (s->place.socket != NULL && tmux_pane_tell(s->place.socket,
	    s->place.pane, "#{session_name}", &answer, &why) == TMUX_OK &&
	    answer.len > 0)
		buf_printf(words, "tmux session %s", s->title);
	session_list(s, words);
	buf_release(&answer);
	buf_release(&why);
}

const struct session_manager tmux_manager = {
	.name = "tmux",
	.present = tmux_present,
	.create = tmux_create,
	.output = tmux_output,
	.stream = tmux_stream,
	.close = tmux_close,
	.attach = tmux_attach,
	.list = tmux_list_session,
};

/* ---- the other end of the pipe ------------------------------------------- */

static int
open_piped_log(const char *name, const char *path)
{
	struct statusdir dir;
	int fd;

	if (strchr(name, '/') != NULL)
		fatalx("'%s' is not the name of a log", name);
	context_statusdir(&dir, path);
	fd = openat(dir.state_fd, name, O_WRONLY | O_APPEND | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd == -1)
		fatal("cannot open the log '%s' in '%s'", name, path);
	return fd;
}

/* Never stops reading, since tmux would store the output; what a full disk
 * refuses is lost. */
static int
looplog_run(const struct command *c, int argc, char **argv)
{
	char *block = xmalloc(BLOCK);
	ssize_t n;
	int fd;

	if (argc != 4)
		command_usage(c, "is run by 'loop run'");
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	fd = open_piped_log(argv[1], argv[2]);
	file_lock(fd, LOCKING);         /* until we end */
	while ((n = read(STDIN_FILENO, block, BLOCK)) != 0) {
		if (n == -1 && errno != EINTR && errno != EAGAIN)
			break;
		if (n > 0 && file_write(fd, block, (size_t)n) == -1)
			errno = 0;
	}
	free(block);
	return EXIT_DONE;
}

const struct command looplog_command = {
	.name = "loop-log",
	.arguments = "NAME STATUS-DIRECTORY PANE",
	.options = (const struct command_option[]){ { 0 } },
	.run = looplog_run,
};
