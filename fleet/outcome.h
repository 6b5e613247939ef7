/*
 * outcome.h - what became of an issue that this host has: its order gets the
 * run, and its end.
 */
#ifndef PANEWARD_FLEET_OUTCOME_H
#define PANEWARD_FLEET_OUTCOME_H

#include "fleet/holding.h"

/* Reads the record, and writes into the order what is new.  What the server
 * does not take is tried again by the next call.  Sets works, and gone if the
 * issue is over or no longer ours. */
void outcome_look(struct holding *, struct link *);
/* Of an issue that is not ours: a worker that was killed when it had closed the
 * order has left the lease. */
void outcome_tidy(struct holding *, struct link *);

#endif
