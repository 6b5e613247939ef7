/*
 * answer.h - the dialog that an agent in a pane shows, and an answer to it.
 *
 * A key is typed only if the screen shows the dialog still (typist.h).  An
 * answer of several keys looks anew before each of them.
 */
#ifndef PANEWARD_ANSWER_H
#define PANEWARD_ANSWER_H

#include "agent/signs.h"
#include "base/exitstatus.h"
#include "queue/queue.h"
#include "queue/typist.h"

/* Release it after each look. */
struct answer {
	struct typist typist;
	struct dialog dialog;
};

/* Looks at the row's pane; the backends are complete.  1: it shows a dialog, 0:
 * it shows none that is known; -1: that cannot be learnt.  Unless 1, with the
 * reason. */
int  answer_look(struct answer *, struct backends *, const struct row *,
    struct buf *why);
void answer_release(struct answer *);

/* Has the person seen it?  It is the dialog of that id, or, without an id, what
 * the row asks and a notice has shown.  False with the reason. */
bool answer_known(const struct answer *, const struct row *, const char *id,
    struct buf *why);

/* Waits some moments, in which clients drop an answer to a new dialog.  False
 * with the reason: it is no longer the one that was looked at. */
bool answer_rests(struct answer *, struct buf *why);

/* Gives the reply to the dialog that was looked at.  Unless done, with the
 * reason. */
enum typist_end answer_give(struct answer *, const struct dialog_reply *,
    struct buf *why);

struct answer_order {
	const char *text;               /* as dialog_choose() has it */
	const char *dialog;             /* as answer_known() has it; NULL */
	bool        rule;               /* the configuration answers, without
					   asking what is known and rests */
};

/* Gives this answer to the dialog that was looked at, if it is known and rests.
 * The journal of the project, or of the user's folder "panes", gets who
 * answered what.  Takes seconds.  Returns the status of a command, and adds what
 * was done, else the reason. */
enum exit_status answer_do(struct answer *, struct queue *, struct row *,
    const struct answer_order *, struct buf *out);

#endif
