#include "run/restart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/file.h"
#include "run/launch.h"
#include "text/json.h"

enum { RELOAD_MAX = 65536, NAME = RELOAD_KEY + 16 };

static const char *const phases[] = {
	[RELOAD_WAITING]    = "waiting",
	[RELOAD_STOPPING]   = "stopping",
	[RELOAD_STARTING]   = "starting",
	[RELOAD_DELIVERING] = "delivering",
	[RELOAD_DONE]       = "done",
	[RELOAD_FAILED]     = "failed",
};

static const char *const shapes[] = {
	[RELOAD_IN_SHELL] = "shell",
	[RELOAD_OWN]      = "own",
	[RELOAD_STARTED]  = "started",
};

/*
 * How long after one restart the next one may follow, by how many there were in
 * RELOAD_SPAN; so many are allowed.
 */
static const msec pauses[RELOAD_PAST] = { 0, 0, 0, 15000, 30000, 60000,
    120000, 240000 };

const char *
reload_phase_name(enum reload_phase phase)
{
	return phases[phase];
}

void
reload_init(struct reload *r)
{
	*r = (struct reload){ .phase = RELOAD_FAILED };
}

void
reload_release(struct reload *r)
{
	pane_ref_release(&r->place);
	free(r->backend);
	free(r->program);
	free(r->cwd);
	free(r->session);
	free(r->reason);
	free(r->folder);
	free(r->file);
	reload_init(r);
}

/* An issue begins with a letter or a digit. */
void
reload_pane_key(char key[RELOAD_KEY], pid_t server, const char *pane)
{
	snprintf(key, RELOAD_KEY, RELOAD_PANE "%ld-%s", (long)server,
	    pane + 1);
}

static void
own_name(char name[NAME], const char *key, const char *kind)
{
	snprintf(name, NAME, "%s.%s", key, kind);
}

/* ---- the file ------------------------------------------------------------ */

static void
add_past(cJSON *o, const struct reload *r)
{
	struct buf times = BUF_INIT;
	char text[CLOCK_TEXT];
	size_t i;

	for (i = 0; i < r->npast; i++) {
		clock_format(text, r->past[i]);
		buf_printf(&times, "%s%s", i > 0 ? " " : "", text);
	}
	if (r->npast > 0)
		json_add_text(o, "past", buf_str(&times));
	buf_release(&times);
}

static void
add_pane(cJSON *o, const struct reload *r)
{
	const struct pane_ref *p = &r->place;

	json_add_text(o, "socket", p->socket);
	json_add_number(o, "server_pid", p->server);
	json_add_number(o, "server_start", p->server_start);
	json_add_text(o, "pane", p->pane);
	json_add_number(o, "pane_pid", p->pane_pid);
	json_add_number(o, "pane_start", (int64_t)p->pane_start);
	json_add_text(o, "shape", shapes[r->shape]);
	json_add_number(o, "agent", r->agent);
	json_add_number(o, "agent_start", (int64_t)r->agent_start);
	if (r->shape == RELOAD_IN_SHELL) {
		json_add_number(o, "shell", r->shell);
		json_add_number(o, "shell_start", (int64_t)r->shell_start);
		json_add_text(o, "shell_name", r->shell_name);
	}
}

int
reload_write(const struct reload *r, int state_fd, const char *key)
{
	cJSON *o = json_new_object();
	struct buf text = BUF_INIT;
	char name[NAME];
	int ret, saved;

	json_add_number(o, "v", 1);
	json_add_text(o, "run", r->run);
	json_add_text(o, "phase", phases[r->phase]);
	json_add_text(o, "why", r->why);
	json_add_time(o, "since", r->since);
	json_add_number(o, "pid", r->pid);
	json_add_number(o, "start", (int64_t)r->start);
	json_add_text(o, "boot", r->boot);
	add_past(o, r);
	add_pane(o, r);
	json_add_text(o, "backend", r->backend);
	json_add_text(o, "program", r->program);
	json_add_text(o, "cwd", r->cwd);
	json_add_text(o, "session", r->session);
	json_add_text(o, "reason", r->reason);
	json_add_text(o, "folder", r->folder);
	json_add_text(o, "file", r->file);
	json_add_bool(o, "own_turn", r->own_turn);
	json_add_time(o, "not_before", r->not_before);
	json_add_number(o, "log_cap", r->log_cap);
	json_print(&text, o);
	buf_addc(&text, '\n');
	own_name(name, key, "reload");
	ret = file_replace(state_fd, name, text.data, text.len, 0600);
	saved = errno;
	buf_release(&text);
	json_free(o);
	errno = saved;
	return ret;
}

static void
take_past(struct reload *r, const char *times)
{
	char text[CLOCK_TEXT];
	const char *p = times ? times : "";
	msec wall;

	for (; *p != '\0' && r->npast < RELOAD_PAST; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		snprintf(text, sizeof(text), "%.*s", (int)len, p);
		wall = clock_parse(text);
		r->past[r->npast++] = wall == -1 ? 0 : wall;
		p += len;
	}
}

static size_t
take_row(const cJSON *o, const char *name, const char *const *rows, size_t n)
{
	const char *text = json_text(o, name);
	size_t i;

	for (i = 0; text != NULL && i < n; i++)
		if (strcmp(rows[i], text) == 0)
			return i;
	return n;
}

static void
take_pane(struct reload *r, const cJSON *o)
{
	struct pane_ref *p = &r->place;

	p->socket = json_copy(o, "socket");
	p->server = (pid_t)json_number(o, "server_pid", 0);
	p->server_start = json_number(o, "server_start", 0);
	json_word(o, "pane", p->pane, sizeof(p->pane));
	p->pane_pid = (pid_t)json_number(o, "pane_pid", 0);
	p->pane_start = (uint64_t)json_number(o, "pane_start", 0);
	r->agent = (pid_t)json_number(o, "agent", 0);
	r->agent_start = (uint64_t)json_number(o, "agent_start", 0);
	r->shell = (pid_t)json_number(o, "shell", 0);
	r->shell_start = (uint64_t)json_number(o, "shell_start", 0);
	json_word(o, "shell_name", r->shell_name, sizeof(r->shell_name));
}

static int
take_file(struct reload *r, const cJSON *o)
{
	size_t nphases = sizeof(phases) / sizeof(phases[0]);
	size_t nshapes = sizeof(shapes) / sizeof(shapes[0]);
	size_t phase = take_row(o, "phase", phases, nphases);
	size_t shape = take_row(o, "shape", shapes, nshapes);

	json_word(o, "run", r->run, sizeof(r->run));
	if (!run_id_valid(r->run) || phase == nphases || shape == nshapes)
		return -1;
	r->phase = (enum reload_phase)phase;
	r->shape = (enum reload_shape)shape;
	json_word(o, "why", r->why, sizeof(r->why));
	r->since = json_time(o, "since");
	r->pid = (pid_t)json_number(o, "pid", 0);
	r->start = (uint64_t)json_number(o, "start", 0);
	json_word(o, "boot", r->boot, sizeof(r->boot));
	take_past(r, json_text(o, "past"));
	take_pane(r, o);
	r->backend = json_copy(o, "backend");
	r->program = json_copy(o, "program");
	r->cwd = json_copy(o, "cwd");
	r->session = json_copy(o, "session");
	r->reason = json_copy(o, "reason");
	r->folder = json_copy(o, "folder");
	r->file = json_copy(o, "file");
	r->own_turn = json_bool(o, "own_turn", false);
	r->not_before = json_time(o, "not_before");
	r->log_cap = json_number(o, "log_cap", 0);
	return 0;
}

int
reload_read(struct reload *r, int state_fd, const char *key)
{
	struct buf text = BUF_INIT;
	char name[NAME];
	cJSON *o = NULL;
	int ret = 0;

	reload_init(r);
	if (state_fd == -1)
		return 0;
	own_name(name, key, "reload");
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, RELOAD_MAX) == -1) {
		ret = errno == ENOENT ? 0 : -1;
		goto out;
	}
	o = json_parse(buf_str(&text), text.len, false, NULL);
	ret = o != NULL && take_file(r, o) == 0 ? 1 : -1;
	if (ret == -1) {
		reload_release(r);
		errno = EBADMSG;
	}
out:
	json_free(o);
	buf_release(&text);
	return ret;
}

int
reload_lock(int state_fd, const char *key)
{
	char name[NAME];
	struct stat st;
	int fd, saved;

	own_name(name, key, "reload.lock");
	fd = file_open_own(state_fd, name, O_RDWR | O_CREAT, &st);
	if (fd == -1)
		return -1;
	if (futimens(fd, NULL) == -1)
		errno = 0;              /* it only looks forgotten, then */
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* ---- what it says -------------------------------------------------------- */

bool
reload_under_way(const struct reload *r, const char *run)
{
	char boot[PROC_BOOT];

	if (r->phase >= RELOAD_DONE || r->pid == 0 ||
	    (run != NULL && strcmp(run, r->run) != 0))
		return false;
	proc_boot(boot);
	return !proc_boot_differs(boot, r->boot) && proc_alive(r->pid, r->start);
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
	if (r->npast == RELOAD_PAST) {
		*next = r->past[0] + RELOAD_SPAN;
		return false;
	}
	if (r->npast > 0 && r->past[r->npast - 1] + pauses[r->npast] > wall)
		*next = r->past[r->npast - 1] + pauses[r->npast];
	return true;
}

bool
reload_take(struct status *s, int state_fd, bool *under_way)
{
	struct reload r;
	msec since = 0;
	const char *phase = "";
	bool changed;

	*under_way = reload_read(&r, state_fd, s->issue) == 1 &&
	    reload_under_way(&r, s->run);
	if (*under_way) {
		since = r.since;
		phase = phases[r.phase];
	}
	changed = s->reload.since != since ||
	    strcmp(s->reload.phase, phase) != 0;
	s->reload.since = since;
	snprintf(s->reload.phase, sizeof(s->reload.phase), "%s", phase);
	reload_release(&r);
	return changed;
}

bool
reload_redraws(const struct status *s)
{
	return strcmp(s->reload.phase, phases[RELOAD_STARTING]) == 0 ||
	    strcmp(s->reload.phase, phases[RELOAD_DELIVERING]) == 0;
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

/* Does the pane have a new process, and is the agent that, or its child? */
static bool
find_pane(struct status *s, const struct launched *l,
    const struct tmux_pane *pane)
{
	struct proc agent, first;

	if (pane == NULL || pane->pid == s->place.pane_pid ||
	    strcmp(pane->id, s->place.pane) != 0 ||
	    proc_read(&agent, l->pid) == -1 || agent.start != l->start ||
	    (agent.pid != pane->pid && agent.parent != pane->pid) ||
	    proc_read(&first, pane->pid) == -1)
		return false;
	s->place.pane_pid = first.pid;
	s->place.pane_start = first.start;
	return true;
}

bool
reload_find(struct status *s, int state_fd, const struct tmux_pane *pane)
{
	struct launched l;
	bool changed;

	if (s->run[0] == '\0' || launched_read(&l, state_fd, s->issue,
	    s->run) != 1 || l.ended || !proc_alive(l.pid, l.start))
		return false;
	changed = s->agent.pid != l.pid || s->agent.start != l.start;
	s->agent.pid = l.pid;
	s->agent.start = l.start;
	return find_pane(s, &l, pane) || changed;
}
