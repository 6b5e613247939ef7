/*
 * tree.h - a run's work tree: what is known of it, and what git knows.
 *
 * Messages are one line, escaped: the reason, and what to do.  The output of
 * the last program run is in out and errors.  Every text that a function here
 * returns belongs to the tree and lives as long.
 */
#ifndef PANEWARD_HANDOFF_TREE_H
#define PANEWARD_HANDOFF_TREE_H

#include "os/file.h"
#include "os/spawn.h"

/* ---- who is in it: occupants.c ------------------------------------------- */

/*
 * The processes whose current directory is in a folder.
 *
 * Processes of the run's pane end with it: those that descend from the pane's
 * process, are in its group or on its terminal.  They are remembered, so that
 * they are known after the pane was closed.  The tmux server and its pipes
 * keep the directory in which the server was started; since 3.7 each pipe
 * leads a group of its own.
 */
struct occupants {
	pid_t  pane, server;            /* 0: none */
	struct buf ours;                /* pids seen as the pane's */
};

/*
 * The lowest process in the folder (a real path) that is neither of the pane
 * nor of the tmux server; 0: none.  -1 with errno; 0 if the system does not tell.
 */
pid_t occupants_stranger(struct occupants *, const char *folder);

/* Did that process belong to the pane? */
bool  occupants_ours(const struct occupants *, pid_t);

/* ---- the work tree ------------------------------------------------------- */

enum { CLEANUP_FAILED = 1, CLEANUP_LATER = 75, CLEANUP_REFUSED = 77 };

struct tree {
	const char *issue, *run;
	const char *status_dir;
	const char *tree;               /* as the run names it; "": none */
	const char *root;               /* the folder of all work trees */
	char      **build_dirs;         /* ignored files in them may be lost */
	bool        force;              /* save what would be lost */
	bool        plan;               /* print what would be saved */
	struct occupants occupants;

	/* what worktree_judge() finds */
	const char *real;               /* its path without links */
	const char *common;             /* the repository; NULL: none */
	const char *admin;              /* its folder for the work tree */
	bool  present;                  /* there is a folder */
	const char *note;               /* recorded before a removal begins */
	bool  begun;                    /* it is there: a removal of ours was
					   cut short */
	bool  must_save, staged;
	const char *head;               /* commit; NULL: none yet */
	char **lone;                    /* commits that only it reaches */
	char **copies;                  /* files that git does not track and
					   the project has, too */

	const char *tmp;                /* folder of our own indexes */
	struct buf out, errors;         /* of the last program run */
	char **texts;                   /* what its functions returned */
	size_t ntexts;
};

/* Takes over an allocated text, or NULL, and returns it. */
char *tree_keep(struct tree *, char *text);
char *tree_text(struct tree *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What kind of file is at the path, by its mode?  0: none. */
mode_t tree_kind(const char *path);
/* Does the path lead to that real one? */
bool tree_same(struct tree *, const char *path, const char *real);

/* Prints one line, escaped. */
void tree_print(FILE *, const char *text);
#define tree_say(w, ...) tree_print(stdout, tree_text((w), __VA_ARGS__))

/* Prints why it failed, and ends the program with CLEANUP_FAILED. */
_Noreturn void tree_stop(struct tree *, const char *why);
#define tree_fail(w, ...) tree_stop((w), tree_text((w), __VA_ARGS__))

/* Prints why and what to do, and ends the program with CLEANUP_REFUSED. */
_Noreturn void tree_keeps(struct tree *, const char *advice, const char *why,
    const char *more);
#define tree_refuse(w, advice, ...) \
	tree_keeps((w), (advice), tree_text((w), __VA_ARGS__), "")

/* The same with what the last program said: something cannot be read. */
_Noreturn void tree_unreadable(struct tree *, const char *what);

/* The same of what --force saves; with that, sets must_save. */
void tree_loses(struct tree *, const char *advice, const char *what);
#define tree_lose(w, advice, ...) \
	tree_loses((w), (advice), tree_text((w), __VA_ARGS__))

/* Removes its indexes, and forgets everything. */
void tree_release(struct tree *);

/* Runs a program; its exit status, -1 if that is not known. */
int   tree_run(struct tree *, const char *cwd, const char *const *argv);

enum git_at {
	GIT_MAIN,               /* the repository, which looks at no files */
	GIT_APART,              /* or does, as the following do: without its
				   own configuration */
	GIT_TREE,               /* the work tree */
	GIT_FRESH,              /* the same with an index made from HEAD, */
	GIT_STAGED              /* or with a copy of its index */
};

/* Runs git without what a repository may have executed, hidden or fetched. */
int   tree_git(struct tree *, enum git_at, const char *const *words);
/* Makes its index, or none, what GIT_STAGED uses. */
bool  tree_copy_index(struct tree *);
/* The first line of what the last program printed. */
const char *tree_line(struct tree *);
/* Runs git; the first line that it prints; NULL: it failed. */
const char *tree_git_line(struct tree *, enum git_at, const char *const *words);

/* What the last program printed as messages, on one line. */
const char *tree_complaint(struct tree *);

/* The part of its output behind part, which ended with NUL; NULL: the first,
 * or none. */
const char *tree_next(const struct tree *, const char *part);

/* Content of a small file without its last line feeds; NULL. */
char *tree_file(struct tree *, const char *folder, const char *name);

/* Fills lone: the commits that would be lost.  False if git cannot tell. */
bool  tree_find_lone(struct tree *);

/*
 * Makes one commit of everything: the files as they are, but what is ignored in
 * a build directory; its parents are HEAD, the index if it has more, and every
 * commit that would be lost.  Setting its ref is the last step.
 *
 * Returns the tree object of the files.
 */
const char *tree_rescue(struct tree *);

/* That object of the files as they are now; NULL: it cannot be made. */
const char *tree_save_files(struct tree *);

/* ---- may it be removed?  worktree.c ---------------------------------------- */

/*
 * Only if nothing at all would be lost.
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
