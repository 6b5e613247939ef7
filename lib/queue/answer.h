/*
 * answer.h - types into the pane of an agent: an answer to the dialog that it
 * shows, or a prompt.
 *
 * Something is typed only once the screen shows what is wanted, the agent is in
 * front of its pane, keys reach no other one, and the screen still shows what
 * was looked at: tmux compares and types in one step (tmux/tmux.h).  tmux sees
 * what the agent draws from then on, some 60 us, only as it writes the key; that
 * is remembered as late.
 */
#ifndef PANEWARD_ANSWER_H
#define PANEWARD_ANSWER_H

#include "agent/signs.h"
#include "queue/queue.h"
#include "tmux/tmux.h"

struct typist {
	const struct pane_ref *place;   /* borrowed from the row */
	const struct backend  *backend; /* and from the backends */
	pid_t    agent;                 /* its process */
	uint64_t start;
	struct tmux_still still;        /* the screen that was looked at */
	size_t   first;                 /* compared from that line on, */
	bool     twice;                 /* although one of these lines stands
					   above, too */
	struct still_span matter[2];    /* those of them that tell most are
					   compared last */
	bool     late;                  /* a screen had changed when something
					   was typed */
};

/* Finds the agent in the row's pane; the backends are complete.  -1 with the
 * reason. */
int  typist_find(struct typist *, struct backends *, const struct row *,
    struct buf *why);
void typist_release(struct typist *);

/* Looks at the screen anew.  -1 with the reason: keys would not reach the
 * agent alone. */
int  typist_look(struct typist *, struct buf *why);

enum typist_sight {
	TYPIST_BLIND,                   /* there was no look, or no typing */
	TYPIST_OTHER,                   /* what is wanted will not come */
	TYPIST_LATER,                   /* it is not there, perhaps not yet */
	TYPIST_WANTED
};

struct typist_step {
	/* Judges the screen that was looked at, and sets first, twice and
	 * matter.  Unless it is wanted, with the reason. */
	enum typist_sight (*judge)(void *, struct buf *why);
	void       *who;                /* the judge's */
	const char *key;                /* typed then, by tmux's name, */
	const char *text;               /* or this, as if pasted */
	msec        most;               /* waits so long */
};

/* TYPIST_WANTED: it is typed.  Else with the reason, and with what was seen
 * last. */
enum typist_sight typist_type(struct typist *, const struct typist_step *,
    struct buf *why);

/* Waits so long until the screen no longer shows what is wanted. */
bool typist_gone(struct typist *, const struct typist_step *, msec most);

/* Types Enter until that, since some clients ignore one that comes soon after a
 * text.  False with the reason: it is still there, or that is not known. */
bool typist_send(struct typist *, struct typist_step *, struct buf *why);

#define TYPIST_LATE_WHY "the screen changed as it was typed, so that " \
    "something else may have got it"

enum typist_end {
	TYPIST_DONE,
	TYPIST_REFUSED,                 /* nothing was typed */
	TYPIST_STAYS,                   /* typed, and had no effect */
	TYPIST_LATE,                    /* typed as the screen changed */
	TYPIST_HALF                     /* the text is typed, and not known to
					   be sent */
};

/*
 * Types a prompt to the agent in the row's pane; the backends are complete.  It
 * is typed only if the agent shows its prompt, and nothing is typed in that.
 * Enter follows when the text is to be seen there.  Unless done, with the
 * reason.
 */
enum typist_end typist_tell(struct backends *, const struct row *,
    const char *text, struct buf *why);

/* ---- a dialog: answer.c -------------------------------------------------- */

/*
 * An answer of several keys looks anew before each of them.
 */

/* Release it after each look. */
struct answer {
	struct typist typist;
	struct dialog dialog;
	char *rows;                     /* the screen that it was read from */
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
