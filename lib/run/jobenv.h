/*
 * jobenv.h - the environment and input of a user's command: the hand-off, the
 * notification.
 *
 * The environment has a few variables of ours and those that describe the run;
 * standard input is the status record.
 */
#ifndef PANEWARD_JOBENV_H
#define PANEWARD_JOBENV_H

#include "project/context.h"
#include "run/status.h"

enum { JOBENV_EPISODE = RUN_ID_LEN + 40 };

/* The id of the notice's episode: the same for every try. */
void        jobenv_episode(char id[JOBENV_EPISODE], const struct status *);
/* The state that the notice names; "refused" for a hand-off. */
const char *jobenv_state(const struct status *);

/* The environment of the hand-off or the due notice, for argv_free(). */
char **jobenv_environment(const struct context *, const struct status *,
    bool notice);

/* The reading end of a pipe that holds the text; -1 with errno, EMSGSIZE if it
 * is too long for a pipe. */
int    jobenv_pipe(const struct buf *);
/* The same with the record, one line of JSON. */
int    jobenv_input(const struct status *);

#endif
