/*
 * startqueued.h - starts the queued issues whose turn it is; run/queued.h.
 *
 * One process at a time does this for a project.  It begins each start as a
 * process of its own, which keeps the lock for starts if this one is killed.
 */
#ifndef PANEWARD_STARTQUEUED_H
#define PANEWARD_STARTQUEUED_H

#include "project/context.h"

/* Returns when no more issue's turn has come, or another process, which looks
 * again itself, does it. */
void startqueued_all(struct context *);

#endif
