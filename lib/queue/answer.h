/*
 * answer.h - types into an agent's pane: an answer to its dialog, or a prompt.
 *
 * A key is typed only if the wanted screen is there and unchanged, the agent is
 * in front of its pane, and keys reach it alone: tmux compares and types in one
 * step (tmux/tmux.h).  A change in the last 60 us is remembered as late.
 */
#ifndef PANEWARD_ANSWER_H
#define PANEWARD_ANSWER_H

#include "queue/queue.h"

struct typist {
	const struct pane_ref *place;   /* borrowed */
	const struct backend  *backend;
	pid_t    agent;
	uint64_t start;
	struct tmux_still still;        /* the last look */
	size_t   first, strict;         /* lines to compare from; strict: those
					   that may not stand above, too */
	struct still_span matter[2];    /* lines to compare again */
	bool     late;                  /* a screen changed during typing */
};

/* Needs complete backends.  -1 with the reason. */
int  typist_find(struct typist *, struct backends *, const struct row *,
    struct buf *why);

/* The caller releases still.  -1 with the reason: keys would not reach the
 * agent. */
int  typist_look(struct typist *, struct buf *why);

enum typist_sight {
	TYPIST_BLIND,
	TYPIST_OTHER,                   /* the wanted screen cannot come */
	TYPIST_LATER,                   /* it may come */
	TYPIST_WANTED
};

struct typist_step {
	/* Judges the screen; sets first, strict and matter.  Adds the reason
	 * unless it is wanted. */
	enum typist_sight (*judge)(void *, struct buf *why);
	void       *who;
	const char *key, *text;         /* key: tmux's name */
	msec        most;
};

/* TYPIST_WANTED: typed; else with the reason. */
enum typist_sight typist_type(struct typist *, const struct typist_step *,
    struct buf *why);

/* Waits until the wanted screen is gone. */
bool typist_gone(struct typist *, const struct typist_step *, msec most);

/* Repeats Enter: some clients ignore it soon after a text.  False with the
 * reason. */
bool typist_send(struct typist *, struct typist_step *, struct buf *why);

#define TYPIST_LATE_WHY "the screen changed as it was typed, so that " \
    "something else may have got it"

enum typist_end {
	TYPIST_DONE,
	TYPIST_REFUSED,                 /* nothing was typed */
	TYPIST_STAYS,
	TYPIST_LATE,                    /* typed as the screen changed */
	TYPIST_HALF                     /* typed, perhaps not sent */
};

struct typist_order {
	const char *text;
	bool command;                   /* it may be one of the client */
	bool worked;                    /* set: its screen shows work since */
};

/* Types into an empty prompt, and Enter once it shows the text.  Needs complete
 * backends.  Adds the reason unless done. */
enum typist_end typist_tell(struct backends *, const struct row *,
    struct typist_order *, struct buf *why);

/* The reason of each state against a prompt, with what the shell can do; NULL:
 * the screen tells. */
extern const struct typist_hold {
	const char *why, *way;
	bool passes;                    /* by itself, or by a person */
} typist_holds[STATE_COUNT];

/* Does its screen show its prompt? */
bool typist_rests(struct backends *, const struct row *);

/* Ends the agent with the keys of its client, then by signals, and says each
 * signal (say may be NULL); all only while it is in front of its pane: else a
 * person may be typing there.  False with the reason. */
bool typist_end(const struct typist *, void (*say)(void *, const char *),
    void *context, struct buf *why);

/* Adds who types: user, terminal and host. */
void typist_who(struct buf *);

/* ---- answer.c ----------------------------------------------------------- */

struct answer {
	struct typist typist;
	struct dialog dialog;
	/* Set by answer_do(): "answered", and the choice or the text. */
	const char *did;
	char *choice;
	bool  unrecorded;               /* given, and missing in the journal */
};

/* 1: a dialog; with the reason 0: no known one, -1: unknown.  Needs complete
 * backends. */
int  answer_look(struct answer *, struct backends *, const struct row *,
    struct buf *why);
void answer_release(struct answer *);

/* Has the person seen that id, or (NULL) the row's question?  False with the
 * reason. */
bool answer_known(const struct answer *, const struct row *, const char *id,
    struct buf *why);

/* Waits while clients drop answers.  False with the reason: it has changed. */
bool answer_rests(struct answer *, struct buf *why);

/* The dialog is void afterwards.  Adds the reason unless done. */
enum typist_end answer_give(struct answer *, const struct dialog_reply *,
    struct buf *why);

struct answer_order {
	const char *text;
	const char *dialog;             /* for answer_known(); or NULL */
	bool        rule;               /* without these checks */
};

/* Answers a dialog that is known and rests, and journals it; takes seconds.
 * out gets what was done, or the reason. */
enum exit_status answer_do(struct answer *, struct queue *, struct row *,
    const struct answer_order *, struct buf *out);

#endif
