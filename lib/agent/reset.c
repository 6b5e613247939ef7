#include "agent/signs.h"

#include <ctype.h>
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

static const char *
behind_word(const char *p, const char *word)
{
	size_t len = strlen(word);

	return strncasecmp(p, word, len) == 0 ? p + len : NULL;
}

/* "35s", "5 minutes", "2h 3m"; 0: another text. */
static msec
span_at(const char *p, msec now)
{
	static const struct { char letter; msec size; } units[] = {
		{ 's', SECOND }, { 'm', MINUTE }, { 'h', HOUR },
		{ 'd', (msec)24 * HOUR },
	};
	enum { UNITS = sizeof(units) / sizeof(units[0]) };
	msec span = 0;
	size_t i;
	int n, used;

	while (sscanf(p, "%5d%n", &n, &used) == 1 && n >= 0) {
		p = behind_blanks(p + used);
		for (i = 0; i < UNITS && tolower((unsigned char)*p) !=
		    units[i].letter; i++)
			continue;
		if (i == UNITS || behind_word(p, "ms") != NULL)
			break;
		span += n * units[i].size;
		while (isalpha((unsigned char)*p))
			p++;
		p = behind_blanks(p);
		if (behind_word(p, "and ") != NULL)
			p = behind_blanks(p + 4);
	}
	return span > 0 ? now + span : 0;
}

msec
reset_time(const char *p, msec now)
{
	time_t today = (time_t)(now / SECOND);
	int days, hour = 0, minute = 0, used = 0;
	char date[CLOCK_TEXT];
	bool pm, am, colon;
	const char *behind;
	struct tm tm;
	msec then;

	p = behind_blanks(p);
	if (behind_word(p, "at ") != NULL)
		p = behind_blanks(p + 3);
	else if (behind_word(p, "in ") != NULL ||
	    behind_word(p, "after ") != NULL)
		return span_at(behind_blanks(strchr(p, ' ')), now);
	snprintf(date, sizeof(date), "%.*s", (int)strspn(p, "0123456789-:.TZ"),
	    p);
	if (strlen(date) >= 20 && (then = clock_parse(date)) > 0)
		return then;
	colon = sscanf(p, "%2d%n:%2d%n", &hour, &used, &minute, &used) == 2;
	behind = behind_blanks(p + used);
	pm = behind_word(behind, "pm") != NULL;
	am = behind_word(behind, "am") != NULL;
	if (used == 0 || hour < 0 || hour > (am || pm ? 12 : 23) ||
	    minute < 0 || minute > 59 || (!am && !pm && !colon))
		return span_at(p, now);
	if (am || pm)
		hour = hour % 12 + (pm ? 12 : 0);
	for (days = 0, then = 0; days < 2 && then <= now; days++) {
		if (localtime_r(&today, &tm) == NULL)
			return span_at(p, now);
		tm.tm_mday += days;
		tm.tm_hour = hour;
		tm.tm_min = minute;
		tm.tm_sec = 0;
		tm.tm_isdst = -1;
		then = (msec)mktime(&tm) * SECOND;
	}
	return then;
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
		if (*p == '|' && strspn(p + 1, "0123456789") == 10)
			return strtoll(p + 1, NULL, 10) * SECOND; /* of 1970 */
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if ((behind = behind_word(p, words[i])) != NULL &&
			    (t = reset_time(behind, now)) != 0)
				return t;
	}
	return 0;
}
