#include "run/restart.h"

#include "data/fields.h"
#include "run/launch.h"

enum { RELOAD_MAX = 65536 };

const char *const reload_phases[] = {
	[RELOAD_WAITING] = "waiting",   [RELOAD_STOPPING] = "stopping",
	[RELOAD_STARTING] = "starting", [RELOAD_DELIVERING] = "delivering",
	[RELOAD_DONE] = "done",         [RELOAD_FAILED] = "failed",
};

static const char *const shapes[] = { [RELOAD_IN_SHELL] = "shell",
    [RELOAD_OWN] = "own", [RELOAD_STARTED] = "started" };

/* Pauses before the next restart, by their number in RELOAD_SPAN. */
static const msec pauses[RELOAD_PAST] = { 0, 0, 0, 15000, 30000, 60000,
    120000, 240000 };

void
reload_pane_key(char key[RELOAD_KEY], pid_t server, const char *pane)
{
	snprintf(key, RELOAD_KEY, RELOAD_PANE "%ld-%s", (long)server,
	    pane + 1);
}

static void
past_print(struct buf *out, const void *s)
{
	const struct reload *r = s;
	size_t i;

	for (i = 0; i < r->npast; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "",
		    CLOCK_WORDS(r->past[i]));
}

static void
past_parse(void *s, const char *p)
{
	struct reload *r = s;
	char text[CLOCK_TEXT];
	msec wall;
	size_t len;

	for (r->npast = 0; *p != '\0' && r->npast < RELOAD_PAST;
	    p += len + strspn(p + len, " ")) {
		len = strcspn(p, " ");
		snprintf(text, sizeof(text), "%.*s", (int)len, p);
		wall = clock_parse(text);
		r->past[r->npast++] = wall == -1 ? 0 : wall;
	}
}

#define RELOAD(member) FIELD_AT(struct reload, member)

static const struct field reload_fields[] = {
	{ "v", FIELD_CONSTANT, .fallback = 1 },
	{ "run", FIELD_WORD, RELOAD(run), .required = true },
	{ "phase", FIELD_NAME, RELOAD(phase), FIELD_NAMES(reload_phases),
	    .required = true },
	{ "why", FIELD_WORD, RELOAD(why) },
	{ "since", FIELD_TIME, RELOAD(since) },
	{ "pid", FIELD_SIGNED, RELOAD(process.pid) },
	{ "start", FIELD_UNSIGNED, RELOAD(process.start) },
	{ "boot", FIELD_WORD, RELOAD(process.boot) },
	{ "past", FIELD_CODED, .print = past_print, .parse = past_parse,
	    .omit = true },
	{ "socket", FIELD_TEXT, RELOAD(place.socket) },
	{ "server_pid", FIELD_SIGNED, RELOAD(place.server) },
	{ "server_start", FIELD_SIGNED, RELOAD(place.server_start) },
	{ "pane", FIELD_WORD, RELOAD(place.pane) },
	{ "pane_pid", FIELD_SIGNED, RELOAD(place.pane_pid) },
	{ "pane_start", FIELD_UNSIGNED, RELOAD(place.pane_start) },
	{ "shape", FIELD_NAME, RELOAD(shape), FIELD_NAMES(shapes),
	    .required = true },
	{ "agent", FIELD_SIGNED, RELOAD(agent) },
	{ "agent_start", FIELD_UNSIGNED, RELOAD(agent_start) },
	{ "shell", FIELD_SIGNED, RELOAD(shell), .omit = true },
	{ "shell_start", FIELD_UNSIGNED, RELOAD(shell_start), .omit = true },
	{ "shell_name", FIELD_WORD, RELOAD(shell_name), .omit = true },
	{ "backend", FIELD_TEXT, RELOAD(backend) },
	{ "program", FIELD_TEXT, RELOAD(program) },
	{ "cwd", FIELD_TEXT, RELOAD(cwd) },
	{ "session", FIELD_TEXT, RELOAD(session) },
	{ "reason", FIELD_TEXT, RELOAD(reason) },
	{ "folder", FIELD_TEXT, RELOAD(folder) },
	{ "file", FIELD_TEXT, RELOAD(file) },
	{ "own_turn", FIELD_BOOL, RELOAD(own_turn) },
	{ "not_before", FIELD_TIME, RELOAD(not_before) },
	{ "log_cap", FIELD_SIGNED, RELOAD(log_cap) },
	{ 0 }
};

void
reload_release(struct reload *r)
{
	fields_release(reload_fields, r);
	*r = (struct reload){ .phase = RELOAD_FAILED };
}

int
reload_write(const struct reload *r, int state_fd, const char *key)
{
	return fields_write(state_fd, ISSUE_NAME(key, "reload"), reload_fields,
	    r);
}

int
reload_read(struct reload *r, int state_fd, const char *key)
{
	int got;

	*r = (struct reload){ .phase = RELOAD_FAILED };
	if (state_fd == -1)
		return 0;
	got = fields_read(state_fd, ISSUE_NAME(key, "reload"), RELOAD_MAX,
	    reload_fields, r);
	if (got == 1 && !run_id_valid(r->run)) {
		errno = EBADMSG;
		got = -1;
	}
	if (got == -1)
		reload_release(r);
	return got;
}

bool
reload_under_way(const struct reload *r, const char *run)
{
	return r->phase < RELOAD_DONE && (run == NULL ||
	    strcmp(run, r->run) == 0) && proc_id_alive(&r->process);
}

bool
reload_allowed(struct reload *r, msec wall, msec *next)
{
	size_t old = 0;

	while (old < r->npast && (r->past[old] + RELOAD_SPAN <= wall ||
	    r->past[old] > wall))
		old++;
	r->npast -= old;
	memmove(r->past, r->past + old, r->npast * sizeof(r->past[0]));
	*next = wall;
	if (r->npast == RELOAD_PAST)
		*next = r->past[0] + RELOAD_SPAN;
	else if (r->npast > 0 &&
	    r->past[r->npast - 1] + pauses[r->npast] > wall)
		*next = r->past[r->npast - 1] + pauses[r->npast];
	return r->npast < RELOAD_PAST;
}

bool
reload_take(struct status *s, int state_fd, bool *under_way)
{
	struct reload r;
	const char *phase;
	bool changed;
	msec since;

	*under_way = reload_read(&r, state_fd, s->issue) == 1 &&
	    reload_under_way(&r, s->run);
	since = *under_way ? r.since : 0;
	phase = *under_way ? reload_phases[r.phase] : "";
	changed = s->reload.since != since ||
	    strcmp(s->reload.phase, phase) != 0;
	s->reload.since = since;
	snprintf(s->reload.phase, sizeof(s->reload.phase), "%s", phase);
	reload_release(&r);
	return changed;
}

/* Bound ones are never old: they would have been the verdict. */
void
reload_redrawn(struct status *s, const struct marker_hits *now,
    const struct marker_hits *before)
{
	s->ignored_log.complete += (now->complete - now->bound_complete) -
	    (before->complete - before->bound_complete);
	s->ignored_log.error += (now->error - now->bound_error) -
	    (before->error - before->bound_error);
	s->ignored_capture.complete = s->ignored_capture.error = UINT32_MAX;
}

bool
reload_find(struct status *s, int state_fd, const struct tmux_pane *pane)
{
	struct proc agent, first;
	struct launched l;
	bool changed;

	if (s->run[0] == '\0' || launched_read(&l, state_fd, s->issue,
	    s->run) != 1 || l.ended || !proc_alive(l.pid, l.start))
		return false;
	changed = s->agent.pid != l.pid || s->agent.start != l.start;
	s->agent.pid = l.pid;
	s->agent.start = l.start;
	/* The pane may have a new process: the agent, or its parent. */
	if (pane == NULL || pane->pid == s->place.pane_pid ||
	    strcmp(pane->id, s->place.pane) != 0 ||
	    proc_read(&agent, l.pid) == -1 || agent.start != l.start ||
	    (agent.pid != pane->pid && agent.parent != pane->pid) ||
	    proc_read(&first, pane->pid) == -1)
		return changed;
	s->place.pane_pid = first.pid;
	s->place.pane_start = first.start;
	return true;
}
