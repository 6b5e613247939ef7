/*
 * worktree.h - removes a run's work tree if nothing at all would be lost.
 *
 * An agent wrote what lies in the work tree, so it is inspected from outside:
 * git is given the path of its own folder instead of following a file in the
 * work tree, and it runs no hooks.  What git takes for unmodified by the
 * project's own conversions (line ends, filters) is unmodified here.
 *
 * A refusal prints one line with the reason and what to do, and ends the
 * program with CLEANUP_REFUSED.
 */
#ifndef PANEWARD_HANDOFF_WORKTREE_H
#define PANEWARD_HANDOFF_WORKTREE_H

#include <stdbool.h>

#include "base/buf.h"
#include "handoff/occupants.h"

enum { CLEANUP_FAILED = 1, CLEANUP_REFUSED = 77 };

struct worktree {
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
void worktree_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Prints why it failed, and ends the program with CLEANUP_FAILED. */
_Noreturn void worktree_fail(struct worktree *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints why and what to do, and ends the program with CLEANUP_REFUSED. */
_Noreturn void worktree_refuse(struct worktree *, const char *advice,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Returns if the work tree, or what git remembers of one that vanished, can be
 * removed without a loss.  Waits that many seconds for processes in it to end.
 * Changes nothing.
 */
void worktree_judge(struct worktree *, int seconds);

/* Waits that long for the processes in the work tree, then refuses. */
void worktree_judge_occupants(struct worktree *, int seconds);

/* Saves what has to be saved, then removes the judged work tree. */
void worktree_remove(struct worktree *);

void worktree_release(struct worktree *);

#endif
