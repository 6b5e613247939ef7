/*
 * show.h - what commands of this folder share: the queue, and a journal for
 * people (in words, by its runs).
 */
#ifndef PANEWARD_SHOW_H
#define PANEWARD_SHOW_H

#include <signal.h>

#include "base/columns.h"
#include "paneward.h"
#include "queue/target.h"
#include "run/journal.h"

/* ---- the queue: status.c ------------------------------------------------- */

/* Opens the context and its queue, and looks.  Warns of what cannot be read;
 * *seen is then the exit status. */
struct queue *show_queue(struct context *, const char *status_dir,
    struct queue_how, enum exit_status *seen);

/* ---- an agent's answer: log.c -------------------------------------------- */

/* Prints it as it is, but at a terminal as text.  marker: the run's, or
 * NULL. */
void show_answer(const struct buf *, const char *marker);

/* ---- an event in words: timeline.c --------------------------------------- */

/* Texts are as they were recorded: the caller escapes them. */

/* The event in a word: the state, "run", "hand-off".  At most eight letters. */
const char *eventwords_what(const struct journal_event *);

/* Why: "it asks for permission: rm -r build". */
void eventwords_add(struct buf *, const struct journal_event *);

/* ---- its runs, each as its states: timeline.c ---------------------------- */

/*
 * A timeline is made of events in the order of the journal.  A state lasts
 * until the run's next one, the last one until the last event of the run.  If
 * the clock was set back, a state lasts no time, never less.
 *
 * It is pure.
 */

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
	bool                 open;      /* one of them goes on */
};

/* place is the number of the event. */
void timeline_add(struct timeline *, const struct journal_event *,
    size_t place);

/* The record's run still is in this state: its last span goes on until now, if
 * it has that state.  False if the timeline has no such run. */
bool timeline_stand(struct timeline *, const struct status *, msec now);

#endif
