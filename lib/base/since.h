/*
 * since.h - a time of people, local: "90s", "5m", "2h", "3d", "1w" ago; the last
 * "14:02"; "2026-11-20", "2026-11-20 14:02".
 */
#ifndef PANEWARD_SINCE_H
#define PANEWARD_SINCE_H

#include <stdbool.h>

#include "base/clock.h"

#define SINCE_FORMS \
	"a time such as '2h', '3d', '14:02', '2026-11-20' or '2026-11-20 14:02'"
#define SINCE_UNITS " (seconds, or with a unit: 90s, 10m, 2h)"

/* At most five digits, and a unit. */
bool since_span(const char *text, msec *span);
bool since_parse(const char *text, msec now, msec *since);

#endif
