#include "agent/signs.h"

#include <stdlib.h>
#include <time.h>

#include "tap.h"

#define NOON "2026-03-02T12:00:00.000Z"

static void
be_in(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

/* Rows are "WORDS => TIME", read in a zone at that time. */
static void
find(const char *zone, const char *now, const char *const *row)
{
	char got[CLOCK_TEXT];
	const char *arrow;
	msec t;

	be_in(zone);
	for (; *row != NULL; row++) {
		ROW("%s, in %s", *row, zone);
		arrow = strstr(*row, " => ");
		t = reset_find(*row, (size_t)(arrow - *row), clock_parse(now));
		clock_format(got, t);
		is_text(t != 0 ? got : "none", arrow + 4);
	}
	be_in("UTC0");
}

#define FIND(zone, now, ...) \
	find((zone), (now), (const char *const[]){ __VA_ARGS__, NULL })
#define ON_2(time) " => 2026-03-02T" time ".000Z"
#define ON_3(time) " => 2026-03-03T" time ".000Z"

TEST(a_date_a_time_of_day_or_a_span_is_taken) {
	FIND("UTC0", NOON, "Claude AI usage limit reached|1764590400"
	    " => 2025-12-01T12:00:00.000Z", "limit reached|176459040 => none",
	    "limit reached|17645904000 => none", "a | b | c => none",
	    "it resets at 2026-12-01T15:00:00Z, sorry"
	    " => 2026-12-01T15:00:00.000Z",
	    "resets 2026-12-01T15:00:00.250Z => 2026-12-01T15:00:00.250Z",
	    "resets 2026-13-01T15:00:00Z => none");
	FIND("UTC0", NOON, "5-hour limit reached - resets 3pm" ON_2("15:00:00"),
	    "resets 3am" ON_3("03:00:00"), "resets at 3:30 PM" ON_2("15:30:00"),
	    "try again at 15:00" ON_2("15:00:00"),
	    "try again at 12:00" ON_3("12:00:00"),
	    "resets 12am" ON_3("00:00:00"), "resets 12:05pm" ON_2("12:05:00"));
	FIND("UTC0", "2026-12-31T13:00:00Z",
	    "resets 12:05pm => 2027-01-01T12:05:00.000Z");
	/* It is local. */
	FIND("JST-9", NOON, "resets 3am" ON_2("18:00:00"));
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
	FIND(NEW_YORK, NOON, "resets 3pm" ON_2("20:00:00"));
	FIND(NEW_YORK, "2026-07-02T12:00:00Z",
	    "resets 3pm => 2026-07-02T19:00:00.000Z");
	/* The night in which the clocks go forward has 23 hours. */
	FIND(NEW_YORK, "2026-03-07T16:00:00Z",
	    "resets 10am => 2026-03-08T14:00:00.000Z");
	FIND(NEW_YORK, "2026-10-31T16:00:00Z",
	    "resets 10am => 2026-11-01T15:00:00.000Z");
	FIND("UTC0", NOON, "retrying in 35s" ON_2("12:00:35"),
	    "Try again in 2 hours 5 minutes" ON_2("14:05:00"),
	    "try again in 1 day, or so" ON_3("12:00:00"),
	    "reset after 2h52m39s." ON_2("14:52:39"),
	    "resets in 1 hour and 10 minutes" ON_2("13:10:00"),
	    "Retry-After: 120 seconds" ON_2("12:02:00"),
	    "retrying in 500ms => none",
	    /* The first time that is named counts. */
	    "reset your password; your limit resets 3pm. Resets 4pm."
	    ON_2("15:00:00"));
	FIND("UTC0", NOON, " => none", "API Error: 429 => none",
	    "resets => none", "resets soon => none", "resets at => none",
	    "resets in => none", "resets in a while => none",
	    "resets at noon => none", "resets 25:00 => none",
	    "resets 13pm => none", "resets 3:60pm => none",
	    "resets 3 => none", "try again => none",
	    "try again later => none", "it was reset => none", "3pm => none",
	    "resets in 0 minutes => none", "retry 7/10 => none",
	    "resets in 99999999999999999999999 hours => none",
	    "resets 99999999999999999999:00 => none",
	    "|99999999999999999999 => none");
}

TEST(a_long_text_is_looked_at_as_far_as_it_matters) {
	static char words[1 << 20];

	memset(words, 'x', sizeof(words));
	memcpy(words + sizeof(words) - 12, "resets 3pm\n", 12);
	is_number(reset_find(words, sizeof(words) - 1, clock_parse(NOON)), 0);
	memcpy(words + 100, " resets 3pm ", 12);
	ok(reset_find(words, sizeof(words) - 1, clock_parse(NOON)) != 0);
}

BEFORE_TESTS {
	be_in("UTC0");
}
