#include "watcher/server.h"

#include <unistd.h>

#include "os/proc.h"
#include "tap.h"

static struct server *servers;

static void
free_all(void)
{
	struct server *s;

	while ((s = servers) != NULL) {
		servers = s->next;
		server_free(s);
	}
}

static void
a_socket_has_one_server(void)
{
	struct server *s = server_at(&servers, "/a", 5);

	ok(server_at(&servers, "/a", 6) == s);
	ok(server_at(&servers, "/b", 6) != s);
	free_all();
}

static void
a_server_that_has_ended_is_replaced(void)
{
	struct server *s = server_at(&servers, "/a", 5);

	s->ended = true;
	ok(server_at(&servers, "/a", 6) != s);
	free_all();
}

static void
a_server_is_listed_from_time_to_time_and_when_asked(void)
{
	struct server *s = server_at(&servers, "/a", 5);

	is_number(server_deadline(s, 5), 5 + SERVER_LISTING);
	s->asked = true;
	is_number(server_deadline(s, 5), 0);
	free_all();
}

static void
a_process_that_is_not_as_old_is_not_the_server(void)
{
	struct server *s = server_at(&servers, "/a", 5);
	struct proc p;

	ok(proc_read(&p, getpid()) == 0);
	server_identify(s, getpid(), p.began / 1000 - 60);
	is_number(s->pid, 0);
	server_identify(s, getpid(), p.began / 1000);
	is_number(s->pid, getpid());
	is_number(s->proc_start, p.start);
	free_all();
}

int
main(void)
{
	TEST(a_socket_has_one_server);
	TEST(a_server_that_has_ended_is_replaced);
	TEST(a_server_is_listed_from_time_to_time_and_when_asked);
	TEST(a_process_that_is_not_as_old_is_not_the_server);
	return tap_done();
}
