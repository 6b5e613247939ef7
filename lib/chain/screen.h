/*
 * screen.h - what an agent does at the moment, by what its pane shows.
 *
 * Three places tell it, by the signs of the agent's backend (sign.h): the state
 * that it announces to the terminal, the title, and the visible text.  The
 * first two are the agent's own word, are in the log, and so are known at once;
 * the text is known when somebody looks.
 *
 * What it announces is believed before the title.  Where the agent says that it
 * is busy, it is, unless the title alone says so and the text asks something.
 * Where it says that it asks, the text may tell what.  Where it says that it is
 * ready, or nothing, the text decides: there are agents whose title never
 * changes.
 *
 * A text from before the agent's own word became another one says nothing any
 * more, and that it waits is only said with a text of now.
 *
 * Nothing of this is a report: the evidence is working, asking, waiting or
 * limited.
 */
#ifndef PANEWARD_SCREEN_H
#define PANEWARD_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "chain/detectors.h"
#include "chain/signs.h"
#include "run/panelog.h"

enum {
	SCREEN_LINES = 40,              /* of a capture that are looked at, from
					   below, empty ones not counted, */
	SCREEN_BYTES = 16 << 10,        /* and of these so many at most */
	SCREEN_TAIL = 64 << 10          /* and of what a log has grown by */
};

struct screen {
	const struct signs *signs;      /* borrowed; NULL: nothing is known of
					   the agent */
	struct buf announced, title;    /* the last ones */
	struct sign_match own;          /* what it says itself, and */
	enum sign_place   own_place;    /* where */
	struct sign_match seen;         /* what the text says */
	bool captured;                  /* there was a text, */
	msec when;                      /* ... then (wall time) */
	bool outdated;                  /* its own word is another one since */
	bool moved;                     /* something was printed since */
	bool away;                      /* a shell is in front instead */
	uint64_t read;                  /* how much of the log was looked at */
};

/* The signs must be compiled. */
void screen_init(struct screen *, const struct signs *);
void screen_release(struct screen *);

/* What it has printed; pieces should overlap (osc.h). */
void screen_print(struct screen *, const char *bytes, size_t len);
/*
 * The same of what was read of a log since the last time, or from a place of
 * the run's output on.  What cannot be read again is left out.
 */
void screen_log(struct screen *, const struct panelog *, uint64_t begin);
void screen_title(struct screen *, const char *title);
void screen_capture(struct screen *, const char *text, size_t len, msec wall);
/* What runs in front of the pane; a shell is not the agent, however the screen
 * may still look. */
void screen_front(struct screen *, const char *command);

/* Should somebody look at the text though output goes on? */
bool screen_doubts(const struct screen *);

/* False: it cannot be told. */
bool screen_tell(const struct screen *, struct screen_evidence *, msec wall);

/* The evidence that brought a verdict; false: it was another one. */
bool screen_recall(struct screen_evidence *, const struct verdict *);

/* "announces 'working': busy; title ...": what each place has shown. */
void screen_describe(const struct screen *, struct buf *);

#endif
