/*
 * start.h - what start and its queue share: a start's words, one run that
 * begins, its work tree, and the turns of queued issues.
 */
#ifndef PANEWARD_START_START_H
#define PANEWARD_START_START_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "project/context.h"

struct command;
struct newrun;

/* ---- one run ------------------------------------------------------------- */

/*
 * A run's needs are checked, then its files and its pane are made.
 *
 * The order lets the next watch continue after a crash: the record with the
 * run's id is written before the pane is opened, and the pane has the id as an
 * option, so that the two find each other.  If tmux refuses, everything is put
 * back.
 *
 * The start of a queued issue may be repeated, with the same run: what an
 * interrupted one has made is found and used, or removed and made again.
 */

/* The options of start; all borrowed, and NULL if not given. */
struct newrun_how {
	const struct command *command;
	const char *issue;
	const char *backend, *session, *cwd, *worktree, *marker, *handoff;
	const char *prompt, *prompt_file, *status_dir;
	const char *branch, *base;      /* of the new work tree */
	bool        window, watch, no_handoff, exit_is_report, new_worktree;
	char      **words;              /* COMMAND, or none */
	bool        queued;             /* it starts later, or does so now: */
	const char *run;                /* the id of its run */
	bool        again;              /* an earlier start was interrupted */
	int         turn;               /* a lock that outlives us while git
					   makes the work tree; 0: none */
};

/* Checks everything, and makes nothing.  Ends the program if it cannot start;
 * the message begins with the issue.  Unless it is queued, warns or asks if its
 * folder is shared. */
struct newrun *newrun_plan(const struct newrun_how *);
/* The same alone.  Sets the name of its backend, and the folder in which its
 * agent will work, NULL if that is still to be made; for the caller to free. */
void newrun_check(const struct newrun_how *, char **backend, char **folder);
/* Begins it, starts its watcher and prints where it is.  Ends the program, with
 * everything put back, if it cannot. */
void newrun_begin(struct newrun *);

/* The words of one start: the command's name, options, an issue, and perhaps
 * "--" and a command; NULL-ended.  Ends the program if they are wrong.  The
 * words may be moved, and must outlive what is filled in. */
void start_words(struct newrun_how *, char **words);

/* ---- agents in one folder ------------------------------------------------ */

/* An issue that is to be started. */
struct shared {
	const char *issue;
	char *folder;                   /* its agent's; NULL: a new work tree */
};

/* Warns of folders in which more than one of these agents, or of those that
 * live in the project, would work, where each overwrites what the others do.
 * On a terminal it asks, and ends the program unless the answer is yes. */
void shared_ask(int state_fd, const struct shared *, size_t n);

/* ---- the queue (run/queued.h) -------------------------------------------- */

/*
 * Starts the queued issues whose turn it is.  A project has at most one
 * process at a time that does this.  Each start is a process of its own, which
 * keeps the lock for starts if this process is killed.
 *
 * Returns when no more issue's turn has come, or another process, which looks
 * again itself, does it.
 */
void startqueued_all(struct context *);

/* ---- its work tree ------------------------------------------------------- */

/*
 * It is the folder issue-<issue> below worktree_root, on a branch that is made
 * with it or that no work tree has checked out.  Git never sees it as a part of
 * the project.  The folder is made first and must be new: all in it is ours,
 * until the agent begins.
 *
 * newtree_plan() and newtree_make() return -1 with the whole reason in *why;
 * then nothing is left of it.
 */

/* The options of a new work tree; borrowed. */
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
/* Makes it, with the files of worktree_copy.  Remains of an interrupted start
 * are removed before, unless work in them would be lost. */
int  newtree_make(struct newtree *, const struct context *, struct buf *why);
/* Removes what was made, if anything was. */
void newtree_undo(struct newtree *, const struct context *);
void newtree_release(struct newtree *);

#endif
