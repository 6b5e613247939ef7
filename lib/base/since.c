#include "base/since.h"

#include <string.h>
#include <time.h>

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

bool
since_parse(const char *text, msec now, msec *since)
{
	enum { DAY_AND_TIME, DAY, TIME, FORMS };
	static const char *const forms[] = { "0000-00-00 00:00", "0000-00-00",
	    "00:00" };
	time_t seconds = (time_t)(now / 1000);
	const char *end = NULL;
	int n[6], form;
	struct tm tm;

	if (since_span(text, since)) {
		*since = now - *since;
		return true;
	}
	for (form = 0; form < FORMS; form++) {
		end = clock_form(forms[form], text, n);
		if (end != NULL && *end == '\0')
			break;
	}
	if (form == FORMS || localtime_r(&seconds, &tm) == NULL)
		return false;
	if (form == TIME) {
		tm.tm_hour = n[0];
		tm.tm_min = n[1];
		tm.tm_sec = 0;
	} else {
		tm = (struct tm){ .tm_year = n[0] - 1900, .tm_mon = n[1] - 1,
		    .tm_mday = n[2], .tm_hour = n[3], .tm_min = n[4] };
	}
	if (tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_mon == -1 ||
	    tm.tm_mday == 0)
		return false;
	tm.tm_isdst = -1;
	seconds = mktime(&tm);
	/* Yesterday, if that is still to come. */
	if (form == TIME && (msec)seconds * 1000 > now) {
		tm.tm_mday--;
		tm.tm_isdst = -1;
		seconds = mktime(&tm);
	}
	*since = (msec)seconds * 1000;
	return seconds != -1 && (form == TIME || tm.tm_mon == n[1] - 1);
}
