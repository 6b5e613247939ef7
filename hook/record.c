/*
 * record.c - the hook that records what an agent's own hooks tell.
 *
 * Which event it is and where its words are, the agent's dialect says.
 *
 * Whose run is it?  The environment of start says so; else the options of the
 * pane that the agent runs in; else the status record that names the agent's
 * session.  Without an answer nothing is recorded.  A server that sessions of a
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
#include "chain/dialect.h"
#include "hook/caller.h"
#include "hook/hook.h"
#include "hook/hookevent.h"
#include "os/file.h"
#include "run/config.h"
#include "run/paneowner.h"
#include "run/project.h"
#include "run/statusdir.h"
#include "text/pattern.h"
#include "tmux/tmux.h"

enum { CONTEXT_MAX = 32 << 10 };        /* bytes that a session is told */

struct run {
	struct statusdir  dir;
	char              issue[ISSUE_MAX + 1];
	char              id[RUN_ID_LEN + 1];
	struct marker_set set;
	char             *backend;      /* NULL: not known */
};

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
	struct paneowner_rules rules;
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
	p->rules = (struct paneowner_rules){ p->pattern, &p->project, p->path };
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
		r->backend = s.backend ? xstrdup(s.backend) : NULL;
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
	if (paneowner_of(&ground.rules, pane, r->issue) == PANEOWNER_NAME &&
	    paneowner_panes(&ground.rules, l, r->issue, others, 1) == 1 &&
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

/* ---- what is kept and told beside it ------------------------------------- */

/* The folder, beside the agent's settings in its project, in which its
 * restarts find the session; -1: there is none. */
static int
open_reborn(const struct dialect *d)
{
	const char *variable = json_text(d->hooks, "project_variable");
	const char *root = variable != NULL ? getenv(variable) : NULL;
	char *path;
	int settings, fd;

	if (root == NULL || root[0] != '/')
		return -1;
	path = xasprintf("%s/%s", root, json_text(d->hooks, "folder"));
	settings = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	if (settings == -1)
		return -1;
	mkdirat(settings, "self-reborn", 0700);
	fd = openat(settings, "self-reborn",
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(settings);
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
keep_session(const struct dialect *d, enum event_type type,
    const char *session, msec now)
{
	bool starts = type == EVENT_SESSION;
	int dir;

	if ((!starts && type != EVENT_OVER) || session == NULL ||
	    session[0] == '\0' || (dir = open_reborn(d)) == -1)
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
add_caller(struct event *o)
{
	const char *pane = getenv("TMUX_PANE");

	o->nprocesses = caller_find(o->processes, EVENT_PROCESSES);
	if (pane != NULL && tmux_id_valid(pane, '%') &&
	    strlen(pane) < sizeof(o->pane))
		memcpy(o->pane, pane, strlen(pane) + 1);
}

static int
record(struct hook_call *c, const struct dialect *d,
    const struct dialect_event *event, const struct run *r, msec now)
{
	const struct hookevent h = { d, *event, c->input, &r->set, r->issue,
	    r->dir.state_fd };
	struct event o = { .time = now };

	memcpy(o.run, r->id, sizeof(o.run));
	if (event->type == EVENT_SESSION)
		add_caller(&o);
	if (!hookevent_read(&h, &o) ||
	    event_add(&o, r->dir.state_fd, r->issue) == 0)
		return 0;
	buf_printf(&c->why, "cannot write the records of issue '%s' in '%s': "
	    "%s", r->issue, r->dir.path, strerror(errno));
	return -1;
}

/* Records an event of the run that it belongs to, and the session. */
static int
record_event(struct hook_call *c, struct run *r, struct dialect *d,
    struct dialect_event *event)
{
	msec now = clock_wall();
	const char *session = dialect_text(d, c->input, DIALECT_SESSION);
	int found = find_run(r, session, &c->why), ret;

	dialect_prefer(d, r->backend, c->input, event);
	session = dialect_text(d, c->input, DIALECT_SESSION);
	if (found == 1 && is_foreign(r, session, dialect_text(d, c->input,
	    DIALECT_FOLDER)))
		found = 0;
	ret = found == 1 ? record(c, d, event, r, now) : found;
	keep_session(d, event->type, session, now);
	return ret;
}

int
hook_record(struct hook_call *c)
{
	struct run r = { .dir = STATUSDIR_INIT };
	struct dialect_event event;
	struct dialect d;
	int ret = dialect_find(&d, c->input, &event, &c->why);

	if (ret != 1)
		return ret;             /* no agent has such an event */
	ret = record_event(c, &r, &d, &event);
	if (ret == 0 && c->context != NULL && event.type == EVENT_SESSION)
		ret = tell_context(c, &r);
	if (ret == 0 && c->save != NULL && event.type == EVENT_COMPACT)
		ret = save_file(c);
	statusdir_close(&r.dir);
	dialect_release(&d);
	free(r.backend);
	return ret;
}
