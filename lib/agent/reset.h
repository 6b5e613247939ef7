/*
 * reset.h - the end of a usage limit, read from the client's words.
 */
#ifndef PANEWARD_RESET_H
#define PANEWARD_RESET_H

#include <stddef.h>

#include "base/clock.h"

enum { RESET_GRACE = 60000 };   /* ms after the end of a limit in which the
				   agent may go on by itself */

/*
 * The wall time that a text like these names, 0 if it names none:
 *
 *	limit reached|1764590400          seconds since 1970
 *	resets at 2026-12-01T15:00:00Z
 *	resets 3pm, resets at 3:30 PM, try again at 15:00   local time, the next
 *	retrying in 35s, try again in 2 hours 5 minutes     from now
 */
msec reset_find(const char *text, size_t len, msec now);

/* The same of what stands behind such words: "3pm", "at 15:00", "2h52m39s". */
msec reset_time(const char *text, msec now);

#endif
