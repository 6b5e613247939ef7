/*
 * A script named tmux stands first in PATH and answers for the server whose
 * socket it is given.  SLOW is a server that waits for the file "go", if it is
 * /nowhere/one.
 */
#include "tmux/servers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

#define FOUND_TOKEN "token=; last=; for word; do " \
	"[ \"$last\" != -F ] || : \"${token:=${word%% *}}\"; last=$word; " \
	"done; "
#define PANE(id) "echo \"$token v 42 1699999999 3.3a\n" \
	"$token p " id " \\$1 @2 4711 0 1 1700000000 ,\"; "

#define SLOW "while [ \"$3\" = /nowhere/one ] && ! [ -e " \
	"\"${0%/*}/../go\" ]; do sleep 0.02; done; "

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

TEST(a_server_behind_two_sockets_is_shown_once) {
	struct servers s = SERVERS_INIT;

	scratch_write("does", FOUND_TOKEN PANE("%1") PANE("%2"));
	servers_add(&s, "/nowhere/one");
	servers_add(&s, "/nowhere/two");
	servers_add(&s, "/nowhere/one");
	ok(s.first->next->next == NULL);
	servers_ask(&s, false);
	is_number(s.first->result, TMUX_OK);
	is_number(s.first->listing.npanes, 2);
	is_number(s.first->next->result, TMUX_OK);
	is_number(s.first->next->listing.npanes, 0);
	ok(servers_at(&s, "/nowhere/two") == s.first);
	ok(servers_at(&s, "/nowhere/three") == NULL);
	servers_release(&s);
}

TEST(a_server_is_asked_once) {
	struct servers s = SERVERS_INIT;

	scratch_write("calls", "");
	scratch_write("does", FOUND_TOKEN PANE("%1"));
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, false);
	servers_ask(&s, false);
	is_number(calls(), 1);
	servers_ask_again(&s);
	is_number(calls(), 2);
	is_number(s.first->listing.npanes, 1);
	servers_release(&s);
}

TEST(a_brief_question_needs_a_socket) {
	struct servers s = SERVERS_INIT;

	scratch_write("calls", "");
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, true);
	is_number(calls(), 0);
	is_number(s.first->result, TMUX_NO_SERVER);
	is_text(buf_str(&s.first->why), "no tmux server at '/nowhere/one'");
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

TEST(a_brief_question_is_not_put_to_an_ended_server) {
	struct servers s = SERVERS_INIT;
	int fd;
	const char *socket = bind_socket("ended", &fd);

	close(fd);
	scratch_write("calls", "");
	servers_add(&s, socket);
	servers_ask(&s, true);
	is_number(calls(), 0);
	is_number(s.first->result, TMUX_NO_SERVER);
	servers_release(&s);
}

static size_t
count(const struct servers *all)
{
	const struct tmux_server *s;
	size_t n = 0;

	for (s = all->first; s != NULL; s = s->next)
		n++;
	return n;
}

TEST(all_servers_are_those_of_the_folder_too) {
	struct servers s = SERVERS_INIT;
	char *configured[] = { (char[]){ "/nowhere/one" }, NULL };
	int fd;
	const char *socket = bind_socket("other", &fd);

	ok(listen(fd, 8) == 0);
	servers_add_all(&s, configured);
	is_number(count(&s), 3);
	ok(servers_at(&s, "/of/TMUX") == s.first);
	ok(servers_at(&s, "/nowhere/one") == s.first->next);
	ok(servers_at(&s, socket) == s.first->next->next);
	servers_add_all(&s, configured);
	is_number(count(&s), 3);
	close(fd);
	servers_release(&s);
}

TEST(a_server_that_stands_still_costs_the_limit) {
	struct servers s = SERVERS_INIT;
	msec begin = clock_now();

	scratch_write("does", "exec sleep 30");
	s.limit = 100;
	servers_add(&s, "/nowhere/one");
	servers_add(&s, "/nowhere/two");
	servers_ask(&s, false);
	is_number(s.first->result, TMUX_SILENT);
	is_number(s.first->next->result, TMUX_SILENT);
	ok(clock_now() - begin < TMUX_LIMIT);
	servers_release(&s);
}

TEST(what_tmux_complains_of_is_the_reason) {
	struct servers s = SERVERS_INIT;

	scratch_write("does", "echo 'protocol version mismatch' >&2; exit 1");
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, false);
	is_number(s.first->result, TMUX_FAILED);
	is_text(buf_str(&s.first->why),
	    "tmux at '/nowhere/one': protocol version mismatch");
	is_number(s.first->listing.npanes, 0);
	servers_release(&s);
}

/* One call carries less than 200 wishes. */
TEST(screens_of_any_number_of_panes_are_captured) {
	enum { MANY = 450 };
	struct servers s = SERVERS_INIT;
	const struct tmux_capture *c;
	struct server_pane p;
	size_t i, captured = 0;

	scratch_write("does", FOUND_TOKEN "i=0; while [ $i -lt 450 ]; do "
	    PANE("%$i") "i=$((i + 1)); done; for word; do case $word in "
	    "*capturep*) id=${word#*-t%}; id=${id%%;*}; "
	    "echo \"$token c %$id\"; echo \"screen $id\"; esac; done");
	servers_add(&s, "/nowhere/one");
	servers_ask(&s, false);
	is_number(s.first->listing.npanes, MANY);
	p.server = s.first;
	for (i = 0; i < MANY; i++) {
		p.pane = &s.first->listing.panes[i];
		servers_want(&p);
	}
	scratch_write("calls", "");
	servers_capture(&s);
	ok(calls() > 2);
	for (i = 0; i < MANY; i++) {
		p.pane = &s.first->listing.panes[i];
		c = listing_capture(&s.first->captures, p.pane->id);
		captured += c != NULL && strncmp(c->text, "screen ", 7) == 0 &&
		    strcmp(c->text + 7, p.pane->id + 1) == 0 &&
		    listing_pane(&s.first->captures, p.pane->id) != NULL;
	}
	is_number(captured, MANY);
	servers_release(&s);
}

/* ---- again and again ----------------------------------------------------- */

static unsigned begins, answers;

static void
begin(void *context, struct tmux_server *s, msec now)
{
	(void)context;
	(void)now;
	begins++;
	server_call(s, TMUX_PANES, NULL, 0);
}

static void
answered(void *context, struct tmux_server *s, msec now)
{
	(void)context;
	(void)s;
	(void)now;
	answers++;
}

/* Two servers. */
static void
two(struct servers *s, msec limit)
{
	*s = (struct servers){ .begin = begin, .answered = answered,
	    .limit = limit };
	servers_add(s, "/nowhere/one");
	servers_add(s, "/nowhere/two");
	begins = answers = 0;
}

static void
wait_all(struct servers *s)
{
	while (servers_wait(s, CLOCK_NEVER))
		continue;
}

TEST(a_new_server_is_asked_at_once) {
	struct servers s;

	two(&s, 0);
	scratch_write("does", FOUND_TOKEN PANE("%1"));
	servers_due(&s, clock_now());
	wait_all(&s);
	is_number(answers, 2);
	/* The path that answered first shows the pane of both. */
	is_number(s.first->listing.npanes + s.first->next->listing.npanes, 1);
	ok(s.first->shown_by == s.first->next->shown_by);
	ok(s.first->due == CLOCK_NEVER && !s.first->running);
	servers_release(&s);
}

TEST(a_server_has_one_call_at_a_time) {
	struct servers s;

	two(&s, 0);
	scratch_write("does", SLOW FOUND_TOKEN PANE("%1"));
	servers_due(&s, clock_now());
	server_at(s.first, 0);
	servers_due(&s, clock_now());
	is_number(begins, 2);
	ok(!servers_wait(&s, clock_now()));
	scratch_write("go", "");
	wait_all(&s);
	is_number(answers, 2);
	servers_due(&s, clock_now());
	is_number(begins, 3);
	wait_all(&s);
	servers_release(&s);
	unlink(scratch_path("go"));
}

TEST(one_that_does_not_answer_is_missed_and_delays_no_other) {
	struct servers s;

	two(&s, 0);
	s.first->query.limit = 1;
	scratch_write("does", SLOW FOUND_TOKEN PANE("%1"));
	servers_due(&s, clock_now());
	wait_all(&s);
	is_number(s.first->misses, 1);
	is_number(s.first->result, TMUX_SILENT);
	is_number(s.first->next->misses, 0);
	is_number(s.first->next->listing.npanes, 1);
	servers_release(&s);
}

TEST(a_miss_is_followed_by_ten_seconds_then_by_a_minute) {
	struct servers s;
	msec now;

	two(&s, 1);
	scratch_write("does", "exec sleep 30");
	servers_due(&s, now = clock_now());
	wait_all(&s);
	ok(s.first->due >= now + 10000 && s.first->due <= clock_now() + 10000);
	servers_due(&s, now + 9999);
	is_number(begins, 2);
	servers_due(&s, clock_now() + 10000);
	is_number(begins, 4);
	wait_all(&s);
	ok(s.first->due >= now + 60000 && s.first->due <= clock_now() + 60000);
	servers_release(&s);
}

static void
ended(void *context, struct tmux_server *s, msec now)
{
	(void)s;
	(void)now;
	++*(unsigned *)context;
}

TEST(what_it_answers_after_its_end_is_outdated) {
	struct servers s;
	unsigned ends = 0;

	two(&s, 0);
	s.ended = ended;
	s.context = &ends;
	scratch_write("does", SLOW FOUND_TOKEN PANE("%1"));
	servers_due(&s, clock_now());
	server_ended(s.first, clock_now());
	wait_all(&s);
	is_number(ends, 1);
	is_number(answers, 1);
	is_number(s.first->result, TMUX_NO_SERVER);
	ok(s.first->due == CLOCK_NEVER);
	servers_release(&s);
}

TEST(a_process_that_is_not_as_old_is_not_the_server) {
	struct servers s;
	struct proc p;

	two(&s, 0);
	s.ended = ended;
	ok(proc_read(&p, getpid()) == 0);
	server_identify(s.first, getpid(), p.began / 1000 - 60);
	ok(s.first->proc_start == 0 && s.first->end.fd == -1);
	server_identify(s.first, getpid(), p.began / 1000);
	is_number(s.first->proc_start, p.start);
	servers_release(&s);
}

/* A server that lives, but listens on its socket no more, is silent. */
TEST(a_server_whose_socket_is_lost_has_not_ended) {
	struct servers s;
	unsigned ends = 0;
	struct proc p;

	two(&s, 0);
	s.ended = ended;
	s.context = &ends;
	ok(proc_read(&p, getpid()) == 0);
	server_identify(s.first, getpid(), p.began / 1000);
	scratch_write("does", "echo 'no server running on x' >&2; exit 1");
	servers_due(&s, clock_now());
	wait_all(&s);
	is_number(s.first->result, TMUX_SILENT);
	ok(strstr(buf_str(&s.first->why), "(kill -USR1 ") != NULL);
	is_number(s.first->next->result, TMUX_NO_SERVER);
	is_number(ends, 1);
	servers_release(&s);
}

static void
call_without_descriptors(void)
{
	struct tmux_wish wish = { .pane = "%1", .want = TMUX_CAPTURE };
	struct rlimit limit = { 3, 3 };
	struct servers s;

	two(&s, 0);
	ok(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	ok(server_call(s.first, TMUX_WISHES, &wish, 1) == -1);
	is_number(s.first->misses, 1);
	ok(strstr(buf_str(&s.first->why), "cannot run tmux: ") != NULL);
	servers_release(&s);
}

TEST(a_call_that_cannot_begin_says_why) {
	scratch_apart(call_without_descriptors);
}

BEFORE_TESTS {
	set_up();
}
