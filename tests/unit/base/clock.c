#include "base/clock.h"

#include <limits.h>
#include <time.h>

#include "unit/children.h"
#include "unit/fixture.h"

static bool
is_time(const char *text)
{
	return clock_parse(text) != -1;
}

static const char *
written(const char *wall)
{
	static char text[CLOCK_TEXT];

	clock_format(text, strtoll(wall, NULL, 10));
	ok(is_time(text));
	return text;
}

static const char *
written_again(const char *time)
{
	static char text[CLOCK_TEXT];

	clock_format(text, clock_parse(time));
	return text;
}

/* The zone of the user does not matter. */
TEST(times_are_written_and_read_again) {
	setenv("TZ", "America/New_York", 1);
	tzset();
	ROWS(written, "0 => 1970-01-01T00:00:00.000Z",
	    "1 => 1970-01-01T00:00:00.001Z",
	    "951782400000 => 2000-02-29T00:00:00.000Z",
	    "1782000000000 => 2026-06-21T00:00:00.000Z",
	    "253402300799999 => 9999-12-31T23:59:59.999Z",
	    "-1500 => 1969-12-31T23:59:58.500Z",
	    "-2000 => 1969-12-31T23:59:58.000Z");
	ROWS(written_again,
	    "2026-01-31T23:59:59Z => 2026-01-31T23:59:59.000Z",
	    "2026-01-31T23:59:59.9Z => 2026-01-31T23:59:59.900Z",
	    "2026-01-31T23:59:59.123456789Z => 2026-01-31T23:59:59.123Z",
	    "2026-01-31T23:59:59+00:00 => 2026-01-31T23:59:59.000Z",
	    "1969-12-31T23:59:58.5Z => 1969-12-31T23:59:58.500Z",
	    "2000-02-29T00:00:00.000Z => 2000-02-29T00:00:00.000Z");
	/* No such time can be written. */
	ok(strlen(written("9223372036854775807")) == CLOCK_TEXT - 1);
	ok(strlen(written("-9223372036854775808")) == CLOCK_TEXT - 1);
	ok(strlen(written("253402300800000")) == CLOCK_TEXT - 1);
}

TEST(what_is_no_time_is_refused_and_what_does_not_exist) {
	says(false, is_time, WORDS("", "2026-01-31", "2026-01-31T23:59:59",
	    "2026-01-31T23:59:59+01:00", "2026-01-31 23:59:59Z",
	    "2026-01-31T23:59Z", "2026-01-31T23:59:59ZZ",
	    " 2026-01-31T23:59:59Z", "2026-1-31T23:59:59Z",
	    "-026-01-31T23:59:59Z", "+2026-01-31T23:59:59Z",
	    "2026-01-31T23:59:59.1", "2026-01-31T23:59:59,5Z",
	    "2026-00-01T00:00:00Z",
	    "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z",
	    "2026-01-32T00:00:00Z", "2026-02-30T00:00:00Z",
	    "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
	    "2026-01-01T00:00:61Z", "2026-99-99T99:99:99Z"));
}

TEST(a_deadline_becomes_a_time_to_wait) {
	ok(clock_until(CLOCK_NEVER, 0) == -1 && clock_until(100, 100) == 0);
	ok(clock_until(99, 100) == 0 && clock_until(-5, 100) == 0);
	is_number(clock_until(101, 100), 1);
	is_number(clock_until(CLOCK_NEVER - 1, 0), INT_MAX);
}

TEST(a_local_time_has_its_day_if_that_is_another) {
	const msec noon = 1769860800000;        /* 2026-01-31, in UTC */
	static struct buf text;

	setenv("TZ", "XYZ-2", 1);
	tzset();
	clock_local(&text, noon, noon + 3600000);
	buf_addc(&text, ' ');
	clock_local(&text, noon, noon + 24 * 3600000);
	buf_addc(&text, ' ');
	clock_ahead(&text, noon, noon - 200 * 1000);
	is_text(buf_str(&text), "14:00 Jan 31 14:00 14:00 (in 3m20s)");
}
