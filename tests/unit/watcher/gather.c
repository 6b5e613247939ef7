#include "watcher/gather.h"

#include "unit/watcher/watched.h"

static void
a_log_that_cannot_be_trusted_is_replaced_by_captures(void)
{
	watched_begin();
	t->evidence.pane = PANE_LIVES;
	t->pipe.state = PIPE_FOREIGN;
	gather_due(t);
	is_number(t->at[AT_UNTRUSTED], WATCHED_NOW + TRACK_UNTRUSTED);
	w.now += 10;
	gather_due(t);
	is_number(t->at[AT_UNTRUSTED], WATCHED_NOW + TRACK_UNTRUSTED);
	t->record.verdict.state = STATE_COMPLETE;
	gather_due(t);
	is_number(t->at[AT_UNTRUSTED], CLOCK_NEVER);
	watched_end();
}

int
main(void)
{
	scratch_begin();
	TEST(a_log_that_cannot_be_trusted_is_replaced_by_captures);
	scratch_end();
	return tap_done();
}
