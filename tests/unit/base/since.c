#include "base/since.h"

#include <time.h>

#include "unit/children.h"

static const msec NOW = 1769860800000;          /* 2026-01-31T12:00:00Z */

/* How long before the text's time is, in seconds; -1: it is none. */
static long long
ago(const char *text)
{
	msec since;

	return since_parse(text, NOW, &since) ? (NOW - since) / 1000 : -1;
}

static bool
is_since(const char *text)
{
	return ago(text) != -1;
}

TEST(a_time_is_a_span_a_time_of_day_or_a_date_of_the_zone) {
	static const char there[] = "XYZ-5:30";         /* 17:30 there */
	static const char summer[] = "CET-1CEST,M3.5.0,M10.5.0/3"; /* 13:00 */
	static const struct {
		const char *text;
		long long ago;
		const char *zone;
	} rows[] = {
		{ "90s", 90 }, { "5m", 300 }, { "2h", 7200 },
		{ "3d", 3 * 86400 }, { "1w", 7 * 86400 }, { "0s", 0 },
		{ "99999w", 99999LL * 7 * 86400 },
		/* The last such time, and at midnight. */
		{ "11:58", 120 }, { "12:00", 0 }, { "12:01", 86400 - 60 },
		{ "00:00", 43200 }, { "23:59", 43260 },
		{ "2026-01-31", 43200 },
		{ "2026-01-30 14:02", 43200 + 9 * 3600 + 58 * 60 },
		{ "2024-02-29", 702L * 86400 + 43200 },
		{ "17:00", 1800, there },
		{ "2026-01-31", 17 * 3600 + 1800, there },
		{ "2025-07-01 14:00", 214L * 86400, summer },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		setenv("TZ", rows[i].zone ? rows[i].zone : "UTC", 1);
		tzset();
		is_number(ago(rows[i].text), rows[i].ago);
	}
	setenv("TZ", "UTC", 1);
	tzset();
}

TEST(anything_else_is_refused) {
	says(false, is_since, WORDS("", "2", "h", "2 h", "-2h", "2h ", "2H",
	    "2hm", "1.5h", "100000s", "yesterday", "now", "9:05", "24:00",
	    "12:60", "14:02:00", "2026-02-29", "2026-13-01", "2026-00-10",
	    "2026-01-00", "2026-01-32", "2026-1-1", "2026-01-01 ",
	    "2026-01-01 24:00", "2026-01-01T14:02", "2026-01-01 14:02Z",
	    " 14:02", "20260101", "2\n", "\xc2\xb2h"));
}
