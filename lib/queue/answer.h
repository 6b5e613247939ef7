/*
 * answer.h - types into the pane of an agent: an answer to the dialog that it
 * shows, or a prompt.
 *
 * A key is typed only if the screen shows what is wanted, the agent is in front
 * of its pane, keys reach no other program, and the screen is unchanged: tmux
 * compares and types in one step (tmux/tmux.h).  tmux reads what the agent draws
 * in the last 60 us only as it writes the key; that is remembered as late.
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
	struct tmux_still still;        /* the last look */
	size_t   first;                 /* compares from that line on, */
	bool     twice;                 /* although a line of these stands
					   above, too */
	struct still_span matter[2];    /* and these again, at last */
	bool     late;                  /* a screen changed during typing */
};

/* Finds the agent in the row's pane; the backends are complete.  -1 with the
 * reason. */
int  typist_find(struct typist *, struct backends *, const struct row *,
    struct buf *why);

/* Looks at the screen anew; still is the caller's.  -1 with the reason: keys
 * would not reach the agent alone. */
int  typist_look(struct typist *, struct buf *why);

enum typist_sight {
	TYPIST_BLIND,                   /* no look, or no typing */
	TYPIST_OTHER,                   /* the wanted screen will not come */
	TYPIST_LATER,                   /* it may still come */
	TYPIST_WANTED
};

struct typist_step {
	/* Judges the screen, and sets first, twice and matter.  Adds the reason
	 * unless it is wanted. */
	enum typist_sight (*judge)(void *, struct buf *why);
	void       *who;                /* for judge */
	const char *key;                /* to be typed, by tmux's name, */
	const char *text;               /* or this, as if pasted */
	msec        most;               /* to wait */
};

/* TYPIST_WANTED: typed.  Else the last sight, with the reason. */
enum typist_sight typist_type(struct typist *, const struct typist_step *,
    struct buf *why);

/* Waits until the screen no longer shows what is wanted. */
bool typist_gone(struct typist *, const struct typist_step *, msec most);

/* Types Enter until that, since some clients ignore it soon after a text.  False
 * with the reason: the text is still there, or that is not known. */
bool typist_send(struct typist *, struct typist_step *, struct buf *why);

#define TYPIST_LATE_WHY "the screen changed as it was typed, so that " \
    "something else may have got it"

enum typist_end {
	TYPIST_DONE,
	TYPIST_REFUSED,                 /* nothing was typed */
	TYPIST_STAYS,                   /* typed without effect */
	TYPIST_LATE,                    /* typed as the screen changed */
	TYPIST_HALF                     /* typed, perhaps not sent */
};

/* Types a prompt if the agent shows an empty one, and Enter when the text is to
 * be seen there; the backends are complete.  Adds the reason unless done. */
enum typist_end typist_tell(struct backends *, const struct row *,
    const char *text, struct buf *why);

/* ---- a dialog: answer.c -------------------------------------------------- */

/* Release it after each look. */
struct answer {
	struct typist typist;
	struct dialog dialog;
	char *rows;                     /* the screen of the dialog */
};

/* 1: the row's pane shows a dialog, 0: it shows no known one, -1: that cannot be
 * learnt.  Unless 1, with the reason.  The backends are complete. */
int  answer_look(struct answer *, struct backends *, const struct row *,
    struct buf *why);
void answer_release(struct answer *);

/* Has the person seen it?  The dialog has that id, or (NULL) is what the row asks
 * and a notice has shown.  False with the reason. */
bool answer_known(const struct answer *, const struct row *, const char *id,
    struct buf *why);

/* Waits some moments, in which clients drop an answer to a new dialog.  False
 * with the reason: another dialog is there. */
bool answer_rests(struct answer *, struct buf *why);

/* Gives the reply to the dialog that was looked at, with a look before each key.
 * The dialog is void then.  Adds the reason unless done. */
enum typist_end answer_give(struct answer *, const struct dialog_reply *,
    struct buf *why);

struct answer_order {
	const char *text;               /* for dialog_choose() */
	const char *dialog;             /* for answer_known(); or NULL */
	bool        rule;               /* the configuration answers, without
					   answer_known() and answer_rests() */
};

/* Gives this answer if the dialog is known and rests; takes seconds.  Adds a
 * line to the journal of the project, or of the user's "panes".  Returns a
 * command's status, and adds what was done, else the reason. */
enum exit_status answer_do(struct answer *, struct queue *, struct row *,
    const struct answer_order *, struct buf *out);

#endif
