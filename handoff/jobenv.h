/*
 * jobenv.h - what a command of the user's is told of a run (SPEC 6).
 *
 * Its environment holds nothing but a few variables of our own one (a table in
 * jobenv.c) and what is said of the run; on its standard input it finds the
 * status record.
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
	bool                    notice; /* of what its record says is due */
	const struct statusdir *dir;
	const struct config    *config;
	const struct project   *project;
};

enum { JOBENV_EPISODE = RUN_ID_LEN + 40 };

/* The id of what the record's notice is of: the same for every try. */
void        jobenv_episode(char id[JOBENV_EPISODE], const struct status *);
/* "error", "waiting", or "refused" of a hand-off. */
const char *jobenv_state(const struct status *);

/* "NAME=value", NULL-ended; freed by argv_free(). */
char **jobenv_environment(const struct job_env *);

/*
 * The reading end of a pipe that holds the record as one line of JSON and
 * nothing behind it; -1 with errno.
 */
int    jobenv_input(const struct status *);

#endif
