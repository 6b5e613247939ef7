/*
 * reply.h - an answer to the dialog of an agent, while it is typed.
 *
 * The dialog is the one that 'paneward answer' saw when it began; if it is
 * another one when the answer is sent, that types nothing.
 */
#ifndef PANEWARD_REPLY_H
#define PANEWARD_REPLY_H

#include <stdbool.h>

#include "base/buf.h"
#include "queue/row.h"

/* All zero: none is typed. */
struct reply {
	char *word, *directory;         /* name the agent; the second one may be
					   NULL */
	char *name;                     /* that a person knows */
	char *dialog;                   /* its id */
	struct buf typed;
};

/* Is one being typed? */
bool reply_open(const struct reply *);
/* Begins one for the dialog of a row; -1 with the reason. */
int  reply_begin(struct reply *, const char *program, const struct row *,
    struct buf *why);
/* Gives it, which may take seconds, and adds what came of it; 'y' and 'n' are
 * yes and no. */
void reply_send(struct reply *, const char *program, struct buf *result);
/* Nothing is answered. */
void reply_drop(struct reply *);

#endif
