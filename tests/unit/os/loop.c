#include "os/loop.h"

#include <poll.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

enum { LONG = 10000, MANY = 40 };

/* A wait whose function says its letter, then drops or adds another wait. */
static struct one {
	struct loop_wait wait;
	char  letter;
	struct one *drops, *adds;
} one[MANY];
static struct loop l = LOOP_INIT;
static struct buf said;
static int full, empty;                 /* pipes that are readable, and never */

static void
one_due(void *context, msec now)
{
	struct one *o = context;

	(void)now;
	buf_addc(&said, o->letter);
	buf_addc(&said, o->wait.ready & POLLIN ? 'r' : 't');
	o->wait.at = CLOCK_NEVER;
	if (o->drops != NULL)
		loop_drop(&o->drops->wait);
	if (o->adds != NULL)
		loop_add(&l, &o->adds->wait);
}

/* A round says that. */
static void
says(const char *want)
{
	buf_reset(&said);
	ok(loop_round(&l, clock_now() + LONG) == 0);
	is_text(buf_str(&said), want);
}

/* All wait for this descriptor. */
static void
begin(int fd)
{
	int i;

	for (i = 0; i < MANY; i++)
		one[i] = (struct one){ .letter = (char)('0' + i),
		    .wait = LOOP_WAIT(fd, one_due, &one[i]) };
}

TEST(descriptors_come_before_times_each_in_their_order) {
	int i;

	begin(full);
	for (i = 0; i < 3; i++)
		loop_add(&l, &one[i].wait);
	one[0].wait.fd = empty;
	one[0].wait.at = 0;
	says("1r2r0t");
	says("1r2r");                   /* unread input is due again */
	loop_release(&l);
	ok(one[0].wait.loop == NULL);
}

TEST(one_that_was_dropped_is_not_called_and_one_that_was_added_waits) {
	int i;

	begin(full);
	loop_add(&l, &one[0].wait);
	loop_add(&l, &one[1].wait);
	one[0].drops = &one[1];
	one[0].adds = &one[2];
	says("0r");
	one[0].drops = &one[0];
	one[0].adds = NULL;
	says("0r2r");
	one[0].drops = NULL;
	for (i = 0; i < MANY; i++)
		loop_add(&l, &one[i].wait);
	buf_reset(&said);
	ok(loop_round(&l, clock_now() + LONG) == 0 && said.len == 2 * MANY);
	loop_release(&l);
}

TEST(the_first_descriptor_that_is_ready_is_told) {
	is_number(loop_await_any((int[]){ -1, full }, 2, CLOCK_NEVER), 1);
	is_number(loop_await_any((int[]){ full, full }, 2, CLOCK_NEVER), 0);
	is_number(loop_await_any((int[]){ -1, empty }, 2, clock_now()), -1);
}

BEFORE_TESTS {
	int ends[2];

	ok(pipe(ends) == 0);
	empty = ends[0];
	ok(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	full = ends[0];
}

AFTER_TESTS {
	buf_release(&said);
}
