#include "run/status.h"

#include <stdlib.h>

#include "story.h"
#include "unit/fixture.h"

enum { MINUTE = 60 * 1000 };

static const char run[] = "0123abcd-1111-4222-8333-444444444444";

static struct handoff h;

/* State, attempts/failures, the last exit status, the seconds to wait. */
static const char *
known(void)
{
	static char text[100];

	snprintf(text, sizeof(text), "%s%s %u/%u exit %d wait %lld",
	    handoff_states[h.state], handoff_open(&h) ? " open" : "",
	    h.attempts, h.failures, h.last_exit,
	    (long long)handoff_wait(&h, 1000) / 1000);
	return text;
}

static const char *
described(void)
{
	static struct buf text;

	buf_reset(&text);
	handoff_describe(&text, &h, 0);
	return buf_str(&text);
}

/* Ends an attempt with a status, by five attempts at most or so many. */
static bool
step(const char *s)
{
	char word[16] = "";
	int status = 0, most = 5;

	sscanf(s, "%15s %d %d", word, &status, &most);
	if (*s == '=')
		is_text(known(), s + 2);
	else if (*s == '?')
		is_text(described(), s + 2);
	else if (strcmp(word, "want") == 0)
		handoff_want(&h, run);
	else if (strcmp(word, "begin") == 0)
		handoff_begin(&h, 1000);
	else if (strcmp(word, "end") == 0)
		handoff_end(&h, status, most, 1000);
	else if (strcmp(word, "try") == 0) {
		handoff_begin(&h, 0);
		handoff_end(&h, status, most, 1000);
	} else if (strcmp(word, "withhold") == 0)
		handoff_withhold(&h, status, 1000);
	else if (strcmp(word, "interrupt") == 0)
		handoff_interrupt(&h);
	else if (strcmp(word, "was") == 0)
		while (strcmp(handoff_states[h.state], s + 4) != 0)
			h.state++;
	else
		is_text("no such step", s);
	return true;
}

static void
begin(void)
{
	free(h.message);
	h = (struct handoff){ .state = HANDOFF_NONE, .last_exit = -1 };
}

TEST(a_hand_off_ends_by_success_refusal_or_the_last_failure) {
	static const struct story stories[] = {
	{ "a completion is pending at once", { "want",
	    "= pending open 0/0 exit -1 wait 0", "? hand-off pending" } },
	{ "an attempt has the next number", { "want", "begin",
	    "= running open 1/0 exit -1 wait 0", "begin",
	    "? hand-off running, attempt 2" } },
	{ "not yet: every minute, later every ten", { "want",
	    "try 75", "= pending open 1/0 exit 75 wait 60", "try 75", "try 75",
	    "try 75", "try 75", "try 75", "try 75", "try 75", "try 75",
	    "try 75", "= pending open 10/0 exit 75 wait 60", "try 75",
	    "= pending open 11/0 exit 75 wait 600", "try 1", "try 75",
	    "= pending open 13/1 exit 75 wait 60" } },
	{ "failures have growing pauses", { "want",
	    "try 3", "= pending open 1/1 exit 3 wait 60",
	    "try 3", "= pending open 2/2 exit 3 wait 300",
	    "try 3", "= pending open 3/3 exit 3 wait 900",
	    "try 3", "= pending open 4/4 exit 3 wait 3600",
	    "try 3", "= failed 5/5 exit 3 wait 0",
	    "? hand-off failed for good (exit 3), attempt 5" } },
	{ "more attempts go on at the last pause", { "want",
	    "try 3 9", "try 3 9", "try 3 9", "try 3 9", "try 3 9", "try 3 9",
	    "= pending open 6/6 exit 3 wait 3600" } },
	{ "one attempt is the last", { "want", "try 3 1",
	    "= failed 1/1 exit 3 wait 0" } },
	{ "a killed runner is a failure", { "want", "try 255", "? hand-off "
	    "failed (its runner was killed), attempt 1, again at 00:01" } },
	{ "an interrupted attempt leaves what was before", { "was refused",
	    "begin", "interrupt", "= refused 1/0 exit -1 wait 0", "want",
	    "begin", "interrupt", "= pending open 2/0 exit -1 wait 0" } },
	{ "a completion during an attempt by hand", { "begin",
	    "want", "= running open 1/0 exit -1 wait 0", "end 75",
	    "= pending open 1/0 exit 75 wait 60" } },
	{ "a completion behind an attempt by hand", { "try 1",
	    "want", "begin", "= running open 2/0 exit -1 wait 0", "end 77",
	    "= refused 2/0 exit 77 wait 0" } },
	{ "what may not begin is no attempt", { "want",
	    "withhold 75", "? hand-off not yet (exit 75), attempt 0, again at "
	    "00:00", "= pending open 0/0 exit 75 wait 10",
	    "withhold 77", "= refused 0/0 exit 77 wait 0" } },
	};

	TELL(stories, begin, step);
}

TEST(an_attempt_keeps_the_id_and_its_process_is_forgotten) {
	static const char *const forget[] = { "begin", "interrupt", "try 3" };
	size_t i;

	begin();
	step("want");
	for (i = 0; i < COUNT(forget); i++) {
		ROW("%s", forget[i]);
		h.group.pid = 1;
		step("want");
		step(forget[i]);
		is_number(h.group.pid, 0);
		is_text(h.id, run);
	}
}

TEST(a_clock_that_was_set_back_is_not_waited_for) {
	h = (struct handoff){ .state = HANDOFF_PENDING, .next = 10 * MINUTE };
	is_number(handoff_wait(&h, 10 * MINUTE), 0);
	is_number(handoff_wait(&h, 10 * MINUTE - 1), 1);
	h.next = (msec)1000 * 1000 * MINUTE;
	is_number(handoff_wait(&h, 0), 0);
}

TEST(by_hand_only_success_changes_the_state) {
	static const struct story stories[] = {
	{ "of none", { "try 1", "= none 1/0 exit 1 wait 0", "try 75", "try 77",
	    "= none 3/0 exit 77 wait 0", "try 0", "= done 4/0 exit 0 wait 0",
	    "try 255", "= done 5/0 exit 255 wait 0" } },
	{ "of a failure", { "was failed", "try 124", "try 75",
	    "= failed 2/0 exit 75 wait 0", "withhold 77",
	    "= failed 2/0 exit 77 wait 0" } },
	{ "of a refusal", { "was refused", "try 75",
	    "= refused 1/0 exit 75 wait 0", "try 0" } },
	{ "not yet", { "try 75", "? hand-off not yet (exit 75), attempt 1" } },
	};

	TELL(stories, begin, step);
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
}
