/*
 * tree.h - a run's work tree: what is known of it, and what git knows.
 *
 * Messages are one line, escaped: the reason, and what to do.  The output of
 * the last program run is in out and errors.
 */
#ifndef PANEWARD_HANDOFF_TREE_H
#define PANEWARD_HANDOFF_TREE_H

#include <stdbool.h>

#include "base/buf.h"
#include "handoff/occupants.h"

enum { CLEANUP_FAILED = 1, CLEANUP_REFUSED = 77 };

struct tree {
	const char *issue, *run;
	const char *status_dir;
	char       *tree;               /* as the run names it; "": none */
	const char *root;               /* the folder of all work trees */
	char      **build_dirs;         /* ignored files in them may be lost */
	bool        force;              /* save what would be lost */
	bool        plan;               /* print what would be saved */
	struct occupants occupants;

	/* what worktree_judge() finds */
	char *real;                     /* its path without links */
	char *common;                   /* the repository; NULL: none */
	char *admin;                    /* its folder for the work tree */
	bool  present;                  /* there is a folder */
	bool  begun;                    /* an earlier removal was cut short */
	bool  must_save, staged;
	char *head;                     /* commit; NULL: none yet */
	char **lone;                    /* commits that only it reaches */
	char *files;                    /* tree object of what was saved */
	char *tmp;                      /* folder of our own indexes */
	struct buf out, errors;         /* of the last program run */
};

/* Prints one line, escaped. */
void tree_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Prints why it failed, and ends the program with CLEANUP_FAILED. */
_Noreturn void tree_fail(struct tree *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints why and what to do, and ends the program with CLEANUP_REFUSED. */
_Noreturn void tree_refuse(struct tree *, const char *advice,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same of what --force saves; with that, sets must_save. */
void tree_lose(struct tree *, const char *advice, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Removes its indexes. */
void tree_release(struct tree *);

#define WORDS(...) (const char *const []){ __VA_ARGS__, NULL }

/* Runs a program; its exit status, -1 if that is not known. */
int   tree_run(struct tree *, const char *cwd,
    const char *const *argv);

enum git_at {
	GIT_MAIN,               /* the repository */
	GIT_TREE,               /* the work tree */
	GIT_FRESH,              /* the same with an index made from HEAD, */
	GIT_STAGED              /* or with a copy of its index */
};

/* Runs git without what a repository may have executed or hidden. */
int   tree_git(struct tree *, enum git_at, const char *const *words);

/* What it printed as messages, on one line. */
const char *tree_complaint(struct tree *);

/* The part of its output behind part, which ended with NUL; NULL: the first,
 * or none. */
const char *tree_next(const struct tree *, const char *part);

/* Content of a small file without its last line feeds; NULL.  To be freed. */
char *tree_file(const char *folder, const char *name);

/* The repository around the current directory; NULL.  To be freed. */
char *tree_repository(struct tree *);

/* Paths that `git worktree list` knows, the main one first; NULL.  To be freed
 * with argv_free(). */
char **tree_trees(struct tree *);

/* Fills head.  False if HEAD cannot be read. */
bool  tree_find_head(struct tree *);

/* Fills lone: the commits that would be lost. */
bool  tree_find_lone(struct tree *);

/* The first line of a commit's message, to be freed. */
char *tree_title(struct tree *, const char *commit);

/* 1: the index differs from HEAD, 0: it does not. */
int   tree_staged(struct tree *);
bool  tree_fresh_index(struct tree *);

/* False if git did not inspect all of it. */
bool  tree_status(struct tree *, enum git_at);

/*
 * Makes one commit of everything: the files as they are, but what is ignored in
 * a build directory; its parents are HEAD, the index if it has more, and every
 * commit that would be lost.  Setting its ref is the last step.
 */
void  tree_rescue(struct tree *);

/* Lets git remove the work tree, which inspects it again unless it was
 * saved. */
int   tree_remove(struct tree *);

#endif
