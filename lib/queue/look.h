/*
 * look.h - a look at a pane that no watcher follows: what its agent does now.
 *
 * The chain judges the agent by all that its issue has; one without an issue by
 * what its hooks and its client wrote, and by its screen.  The record is changed
 * in memory alone: nothing is written, handed off or notified.
 */
#ifndef PANEWARD_LOOK_H
#define PANEWARD_LOOK_H

#include "chain/sources.h"

struct look {
	struct sources  sources;
	struct evidence evidence;
	msec     activity;              /* wall time of the last output */
	msec     captured;              /* wall time; 0: never */
	msec     judged;                /* wall time; 0: never */
	uint64_t title;                 /* a hash of the title then */
};

/* The record is borrowed.  For look_free(). */
struct look *look_new(const struct statusdir *, struct status *,
    msec stalled_after);
void look_free(struct look *);

/* The pane as a listing has it now. */
void look_see(struct look *, const struct tmux_pane *);

/* Has the pane done nothing since it was judged, and no hook reported?  What
 * happens without both is seen a few seconds later. */
bool look_rests(const struct look *, const struct tmux_pane *);

/* May its screen show something else than what was judged?  Then it is to be
 * captured. */
bool look_wants(const struct look *);

/* Once the clock was set back, all times from before mislead. */
bool look_misled(const struct look *);

/* Judges the agent; the capture is NULL if there is none.  True if that changed
 * its record.  The configured backend is that of a record without one. */
bool look_judge(struct look *, const struct tmux_pane *,
    const struct tmux_capture *, struct backends *, const char *configured);
/* Could all be read?  Of the log only so much as the budget allows. */
bool look_complete(const struct look *);

#endif
