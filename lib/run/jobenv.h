/*
 * jobenv.h - the environment and input of a hand-off's or notice's command.
 */
#ifndef PANEWARD_JOBENV_H
#define PANEWARD_JOBENV_H

#include "project/context.h"
#include "run/status.h"

enum { JOBENV_EPISODE = RUN_ID_LEN + 40 };

/* The notice's id, the same for every try. */
void        jobenv_episode(char id[JOBENV_EPISODE], const struct status *);
/* "refused" for a hand-off. */
const char *jobenv_state(const struct status *);

/* For argv_free(). */
char **jobenv_environment(const struct context *, const struct status *,
    bool notice);

/* A pipe that holds the text; -1 with errno, EMSGSIZE: too long. */
int    jobenv_pipe(const struct buf *);
int    jobenv_input(const struct status *);

#endif
