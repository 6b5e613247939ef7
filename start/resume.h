/*
 * resume.h - how the agent of a lost run is started again: with which command,
 * in which directory, with which conversation.
 *
 * start has noted the command of its runs.  An adopted run gets the command of
 * its backend, without options, in the directory in which it was found.
 */
#ifndef PANEWARD_RESUME_H
#define PANEWARD_RESUME_H

#include <stdbool.h>

#include "agent/backend.h"
#include "project/statusdir.h"
#include "run/launch.h"
#include "run/status.h"

struct resume {
	struct launch launch;           /* the words of every start */
	const struct backend *backend;
	const char *session;            /* in the record; or else */
	const char *transcript;         /* in it, too; or else the last session
					   of its folder */
};

void resume_release(struct resume *);

/* Finds all of it; the record and the backends have to outlive it.  False adds
 * the reason to why. */
bool resume_find(struct resume *, struct backends *, const struct status *,
    const struct statusdir *, struct buf *why);

/* The second part of that: which conversation, with the backend that is set.
 * Looks only at whether the transcript is there. */
bool resume_session(struct resume *, const struct status *, struct buf *why);

/* "claude with session 7c1f in '/home/me/work'" */
void resume_describe(const struct resume *, struct buf *out);

/* Writes what the new pane is to run; prompt may be NULL.  -1 with errno. */
int  resume_write(const struct resume *, int state_fd, const char *issue,
    const char *prompt);

#endif
