#include "base/since.h"

#include <string.h>
#include <time.h>

/* Is all of the text of this form?  Then its numbers. */
static bool
since_form(const char *form, const char *text, int number[6])
{
	const char *end = clock_form(form, text, number);

	return end != NULL && *end == '\0';
}

bool
since_span(const char *text, msec *span)
{
	static const char units[] = "smhdw";
	static const msec sizes[] = { 1000, 60000, 3600000, 86400000,
	    7 * 86400000 };
	size_t len = strspn(text, "0123456789"), i;
	const char *unit = strchr(units, text[len]);
	msec n = 0;

	if (len == 0 || len > 5 || text[len] == '\0' || unit == NULL ||
	    text[len + 1] != '\0')
		return false;
	for (i = 0; i < len; i++)
		n = n * 10 + (text[i] - '0');
	*span = n * sizes[unit - units];
	return true;
}

/* -1: the system cannot tell. */
static msec
since_local(struct tm *tm)
{
	time_t seconds;

	tm->tm_isdst = -1;
	seconds = mktime(tm);
	return seconds == -1 ? -1 : (msec)seconds * 1000;
}

static bool
since_date(const int number[6], msec *since)
{
	struct tm tm = { .tm_year = number[0] - 1900, .tm_mon = number[1] - 1,
	    .tm_mday = number[2], .tm_hour = number[3], .tm_min = number[4] };

	if (number[1] == 0 || number[2] == 0 || number[3] > 23 ||
	    number[4] > 59)
		return false;
	*since = since_local(&tm);
	return *since != -1 && tm.tm_mon == number[1] - 1;      /* 02-30 */
}

/* Today, or yesterday if it is not so late yet. */
static bool
since_clock(const int number[6], msec now, msec *since)
{
	time_t seconds = (time_t)(now / 1000);
	struct tm tm;

	if (number[0] > 23 || number[1] > 59 ||
	    localtime_r(&seconds, &tm) == NULL)
		return false;
	tm.tm_hour = number[0];
	tm.tm_min = number[1];
	tm.tm_sec = 0;
	*since = since_local(&tm);
	if (*since > now) {
		tm.tm_mday--;
		*since = since_local(&tm);
	}
	return *since != -1;
}

bool
since_parse(const char *text, msec now, msec *since)
{
	int number[6];
	msec span;

	if (since_span(text, &span)) {
		*since = now - span;
		return true;
	}
	return (since_form("00:00", text, number) &&
	    since_clock(number, now, since)) ||
	    (since_form("0000-00-00 00:00", text, number) &&
	    since_date(number, since)) ||
	    (since_form("0000-00-00", text, number) &&
	    since_date(number, since));
}
