#include "tmux/tmux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/text.h"
#include "tmux/call.h"

/* ---- what is typed into a pane ------------------------------------------- */

enum tmux_result
tmux_input(const struct pane_ref *p, struct buf *why)
{
	struct buf said = BUF_INIT;
	const char *trouble = NULL, *flags;
	enum tmux_result result = call_do(p->socket, WORDS("display-message",
	    "-p", "-t", p->pane, "#{pane_id} #{?pane_dead,d,}"
	    "#{?pane_input_off,o,}#{?pane_synchronized,s,}"), &said, why);

	flags = strchr(buf_str(&said), ' ');
	if (result != TMUX_OK)
		trouble = NULL;
	else if (said.data[0] != '%' || flags == NULL)
		trouble = "it is not there any more";
	else if (strchr(flags, 'd') != NULL)
		trouble = "its process has ended";
	else if (strchr(flags, 'o') != NULL)
		trouble = "its input is turned off";
	else if (strchr(flags, 's') != NULL)
		trouble = "its window types into all panes at once "
		    "(synchronize-panes)";
	buf_release(&said);
	if (trouble == NULL)
		return result;
	buf_printf(why, "pane %s: %s", p->pane, trouble);
	return TMUX_FAILED;
}

/* A call that types.  In copy mode, keys go to the mode. */
static char **
typing_new(const struct pane_ref *p)
{
	char *cancel = xasprintf("send-keys -t %s -X cancel", p->pane);
	char **argv = call_where(call_new(p->socket), p->pane,
	    "#{pane_in_mode}", cancel);

	free(cancel);
	return argv;
}

enum tmux_result
tmux_key(const struct pane_ref *p, const char *key, struct buf *why)
{
	return call_run(argv_add_all(typing_new(p), WORDS("send-keys", "-t",
	    p->pane, key)), NULL, NULL, why);
}

enum tmux_result
tmux_line(const struct pane_ref *p, const char *line, struct buf *why)
{
	char **argv = argv_add_all(typing_new(p), WORDS("send-keys", "-t",
	    p->pane, "C-u", ";", "send-keys", "-t", p->pane, "-l", "--"));

	argv = call_add_data(argv, (const char *[]){ line, NULL });
	return call_run(argv_add_all(argv, WORDS(";", "send-keys", "-t",
	    p->pane, "Enter")), NULL, NULL, why);
}

enum tmux_result
tmux_look(const struct pane_ref *p, struct tmux_still *s, struct buf *why)
{
	struct buf said = BUF_INIT;
	enum tmux_result result = call_do(p->socket, WORDS("display-message",
	    "-p", "-t", p->pane, still_format(), ";", "capture-pane", "-p",
	    "-t", p->pane, ";", "capture-pane", "-ep", "-t", p->pane), &said,
	    why);

	*s = (struct tmux_still){ .facts = NULL };
	if (result == TMUX_OK && !still_parse(s, buf_str(&said), p)) {
		buf_printf(why, "pane %s: it is not there any more", p->pane);
		result = TMUX_FAILED;
	}
	buf_release(&said);
	return result;
}

/* Makes the server poll once before its next command: it reads the output of
 * programs and writes typed keys.  tmux before 3.2 has no command for that. */
#define POLL "if-shell -F '#{||:#{m:3.[01],#{version}}," \
    "#{m:3.[01][a-z],#{version}}}' '' 'run-shell -d 0'"
#define CHANGED "display-message -p changed"

/* Asks, types, polls and asks again. */
static char **
typing_ask(char **argv, const struct pane_ref *p, const struct tmux_typing *t)
{
	struct buf act = BUF_INIT, quick = BUF_INIT;
	const char *last = t->quick != NULL ? t->quick : t->question;

	if (t->text != NULL)
		buf_printf(&act, "paste-buffer -t %s -p -r -b paneward-answer",
		    p->pane);
	else
		buf_printf(&act, "send-keys -t %s %s", p->pane, t->key);
	buf_adds(&act, ";display-message -p typed");
	/* The same question, asked quickly after a poll. */
	if (t->quick != NULL) {
		buf_printf(&quick, POLL ";if-shell -F -t %s ", p->pane);
		call_add_word(&quick, t->quick);
		buf_printf(&quick, " '%s' '" CHANGED "'", buf_str(&act));
	} else
		argv = argv_add_all(argv, WORDS("if-shell", "-F", "1", POLL,
		    ";"));
	argv = argv_add_all(argv, WORDS("if-shell", "-F", "-t", p->pane,
	    t->question, buf_str(quick.len > 0 ? &quick : &act), CHANGED));
	if (strlen(t->question) + quick.len + strlen(last) <= TMUX_QUESTION)
		argv = argv_add_all(argv, WORDS(";", "if-shell", "-F", "1",
		    POLL, ";", "if-shell", "-F", "-t", p->pane, last, "",
		    "display-message -p late"));
	buf_release(&act);
	buf_release(&quick);
	return argv;
}

enum tmux_result
tmux_type(const struct pane_ref *p, const struct tmux_typing *t,
    enum tmux_typed *typed, struct buf *why)
{
	char **argv = call_new(p->socket);
	struct buf said = BUF_INIT;
	enum tmux_result result;

	if (t->text != NULL) {
		argv = argv_add_all(argv, WORDS("set-buffer", "-b",
		    "paneward-answer", "--"));
		argv = call_add_data(argv, WORDS(t->text));
		argv = argv_add(argv, ";");
	}
	argv = typing_ask(argv, p, t);
	if (t->text != NULL)
		argv = argv_add_all(argv, WORDS(";", "delete-buffer", "-b",
		    "paneward-answer"));
	result = call_run(argv, NULL, &said, why);
	*typed = strcmp(buf_str(&said), "typed\n") == 0 ? TMUX_TYPED :
	    strcmp(buf_str(&said), "typed\nlate\n") == 0 ? TMUX_TYPED_LATE :
	    TMUX_CHANGED;
	buf_release(&said);
	return result;
}

enum tmux_result
tmux_stays(const struct pane_ref *p, bool *stays, struct buf *why)
{
	struct buf said = BUF_INIT;
	enum tmux_result result = call_do(p->socket, WORDS("show-options",
	    "-Apv", "-t", p->pane, "remain-on-exit"), &said, why);

	*stays = strncmp(buf_str(&said), "on", 2) == 0;
	buf_release(&said);
	return result;
}

enum tmux_result
tmux_keep(const struct pane_ref *p, bool keep, struct buf *why)
{
	return call_do(p->socket, WORDS("set-option", keep ? "-p" : "-pu", "-t",
	    p->pane, "remain-on-exit", keep ? "on" : NULL), NULL, why);
}

enum tmux_result
tmux_respawn(const struct pane_ref *p, const char *const *argv, struct buf *why)
{
	return call_run(call_add_data(argv_add_all(call_new(p->socket),
	    WORDS("respawn-pane", "-k", "-t", p->pane, "--")), argv), NULL,
	    NULL, why);
}

/* ---- what a client shows ------------------------------------------------- */

/* tmux knows our client by the pane in which we run. */
static enum tmux_result
client_run(char **argv, const char *client, struct buf *why)
{
	static const char *const without[] = { "TMUX", "TMUX_PANE", NULL };
	static const char *const keeping[] = { "TMUX", NULL };
	struct spawn s = SPAWN_INIT;

	spawn_begin(&s, &(struct spawn_how){ .limit = TMUX_LIMIT,
	    .argv = (const char *const *)argv,
	    .without = client != NULL ? without : keeping });
	return call_end(argv, &s, NULL, why);
}

enum tmux_result
tmux_switch(const char *socket, const char *client, const char *pane,
    struct buf *why)
{
	char **argv = argv_add(call_new(socket), "switch-client");

	if (client != NULL)
		argv = argv_add_all(argv, WORDS("-c", client));
	return client_run(argv_add_all(argv, WORDS("-t", pane)), client, why);
}

/* Has it only characters that no shell treats in a special way? */
static bool
socket_plain(const char *socket, struct buf *why)
{
	const char *p = socket;

	while (text_alnum(*p) || (*p != '\0' && strchr("/._-", *p) != NULL))
		p++;
	if (*p != '\0')
		buf_printf(why, "the path of the tmux socket '%s' has another "
		    "character than A-Z, a-z, 0-9, '/', '.', '_' and '-'",
		    socket);
	return *p == '\0';
}

/* The client's process runs the line in the user's shell, whichever that is:
 * so everything in it is plain.  A refused attach would end the client. */
enum tmux_result
tmux_move(const char *socket, const char *client, const char *from,
    const struct pane_ref *to, struct buf *why)
{
	char **argv = argv_add(call_new(socket), "detach-client");

	if (!socket_plain(socket, why) || !socket_plain(to->socket, why)) {
		argv_free(argv);
		return TMUX_FAILED;
	}
	if (client != NULL)
		argv = argv_add_all(argv, WORDS("-t", client));
	argv = argv_own(argv_add(argv, "-E"), xasprintf("exec sh -c "
	    "'tmux -S %s attach -t %s || exec tmux -S %s attach -t %s'",
	    to->socket, to->pane, socket, from));
	return client_run(argv, client, why);
}

void
tmux_enter(const struct pane_ref *p, struct buf *why)
{
	spawn_replace(WORDS("tmux", "-S", p->socket, "attach-session", "-t",
	    p->pane));
	buf_printf(why, "cannot run tmux: %s", strerror(errno));
}
