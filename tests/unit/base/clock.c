#include "base/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "tap.h"

static void
is_time(msec wall, const char *want)
{
	char text[CLOCK_TEXT];

	clock_format(text, wall);
	is_text(text, want);
	is_number(clock_parse(text), wall);
}

TEST(times_are_written_and_read_again) {
	is_time(0, "1970-01-01T00:00:00.000Z");
	is_time(1, "1970-01-01T00:00:00.001Z");
	is_time(1769903999999, "2026-01-31T23:59:59.999Z");
	is_time(951782400000, "2000-02-29T00:00:00.000Z");
	is_time(253402300799999, "9999-12-31T23:59:59.999Z");
}

TEST(times_before_1970_are_times) {
	is_time(-1500, "1969-12-31T23:59:58.500Z");
	is_time(-2000, "1969-12-31T23:59:58.000Z");
}

TEST(what_cannot_be_written_does_no_harm) {
	static const msec odd[] = { INT64_MIN, INT64_MAX, 253402300800000 };
	char text[CLOCK_TEXT];
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		clock_format(text, odd[i]);
		is_number(strlen(text), CLOCK_TEXT - 1);
		ok(clock_parse(text) != -1);
	}
}

TEST(the_zone_of_the_user_does_not_matter) {
	setenv("TZ", "America/New_York", 1);
	tzset();
	is_time(1782000000000, "2026-06-21T00:00:00.000Z");
	unsetenv("TZ");
	tzset();
}

TEST(other_forms_in_utc_are_read) {
	is_number(clock_parse("2026-01-31T23:59:59Z"), 1769903999000);
	is_number(clock_parse("2026-01-31T23:59:59.9Z"), 1769903999900);
	is_number(clock_parse("2026-01-31T23:59:59.123456789Z"), 1769903999123);
	is_number(clock_parse("2026-01-31T23:59:59+00:00"), 1769903999000);
}

TEST(what_is_no_time_is_refused) {
	static const char *const bad[] = {
		"", "now", "2026", "2026-01-31", "2026-01-31T23:59:59",
		"2026-01-31T23:59:59+01:00", "2026-01-31 23:59:59Z",
		"2026-01-31T23:59Z", "26-01-31T23:59:59Z",
		"2026-01-31T23:59:59ZZ", " 2026-01-31T23:59:59Z",
		"2026-1-31T23:59:59Z", "-026-01-31T23:59:59Z",
		"2026-01-31T23:59:59.1", "+2026-01-31T23:59:59Z",
		"2026-01-31T23:59:59,5Z",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_number(clock_parse(bad[i]), -1);
}

TEST(days_and_hours_that_do_not_exist_are_refused) {
	static const char *const bad[] = {
		"2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z",
		"2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
		"2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z",
		"2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
		"2026-99-99T99:99:99Z",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_number(clock_parse(bad[i]), -1);
}

TEST(a_deadline_becomes_a_time_to_wait) {
	is_number(clock_until(CLOCK_NEVER, 0), -1);
	is_number(clock_until(100, 100), 0);
	is_number(clock_until(99, 100), 0);
	is_number(clock_until(-5, 100), 0);
	is_number(clock_until(101, 100), 1);
	is_number(clock_until(CLOCK_NEVER - 1, 0), INT_MAX);
}

TEST(the_clocks_go_on) {
	msec now = clock_now(), wall = clock_wall();

	ok(clock_now() >= now);
	ok(wall > 1700000000000);
	ok(wall / 1000 - time(NULL) <= 1);
}

TEST(a_local_time_has_its_day_if_that_is_another) {
	const msec noon = 1769860800000;        /* 2026-01-31, in UTC */
	struct buf text = BUF_INIT;

	setenv("TZ", "XYZ-2", 1);
	tzset();
	clock_local(&text, noon, noon + 3600000);
	buf_addc(&text, ' ');
	clock_local(&text, noon, noon + 24 * 3600000);
	buf_addc(&text, ' ');
	clock_ahead(&text, noon, noon - 200 * 1000);
	is_text(buf_str(&text), "14:00 Jan 31 14:00 14:00 (in 3m20s)");
	buf_release(&text);
}
