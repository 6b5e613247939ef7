#include "notice/notice.h"

#include <sys/wait.h>

#include "data/html.h"
#include "os/child.h"

enum { MESSAGE_BYTES = 240, NAME_BYTES = 40, TASK_BYTES = 80 };

/* Adds nothing for a text that is empty or NULL. */
static void
add_brief(struct buf *out, const char *before, const char *text, size_t most)
{
	struct buf shown = BUF_INIT;
	char brief[MESSAGE_BYTES + 1];

	if (text == NULL || text[0] == '\0')
		return;
	msg_escape(&shown, text, strlen(text));
	utf8_fit(brief, most + 1, buf_str(&shown), shown.len);
	buf_printf(out, "%s%s%s", before, brief,
	    strlen(brief) < shown.len ? "\u2026" : "");
	buf_release(&shown);
}

void
noticetext_init(struct noticetext *t, const char *name, const char *target,
    const char *state, const char *agent, const char *project,
    const char *message, const char *task)
{
	static const char *const urgent[] = { "asking", "error", "refused",
	    "dead", "gone" };
	struct buf text = BUF_INIT;
	size_t i, plain;

	add_brief(&text, "paneward ", name, MESSAGE_BYTES);
	buf_printf(&text, " %s", state);
	plain = text.len;
	add_brief(&text, " (", agent, NAME_BYTES);
	add_brief(&text, text.len > plain ? " in " : " (", project, NAME_BYTES);
	if (text.len > plain)
		buf_addc(&text, ')');
	t->title = buf_steal(&text);
	add_brief(&text, "", message, MESSAGE_BYTES);
	add_brief(&text, text.len > 0 ? " - " : "", task, TASK_BYTES);
	buf_adds(&text, text.len > 0 ? " | " : "");
	buf_printf(&text, "paneward attach %s", target);
	t->body = buf_steal(&text);
	t->urgent = false;
	for (i = 0; i < sizeof(urgent) / sizeof(urgent[0]); i++)
		t->urgent |= strcmp(state, urgent[i]) == 0;
}

static void
noticetext_add_curl(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s = \"", name);
	for (; *value != '\0'; value++) {
		if (*value == '"' || *value == '\\' || *value == '\n')
			buf_addc(out, '\\');
		buf_addc(out, *value == '\n' ? 'n' : *value);
	}
	buf_adds(out, "\"\n");
}

static enum noticesend
send_clients(const struct notice_out *o, const struct noticeway *w,
    struct buf *said)
{
	const struct tmux_client *c = o->listing->clients,
	    *end = c + o->listing->nclients;
	const char *title = o->text->title, *body = o->text->body;
	struct buf bytes = BUF_INIT, done = BUF_INIT, why = BUF_INIT;
	enum noticesend result = NOTICESEND_LATER;
	int osc = 0;
	bool sent;

	for (; c < end; c++) {
		if (!terminal_there(c))
			continue;
		buf_reset(&bytes);
		buf_reset(&why);
		if (w->kind == NOTICEWAY_TMUX) {
			buf_printf(&bytes, "%s: %s", title, body);
			sent = tmux_message(o->socket, c, buf_str(&bytes),
			    &why) == TMUX_OK;
		} else {
			if (w->kind == NOTICEWAY_OSC)
				osc = terminal_notice(&bytes, c, title, body);
			else
				buf_addc(&bytes, '\a');
			sent = terminal_write(c->tty, bytes.data, bytes.len) ==
			    0;
			if (!sent)
				buf_printf(&why, "cannot write to '%s': %s",
				    c->tty, strerror(errno));
		}
		if (!sent && result == NOTICESEND_LATER)
			result = NOTICESEND_FAILED;
		if (!sent)
			continue;
		result = NOTICESEND_DONE;
		buf_printf(&done, "%s%s", done.len > 0 ? ", " : "", c->tty);
		if (osc != 0)
			buf_printf(&done, " (OSC %d%s)", osc,
			    terminal_nested(c) ? "; it is inside another tmux, "
			    "which needs allow-passthrough" : "");
	}
	if (result == NOTICESEND_DONE)
		buf_printf(said, "written to %s", buf_str(&done));
	else if (result == NOTICESEND_LATER)
		buf_printf(said, "no terminal is attached to the tmux server "
		    "at '%s'", o->socket);
	else
		buf_adds(said, buf_str(&why));
	return result;
}

static int
send_program(struct spawn *s, const char *const *argv, const struct buf *input,
    int seconds)
{
	int in = jobenv_pipe(input), status = SPAWN_FAILED;

	if (in != -1)
		status = spawn_run(s, &(struct spawn_how){ .in = in, .limit =
		    seconds * 1000, .argv = argv });
	else
		buf_adds(&s->errors, strerror(errno));
	file_close(in);
	return status;
}

static enum noticesend
send_desktop(const struct notice_out *o, const struct noticeway *w,
    struct buf *said)
{
	char *program = noticeway_program(w->kind), *address;
	const char *name, *title = o->text->title, *const *argv;
	struct spawn s = SPAWN_INIT;
	struct buf input = BUF_INIT, body = BUF_INIT;
	struct stat st;
	bool script, markup;
	int status;

	if (program == NULL) {
		buf_adds(said, "no program in PATH can send it");
		return NOTICESEND_FAILED;
	}
	/* A service has no session bus. */
	address = xasprintf("unix:path=/run/user/%ld/bus", (long)getuid());
	if (stat(strchr(address, '/'), &st) == 0 && S_ISSOCK(st.st_mode) &&
	    st.st_uid == getuid())
		setenv("DBUS_SESSION_BUS_ADDRESS", address, 0);
	name = strrchr(program, '/') + 1;
	script = strcmp(name, "osascript") == 0;
	markup = strcmp(name, "notify-send") == 0;
	if (markup)
		html_add(&body, o->text->body);
	argv = markup ? WORDS(program, "-a", "paneward", "--", title,
	    buf_str(&body)) : script ? WORDS(program, "-e", "on run argv",
	    "-e", "display notification (item 2 of argv) with title "
	    "(item 1 of argv)", "-e", "end run", title, o->text->body) :
	    WORDS(program, "-title", title);
	/* terminal-notifier takes a value for a list if it reads like one. */
	if (!markup && !script)
		buf_adds(&input, o->text->body);
	status = send_program(&s, argv, &input, NOTICE_LIMIT);
	if (status == 0)
		buf_printf(said, "%s took it", program);
	else if (status == SPAWN_TIMEOUT)
		buf_printf(said, "%s did not end within %d seconds", program,
		    NOTICE_LIMIT);
	else
		buf_printf(said, "%s failed (exit %d)%s%s", program, status,
		    s.errors.len ? ": " : "", buf_str(&s.errors));
	return status == 0 ? NOTICESEND_DONE : NOTICESEND_FAILED;
}

/* Arguments are public, so curl reads the address from its input. */
static enum noticesend
send_curl(const struct notice_out *o, const struct noticeway *w,
    struct buf *said)
{
	struct buf settings = BUF_INIT, text = BUF_INIT;
	struct spawn s = SPAWN_INIT;
	int status;
	long http;
	bool done;

	if (w->kind == NOTICEWAY_NTFY) {
		buf_printf(&text, "Title: %s", o->text->title);
		noticetext_add_curl(&settings, "header", buf_str(&text));
		noticetext_add_curl(&settings, "header", o->text->urgent ?
		    "Priority: high" : "Priority: default");
		noticetext_add_curl(&settings, "data-raw", o->text->body);
	} else {
		buf_add(&text, o->record->data, o->record->len);
		buf_chomp(&text);
		noticetext_add_curl(&settings, "header",
		    "Content-Type: application/json");
		noticetext_add_curl(&settings, "data-raw", buf_str(&text));
	}
	noticetext_add_curl(&settings, "url", w->address);
	buf_printf(&settings, "max-time = %d\nsilent\ngloboff\nfail\n"
	    "output = \"/dev/null\"\nwrite-out = \"\\n%%{http_code}\"\n"
	    "proto = \"=http,https\"\n", NOTICE_LIMIT);
	status = send_program(&s, WORDS("curl", "-K", "-"), &settings,
	    NOTICE_LIMIT + NOTICE_GRACE);
	http = s.output.len > 3 ? strtol(buf_str(&s.output) + s.output.len - 3,
	    NULL, 10) : 0;
	done = status == 0 && http / 100 == 2;
	switch (status) {
	case 0:
	case 22:
		buf_printf(said, "the server %s (HTTP %ld)", done ?
		    "took it" : "refused it", http);
		break;
	case 5: case 6: case 7:
		buf_adds(said, "the server cannot be reached");
		break;
	case SPAWN_TIMEOUT:
	case 28:
		buf_printf(said, "the server did not answer within %d seconds",
		    NOTICE_LIMIT);
		break;
	case 35: case 60:
		buf_adds(said, "the server's certificate is not trusted");
		break;
	case SPAWN_FAILED:
		buf_adds(said, buf_str(&s.errors));
		break;
	default:
		buf_printf(said, "curl failed (exit %d)", status);
	}
	return done ? NOTICESEND_DONE : NOTICESEND_FAILED;
}

static enum noticesend
send_command(const struct notice_out *o, const struct noticeway *w,
    struct buf *said)
{
	int in = jobenv_pipe(o->record), begun = -1;
	struct spawn_gated s;
	struct child c;

	if (in != -1)
		begun = spawn_gated(&s, &(struct spawn_how){ .env = o->env,
		    .argv = (const char *const *)w->words }, in, STDERR_FILENO);
	if (begun == -1)
		buf_printf(said, "cannot be run: %s", strerror(errno));
	file_close(in);
	if (begun == -1)
		return NOTICESEND_FAILED;
	child_init(&c, s.pid);
	spawn_gate(&s, true);
	/* The command is over when its group is empty. */
	c.whole = true;
	if (!child_wait(&c, -1, clock_now() + NOTICE_LIMIT * 1000)) {
		/* A killed process may stay as a zombie: no wait. */
		child_stop(&c, NOTICE_GRACE * 1000);
		if (!child_wait(&c, -1, c.kill_at))
			child_stop(&c, 0);
		buf_printf(said, "is ended after %d seconds", NOTICE_LIMIT);
		return NOTICESEND_FAILED;
	}
	buf_printf(said, c.status == 0 ? "succeeded (exit %d)" :
	    "failed (exit %d)", WIFSIGNALED(c.status) ?
	    128 + WTERMSIG(c.status) : WEXITSTATUS(c.status));
	return c.status == 0 ? NOTICESEND_DONE : NOTICESEND_FAILED;
}

enum noticesend
noticesend_by(const struct notice_out *o, const struct noticeway *w,
    struct buf *said)
{
	if (w->kind == NOTICEWAY_COMMAND)
		return send_command(o, w, said);
	if (w->kind == NOTICEWAY_DESKTOP)
		return send_desktop(o, w, said);
	return w->address != NULL ? send_curl(o, w, said) :
	    send_clients(o, w, said);
}
