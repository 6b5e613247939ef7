#include "chain/evidence.h"

#include "tap.h"

static struct evidence ev;

/* A hook has told something, and the pane has printed, so long ago. */
static void
begin(msec age)
{
	evidence_release(&ev);
	evidence_init(&ev, "7");
	ev.wall = 10000000;
	ev.hook.there = true;
	ev.hook.time = ev.wall - age;
	ev.silent = age;
}

static void
a_minute_without_output_or_record_is_quiet(void)
{
	begin(59999);
	ok(!evidence_quiet(&ev));
	begin(60000);
	ok(evidence_quiet(&ev));
	ev.silent--;
	ok(!evidence_quiet(&ev));
	begin(60000);
	ev.hook.time++;
	ok(!evidence_quiet(&ev));
}

static void
what_was_just_told_is_pending(void)
{
	begin(EVIDENCE_GRACE - 1);
	ok(evidence_pending(&ev));
	ev.hook.there = false;
	ok(!evidence_pending(&ev));
	begin(EVIDENCE_GRACE);
	ok(!evidence_pending(&ev));
}

static void
a_marker_is_pending_until_it_is_quiet(void)
{
	begin(EVIDENCE_GRACE);
	ev.log.hits.complete = 1;
	ok(evidence_pending(&ev));
	ev.log.ignored.complete = 1;
	ok(!evidence_pending(&ev));
	ev.log.hits.error = 1;
	ok(evidence_pending(&ev));
	begin(EVIDENCE_CONFIRM - 1);
	ev.capture.hits.complete = 1;
	ok(evidence_pending(&ev));
	ev.hook.there = false;
	ok(!evidence_pending(&ev));
	begin(EVIDENCE_CONFIRM);
	ev.capture.hits.complete = 1;
	ok(!evidence_pending(&ev));
	begin(EVIDENCE_GRACE);
	ev.log.hits.complete = 1;
	ev.hook.told = true;          /* it will never count */
	ok(!evidence_pending(&ev));
}

int
main(void)
{
	TEST(a_minute_without_output_or_record_is_quiet);
	TEST(what_was_just_told_is_pending);
	TEST(a_marker_is_pending_until_it_is_quiet);
	evidence_release(&ev);
	return tap_done();
}
