/*
 * tree.h - a run's work tree, for short commands, which leave their texts to
 * the system.  A message is one line: the reason, and what to do.
 */
#ifndef PANEWARD_HANDOFF_TREE_H
#define PANEWARD_HANDOFF_TREE_H

#include "os/file.h"
#include "os/spawn.h"

/* ---- the processes in it: occupants.c ------------------------------------ */

/* Processes of the run's pane end with it: they descend from its process, are
 * in its group or on its terminal.  The tmux server and its pipes may stay;
 * since 3.7 each pipe leads a group of its own. */
struct occupants {
	pid_t  pane, server;            /* 0: none */
	struct buf ours;
};

/* The lowest other process in the folder (a real path); 0: none; -1 with errno,
 * which is 0 if the system does not tell. */
pid_t occupants_stranger(struct occupants *, const char *folder);
bool  occupants_ours(const struct occupants *, pid_t);

/* ---- the work tree ------------------------------------------------------- */

enum { CLEANUP_FAILED = 1, CLEANUP_LATER = 75, CLEANUP_REFUSED = 77 };

struct tree {
	const char *issue, *run, *status_dir;
	const char *tree;               /* as the run names it; "": none */
	const char *root;               /* the folder of all work trees */
	char      **build_dirs;
	bool        force, plan;        /* save, or print, what would be lost */
	struct occupants occupants;

	/* Set by worktree_judge(): */
	const char *real;               /* its path without links */
	const char *common;             /* the repository; NULL: none */
	const char *admin;              /* its folder for the work tree */
	const char *note;               /* recorded before a removal */
	bool  present, begun;           /* there is a folder; the note */
	bool  must_save, staged;
	const char *head;               /* commit; NULL: none yet */
	char **lone;                    /* commits that only it reaches */
	char **copies;                  /* untracked copies of the project's */

	const char *tmp;
	struct buf out, errors;
};

/* The type, by its mode; 0: none. */
mode_t tree_kind(const char *path);
bool tree_same(const char *path, const char *real);

void tree_print(FILE *, const char *text);
#define tree_say(...) tree_print(stdout, xasprintf(__VA_ARGS__))

_Noreturn void tree_stop(struct tree *, int status, const char *why);
#define tree_fail(w, ...) \
	tree_stop((w), CLEANUP_FAILED, xasprintf(__VA_ARGS__))

/* With CLEANUP_REFUSED, after what to do. */
_Noreturn void tree_keeps(struct tree *, const char *advice, const char *why,
    const char *more);
#define tree_refuse(w, advice, ...) \
	tree_keeps((w), (advice), xasprintf(__VA_ARGS__), "")
/* The same with the messages of the last program. */
_Noreturn void tree_unreadable(struct tree *, const char *what);
/* The same, unless force is set: then sets must_save. */
void tree_loses(struct tree *, const char *advice, const char *what);
#define tree_lose(w, advice, ...) \
	tree_loses((w), (advice), xasprintf(__VA_ARGS__))

void tree_release(struct tree *);

/* The program's exit status; -1: unknown. */
int   tree_run(struct tree *, const char *cwd, const char *const *argv);

enum git_at {
	GIT_MAIN,               /* the repository, for commands without files */
	GIT_APART,              /* as all below: without its configuration */
	GIT_TREE,               /* the work tree */
	GIT_FRESH,              /* with an index made from HEAD, */
	GIT_STAGED              /* or with a copy of its index */
};

/* Runs git without anything that a repository may have executed, hidden or
 * fetched. */
int   tree_git(struct tree *, enum git_at, const char *const *words);
bool  tree_copy_index(struct tree *);
/* The first line of the last program's output; of git's, NULL after a
 * failure. */
const char *tree_line(struct tree *);
const char *tree_git_line(struct tree *, enum git_at, const char *const *words);
const char *tree_complaint(struct tree *);
/* The NUL-ended part of its output behind that one (NULL: the first), or
 * NULL. */
const char *tree_next(const struct tree *, const char *part);

/* Content of a small file without its last line feeds, or NULL. */
char *tree_file(const char *folder, const char *name);

/* False: git cannot tell. */
bool  tree_find_lone(struct tree *);

/* Makes one commit of all files but the ignored ones in a build directory; its
 * parents are HEAD, the index if it has more, and lone.  Its ref is set last.
 * Returns the tree object of the files. */
const char *tree_rescue(struct tree *);
/* The tree object of the present files; NULL: it cannot be made. */
const char *tree_save_files(struct tree *);

/* ---- may it be removed?  worktree.c -------------------------------------- */

/* Only if nothing at all would be lost.  An agent wrote the files, so the work
 * tree is inspected from outside: git gets the path of its own folder, and runs
 * no program that the repository names. */

/* Finds common and admin by real, from the project's folder. */
void worktree_find(struct tree *);

/* Returns if the work tree, or git's record of one that vanished, can be
 * removed without a loss.  Waits so many seconds for processes in it to end:
 * those of a pane that was closed, or a git of a prompt or of a watcher. */
enum { OCCUPANTS_LEAVE = 3 };
void worktree_judge(struct tree *);
void worktree_judge_occupants(struct tree *, int seconds);

/* Saves what has to be saved, and removes what worktree_judge() let pass; with
 * plan it prints that.  A note in the status directory marks the begin, for the
 * next call after a kill. */
void worktree_remove(struct tree *);

#endif
