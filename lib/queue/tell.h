/*
 * tell.h - a prompt is typed to an agent in its pane.
 *
 * It is typed only if the agent shows its prompt, and nothing is typed in that
 * (typist.h).  Enter follows when the text is to be seen there.
 */
#ifndef PANEWARD_TELL_H
#define PANEWARD_TELL_H

#include "queue/typist.h"

/* The backends are complete.  Unless done, with the reason. */
enum typist_end tell(struct backends *, const struct row *, const char *text,
    struct buf *why);

#endif
