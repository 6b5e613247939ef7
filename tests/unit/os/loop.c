#include "os/loop.h"

#include <poll.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

enum { LONG = 10000 };

/* A wait whose function writes its letter, then drops or adds another wait. */
struct one {
	struct loop_wait wait;
	int   ends[2];
	char  letter;
	struct buf *said;
	struct one *drops, *adds;
	struct loop *to;
};

static void
one_due(void *context, msec now)
{
	struct one *o = context;

	(void)now;
	buf_addc(o->said, o->letter);
	buf_addc(o->said, o->wait.ready & POLLIN ? 'r' : 't');
	o->wait.at = CLOCK_NEVER;
	if (o->drops != NULL)
		loop_drop(&o->drops->wait);
	if (o->adds != NULL)
		loop_add(o->to, &o->adds->wait);
}

static void
one_init(struct one *o, char letter, struct buf *said)
{
	*o = (struct one){ .wait = LOOP_WAIT(-1, one_due, o), .letter = letter,
	    .said = said };
	ok(pipe(o->ends) == 0);
	o->wait.fd = o->ends[0];
}

static void
one_close(struct one *o)
{
	loop_drop(&o->wait);
	close(o->ends[0]);
	close(o->ends[1]);
}

TEST(descriptors_come_before_times_each_in_their_order) {
	struct loop l = LOOP_INIT;
	struct buf said = BUF_INIT;
	struct one one[3];
	int i;

	for (i = 0; i < 3; i++) {
		one_init(&one[i], (char)('a' + i), &said);
		loop_add(&l, &one[i].wait);
	}
	one[0].wait.at = 0;
	ok(write(one[2].ends[1], "x", 1) == 1);
	ok(write(one[1].ends[1], "x", 1) == 1);
	ok(loop_round(&l, clock_now() + LONG) == 0);
	is_text(buf_str(&said), "brcrat");
	/* Unread input is due again. */
	ok(loop_round(&l, clock_now() + LONG) == 0);
	is_text(buf_str(&said), "brcratbrcr");
	loop_release(&l);
	ok(one[0].wait.loop == NULL);
	for (i = 0; i < 3; i++)
		one_close(&one[i]);
	buf_release(&said);
}

TEST(one_that_was_dropped_is_not_called_and_one_that_was_added_waits) {
	struct loop l = LOOP_INIT;
	struct buf said = BUF_INIT;
	struct one one[40];
	int i;

	for (i = 0; i < 40; i++) {
		one_init(&one[i], (char)('0' + i), &said);
		ok(write(one[i].ends[1], "x", 1) == 1);
	}
	loop_add(&l, &one[0].wait);
	loop_add(&l, &one[1].wait);
	one[0].drops = &one[1];
	one[0].to = &l;
	one[0].adds = &one[2];
	ok(loop_round(&l, clock_now() + LONG) == 0);
	is_text(buf_str(&said), "0r");
	one[0].drops = &one[0];
	one[0].adds = NULL;
	ok(loop_round(&l, clock_now() + LONG) == 0);
	is_text(buf_str(&said), "0r0r2r");
	for (i = 0; i < 40; i++)
		loop_add(&l, &one[i].wait);
	buf_reset(&said);
	one[0].drops = NULL;
	ok(loop_round(&l, clock_now() + LONG) == 0);
	ok(said.len == 80);
	for (i = 0; i < 40; i++)
		one_close(&one[i]);
	ok(loop_round(&l, clock_now()) == 0 && said.len == 80);
	loop_release(&l);
	buf_release(&said);
}

TEST(a_descriptor_is_awaited_until_then) {
	int ends[2];

	ok(pipe(ends) == 0);
	ok(!loop_await(ends[0], POLLIN, clock_now()));
	ok(write(ends[1], "x", 1) == 1);
	ok(loop_await(ends[0], POLLIN, clock_now() + LONG));
	ok(!loop_await(-1, POLLIN, clock_now() + 1));
	ok(loop_await_any((int[]){ -1, ends[0] }, 2, CLOCK_NEVER) == 1);
	ok(loop_await_any((int[]){ ends[0], ends[0] }, 2, CLOCK_NEVER) == 0);
	ok(loop_await_any((int[]){ -1, -1 }, 2, clock_now() + 1) == -1);
	close(ends[0]);
	close(ends[1]);
}
