/*
 * jobenv.h - the environment and input of a user's command: the hand-off, the
 * notification.
 *
 * The environment has a few variables of our own (a table in jobenv.c) and
 * those that describe the run; standard input is the status record.
 */
#ifndef PANEWARD_HANDOFF_JOBENV_H
#define PANEWARD_HANDOFF_JOBENV_H

#include <stdbool.h>

#include "run/config.h"
#include "run/project.h"
#include "run/status.h"
#include "run/statusdir.h"

struct job_env {
	const struct status    *record;
	bool                    notice; /* for the notice that is due, not the
					   hand-off */
	const struct statusdir *dir;
	const struct config    *config;
	const struct project   *project;
};

enum { JOBENV_EPISODE = RUN_ID_LEN + 40 };

/* The id of the notice's episode: the same for every try. */
void        jobenv_episode(char id[JOBENV_EPISODE], const struct status *);
/* The state that the notice names; "refused" for a hand-off. */
const char *jobenv_state(const struct status *);

/* "NAME=value", NULL-ended; freed by argv_free(). */
char **jobenv_environment(const struct job_env *);

/* The reading end of a pipe with the record, one line of JSON; -1 with
 * errno. */
int    jobenv_input(const struct status *);

#endif
