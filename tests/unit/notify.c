#include "notify.h"

#include "tap.h"

static char program[] = "note";
static char *command[] = { program, NULL }, *none[] = { NULL };

static bool
told(struct status *r, enum state state, char **words, unsigned on, msec wall)
{
	const struct config config = { .notify = words, .notify_on = on };

	r->verdict.state = state;
	return notify_take(r, &config, wall);
}

static void
only_what_is_asked_for_is_told(void)
{
	struct status r;
	unsigned on = 1u << STATE_ERROR | 1u << STATE_GONE;

	status_init(&r, "1");
	ok(told(&r, STATE_ERROR, command, on, 1000));
	is_number(r.notified[STATE_ERROR], 1000);
	ok(told(&r, STATE_GONE, command, on, 1000));
	ok(!told(&r, STATE_COMPLETE, command, on, 1000));
	is_number(r.notified[STATE_COMPLETE], 0);
	ok(!told(&r, STATE_WORKING, command, on, 1000));
}

static void
each_state_is_asked_for_by_itself(void)
{
	struct status r;
	int asked, state;

	for (asked = 0; asked < STATE_COUNT; asked++) {
		status_init(&r, "1");
		for (state = 0; state < STATE_COUNT; state++)
			ok(told(&r, (enum state)state, command, 1u << asked,
			    1000) == (state == asked));
		is_number(r.notified[asked], 1000);
	}
}

static void
without_a_command_nothing_is(void)
{
	struct status r;

	status_init(&r, "1");
	ok(!told(&r, STATE_ERROR, none, ~0u, 1000));
	ok(!told(&r, STATE_ERROR, NULL, ~0u, 1000));
	is_number(r.notified[STATE_ERROR], 0);
}

static void
the_same_state_is_told_once_a_minute(void)
{
	struct status r;

	status_init(&r, "1");
	ok(told(&r, STATE_WAITING, command, ~0u, 1000));
	ok(!told(&r, STATE_WAITING, command, ~0u, 1000 + NOTIFY_AGAIN - 1));
	is_number(r.notified[STATE_WAITING], 1000);
	ok(told(&r, STATE_LIMITED, command, ~0u, 2000));
	ok(told(&r, STATE_WAITING, command, ~0u, 1000 + NOTIFY_AGAIN));
}

static void
a_clock_that_was_set_back_silences_nobody(void)
{
	struct status r;

	status_init(&r, "1");
	ok(told(&r, STATE_DEAD, command, ~0u, 5000000));
	ok(told(&r, STATE_DEAD, command, ~0u, 1000));
	is_number(r.notified[STATE_DEAD], 1000);
}

int
main(void)
{
	TEST(only_what_is_asked_for_is_told);
	TEST(each_state_is_asked_for_by_itself);
	TEST(without_a_command_nothing_is);
	TEST(the_same_state_is_told_once_a_minute);
	TEST(a_clock_that_was_set_back_silences_nobody);
	return tap_done();
}
