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

/* What is wanted; borrowed. */
struct newtree_how {
	const char *issue;
	const char *branch;             /* NULL: issue-<issue> */
	const char *base;               /* NULL: the project's HEAD */
	bool  later;                    /* its place must be free now */
	bool  agreed;                   /* without the project's changes */
	bool  again;                    /* an interrupted start, before which
					   its place was free, may have left a
					   part of it, */
	bool  whole;                    /* or all of it */
	int   turn;                     /* a lock that git and cp keep, should
					   we end before them; 0: none */
};

struct newtree {
	struct newtree_how how;
	char *path;                     /* absolute; NULL: none is made */
	char *branch, *commit;          /* where it begins */
	bool  new_branch, made;
	char *ignore;                   /* what git is to ignore; NULL: the
					   folder is not in the project */
};

/* Finds out what to make, and makes nothing. */
int  newtree_plan(struct newtree *, const struct context *,
    const struct newtree_how *, struct buf *why);
/* Makes it, with the files of worktree_copy.  What an interrupted start has
 * left is removed before, unless work in it would be lost. */
int  newtree_make(struct newtree *, const struct context *, struct buf *why);
/* Removes what was made, if anything was. */
void newtree_undo(struct newtree *, const struct context *);
void newtree_release(struct newtree *);

#endif
