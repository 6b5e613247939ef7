#include "watcher/query.h"

#include "unit/watcher/watched.h"

static void
a_server_that_has_ended_is_asked_nothing_more(void)
{
	struct server *s;

	watched_begin();
	t->pane.server = s = watch_server(&w, "/nowhere");
	gather_ask(t, TMUX_CAPTURE);
	is_number(server_deadline(s), 0);
	query_ended(&w, s);
	is_number(server_deadline(s), CLOCK_NEVER);
	is_number(t->evidence.pane, PANE_GONE);
	gather_ask(t, TMUX_CAPTURE);
	is_number(server_deadline(s), CLOCK_NEVER);
	watched_end();
}

int
main(void)
{
	scratch_begin();
	TEST(a_server_that_has_ended_is_asked_nothing_more);
	scratch_end();
	return tap_done();
}
