#include "base/since.h"

#include <time.h>

#include "unit/children.h"
#include "unit/fixture.h"

static const msec NOW = 1769860800000;          /* 2026-01-31T12:00:00Z */

/* How long before the text's time is, in seconds. */
static const char *
ago(const char *text)
{
	static char seconds[32];
	msec since = NOW + 1000;

	since_parse(text, NOW, &since);
	snprintf(seconds, sizeof(seconds), "%lld",
	    (long long)(NOW - since) / 1000);
	return seconds;
}

static bool
is_since(const char *text)
{
	msec since;

	return since_parse(text, NOW, &since);
}

static void
zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

TEST(a_time_is_a_span_a_time_of_day_or_a_date_of_the_zone) {
	zone("UTC");
	ROWS(ago, "90s => 90", "5m => 300", "2h => 7200", "3d => 259200",
	    "0s => 0", "99999w => 60479395200",
	    /* The last such time, and at midnight. */
	    "11:58 => 120", "12:00 => 0", "12:01 => 86340", "00:00 => 43200",
	    "23:59 => 43260", "2026-01-31 => 43200",
	    "2026-01-30 14:02 => 79080", "2024-02-29 => 60696000");
	zone("XYZ-5:30");                       /* it is 17:30 there */
	ROWS(ago, "17:00 => 1800", "2026-01-31 => 63000");
	zone("CET-1CEST,M3.5.0,M10.5.0/3");     /* 13:00, an hour less then */
	ROWS(ago, "2025-07-01 14:00 => 18489600");
	zone("UTC");
}

/* tests/system/history.sh has the rest. */
TEST(anything_else_is_refused) {
	says(false, is_since, WORDS("h", "2 h", "2h ", "2H", "2hm", "1.5h",
	    "100000s", "now", "9:05", "24:00", "12:60", "14:02:00",
	    "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32", "2026-1-1",
	    "2026-01-01 ", "2026-01-01 24:00", "2026-01-01T14:02",
	    "2026-01-01 14:02Z", " 14:02", "20260101", "2\n", "\xc2\xb2h"));
}
