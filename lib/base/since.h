/*
 * since.h - a time as a person gives it: how long ago, a time of day, a date.
 *
 * "90s", "5m", "2h", "3d", "1w" ago; "14:02", the last one; "2026-11-20", its
 * begin; "2026-11-20 14:02".  All in the local time zone.
 */
#ifndef PANEWARD_SINCE_H
#define PANEWARD_SINCE_H

#include <stdbool.h>

#include "base/clock.h"

/* For messages. */
#define SINCE_FORMS \
	"a time such as '2h', '3d', '14:02', '2026-11-20' or '2026-11-20 14:02'"
#define SINCE_UNITS " (seconds, or with a unit: 90s, 10m, 2h)"

/* "2h": at most five digits, and a unit.  False: it has another form. */
bool since_span(const char *text, msec *span);
bool since_parse(const char *text, msec now, msec *since);

#endif
