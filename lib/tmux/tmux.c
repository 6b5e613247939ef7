#include "tmux/tmux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/issue.h"
#include "base/utf8.h"
#include "tmux/call.h"

/* A client sends its command in one message of 16 KiB; servers from 3.7 on
 * refuse one of more than 1,000 words. */
enum { COMMAND_MOST = 16000, COMMAND_WORDS = 1000 };

/* Of one call; it stays below these limits. */
enum { SHOW_CLIENTS = 50, SHOW_MARKS = 130 };

enum { MESSAGE_MOST = 1000 };           /* bytes of a message to a client */

/* ---- queries ------------------------------------------------------------- */

/* The words of a query, without its listing. */
static char **
query_new(struct tmux_query *q, const char *socket)
{
	char id[RUN_ID_LEN + 1];

	free(q->socket);
	q->socket = xstrdup(socket);
	q->sets = false;
	/* A random word, so that no pane can forge an answer. */
	if (run_id_make(id) == -1)
		snprintf(id, sizeof(id), "%036ld", (long)getpid());
	snprintf(q->token, sizeof(q->token), "%.8s%.8s", id, id + 28);
	return call_new(socket);
}

/* A pane, client or window that is gone must not end the call. */
static char **
add_alone(char **argv, char *line)
{
	argv = argv_add_all(argv, WORDS("if", "-F", "1"));
	return argv_add(argv_own(argv, line), ";");
}

/* Adds as many of the wishes as fit; returns how many, at least one: it would
 * not fit the next time either. */
static size_t
add_wishes(char ***argv, const struct tmux_query *q,
    const struct tmux_wish *wishes, size_t count)
{
	size_t i, n, size = 0;
	char *line;

	for (n = 0; (*argv)[n] != NULL; n++)
		size += strlen((*argv)[n]) + 1;
	for (i = 0; i < count; i++, n += 5) {
		line = call_wish(&wishes[i], q->token);
		size += strlen(line) + sizeof(";if-F1") + 4;
		if (n + 5 > COMMAND_WORDS || size > COMMAND_MOST) {
			free(line);
			break;
		}
		*argv = add_alone(*argv, line);
	}
	return i == 0 && count > 0 ? 1 : i;
}

ssize_t
tmux_query_begin(struct tmux_query *q, const char *socket,
    enum tmux_lists lists, const struct tmux_wish *wishes, size_t count)
{
	char **argv = query_new(q, socket);
	size_t taken;
	int ret;

	q->lists = lists;
	if (lists == TMUX_BRIEF) {
		argv = argv_add_all(argv, WORDS("display", "-p"));
		argv = argv_own(argv, listing_server(q->token));
		argv = argv_add(argv, ";");
	}
	if (lists != TMUX_WISHES) {
		argv = argv_add_all(argv, WORDS("list-panes", "-a", "-F"));
		argv = argv_own(argv, lists == TMUX_BRIEF ?
		    listing_brief(q->token) :
		    listing_format(q->token, lists == TMUX_MARKED));
		argv = argv_add_all(argv, WORDS(";", "list-clients", "-F"));
		argv = argv_own(argv, listing_clients(q->token));
		if (count > 0)
			argv = argv_add(argv, ";");
	}
	taken = add_wishes(&argv, q, wishes, count);
	ret = call_begin(argv, &q->spawn, NULL, q->limit);
	argv_free(argv);
	return ret == -1 ? -1 : (ssize_t)taken;
}

/* New panes do not inherit a hidden variable, which tmux has from 3.2 on. */
static char **
add_queue(char **argv, const char *queue)
{
	if (*queue == '\0')
		return argv_add_all(argv, WORDS("set-environment", "-gu",
		    "PANEWARD_QUEUE", ";"));
	argv = argv_add_all(argv, WORDS("if", "-F",
	    "#{m:3.[01],#{=3:version}}"));
	argv = argv_own(argv, xasprintf("set-environment -g PANEWARD_QUEUE "
	    "'%s'", queue));
	argv = argv_own(argv, xasprintf("set-environment -gh PANEWARD_QUEUE "
	    "'%s'", queue));
	return argv_add(argv, ";");
}

static char **
add_redraw(char **argv, const struct tmux_listing *l)
{
	struct buf line = BUF_INIT;
	size_t i;

	for (i = 0; i < l->nclients && i < SHOW_CLIENTS; i++) {
		if (l->clients[i].control)
			continue;
		buf_adds(&line, "refresh-client -S -t ");
		call_add_word(&line, l->clients[i].tty);
		argv = add_alone(argv, buf_steal(&line));
	}
	return argv;
}

ssize_t
tmux_show_begin(struct tmux_query *q, const char *socket,
    const struct tmux_show *show)
{
	char **argv = query_new(q, socket);
	const struct tmux_mark *m;
	size_t i;
	int ret;

	q->lists = TMUX_WISHES;
	q->sets = true;
	if (show->queue != NULL)
		argv = add_redraw(add_queue(argv, show->queue), show->listing);
	for (i = 0; i < show->nmarks && i < SHOW_MARKS; i++) {
		m = &show->marks[i];
		argv = add_alone(argv, *m->text != '\0' ?
		    xasprintf("set -wt%s @paneward_state %s", m->window,
		    m->text) :
		    xasprintf("set -wut%s @paneward_state", m->window));
	}
	ret = call_begin(argv, &q->spawn, NULL, q->limit);
	argv_free(argv);
	return ret == -1 ? -1 : (ssize_t)i;
}

void
tmux_query_release(struct tmux_query *q)
{
	spawn_release(&q->spawn);
	free(q->socket);
	*q = (struct tmux_query)TMUX_QUERY_INIT;
}

enum tmux_result
tmux_query_answer(struct tmux_query *q, struct tmux_listing *l,
    struct buf *why)
{
	enum tmux_result result = call_result(&q->spawn, q->socket, q->limit,
	    why);

	*l = (struct tmux_listing){ 0 };
	/* If there is a listing, only a later wish failed. */
	if (result == TMUX_OK || result == TMUX_FAILED)
		listing_parse(l, q->spawn.output.data,
		    q->spawn.output.len, q->token);
	if (tmux_version_old(l->version)) {
		buf_printf(why, TMUX_TOO_OLD, q->socket, l->version);
		result = TMUX_OLD;
	} else if (l->npanes > 0 || (result == TMUX_FAILED &&
	    q->spawn.status != SPAWN_FAILED && (q->lists == TMUX_WISHES ||
	    strstr(buf_str(&q->spawn.errors), "no current target") != NULL))) {
		/* Panes are gone, or tmux has no session to list. */
		buf_reset(why);
		result = TMUX_OK;
	}
	if (result != TMUX_OK)
		listing_release(l);
	return result;
}

static enum tmux_result
query_run(const char *socket, enum tmux_lists lists, struct tmux_listing *l,
    struct buf *why)
{
	struct tmux_query q = TMUX_QUERY_INIT;
	enum tmux_result result;

	tmux_query_begin(&q, socket, lists, NULL, 0);
	spawn_finish(&q.spawn);
	result = tmux_query_answer(&q, l, why);
	tmux_query_release(&q);
	return result;
}

enum tmux_result
tmux_list(const char *socket, struct tmux_listing *l, struct buf *why)
{
	return query_run(socket, TMUX_PANES, l, why);
}

enum tmux_result
tmux_list_brief(const char *socket, struct tmux_listing *l, struct buf *why)
{
	return query_run(socket, TMUX_BRIEF, l, why);
}

/* ---- one pane ------------------------------------------------------------ */

enum tmux_result
tmux_pane_tell(const char *socket, const char *pane, const char *format,
    struct buf *answer, struct buf *why)
{
	enum tmux_result result = call_do(socket, WORDS("display-message", "-p",
	    "-t", pane, format), answer, why);

	buf_chomp(answer);
	return result;
}

enum tmux_result
tmux_text(const struct pane_ref *ref, bool history, struct buf *text,
    struct buf *why)
{
	enum tmux_result result = call_do(ref->socket, WORDS("capture-pane",
	    "-p", "-J", "-S", history ? "-" : "0", "-t", ref->pane), text, why);

	buf_chomp(text);
	return result;
}

/* A client that has no name is the one that tmux would take. */
static char *
message_line(const char *tty, const char *literal)
{
	struct buf line = BUF_INIT;

	buf_adds(&line, "display-message ");
	if (tty != NULL) {
		buf_adds(&line, "-c ");
		call_add_word(&line, tty);
		buf_addc(&line, ' ');
	}
	buf_adds(&line, "-- ");
	call_add_word(&line, literal);
	return buf_steal(&line);
}

/* In tmux 3.2 and 3.2a, -c takes no client.  They take the client that shows
 * the session of TMUX_PANE; of several the one that was used last. */
enum tmux_result
tmux_message(const char *socket, const struct tmux_client *c,
    const char *text, struct buf *why)
{
	char **argv = argv_add_all(call_new(socket), WORDS("if", "-F",
	    "#{m:3.2*,#{version}}"));
	char *pane = xasprintf("TMUX_PANE=%s", c->pane);
	struct buf literal = BUF_INIT;
	struct spawn s = SPAWN_INIT;
	size_t left = strlen(text), size;
	unsigned long sign;

	/* tmux expands it as a format and a date, and obeys "#[" in it. */
	for (; left > 0 && literal.len < MESSAGE_MOST;
	    text += size, left -= size) {
		size = utf8_decode(text, left, &sign);
		if (size == 0 || utf8_harmful(sign))
			buf_addc(&literal, ' ');
		else if (sign != '#')
			buf_add(&literal, text, size);
		if (size == 1 && sign == '%')
			buf_addc(&literal, '%');
		size += size == 0;
	}
	argv = argv_own(argv, message_line(NULL, buf_str(&literal)));
	argv = argv_own(argv, message_line(c->tty, buf_str(&literal)));
	buf_release(&literal);
	spawn_begin(&s, &(struct spawn_how){ .limit = TMUX_LIMIT,
	    .argv = (const char *const *)argv, .without = WORDS("TMUX"),
	    .with = WORDS(pane) });
	free(pane);
	return call_end(argv, &s, NULL, why);
}

bool
tmux_id_valid(const char *id, char kind)
{
	size_t digits;

	if (id[0] != kind)
		return false;
	digits = strspn(id + 1, "0123456789");
	return digits > 0 && digits < 12 && id[1 + digits] == '\0';
}

char *
tmux_socket(void)
{
	const char *tmux = getenv("TMUX");

	return tmux != NULL && tmux[0] == '/' ?
	    xstrndup(tmux, strcspn(tmux, ",")) : tmux_usual_socket();
}

char *
tmux_usual_socket(void)
{
	const char *dir = getenv("TMUX_TMPDIR");

	return xasprintf("%s/tmux-%ld/default",
	    dir != NULL && dir[0] != '\0' ? dir : "/tmp", (long)getuid());
}

/* $TMUX is socket,pid,number. */
const char *
tmux_own_pane(pid_t *server)
{
	const char *tmux = getenv("TMUX"), *pane = getenv("TMUX_PANE");
	const char *at = tmux != NULL ? strchr(tmux, ',') : NULL;
	char end = ',';
	int pid;

	if (at == NULL || pane == NULL || !tmux_id_valid(pane, '%') ||
	    sscanf(at, ",%d%c", &pid, &end) < 1 || end != ',' || pid <= 0)
		return NULL;
	*server = pid;
	return pane;
}

/* Two paths may lead to one server. */
bool
tmux_here(const struct pane_ref *p)
{
	pid_t server;
	const char *pane = tmux_own_pane(&server);

	return pane != NULL && p->socket != NULL && server == p->server &&
	    strcmp(pane, p->pane) == 0;
}

/* Each word is in single quotes.  tmux halves "##" and "%%" before sh sees
 * them; a "#[" or "#{" cannot arise, since the quotes are closed and reopened
 * behind each '#'. */
char *
tmux_pipe_command(const char *const *argv)
{
	struct buf line = BUF_INIT;
	const char *p;

	buf_adds(&line, "exec");
	for (; *argv != NULL; argv++) {
		buf_adds(&line, " '");
		for (p = *argv; *p != '\0'; p++) {
			if (*p == '\'')
				buf_adds(&line, "'\\''");
			else if (*p == '#')
				buf_adds(&line, "##''");
			else if (*p == '%')
				buf_adds(&line, "%%");
			else
				buf_addc(&line, *p);
		}
		buf_addc(&line, '\'');
	}
	buf_adds(&line, " '#{pid}#{pane_id}'");
	return buf_steal(&line);
}
