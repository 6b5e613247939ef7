#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "scratch.h"
#include "sweep/sweep.h"
#include "watcher/track.h"

static struct sweep w;
static struct visit v;

/* A run that ended, was judged dead, and left nothing unread. */
static void
begin(void)
{
	status_release(&v.record);
	v = (struct visit){ .life = PANE_GONE };
	status_init(&v.record, "7");
	snprintf(v.record.run, sizeof(v.record.run),
	    "0123abcd-1111-4222-8333-444444444444");
	v.record.verdict.state = STATE_DEAD;
	v.record.ended = true;
	v.record.since = w.watch.now;
}

TEST(a_run_that_is_over_is_quiet_until_something_is_new) {
	begin();
	ok(visit_quiet(&w, &v));
	v.record.run[0] = '\0';
	ok(!visit_quiet(&w, &v));
	begin();
	v.signal = true;
	ok(!visit_quiet(&w, &v));
	begin();
	v.record.notice = NOTICE_STATE;
	ok(!visit_quiet(&w, &v));
	begin();
	v.record.reload.since = w.watch.now;
	ok(!visit_quiet(&w, &v));
	begin();
	v.record.handoff.state = HANDOFF_PENDING;
	ok(!visit_quiet(&w, &v));
	begin();
	scratch_write(".paneward/7.records", "{}\n");
	ok(!visit_quiet(&w, &v));
	v.record.events = 3;
	ok(visit_quiet(&w, &v));
	scratch_write("output-7.log", "late\n");
	ok(!visit_quiet(&w, &v));
	unlinkat(w.site->context.dir.fd, "output-7.log", 0);
	unlinkat(w.site->context.dir.state_fd, "7.records", 0);
	/* An old record is removed unless a pane of the issue is there. */
	begin();
	v.record.since = w.watch.now - (msec)31 * 24 * 60 * 60 * 1000;
	ok(!visit_quiet(&w, &v));
	v.past = true;
	ok(visit_quiet(&w, &v));
}

TEST(only_a_client_with_a_transcript_is_searched_for_one) {
	begin();
	v.life = PANE_LIVES;
	v.record.ended = false;
	v.record.verdict.state = STATE_WAITING;
	v.record.agent.session = xstrdup("s-1");
	v.record.backend = xstrdup("mute");
	ok(visit_quiet(&w, &v));
	memcpy(v.record.backend, "pens", 4);
	ok(!visit_quiet(&w, &v));
}

BEFORE_TESTS {
	scratch_home();
	scratch_write("paneward/backends/pens.json",
	    "{\"command\": \"w\", \"transcript\": {}}");
	scratch_write("paneward/backends/mute.json",
	    "{\"command\": \"w\"}");
	w.watch.policy = &policies[POLICY_SWEEP];
	w.watch.most = 1;
	w.site = site_new(&w.watch, &w.watch.sites);
	w.watch.now = clock_wall();
	mkdirat(scratch_fd, ".paneward", 0700);
	w.site->context.dir.fd = scratch_fd;
	w.site->context.dir.owner = geteuid();
	w.site->context.dir.state_fd = openat(scratch_fd, ".paneward",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

AFTER_TESTS {
	status_release(&v.record);
	close(w.site->context.dir.state_fd);
}
