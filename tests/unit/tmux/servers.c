#include "tmux/servers.h"

#include "faketmux.h"

/* A server that waits for the file "go", if it is /nowhere/one. */
#define SLOW "while [ \"$3\" = /nowhere/one ] && ! [ -e go ]; do " \
	"sleep 0.02; done; "
#define ANSWER FOUND_TOKEN PANE("%1")

static struct servers s;
static unsigned begins, answers;

/* Servers at these sockets, of which the second may be NULL, and what tmux does
 * there.  A limit of 0 is the usual one. */
static void
ask(const char *one, const char *two, const char *does, msec limit)
{
	servers_release(&s);
	s = (struct servers){ .limit = limit };
	servers_add(&s, one);
	if (two != NULL)
		servers_add(&s, two);
	tmux_does(does);
	scratch_write("calls", "");
}

TEST(a_server_is_asked_once) {
	ask("/nowhere/one", NULL, ANSWER, 0);
	servers_ask(&s, false);
	servers_ask(&s, false);
	is_number(scratch_lines("calls"), 1);
	is_number(s.first->listing.npanes, 1);
}

TEST(a_brief_question_needs_a_socket) {
	ask("/nowhere/one", NULL, ANSWER, 0);
	servers_ask(&s, true);
	is_number(scratch_lines("calls"), 0);
	is_number(s.first->result, TMUX_NO_SERVER);
}

TEST(servers_that_stand_still_cost_the_limit_once) {
	msec began = clock_now();

	ask("/nowhere/one", "/nowhere/two", "exec sleep 30", 100);
	servers_ask(&s, false);
	is_number(s.first->result, TMUX_SILENT);
	is_number(s.first->next->result, TMUX_SILENT);
	ok(clock_now() - began < TMUX_LIMIT);
}

/* tests/system/queue.sh captures more screens than one call carries. */

/* ---- again and again ----------------------------------------------------- */

static void
begin(void *context, struct tmux_server *server, msec now)
{
	(void)context, (void)now;
	begins++;
	server_call(server, TMUX_PANES, NULL, 0);
}

static void
answered(void *context, struct tmux_server *server, msec now)
{
	(void)context, (void)server, (void)now;
	answers++;
}

static void
two(const char *does, msec limit)
{
	ask("/nowhere/one", "/nowhere/two", does, limit);
	s.begin = begin;
	s.answered = answered;
	begins = answers = 0;
	unlink(scratch_path("go"));
}

static void
wait_all(void)
{
	while (servers_wait(&s, CLOCK_NEVER))
		continue;
}

TEST(a_server_is_asked_at_once_and_has_one_call_at_a_time) {
	two(ANSWER, 0);
	servers_due(&s, clock_now());
	wait_all();
	is_number(answers, 2);
	/* The path that answered first shows the pane of both. */
	is_number(s.first->listing.npanes + s.first->next->listing.npanes, 1);
	ok(s.first->shown_by == s.first->next->shown_by);
	ok(s.first->due == CLOCK_NEVER && !s.first->running);
	two(SLOW ANSWER, 0);
	servers_due(&s, clock_now());
	server_at(s.first, 0);
	servers_due(&s, clock_now());
	is_number(begins, 2);
	ok(!servers_wait(&s, clock_now()));
	scratch_write("go", "");
	wait_all();
	is_number(answers, 2);
	servers_due(&s, clock_now());
	is_number(begins, 3);
	wait_all();
}

TEST(a_miss_is_followed_by_ten_seconds_then_by_a_minute) {
	msec now = clock_now();

	two("exec sleep 30", 1);
	servers_due(&s, now);
	wait_all();
	ok(s.first->due >= now + 10000 && s.first->due <= clock_now() + 10000);
	servers_due(&s, now + 9999);
	is_number(begins, 2);
	servers_due(&s, clock_now() + 10000);
	is_number(begins, 4);
	wait_all();
	ok(s.first->due >= now + 60000 && s.first->due <= clock_now() + 60000);
}

TEST(a_process_that_is_not_as_old_is_not_the_server) {
	struct proc p;

	two(ANSWER, 0);
	s.ends = true;
	ok(proc_read(&p, getpid()) == 0);
	server_identify(s.first, getpid(), p.began / 1000 - 60);
	ok(s.first->proc_start == 0 && s.first->end.fd == -1);
	server_identify(s.first, getpid(), p.began / 1000);
	is_number(s.first->proc_start, p.start);
}

BEFORE_TESTS {
	tmux_fake();
}

AFTER_TESTS {
	servers_release(&s);
}
