/*
 * tests/system/segment.sh tries it on real servers.  Here a script stands for
 * tmux: it lists what the test has written, and notes each call that sets
 * something.
 */
#include "queue/queue.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "loops.h"
#include "scratch.h"

#define PANE(id, window, mark, queue) "$token v 42 1699999999 3.3a\n" \
	"$token p " id " - " window " 4711 0 0 0 ,\n$token m " mark "\n$token q " \
	queue "\n"
#define CLIENT(control, tty) "$token k @1 %1 1700000000 " control \
	" 0 0 ,attached\n$token y " tty "\n"

static char *sockets[2];

static struct loop loop;
static struct servers servers;

static void
set_up(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char *path = xasprintf("%s/bin:%s", scratch, getenv("PATH"));

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/socket", scratch);
	ok(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	close(fd);
	sockets[0] = xstrdup(at.sun_path);
	scratch_write("bin/tmux", "#!/bin/sh\ncd \"${0%/*}/..\"\n"
	    "echo call >>calls\n"
	    "case $4 in\ndisplay) token=${6%% *}; . ./does ;;\n"
	    "*) printf '%s\\n' \"$@\" >>sets\n"
	    "[ ! -e gone ] || { echo 'no such window: @1' >&2; exit 1; } ;;\n"
	    "esac\n");
	ok(chmod(scratch_path("bin/tmux"), 0700) == 0);
	setenv("PATH", path, 1);
	setenv("TMUX_TMPDIR", scratch, 1);
	free(path);
	path = xasprintf("%s,1,0", sockets[0]);
	setenv("TMUX", path, 1);
	free(path);
}

static void
server_lists(const char *lines)
{
	char *script = xasprintf("printf '%%s' \"%s\"\n", lines);

	scratch_write("does", script);
	scratch_write("sets", "");
	scratch_write("calls", "");
	free(script);
}

static void
ask(void *context, struct tmux_server *s, msec now)
{
	(void)context;
	(void)now;
	server_call(s, TMUX_PANES, NULL, 0);
}

/* Its server is asked when it is new, and then for the segment. */
static struct segment *
begin(void)
{
	servers = (struct servers){ .begin = ask, .limit = 1000,
	    .loop = &loop };
	servers_add(&servers, sockets[0]);
	return segment_new(&servers);
}

static void
end(struct segment *s)
{
	segment_free(s);
	servers_release(&servers);
}

/* Does what there is to do; a server that does not answer is not waited for. */
static void
settle(void)
{
	msec end = clock_now() + 20000;
	size_t fds;

	while ((loop_next(&loop, &fds) <= clock_now() + 300 || fds > 0) &&
	    clock_now() < end)
		loop_round(&loop, end);
}

/* Without memory of its own: it is not released. */
static struct row
row_at(enum state state, const char *pane)
{
	struct row r = { .alive = true };

	status_init(&r.status, "42");
	r.status.verdict.state = state;
	r.status.place.socket = sockets[0];
	r.status.place.server = 42;
	r.status.place.server_start = 1699999999;
	snprintf(r.status.place.pane, TMUX_ID, "%s", pane);
	row_rate(&r);
	return r;
}

static void
show(struct segment *s, struct row *rows, size_t n)
{
	struct row *all[4];
	size_t i;

	for (i = 0; i < n; i++)
		all[i] = &rows[i];
	segment_set(s, all, n);
	settle();
}

static bool
was_set(const char *line)
{
	const char *sets = scratch_text("sets");

	return sets != NULL && strstr(sets, line) != NULL;
}

TEST(counts_are_of_what_needs_a_person) {
	struct row rows[] = { row_at(STATE_ERROR, "%1"),
	    row_at(STATE_ASKING, "%2"), row_at(STATE_WORKING, "%3"),
	    row_at(STATE_ASKING, "%4") };
	struct row *all[] = { &rows[0], &rows[1], &rows[2], &rows[3] };
	struct buf text = BUF_INIT;

	segment_text(&text, all, 4);
	is_text(buf_str(&text), "2 asking 1 error");
	buf_reset(&text);
	rows[0].seen = SEEN_ONCE;
	row_rate(&rows[0]);
	segment_text(&text, all, 1);
	segment_text(&text, all + 2, 1);
	is_text(buf_str(&text), "");
	buf_release(&text);
}

TEST(what_is_wanted_is_set_once) {
	struct row asks = row_at(STATE_ASKING, "%1");
	struct segment *s = begin();

	server_lists(PANE("%1", "@1", "", "") PANE("%2", "@2", "", "")
	    CLIENT("0", "/dev/pts/7") CLIENT("1", ""));
	show(s, &asks, 1);
	ok(was_set("set-environment -gh PANEWARD_QUEUE '1 asking'\n"));
	ok(was_set("set -wt@1 @paneward_state asking\n"));
	ok(was_set("refresh-client -S -t /dev/pts/7\n"));
	ok(!was_set("refresh-client -S -t \n") && !was_set("@2"));
	is_text(scratch_text("calls"), "call\ncall\n");
	show(s, &asks, 1);
	is_text(scratch_text("calls"), "call\ncall\n");
	end(s);
}

TEST(what_is_there_already_is_not_set) {
	struct row asks = row_at(STATE_ASKING, "%1");
	struct segment *s = begin();

	server_lists(PANE("%1", "@1", "asking", "1 asking"));
	show(s, &asks, 1);
	is_text(scratch_text("sets"), "");
	end(s);
}

TEST(what_an_earlier_process_left_is_corrected) {
	struct segment *s = begin();

	server_lists(PANE("%1", "@1", "error", "3 asking"));
	show(s, NULL, 0);
	ok(was_set("-gu\nPANEWARD_QUEUE\n"));
	ok(was_set("set -wut@1 @paneward_state\n"));
	end(s);
}

TEST(a_window_shows_the_worst_of_its_agents) {
	struct row rows[] = { row_at(STATE_WORKING, "%1"),
	    row_at(STATE_ERROR, "%2"), row_at(STATE_WAITING, "%3") };
	struct segment *s = begin();

	server_lists(PANE("%1", "@1", "", "") PANE("%2", "@1", "", "")
	    PANE("%3", "@3", "", ""));
	show(s, rows, 3);
	ok(was_set("set -wt@1 @paneward_state error\n"));
	ok(was_set("set -wt@3 @paneward_state waiting\n"));
	ok(!was_set("working"));
	end(s);
}

TEST(an_agent_of_another_server_marks_nothing) {
	struct row asks = row_at(STATE_ASKING, "%1");
	struct segment *s = begin();

	asks.status.place.server_start--;
	server_lists(PANE("%1", "@1", "", ""));
	show(s, &asks, 1);
	ok(was_set("PANEWARD_QUEUE '1 asking'\n") && !was_set("@1"));
	end(s);
}

TEST(what_is_shown_goes_with_the_segment) {
	struct row asks = row_at(STATE_ASKING, "%1");
	struct segment *s = begin();

	server_lists(PANE("%1", "@1", "asking", "1 asking"));
	show(s, &asks, 1);
	end(s);
	ok(was_set("-gu\nPANEWARD_QUEUE\n"));
	ok(was_set("set -wut@1 @paneward_state\n"));
}

TEST(only_one_process_sets_anything) {
	struct row asks = row_at(STATE_ASKING, "%1");
	struct segment *first = begin(), *second;
	struct servers of_second = { .begin = ask, .loop = &loop };

	server_lists(PANE("%1", "@1", "", ""));
	show(first, &asks, 1);
	servers_add(&of_second, sockets[0]);
	second = segment_new(&of_second);
	scratch_write("sets", "");
	show(second, &asks, 1);
	segment_free(second);
	servers_release(&of_second);
	is_text(scratch_text("sets"), "");
	end(first);
}

TEST(a_server_that_does_not_answer_is_asked_later) {
	struct row asks = row_at(STATE_ASKING, "%1");
	struct segment *s = begin();
	msec began = clock_now();

	server_lists("");
	scratch_write("does", "exec sleep 100\n");
	show(s, &asks, 1);
	ok(clock_now() - began >= 1000);
	asks = row_at(STATE_ERROR, "%1");
	show(s, &asks, 1);
	is_text(scratch_text("calls"), "call\n");
	end(s);
	is_text(scratch_text("calls"), "call\n");
}

TEST(a_window_that_has_just_gone_holds_up_nothing) {
	struct row asks = row_at(STATE_ASKING, "%1");
	struct row fails = row_at(STATE_ERROR, "%1");
	struct segment *s = begin();

	server_lists(PANE("%1", "@1", "", ""));
	scratch_write("gone", "");
	show(s, &asks, 1);
	ok(was_set("PANEWARD_QUEUE '1 asking'\n"));
	ok(unlink(scratch_path("gone")) == 0);
	show(s, &fails, 1);
	ok(was_set("PANEWARD_QUEUE '1 error'\n"));
	end(s);
}

BEFORE_TESTS {
	set_up();
}
