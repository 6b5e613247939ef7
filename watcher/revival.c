/*
 * revival.c - the order is that of start: what is to run is written, then the
 * record without a place, then the pane is opened, which has the run's id as an
 * option.  So a crash leaves a run without a pane, which is revived again, or a
 * pane that the next watch, or the next revive, finds by that option.
 */
#include "watcher/revival.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "chain/judge.h"
#include "chain/sources.h"
#include "os/lock.h"
#include "run/handoffstate.h"
#include "run/journal.h"
#include "run/launch.h"
#include "run/parked.h"
#include "run/restart.h"
#include "run/run.h"
#include "watcher/newpane.h"

void
revival_release(struct revival *v)
{
	status_release(&v->record);
	servers_release(&v->servers);
	resume_release(&v->resume);
	buf_release(&v->why);
}

/* ---- is its pane, or its agent, still there? ----------------------------- */

/* start, or a revive, may have been killed before it recorded the pane. */
static bool
revival_pane_lives(struct revival *v)
{
	const struct tmux_server *s = v->servers.first;
	const struct tmux_pane *p;

	for (; s != NULL; s = s->next)
		for (p = s->listing.panes; p < s->listing.panes +
		    s->listing.npanes; p++) {
			if (strcmp(p->run, v->record.run) != 0)
				continue;
			if (!p->dead) {
				buf_printf(&v->why, "its pane %s is alive",
				    p->id);
				return true;
			}
			memcpy(v->dead, p->id, sizeof(v->dead));
		}
	return false;
}

static bool
revival_agent_lives(struct revival *v)
{
	const struct status *r = &v->record;
	int state_fd = v->context->dir.state_fd;
	struct launched l;
	struct reload reload;
	bool lives;

	if (proc_boot_over(r->boot))
		return false;
	lives = reload_read(&reload, state_fd, v->issue) == 1 &&
	    reload_under_way(&reload, r->run);
	reload_release(&reload);
	if (lives) {
		buf_adds(&v->why, "its agent is being restarted");
		return true;
	}
	if (launched_read(&l, state_fd, v->issue, r->run) != 1)
		l = (struct launched){ .pid = r->agent.pid,
		    .start = r->agent.start, .ended = r->agent.pid == 0 };
	if (l.ended || !proc_alive(l.pid, l.start))
		return false;
	buf_printf(&v->why, "its agent, process %ld, lives without a pane; end "
	    "that first", (long)l.pid);
	return true;
}

/* Asks tmux.  False with the reason in v->why if the run goes on, or may. */
static bool
revival_lost(struct revival *v, enum pane_life *life, struct server_pane *own)
{
	struct servers *s = &v->servers;
	struct tmux_server *at;

	if (v->record.place.socket != NULL)
		servers_add(s, v->record.place.socket);
	servers_add_usual(s, v->context->config.sockets);
	servers_ask(s, false);
	*life = run_life(s, &v->record, own);
	if (*life == PANE_LIVES) {
		buf_printf(&v->why, "its pane %s is alive", own->pane->id);
		v->over = true;
		return false;
	}
	for (at = s->first; at != NULL; at = at->next)
		if (at->result != TMUX_OK && at->result != TMUX_NO_SERVER) {
			buf_printf(&v->why, "its pane may be there: %s",
			    buf_str(&at->why));
			return false;
		}
	if (*life == PANE_SILENT)
		buf_printf(&v->why, "its pane may be there: the tmux server "
		    "%ld lives and does not answer",
		    (long)v->record.place.server);
	return *life != PANE_SILENT && !revival_pane_lives(v) &&
	    !revival_agent_lives(v);
}

/* ---- is there a report? -------------------------------------------------- */

/* Judges the run, as the next watch would; what it read is in the record then.
 * False with the reason if it has reported. */
static bool
revival_unreported(struct revival *v, enum pane_life life,
    const struct tmux_pane *pane)
{
	struct status *r = &v->record;
	struct sources s;
	struct evidence ev;
	struct verdict verdict;
	struct buf error = BUF_INIT;

	evidence_init(&ev, v->issue);
	ev.stalled_after = CLOCK_NEVER;
	ev.errors = true;
	sources_init(&s, &v->context->dir, r);
	s.pass = s.hasty = true;
	s.now = clock_wall();
	s.events_due = true;
	sources_open_log(&s);
	sources_life(&s, &ev, life, pane);
	sources_backend(&s, v->backends, NULL,
	    v->context->config.backend, &error);
	judge(&s, &ev, &verdict);
	if (state_reported(verdict.state))
		buf_printf(&v->why, "it is %s, which is not recorded yet; "
		    "'paneward sweep --check-errors' does that",
		    state_name(verdict.state));
	else if (s.signal_error != 0 || s.log_error != 0)
		buf_printf(&v->why, "whether it has reported cannot be read: "
		    "%s", strerror(s.signal_error ? s.signal_error :
		    s.log_error));
	else if (!v->named && (life == PANE_DEAD ||
	    r->verdict.state == STATE_DEAD))
		buf_adds(&v->why, "its agent ended before its pane; name the "
		    "issue to revive it");
	sources_release(&s);
	evidence_release(&ev);
	buf_release(&error);
	return v->why.len == 0;
}

/* ---- one run ------------------------------------------------------------- */

/* Complete and error are ends, too; a hand-off is that of a sweep. */
static bool
revival_open_ended(struct revival *v)
{
	const struct status *r = &v->record;

	if (handoff_open(&r->handoff)) {
		buf_adds(&v->why, "it is complete; 'paneward sweep' hands it "
		    "off");
	} else if (state_reported(r->verdict.state)) {
		v->over = true;
		buf_printf(&v->why, "its run is over: %s",
		    state_name(r->verdict.state));
	}
	return v->why.len == 0;
}

/* Can the agent be told that? */
static bool
revival_prompted(struct revival *v)
{
	if (v->prompt == NULL)
		return true;
	if (v->resume.backend->resume_prompt[0] == NULL)
		buf_printf(&v->why, "backend '%s' takes no prompt when it "
		    "resumes a session", v->resume.backend->name);
	return v->why.len == 0 && newpane_prompt(v->prompt, v->issue,
	    v->record.marker, &v->why);
}

bool
revival_plan(struct revival *v)
{
	enum pane_life life;
	struct server_pane own;
	int found;

	revival_release(v);
	v->over = false;
	v->dead[0] = '\0';
	found = status_read(&v->record, v->context->dir.state_fd, v->issue);
	if (found == -1)
		buf_printf(&v->why, "its record cannot be read: %s",
		    strerror(errno));
	else if (found == 0)
		buf_adds(&v->why, "it has no run");
	return found == 1 && revival_open_ended(v) &&
	    revival_lost(v, &life, &own) &&
	    revival_unreported(v, life, own.pane) &&
	    resume_find(&v->resume, v->backends, &v->record,
	    &v->context->dir, &v->why) && revival_prompted(v);
}

/* ---- reviving ------------------------------------------------------------ */

/* What is known of the lost agent: its end, and what its hooks reported. */
static void
revival_set_aside(const struct revival *v, bool back)
{
	static const char *const kinds[] = { "agent", "records" };
	char name[ISSUE_FILE], old[ISSUE_FILE + 4];
	int dir = v->context->dir.state_fd;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		issue_file(name, v->issue, kinds[i]);
		snprintf(old, sizeof(old), "%s.old", name);
		renameat(dir, back ? old : name, dir, back ? name : old);
	}
}

/* What it draws again is none of its reports. */
static void
revival_begin_record(struct revival *v)
{
	struct status *r = &v->record;

	pane_ref_release(&r->place);
	r->place = (struct pane_ref){ 0 };
	r->verdict = (struct verdict){ .state = STATE_WORKING };
	verdict_set_source(&r->verdict, "process");
	verdict_why(&r->verdict, "the agent was revived");
	r->since = clock_wall();
	parked_take(r, STATE_WORKING, 0, false, r->since);
	r->changes++;
	r->adopted = false;
	r->agent.pid = 0;
	r->agent.start = 0;
	r->ended = false;
	r->exit_code = r->exit_signal = -1;
	r->notice = NOTICE_NONE;
	r->transcript.said = true;
	r->transcript.past = r->since;
	r->ignored_capture.complete = r->ignored_capture.error = UINT32_MAX;
	r->ignored_events = (struct marker_ignored){ 0 };
	r->events = 0;
	proc_boot(r->boot);
}

/* The session is new, or has other panes, where a window is opened.  *id is
 * that of the session that is there, or "". */
static void
revival_find_room(const struct revival *v, const char *socket,
    const char *name, char id[TMUX_ID])
{
	const struct tmux_server *s = servers_at(&v->servers, socket);
	const struct tmux_pane *p;

	id[0] = '\0';
	if (s == NULL)
		return;
	for (p = s->listing.panes; p < s->listing.panes + s->listing.npanes;
	    p++)
		if (strcmp(p->session_name, name) == 0 &&
		    strcmp(p->id, v->dead) != 0)
			memcpy(id, p->session, TMUX_ID);
}

static enum tmux_result
revival_open(struct revival *v, const char *socket)
{
	struct status *r = &v->record;
	char *name = r->session_name != NULL ? xstrdup(r->session_name) :
	    newpane_session(v->context, v->issue);
	char id[TMUX_ID];
	enum tmux_result result;

	revival_find_room(v, socket, name, id);
	result = newpane_open(&(struct newpane){ .self = v->self,
	    .context = v->context, .socket = socket,
	    .session = id[0] != '\0' ? id : name, .window = id[0] != '\0',
	    .dead = v->dead[0] != '\0' ? v->dead : NULL,
	    .cwd = v->resume.launch.cwd }, r, &v->why);
	free(name);
	return result;
}

/* The issue is locked.  True if its agent runs; else all is as before. */
static bool
revival_begin(struct revival *v)
{
	const struct statusdir *dir = &v->context->dir;
	char *socket = v->record.place.socket != NULL ?
	    xstrdup(v->record.place.socket) : tmux_socket();
	struct status old;
	bool done;

	status_read(&old, dir->state_fd, v->issue);
	/* The session may be known by the reports that are set aside. */
	if (resume_write(&v->resume, dir->state_fd, v->issue, v->prompt) == -1 ||
	    status_write(&v->record, dir->state_fd) == -1) {
		buf_printf(&v->why, "cannot write to '%s': %s", dir->path,
		    strerror(errno));
		done = false;
	} else {
		run_stop_writer(&v->record, dir, NULL);
		revival_set_aside(v, false);
		revival_begin_record(v);
		done = status_write(&v->record, dir->state_fd) == 0 &&
		    revival_open(v, socket) == TMUX_OK;
		if (!done && v->why.len == 0)
			buf_printf(&v->why, "cannot write its record: %s",
			    strerror(errno));
	}
	if (!done) {
		launch_remove(dir->state_fd, v->issue);
		revival_set_aside(v, true);
		status_write(&old, dir->state_fd);
	} else {
		status_write(&v->record, dir->state_fd);
		journal_add(dir->state_fd, dir->path, JOURNAL_RUN, &v->record,
		    "revived");
	}
	status_release(&old);
	free(socket);
	return done;
}

bool
revival_run(struct revival *v)
{
	struct lock lock = LOCK_INIT;
	int locked = lock_await(&lock, v->context->dir.state_fd, v->issue,
	    LOCK_ENDING);
	bool done = false;

	if (locked == 1) {
		done = revival_plan(v) && revival_begin(v);
		lock_release(&lock);
	} else if (locked == 0) {
		buf_printf(&v->why, "process %ld acts on it",
		    (long)lock.holder);
	} else {
		buf_printf(&v->why, "cannot lock it: %s", strerror(errno));
	}
	return done;
}

bool
revival_died(struct revival *v)
{
	int state_fd = v->context->dir.state_fd;
	struct launched l;

	revival_release(v);
	return status_read(&v->record, state_fd, v->issue) == 1 &&
	    launched_read(&l, state_fd, v->issue, v->record.run) == 1 &&
	    l.ended && revival_open_ended(v) &&
	    revival_unreported(v, PANE_DEAD, NULL);
}
