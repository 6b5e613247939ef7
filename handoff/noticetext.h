/*
 * noticetext.h - what a notice says: who, where, what is asked, and how to get
 * there.
 *
 * What the agent wrote is data: a text holds nothing that a terminal obeys, and
 * each way of sending escapes what it would obey itself.
 */
#ifndef PANEWARD_HANDOFF_NOTICETEXT_H
#define PANEWARD_HANDOFF_NOTICETEXT_H

#include <stdbool.h>

#include "base/buf.h"

struct noticetext {
	char *title;            /* "paneward 42 asking (claude in shop)" */
	char *body;             /* "May I ...? | paneward attach 42" */
	bool  urgent;           /* without a person nothing goes on */
};

/* agent, project and message may be NULL; of a long message the begin is
 * used. */
void noticetext_init(struct noticetext *, const char *issue, const char *state,
    const char *agent, const char *project, const char *message);
void noticetext_release(struct noticetext *);

/* Adds text for a program that reads markup. */
void noticetext_add_markup(struct buf *, const char *text);
/* Adds a line of a configuration of curl: name = "value". */
void noticetext_add_curl(struct buf *, const char *name, const char *value);

#endif
