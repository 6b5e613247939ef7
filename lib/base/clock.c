#include "base/clock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"

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
	const char *text = getenv("PANEWARD_NOW");      /* set by a test */
	size_t len = text != NULL ? strspn(text, "0123456789") : 0;

	if (len == 0 || len > 12 || text[len] != '\0')
		return read_clock(CLOCK_REALTIME);
	return (msec)strtoll(text, NULL, 10) * 1000;
}

/* Days since 1970 and their date: the C library would read the time zone's file
 * first.  Years begin in March, so that the leap day is last; an era is 400
 * years. */
enum { ERA = 146097, EPOCH = 719468 };  /* days: of an era, and before 1970 */

struct date {
	int64_t  year;
	unsigned month, day;
};

static int64_t
days_until(const struct date *d)
{
	int64_t years = d->year - (d->month < 3), era;
	unsigned month = (d->month + 9) % 12;

	era = (years < 0 ? years - 399 : years) / 400;
	years -= era * 400;
	return era * ERA + years * 365 + years / 4 - years / 100 +
	    (153 * month + 2) / 5 + d->day - 1 - EPOCH;
}

static struct date
date_of(int64_t days)
{
	int64_t since = days + EPOCH;
	int64_t era = (since < 0 ? since - ERA + 1 : since) / ERA;
	unsigned in_era = (unsigned)(since - era * ERA);
	unsigned year = (in_era - in_era / 1460 + in_era / 36524 -
	    in_era / (ERA - 1)) / 365;
	unsigned day = in_era - (365 * year + year / 4 - year / 100);
	unsigned month = (5 * day + 2) / 153;

	return (struct date){ era * 400 + year + (month >= 10),
	    (month + 2) % 12 + 1, day - (153 * month + 2) / 5 + 1 };
}

const char *
clock_format(char text[CLOCK_TEXT], msec wall)
{
	static const msec day = 24 * 60 * 60 * 1000;
	struct date d = date_of(wall / day - (wall % day < 0));
	unsigned ms = (unsigned)((wall % day + day) % day);

	if (d.year < 0 || d.year > 9999)
		d = (struct date){ 1970, 1, 1 };
	snprintf(text, CLOCK_TEXT, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ",
	    (unsigned)d.year % 10000, d.month % 100, d.day % 100,
	    ms / 3600000 % 100, ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
	return text;
}

const char *
clock_form(const char *form, const char *text, int number[6])
{
	memset(number, 0, 6 * sizeof(*number));
	for (; *form != '\0'; form++, text++) {
		if (*form == '0' ? *text < '0' || *text > '9' : *text != *form)
			return NULL;
		if (*form == '0')
			*number = *number * 10 + (*text - '0');
		else
			number++;
	}
	return text;
}

msec
clock_parse(const char *text)
{
	int part[6], thousandths = 0, unit;
	struct date d, real;
	int64_t days;

	text = clock_form("0000-00-00T00:00:00", text, part);
	if (text == NULL)
		return -1;
	if (*text == '.')
		for (unit = 100, text++; *text >= '0' && *text <= '9'; text++) {
			thousandths += (*text - '0') * unit;
			unit /= 10;
		}
	if (strcmp(text, "Z") != 0 && strcmp(text, "+00:00") != 0)
		return -1;
	d = (struct date){ part[0], (unsigned)part[1], (unsigned)part[2] };
	days = days_until(&d);
	real = date_of(days);
	if (real.year != d.year || real.month != d.month ||
	    real.day != d.day || part[3] > 23 || part[4] > 59 || part[5] > 59)
		return -1;
	return (((days * 24 + part[3]) * 60 + part[4]) * 60 + part[5]) * 1000 +
	    thousandths;
}

void
clock_local(struct buf *out, msec wall, msec now)
{
	time_t at = (time_t)(wall / 1000), today = (time_t)(now / 1000);
	struct tm then, there;
	char text[32];

	if (localtime_r(&at, &then) == NULL ||
	    localtime_r(&today, &there) == NULL)
		return;
	strftime(text, sizeof(text), then.tm_yday == there.tm_yday &&
	    then.tm_year == there.tm_year ? "%H:%M" : "%b %e %H:%M", &then);
	buf_adds(out, text);
}

void
clock_ahead(struct buf *out, msec wall, msec now)
{
	clock_local(out, wall, now);
	buf_adds(out, " (in ");
	clock_span(out, wall > now ? wall - now : 0);
	buf_adds(out, ")");
}

void
clock_span(struct buf *out, msec span)
{
	long seconds = (long)(span / 1000);

	if (seconds >= 3600)
		buf_printf(out, "%ldh%02ldm", seconds / 3600,
		    seconds / 60 % 60);
	else if (seconds >= 60)
		buf_printf(out, "%ldm%02lds", seconds / 60, seconds % 60);
	else
		buf_printf(out, "%lds", seconds);
}

msec
clock_sooner(msec a, msec b)
{
	return a < b ? a : b;
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
