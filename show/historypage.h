/*
 * historypage.h - the events of a journal as an HTML page that needs no other
 * file: for each day, the latest first, a chart of its runs and a table of its
 * events.
 *
 * A day has the scale that its events need, so the hours before and behind
 * them, and quiet days, take no room.  Days are those of the local time zone.
 */
#ifndef PANEWARD_HISTORYPAGE_H
#define PANEWARD_HISTORYPAGE_H

#include "show/timeline.h"

struct historypage {
	const char *from;               /* whose history: a path */
	const char *issue;              /* the only one, or NULL */
	msec   since, now;              /* earlier events only have their part
					   in the chart; 0: all are shown */
	const struct journal_event *events;
	size_t n;
	uint64_t left_out;              /* earlier ones, not among them */
	const struct timeline *timeline;
};

/* -1 with the reason: there is no style sheet. */
int historypage_add(struct buf *, const struct historypage *, struct buf *why);

#endif
