/*
 * newtree.h - the work tree that start makes for an issue.
 *
 * It is the folder issue-<issue> below worktree_root, on a branch that is made
 * with it or that no work tree has checked out.  Git never sees it as a part of
 * the project.  The folder is made first and must be new: all in it is ours,
 * until the agent begins.
 *
 * newtree_plan() and newtree_make() return -1 with the whole reason in *why;
 * then nothing is left of it.
 */
#ifndef PANEWARD_WATCHER_NEWTREE_H
#define PANEWARD_WATCHER_NEWTREE_H

#include <stdbool.h>

#include "base/buf.h"
#include "project/context.h"

struct newtree {
	char *path;                     /* absolute; NULL: none is made */
	char *branch, *commit;          /* where it begins */
	bool  new_branch, made;
	char *ignore;                   /* what git is to ignore; NULL: the
					   folder is not in the project */
};

/* Finds out what to make, and makes nothing.  branch (NULL: issue-<issue>) and
 * base (NULL: the project's HEAD) are the user's. */
int  newtree_plan(struct newtree *, const struct context *, const char *issue,
    const char *branch, const char *base, struct buf *why);
/* Makes it, with the files of worktree_copy. */
int  newtree_make(struct newtree *, const struct context *, struct buf *why);
/* Removes what was made, if anything was. */
void newtree_undo(struct newtree *, const struct context *);
void newtree_release(struct newtree *);

#endif
