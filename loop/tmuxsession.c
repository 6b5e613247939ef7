/*
 * tmuxsession.c - sessions in tmux.  The log has the first byte, since one call
 * makes session and pipe, and the last one once the end mark is in it.
 */
#include "data/template.h"
#include "loop/engine.h"
#include "paneward.h"
#include "tmux/sockets.h"
#include "tmux/tmux.h"

enum {
	BLOCK = 64 << 10,
	WRITING = 2000,                 /* ms, for the pipe to end */
	LOCKING = 100
};

static int
tmux_create(struct loop_session *s, const char *const *keeper, struct buf *why)
{
	char log[LOOP_FILE], *socket = tmux_socket(), *name = NULL, *pipe;
	enum tmux_result result;

	loop_log_name(log, s->state->loop, s->iteration);
	pipe = tmux_pipe_command(WORDS(keeper[0], "loop-log", log,
	    s->dir->path));
	result = tmux_open(&(struct tmux_new){ .socket = socket,
	    .session = s->title, .cwd = s->launch.cwd, .argv = keeper,
	    .wish = { .want = TMUX_PIPE, .pipe = pipe } }, &s->place, &name,
	    why);
	free(socket);
	free(name);
	free(pipe);
	if (result != TMUX_OK)
		return -1;
	child_init(&s->keeper, s->place.pane_pid);
	s->keeper.ours = false;
	return 0;
}

static void
tmux_output(const struct loop_session *s, struct buf *text)
{
	struct buf why = BUF_INIT;

	tmux_text(&s->place, false, text, &why);
	buf_release(&why);
}

static bool
tmux_stream(struct loop_session *s)
{
	char mark[RUN_ID_LEN + sizeof(LOOP_END_MARK)], block[BLOCK];
	size_t len = (size_t)snprintf(mark, sizeof(mark), LOOP_END_MARK,
	    s->launch.run);
	const char *found;
	struct stat st;
	ssize_t n;

	if (fstat(s->log, &st) == 0 && (uint64_t)st.st_size < s->searched)
		s->searched = 0;        /* the log was emptied */
	while (s->end == LOG_OPEN && (n = pread(s->log, block, BLOCK,
	    (off_t)s->searched)) >= (ssize_t)len) {
		found = memmem(block, (size_t)n, mark, len);
		if (found != NULL)
			s->end = s->searched + (uint64_t)(found - block);
		else
			s->searched += (uint64_t)n - len + 1;
	}
	return s->end != LOG_OPEN;
}

/* Cuts off the mark and what follows, so that equal output makes equal logs. */
static void
tmux_close(struct loop_session *s)
{
	char *socket = s->place.socket != NULL ? xstrdup(s->place.socket) :
	    tmux_socket();
	struct buf why = BUF_INIT;

	session_destroy(s);
	tmux_end(socket, s->title, &why);
	if (s->log != -1) {
		session_await_log(s, WRITING);
		if (tmux_stream(s) && ftruncate(s->log, (off_t)s->end) == -1)
			errno = 0;
	}
	buf_release(&why);
	free(socket);
}

/* tmux finds its usual server without -S. */
static void
tmux_attach(const struct loop_session *s, struct buf *command)
{
	char *usual = tmux_usual_socket();

	buf_adds(command, "tmux ");
	if (s->place.socket != NULL && strcmp(s->place.socket, usual) != 0) {
		buf_adds(command, "-S ");
		template_quote(command, s->place.socket,
		    strlen(s->place.socket));
		buf_addc(command, ' ');
	}
	buf_printf(command, "attach -t =%s", s->title);
	free(usual);
}

static void
tmux_list_session(const struct loop_session *s, struct buf *words)
{
	struct buf answer = BUF_INIT, why = BUF_INIT;

	if (s->place.socket != NULL && tmux_pane_tell(s->place.socket,
	    s->place.pane, "#{session_name}", &answer, &why) == TMUX_OK &&
	    answer.len > 0)
		buf_printf(words, "tmux session %s", s->title);
	buf_release(&answer);
	buf_release(&why);
}

const struct session_manager tmux_manager = {
	.name = "tmux",
	.way = KEEPER_TERMINAL,
	.program = "tmux",
	.create = tmux_create,
	.output = tmux_output,
	.stream = tmux_stream,
	.close = tmux_close,
	.attach = tmux_attach,
	.list = tmux_list_session,
};

/* ---- the other end of the pipe ------------------------------------------- */

/* tmux would store what is not read; what a full disk refuses is lost. */
static int
looplog_run(const struct command *c, int argc, char **argv)
{
	struct statusdir dir;
	char block[BLOCK];
	ssize_t n;
	int fd;

	command_option(c, argc, argv, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	context_statusdir(&dir, argv[2]);
	fd = openat(dir.state_fd, argv[1], O_WRONLY | O_APPEND | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd == -1)
		fatal("cannot open the log '%s' in '%s'", argv[1], argv[2]);
	file_lock(fd, LOCKING);         /* until we end */
	while ((n = read(STDIN_FILENO, block, BLOCK)) != 0) {
		if (n == -1 && errno != EINTR && errno != EAGAIN)
			break;
		if (n > 0 && file_write(fd, block, (size_t)n) == -1)
			errno = 0;
	}
	return EXIT_DONE;
}

const struct command looplog_command = {
	.name = "loop-log",
	.arguments = "NAME STATUS-DIRECTORY PANE",
	.run = looplog_run,
};
