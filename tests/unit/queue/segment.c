/*
 * tests/system/segment.sh tries it on real servers.  Here a script stands for
 * tmux: it lists what the test has written, and notes each call that sets
 * something.
 */
#include "queue/queue.h"

#include "loops.h"
#include "scratch.h"
#include "unit/fixture.h"

static char *sockets[2];
static struct loop loop;
static struct servers servers;
static struct row rows[4], *all[4];

static void
ask(void *context, struct tmux_server *s, msec now)
{
	(void)context;
	(void)now;
	server_call(s, TMUX_PANES, NULL, 0);
}

/* A server that does that, "pane ID WINDOW MARK COUNTS", "client CONTROL TTY",
 * is asked when it is new, and then for the segment. */
static struct segment *
begin(const char *does)
{
	scratch_write("does", does);
	scratch_write("sets", "");
	scratch_write("calls", "");
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

/* Shows agents in panes, "asking %1 error %2", and does what there is to do; a
 * '-' before a pane is that it is of another server, a '+' that it was seen.  A
 * server that does not answer is not waited for. */
static void
show(struct segment *s, const char *agents)
{
	msec limit = clock_now() + 20000;
	char state[20], pane[20];
	size_t nrows, fds;
	int n;

	for (nrows = 0; sscanf(agents, "%19s %19s%n", state, pane, &n) == 2;
	    agents += n) {
		struct row *r = &rows[nrows];

		*r = (struct row){ .alive = true };
		status_init(&r->status, "42");
		r->status.verdict.state = state_of(state, strlen(state));
		r->status.place.socket = sockets[0];
		r->status.place.server = 42;
		r->status.place.server_start = 1699999999 - (*pane == '-');
		r->seen = *pane == '+' ? SEEN_ONCE : SEEN_NOT;
		snprintf(r->status.place.pane, TMUX_ID, "%s",
		    strchr(pane, '%'));
		row_rate(r);
		all[nrows++] = r;
	}
	segment_set(s, all, nrows);
	while ((loop_next(&loop, &fds) <= clock_now() + 300 || fds > 0) &&
	    clock_now() < limit)
		loop_round(&loop, limit);
}

#define CLEARED "queue -gu PANEWARD_QUEUE|set -wut@1 @paneward_state|"

TEST(what_is_wanted_is_set_unless_it_is_there_and_cleared_at_the_end) {
	static const struct {
		const char *lists, *agents, *sets, *cleared;
	} cases[] = {
		{ "pane %1 @1; pane %2 @2; client 0 /dev/pts/7; client 1",
		    "asking %1",
		    "queue '1 asking'|refresh-client -S -t /dev/pts/7|"
		    "set -wt@1 @paneward_state asking|", "" },
		{ "pane %1 @1 asking '1 asking'", "asking %1", "", CLEARED },
		{ "pane %1 @1 error '3 asking'", "", CLEARED, CLEARED },
		{ "pane %1 @1; pane %2 @1; pane %3 @3",
		    "working %1 error %2 waiting %3",
		    "queue '1 error 1 waiting'|set -wt@1 @paneward_state error|"
		    "set -wt@3 @paneward_state waiting|", "" },
		{ "pane %1 @1", "asking -%1 asking -%2 working %3 error +%4",
		    "queue '2 asking'|", "" },
	};
	struct segment *s;
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		ROW("case %zu", i);
		s = begin(cases[i].lists);
		show(s, cases[i].agents);
		is_text(scratch_text("sets"), cases[i].sets);
		is_text(scratch_text("calls"),
		    cases[i].sets[0] ? "call\ncall\n" : "call\n");
		scratch_write("calls", "");
		show(s, cases[i].agents);
		is_text(scratch_text("calls"), "");
		scratch_write("sets", "");
		end(s);
		is_text(scratch_text("sets"), cases[i].cleared);
	}
}

TEST(only_one_process_sets_anything) {
	struct segment *first = begin("pane %1 @1"), *second;
	struct servers of_second = { .begin = ask, .loop = &loop };

	show(first, "asking %1");
	servers_add(&of_second, sockets[0]);
	second = segment_new(&of_second);
	scratch_write("sets", "");
	show(second, "asking %1");
	segment_free(second);
	servers_release(&of_second);
	is_text(scratch_text("sets"), "");
	end(first);
}

TEST(a_server_that_does_not_answer_is_asked_later) {
	struct segment *s = begin("exec sleep 100");
	msec began = clock_now();

	show(s, "asking %1");
	ok(clock_now() - began >= 1000);
	show(s, "error %1");
	is_text(scratch_text("calls"), "call\n");
	end(s);
	is_text(scratch_text("calls"), "call\n");
}

TEST(a_window_that_has_just_gone_holds_up_nothing) {
	struct segment *s = begin("pane %1 @1");

	scratch_write("gone", "");
	show(s, "asking %1");
	ok(unlink(scratch_path("gone")) == 0);
	scratch_write("sets", "");
	show(s, "error %1");
	is_text(scratch_text("sets"),
	    "queue '1 error'|set -wt@1 @paneward_state error|");
	end(s);
}

BEFORE_TESTS {
	sockets[0] = fake_socket();
	fake_program("tmux", "echo call >>calls\n"
	    "pane() {\nprintf '%s\\n' \"$token v 42 1699999999 3.3a\" "
	    "\"$token p $1 - $2 4711 0 0 0 ,\" \"$token m $3\" "
	    "\"$token q $4\"\n}\nclient() {\nprintf '%s\\n' "
	    "\"$token k @1 %1 1700000000 $1 0 0 ,attached\" "
	    "\"$token y $2\"\n}\n"
	    "if [ $4 = display ]; then token=${6%% *}; . ./does; exit; fi\n"
	    "for a; do\ncase $a in\n"
	    "*-gh*) printf 'queue %s|' \"${a#*QUEUE }\" ;;\n"
	    "-gu) printf 'queue %s ' $a ;;\n"
	    "set\\ * | refresh* | PANEWARD*) printf '%s|' \"$a\" ;;\n"
	    "esac\ndone >>sets\n"
	    "[ ! -e gone ] || { echo 'no such window: @1' >&2; exit 1; }\n");
}
