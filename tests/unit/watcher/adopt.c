#include "watcher/track.h"

#include "unit/watcher/watched.h"

TEST(a_record_a_signal_and_a_torn_record_are_something_to_follow) {
	watched_begin();
	watched_record(STATE_WORKING, RUN, 1);
	is_number(adopt_nothing(t), 0);
	watched_begin();
	scratch_write("status/signal-complete-7", "");
	is_number(adopt_nothing(t), 0);
	watched_begin();
	scratch_write("status/.paneward/7.json", "{");
	is_number(adopt_nothing(t), 0);
}

TEST(a_run_without_a_verdict_on_its_end_stands_without_a_search) {
	watched_begin_held();
	t->record.place.socket = xstrdup("/nowhere");
	is_number(adopt_run(t), 0);
	is_text(t->record.run, RUN);
	ok(w.servers.first == NULL);
}
