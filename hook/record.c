/*
 * record.c - the hook that records what an agent's own hooks report.
 *
 * An event belongs to the run that self.h finds, else to the pane
 * (paneevents.h).  Sessions that share a server share its environment, so an
 * event of another run's session or work tree is dropped.
 */

#include "data/shell.h"
#include "hook/hook.h"
#include "queue/paneevents.h"
#include "tmux/sockets.h"
#include "tmux/tmux.h"

enum { CONTEXT_MAX = 32 << 10 };        /* bytes */

/* 1, 0, or -1 with errno.  A run without a known session takes every event. */
static int
is_foreign(const struct self *r, const char *session, const char *cwd)
{
	char **issues, **p;
	const struct status *own = &r->record;
	struct status s;
	bool foreign = false;
	int got, error = 0;

	if (session == NULL || (own->agent.session == NULL ? !r->unsure :
	    strcmp(own->agent.session, session) == 0))
		return 0;
	if (cwd != NULL && own->worktree != NULL &&
	    project_contains(own->worktree, cwd))
		cwd = NULL;
	issues = status_issues(r->dir.state_fd);
	if (issues == NULL)
		return -1;
	for (p = issues; *p != NULL && !foreign; p++) {
		if (strcmp(*p, r->issue) == 0)
			continue;
		got = status_read(&s, r->dir.state_fd, *p);
		if (got == -1 && !file_refused(errno))
			error = errno;
		if (got == 1 && !s.ended)
			foreign = (s.agent.session != NULL &&
			    strcmp(s.agent.session, session) == 0) ||
			    (s.worktree != NULL && cwd != NULL &&
			    project_contains(s.worktree, cwd));
		status_release(&s);
	}
	argv_free(issues);
	errno = error;
	return foreign ? 1 : error != 0 ? -1 : 0;
}

/* Keeps the session's id beside the agent's settings, for its restarts.
 * Failures are ignored. */
static void
keep_session(const struct dialect *d, enum event_type type,
    const char *session, msec now)
{
	const char *variable, *root;
	struct buf line = BUF_INIT;
	int settings, dir, fd;
	struct json *o;

	if ((type != EVENT_SESSION && type != EVENT_OVER) || session == NULL ||
	    session[0] == '\0')
		return;
	variable = json_text(d->hooks, "project_variable");
	root = variable != NULL ? getenv(variable) : NULL;
	if (root == NULL || root[0] != '/')
		return;
	settings = file_folder(root, json_text(d->hooks, "folder"), false);
	if (settings == -1)
		return;
	mkdirat(settings, PROJECT_SESSIONS, 0700);
	dir = openat(settings, PROJECT_SESSIONS,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir == -1)
		return;
	project_hide(dir);
	file_replace(dir, "session_id", session, strlen(session), 0600);
	fd = openat(dir, "session_history.jsonl", O_WRONLY | O_APPEND |
	    O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd == -1)
		return;
	o = json_new_object();
	json_add_time(o, "timestamp", now);
	json_add_texts(o, "session_id", session, "event",
	    type == EVENT_SESSION ? "session_start" : "session_end");
	json_print(&line, o);
	buf_addc(&line, '\n');
	file_write(fd, line.data, line.len);
}

/* markers: the run's, or NULL. */
static void
answer_context(struct hook_call *c, const struct marker_set *markers)
{
	struct buf text = BUF_INIT;

	if (file_read(AT_FDCWD, c->context, 0, &text, CONTEXT_MAX + 1) == -1) {
		if (errno != ENOENT)
			buf_printf(&c->why, "cannot read '%s': %s", c->context,
			    strerror(errno));
	} else if (text.len > CONTEXT_MAX) {
		buf_printf(&c->why, "'%s' has more than %d KiB; the agent does "
		    "not get it", c->context, CONTEXT_MAX >> 10);
	} else if (markers != NULL &&
	    marker_set_in(markers, buf_str(&text), text.len)) {
		buf_printf(&c->why, "'%s' holds a finished marker; the agent "
		    "does not get it", c->context);
	} else {
		c->answer = json_new_object();
		json_add_texts(json_add_object(c->answer, "hookSpecificOutput"),
		    "hookEventName", "SessionStart", "additionalContext",
		    buf_str(&text));
	}
}

static void
save_file(struct hook_call *c)
{
	char *copy = xasprintf("%s.before-compact", c->save);
	struct buf text = BUF_INIT;

	if (file_read(AT_FDCWD, c->save, 0, &text, 16 << 20) == -1 ?
	    errno != ENOENT :
	    file_replace(AT_FDCWD, copy, text.data, text.len, 0600) == -1)
		buf_printf(&c->why, "cannot save '%s': %s", c->save,
		    strerror(errno));
}

/* Adds the agent and its parents, without the hook's shell. */
static void
add_caller(struct event *o)
{
	const char *pane = getenv("TMUX_PANE");
	char name[EVENT_WORD], **words;
	pid_t pid = getppid();
	bool shell;
	struct proc p;

	for (; o->nprocesses < EVENT_PROCESSES && pid > 1 &&
	    proc_read(&p, pid) == 0; pid = p.parent) {
		if (o->nprocesses == 0) {
			proc_program_name(pid, name, sizeof(name));
			words = shell_known(name) ? proc_words(pid) : NULL;
			/* Some systems only know the name. */
			shell = shell_known(name) && (words == NULL ||
			    (argv_count(words) > 1 && words[1][0] == '-' &&
			    strchr(words[1], 'c') != NULL));
			argv_free(words);
			if (shell)
				continue;
		}
		o->processes[o->nprocesses++] =
		    (struct event_process){ pid, p.start };
	}
	if (pane != NULL && tmux_id_valid(pane, '%'))
		memcpy(o->pane, pane, strlen(pane) + 1);
}

int
hook_record(struct hook_call *c)
{
	struct buf why = BUF_INIT, ignored = BUF_INIT;
	struct self self, *s = &self;
	struct marker_set set;
	struct dialect d = { 0 };
	struct hookevent h = { .dialect = &d, .input = c->input,
	    .markers = &set };
	struct event o = { .time = clock_wall() };
	char name[ISSUE_MAX + 1];
	const char *session, *pane = NULL;
	int found = self_find(s, SELF_ALL, ".", &why), known, foreign = 0;
	bool ours;
	pid_t server;

	known = dialect_find(&d, s->record.backend, c->input, &h.event,
	    &c->why);
	if (known != 1)
		return known;
	session = dialect_text(&d, c->input, "session");
	if (found == 0) {
		self_release(s);
		found = self_find_session(s, session, &why);
		if (found == 1) {
			dialect_release(&d);
			dialect_find(&d, s->record.backend, c->input, &h.event,
			    &ignored);
			session = dialect_text(&d, c->input, "session");
		}
	}
	if (found == -1) {
		buf_adds(&c->why, buf_str(&why));
	} else if (found == 0) {
		pane = tmux_own_pane(&server);
		if (pane != NULL && paneevents_name(name, pane, server) &&
		    (h.state_fd = paneevents_open(true)) != -1)
			h.issue = name;
	} else if (s->dir.state_fd == -1) {
		buf_printf(&c->why, "nothing is kept in '%s' any more",
		    s->dir.path);
	} else if ((foreign = is_foreign(s, session, dialect_text(&d, c->input,
	    "folder"))) == -1) {
		buf_printf(&c->why, "cannot read the status directory '%s': %s",
		    s->dir.path, strerror(errno));
	} else {
		h.issue = s->issue;
		h.state_fd = s->dir.state_fd;
		memcpy(o.run, s->run, sizeof(o.run));
	}
	if (h.issue != NULL && marker_set_init(&set, h.issue, o.run[0] ?
	    o.run : NULL, s->record.marker) == -1)
		marker_set_init(&set, h.issue, NULL, NULL);
	ours = h.issue != NULL && foreign == 0;
	if (ours && h.event.type == EVENT_SESSION)
		add_caller(&o);
	if (ours && hookevent_read(&h, &o) && (pane != NULL ?
	    paneevents_add : event_add)(&o, h.state_fd, h.issue) == -1) {
		if (pane != NULL)
			buf_printf(&c->why, "cannot write the records of pane "
			    "'%s': %s", pane, strerror(errno));
		else
			buf_printf(&c->why, "cannot write the records of issue "
			    "'%s' in '%s': %s", s->issue, s->dir.path,
			    strerror(errno));
	}
	keep_session(&d, h.event.type, session, o.time);
	if (c->why.len == 0 && c->context != NULL &&
	    h.event.type == EVENT_SESSION)
		answer_context(c, s->issue[0] != '\0' ? &set : NULL);
	if (c->why.len == 0 && c->save != NULL && h.event.type == EVENT_COMPACT)
		save_file(c);
	return c->why.len > 0 ? -1 : 0;
}
