#include "watcher/track.h"

#include "unit/watcher/watched.h"

static const char OTHER[] = "0123abcd-1111-4222-8333-555555555555";

/* tests/system/watchers.sh has two real ones of an issue. */
TEST(an_issue_that_another_one_holds_is_tried_again) {
	struct lock other = LOCK_INIT;

	watched_begin();
	ok(lock_take(&other, site.context.dir.state_fd, "7") == 1);
	hold_begin(t);
	ok(t->lock.fd == -1 && !t->life.finished && t->due.marked);
	watched_record(STATE_DEAD, RUN, 2);
	hold_turn(t);                   /* it was over before */
	ok(t->shown.state == STATE_NONE && !t->life.finished);
	is_number(t->at[AT_RETRY], WATCHED_NOW + TRACK_RETRY);
	t->due.marked = false;
	hold_tick(t, false);
	ok(t->due.marked);
	is_number(t->at[AT_RETRY], WATCHED_NOW);
	hold_moved(t);                  /* for a while, the holder may move */
	is_number(t->followed.patience, WATCHED_NOW + TRACK_PATIENCE);
	lock_release(&other);
	watched_begin();
	w.most = 0;                     /* it is beyond the limit */
	hold_begin(t);
	ok(t->lock.fd == -1 && t->life.begun && !t->life.finished);
	is_number(t->at[AT_RETRY], WATCHED_NOW + w.tick);
}

TEST(a_moved_directory_may_know_more) {
	int fd;

	watched_begin_held();
	t->record.started -= 1000;
	watched_record(STATE_WORKING, OTHER, 0);
	hold_moved(t);                  /* a younger run ends ours */
	ok(t->life.lost);
	watched_begin();
	scratch_write("status/output-7.log", "hello\n");
	watched_hold();
	hold_turn(t);
	fd = t->sources.log.file.fd;
	ok(fd != -1);
	watched_record(STATE_COMPLETE, RUN, 5);
	hold_moved(t);
	ok(!t->life.lost && t->lock.fd != -1 && t->unsaved.record);
	is_number(t->record.changes, 5);
	is_number(fcntl(fd, F_GETFD), -1);
}

/* When was the lock held for certain? */
static time_t
touched(void)
{
	struct stat st;

	ok(fstat(t->lock.fd, &st) == 0);
	return st.st_mtime;
}

TEST(the_tick_checks_an_issue_if_told_to_and_marks_its_lock_as_held) {
	static const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };

	watched_begin_held();
	t->due.marked = false;
	hold_tick(t, false);
	ok(!t->due.marked);
	hold_tick(t, true);
	ok(t->due.marked && t->due.claims && t->sources.events_due);
	ok(futimens(t->lock.fd, old) == 0);
	site.all.fd = t->lock.fd;       /* unless that of the folder is */
	hold_tick(t, false);
	is_number(touched(), 1000);
	site.all.fd = -1;
	hold_tick(t, false);
	ok(touched() > 1000);
}
