#include "watcher/track.h"

#include "unit/watcher/watched.h"

TEST(a_server_that_no_track_needs_is_forgotten) {
	struct tmux_server *s;

	watched_begin();
	t->pane.server = s = servers_add(&w.servers, "/nowhere");
	servers_add(&w.servers, "/other");
	query_forget(&w);
	ok(w.servers.first->next != NULL);      /* it was not asked yet */
	server_at(s, CLOCK_NEVER);
	server_at(s->next, CLOCK_NEVER);
	query_forget(&w);
	ok(w.servers.first == s && s->next == NULL);
}
