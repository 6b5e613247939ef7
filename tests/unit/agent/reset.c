#include "agent/signs.h"

#include <stdlib.h>
#include <time.h>

#include "tap.h"

static char text[CLOCK_TEXT];

/* The time that a text names, looked at then. */
static const char *
found(const char *words, const char *now)
{
	msec t = reset_find(words, strlen(words), clock_parse(now));

	if (t == 0)
		return "none";
	clock_format(text, t);
	return text;
}

static void
be_in(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

#define NOON "2026-03-02T12:00:00.000Z"

TEST(seconds_since_1970_are_taken) {
	is_text(found("Claude AI usage limit reached|1764590400", NOON),
	    "2025-12-01T12:00:00.000Z");
	is_text(found("limit reached|176459040", NOON), "none");
	is_text(found("limit reached|17645904000", NOON), "none");
	is_text(found("a | b | c", NOON), "none");
}

TEST(a_date_is_taken) {
	is_text(found("it resets at 2026-12-01T15:00:00Z, sorry", NOON),
	    "2026-12-01T15:00:00.000Z");
	is_text(found("resets 2026-12-01T15:00:00.250Z", NOON),
	    "2026-12-01T15:00:00.250Z");
	is_text(found("resets 2026-13-01T15:00:00Z", NOON), "none");
}

TEST(a_time_of_day_is_the_next_one) {
	be_in("UTC0");
	is_text(found("5-hour limit reached - resets 3pm", NOON),
	    "2026-03-02T15:00:00.000Z");
	is_text(found("resets 3am", NOON), "2026-03-03T03:00:00.000Z");
	is_text(found("resets at 3:30 PM", NOON), "2026-03-02T15:30:00.000Z");
	is_text(found("try again at 15:00", NOON), "2026-03-02T15:00:00.000Z");
	is_text(found("try again at 12:00", NOON), "2026-03-03T12:00:00.000Z");
	is_text(found("resets 12am", NOON), "2026-03-03T00:00:00.000Z");
	is_text(found("resets 12:05pm", NOON), "2026-03-02T12:05:00.000Z");
	is_text(found("resets 12:05pm", "2026-12-31T13:00:00Z"),
	    "2027-01-01T12:05:00.000Z");
}

TEST(the_time_of_day_is_local) {
	be_in("JST-9");
	is_text(found("resets 3am", NOON), "2026-03-02T18:00:00.000Z");
	be_in("EST5EDT,M3.2.0,M11.1.0");
	is_text(found("resets 3pm", NOON), "2026-03-02T20:00:00.000Z");
	is_text(found("resets 3pm", "2026-07-02T12:00:00Z"),
	    "2026-07-02T19:00:00.000Z");
	be_in("UTC0");
}

/* The night in which the clocks go forward has 23 hours. */
TEST(the_next_day_may_have_other_hours) {
	be_in("EST5EDT,M3.2.0,M11.1.0");
	is_text(found("resets 10am", "2026-03-07T16:00:00Z"),
	    "2026-03-08T14:00:00.000Z");
	is_text(found("resets 10am", "2026-10-31T16:00:00Z"),
	    "2026-11-01T15:00:00.000Z");
	be_in("UTC0");
}

TEST(a_span_is_from_now) {
	is_text(found("retrying in 35s", NOON), "2026-03-02T12:00:35.000Z");
	is_text(found("Try again in 2 hours 5 minutes", NOON),
	    "2026-03-02T14:05:00.000Z");
	is_text(found("try again in 1 day, or so", NOON),
	    "2026-03-03T12:00:00.000Z");
	is_text(found("reset after 2h52m39s.", NOON),
	    "2026-03-02T14:52:39.000Z");
	is_text(found("resets in 1 hour and 10 minutes", NOON),
	    "2026-03-02T13:10:00.000Z");
	is_text(found("Retry-After: 120 seconds", NOON),
	    "2026-03-02T12:02:00.000Z");
	is_text(found("retrying in 500ms", NOON), "none");
}

TEST(other_words_name_no_time) {
	static const char *const words[] = {
		"", "API Error: 429", "resets", "resets soon", "resets at",
		"resets in", "resets in a while", "resets at noon",
		"resets 25:00", "resets 13pm", "resets 3:60pm", "resets 3",
		"try again", "try again later", "it was reset", "3pm",
		"resets in 0 minutes", "retry 7/10",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		is_text(found(words[i], NOON), "none");
}

TEST(the_first_time_that_is_named_counts) {
	is_text(found("reset your password; your limit resets 3pm. Resets "
	    "4pm.", NOON), "2026-03-02T15:00:00.000Z");
}

TEST(a_long_text_is_looked_at_as_far_as_it_matters) {
	static char words[1 << 20];

	memset(words, 'x', sizeof(words));
	memcpy(words + sizeof(words) - 12, "resets 3pm\n", 12);
	is_number(reset_find(words, sizeof(words) - 1, clock_parse(NOON)), 0);
	memcpy(words + 100, " resets 3pm ", 12);
	ok(reset_find(words, sizeof(words) - 1, clock_parse(NOON)) != 0);
}

TEST(numbers_without_end_are_none) {
	is_text(found("resets in 99999999999999999999999 hours", NOON),
	    "none");
	is_text(found("resets 99999999999999999999:00", NOON), "none");
	is_text(found("|99999999999999999999", NOON), "none");
}

TEST(what_stands_behind_the_words_can_be_asked_for) {
	msec now = clock_parse(NOON);

	is_number(reset_time(" at 15:00", now), now + 3 * 3600000);
	is_number(reset_time("2h", now), now + 2 * 3600000);
	is_number(reset_time("in", now), 0);
	is_number(reset_time("in ", now), 0);
	is_number(reset_time("", now), 0);
}

BEFORE_TESTS {
	be_in("UTC0");
}
