/*
 * removal.h - removes a work tree that worktree_judge() let pass.
 *
 * A note in the status directory says that it has begun, so that a removal
 * that was cut short is known and finished by the next one.  git inspects the
 * work tree again, unless everything in it was saved.
 */
#ifndef PANEWARD_HANDOFF_REMOVAL_H
#define PANEWARD_HANDOFF_REMOVAL_H

#include "handoff/tree.h"

/* Saves what has to be saved, then removes it, or ends the program with
 * CLEANUP_FAILED.  One that is gone already is no error. */
void removal_run(struct tree *);

#endif
