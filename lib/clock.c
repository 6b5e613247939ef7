#include "clock.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static msec
read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (msec)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

msec
clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

msec
clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

void
clock_format(char text[CLOCK_TEXT], msec wall)
{
	time_t seconds = (time_t)(wall / 1000);
	struct tm tm;
	char date[CLOCK_TEXT];

	if (gmtime_r(&seconds, &tm) == NULL ||
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) != 19)
		strcpy(date, "1970-01-01T00:00:00");
	snprintf(text, CLOCK_TEXT, "%.19s.%03dZ", date,
	    (int)(wall % 1000 + 1000) % 1000);
}

msec
clock_parse(const char *text)
{
	struct tm tm = { 0 };
	int year, month, used = 0, thousandths = 0, digits;
	const char *p;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month,
	    &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &used) != 6)
		return -1;
	p = text + used;
	if (*p == '.') {
		p++;
		for (digits = 0; *p >= '0' && *p <= '9'; p++, digits++)
			if (digits < 3)
				thousandths = thousandths * 10 + (*p - '0');
		for (; digits < 3; digits++)
			thousandths *= 10;
	}
	if (strcmp(p, "Z") != 0 && strcmp(p, "+00:00") != 0)
		return -1;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	return (msec)timegm(&tm) * 1000 + thousandths;
}

int
clock_until(msec deadline, msec now)
{
	if (deadline == CLOCK_NEVER)
		return -1;
	if (deadline <= now)
		return 0;
	return deadline - now > INT_MAX ? INT_MAX : (int)(deadline - now);
}
