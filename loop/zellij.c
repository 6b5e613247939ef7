/*
 * zellij.c - sessions in zellij 0.44 or later, by its command line.  It has no
 * pipe for output, and cuts lines to the width of the pane, so the keeper
 * copies the output to the log.
 */
#include "loop/engine.h"

enum {
	LIMIT = 10000,                  /* ms */
	BEGINNING = 10000, ENDING = 1000, NAP = 10,
	TRIES = 3,
	NEEDED = 44                     /* 0.44: panes have ids */
};

#define IN_SESSION(s, ...) \
	WORDS("zellij", "--session", (s)->title, __VA_ARGS__)

/* Adds the output.  -1 with the reason; out and why may be NULL. */
static int
zellij_call(const char *const *words, const char *cwd, struct buf *out,
    struct buf *why)
{
	const struct spawn_how how = { .argv = words, .cwd = cwd,
	    .limit = LIMIT, .without = WORDS("ZELLIJ", "ZELLIJ_SESSION_NAME",
	    "ZELLIJ_PANE_ID") };
	struct spawn s = SPAWN_INIT;
	struct buf unsaid = BUF_INIT;
	int status = spawn_run(&s, &how);

	why = why != NULL ? why : &unsaid;
	if (status == SPAWN_FAILED)
		buf_printf(why, "cannot run zellij: %s", strerror(errno));
	else if (status == SPAWN_TIMEOUT)
		buf_printf(why, "zellij did not answer within %d seconds",
		    LIMIT / 1000);
	else if (status != 0)
		buf_printf(why, "zellij: '%.*s'", (int)strcspn(
		    buf_str(&s.errors), "\n"), buf_str(&s.errors));
	if (out != NULL)
		buf_add(out, s.output.data, s.output.len);
	spawn_release(&s);
	buf_release(&unsaid);
	return status == 0 ? 0 : -1;
}

static bool
zellij_present(struct buf *why)
{
	struct buf answer = BUF_INIT;
	unsigned major, minor;
	bool called = zellij_call(WORDS("zellij", "--version"), NULL, &answer,
	    why) == 0;
	bool present = called && sscanf(buf_str(&answer), "zellij %u.%u",
	    &major, &minor) == 2 && (major > 0 || minor >= NEEDED);

	if (called && !present)
		buf_printf(why, "it takes zellij 0.%d or later, and this is "
		    "'%.*s'", NEEDED, (int)strcspn(buf_str(&answer), "\n"),
		    buf_str(&answer));
	buf_release(&answer);
	return present;
}

/* NULL: there is no such session. */
static struct json *
read_panes(const struct loop_session *s)
{
	struct buf answer = BUF_INIT;
	struct json *list = NULL;

	if (zellij_call(IN_SESSION(s, "action", "list-panes", "--json"), NULL,
	    &answer, NULL) == 0)
		list = json_parse(buf_str(&answer), answer.len, false, NULL);
	buf_release(&answer);
	return list;
}

/* "terminal_3", if a program runs in it. */
static bool
pane_id(const struct json *pane, char id[TMUX_ID])
{
	if (json_is_true(json_member(pane, "is_plugin")) ||
	    json_is_true(json_member(pane, "exited")))
		return false;
	snprintf(id, TMUX_ID, "terminal_%ld", (long)json_number(pane, "id",
	    -1));
	return true;
}

/* ---- a session ----------------------------------------------------------- */

static bool
zellij_server_there(const struct loop_session *s)
{
	struct json *list;

	if (s->place.server > 0)
		return proc_alive(s->place.server,
		    (uint64_t)s->place.server_start);
	list = read_panes(s);
	json_free(list);
	return list != NULL;
}

/* zellij may lose a request while it is busy. */
static void
zellij_close(struct loop_session *s)
{
	int tries;
	msec until;

	for (tries = 0; tries < TRIES && zellij_server_there(s); tries++) {
		zellij_call(WORDS("zellij", "kill-session", s->title), NULL,
		    NULL, NULL);
		until = clock_now() + ENDING;
		while (s->place.server > 0 && zellij_server_there(s) &&
		    clock_now() < until)
			loop_pause(NAP);
	}
	if (s->place.server > 0 && zellij_server_there(s))
		kill(s->place.server, SIGKILL);
	session_destroy(s);
}

static int
zellij_create(struct loop_session *s, const char *const *keeper,
    struct buf *why)
{
	char **argv = argv_add_all(argv_add_all(NULL, IN_SESSION(s, "run",
	    "--close-on-exit", "--name", s->title, "--cwd", s->launch.cwd,
	    "--")), keeper);
	struct buf answer = BUF_INIT;
	bool open = zellij_call(WORDS("zellij", "attach",
	    "--create-background", s->title, "options",
	    "--session-serialization", "false", "--show-startup-tips", "false",
	    "--show-release-notes", "false"), s->launch.cwd, NULL, why) == 0 &&
	    zellij_call((const char *const *)argv, NULL, &answer, why) == 0;
	msec until = clock_now() + BEGINNING;
	struct json *list, *pane;
	struct launched l;
	char id[TMUX_ID];
	struct proc p;

	snprintf(s->place.pane, sizeof(s->place.pane), "%.*s",
	    (int)strcspn(buf_str(&answer), "\n"), buf_str(&answer));
	buf_release(&answer);
	argv_free(argv);
	while (open && launched_read(&l, s->dir->state_fd, s->title,
	    s->launch.run) != 1) {
		open = clock_now() < until;
		if (!open)
			buf_adds(why, "nothing began to run in its pane");
		loop_pause(NAP);
	}
	if (!open) {
		zellij_close(s);
		return -1;
	}
	/* Our keeper is the parent of the agent that it records, and a child of
	 * the session's server. */
	if (!l.ended && proc_read(&p, l.pid) == 0 && p.parent > 1 &&
	    proc_read(&p, p.parent) == 0) {
		child_other(&s->keeper, p.pid, p.start);
		if (p.parent > 1 && proc_read(&p, p.parent) == 0) {
			s->place.server = p.pid;
			s->place.server_start = (int64_t)p.start;
		}
	}
	/* The first shell would keep the session open. */
	list = read_panes(s);
	json_each(pane, list)
		if (pane_id(pane, id) && strcmp(id, s->place.pane) != 0)
			zellij_call(IN_SESSION(s, "action", "close-pane",
			    "--pane-id", id), NULL, NULL, NULL);
	json_free(list);
	return 0;
}

static void
zellij_output(const struct loop_session *s, struct buf *text)
{
	zellij_call(IN_SESSION(s, "action", "dump-screen", "--pane-id",
	    s->place.pane), NULL, text, NULL);
}

static void
zellij_attach(const struct loop_session *s, struct buf *command)
{
	buf_printf(command, "zellij attach %s", s->title);
}

/* Lists of sessions also have ended ones. */
static void
zellij_list(const struct loop_session *s, struct buf *words)
{
	struct json *list = read_panes(s), *pane;
	char id[TMUX_ID];

	json_each(pane, list)
		if (pane_id(pane, id) && strcmp(id, s->place.pane) == 0)
			buf_printf(words, "zellij session %s", s->title);
	json_free(list);
}

const struct session_manager zellij_manager = {
	.name = "zellij",
	.way = KEEPER_RELAY,
	.program = "zellij",
	.present = zellij_present,
	.create = zellij_create,
	.output = zellij_output,
	.close = zellij_close,
	.attach = zellij_attach,
	.list = zellij_list,
};
