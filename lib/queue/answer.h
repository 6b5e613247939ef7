/*
 * answer.h - the dialog that an agent in a pane shows, and an answer to it.
 *
 * A key is typed only if the agent is in front of its pane, keys reach no other
 * one, and the screen shows the dialog still: tmux compares and types in one
 * step (tmux/still.h).  What cannot be seen is a dialog that the agent has drawn
 * and tmux has not read yet.  An answer of several keys repeats all that before
 * each of them.
 */
#ifndef PANEWARD_ANSWER_H
#define PANEWARD_ANSWER_H

#include "backend/backend.h"
#include "backend/dialog.h"
#include "queue/row.h"
#include "tmux/still.h"

/* Release it after each look. */
struct answer {
	const struct pane_ref *place;   /* borrowed from the row */
	const struct backend  *backend; /* and from the backends */
	pid_t    agent;                 /* its process */
	uint64_t start;
	bool     twice;                 /* type although a line is on the screen
					   above, too */
	struct tmux_still still;
	struct dialog dialog;
};

/* Looks at the row's pane; the backends are complete.  1: it shows a dialog, 0:
 * it shows none that is known; -1: that cannot be learnt.  Unless 1, with the
 * reason. */
int  answer_look(struct answer *, struct backends *, const struct row *,
    struct buf *why);
void answer_release(struct answer *);

/* Waits some moments, in which clients drop an answer to a new dialog.  False
 * with the reason: it is no longer the one that was looked at. */
bool answer_rests(struct answer *, struct buf *why);

/*
 * Types a key, by tmux's name, or a text, as if pasted, if the screen shows from
 * that line on exactly what was looked at.  False with the reason; *again, and
 * no reason: it shows something else by now.
 */
bool answer_put(struct answer *, size_t first, const char *key,
    const char *text, bool *again, struct buf *why);

enum answer_result {
	ANSWER_GIVEN,                   /* and the dialog went */
	ANSWER_CHANGED,                 /* another dialog, or none: nothing was
					   typed */
	ANSWER_REFUSED,                 /* nothing was typed */
	ANSWER_STAYS,                   /* typed, and the dialog is still there,
					   or another one of this text */
	ANSWER_HALF                     /* the text is typed and was not sent */
};

/* Gives the reply to the dialog that was looked at.  Unless given, with the
 * reason. */
enum answer_result answer_give(struct answer *, const struct dialog_reply *,
    struct buf *why);

#endif
