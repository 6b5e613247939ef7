#include "watcher/track.h"

#include "unit/watcher/watched.h"

static const char OTHER[] = "0123abcd-1111-4222-8333-555555555555";

static struct lock other = LOCK_INIT;

/* The lock is held by another descriptor, as if by another process. */
static void
begin_held(void)
{
	watched_begin();
	ok(lock_take(&other, site.context.dir.state_fd, "7") == 1);
	hold_begin(t);
	ok(t->lock.fd == -1 && !t->life.finished && t->due.marked);
}

static void
end_held(void)
{
	lock_release(&other);
	watched_end();
}

TEST(the_record_of_the_lock_holder_is_followed) {
	begin_held();
	watched_record(STATE_WORKING, RUN, 1);
	hold_turn(t);
	is_number(t->shown.state, STATE_WORKING);
	ok(!t->life.finished);
	watched_record(STATE_DEAD, RUN, 2);
	hold_turn(t);
	is_number(t->shown.state, STATE_DEAD);
	ok(t->life.finished);
	is_number(t->life.exit, EXIT_ENDED);
	end_held();
}

TEST(a_run_that_was_over_before_is_not_reported) {
	begin_held();
	watched_record(STATE_DEAD, RUN, 2);
	hold_turn(t);
	is_number(t->shown.state, STATE_NONE);
	ok(!t->life.finished);
	is_number(t->at[AT_RETRY], WATCHED_NOW + TRACK_RETRY);
	watched_record(STATE_WORKING, OTHER, 0);
	hold_turn(t);
	is_number(t->shown.state, STATE_WORKING);
	end_held();
}

TEST(one_round_reports_it_nonetheless) {
	begin_held();
	w.policy = &policies[POLICY_ONCE];
	watched_record(STATE_DEAD, RUN, 2);
	hold_turn(t);
	is_number(t->life.exit, EXIT_ENDED);
	end_held();
}

TEST(one_round_without_an_end_is_undecided) {
	begin_held();
	w.policy = &policies[POLICY_ONCE];
	watched_record(STATE_WORKING, RUN, 2);
	hold_turn(t);
	ok(t->life.finished);
	is_number(t->life.exit, EXIT_TIMEOUT);
	end_held();
}

TEST(the_lock_of_a_holder_that_ends_is_taken) {
	begin_held();
	watched_record(STATE_WORKING, RUN, 1);
	hold_turn(t);
	lock_release(&other);
	/* A place that needs no tmux: of a boot that is over. */
	t->at[AT_RETRY] = w.now;
	{
		struct status r;

		ok(status_read(&r, site.context.dir.state_fd, "7") == 1);
		r.place.socket = xstrdup("/nowhere");
		snprintf(r.boot, sizeof(r.boot), "another boot");
		ok(status_write(&r, site.context.dir.state_fd) == 0);
		status_release(&r);
	}
	hold_turn(t);
	ok(t->lock.fd != -1 && t->due.marked && !t->life.finished);
	is_number(t->evidence.pane, PANE_GONE);
	is_text(t->record.run, RUN);
	end_held();
}

TEST(an_issue_beyond_the_limit_stays_unlocked) {
	watched_begin();
	w.most = 0;
	w.tick = 30000;
	hold_begin(t);
	ok(t->lock.fd == -1 && t->life.begun && !t->life.finished);
	is_number(t->at[AT_RETRY], WATCHED_NOW + 30000);
	watched_end();
}

TEST(a_moved_directory_is_left_to_the_holder_for_a_while) {
	begin_held();
	hold_moved(t);
	is_number(t->followed.patience, WATCHED_NOW + TRACK_PATIENCE);
	end_held();
}

TEST(a_younger_run_in_a_moved_directory_ends_ours) {
	watched_begin();
	watched_hold();
	t->record.started -= 1000;
	watched_record(STATE_WORKING, OTHER, 0);
	hold_moved(t);
	ok(t->life.lost);
	watched_end();
}

TEST(a_record_that_knows_more_in_a_moved_directory_is_taken) {
	watched_begin();
	watched_hold();
	watched_record(STATE_COMPLETE, RUN, 5);
	hold_moved(t);
	ok(!t->life.lost && t->lock.fd != -1 && t->unsaved.record);
	is_number(t->record.changes, 5);
	watched_end();
}

TEST(a_moved_directory_closes_the_log_of_the_old_one) {
	int fd;

	watched_begin();
	scratch_write("status/output-7.log", "hello\n");
	watched_hold();
	hold_turn(t);
	fd = t->sources.log.file.fd;
	ok(fd != -1);
	hold_moved(t);
	is_number(fcntl(fd, F_GETFD), -1);
	watched_end();
}

TEST(the_tick_checks_an_issue_if_it_is_told_to) {
	watched_begin();
	watched_hold();
	t->due.marked = false;
	hold_tick(t, false);
	ok(!t->due.marked);
	hold_tick(t, true);
	ok(t->due.marked && t->due.claims && t->sources.events_due);
	watched_end();
}

TEST(the_tick_tries_the_lock_of_another_process) {
	begin_held();
	t->due.marked = false;
	hold_tick(t, false);
	ok(t->due.marked);
	is_number(t->at[AT_RETRY], WATCHED_NOW);
	end_held();
}

/* When was the lock held for certain? */
static time_t
touched(void)
{
	struct stat st;

	ok(fstat(t->lock.fd, &st) == 0);
	return st.st_mtime;
}

TEST(the_tick_marks_a_lock_as_held_unless_that_of_the_directory_is) {
	static const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };

	watched_begin();
	watched_hold();
	ok(futimens(t->lock.fd, old) == 0);
	site.all.fd = t->lock.fd;
	hold_tick(t, false);
	is_number(touched(), 1000);
	site.all.fd = -1;
	hold_tick(t, false);
	ok(touched() > 1000);
	watched_end();
}
