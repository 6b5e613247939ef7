/*
 * typist.h - types into the pane of an agent once its screen shows what is
 * wanted.
 *
 * Something is typed only if the agent is in front of its pane, keys reach no
 * other one, and the screen still shows what was looked at: tmux compares and
 * types in one step (tmux/tmux.h).  tmux sees what the agent draws from then
 * on, some 60 us, only as it writes the key; that is remembered as late.
 */
#ifndef PANEWARD_TYPIST_H
#define PANEWARD_TYPIST_H

#include "agent/backend.h"
#include "base/clock.h"
#include "queue/row.h"
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

#endif
