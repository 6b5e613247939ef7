#include "watcher/track.h"

#include <time.h>

#include "unit/watcher/watched.h"

/* The exit status that the state of a held run ends the track with; -1. */
static int
settled(enum state state)
{
	t->life.finished = false;
	t->record.verdict.state = state;
	turn_settle(t);
	if (!t->life.finished)
		return -1;
	ok(t->lock.fd == -1);
	ok(lock_take(&t->lock, t->dir->state_fd, t->issue) == 1);
	return t->life.exit;
}

TEST(what_has_ended_ends_the_watch_and_what_asks_for_it) {
	watched_begin();
	watched_hold();
	is_number(settled(STATE_WORKING), -1);
	is_number(settled(STATE_WAITING), -1);
	is_number(settled(STATE_ERROR), -1);
	is_number(settled(STATE_DEAD), EXIT_ENDED);
	is_number(settled(STATE_GONE), EXIT_ENDED);
	is_number(settled(STATE_COMPLETE), EXIT_DONE);
	w.exit_on = 1u << STATE_WAITING;
	is_number(settled(STATE_WAITING), EXIT_WAITING);
	watched_end();
}

TEST(an_error_ends_the_watch_once_the_agent_has_ended) {
	watched_begin();
	watched_hold();
	t->record.ended = true;
	is_number(settled(STATE_ERROR), EXIT_NO);
	is_number(settled(STATE_WORKING), EXIT_ENDED);
	watched_end();
}

TEST(an_open_hand_off_is_waited_for_if_a_command_runs_it) {
	char word[] = "true", *command[] = { word, NULL };

	watched_begin();
	watched_hold();
	t->record.handoff.state = HANDOFF_PENDING;
	is_number(settled(STATE_COMPLETE), EXIT_DONE);
	site.context.config.handoff = command;
	is_number(settled(STATE_COMPLETE), -1);
	t->record.handoff.state = HANDOFF_DONE;
	is_number(settled(STATE_COMPLETE), EXIT_DONE);
	t->record.handoff.state = HANDOFF_FAILED;
	is_number(settled(STATE_COMPLETE), EXIT_HANDOFF);
	site.context.config.handoff = NULL;
	watched_end();
}

TEST(a_signal_is_recorded_and_then_removed) {
	struct status r;

	watched_begin();
	watched_hold();
	scratch_write("status/signal-error-7", "no disk");
	turn_judge(t);
	is_number(t->shown.state, STATE_ERROR);
	ok(!scratch_there("status/signal-error-7"));
	is_number(status_read(&r, t->dir->state_fd, "7"), 1);
	is_number(r.verdict.state, STATE_ERROR);
	is_text(r.verdict.message, "no disk");
	is_number(r.changes, 1);
	status_release(&r);
	ok(!t->unsaved.record && !t->unsaved.journal);
	ok(!t->life.finished);
	watched_end();
}

TEST(what_cannot_be_recorded_is_retried_and_its_signal_stays) {
	watched_begin();
	watched_hold();
	scratch_write("status/signal-error-7", "no disk");
	ok(nftw(scratch_path("status/.paneward"), scratch_remove, 16,
	    FTW_DEPTH | FTW_PHYS) == 0);
	turn_judge(t);
	is_number(t->shown.state, STATE_ERROR);
	ok(t->unsaved.record);
	is_number(t->at[AT_RETRY], WATCHED_NOW + TRACK_RETRY);
	ok(scratch_there("status/signal-error-7"));
	turn_judge(t);
	is_number(t->record.changes, 1);
	watched_end();
}

TEST(an_empty_error_file_gets_time_to_be_filled) {
	struct timespec old[2] = { { 0 } };

	watched_begin();
	watched_hold();
	t->record.started -= 10000;
	scratch_write("status/signal-error-7", "");
	turn_judge(t);
	is_number(t->record.verdict.state, STATE_WORKING);
	ok(t->at[AT_AGAIN] > WATCHED_NOW &&
	    t->at[AT_AGAIN] <= WATCHED_NOW + EVIDENCE_FILLING);
	old[0].tv_sec = old[1].tv_sec = time(NULL) - 2;
	ok(utimensat(scratch_fd, "status/signal-error-7", old, 0) == 0);
	turn_judge(t);
	is_number(t->record.verdict.state, STATE_ERROR);
	watched_end();
}

TEST(how_far_the_log_is_read_is_recorded_at_a_tick) {
	struct status r;

	watched_begin();
	w.tick = 30000;
	watched_hold();
	scratch_write("status/output-7.log", "hello\n");
	turn_judge(t);
	is_number(t->at[AT_MARK], WATCHED_NOW + w.tick);
	w.now += w.tick;
	turn_judge(t);
	is_number(t->at[AT_MARK], CLOCK_NEVER);
	is_number(status_read(&r, t->dir->state_fd, "7"), 1);
	is_number(r.log.read, 6);
	status_release(&r);
	watched_end();
}

TEST(what_cannot_be_read_is_tried_again_at_a_tick) {
	watched_begin();
	w.tick = 30000;
	watched_hold();
	turn_judge(t);
	is_number(t->at[AT_AGAIN], CLOCK_NEVER);
	scratch_folder("status/output-7.log");
	turn_judge(t);
	is_number(t->at[AT_AGAIN], WATCHED_NOW + w.tick);
	watched_end();
}

TEST(a_runner_that_has_ended_leaves_its_record) {
	watched_begin();
	watched_hold();
	t->record.verdict.state = STATE_COMPLETE;
	t->record.handoff.state = HANDOFF_PENDING;
	watched_record(STATE_COMPLETE, RUN, 3);
	turn_handed(t);
	ok(t->due.marked);
	is_number(t->record.changes, 3);
	is_number(t->record.handoff.state, HANDOFF_NONE);
	is_number(t->at[AT_HANDOFF], WATCHED_NOW + TRACK_RETRY);
	watched_end();
}
