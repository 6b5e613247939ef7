#include "watcher/track.h"

#include "unit/watcher/watched.h"

TEST(a_server_that_has_ended_is_asked_nothing_more) {
	struct tmux_server *s;

	watched_begin();
	t->pane.server = s = servers_add(&w.servers, "/nowhere");
	gather_ask(t, TMUX_CAPTURE);
	is_number(s->wait.at, 0);
	server_ended(s, WATCHED_NOW);
	is_number(s->wait.at, CLOCK_NEVER);
	is_number(t->evidence.pane, PANE_GONE);
	gather_ask(t, TMUX_CAPTURE);
	is_number(s->wait.at, CLOCK_NEVER);
}

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
