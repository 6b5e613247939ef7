/*
 * A script named tmux stands first in PATH and answers for the server whose
 * socket it is given.
 */
#include "tmux/servers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

#define FOUND_TOKEN "token=; last=; for word; do " \
	"[ \"$last\" != -F ] || : \"${token:=${word%% *}}\"; last=$word; " \
	"done; "
#define PANE(id) "echo \"$token p " id " \\$1 @2 4711 0 1 1700000000 42 " \
	"1699999999 3.3a ,\"; "

static void
set_up(void)
{
	char *path = xasprintf("%s/bin:%s", scratch, getenv("PATH"));
	char *script = xasprintf("#!/bin/sh\necho call >>%s/calls\n. %s/does\n",
	    scratch, scratch);

	scratch_write("bin/tmux", script);
	ok(chmod(scratch_path("bin/tmux"), 0700) == 0);
	setenv("PATH", path, 1);
	setenv("TMUX_TMPDIR", scratch, 1);
	setenv("TMUX", "/of/TMUX,1,0", 1);
	free(script);
	free(path);
}

static size_t
calls(void)
{
	const char *text = scratch_text("calls");

	return text != NULL ? strlen(text) / strlen("call\n") : 0;
}

static void
a_server_behind_two_sockets_is_shown_once(void)
{
	struct servers s = SERVERS_INIT;

	scratch_write("does", FOUND_TOKEN PANE("%1") PANE("%2"));
	servers_add(&s, "/nowhere/one");
	servers_add(&s, "/nowhere/two");
	servers_add(&s, "/nowhere/one");
	is_number(s.n, 2);
	servers_ask(&s, false);
	is_number(s.server[0].result, TMUX_OK);
	is_number(s.server[0].listing.npanes, 2);
	is_number(s.server[1].result, TMUX_OK);
	is_number(s.server[1].listing.npanes, 0);
	ok(servers_at(&s, "/nowhere/two") == &s.server[0]);
	ok(servers_at(&s, "/nowhere/three") == NULL);
	servers_release(&s);
}

static void
a_server_is_asked_once(void)
{
	struct servers s = SERVERS_INIT;

	scratch_write("calls", "");
	scratch_write("does", FOUND_TOKEN PANE("%1"));
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, false);
	servers_ask(&s, false);
	is_number(calls(), 1);
	servers_ask_again(&s);
	is_number(calls(), 2);
	is_number(s.server[0].listing.npanes, 1);
	servers_release(&s);
}

static void
a_brief_question_needs_a_socket(void)
{
	struct servers s = SERVERS_INIT;

	scratch_write("calls", "");
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, true);
	is_number(calls(), 0);
	is_number(s.server[0].result, TMUX_NO_SERVER);
	is_text(buf_str(&s.server[0].why), "no tmux server at '/nowhere/one'");
	servers_release(&s);
}

/* Binds a socket in the user's tmux folder; its path. */
static const char *
bind_socket(const char *name, int *fd)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char below[64];

	snprintf(below, sizeof(below), "tmux-%ld", (long)getuid());
	scratch_folder(below);
	snprintf(below, sizeof(below), "tmux-%ld/%s", (long)getuid(), name);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", scratch_path(below));
	*fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ok(bind(*fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	return scratch_path(below);
}

static void
a_brief_question_is_not_put_to_an_ended_server(void)
{
	struct servers s = SERVERS_INIT;
	int fd;
	const char *socket = bind_socket("ended", &fd);

	close(fd);
	scratch_write("calls", "");
	servers_add(&s, socket);
	servers_ask(&s, true);
	is_number(calls(), 0);
	is_number(s.server[0].result, TMUX_NO_SERVER);
	servers_release(&s);
}

static void
all_servers_are_those_of_the_folder_too(void)
{
	struct servers s = SERVERS_INIT;
	char *configured[] = { (char[]){ "/nowhere/one" }, NULL };
	int fd;
	const char *socket = bind_socket("other", &fd);

	ok(listen(fd, 8) == 0);
	servers_add_all(&s, configured);
	is_number(s.n, 3);
	ok(servers_at(&s, "/of/TMUX") == &s.server[0]);
	ok(servers_at(&s, "/nowhere/one") == &s.server[1]);
	ok(servers_at(&s, socket) == &s.server[2]);
	servers_add_all(&s, configured);
	is_number(s.n, 3);
	close(fd);
	servers_release(&s);
}

static void
a_server_that_stands_still_costs_the_limit(void)
{
	struct servers s = SERVERS_INIT;
	msec begin = clock_now();

	scratch_write("does", "exec sleep 30");
	s.limit = 100;
	servers_add(&s, "/nowhere/one");
	servers_add(&s, "/nowhere/two");
	servers_ask(&s, false);
	is_number(s.server[0].result, TMUX_SILENT);
	is_number(s.server[1].result, TMUX_SILENT);
	ok(clock_now() - begin < TMUX_LIMIT);
	servers_release(&s);
}

static void
what_tmux_complains_of_is_the_reason(void)
{
	struct servers s = SERVERS_INIT;

	scratch_write("does", "echo 'protocol version mismatch' >&2; exit 1");
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, false);
	is_number(s.server[0].result, TMUX_FAILED);
	is_text(buf_str(&s.server[0].why),
	    "tmux at '/nowhere/one': protocol version mismatch");
	is_number(s.server[0].listing.npanes, 0);
	servers_release(&s);
}

/* One call carries less than 200 wishes. */
static void
screens_of_any_number_of_panes_are_captured(void)
{
	enum { MANY = 450 };
	struct servers s = SERVERS_INIT;
	struct server_pane p;
	size_t i, captured = 0;

	scratch_write("does", FOUND_TOKEN "i=0; while [ $i -lt 450 ]; do "
	    PANE("%$i") "i=$((i + 1)); done; for word; do case $word in "
	    "*capturep*) id=${word#*-t%}; id=${id%%;*}; "
	    "echo \"$token c %$id\"; echo \"screen $id\"; esac; done");
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, false);
	is_number(s.server[0].listing.npanes, MANY);
	p.server = &s.server[0];
	for (i = 0; i < MANY; i++) {
		p.pane = &s.server[0].listing.panes[i];
		servers_want(&s, &p);
	}
	scratch_write("calls", "");
	servers_capture(&s);
	ok(calls() > 2);
	for (i = 0; i < MANY; i++) {
		p.pane = &s.server[0].listing.panes[i];
		captured += servers_captured(&p) != NULL &&
		    strncmp(servers_captured(&p)->text, "screen ", 7) == 0 &&
		    strcmp(servers_captured(&p)->text + 7, p.pane->id + 1) ==
		    0 && servers_seen(&p) != NULL;
	}
	is_number(captured, MANY);
	p.pane = NULL;
	ok(servers_captured(&p) == NULL && servers_seen(&p) == NULL);
	servers_release(&s);
}

int
main(void)
{
	scratch_begin();
	set_up();
	TEST(a_server_behind_two_sockets_is_shown_once);
	TEST(a_server_is_asked_once);
	TEST(a_brief_question_needs_a_socket);
	TEST(a_brief_question_is_not_put_to_an_ended_server);
	TEST(all_servers_are_those_of_the_folder_too);
	TEST(a_server_that_stands_still_costs_the_limit);
	TEST(what_tmux_complains_of_is_the_reason);
	TEST(screens_of_any_number_of_panes_are_captured);
	scratch_end();
	return tap_done();
}
