/*
 * hook.h - what an agent's own hook runs: "paneward hook NAME".
 *
 * A hook gets one JSON object on standard input and may answer with one.  It
 * must never harm the agent: on any trouble it prints one line to standard
 * error and exits 0 with an empty answer.  So the hooks themselves print
 * nothing and never end the program; hook.c does both.
 */
#ifndef PANEWARD_HOOK_H
#define PANEWARD_HOOK_H

#include "agent/dialect.h"
#include "run/self.h"

struct hook_call {
	const struct json *input;       /* an object; borrowed; NULL where the
					   hook does without */
	const char  *context, *save;    /* --context, --save; or NULL */
	struct buf   answer;            /* what is printed, if 0 is returned */
	struct buf   why;               /* what went wrong, whatever is */
};

/* The buffer, with "; " behind what went wrong so far. */
struct buf *hook_more(struct buf *why);
/* Moves what went wrong in a step, if anything, to what went wrong before. */
void hook_collect(struct buf *all, struct buf *why);
/* Has a hook kept the agent going before, in this turn? */
bool hook_kept_going(const struct hook_call *);
/* Adds the text as it may be shown in the agent's pane, where our run is.
 * False: it may not, which is said. */
bool hook_reason(struct hook_call *, const struct self *,
    const struct buf *text, struct buf *reason);
/* Answers that the agent must go on. */
void hook_block(struct hook_call *, const char *reason);

/*
 * The folder of the agent's session, which has its loop and its channel: that
 * of the client's variable, else the current one.  The hook and `loop start`
 * both ask here, so that each finds what the other has written.
 */
const char *hook_folder(void);

/* The hooks, of which mail/ and loop/ have one each.  -1: nothing is printed,
 * whatever the answer holds. */
int hook_record(struct hook_call *);
int hook_inbox(struct hook_call *);
int hook_loop(struct hook_call *);

/* ---- the event that a hook reports: hookevent.c -------------------------- */

/* A hook's call; it owns nothing.  An agent's message is scanned for markers
 * here, where it is whole; only what was found and its beginning are kept. */
struct hookevent {
	const struct dialect    *dialect;
	struct event_meaning     event;
	const struct json       *input;
	const struct marker_set *markers;       /* of the run */
	const char              *issue;
	int                      state_fd;      /* has the issue's events */
};

/* Fills the event, whose time is set.  False: there is nothing to record. */
bool hookevent_read(const struct hookevent *, struct event *);

#endif
