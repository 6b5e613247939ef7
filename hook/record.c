/*
 * record.c - the hook that records what an agent's own hooks tell.
 *
 * Agents agree on little more than that an event has a name.  The names are
 * rows of one table, whoever uses them; what they mean is said there.  The
 * agent's message is looked at here, where it is whole, and not kept.
 *
 * Whose run is it?  The environment of start says so; else the options of the
 * pane that the agent runs in; else the status record that names the agent's
 * session.  Where nobody knows, nothing is recorded.  A server that sessions of a
 * client share runs the hooks of all with the environment of the first one, so
 * an event that belongs to another run's session or work tree is dropped.
 */
#include "run/events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "chain/reset.h"
#include "hook/caller.h"
#include "hook/hook.h"
#include "marker/markersource.h"
#include "os/file.h"
#include "run/config.h"
#include "run/paneowner.h"
#include "run/project.h"
#include "run/sigfile.h"
#include "run/statusdir.h"
#include "text/pattern.h"
#include "tmux/tmux.h"

enum { CONTEXT_MAX = 32 << 10 };        /* bytes that a session is told */

/* What is in an event beside its name. */
enum content {
	CONTENT_NONE,
	CONTENT_MESSAGE,        /* the agent's own words, whole */
	CONTENT_PIECE,          /* ... or piece by piece */
	CONTENT_TOOL,           /* a tool, and what it said */
	CONTENT_ASKED,          /* a tool that is not yet allowed */
	CONTENT_NOTICE,         /* a kind, and words for a person */
	CONTENT_FAILURE,        /* why, and words for a person */
	CONTENT_STATUS,         /* a word that says how the turn has ended */
	CONTENT_SOURCE          /* a word that says why */
};

static const struct row {
	const char        *name;        /* hook_event_name */
	enum event_type  event;
	enum content       content;
	const char        *text;        /* the member with the words, or NULL */
} rows[] = {
	{ "SessionStart",       EVENT_SESSION,  CONTENT_SOURCE, "source" },
	{ "sessionStart",       EVENT_SESSION,  CONTENT_NONE, NULL },
	{ "UserPromptSubmit",   EVENT_TURN,     CONTENT_NONE, NULL },
	{ "BeforeAgent",        EVENT_TURN,     CONTENT_NONE, NULL },
	{ "beforeSubmitPrompt", EVENT_TURN,     CONTENT_NONE, NULL },
	{ "PreToolUse",         EVENT_TOOL,     CONTENT_NONE, NULL },
	{ "BeforeTool",         EVENT_TOOL,     CONTENT_NONE, NULL },
	{ "PostToolUse",        EVENT_TOOL,     CONTENT_TOOL, NULL },
	{ "AfterTool",          EVENT_TOOL,     CONTENT_TOOL, NULL },
	{ "PostToolUseFailure", EVENT_TOOL,     CONTENT_NONE, NULL },
	{ "beforeShellExecution", EVENT_TOOL,   CONTENT_NONE, NULL },
	{ "afterShellExecution", EVENT_TOOL,    CONTENT_TOOL, NULL },
	{ "MessageDisplay",     EVENT_MESSAGE,  CONTENT_PIECE, "delta" },
	{ "afterAgentResponse", EVENT_MESSAGE,  CONTENT_MESSAGE, "text" },
	{ "PermissionRequest",  EVENT_WAITING,  CONTENT_ASKED, NULL },
	{ "Notification",       EVENT_WAITING,  CONTENT_NOTICE, "message" },
	{ "TeammateIdle",       EVENT_WAITING,  CONTENT_NOTICE, "message" },
	{ "Elicitation",        EVENT_WAITING,  CONTENT_NOTICE, "message" },
	{ "Stop",               EVENT_ENDED,    CONTENT_MESSAGE,
	    "last_assistant_message" },
	/* Its prompt_response is no message: pieces of the text come twice. */
	{ "AfterAgent",         EVENT_ENDED,    CONTENT_NONE, NULL },
	{ "stop",               EVENT_ENDED,    CONTENT_STATUS, NULL },
	{ "StopFailure",        EVENT_FAILED,   CONTENT_FAILURE, NULL },
	{ "PreCompact",         EVENT_COMPACT,  CONTENT_NONE, NULL },
	{ "preCompact",         EVENT_COMPACT,  CONTENT_NONE, NULL },
	{ "SessionEnd",         EVENT_OVER,     CONTENT_SOURCE, "reason" },
	{ "sessionEnd",         EVENT_OVER,     CONTENT_SOURCE, "reason" },
};

/* What a notice is about; of one that is not listed nothing is recorded. */
static const struct { const char *type, *kind; } notices[] = {
	{ "permission_prompt",  "permission" },
	{ "ToolPermission",     "permission" },
	{ "idle_prompt",        "prompt" },
	{ "elicitation_dialog", "question" },
	{ "agent_needs_input",  "question" },
};

/* Tools whose command line is the agent's own. */
static const char *const shells[] = { "Bash", "shell", "local_shell",
    "exec_command", "run_shell_command" };

struct run {
	struct statusdir  dir;
	char              issue[ISSUE_MAX + 1];
	char              id[RUN_ID_LEN + 1];
	struct marker_set set;
};

static const struct row *
find_row(const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

/* ---- whose run it is ----------------------------------------------------- */

static int
open_dir(struct run *r, const char *path, struct buf *why)
{
	bool narrowed;

	statusdir_close(&r->dir);
	return statusdir_open(&r->dir, xstrdup(path), false, why, &narrowed);
}

/* The project that we are in. */
struct ground {
	struct project     project;
	struct config      config;
	struct pattern    *pattern;
	struct claim_rules rules;
	char              *path;        /* of its status directory */
};

static void
close_ground(struct ground *p)
{
	free(p->path);
	pattern_free(p->pattern);
	config_release(&p->config);
	project_release(&p->project);
}

static int
open_ground(struct ground *p, struct buf *why)
{
	char error[160];

	if (project_find(&p->project, ".") == -1) {
		buf_printf(why, "cannot find the project: %s",
		    strerror(errno));
		return -1;
	}
	if (config_read(&p->config, &p->project, why) == -1) {
		project_release(&p->project);
		return -1;
	}
	p->path = statusdir_path(NULL, &p->config, &p->project);
	p->pattern = pattern_new(p->config.session_pattern, error,
	    sizeof(error));
	p->rules = (struct claim_rules){ p->pattern, &p->project, p->path };
	return 0;
}

static int
open_project_dir(struct run *r, struct buf *why)
{
	struct ground p;
	int ret;

	if (open_ground(&p, why) == -1)
		return -1;
	ret = open_dir(r, p.path, why);
	close_ground(&p);
	return ret;
}

/* Which run is the issue's now, and has its agent in this pane? */
static void
take_status(struct run *r)
{
	const char *pane = getenv("TMUX_PANE");
	const char *marker = NULL;
	struct status s;

	if (status_read(&s, r->dir.state_fd, r->issue) == 1) {
		if (pane != NULL ? strcmp(pane, s.place.pane) == 0 :
		    r->id[0] == '\0')
			memcpy(r->id, s.run, sizeof(r->id));
		marker = s.marker;
	}
	if (marker_set_init(&r->set, r->issue, r->id[0] ? r->id : NULL, marker)
	    == -1)
		marker_set_init(&r->set, r->issue, NULL, NULL);
	status_release(&s);
}

static int
by_environment(struct run *r, struct buf *why)
{
	const char *issue = getenv("PANEWARD_ISSUE");
	const char *id = getenv("PANEWARD_RUN");
	const char *dir = getenv("PANEWARD_STATUS_DIR");

	if (issue == NULL || !issue_valid(issue))
		return 0;
	if ((dir != NULL && dir[0] == '/' ? open_dir(r, dir, why) :
	    open_project_dir(r, why)) == -1)
		return -1;
	memcpy(r->issue, issue, strlen(issue) + 1);
	if (id != NULL && run_id_valid(id))
		memcpy(r->id, id, sizeof(r->id));
	return 1;
}

/* What start and watch have written on the pane. */
static int
by_options(struct run *r, const struct tmux_pane *pane, struct buf *why)
{
	if (!issue_valid(pane->issue) || pane->dir[0] != '/')
		return 0;
	if (open_dir(r, pane->dir, why) == -1)
		return -1;
	memcpy(r->issue, pane->issue, strlen(pane->issue) + 1);
	if (run_id_valid(pane->run))
		memcpy(r->id, pane->run, sizeof(r->id));
	return 1;
}

/* Nobody has looked at the pane yet, but its name says what it is. */
static int
by_name(struct run *r, const struct tmux_pane *pane,
    const struct tmux_listing *l, struct buf *why)
{
	const struct tmux_pane *others[1];
	struct ground ground;
	int ret = 0;

	if (open_ground(&ground, why) == -1)
		return -1;
	if (claim_of(&ground.rules, pane, r->issue) == CLAIM_NAME &&
	    claim_panes(&ground.rules, l, r->issue, others, 1) == 1 &&
	    others[0] == pane)
		ret = open_dir(r, ground.path, why) == -1 ? -1 : 1;
	if (ret != 1)
		r->issue[0] = '\0';
	close_ground(&ground);
	return ret;
}

static int
by_pane(struct run *r, struct buf *why)
{
	const char *id = getenv("TMUX_PANE");
	const struct tmux_pane *pane;
	struct tmux_listing l;
	char *socket;
	int ret = 0;

	if (id == NULL || getenv("TMUX") == NULL || !tmux_id_valid(id, '%'))
		return 0;
	socket = tmux_socket();
	if (tmux_list(socket, &l, why) != TMUX_OK) {
		free(socket);
		return -1;
	}
	pane = listing_pane(&l, id);
	if (pane != NULL)
		ret = by_options(r, pane, why);
	if (pane != NULL && ret == 0)
		ret = by_name(r, pane, &l, why);
	listing_release(&l);
	free(socket);
	return ret;
}

struct search {
	struct run *run;
	const char *session;
};

static void
compare_session(void *context, const char *name)
{
	struct search *s = context;
	char issue[ISSUE_MAX + 1];
	struct status r;

	if (s->run->issue[0] != '\0' ||
	    !issue_in_name(name, "", ".json", issue))
		return;
	if (status_read(&r, s->run->dir.state_fd, issue) == 1 &&
	    r.agent.session != NULL &&
	    strcmp(r.agent.session, s->session) == 0) {
		memcpy(s->run->issue, issue, sizeof(issue));
		memcpy(s->run->id, r.run, sizeof(r.run));
	}
	status_release(&r);
}

static int
by_session(struct run *r, const char *session, struct buf *why)
{
	struct search s = { .run = r, .session = session };

	if (session == NULL || session[0] == '\0')
		return 0;
	if (open_project_dir(r, why) == -1)
		return -1;
	if (r->dir.state_fd == -1)
		return 0;
	statusdir_names(r->dir.state_fd, compare_session, &s);
	return r->issue[0] != '\0';
}

/* An event, and the run that it came to. */
struct claimed {
	const struct run *run;
	const char *session, *cwd;
	bool        foreign;            /* it is another run's */
};

static void
compare_run(void *context, const char *name)
{
	struct claimed *e = context;
	char issue[ISSUE_MAX + 1];
	struct status s;

	if (e->foreign || !issue_in_name(name, "", ".json", issue) ||
	    strcmp(issue, e->run->issue) == 0)
		return;
	if (status_read(&s, e->run->dir.state_fd, issue) == 1 && !s.ended)
		e->foreign = (s.agent.session != NULL &&
		    strcmp(s.agent.session, e->session) == 0) ||
		    (s.worktree != NULL && e->cwd != NULL &&
		    project_contains(s.worktree, e->cwd));
	status_release(&s);
}

/* Is it of a session that another run has, or in another run's work tree?  A
 * run whose session is not known yet takes what comes to it. */
static bool
is_foreign(const struct run *r, const char *session, const char *cwd)
{
	struct claimed e = { r, session, cwd, false };
	struct status own;
	bool other;

	if (session == NULL)
		return false;
	other = status_read(&own, r->dir.state_fd, r->issue) == 1 &&
	    own.agent.session != NULL &&
	    strcmp(own.agent.session, session) != 0;
	if (cwd != NULL && own.worktree != NULL &&
	    project_contains(own.worktree, cwd))
		e.cwd = NULL;
	status_release(&own);
	if (other)
		statusdir_names(r->dir.state_fd, compare_run, &e);
	return e.foreign;
}

/* 1: found, 0: nobody knows, -1 with the reason. */
static int
find_run(struct run *r, const char *session, struct buf *why)
{
	int found = by_environment(r, why);

	if (found == 0)
		found = by_pane(r, why);
	if (found == 0)
		found = by_session(r, session, why);
	if (found == 1 && r->dir.state_fd == -1) {
		buf_printf(why, "nothing is kept in '%s' any more",
		    r->dir.path);
		return -1;
	}
	if (found == 1)
		take_status(r);
	return found;
}

/* ---- what it says -------------------------------------------------------- */

/* Words from outside as people are to see them, into a field of that size. */
static void
take_words(char *field, size_t size, const char *words)
{
	struct buf shown = BUF_INIT;

	if (words == NULL)
		return;
	sigfile_text(&shown, words, strlen(words), 200);
	if (shown.len >= size) {
		shown.len = size - 1;
		while (shown.len > 0 && (shown.data[shown.len] & 0xc0) == 0x80)
			shown.len--;
	}
	memcpy(field, buf_str(&shown), shown.len);
	field[shown.len] = '\0';
	buf_release(&shown);
}

static void
take_kind(struct event *o, const char *word)
{
	take_words(o->kind, sizeof(o->kind), word);
}

static void
scan(struct event *o, const struct run *r, const char *text)
{
	struct buf message = BUF_INIT;

	o->hits = marker_source(&r->set, text, strlen(text), &o->fence,
	    &message);
	if (o->hits.error > 0 && message.len < sizeof(o->error))
		memcpy(o->error, buf_str(&message), message.len + 1);
	buf_release(&message);
}

static bool
going_on(const cJSON *in)
{
	const cJSON *tasks = json_member(in, "background_tasks");

	return cJSON_IsArray(tasks) && cJSON_GetArraySize(tasks) > 0;
}

static bool
take_message(struct event *o, const struct run *r, const struct row *row,
    const cJSON *in)
{
	const char *text = json_text(in, row->text);

	o->said = text != NULL;
	if (text != NULL)
		scan(o, r, text);
	take_words(o->text, sizeof(o->text), text);
	if (going_on(in))
		take_kind(o, "background");
	return true;
}

/* Of two readings of what came before, what both count. */
static void
scan_unsure(struct event *o, const struct run *r, const char *text)
{
	struct event inside = { .fence = { '`', 3 } };

	scan(o, r, text);
	scan(&inside, r, text);
	if (inside.hits.complete < o->hits.complete)
		o->hits.complete = inside.hits.complete;
	if (inside.hits.error < o->hits.error)
		o->hits.error = inside.hits.error;
	o->hits.bound_complete = o->hits.bound_error = 0;
}

static bool
take_piece(struct event *o, const struct run *r, const struct row *row,
    const cJSON *in)
{
	const char *text = json_text(in, row->text);
	const char *id = json_text(in, "message_id");
	int64_t index = json_number(in, "index", 0);
	struct event before;

	if (text == NULL || id == NULL || index < 0 || index > INT32_MAX)
		return false;
	take_words(o->message, sizeof(o->message), id);
	o->index = (unsigned)index;
	o->final = json_bool(in, "final", false);
	if (index == 0) {
		scan(o, r, text);
	} else if (event_piece(&before, r->dir.state_fd, r->issue, o->message,
	    o->index - 1)) {
		o->fence = before.fence;
		scan(o, r, text);
	} else {
		scan_unsure(o, r, text);
	}
	return true;
}

static bool
is_shell(const char *tool)
{
	size_t i;

	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (tool != NULL && strcmp(shells[i], tool) == 0)
			return true;
	return false;
}

/* The command in which something at p stands begins with this word. */
static bool
command_is(const char *line, const char *p, const char *word)
{
	static const char *const before[] = { "do", "then", "else", "!", "{" };
	size_t len = strlen(word), i;
	const char *from = p;

	while (from > line && strchr(";|&\n(", from[-1]) == NULL)
		from--;
	from += strspn(from, " \t");
	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		size_t n = strlen(before[i]);

		if (strncmp(from, before[i], n) == 0 &&
		    text_blank(from[n]))
			from += n + strspn(from + n, " \t");
	}
	return strncmp(from, word, len) == 0 &&
	    text_blank(from[len]);
}

static bool
prints(const char *command, const char *text)
{
	const char *p = strstr(command, text);

	for (; p != NULL; p = strstr(p + 1, text))
		if (command_is(command, p, "echo") ||
		    command_is(command, p, "printf"))
			return true;
	return false;
}

/* Is the command one that prints a marker, and not one that reads a text in
 * which there is one?  Its issue may be in a variable. */
static bool
prints_marker(const struct run *r, const char *command)
{
	static const char *const begin[] = { "###TASK_COMPLETE_",
	    "###COMPLETE_TASK_", "###TASK_ERROR_", "###ERROR_TASK_" };
	size_t i;

	for (i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (prints(command, begin[i]))
			return true;
	return r->set.custom[0] != '\0' && prints(command, r->set.custom);
}

static const char *
tool_output(const cJSON *in)
{
	const cJSON *said = json_member(in, "tool_response");
	const char *text = json_text(said, "stdout");

	if (text == NULL)
		text = json_text(said, "output");
	if (text == NULL)               /* Gemini: for people, for the model */
		text = json_text(said, "returnDisplay");
	if (text == NULL)
		text = json_text(said, "llmContent");
	if (text == NULL)
		text = json_text(in, "tool_response");
	return text != NULL ? text : json_text(in, "output");
}

/*
 * A marker that a tool printed is the agent's report where the agent had it
 * printed.  Helpers of the agent report nothing about the run.
 */
static bool
take_tool(struct event *o, const struct run *r, const cJSON *in)
{
	const cJSON *input = json_member(in, "tool_input");
	const char *command = json_text(input, "command");
	const char *tool = json_text(in, "tool_name"), *output;

	if (command == NULL && tool == NULL)    /* Cursor's are all shells */
		command = json_text(in, "command");
	output = tool_output(in);
	if ((tool == NULL || is_shell(tool)) && command != NULL &&
	    output != NULL && json_member(in, "agent_id") == NULL &&
	    prints_marker(r, command))
		scan(o, r, output);
	return true;
}

static bool
take_asked(struct event *o, const cJSON *in)
{
	const char *tool = json_text(in, "tool_name");
	const char *command = json_text(json_member(in, "tool_input"),
	    "command");
	struct buf words = BUF_INIT;

	take_kind(o, "permission");
	buf_printf(&words, "%s%s%s", tool ? tool : "a tool",
	    command ? ": " : "", command ? command : "");
	take_words(o->text, sizeof(o->text), buf_str(&words));
	buf_release(&words);
	return true;
}

static bool
take_notice(struct event *o, const struct row *row, const cJSON *in)
{
	const char *type = json_text(in, "notification_type");
	size_t i, n = sizeof(notices) / sizeof(notices[0]);

	take_words(o->text, sizeof(o->text), json_text(in, row->text));
	if (strcmp(row->name, "TeammateIdle") == 0)
		type = "idle_prompt";
	if (strcmp(row->name, "Elicitation") == 0)
		type = "elicitation_dialog";
	for (i = 0; i < n && type != NULL; i++) {
		if (strcmp(notices[i].type, type) != 0)
			continue;
		take_kind(o, notices[i].kind);
		return true;
	}
	return false;
}

static bool
take_failure(struct event *o, const cJSON *in)
{
	const char *text = json_text(in, "last_assistant_message");

	if (text == NULL)
		text = json_text(in, "message");
	take_kind(o, json_text(in, "error"));
	take_words(o->text, sizeof(o->text), text);
	if (text != NULL)
		o->reset = reset_find(text, strlen(text), o->time);
	return true;
}

/* Cursor says with one event how a turn has ended, and its message before. */
static bool
take_status_word(struct event *o, const cJSON *in)
{
	const char *status = json_text(in, "status");

	if (status != NULL && strcmp(status, "completed") != 0) {
		o->type = EVENT_FAILED;
		take_kind(o, status);
	}
	return true;
}

/* False: it is nothing to record. */
static bool
take_content(struct event *o, const struct run *r, const struct row *row,
    const cJSON *in)
{
	switch (row->content) {
	case CONTENT_NONE:
		return true;
	case CONTENT_MESSAGE:
		return take_message(o, r, row, in);
	case CONTENT_PIECE:
		return take_piece(o, r, row, in);
	case CONTENT_TOOL:
		return take_tool(o, r, in);
	case CONTENT_ASKED:
		return take_asked(o, in);
	case CONTENT_NOTICE:
		return take_notice(o, row, in);
	case CONTENT_FAILURE:
		return take_failure(o, in);
	case CONTENT_STATUS:
		return take_status_word(o, in);
	case CONTENT_SOURCE:
		take_kind(o, json_text(in, row->text));
		return true;
	}
	return false;
}

static const char *
session_of(const cJSON *in)
{
	const char *id = json_text(in, "session_id");

	return id != NULL ? id : json_text(in, "conversation_id");
}

/* ---- what is kept and told beside it ------------------------------------- */

/* The folder in which Claude Code's restarts find the session; -1: there is
 * none to be kept. */
static int
open_reborn(void)
{
	const char *root = getenv("CLAUDE_PROJECT_DIR");
	char *path;
	int claude, fd;

	if (root == NULL || root[0] != '/')
		return -1;
	path = xasprintf("%s/.claude", root);
	claude = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	if (claude == -1)
		return -1;
	mkdirat(claude, "self-reborn", 0700);
	fd = openat(claude, "self-reborn",
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(claude);
	return fd;
}

static void
add_history(int dir, const char *session, const char *event, msec now)
{
	int fd = openat(dir, "session_history.jsonl", O_WRONLY | O_APPEND |
	    O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct buf line = BUF_INIT;
	cJSON *o;

	if (fd == -1)
		return;
	o = json_new_object();
	json_add_time(o, "timestamp", now);
	json_add_text(o, "session_id", session);
	json_add_text(o, "event", event);
	json_print(&line, o);
	buf_addc(&line, '\n');
	if (write(fd, line.data, line.len) == -1)
		errno = 0;              /* it is a history, and no more */
	json_free(o);
	buf_release(&line);
	close(fd);
}

static void
keep_session(const struct row *row, const char *session, msec now)
{
	bool starts = row->event == EVENT_SESSION;
	int dir;

	if ((!starts && row->event != EVENT_OVER) || session == NULL ||
	    session[0] == '\0' || (dir = open_reborn()) == -1)
		return;
	file_replace(dir, "session_id", session, strlen(session), 0600);
	add_history(dir, session, starts ? "session_start" : "session_end",
	    now);
	close(dir);
}

/* A new session is told what is in a file. */
static int
tell_context(struct hook_call *c, const struct run *r)
{
	struct buf text = BUF_INIT;
	cJSON *o, *more;
	int ret = -1;

	if (file_read(AT_FDCWD, c->context, 0, &text, CONTEXT_MAX + 1) == -1) {
		if (errno == ENOENT)
			ret = 0;                /* there is nothing to tell */
		else
			buf_printf(&c->why, "cannot read '%s': %s", c->context,
			    strerror(errno));
	} else if (text.len > CONTEXT_MAX) {
		buf_printf(&c->why, "'%s' has more than %d KiB; it is not told "
		    "to the agent", c->context, CONTEXT_MAX >> 10);
	} else if (r->issue[0] != '\0' &&
	    marker_set_in(&r->set, buf_str(&text), text.len)) {
		buf_printf(&c->why, "'%s' holds a finished marker; it is not "
		    "told to the agent", c->context);
	} else {
		o = json_new_object();
		more = json_add_object(o, "hookSpecificOutput");
		json_add_text(more, "hookEventName", "SessionStart");
		json_add_text(more, "additionalContext", buf_str(&text));
		json_print(&c->answer, o);
		buf_addc(&c->answer, '\n');
		json_free(o);
		ret = 0;
	}
	buf_release(&text);
	return ret;
}

/* What is in a file when the session is compacted is kept beside it. */
static int
save_file(struct hook_call *c)
{
	char *copy = xasprintf("%s.before-compact", c->save);
	struct buf text = BUF_INIT;
	int ret = 0;

	if (file_read(AT_FDCWD, c->save, 0, &text, 16 << 20) == -1 ?
	    errno != ENOENT :
	    file_replace(AT_FDCWD, copy, text.data, text.len, 0600) == -1) {
		buf_printf(&c->why, "cannot save '%s': %s", c->save,
		    strerror(errno));
		ret = -1;
	}
	buf_release(&text);
	free(copy);
	return ret;
}

/* ---- the hook ------------------------------------------------------------ */

static void
take_caller(struct event *o)
{
	const char *pane = getenv("TMUX_PANE");

	o->nprocesses = caller_find(o->processes, EVENT_PROCESSES);
	if (pane != NULL && tmux_id_valid(pane, '%'))
		take_words(o->pane, sizeof(o->pane), pane);
}

static int
record(struct hook_call *c, const struct row *row, const struct run *r,
    const char *session, msec now)
{
	struct event o = { .type = row->event, .time = now };

	memcpy(o.run, r->id, sizeof(o.run));
	take_words(o.session, sizeof(o.session), session);
	if (row->event == EVENT_SESSION)
		take_caller(&o);
	if (!take_content(&o, r, row, c->input) ||
	    event_add(&o, r->dir.state_fd, r->issue) == 0)
		return 0;
	buf_printf(&c->why, "cannot write the records of issue '%s' in '%s': "
	    "%s", r->issue, r->dir.path, strerror(errno));
	return -1;
}

int
hook_record(struct hook_call *c)
{
	const struct row *row = find_row(json_text(c->input,
	    "hook_event_name"));
	const char *session = session_of(c->input);
	struct run r = { .dir = STATUSDIR_INIT };
	msec now = clock_wall();
	int found, ret;

	if (row == NULL)
		return 0;               /* an event that tells us nothing */
	found = find_run(&r, session, &c->why);
	if (found == 1 && is_foreign(&r, session, json_text(c->input, "cwd")))
		found = 0;
	ret = found == 1 ? record(c, row, &r, session, now) : found;
	keep_session(row, session, now);
	if (ret == 0 && c->context != NULL && row->event == EVENT_SESSION)
		ret = tell_context(c, &r);
	if (ret == 0 && c->save != NULL && row->event == EVENT_COMPACT)
		ret = save_file(c);
	statusdir_close(&r.dir);
	return ret;
}
