#include "run/status.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

enum { SECONDS = 1000, MINUTES = 60 * SECONDS };

static const msec then = (msec)1800000000 * 1000;

static struct status
limited(void)
{
	struct status s;

	status_init(&s, "42");
	snprintf(s.run, sizeof(s.run), "%s",
	    "0123abcd-1111-4222-8333-444444444444");
	s.verdict.state = STATE_LIMITED;
	return s;
}

static bool
takes(struct status *s, msec reset, msec wall)
{
	s->verdict.state = STATE_LIMITED;
	return parked_take(s, STATE_LIMITED, reset, true, wall);
}

static void
works(struct status *s, msec wall)
{
	s->verdict.state = STATE_WORKING;
	parked_take(s, STATE_WORKING, 0, true, wall);
}

TEST(it_is_due_soon_after_the_limits_end) {
	struct status s = limited();
	msec reset = then + 42 * MINUTES, left;

	ok(takes(&s, reset, then));
	left = parked_wait(&s, then);
	ok(left > 42 * MINUTES && left < 42 * MINUTES + PARKED_SPREAD);
	ok(parked_wait(&s, reset) > 0);
	is_number(parked_wait(&s, reset + PARKED_SPREAD), 0);
	ok(!takes(&s, reset, then + 1));
	ok(!takes(&s, reset + 30 * SECONDS, then + 30 * SECONDS));
	is_number(s.parked.until, reset);
}

TEST(runs_do_not_go_on_in_the_same_moment) {
	struct status a = limited(), b = limited();

	snprintf(b.run, sizeof(b.run), "%s",
	    "99887766-1111-4222-8333-444444444444");
	takes(&a, then + MINUTES, then);
	takes(&b, then + MINUTES, then);
	ok(a.parked.next != b.parked.next);
}

TEST(nothing_is_planned_unless_it_is_wanted) {
	struct status s = limited();

	ok(!parked_take(&s, STATE_LIMITED, then + MINUTES, false, then));
	ok(parked_wait(&s, then + MINUTES) == CLOCK_NEVER);
	takes(&s, then + MINUTES, then);
	ok(parked_take(&s, STATE_LIMITED, then + MINUTES, false, then));
	ok(parked_wait(&s, then + MINUTES) == CLOCK_NEVER);
}

TEST(a_limit_without_an_end_is_asked_with_growing_pauses) {
	struct status s = limited();
	msec now = then;

	takes(&s, 0, now);
	is_number(parked_wait(&s, now), 5 * MINUTES);
	now += 5 * MINUTES;
	is_number(parked_wait(&s, now), 0);
	parked_begin(&s, now);
	is_number(parked_wait(&s, now), 10 * MINUTES);
	now += 10 * MINUTES;
	parked_begin(&s, now);
	is_number(parked_wait(&s, now), 20 * MINUTES);
	now += 20 * MINUTES;
	parked_begin(&s, now);
	ok(parked_wait(&s, now) == CLOCK_NEVER);
	ok(!takes(&s, 0, now + 60 * MINUTES));
	ok(parked_wait(&s, now + 60 * MINUTES) == CLOCK_NEVER);
}

TEST(a_limit_that_has_not_ended_parks_again_by_its_new_end) {
	struct status s = limited();
	msec asked = then + MINUTES + PARKED_SPREAD, reset = asked + MINUTES;

	takes(&s, then + MINUTES, then);
	parked_begin(&s, asked);
	ok(!takes(&s, then + MINUTES, asked + 1));
	works(&s, asked + 2);
	ok(parked_wait(&s, asked + 2) == CLOCK_NEVER);
	takes(&s, reset, asked + 3);
	is_number(s.parked.asks, 1);
	ok(parked_wait(&s, reset) > 0);
	is_number(parked_wait(&s, reset + PARKED_SPREAD), 0);
	parked_begin(&s, reset + PARKED_SPREAD);
	takes(&s, reset + MINUTES + PARKED_SPREAD, reset + 2 * PARKED_SPREAD);
	is_number(s.parked.until, reset + MINUTES + PARKED_SPREAD);
}

TEST(work_ends_an_episode) {
	struct status s = limited();
	int i;

	for (i = 0; i < PARKED_MOST; i++) {
		takes(&s, 0, then + i * MINUTES);
		parked_begin(&s, then + i * MINUTES);
		works(&s, then + i * MINUTES);
	}
	takes(&s, 0, then + 3 * MINUTES);
	ok(parked_wait(&s, then + 60 * MINUTES) == CLOCK_NEVER);
	works(&s, then + 4 * MINUTES);
	takes(&s, 0, then + 30 * MINUTES);
	is_number(s.parked.asks, 0);
	is_number(parked_wait(&s, then + 30 * MINUTES), 5 * MINUTES);
}

TEST(a_clock_that_is_set_back_does_not_park_it_for_ever) {
	struct status s = limited();

	takes(&s, 0, then);
	is_number(parked_wait(&s, then - 60 * MINUTES), 0);
}

TEST(an_end_that_is_years_away_is_none) {
	struct status s = limited();

	takes(&s, then + (msec)400 * 24 * 60 * MINUTES, then);
	is_number(parked_wait(&s, then), 5 * MINUTES);
}

TEST(a_person_is_told_when) {
	struct status s = limited();
	struct buf text = BUF_INIT;

	parked_describe(&text, &s, then);
	is_text(buf_str(&text), "");
	takes(&s, 0, then);
	parked_describe(&text, &s, then + MINUTES);
	ok(strstr(buf_str(&text), "; goes on at ") == buf_str(&text));
	ok(strstr(buf_str(&text), " (in 4m00s), 1 of 3") != NULL);
	buf_release(&text);
}
