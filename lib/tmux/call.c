#include "tmux/call.h"

#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/text.h"

char **
call_new(const char *socket)
{
	return argv_add_all(NULL, WORDS("tmux", "-u", "-S", socket));
}

char **
call_add_data(char **argv, const char *const *words)
{
	size_t len;

	for (; *words != NULL; words++) {
		len = strlen(*words);
		argv = len > 0 && (*words)[len - 1] == ';' ? argv_own(argv,
		    xasprintf("%.*s\\;", (int)len - 1, *words)) :
		    argv_add(argv, *words);
	}
	return argv;
}

int
call_begin(char **argv, struct spawn *s, const char *cwd, msec limit)
{
	/* These name another server. */
	static const char *const without[] = { "TMUX", "TMUX_PANE", NULL };

	return spawn_begin(s, &(struct spawn_how){ .without = without,
	    .argv = (const char *const *)argv, .cwd = cwd,
	    .limit = limit, .most = 64 << 20 });
}

enum tmux_result
call_result(struct spawn *s, const char *socket, msec limit, struct buf *why)
{
	const char *said = buf_str(&s->errors);

	if (s->status == 0)
		return TMUX_OK;
	if (s->status == SPAWN_FAILED) {
		buf_printf(why, "cannot run tmux: %s", said);
		return TMUX_FAILED;
	}
	if (s->status == SPAWN_TIMEOUT) {
		buf_printf(why, "the tmux server at '%s' did not answer within "
		    "%lld s", socket, (long long)limit / 1000);
		return TMUX_SILENT;
	}
	if (s->status == SPAWN_UNREAD) {
		buf_printf(why, "cannot read what the tmux server at '%s' "
		    "answers", socket);
		return TMUX_SILENT;
	}
	if (s->status == 127 && strstr(said, "cannot run") != NULL) {
		buf_adds(why, "cannot run tmux: no such program in PATH");
		return TMUX_MISSING;
	}
	/* If it cannot connect for another reason, the server may live. */
	if (strstr(said, "no server running") != NULL ||
	    (strstr(said, "error connecting to") != NULL &&
	    (strstr(said, "(No such file or directory)") != NULL ||
	    strstr(said, "(Not a directory)") != NULL ||
	    strstr(said, "(Connection refused)") != NULL)) ||
	    strstr(said, "server exited") != NULL ||
	    strstr(said, "lost server") != NULL) {
		buf_printf(why, "no tmux server at '%s'", socket);
		return TMUX_NO_SERVER;
	}
	buf_printf(why, "tmux at '%s': %s", socket,
	    said[0] != '\0' ? said : "it failed without a word");
	return TMUX_FAILED;
}

enum tmux_result
call_end(char **argv, struct spawn *s, struct buf *out, struct buf *why)
{
	enum tmux_result result;

	spawn_finish(s);
	result = call_result(s, argv[3], TMUX_LIMIT, why);
	if (out != NULL)
		buf_add(out, s->output.data, s->output.len);
	spawn_release(s);
	argv_free(argv);
	return result;
}

enum tmux_result
call_run(char **argv, const char *cwd, struct buf *out, struct buf *why)
{
	struct spawn s = SPAWN_INIT;

	call_begin(argv, &s, cwd, TMUX_LIMIT);
	return call_end(argv, &s, out, why);
}

enum tmux_result
call_do(const char *socket, const char *const *words, struct buf *out,
    struct buf *why)
{
	return call_run(argv_add_all(call_new(socket), words), NULL, out, why);
}

/* ---- commands in a line ------------------------------------------------- */

char **
call_where(char **argv, const char *pane, const char *condition,
    const char *command)
{
	return argv_add_all(argv, WORDS("if-shell", "-F", "-t", pane, condition,
	    command, ";"));
}

void
call_add_word(struct buf *line, const char *word)
{
	if (*word == '\0')
		buf_adds(line, "''");
	for (; *word != '\0'; word++)
		if (text_alnum(*word) || strchr("/._-", *word) != NULL)
			buf_addc(line, *word);
		else if (*word >= ' ' && *word <= '~')
			buf_printf(line, "\\%c", *word);
		else
			buf_printf(line, "\\%03o", (unsigned char)*word);
}

char *
call_wish(const struct tmux_wish *w, const char *token)
{
	struct buf line = BUF_INIT;
	const char *p;

	/* tmux halves the "%%", since it expands dates. */
	if (w->want & TMUX_CAPTURE)
		buf_printf(&line, "display -p '%s c %%%s';"
		    "capturep -pJS-%d -t%s;", token, w->pane, TMUX_HISTORY,
		    w->pane);
	if (w->want & TMUX_PIPE) {
		buf_printf(&line, "pipe-pane -t%s ", w->pane);
		call_add_word(&line, w->pipe);
		buf_addc(&line, ';');
	}
	if (w->want & TMUX_STAY)
		buf_printf(&line, "set -pt%s remain-on-exit on;", w->pane);
	if (w->want & TMUX_NAME) {
		buf_printf(&line, "set -pt%1$s @paneward_issue %2$s;"
		    "set -pt%1$s @paneward_run %3$s;set -pt%1$s @paneward_dir ",
		    w->pane, w->issue, w->run);
		/* tmux escapes other bytes in its answers; then no path is
		 * better. */
		for (p = w->dir; *p >= ' ' && *p <= '~'; p++)
			continue;
		call_add_word(&line, *p == '\0' ? w->dir : "");
	}
	return buf_steal(&line);
}
