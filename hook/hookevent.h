/*
 * hookevent.h - the event that a hook of an agent reports.
 *
 * An agent's message is scanned for markers here, where it is whole; only what
 * was found and its beginning are kept.
 */
#ifndef PANEWARD_HOOK_HOOKEVENT_H
#define PANEWARD_HOOK_HOOKEVENT_H

#include <stdbool.h>

#include "backend/dialect.h"
#include "marker/marker.h"
#include "run/events.h"

/* A hook's call; it owns nothing. */
struct hookevent {
	const struct dialect    *dialect;
	struct event_meaning     event;
	const cJSON             *input;
	const struct marker_set *markers;       /* of the run */
	const char              *issue;
	int                      state_fd;      /* has the issue's events */
};

/* Fills the event, whose time is set.  False: there is nothing to record. */
bool hookevent_read(const struct hookevent *, struct event *);

#endif
