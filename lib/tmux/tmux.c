#include "tmux/tmux.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* A client sends its command in one message of 16 KiB; servers from 3.7 on
 * refuse one of more than 1,000 words. */
enum { COMMAND_MOST = 16000, COMMAND_WORDS = 1000 };

enum { OPENING = 5 };           /* tries of a new session */

/* An argument vector that grows. */
struct args {
	const char  *socket;
	const char **v;
	size_t       n, size;           /* bytes of the words */
	char       **owned;             /* those of args_own() */
	size_t       nowned;
};

static void
args_add(struct args *a, const char *word)
{
	a->v = xreallocarray(a->v, a->n + 2, sizeof(*a->v));
	a->v[a->n++] = word;
	a->v[a->n] = NULL;
	a->size += strlen(word) + 1;
}

/* Adds a word and takes it over. */
static void
args_own(struct args *a, char *word)
{
	a->owned = xreallocarray(a->owned, a->nowned + 1, sizeof(*a->owned));
	a->owned[a->nowned++] = word;
	args_add(a, word);
}

/* Adds a word from outside: tmux would read a ';' at its end as the end of the
 * command. */
static void
args_add_data(struct args *a, const char *word)
{
	size_t len = strlen(word);

	if (len > 0 && word[len - 1] == ';')
		args_own(a, xasprintf("%.*s\\;", (int)len - 1, word));
	else
		args_add(a, word);
}

static void
args_add_all(struct args *a, const char *const *words)
{
	for (; *words != NULL; words++)
		args_add(a, *words);
}

static void
args_release(struct args *a)
{
	while (a->nowned > 0)
		free(a->owned[--a->nowned]);
	free(a->owned);
	free(a->v);
	a->owned = NULL;
	a->v = NULL;
}

static void
args_begin(struct args *a, const char *socket)
{
	*a = (struct args){ .socket = socket };
	args_add_all(a, (const char *[]){ "tmux", "-u", "-S", socket, NULL });
}

/* Begins the call and releases its words. */
static int
args_spawn(struct args *a, struct spawn *s, const char *cwd)
{
	/* These name another server. */
	static const char *const without[] = { "TMUX", "TMUX_PANE", NULL };
	struct spawn_how how = {
		.argv = a->v, .without = without, .cwd = cwd,
		.limit = TMUX_LIMIT, .most = 64 << 20,
	};
	int ret = spawn_begin(s, &how), saved = errno;

	args_release(a);
	errno = saved;
	return ret;
}

/* A random word, so that no pane can forge an answer. */
static void
make_token(char token[TMUX_TOKEN + 1])
{
	unsigned char b[8] = { 0 };
	int i, fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	if (fd != -1) {
		if (read(fd, b, sizeof(b)) != sizeof(b))
			memset(b, getpid() & 0xff, sizeof(b));
		close(fd);
	}
	for (i = 0; i < 8; i++)
		snprintf(token + 2 * i, 3, "%02x", b[i]);
}

/* tmux escapes other bytes in its answers; then no path is better. */
static const char *
printable(const char *path)
{
	const char *p;

	for (p = path; *p >= ' ' && *p <= '~'; p++)
		continue;
	return *p == '\0' ? path : "";
}

static void
tmux_add_name(struct args *a, const char *pane, const char *issue,
    const char *run, const char *dir)
{
	args_add_all(a, (const char *[]){ ";", "set-option", "-p", "-t", pane,
	    "@paneward_issue", issue, ";", "set-option", "-p", "-t", pane,
	    "@paneward_run", run, ";", "set-option", "-p", "-t", pane,
	    "@paneward_dir", NULL });
	args_add_data(a, printable(dir));
}

/* Adds a word for tmux's own parser, its special characters escaped. */
static void
tmux_add_word(struct buf *line, const char *word)
{
	if (*word == '\0')
		buf_adds(line, "''");
	for (; *word != '\0'; word++) {
		bool plain = (*word & 0x80) != 0 || isalnum(*word) ||
		    strchr("/._-", *word) != NULL;

		if (!plain)
			buf_addc(line, '\\');
		buf_addc(line, *word == '\n' ? 'n' : *word);
	}
}

/* A wish as a line for tmux's own parser. */
static char *
wish_line(const struct tmux_wish *w, const char *token)
{
	char *mark = listing_mark(token, w->pane);
	struct buf line = BUF_INIT;

	if (w->want & TMUX_CAPTURE)
		buf_printf(&line, "display -p '%s';capturep -pJS-%d -t%s;",
		    mark, TMUX_HISTORY, w->pane);
	if (w->want & TMUX_PIPE) {
		buf_printf(&line, "pipe-pane -t%s ", w->pane);
		tmux_add_word(&line, w->pipe);
		buf_addc(&line, ';');
	}
	if (w->want & TMUX_NAME) {
		buf_printf(&line, "set -pt%1$s @paneward_issue %2$s;"
		    "set -pt%1$s @paneward_run %3$s;set -pt%1$s @paneward_dir ",
		    w->pane, w->issue, w->run);
		tmux_add_word(&line, printable(w->dir));
	}
	free(mark);
	return buf_steal(&line);
}

/* Adds a wish; false, with nothing added, if the call would be too long.  If a
 * pane is gone, its command fails and with it all that follow in a call, so
 * each wish is inside an if-shell. */
static bool
add_wish(struct args *a, const struct tmux_wish *w, const char *token)
{
	static const char *const wrap[] = { ";", "if", "-F", "1", NULL };
	char *line = wish_line(w, token);

	if (a->n + sizeof(wrap) / sizeof(wrap[0]) > COMMAND_WORDS ||
	    a->size + strlen(line) + sizeof(";if-F1") + 4 > COMMAND_MOST) {
		free(line);
		return false;
	}
	args_add_all(a, wrap);
	args_own(a, line);
	return true;
}

ssize_t
tmux_query_begin(struct tmux_query *q, const char *socket,
    const struct tmux_wish *wishes, size_t count)
{
	struct args a;
	size_t i;

	free(q->socket);
	q->socket = xstrdup(socket);
	make_token(q->token);
	args_begin(&a, socket);
	args_add_all(&a, (const char *[]){ "list-panes", "-a", "-F", NULL });
	args_own(&a, listing_format(q->token));
	for (i = 0; i < count && add_wish(&a, &wishes[i], q->token); i++)
		continue;
	if (i == 0 && count > 0)
		i = 1;          /* it would not fit the next time either */
	return args_spawn(&a, &q->spawn, NULL) == -1 ? -1 : (ssize_t)i;
}

int
tmux_query_brief(struct tmux_query *q, const char *socket)
{
	struct args a;

	free(q->socket);
	q->socket = xstrdup(socket);
	make_token(q->token);
	args_begin(&a, socket);
	args_add_all(&a, (const char *[]){ "display", "-p", NULL });
	args_own(&a, listing_server(q->token));
	args_add_all(&a, (const char *[]){ ";", "list-panes", "-a", "-F",
	    NULL });
	args_own(&a, listing_brief(q->token));
	return args_spawn(&a, &q->spawn, NULL);
}

bool
tmux_query_step(struct tmux_query *q, msec now)
{
	return spawn_step(&q->spawn, now);
}

void
tmux_query_release(struct tmux_query *q)
{
	spawn_release(&q->spawn);
	free(q->socket);
	*q = (struct tmux_query)TMUX_QUERY_INIT;
}

/* What the end of a tmux process means. */
static enum tmux_result
result_of(struct spawn *s, const char *socket, struct buf *why)
{
	const char *said = buf_str(&s->errors);

	if (s->status == 0)
		return TMUX_OK;
	if (s->status == SPAWN_TIMEOUT) {
		buf_printf(why, "the tmux server at '%s' did not answer within "
		    "%d seconds", socket, TMUX_LIMIT / 1000);
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
	if (strstr(said, "no server running") != NULL ||
	    strstr(said, "error connecting to") != NULL ||
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
tmux_query_answer(struct tmux_query *q, struct tmux_listing *l,
    struct buf *why)
{
	enum tmux_result result = result_of(&q->spawn, q->socket, why);
	bool old = false;

	*l = (struct tmux_listing){ 0 };
	/* If there is a listing, only a later wish failed. */
	if (result == TMUX_OK || result == TMUX_FAILED)
		listing_parse(l, q->spawn.output.data,
		    q->spawn.output.len, q->token, &old);
	if (old) {
		buf_printf(why, "the tmux server at '%s' is older than 3.0",
		    q->socket);
		result = TMUX_OLD;
	} else if (l->npanes > 0 || (result == TMUX_FAILED &&
	    strstr(buf_str(&q->spawn.errors), "no current target") != NULL)) {
		/* tmux has no session to list. */
		buf_reset(why);
		result = TMUX_OK;
	}
	if (result != TMUX_OK)
		listing_release(l);
	return result;
}

enum tmux_result
tmux_list(const char *socket, struct tmux_listing *l, struct buf *why)
{
	struct tmux_query q = TMUX_QUERY_INIT;
	enum tmux_result result = TMUX_FAILED;

	*l = (struct tmux_listing){ 0 };
	if (tmux_query_begin(&q, socket, NULL, 0) == -1) {
		buf_printf(why, "cannot run tmux: %s", strerror(errno));
		return result;
	}
	spawn_finish(&q.spawn);
	result = tmux_query_answer(&q, l, why);
	tmux_query_release(&q);
	return result;
}

/* Runs a whole call; what it prints is added to out, unless that is NULL. */
static enum tmux_result
args_run(struct args *a, const char *cwd, struct buf *out, struct buf *why)
{
	struct spawn s = SPAWN_INIT;
	enum tmux_result result = TMUX_FAILED;

	if (args_spawn(a, &s, cwd) == -1) {
		buf_printf(why, "cannot run tmux: %s", strerror(errno));
	} else {
		spawn_finish(&s);
		result = result_of(&s, a->socket, why);
		if (out != NULL)
			buf_add(out, s.output.data, s.output.len);
	}
	spawn_release(&s);
	return result;
}

/* Runs one command. */
static enum tmux_result
tmux_do(const char *socket, const char *const *words, struct buf *out,
    struct buf *why)
{
	struct args a;

	args_begin(&a, socket);
	args_add_all(&a, words);
	return args_run(&a, NULL, out, why);
}

enum tmux_result
tmux_pane_tell(const char *socket, const char *pane, const char *format,
    struct buf *answer, struct buf *why)
{
	enum tmux_result result = tmux_do(socket, (const char *[]){
	    "display-message", "-p", "-t", pane, format, NULL }, answer, why);

	buf_chomp(answer);
	return result;
}

enum tmux_result
tmux_text(const struct pane_ref *ref, struct buf *text, struct buf *why)
{
	enum tmux_result result = tmux_do(ref->socket, (const char *[]){
	    "capture-pane", "-p", "-J", "-t", ref->pane, NULL }, text, why);

	buf_chomp(text);
	return result;
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
	const char *tmux = getenv("TMUX"), *dir = getenv("TMUX_TMPDIR");

	if (tmux != NULL && tmux[0] == '/')
		return xstrndup(tmux, strcspn(tmux, ","));
	return xasprintf("%s/tmux-%ld/default",
	    dir != NULL && dir[0] != '\0' ? dir : "/tmp", (long)getuid());
}

/* $TMUX is socket,pid,number. */
static bool
server_is(const struct pane_ref *p, const char *tmux)
{
	size_t len = strcspn(tmux, ",");
	const char *pid = tmux + len + 1;
	char *end;

	return len == strlen(p->socket) && memcmp(tmux, p->socket, len) == 0 &&
	    tmux[len] == ',' && strtol(pid, &end, 10) == p->server &&
	    end != pid && (*end == ',' || *end == '\0');
}

bool
tmux_here(const struct pane_ref *p)
{
	const char *tmux = getenv("TMUX"), *pane = getenv("TMUX_PANE");

	return tmux != NULL && pane != NULL && p->socket != NULL &&
	    server_is(p, tmux) && strcmp(pane, p->pane) == 0;
}

/* Adds one word for sh in single quotes.  tmux halves "##" and "%%" before sh
 * sees them; a "#[" or "#{" cannot arise, since the quotes are closed and
 * reopened behind each '#'. */
static void
add_pipe_word(struct buf *out, const char *word)
{
	buf_addc(out, '\'');
	for (; *word != '\0'; word++) {
		switch (*word) {
		case '\'':
			buf_adds(out, "'\\''");
			break;
		case '#':
			buf_adds(out, "##''");
			break;
		case '%':
			buf_adds(out, "%%");
			break;
		default:
			buf_addc(out, *word);
		}
	}
	buf_addc(out, '\'');
}

char *
tmux_pipe_command(const char *const *argv)
{
	struct buf line = BUF_INIT;

	buf_adds(&line, "exec");
	for (; *argv != NULL; argv++) {
		buf_addc(&line, ' ');
		add_pipe_word(&line, *argv);
	}
	buf_adds(&line, " '#{pid}#{pane_id}'");
	return buf_steal(&line);
}

static void
add_new(struct args *a, const struct tmux_new *n, const char *format,
    const char *target)
{
	if (n->window)
		args_add_all(a, (const char *[]){ "new-window", "-d", "-a",
		    "-P", "-F", format, "-t", target, "-n", n->name, NULL });
	else
		args_add_all(a, (const char *[]){ "new-session", "-d", "-P",
		    "-F", format, "-s", n->session, "-x", "200", "-y", "50",
		    NULL });
	args_add(a, "--");
	for (const char *const *word = n->argv; *word != NULL; word++)
		args_add_data(a, *word);
}

/* Adds a command that tmux runs if the condition is true of the pane. */
static void
add_where(struct args *a, const char *pane, const char *condition,
    char *command)
{
	args_add_all(a, (const char *[]){ "if-shell", "-F", "-t", pane,
	    condition, NULL });
	args_own(a, command);
	args_add(a, ";");
}

/* In the same call, so that a server does not end with its last session. */
static void
add_burial(struct args *a, const char *pane)
{
	add_where(a, pane, "#{pane_dead}", xasprintf("kill-pane -t %s", pane));
}

/* Parses what -P printed, and behind it the pane that the other commands acted
 * on. */
static int
parse_new(const char *text, struct pane_ref *ref, char **session_name,
    char done_to[TMUX_ID], bool *old)
{
	const char *line;
	char version[32];
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
	*old = tmux_version_old(version);
	line = strchr(text + used, '\n');
	if (line == NULL || sscanf(line, "%23s", done_to) != 1)
		done_to[0] = '\0';
	return 0;
}

/* tmux creates the folder of its default socket only; without this, the first
 * session after a boot would fail. */
static void
make_socket_folder(const char *socket)
{
	char *folder = xstrndup(socket, (size_t)(strrchr(socket, '/') -
	    socket));

	mkdir(folder, 0700);
	free(folder);
}

/* The pipe, and the options of the pane itself. */
static void
add_outfit(struct args *a, const struct tmux_new *n, const char *pane)
{
	args_add_all(a, (const char *[]){ ";", "pipe-pane", "-t", pane,
	    n->pipe, NULL });
	if (n->issue == NULL)
		return;
	args_add_all(a, (const char *[]){ ";", "set-option", "-p", "-t", pane,
	    "remain-on-exit", "on", NULL });
	tmux_add_name(a, pane, n->issue, n->run, n->dir);
}

/* A user's tmux hook opened another pane between our commands, and they acted
 * on that.  Undoes them there and repeats them. */
static enum tmux_result
put_right(const struct tmux_new *n, const char *pane, const char *wrong,
    struct buf *why)
{
	static const char *const options[] = { "remain-on-exit",
	    "@paneward_issue", "@paneward_run", "@paneward_dir" };
	struct args a;
	size_t i;

	args_begin(&a, n->socket);
	args_add_all(&a, (const char *[]){ "pipe-pane", "-t", wrong, NULL });
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		args_add_all(&a, (const char *[]){ ";", "set-option", "-p",
		    "-u", "-t", wrong, options[i], NULL });
	add_outfit(&a, n, pane);
	return args_run(&a, NULL, NULL, why);
}

/* Nothing is left half made. */
static void
close_new(const char *socket, struct pane_ref *ref, char **session_name)
{
	struct buf why = BUF_INIT;

	tmux_do(socket, (const char *[]){ "kill-pane", "-t", ref->pane,
	    NULL }, NULL, &why);
	buf_release(&why);
	*ref = (struct pane_ref){ 0 };
	free(*session_name);
	*session_name = NULL;
}

static enum tmux_result
open_once(const struct tmux_new *n, struct pane_ref *ref, char **session_name,
    struct buf *why)
{
	static const char format[] = "#{session_id} #{window_id} #{pane_id} "
	    "#{pane_pid} #{pid} #{start_time} #{version} #{session_name}";
	struct buf said = BUF_INIT;
	enum tmux_result result;
	struct args a;
	char *target, done_to[TMUX_ID] = "";
	bool old = false, made;

	*ref = (struct pane_ref){ 0 };
	*session_name = NULL;
	/* The new pane's id is not known yet.  A new session has no other pane,
	 * and a new window is behind all others. */
	make_socket_folder(n->socket);
	target = xasprintf(n->window ? "%s:{end}" : "=%s:", n->session);
	args_begin(&a, n->socket);
	if (n->dead != NULL)
		add_burial(&a, n->dead);
	add_new(&a, n, format, target);
	add_outfit(&a, n, target);
	if (!n->window)                 /* no client is attached */
		args_add_all(&a, (const char *[]){ ";", "set-option", "-t",
		    target, "destroy-unattached", "off", NULL });
	args_add_all(&a, (const char *[]){ ";", "display-message", "-p", "-t",
	    target, "#{pane_id}", NULL });
	result = args_run(&a, n->cwd, &said, why);
	free(target);
	made = parse_new(buf_str(&said), ref, session_name, done_to, &old) ==
	    0;
	buf_release(&said);
	if (result == TMUX_OK && !made) {
		buf_adds(why, "tmux did not say what it opened");
		result = TMUX_FAILED;
	} else if (old) {
		buf_printf(why, "tmux at '%s' is older than 3.0", n->socket);
		result = TMUX_OLD;
	} else if (result == TMUX_OK && strcmp(done_to, ref->pane) != 0) {
		result = put_right(n, ref->pane, done_to, why);
	}
	if (result == TMUX_OK)
		ref->socket = xstrdup(n->socket);
	else if (made)
		close_new(n->socket, ref, session_name);
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
	enum tmux_result result = tmux_do(socket, (const char *[]){
	    "kill-session", "-t", target, NULL }, NULL, why);

	free(target);
	return result;
}

/* ---- what is typed into a pane ------------------------------------------- */

enum tmux_result
tmux_close_pane(const struct pane_ref *p, struct buf *why)
{
	char *same = xasprintf("#{==:#{pid} #{start_time} #{pane_id} "
	    "#{pane_pid},%ld %lld %s %ld}", (long)p->server,
	    (long long)p->server_start, p->pane, (long)p->pane_pid);
	char *kill = xasprintf("kill-pane -t %s", p->pane);
	enum tmux_result result = tmux_do(p->socket, (const char *[]){
	    "if-shell", "-F", "-t", p->pane, same, kill, NULL }, NULL, why);

	free(same);
	free(kill);
	return result;
}

enum tmux_result
tmux_input(const struct pane_ref *p, struct buf *why)
{
	struct buf said = BUF_INIT;
	const char *trouble = NULL;
	enum tmux_result result = tmux_do(p->socket, (const char *[]){
	    "display-message", "-p", "-t", p->pane,
	    "#{pane_id} #{?pane_dead,d,}#{?pane_input_off,o,}"
	    "#{?pane_synchronized,s,}", NULL }, &said, why);

	if (result == TMUX_OK) {
		const char *flags = strchr(buf_str(&said), ' ');

		if (said.len == 0 || said.data[0] != '%' || flags == NULL)
			trouble = "it is not there any more";
		else if (strchr(flags, 'd') != NULL)
			trouble = "its process has ended";
		else if (strchr(flags, 'o') != NULL)
			trouble = "its input is turned off";
		else if (strchr(flags, 's') != NULL)
			trouble = "its window types into all panes at once "
			    "(synchronize-panes)";
	}
	buf_release(&said);
	if (trouble == NULL)
		return result;
	buf_printf(why, "pane %s: %s", p->pane, trouble);
	return TMUX_FAILED;
}

/* In copy mode, keys go to the mode. */
static void
add_leave_mode(struct args *a, const char *pane)
{
	add_where(a, pane, "#{pane_in_mode}",
	    xasprintf("send-keys -t %s -X cancel", pane));
}

enum tmux_result
tmux_key(const struct pane_ref *p, const char *key, struct buf *why)
{
	struct args a;

	args_begin(&a, p->socket);
	add_leave_mode(&a, p->pane);
	args_add_all(&a, (const char *[]){ "send-keys", "-t", p->pane, key,
	    NULL });
	return args_run(&a, NULL, NULL, why);
}

enum tmux_result
tmux_line(const struct pane_ref *p, const char *line, struct buf *why)
{
	struct args a;

	args_begin(&a, p->socket);
	add_leave_mode(&a, p->pane);
	args_add_all(&a, (const char *[]){ "send-keys", "-t", p->pane, "C-u",
	    ";", "send-keys", "-t", p->pane, "-l", "--", NULL });
	args_add_data(&a, line);
	args_add_all(&a, (const char *[]){ ";", "send-keys", "-t", p->pane,
	    "Enter", NULL });
	return args_run(&a, NULL, NULL, why);
}

enum tmux_result
tmux_paste(const struct pane_ref *p, const char *text, struct buf *why)
{
	struct args a;

	args_begin(&a, p->socket);
	add_leave_mode(&a, p->pane);
	args_add_all(&a, (const char *[]){ "set-buffer", "-b", "paneward",
	    "--", NULL });
	args_add_data(&a, text);
	args_add_all(&a, (const char *[]){ ";", "paste-buffer", "-d", "-p",
	    "-r", "-b", "paneward", "-t", p->pane, NULL });
	return args_run(&a, NULL, NULL, why);
}

enum tmux_result
tmux_stays(const struct pane_ref *p, bool *stays, struct buf *why)
{
	struct buf said = BUF_INIT;
	enum tmux_result result = tmux_do(p->socket, (const char *[]){
	    "show-options", "-Apv", "-t", p->pane, "remain-on-exit", NULL },
	    &said, why);

	*stays = strncmp(buf_str(&said), "on", 2) == 0;
	buf_release(&said);
	return result;
}

enum tmux_result
tmux_keep(const struct pane_ref *p, bool keep, struct buf *why)
{
	return tmux_do(p->socket, (const char *[]){ "set-option",
	    keep ? "-p" : "-pu", "-t", p->pane, "remain-on-exit",
	    keep ? "on" : NULL, NULL }, NULL, why);
}

enum tmux_result
tmux_respawn(const struct pane_ref *p, const char *const *argv, struct buf *why)
{
	struct args a;

	args_begin(&a, p->socket);
	args_add_all(&a, (const char *[]){ "respawn-pane", "-k", "-t", p->pane,
	    "--", NULL });
	for (; *argv != NULL; argv++)
		args_add_data(&a, *argv);
	return args_run(&a, NULL, NULL, why);
}
