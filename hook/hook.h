/*
 * hook.h - what an agent's own hook runs: "paneward hook NAME".
 *
 * A hook gets one JSON object on standard input and may answer with one.  On
 * trouble hook.c warns and exits 0 with an empty answer: it never harms the
 * agent.
 */
#ifndef PANEWARD_HOOK_H
#define PANEWARD_HOOK_H

#include "agent/dialect.h"
#include "run/self.h"

struct hook_call {
	const struct json *input;       /* an object; borrowed; or NULL */
	const char  *context, *save;    /* --context, --save; or NULL */
	struct json *answer;            /* printed if 0 is returned; or NULL */
	struct buf   why;               /* printed in any case */
};

/* Adds "; " behind earlier trouble. */
struct buf *hook_more(struct buf *why);
/* Moves why behind earlier trouble. */
void hook_collect(struct buf *all, struct buf *why);
/* Has a hook kept the agent going in this turn? */
bool hook_kept_going(const struct hook_call *);
/* Answers that the agent continues with this text, as its pane may show it.
 * False, with a reason: it may not. */
bool hook_block(struct hook_call *, const struct self *, const struct buf *);

/* The session's folder, from the client's variable; else the current one. */
const char *hook_folder(void);

/* -1: the answer is not printed. */
int hook_record(struct hook_call *);
int hook_inbox(struct hook_call *);
int hook_loop(struct hook_call *);

/* ---- the event that a hook reports: hookevent.c -------------------------- */

/* Borrows all.  An agent's message is scanned here, where it is whole. */
struct hookevent {
	const struct dialect    *dialect;
	struct event_meaning     event;
	const struct json       *input;
	const struct marker_set *markers;
	const char              *issue;
	int                      state_fd;
};

/* Fills the event, whose time is set.  False: nothing to record. */
bool hookevent_read(const struct hookevent *, struct event *);

#endif
