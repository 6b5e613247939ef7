/*
 * watched.h - a watch of one issue, 7, without tmux: for the tests of what
 * judges and follows it.
 */
#ifndef PANEWARD_WATCHED_H
#define PANEWARD_WATCHED_H

#include "base/alloc.h"
#include "base/exitstatus.h"
#include "os/file.h"
#include "os/proc.h"
#include "scratch.h"
#include "watcher/track.h"

enum { WATCHED_NOW = 1000000 };

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

static struct watch w;
static struct site site;
static struct track *t;

static inline void
watched_end(void)
{
	while ((t = w.tracks) != NULL) {
		w.tracks = t->next;
		track_free(t);
	}
	servers_release(&w.servers);
	loop_release(&w.loop);
	notify_free(w.notify);
	file_close(w.ends.fd);
	statusdir_close(&site.context.dir);
	nftw(scratch_path("status"), scratch_remove, 16,
	    FTW_DEPTH | FTW_PHYS);
}

/* Begins another watch. */
static inline void
watched_begin(void)
{
	struct buf error = BUF_INIT;
	int without_kernel;

	if (w.tracks != NULL)
		watched_end();
	w = (struct watch){ .policy = &policies[POLICY_WATCH],
	    .now = WATCHED_NOW, .most = 1, .tick = 30000 };
	site = (struct site){ .watch = &w, .dir_watch = -1, .state_watch = -1,
	    .all = LOCK_INIT };
	w.sites = &site;
	site.context.project.root = scratch;
	site.context.config.stalled_after = 60;
	ok(statusdir_open(&site.context.dir, xstrdup(scratch_path("status")),
	    true, &error) == 0);
	w.notify = notify_new(&without_kernel);
	w.ends.fd = proc_ends();
	query_open(&w);
	w.tracks = t = track_new(&site, "7");
}

/* The track holds its lock, and its run is at work in a living pane. */
static inline void
watched_hold(void)
{
	ok(lock_take(&t->lock, t->dir->state_fd, t->issue) == 1);
	memcpy(t->record.run, RUN, sizeof(RUN));
	t->record.verdict.state = STATE_WORKING;
	t->record.started = clock_wall();
	t->life.begun = true;
	gather_open(t);
	t->evidence.pane = PANE_LIVES;
}

static inline void
watched_begin_held(void)
{
	watched_begin();
	watched_hold();
}

/* Another process, in whose place this test stands, has recorded that. */
static inline void
watched_record(enum state state, const char *run, uint64_t changes)
{
	struct status r;

	status_init(&r, "7");
	snprintf(r.run, sizeof(r.run), "%s", run);
	r.verdict.state = state;
	r.changes = changes;
	r.started = r.since = clock_wall();
	ok(status_write(&r, site.context.dir.state_fd) == 0);
	status_release(&r);
}

AFTER_TESTS {
	watched_end();
}

#endif
