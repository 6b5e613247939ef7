#include "watcher/track.h"

#include "unit/watcher/watched.h"

/* tests/system/signals.sh and full.sh record signals, or cannot. */
TEST(a_log_is_recorded_as_far_as_it_is_read_at_a_tick) {
	struct status r;

	watched_begin();
	scratch_write("status/output-7.log", "hello\n");
	watched_hold();
	turn_judge(t);
	is_number(t->at[AT_MARK], WATCHED_NOW + w.tick);
	is_number(t->at[AT_AGAIN], CLOCK_NEVER);
	w.now += w.tick;
	turn_judge(t);
	is_number(t->at[AT_MARK], CLOCK_NEVER);
	is_number(status_read(&r, t->dir->state_fd, "7"), 1);
	is_number(r.log.read, 6);
	status_release(&r);
	/* What cannot be read is tried again then. */
	watched_begin_held();
	scratch_folder("status/output-7.log");
	turn_judge(t);
	is_number(t->at[AT_AGAIN], WATCHED_NOW + w.tick);
}

TEST(a_runner_that_has_ended_leaves_its_record) {
	watched_begin_held();
	t->record.verdict.state = STATE_COMPLETE;
	t->record.handoff.state = HANDOFF_PENDING;
	watched_record(STATE_COMPLETE, RUN, 3);
	turn_handed(t);
	ok(t->due.marked && t->record.changes == 3);
	is_number(t->record.handoff.state, HANDOFF_NONE);
	is_number(t->at[AT_HANDOFF], WATCHED_NOW + TRACK_RETRY);
}
