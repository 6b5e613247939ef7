/*
 * timeline.h - the runs of a journal, each as its states from one moment to the
 * next.
 *
 * timeline_add() takes the events in the order of the journal.  A state lasts
 * until the run's next one.  The last one lasts until the last event of the
 * run; only timeline_stand() lets it go on until now.  If the clock was set
 * back, a state lasts no time, never less.
 *
 * Nothing is read or asked here: it is pure.
 */
#ifndef PANEWARD_TIMELINE_H
#define PANEWARD_TIMELINE_H

#include "run/journal.h"

struct span {
	enum state state;
	msec   from, to;
	size_t event;                   /* which began it */
};

struct timeline_run {
	char        *issue;
	char         run[RUN_ID_LEN + 1];
	struct span *spans;
	size_t       n;
	bool         open;              /* the last span goes on */
};

struct timeline {
	struct timeline_run *runs;      /* in the order of their first events */
	size_t               n;
};

/* The state that an event begins.  Unknown: an adopted run is not judged yet,
 * or the word is of a later version. */
enum state timeline_state(const struct journal_event *);

/* place is the event's number, for the span. */
void timeline_add(struct timeline *, const struct journal_event *,
    size_t place);

/* The status record says that its run still is in this state: the run's last
 * span goes on until now, if that is its state.  False if the timeline has no
 * such run. */
bool timeline_stand(struct timeline *, const struct status *, msec now);

void timeline_release(struct timeline *);

#endif
