/*
 * since.h - a time as a person gives it: how long ago, a time of day, a date.
 *
 * "90s", "5m", "2h", "3d", "1w" ago; "14:02", the last time that a clock showed
 * it; "2026-11-20", when that day began; "2026-11-20 14:02".  All of them in
 * the local time zone.
 */
#ifndef PANEWARD_SINCE_H
#define PANEWARD_SINCE_H

#include <stdbool.h>

#include "base/clock.h"

/* For messages: what is accepted. */
#define SINCE_FORMS \
	"a time such as '2h', '3d', '14:02', '2026-11-20' or '2026-11-20 14:02'"

/* For messages about a number of seconds. */
#define SINCE_UNITS " (seconds, or with a unit: 90s, 10m, 2h)"

/* "2h": a number of at most five digits, and its unit.  False if the text is
 * something else. */
bool since_span(const char *text, msec *span);
/* False if the text is none of these. */
bool since_parse(const char *text, msec now, msec *since);

#endif
