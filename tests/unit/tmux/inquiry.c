/*
 * A script named tmux stands first in PATH and answers with a pane.  For the
 * first server it waits for the file "go" before, if "waits" is there.
 */
#include "tmux/inquiry.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "scratch.h"

enum { LONG = 60000 };                  /* ms for an answer */

/* What the struct of a user has more. */
struct asked {
	struct inquiry call;
	unsigned asks, answers;
	size_t   panes;                 /* in the last answer */
};

static void
set_up(void)
{
	char *path = xasprintf("%s/bin:%s", scratch, getenv("PATH"));
	char *script = xasprintf("#!/bin/sh\ncd %s\n"
	    "while [ \"$3\" = /nowhere/one ] && [ -e waits ] &&\n"
	    "! [ -e go ]; do sleep 0.02; done\n"
	    "for word; do [ \"$last\" != -F ] || : \"${token:=${word%%%% *}}\"\n"
	    "last=$word; done\n"
	    "echo \"$token p %%1 \\$1 @2 4711 0 1 1700000000 42 1699999999 "
	    "3.3a ,\"\n", scratch);

	scratch_write("bin/tmux", script);
	ok(chmod(scratch_path("bin/tmux"), 0700) == 0);
	setenv("PATH", path, 1);
	free(script);
	free(path);
}

static struct asked *
asked(struct inquiry *call)
{
	return (struct asked *)call;
}

static void
ask(void *context, struct inquiry *call, msec now)
{
	(void)context;
	asked(call)->asks++;
	inquiry_at(call, CLOCK_NEVER);
	inquiry_begun(call, tmux_query_begin(&call->query, call->socket, NULL,
	    0) != -1, now);
}

static void
answered(void *context, struct inquiry *call, msec now)
{
	struct buf why = BUF_INIT;
	struct tmux_listing l;

	(void)context;
	if (tmux_query_answer(&call->query, &l, &why) != TMUX_OK)
		inquiry_missed(call, now);
	asked(call)->answers++;
	asked(call)->panes = l.npanes;
	listing_release(&l);
	buf_release(&why);
}

static void
nothing(struct inquiry *call)
{
	(void)call;
}

/* Two servers. */
static void
two(struct inquiries *q)
{
	*q = (struct inquiries){ .ask = ask, .answered = answered };
	inquiries_add(q, "/nowhere/one", sizeof(struct asked))->query.limit =
	    LONG;
	inquiries_add(q, "/nowhere/two", sizeof(struct asked))->query.limit =
	    LONG;
}

/* When is the first one due? */
static msec
due(const struct inquiries *q)
{
	return clock_sooner(q->all[0]->wait.at, q->all[1]->wait.at);
}

static void
wait_all(struct inquiries *q)
{
	while (inquiries_wait(q, CLOCK_NEVER))
		continue;
}

static void
a_server_is_found_by_its_socket(void)
{
	struct inquiries q;

	two(&q);
	ok(inquiries_find(&q, "/nowhere/two") == q.all[1]);
	ok(inquiries_find(&q, "/nowhere/three") == NULL);
	inquiries_release(&q, nothing);
}

static void
a_new_server_is_asked_at_once(void)
{
	struct inquiries q;
	size_t i;

	two(&q);
	ok(due(&q) <= 1000);
	inquiries_ask(&q, clock_now());
	wait_all(&q);
	for (i = 0; i < q.n; i++) {
		is_number(asked(q.all[i])->answers, 1);
		is_number(asked(q.all[i])->panes, 1);
		ok(!q.all[i]->running);
	}
	ok(due(&q) == CLOCK_NEVER);
	inquiries_release(&q, nothing);
}

static void
a_server_has_one_call_at_a_time(void)
{
	struct inquiries q;

	two(&q);
	scratch_write("waits", "");
	inquiry_at(q.all[1], CLOCK_NEVER);
	inquiries_ask(&q, clock_now());
	inquiry_at(q.all[0], 0);
	inquiries_ask(&q, clock_now());
	is_number(asked(q.all[0])->asks, 1);
	ok(!inquiries_wait(&q, clock_now()));
	scratch_write("go", "");
	wait_all(&q);
	is_number(asked(q.all[0])->answers, 1);
	inquiries_ask(&q, clock_now());
	is_number(asked(q.all[0])->asks, 2);
	wait_all(&q);
	inquiries_release(&q, nothing);
	unlink(scratch_path("waits"));
	unlink(scratch_path("go"));
}

/* A script that never ends stands for a server that is stopped. */
static void
one_that_does_not_answer_is_missed_and_delays_no_other(void)
{
	struct inquiries q;

	two(&q);
	scratch_write("waits", "");
	inquiry_at(q.all[1], CLOCK_NEVER);
	q.all[0]->query.limit = 1;
	inquiries_ask(&q, clock_now());
	inquiry_at(q.all[1], 0);
	inquiries_ask(&q, clock_now());
	wait_all(&q);
	unlink(scratch_path("waits"));
	is_number(q.all[0]->misses, 1);
	is_number(asked(q.all[1])->panes, 1);
	is_number(q.all[1]->misses, 0);
	inquiries_release(&q, nothing);
}

static void
a_miss_is_followed_by_ten_seconds_then_by_a_minute(void)
{
	struct inquiries q;

	two(&q);
	inquiry_at(q.all[1], CLOCK_NEVER);
	inquiry_begun(q.all[0], false, 5000);
	ok(!q.all[0]->running);
	ok(due(&q) == 15000);
	inquiries_ask(&q, 14999);
	is_number(asked(q.all[0])->asks, 0);
	inquiry_missed(q.all[0], 15000);
	ok(due(&q) == 75000);
	inquiry_missed(q.all[0], 75000);
	ok(due(&q) == 135000);
	inquiries_release(&q, nothing);
}

int
main(void)
{
	scratch_begin();
	scratch_folder("bin");
	set_up();
	TEST(a_server_is_found_by_its_socket);
	TEST(a_new_server_is_asked_at_once);
	TEST(a_server_has_one_call_at_a_time);
	TEST(one_that_does_not_answer_is_missed_and_delays_no_other);
	TEST(a_miss_is_followed_by_ten_seconds_then_by_a_minute);
	scratch_end();
	return tap_done();
}
