#include "watcher/track.h"

#include "unit/watcher/watched.h"

/* tests/system/watchers.sh has two real ones of an issue, and
 * tests/faults/directory.sh directories that move. */
TEST(an_issue_beyond_the_limit_is_tried_again) {
	watched_begin();
	w.most = 0;
	hold_begin(t);
	ok(t->lock.fd == -1 && t->life.begun && !t->life.finished);
	is_number(t->at[AT_RETRY], WATCHED_NOW + w.tick);
	t->due.marked = false;
	hold_tick(t, false);
	ok(t->due.marked);
	is_number(t->at[AT_RETRY], WATCHED_NOW);
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
