/*
 * screen.h - what an agent does at the moment, by what its pane shows.
 *
 * The signs of the agent's backend (signs.h) are searched in three places: the
 * state that the agent announces to the terminal, the title of its pane, and
 * the visible text.  The agent states the first two itself, in its output, so
 * they are known at once.  The text is known only when it is captured.
 *
 * An announced state counts before the title.  An agent that states that it is
 * busy is busy, unless only its title says so and the text asks something or
 * shows a limit.  If it states that it asks, the text may show what.  If it
 * states that it is ready, or nothing, the text decides: some agents never
 * change their title.
 *
 * A capture older than the agent's last change of title or state is ignored;
 * "waiting" needs a current capture.
 *
 * Nothing of this is a report: the evidence is working, asking, waiting or
 * limited.
 */
#ifndef PANEWARD_SCREEN_H
#define PANEWARD_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/signs.h"
#include "base/buf.h"
#include "base/clock.h"
#include "chain/detectors.h"
#include "run/panelog.h"

enum {
	SCREEN_LINES = 40,              /* of a capture that are searched, from
					   below, without empty ones, */
	SCREEN_BYTES = 16 << 10,        /* and of these so many at most */
	SCREEN_TAIL = 64 << 10,         /* of what a log has grown by */
	SCREEN_OVERLAP = 1024           /* of pieces of the output, since a
					   sequence that is cut is ignored */
};

struct screen {
	const struct signs *signs;      /* borrowed; NULL: none are known */
	struct buf announced, title;    /* the last ones */
	struct sign_match stated;       /* what the agent states itself, */
	enum sign_place   stated_in;    /* and where */
	struct sign_match shown;        /* what the text shows */
	bool captured;                  /* there was a text, */
	msec captured_at;               /* then (wall time) */
	bool outdated;                  /* the agent stated another one since */
	bool moved;                     /* something was printed since */
	bool shell_in_front;            /* of the agent, or instead of it */
	uint64_t read;                  /* bytes of the log */
};

/* The signs must be compiled. */
void screen_init(struct screen *, const struct signs *);
void screen_release(struct screen *);

/* A piece of the output; pieces should overlap. */
void screen_print(struct screen *, const char *bytes, size_t len);
/* What was read of a log since the last time, from a place of the run's output
 * on, as far as it can still be read. */
void screen_log(struct screen *, const struct panelog *, uint64_t begin);
void screen_title(struct screen *, const char *title);
void screen_capture(struct screen *, const char *text, size_t len, msec wall);
/* The program in front of the pane.  A shell is not the agent, however the
 * screen may still look. */
void screen_foreground(struct screen *, const char *command);

/* May the screen be another one by now, so that it should be captured although
 * output goes on? */
bool screen_doubts(const struct screen *);

/* False: it cannot be told.  A limit is over at its end, unless the agent is
 * parked. */
bool screen_tell(const struct screen *, struct screen_evidence *, bool parked,
    msec wall);

/* The evidence behind a verdict of this detector; false: it was another's. */
bool screen_recall(struct screen_evidence *, const struct verdict *);

/* "announces 'working': busy; title ...": what each place shows. */
void screen_describe(const struct screen *, struct buf *);

#endif
