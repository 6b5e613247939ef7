#include "run/status.h"

#include <stdlib.h>

#include "tap.h"

enum { MINUTES = 60 * 1000 };

static struct buf said = BUF_INIT;
static const char run[] = "0123abcd-1111-4222-8333-444444444444";

static struct handoff
wanted(void)
{
	struct handoff h = { .last_exit = -1 };

	handoff_want(&h, run);
	return h;
}

static void
forget(struct handoff *h)
{
	free(h->signal);
	free(h->message);
}

static const char *
described(const struct handoff *h)
{
	static struct buf text;

	buf_reset(&text);
	handoff_describe(&text, h, 0);
	return buf_str(&text);
}

TEST(a_completion_is_pending_at_once_with_its_runs_id) {
	struct handoff a = wanted();

	is_number(a.state, HANDOFF_PENDING);
	is_text(a.id, run);
	ok(handoff_open(&a));
	is_number(handoff_wait(&a, 12345), 0);
	is_text(described(&a), "hand-off pending");
}

TEST(an_attempt_runs_under_the_same_id_and_the_next_number) {
	struct handoff h = wanted();
	char id[RUN_ID_LEN + 1];

	memcpy(id, h.id, sizeof(id));
	handoff_begin(&h, 1000);
	is_number(h.state, HANDOFF_RUNNING);
	is_number(h.attempts, 1);
	is_number(h.begun, 1000);
	ok(handoff_open(&h));
	handoff_begin(&h, 2000);
	is_number(h.attempts, 2);
	is_text(h.id, id);
	is_text(described(&h), "hand-off running, attempt 2");
}

TEST(success_and_refusal_are_final) {
	struct handoff h = wanted();

	handoff_begin(&h, 0);
	handoff_end(&h, 0, 5, 1000);
	is_number(h.state, HANDOFF_DONE);
	is_number(h.last_exit, 0);
	ok(!handoff_open(&h));
	is_text(described(&h), "handed off");

	h = wanted();
	handoff_begin(&h, 0);
	handoff_end(&h, HANDOFF_NEVER, 5, 1000);
	is_number(h.state, HANDOFF_REFUSED);
	ok(!handoff_open(&h));
	is_number(h.failures, 0);
	is_text(described(&h), "hand-off refused");
}

TEST(not_yet_is_asked_again_every_minute_and_later_every_ten) {
	struct handoff h = wanted();
	int i;

	for (i = 1; i <= 12; i++) {
		handoff_begin(&h, 0);
		handoff_end(&h, HANDOFF_LATER, 5, 1000);
		is_number(h.state, HANDOFF_PENDING);
		is_number(handoff_wait(&h, 1000), (i <= 10 ? 1 : 10) *
		    MINUTES);
	}
	is_number(h.failures, 0);
	is_number(handoff_wait(&h, 1000 + 10 * MINUTES), 0);
	/* A failure between them begins the count anew. */
	handoff_begin(&h, 0);
	handoff_end(&h, 1, 5, 1000);
	handoff_begin(&h, 0);
	handoff_end(&h, HANDOFF_LATER, 5, 1000);
	is_number(handoff_wait(&h, 1000), MINUTES);
}

TEST(failures_are_retried_with_growing_pauses_and_then_final) {
	static const int pauses[] = { 1, 5, 15, 60 };
	struct handoff h = wanted();
	size_t i;

	for (i = 0; i < 4; i++) {
		handoff_begin(&h, 0);
		handoff_end(&h, 3, 5, 7000);
		is_number(h.state, HANDOFF_PENDING);
		is_number(handoff_wait(&h, 7000), pauses[i] * MINUTES);
	}
	handoff_begin(&h, 0);
	handoff_end(&h, 3, 5, 7000);
	is_number(h.state, HANDOFF_FAILED);
	is_number(h.attempts, 5);
	is_text(described(&h), "hand-off failed for good (exit 3), attempt 5");

	/* More attempts go on at the last pause; one is none. */
	h = wanted();
	for (i = 0; i < 7; i++) {
		handoff_begin(&h, 0);
		handoff_end(&h, 3, 1000, 7000);
	}
	is_number(handoff_wait(&h, 7000), 60 * MINUTES);
	h = wanted();
	handoff_begin(&h, 0);
	handoff_end(&h, 3, 1, 7000);
	is_number(h.state, HANDOFF_FAILED);
}

/* What an attempt by hand leaves of a hand-off that was not open. */
static struct handoff
by_hand(enum handoff_state was, int status)
{
	struct handoff h = { .state = was, .last_exit = -1 };

	handoff_begin(&h, 0);
	ok(handoff_open(&h));
	handoff_end(&h, status, 5, 1000);
	return h;
}

TEST(one_that_is_not_open_stays_so_unless_an_attempt_succeeds) {
	static const enum handoff_state states[] = { HANDOFF_NONE,
	    HANDOFF_DONE, HANDOFF_FAILED, HANDOFF_REFUSED };
	static const int ends[] = { 1, HANDOFF_LATER, HANDOFF_NEVER,
	    HANDOFF_LATE, HANDOFF_LOST };
	struct handoff h;
	size_t i, j;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		for (j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
			h = by_hand(states[i], ends[j]);
			is_number(h.state, states[i]);
			is_number(h.attempts, 1);
			is_number(h.last_exit, ends[j]);
			is_number(h.next, 0);
		}
		is_number(by_hand(states[i], 0).state, HANDOFF_DONE);
	}
	h = by_hand(HANDOFF_DONE, HANDOFF_LATER);
	buf_reset(&said);
	handoff_describe_end(&said, &h);
	is_text(buf_str(&said), "hand-off not yet (exit 75), attempt 1");
}

TEST(an_interrupted_attempt_leaves_what_was_before) {
	struct handoff h = wanted();

	handoff_begin(&h, 0);
	h.pid = 1;
	handoff_interrupt(&h);
	is_number(h.state, HANDOFF_PENDING);
	is_number(h.pid, 0);
	h.state = HANDOFF_REFUSED;
	handoff_begin(&h, 0);
	handoff_interrupt(&h);
	is_number(h.state, HANDOFF_REFUSED);
	is_number(h.attempts, 2);
}

TEST(a_completion_during_an_attempt_by_hand_is_an_open_one) {
	struct handoff h = { .last_exit = -1 };

	handoff_begin(&h, 0);
	h.pid = 1;
	handoff_want(&h, run);
	is_number(h.state, HANDOFF_RUNNING);
	is_number(h.pid, 1);
	handoff_end(&h, HANDOFF_LATER, 5, 0);
	is_number(h.state, HANDOFF_PENDING);
	/* And one behind it goes on with the numbers. */
	h = by_hand(HANDOFF_NONE, 1);
	handoff_want(&h, run);
	handoff_begin(&h, 0);
	is_number(h.attempts, 2);
}

TEST(a_clock_that_was_set_back_is_not_waited_for) {
	struct handoff h = wanted();

	handoff_begin(&h, 0);
	handoff_end(&h, 3, 5, (msec)1000 * 1000 * MINUTES);
	is_number(handoff_wait(&h, 0), 0);
}

TEST(how_it_ended_is_told) {
	static const struct { int status; const char *told; } ends[] = {
		{ 3, "hand-off failed (exit 3)" },
		{ 128 + 9, "hand-off failed (signal 9)" },
		{ HANDOFF_LATE, "hand-off failed (it took too long)" },
		{ HANDOFF_LOST, "hand-off failed (its runner was killed)" },
		{ HANDOFF_LATER, "hand-off not yet (exit 75)" },
	};
	struct handoff h;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		h = wanted();
		handoff_begin(&h, 0);
		handoff_end(&h, ends[i].status, 5, 0);
		h.message = strdup("why not");
		ok(strncmp(described(&h), ends[i].told,
		    strlen(ends[i].told)) == 0);
		ok(strstr(described(&h), ": why not") != NULL);
		ok(strstr(described(&h), "again at 00:01:") != NULL);
		forget(&h);
	}
}

TEST(what_may_not_begin_is_no_attempt) {
	struct handoff h = wanted();

	handoff_withhold(&h, HANDOFF_LATER, 1000);
	is_number(h.state, HANDOFF_PENDING);
	is_number(h.attempts, 0);
	is_number(h.failures, 0);
	ok(handoff_wait(&h, 1000) > 0);
	handoff_withhold(&h, HANDOFF_NEVER, 2000);
	is_number(h.state, HANDOFF_REFUSED);
	is_number(h.attempts, 0);
	ok(!handoff_open(&h));
	forget(&h);
}

TEST(an_attempt_by_hand_that_may_not_begin_changes_no_state) {
	struct handoff h = { .state = HANDOFF_FAILED, .last_exit = 3 };

	handoff_withhold(&h, HANDOFF_NEVER, 1000);
	is_number(h.state, HANDOFF_FAILED);
	is_number(h.last_exit, HANDOFF_NEVER);
}
