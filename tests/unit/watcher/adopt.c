#include "watcher/track.h"

#include "unit/watcher/watched.h"

TEST(a_run_without_a_verdict_on_its_end_stands_without_a_search) {
	watched_begin_held();
	t->record.place.socket = xstrdup("/nowhere");
	is_number(adopt_run(t), 0);
	is_text(t->record.run, RUN);
	ok(w.servers.first == NULL);
}
