#include "tmux/tmux.h"

#include "base/issue.h"

/* ---- a call -------------------------------------------------------------- */

/* call_how() and call_run() free the words of call_new(). */

/* These variables name another server. */
static const char *const outside[] = { "TMUX", "TMUX_PANE", NULL };

static char **
call_new(const char *socket)
{
	return argv_add_all(NULL, WORDS("tmux", "-u", "-S", socket));
}

/* tmux ends a command at a ';' that ends a word. */
static char **
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

static int
call_begin(char **argv, struct spawn *s, struct spawn_how how)
{
	how.argv = (const char *const *)argv;
	how.most = 64 << 20;
	if (how.without == NULL)
		how.without = outside;
	return spawn_begin(s, &how);
}

static enum tmux_result
call_result(struct spawn *s, const char *socket, msec limit, struct buf *why)
{
	const char *said = buf_str(&s->errors);
	/* After other errors the server may live. */
	bool refused = strstr(said, "error connecting to") != NULL &&
	    (strstr(said, "(No such file or directory)") != NULL ||
	    strstr(said, "(Not a directory)") != NULL ||
	    strstr(said, "(Connection refused)") != NULL);

	if (s->status == 0)
		return TMUX_OK;
	if (s->status == SPAWN_FAILED) {
		buf_printf(why, "cannot run tmux: %s", said);
	} else if (s->status == SPAWN_TIMEOUT) {
		buf_printf(why, "the tmux server at '%s' did not answer within "
		    "%lld s", socket, (long long)limit / 1000);
		return TMUX_SILENT;
	} else if (s->status == 127 && strstr(said, "cannot run") != NULL) {
		buf_adds(why, "cannot run tmux: no such program in PATH");
		return TMUX_MISSING;
	} else if (refused || strstr(said, "no server running") != NULL ||
	    strstr(said, "server exited") != NULL ||
	    strstr(said, "lost server") != NULL) {
		buf_printf(why, TMUX_NO_SERVER_WHY, socket);
		return TMUX_NO_SERVER;
	} else {
		buf_printf(why, "tmux at '%s': %s", socket, said[0] != '\0' ?
		    said : "it failed without a word");
	}
	return TMUX_FAILED;
}

static enum tmux_result
call_how(char **argv, struct spawn_how how, struct buf *out, struct buf *why)
{
	struct spawn s = SPAWN_INIT;
	enum tmux_result result;

	how.limit = TMUX_LIMIT;
	call_begin(argv, &s, how);
	spawn_finish(&s);
	result = call_result(&s, argv[3], TMUX_LIMIT, why);
	if (out != NULL)
		buf_add(out, s.output.data, s.output.len);
	spawn_release(&s);
	argv_free(argv);
	return result;
}

#define call_run(argv, out, why) \
	call_how((argv), (struct spawn_how){ .cwd = NULL }, (out), (why))

static enum tmux_result
call_do(const char *socket, const char *const *words, struct buf *out,
    struct buf *why)
{
	return call_run(argv_add_all(call_new(socket), words), out, why);
}

/* ---- commands in a line -------------------------------------------------- */

static char **
call_where(char **argv, const char *pane, const char *condition,
    const char *command, const char *options)
{
	argv = argv_add_all(argv, WORDS("if-shell", "-F", "-t", pane,
	    condition));
	return argv_add(argv_own(argv, xasprintf("%s -t %s%s", command, pane,
	    options)), ";");
}

/* Escapes a word for tmux's own parser. */
static void
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

static char *
call_wish(const struct tmux_wish *w, const char *token)
{
	struct buf line = BUF_INIT;
	const char *p;

	/* tmux halves the "%%", since it expands dates. */
	if (w->want & TMUX_CAPTURE)
		buf_printf(&line, "display -p '%s c %%%s';capturep -pJS-%d "
		    "-t%s;", token, w->pane, TMUX_HISTORY, w->pane);
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
		/* tmux would escape other bytes in its answers. */
		for (p = w->dir; *p >= ' ' && *p <= '~'; p++)
			continue;
		call_add_word(&line, *p == '\0' ? w->dir : "");
	}
	return buf_steal(&line);
}

/* A message has 16 KiB; tmux 3.7 refuses more than 1,000 words. */
enum { COMMAND_MOST = 16000, COMMAND_WORDS = 1000 };

enum { SHOW_CLIENTS = 50, SHOW_MARKS = 130 };   /* stay below these limits */

enum { MESSAGE_MOST = 1000 };           /* bytes */

/* ---- queries ------------------------------------------------------------- */

static char **
query_new(struct tmux_query *q, const char *socket)
{
	char id[RUN_ID_LEN + 1];

	free(q->socket);
	q->socket = xstrdup(socket);
	if (run_id_make(id) == -1)
		snprintf(id, sizeof(id), "%036ld", (long)getpid());
	snprintf(q->token, sizeof(q->token), "%.8s%.8s", id, id + 28);
	return call_new(socket);
}

/* A missing target must not end the call. */
static char **
add_alone(char **argv, char *line)
{
	argv = argv_add_all(argv, WORDS("if", "-F", "1"));
	return argv_add(argv_own(argv, line), ";");
}

ssize_t
tmux_query_begin(struct tmux_query *q, const char *socket,
    enum tmux_lists lists, const struct tmux_wish *wishes, size_t count)
{
	char **argv = query_new(q, socket), *line;
	size_t taken, words, size = 0;
	int ret;

	q->lists = lists;
	if (lists != TMUX_WISHES) {
		argv = argv_own(argv_add_all(argv, WORDS("display", "-p")),
		    xasprintf("%s v #{pid} #{start_time} #{version}",
		    q->token));
		argv = argv_own(argv_add_all(argv, WORDS(";", "list-panes",
		    "-a", "-F")), listing_format(q->token, lists));
		argv = argv_own(argv_add_all(argv, WORDS(";", "list-clients",
		    "-F")), listing_clients(q->token));
		if (count > 0)
			argv = argv_add(argv, ";");
	}
	for (words = 0; argv[words] != NULL; words++)
		size += strlen(argv[words]) + 1;
	for (taken = 0; taken < count; taken++, words += 5) {
		line = call_wish(&wishes[taken], q->token);
		size += strlen(line) + sizeof(";if-F1") + 4;
		if (words + 5 > COMMAND_WORDS || size > COMMAND_MOST) {
			free(line);
			break;
		}
		argv = add_alone(argv, line);
	}
	ret = call_begin(argv, &q->spawn, (struct spawn_how){ .limit =
	    q->limit });
	argv_free(argv);
	/* A wish that never fits counts as taken. */
	return ret == -1 ? -1 : taken == 0 && count > 0 ? 1 : (ssize_t)taken;
}

ssize_t
tmux_show_begin(struct tmux_query *q, const char *socket,
    const struct tmux_show *show)
{
	const struct tmux_listing *l = show->listing;
	char **argv = query_new(q, socket);
	struct buf line = BUF_INIT;
	const struct tmux_mark *m;
	size_t i;
	int ret;

	q->lists = TMUX_SETS;
	/* New panes do not inherit a hidden variable (tmux 3.2). */
	if (show->queue != NULL && show->queue[0] == '\0') {
		argv = argv_add_all(argv, WORDS("set-environment", "-gu",
		    "PANEWARD_QUEUE", ";"));
	} else if (show->queue != NULL) {
		argv = argv_add_all(argv, WORDS("if", "-F",
		    "#{m:3.[01],#{=3:version}}"));
		argv = argv_own(argv, xasprintf("set-environment -g "
		    "PANEWARD_QUEUE '%s'", show->queue));
		argv = argv_own(argv, xasprintf("set-environment -gh "
		    "PANEWARD_QUEUE '%s'", show->queue));
		argv = argv_add(argv, ";");
	}
	for (i = 0; show->queue != NULL && i < l->nclients &&
	    i < SHOW_CLIENTS; i++) {
		if (l->clients[i].control)
			continue;
		buf_adds(&line, "refresh-client -S -t ");
		call_add_word(&line, l->clients[i].tty);
		argv = add_alone(argv, buf_steal(&line));
	}
	for (i = 0; i < show->nmarks && i < SHOW_MARKS; i++) {
		m = &show->marks[i];
		argv = add_alone(argv, *m->text != '\0' ?
		    xasprintf("set -wt%s @paneward_state %s", m->window,
		    m->text) :
		    xasprintf("set -wut%s @paneward_state", m->window));
	}
	ret = call_begin(argv, &q->spawn, (struct spawn_how){ .limit =
	    q->limit });
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
tmux_query_answer(struct tmux_query *q, struct tmux_listing *l, struct buf *why)
{
	enum tmux_result result = call_result(&q->spawn, q->socket, q->limit,
	    why);

	*l = (struct tmux_listing){ 0 };
	/* A failed wish leaves the listing. */
	if (result == TMUX_OK || result == TMUX_FAILED)
		listing_parse(l, q->spawn.output.data,
		    q->spawn.output.len, q->token);
	if (tmux_version_old(l->version)) {
		buf_printf(why, TMUX_TOO_OLD, q->socket, l->version);
		result = TMUX_OLD;
	} else if (l->npanes > 0 || (result == TMUX_FAILED &&
	    q->spawn.status != SPAWN_FAILED && (q->lists >= TMUX_WISHES ||
	    strstr(buf_str(&q->spawn.errors), "no current target") != NULL))) {
		/* A wish failed, or tmux has no session. */
		buf_reset(why);
		result = TMUX_OK;
	}
	if (result != TMUX_OK)
		listing_release(l);
	return result;
}

enum tmux_result
tmux_ask(const char *socket, enum tmux_lists lists,
    const struct tmux_wish *wish, struct tmux_listing *l, struct buf *why)
{
	struct tmux_query q = TMUX_QUERY_INIT;
	enum tmux_result result;

	tmux_query_begin(&q, socket, lists, wish, wish != NULL);
	spawn_finish(&q.spawn);
	result = tmux_query_answer(&q, l, why);
	tmux_query_release(&q);
	return result;
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

/* tmux 3.2 lacks -c and finds a client by TMUX_PANE. */
enum tmux_result
tmux_message(const char *socket, const struct tmux_client *c,
    const char *text, struct buf *why)
{
	char **argv = argv_add_all(call_new(socket), WORDS("if", "-F",
	    "#{m:3.2*,#{version}}"));
	char *pane = xasprintf("TMUX_PANE=%s", c->pane);
	struct buf shown = BUF_INIT, literal = BUF_INIT, word = BUF_INIT;
	struct buf tty = BUF_INIT;
	enum tmux_result result;
	const char *p;

	terminal_text(&shown, text, MESSAGE_MOST);
	/* tmux expands it as a format and a date, and obeys "#[" in it. */
	for (p = buf_str(&shown); *p != '\0'; p++)
		if (*p == '%')
			buf_adds(&literal, "%%");
		else if (*p != '#')
			buf_addc(&literal, *p);
	call_add_word(&word, buf_str(&literal));
	call_add_word(&tty, c->tty);
	argv = argv_own(argv, xasprintf("display-message -- %s",
	    buf_str(&word)));
	argv = argv_own(argv, xasprintf("display-message -c %s -- %s",
	    buf_str(&tty), buf_str(&word)));
	buf_release(&shown);
	buf_release(&literal);
	buf_release(&word);
	buf_release(&tty);
	result = call_how(argv, (struct spawn_how){ .without = WORDS("TMUX"),
	    .with = WORDS(pane) }, NULL, why);
	free(pane);
	return result;
}

bool
tmux_id_valid(const char *id, char kind)
{
	size_t digits = id[0] == kind ? strspn(id + 1, "0123456789") : 0;

	return digits > 0 && digits < 12 && id[1 + digits] == '\0';
}

/* tmux halves "##" and "%%".  Quotes reopened behind each '#' avoid "#[" and
 * "#{". */
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

/* ---- opening and closing ------------------------------------------------- */

enum { OPENING = 5 };                   /* tries */

static char **
add_outfit(char **argv, const struct tmux_new *n, const char *pane)
{
	struct buf target = BUF_INIT;
	struct tmux_wish wish = n->wish;

	call_add_word(&target, pane);
	wish.pane = buf_str(&target);
	argv = add_alone(argv, call_wish(&wish, NULL));
	buf_release(&target);
	return argv;
}

/* target: the new pane before its id is known. */
static char **
open_call(const struct tmux_new *n, const char *target)
{
	static const char format[] = "#{session_id} #{window_id} #{pane_id} "
	    "#{pane_pid} #{pid} #{start_time} #{version} #{session_name}";
	char **argv = call_new(n->socket);

	/* One call, so that the server outlives the dead pane. */
	if (n->dead != NULL)
		argv = call_where(argv, n->dead, "#{pane_dead}", "kill-pane",
		    "");
	if (n->window)
		argv = argv_add_all(argv, WORDS("new-window", "-d", "-a", "-P",
		    "-F", format, "-t", target, "-n", n->name, "--"));
	else
		argv = argv_add_all(argv, WORDS("new-session", "-d", "-P", "-F",
		    format, "-s", n->session, "-x", "200", "-y", "50", "--"));
	argv = argv_add(call_add_data(argv, n->argv), ";");
	argv = add_outfit(argv, n, target);
	/* A tmux before 3.0 fails here. */
	if (n->wish.want & TMUX_STAY)
		argv = argv_add_all(argv, WORDS("set-option", "-p", "-t",
		    target, "remain-on-exit", "on", ";"));
	if (!n->window)                 /* no client is attached */
		argv = argv_add_all(argv, WORDS("set-option", "-t", target,
		    "destroy-unattached", "off", ";"));
	return argv_add_all(argv, WORDS("display-message", "-p", "-t", target,
	    "#{pane_id}"));
}

static enum tmux_result
open_once(const struct tmux_new *n, struct pane_ref *ref, char **session_name,
    struct buf *why)
{
	char *target = xasprintf(n->window ? "%s:{end}" : "=%s:", n->session);
	char done_to[TMUX_ID] = "", version[32] = "", **argv;
	struct buf said = BUF_INIT, tells = BUF_INIT;
	size_t before = why->len;
	long long server_start;
	enum tmux_result result;
	int used = 0;
	const char *name;
	bool made;

	*ref = (struct pane_ref){ 0 };
	*session_name = NULL;
	result = call_how(open_call(n, target), (struct spawn_how){ .cwd =
	    n->cwd }, &said, why);
	/* -P's line, then the pane that the other commands acted on. */
	made = sscanf(buf_str(&said), "%23s %23s %23s %d %d %lld %31s %n",
	    ref->session, ref->window, ref->pane, &ref->pane_pid, &ref->server,
	    &server_start, version, &used) == 7;
	if (made) {
		ref->server_start = server_start;
		name = buf_str(&said) + used;
		*session_name = xstrndup(name, strcspn(name, "\n"));
		sscanf(name + strcspn(name, "\n"), "%23s", done_to);
	}
	if (result != TMUX_OK && !made) {
		call_do(n->socket, WORDS("-V"), &tells, &said);
		sscanf(buf_str(&tells), "%*s %31s", version);
		if (tmux_version_old(version))
			why->len = before;
	}
	if (result == TMUX_OK && !made) {
		buf_adds(why, "tmux did not say what it opened");
		result = TMUX_FAILED;
	} else if (tmux_version_old(version)) {
		buf_printf(why, TMUX_TOO_OLD, n->socket, version);
		result = TMUX_OLD;
	} else if (result == TMUX_OK && strcmp(done_to, ref->pane) != 0) {
		/* A pane of a tmux hook got our commands: undo and repeat
		 * them. */
		argv = add_alone(call_new(n->socket), xasprintf("pipe-pane "
		    "-t%1$s;set -put%1$s remain-on-exit;set -put%1$s "
		    "@paneward_issue;set -put%1$s @paneward_run;set -put%1$s "
		    "@paneward_dir", done_to));
		result = call_run(add_outfit(argv, n, ref->pane), NULL, why);
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
	buf_release(&tells);
	free(target);
	return result;
}

/* An ending server fails the call; the next starts another. */
enum tmux_result
tmux_open(const struct tmux_new *n, struct pane_ref *ref, char **session_name,
    struct buf *why)
{
	size_t before = why->len;
	enum tmux_result result;
	int tries = OPENING;
	char *folder = xstrndup(n->socket, (size_t)(strrchr(n->socket, '/') -
	    n->socket));

	/* tmux creates only its default socket's folder. */
	mkdir(folder, 0700);
	free(folder);
	do {
		why->len = before;
		result = open_once(n, ref, session_name, why);
	} while (result == TMUX_NO_SERVER && !n->window && --tries > 0);
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
	enum tmux_result result = call_run(call_where(call_new(p->socket),
	    p->pane, same, "kill-pane", ""), NULL, why);

	free(same);
	return result;
}

/* ---- typing -------------------------------------------------------------- */

enum tmux_result
tmux_key(const struct pane_ref *p, const char *key, const char *line,
    struct buf *why)
{
	/* Copy mode would get the keys. */
	char **argv = argv_add_all(call_where(call_new(p->socket), p->pane,
	    "#{pane_in_mode}", "send-keys", " -X cancel"), WORDS("send-keys",
	    "-t", p->pane, key));

	if (line != NULL) {
		argv = argv_add_all(argv, WORDS(";", "send-keys", "-t",
		    p->pane, "-l", "--"));
		argv = argv_add_all(call_add_data(argv, WORDS(line)), WORDS(";",
		    "send-keys", "-t", p->pane, "Enter"));
	}
	return call_run(argv, NULL, why);
}

enum tmux_result
tmux_look(const struct pane_ref *p, struct tmux_still *s, struct buf *why)
{
	struct buf said = BUF_INIT;
	enum tmux_result result = call_do(p->socket, WORDS("display-message",
	    "-p", "-t", p->pane, still_facts, ";", "capture-pane", "-p", "-t",
	    p->pane, ";", "capture-pane", "-ep", "-t", p->pane), &said, why);

	*s = (struct tmux_still){ .facts = NULL };
	if (result == TMUX_OK && !still_parse(s, buf_str(&said), p)) {
		buf_printf(why, "pane %s: it is not there any more", p->pane);
		result = TMUX_FAILED;
	}
	buf_release(&said);
	return result;
}

/* tmux_key() leaves a mode. */
enum tmux_result
tmux_input(const struct pane_ref *p, struct buf *why)
{
	struct tmux_still s;
	enum tmux_result result = tmux_look(p, &s, why);
	const char *trouble;

	s.mode = s.odd = false;
	trouble = still_refuses(&s);
	if (trouble != NULL)
		buf_printf(why, "pane %s: %s", p->pane, trouble);
	still_release(&s);
	return trouble != NULL ? TMUX_FAILED : result;
}

/* The server first reads output and writes typed keys.  tmux before 3.2 has no
 * command for that. */
#define POLL "if-shell -F '#{||:#{m:3.[01],#{version}}," \
    "#{m:3.[01][a-z],#{version}}}' '' 'run-shell -d 0'"
#define CHANGED "display-message -p changed"

enum tmux_result
tmux_type(const struct pane_ref *p, const struct tmux_typing *t,
    enum tmux_typed *typed, struct buf *why)
{
	const char *last = t->quick != NULL ? t->quick : t->question;
	char name[32];
	struct buf act = BUF_INIT, quick = BUF_INIT, said = BUF_INIT;
	char **argv = call_new(p->socket);
	FILE *text = t->text != NULL ? tmpfile() : NULL;
	enum tmux_result result;

	if (t->text != NULL && (text == NULL || fputs(t->text, text) == EOF ||
	    fseek(text, 0, SEEK_SET) == -1)) {
		buf_printf(why, "cannot write the text to a file: %s",
		    strerror(errno));
		if (text != NULL)
			fclose(text);
		argv_free(argv);
		return TMUX_FAILED;
	}
	/* Another process may type at the same time. */
	snprintf(name, sizeof(name), "paneward-%ld", (long)getpid());
	if (text != NULL) {
		argv = argv_add_all(argv, WORDS("load-buffer", "-b", name, "-",
		    ";"));
		buf_printf(&act, "paste-buffer -t %s -p -r -b %s", p->pane,
		    name);
	} else {
		buf_printf(&act, "send-keys -t %s %s", p->pane, t->key);
	}
	buf_adds(&act, ";display-message -p typed");
	/* The poll may bring output: ask again. */
	if (t->quick != NULL) {
		buf_printf(&quick, POLL ";if-shell -F -t %s ", p->pane);
		call_add_word(&quick, t->quick);
		buf_printf(&quick, " '%s' '" CHANGED "'", buf_str(&act));
	} else {
		argv = argv_add_all(argv, WORDS("if-shell", "-F", "1", POLL,
		    ";"));
	}
	argv = argv_add_all(argv, WORDS("if-shell", "-F", "-t", p->pane,
	    t->question, buf_str(quick.len > 0 ? &quick : &act), CHANGED));
	if (strlen(t->question) + quick.len + strlen(last) <= TMUX_QUESTION)
		argv = argv_add_all(argv, WORDS(";", "if-shell", "-F", "1",
		    POLL, ";", "if-shell", "-F", "-t", p->pane, last, "",
		    "display-message -p late"));
	if (t->text != NULL)
		argv = argv_add_all(argv, WORDS(";", "delete-buffer", "-b",
		    name));
	result = call_how(argv, (struct spawn_how){ .in = text != NULL ?
	    fileno(text) : 0 }, &said, why);
	if (text != NULL)
		fclose(text);
	*typed = strcmp(buf_str(&said), "typed\n") == 0 ? TMUX_TYPED :
	    strcmp(buf_str(&said), "typed\nlate\n") == 0 ? TMUX_TYPED_LATE :
	    TMUX_CHANGED;
	buf_release(&act);
	buf_release(&quick);
	buf_release(&said);
	return result;
}

enum tmux_result
tmux_keep(const struct pane_ref *p, bool *stays, struct buf *why)
{
	struct buf said = BUF_INIT;
	enum tmux_result result = TMUX_OK;

	if (stays != NULL) {
		result = call_do(p->socket, WORDS("show-options", "-Apv", "-t",
		    p->pane, "remain-on-exit"), &said, why);
		*stays = strncmp(buf_str(&said), "on", 2) == 0;
		buf_release(&said);
	}
	return result != TMUX_OK || (stays != NULL && *stays) ? result :
	    call_do(p->socket, WORDS("set-option", stays ? "-p" : "-pu", "-t",
	    p->pane, "remain-on-exit", stays ? "on" : NULL), NULL, why);
}

enum tmux_result
tmux_respawn(const struct pane_ref *p, const char *const *argv, struct buf *why)
{
	return call_run(call_add_data(argv_add_all(call_new(p->socket),
	    WORDS("respawn-pane", "-k", "-t", p->pane, "--")), argv), NULL,
	    why);
}

/* ---- clients ------------------------------------------------------------- */

/* tmux finds our client by TMUX_PANE. */
static enum tmux_result
client_run(char **argv, const char *client, struct buf *why)
{
	return call_how(argv, (struct spawn_how){ .without = client != NULL ?
	    outside : WORDS("TMUX") }, NULL, why);
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

/* Any shell may run the line.  A refused attach would end the client. */
enum tmux_result
tmux_move(const char *socket, const char *client, const char *from,
    const struct pane_ref *to, struct buf *why)
{
	const char *odd = !text_only(socket, "/._-") ? socket :
	    !text_only(to->socket, "/._-") ? to->socket : NULL;
	char **argv;

	if (odd != NULL) {
		buf_printf(why, "the path of the tmux socket '%s' has another "
		    "character than A-Z, a-z, 0-9, '/', '.', '_' and '-'", odd);
		return TMUX_FAILED;
	}
	argv = argv_add(call_new(socket), "detach-client");
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
