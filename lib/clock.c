#include "clock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The date that a test wants it to be, or -1. */
static msec
wanted_date(void)
{
	const char *text = getenv("PANEWARD_NOW");
	size_t len = text != NULL ? strspn(text, "0123456789") : 0;

	if (len == 0 || len > 12 || text[len] != '\0')
		return -1;
	return (msec)strtoll(text, NULL, 10) * 1000;
}

msec
clock_wall(void)
{
	msec wanted = wanted_date();

	return wanted != -1 ? wanted : read_clock(CLOCK_REALTIME);
}

void
clock_format(char text[CLOCK_TEXT], msec wall)
{
	static const char unknown[] = "1970-01-01T00:00:00";
	msec thousandths = (wall % 1000 + 1000) % 1000;
	time_t seconds = (time_t)(wall / 1000 - (wall % 1000 < 0));
	struct tm tm;
	char date[CLOCK_TEXT];

	if (gmtime_r(&seconds, &tm) == NULL ||
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) != 19)
		memcpy(date, unknown, sizeof(unknown));
	snprintf(text, CLOCK_TEXT, "%.19s.%03dZ", date, (int)thousandths);
}

/* A number of exactly so many digits, or -1. */
static int
take_digits(const char **p, int digits)
{
	int n = 0;

	for (; digits > 0; digits--, (*p)++) {
		if (**p < '0' || **p > '9')
			return -1;
		n = n * 10 + (**p - '0');
	}
	return n;
}

/* Thousandths of a second, from a fraction of any length. */
static int
take_fraction(const char **p)
{
	int n = 0, digits = 0;

	for ((*p)++; **p >= '0' && **p <= '9'; (*p)++, digits++)
		if (digits < 3)
			n = n * 10 + (**p - '0');
	for (; digits < 3; digits++)
		n *= 10;
	return n;
}

msec
clock_parse(const char *text)
{
	static const struct { int digits; char behind; } form[] = {
		{ 4, '-' }, { 2, '-' }, { 2, 'T' }, { 2, ':' }, { 2, ':' },
		{ 2, '\0' },
	};
	int part[6], thousandths = 0;
	struct tm tm = { 0 };
	time_t seconds;
	size_t i;

	for (i = 0; i < 6; i++) {
		part[i] = take_digits(&text, form[i].digits);
		if (part[i] == -1 || (form[i].behind != '\0' &&
		    *text++ != form[i].behind))
			return -1;
	}
	if (*text == '.')
		thousandths = take_fraction(&text);
	if (strcmp(text, "Z") != 0 && strcmp(text, "+00:00") != 0)
		return -1;
	tm.tm_year = part[0] - 1900;
	tm.tm_mon = part[1] - 1;
	tm.tm_mday = part[2];
	tm.tm_hour = part[3];
	tm.tm_min = part[4];
	tm.tm_sec = part[5];
	seconds = timegm(&tm);
	/* timegm() takes a 13th month for the next January. */
	if (tm.tm_year != part[0] - 1900 || tm.tm_mon != part[1] - 1 ||
	    tm.tm_mday != part[2] || tm.tm_hour != part[3] ||
	    tm.tm_min != part[4] || tm.tm_sec != part[5])
		return -1;
	return (msec)seconds * 1000 + thousandths;
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
