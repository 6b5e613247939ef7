#include "base/since.h"

#include <stdlib.h>
#include <time.h>

#include "tap.h"

static const msec NOW = 1769860800000;          /* 2026-01-31T12:00:00Z */

/* How long before the text's time is, in seconds; -1: it is none. */
static long long
ago(const char *text)
{
	msec since;

	return since_parse(text, NOW, &since) ? (NOW - since) / 1000 : -1;
}

static void
zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

TEST(a_span_ends_now) {
	is_number(ago("90s"), 90);
	is_number(ago("5m"), 300);
	is_number(ago("2h"), 7200);
	is_number(ago("3d"), 3 * 86400);
	is_number(ago("1w"), 7 * 86400);
	is_number(ago("0s"), 0);
	is_number(ago("99999w"), 99999LL * 7 * 86400);
}

TEST(a_time_of_day_is_the_last_such_time) {
	is_number(ago("11:58"), 120);
	is_number(ago("12:00"), 0);
	is_number(ago("12:01"), 86400 - 60);
	is_number(ago("00:00"), 43200);
	is_number(ago("23:59"), 43260);
}

TEST(a_date_begins_at_midnight) {
	is_number(ago("2026-01-31"), 43200);
	is_number(ago("2026-01-30 14:02"), 43200 + 9 * 3600 + 58 * 60);
	is_number(ago("2024-02-29"), 702L * 86400 + 43200);
}

TEST(times_are_those_of_the_time_zone) {
	zone("XYZ-5:30");                       /* 17:30 there */
	is_number(ago("17:00"), 1800);
	is_number(ago("2026-01-31"), 17 * 3600 + 1800);
	zone("CET-1CEST,M3.5.0,M10.5.0/3");     /* 13:00 there */
	is_number(ago("2025-07-01 14:00"), 214L * 86400);
	zone("UTC");
}

TEST(anything_else_is_refused) {
	static const char *const wrong[] = { "", "2", "h", "2 h", "-2h", "2h ",
	    "2H", "2hm", "1.5h", "100000s", "yesterday", "now", "9:05",
	    "24:00", "12:60", "14:02:00", "2026-02-29", "2026-13-01",
	    "2026-00-10", "2026-01-00", "2026-01-32", "2026-1-1",
	    "2026-01-01 ", "2026-01-01 24:00", "2026-01-01T14:02",
	    "2026-01-01 14:02Z", " 14:02", "20260101", "2\n", "\xc2\xb2h" };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (ago(wrong[i]) != -1)
			is_text(wrong[i], "refused");
}

BEFORE_TESTS {
	zone("UTC");
}
