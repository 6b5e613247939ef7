#include "chain/reset.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
	LOOKED_AT = 2048,       /* bytes of the text */
	SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE
};

static const char *
behind_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Behind a word, or NULL. */
static const char *
behind_word(const char *p, const char *word)
{
	size_t len = strlen(word);

	return strncasecmp(p, word, len) == 0 ? p + len : NULL;
}

/* "35s", "5 minutes", "2h"; NULL if it is none of these. */
static const char *
take_span(const char *p, msec *span)
{
	static const struct { const char *begin; msec size; } units[] = {
		{ "s", SECOND }, { "m", MINUTE }, { "h", HOUR },
		{ "d", (msec)24 * HOUR },
	};
	unsigned n;
	int used;
	size_t i;

	if (sscanf(p, "%5u%n", &n, &used) != 1 || *p < '0' || *p > '9')
		return NULL;
	p = behind_blanks(p + used);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (behind_word(p, units[i].begin) == NULL ||
		    behind_word(p, "ms") != NULL)
			continue;
		*span += n * units[i].size;
		while (isalpha((unsigned char)*p))
			p++;
		return p;
	}
	return NULL;
}

static msec
span_at(const char *p, msec now)
{
	msec span = 0;
	const char *next;

	while ((next = take_span(p, &span)) != NULL) {
		p = behind_blanks(next);
		if (behind_word(p, "and ") != NULL)
			p = behind_blanks(p + 4);
	}
	return span > 0 ? now + span : 0;
}

/* When does a clock on the wall show this, so many days after today? */
static msec
clock_on(const struct tm *today, int days, unsigned hour, unsigned minute)
{
	struct tm tm = *today;

	tm.tm_mday += days;
	tm.tm_hour = (int)hour;
	tm.tm_min = (int)minute;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return (msec)mktime(&tm) * SECOND;
}

static msec
next_clock(unsigned hour, unsigned minute, msec now)
{
	time_t t = (time_t)(now / SECOND);
	struct tm today;
	msec then;

	if (localtime_r(&t, &today) == NULL)
		return 0;
	then = clock_on(&today, 0, hour, minute);
	return then > now ? then : clock_on(&today, 1, hour, minute);
}

static msec
clock_at(const char *p, msec now)
{
	unsigned hour, minute = 0;
	bool pm, am, colon;
	int used;

	if (*p < '0' || *p > '9' || sscanf(p, "%2u%n", &hour, &used) != 1)
		return 0;
	p += used;
	colon = sscanf(p, ":%2u%n", &minute, &used) == 1;
	if (colon)
		p += used;
	p = behind_blanks(p);
	pm = behind_word(p, "pm") != NULL;
	am = behind_word(p, "am") != NULL;
	if (hour > (am || pm ? 12u : 23u) || minute > 59 ||
	    (!am && !pm && !colon))
		return 0;
	if (am || pm)
		hour = hour % 12 + (pm ? 12 : 0);
	return next_clock(hour, minute, now);
}

static msec
date_at(const char *p)
{
	char text[CLOCK_TEXT];
	msec t;

	if (strlen(p) < 20 || p[4] != '-')
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)strspn(p, "0123456789-:.TZ"),
	    p);
	t = clock_parse(text);
	return t == -1 ? 0 : t;
}

msec
reset_time(const char *p, msec now)
{
	msec t;

	p = behind_blanks(p);
	if (behind_word(p, "at ") != NULL)
		p = behind_blanks(p + 3);
	else if (behind_word(p, "in ") != NULL ||
	    behind_word(p, "after ") != NULL)
		return span_at(behind_blanks(strchr(p, ' ')), now);
	if ((t = date_at(p)) != 0 || (t = clock_at(p, now)) != 0)
		return t;
	return span_at(p, now);
}

static msec
epoch_at(const char *p)
{
	unsigned long long seconds;
	int used;

	if (*p < '0' || *p > '9' ||
	    sscanf(p, "%12llu%n", &seconds, &used) != 1 || used != 10)
		return 0;
	return (msec)seconds * SECOND;
}

msec
reset_find(const char *text, size_t len, msec now)
{
	static const char *const words[] = { "resets", "reset", "try again",
	    "retry", "retrying", "retry-after:", "available again" };
	char copy[LOOKED_AT + 1];
	const char *p, *behind;
	size_t i;
	msec t;

	snprintf(copy, sizeof(copy), "%.*s", len < LOOKED_AT ? (int)len :
	    LOOKED_AT, text);
	for (p = copy; *p != '\0'; p++) {
		if (*p == '|' && (t = epoch_at(p + 1)) != 0)
			return t;
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if ((behind = behind_word(p, words[i])) != NULL &&
			    (t = reset_time(behind, now)) != 0)
				return t;
	}
	return 0;
}
