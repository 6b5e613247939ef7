#include "tmux/tmux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "tmux/call.h"

enum { OPENING = 5 };                   /* tries of a new session */

/* Adds the pipe and the options of a new pane. */
static char **
add_outfit(char **argv, const struct tmux_new *n, const char *pane)
{
	struct buf target = BUF_INIT;

	call_add_word(&target, pane);
	argv = argv_own(argv_add_all(argv, WORDS(";", "if", "-F", "1")),
	    call_wish(&(struct tmux_wish){ .pane = buf_str(&target),
	    .want = (n->pipe ? TMUX_PIPE : 0) |
	    (n->issue ? TMUX_STAY | TMUX_NAME : 0),
	    .pipe = n->pipe, .issue = n->issue, .run = n->run,
	    .dir = n->dir }, NULL));
	buf_release(&target);
	return argv;
}

/* The call that opens it.  The new pane's id is not known yet: target is a new
 * session, which has no other pane, or a new window, which is behind all
 * others. */
static char **
open_call(const struct tmux_new *n, const char *target)
{
	static const char format[] = "#{session_id} #{window_id} #{pane_id} "
	    "#{pane_pid} #{pid} #{start_time} #{version} #{session_name}";
	char **argv = call_new(n->socket);

	/* In the same call, so that a server does not end with its last
	 * session. */
	if (n->dead != NULL) {
		char *kill = xasprintf("kill-pane -t %s", n->dead);

		argv = call_where(argv, n->dead, "#{pane_dead}", kill);
		free(kill);
	}
	if (n->window)
		argv = argv_add_all(argv, WORDS("new-window", "-d", "-a", "-P",
		    "-F", format, "-t", target, "-n", n->name, "--"));
	else
		argv = argv_add_all(argv, WORDS("new-session", "-d", "-P", "-F",
		    format, "-s", n->session, "-x", "200", "-y", "50", "--"));
	argv = call_add_data(argv, n->argv);
	argv = add_outfit(argv, n, target);
	/* tmux before 3.0 knows no options of panes.  It parses the whole call
	 * first, so there it does nothing. */
	if (n->issue != NULL)
		argv = argv_add_all(argv, WORDS(";", "set-option", "-p", "-t",
		    target, "remain-on-exit", "on"));
	if (!n->window)                 /* no client is attached */
		argv = argv_add_all(argv, WORDS(";", "set-option", "-t", target,
		    "destroy-unattached", "off"));
	return argv_add_all(argv, WORDS(";", "display-message", "-p", "-t",
	    target, "#{pane_id}"));
}

/* Parses what -P printed, and behind it the pane that the other commands acted
 * on. */
static int
parse_new(const char *text, struct pane_ref *ref, char **session_name,
    char done_to[TMUX_ID], char version[32])
{
	const char *line;
	long long server_start;
	int pane_pid, server, used = 0;

	if (sscanf(text, "%23s %23s %23s %d %d %lld %31s %n", ref->session,
	    ref->window, ref->pane, &pane_pid, &server, &server_start,
	    version, &used) != 7)
		return -1;
	ref->pane_pid = pane_pid;
	ref->server = server;
	ref->server_start = server_start;
	*session_name = xstrndup(text + used, strcspn(text + used, "\n"));
	line = strchr(text + used, '\n');
	if (line == NULL || sscanf(line, "%23s", done_to) != 1)
		done_to[0] = '\0';
	return 0;
}

/* Did it fail since the program is too old?  Says so instead. */
static enum tmux_result
new_failed(const struct tmux_new *n, struct buf *why)
{
	struct buf said = BUF_INIT, ignored = BUF_INIT;
	enum tmux_result result = TMUX_FAILED;
	const char *version;

	call_do(n->socket, WORDS("-V"), &said, &ignored);
	buf_chomp(&said);
	version = buf_str(&said) + strcspn(buf_str(&said), " ");
	if (*version == ' ' && tmux_version_old(version + 1)) {
		buf_reset(why);
		buf_printf(why, TMUX_TOO_OLD, n->socket, version + 1);
		result = TMUX_OLD;
	}
	buf_release(&said);
	buf_release(&ignored);
	return result;
}

static enum tmux_result
open_once(const struct tmux_new *n, struct pane_ref *ref, char **session_name,
    struct buf *why)
{
	char *target = xasprintf(n->window ? "%s:{end}" : "=%s:", n->session);
	char done_to[TMUX_ID] = "", version[32] = "";
	struct buf said = BUF_INIT;
	enum tmux_result result;
	bool made;
	char **argv;

	*ref = (struct pane_ref){ 0 };
	*session_name = NULL;
	result = call_run(open_call(n, target), n->cwd, &said, why);
	made = parse_new(buf_str(&said), ref, session_name, done_to, version)
	    == 0;
	if (result == TMUX_FAILED && !made) {
		result = new_failed(n, why);
	} else if (result == TMUX_OK && !made) {
		buf_adds(why, "tmux did not say what it opened");
		result = TMUX_FAILED;
	} else if (tmux_version_old(version)) {
		buf_printf(why, TMUX_TOO_OLD, n->socket, version);
		result = TMUX_OLD;
	} else if (result == TMUX_OK && strcmp(done_to, ref->pane) != 0) {
		/* A user's tmux hook opened another pane between our commands,
		 * which acted on that: undoes and repeats them. */
		argv = argv_add_all(call_new(n->socket), WORDS("if", "-F",
		    "1"));
		argv = argv_own(argv, xasprintf("pipe-pane -t%1$s;"
		    "set -put%1$s remain-on-exit;set -put%1$s @paneward_issue;"
		    "set -put%1$s @paneward_run;set -put%1$s @paneward_dir",
		    done_to));
		result = call_run(add_outfit(argv, n, ref->pane), NULL, NULL,
		    why);
	}
	if (result == TMUX_OK) {
		ref->socket = xstrdup(n->socket);
	} else if (made) {
		call_do(n->socket, WORDS("kill-pane", "-t", ref->pane), NULL,
		    &said);
		*ref = (struct pane_ref){ 0 };
		free(*session_name);
		*session_name = NULL;
	}
	buf_release(&said);
	free(target);
	return result;
}

/* A new session starts a server if none runs.  A server that is about to end
 * with its last session takes the call with it; the next call starts
 * another. */
enum tmux_result
tmux_open(const struct tmux_new *n, struct pane_ref *ref, char **session_name,
    struct buf *why)
{
	struct buf reason = BUF_INIT;
	enum tmux_result result;
	int tries = OPENING;
	char *folder = xstrndup(n->socket, (size_t)(strrchr(n->socket, '/') -
	    n->socket));

	/* tmux creates the folder of its default socket only; without this, the
	 * first session after a boot would fail. */
	mkdir(folder, 0700);
	free(folder);
	do {
		buf_reset(&reason);
		result = open_once(n, ref, session_name, &reason);
	} while (result == TMUX_NO_SERVER && !n->window && --tries > 0);
	buf_adds(why, buf_str(&reason));
	buf_release(&reason);
	return result;
}

enum tmux_result
tmux_end(const char *socket, const char *session, struct buf *why)
{
	char *target = xasprintf("=%s", session);
	enum tmux_result result = call_do(socket, WORDS("kill-session", "-t",
	    target), NULL, why);

	free(target);
	return result;
}

enum tmux_result
tmux_close_pane(const struct pane_ref *p, struct buf *why)
{
	char *same = xasprintf("#{==:#{pid} #{start_time} #{pane_id} "
	    "#{pane_pid},%ld %lld %s %ld}", (long)p->server,
	    (long long)p->server_start, p->pane, (long)p->pane_pid);
	char *kill = xasprintf("kill-pane -t %s", p->pane);
	enum tmux_result result = call_do(p->socket, WORDS("if-shell", "-F",
	    "-t", p->pane, same, kill), NULL, why);

	free(same);
	free(kill);
	return result;
}
