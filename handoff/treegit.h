/*
 * treegit.h - what git is asked of a work tree, and saving it.
 *
 * The output of the last program run is in out and errors of the work tree.
 */
#ifndef PANEWARD_HANDOFF_TREEGIT_H
#define PANEWARD_HANDOFF_TREEGIT_H

#include <stdbool.h>

#include "handoff/worktree.h"

#define WORDS(...) (const char *const []){ __VA_ARGS__, NULL }

/* Runs a program; its exit status, -1 if that is not known. */
int   treegit_run(struct worktree *, const char *cwd,
    const char *const *argv);

enum git_at {
	GIT_MAIN,               /* the repository */
	GIT_TREE,               /* the work tree */
	GIT_FRESH,              /* the same with an index made from HEAD, */
	GIT_STAGED              /* or with a copy of its index */
};

/* Runs git without what a repository may have executed or hidden. */
int   treegit(struct worktree *, enum git_at, const char *const *words);

/* What it printed as messages, on one line. */
const char *treegit_complaint(struct worktree *);

/* The part of its output behind part, which ended with NUL; NULL: the first,
 * or none. */
const char *treegit_next(const struct worktree *, const char *part);

/* Content of a small file without its last line feeds; NULL.  To be freed. */
char *treegit_file(const char *folder, const char *name);

/* The repository around the current directory; NULL.  To be freed. */
char *treegit_repository(struct worktree *);

/* Paths that `git worktree list` knows, the main one first; NULL.  To be freed
 * with argv_free(). */
char **treegit_trees(struct worktree *);

/* Fills head.  False if HEAD cannot be read. */
bool  treegit_find_head(struct worktree *);

/* Fills lone: the commits that would be lost. */
bool  treegit_find_lone(struct worktree *);

/* The first line of a commit's message, to be freed. */
char *treegit_title(struct worktree *, const char *commit);

/* 1: the index differs from HEAD, 0: it does not. */
int   treegit_staged(struct worktree *);
bool  treegit_fresh_index(struct worktree *);

/* False if git did not inspect all of it. */
bool  treegit_status(struct worktree *, enum git_at);

/*
 * Makes one commit of everything: the files as they are, but what is ignored in
 * a build directory; its parents are HEAD, the index if it has more, and every
 * commit that would be lost.  Setting its ref is the last step.
 */
void  treegit_rescue(struct worktree *);

/* Lets git remove the work tree, which inspects it again unless it was
 * saved. */
int   treegit_remove(struct worktree *);

#endif
