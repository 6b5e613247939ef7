/*
 * starting.h - the start of an issue that this host has taken: what `paneward
 * start` is given, and whether it worked.
 */
#ifndef PANEWARD_FLEET_STARTING_H
#define PANEWARD_FLEET_STARTING_H

#include "fleet/holding.h"

/* Begins it; a failure is that of its start. */
void starting_begin(struct holding *, const char *host);
/* False: it goes on.  Sets failed if it could not be started. */
bool starting_step(struct holding *, msec now);

/* Has the issue a run that is at work? */
bool starting_runs(const struct holding *);

#endif
