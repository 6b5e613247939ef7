/*
 * worktree.h - may a run's work tree be removed?  Only if nothing at all would
 * be lost.  If so, its removal.
 *
 * An agent wrote what lies in the work tree, so it is inspected from outside:
 * git is given the path of its own folder instead of following a file in the
 * work tree, and it runs no program that the repository names.  What git takes
 * for unmodified by the project's line ends and the user's filters is
 * unmodified here.
 *
 * A refusal prints one line with the reason and what to do, and ends the
 * program with CLEANUP_REFUSED.
 */
#ifndef PANEWARD_HANDOFF_WORKTREE_H
#define PANEWARD_HANDOFF_WORKTREE_H

#include "handoff/tree.h"

/* Finds common, and admin of the tree whose real is known.  The current
 * directory is the project's. */
void worktree_find(struct tree *);

/*
 * Returns if the work tree, or what git remembers of one that vanished, can be
 * removed without a loss.  Waits that many seconds for processes in it to end.
 */
void worktree_judge(struct tree *, int seconds);

/* Waits that long for the processes in the work tree, then refuses. */
void worktree_judge_occupants(struct tree *, int seconds);

/*
 * Removes what worktree_judge() let pass, once what has to be saved is; or ends
 * the program with CLEANUP_FAILED.  A missing work tree is no error.  A
 * note in the status directory says that it has begun, so that a removal that
 * was cut short is known and finished by the next one.  git inspects the work
 * tree again, unless everything in it was saved.
 */
void worktree_remove(struct tree *);

#endif
