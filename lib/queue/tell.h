/*
 * tell.h - a prompt is typed to an agent in its pane.
 *
 * It is typed only if the agent is in front, shows its prompt, and nothing is
 * typed in that; tmux compares the screen and types in one step (answer.h).
 * Enter follows when the text is to be seen there, again if it has not sent
 * it.
 */
#ifndef PANEWARD_TELL_H
#define PANEWARD_TELL_H

#include "backend/backend.h"
#include "queue/row.h"

enum tell_result {
	TELL_TOLD,
	TELL_REFUSED,                   /* nothing was typed */
	TELL_HALF                       /* the text was typed, and is not known
					   to be sent */
};

/* The backends are complete.  Unless it is told, with the reason. */
enum tell_result tell(struct backends *, const struct row *, const char *text,
    struct buf *why);

#endif
