/*
 * start.h - what is behind start and revive: one run that begins, its work tree
 * and its pane, and how a lost one is resumed.
 */
#ifndef PANEWARD_START_START_H
#define PANEWARD_START_START_H

#include "agent/backend.h"
#include "os/file.h"
#include "os/spawn.h"
#include "project/context.h"
#include "run/launch.h"
#include "run/status.h"
#include "tmux/tmux.h"

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
	bool        window, no_watch, no_handoff, exit_is_report, new_worktree;
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

/* ---- agents in one folder ------------------------------------------------ */

/* An issue that is to be started. */
struct shared {
	const char *issue;
	char *folder;                   /* its agent's; NULL: a new work tree */
};

/* Warns of folders in which more than one of these agents, or of those that
 * live in the project, would work, where each overwrites what the others do.
 * On a terminal it asks, and ends the program unless the answer is yes. */
void shared_ask(int state_fd, struct shared *, size_t n);

/* For qsort() of issues: numbers by value. */
int issue_order(const void *, const void *);

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

struct newtree {
	const struct newrun_how *how;   /* both borrowed */
	const struct context *context;
	bool  whole;                    /* an interrupted start has made it */
	char *path;                     /* absolute; NULL: none is made */
	char *branch, *commit;          /* where it begins */
	bool  new_branch, made;
	char *ignore;                   /* what git is to ignore; NULL: the
					   folder is not in the project */
};

/* Finds out what to make, and makes nothing.  The place of one that is made
 * later must be free now. */
int  newtree_plan(struct newtree *, struct buf *why);
/* Makes it, with the files of worktree_copy.  Remains of an interrupted start
 * are removed before, unless work in them would be lost. */
int  newtree_make(struct newtree *, struct buf *why);
/* Removes what was made, if anything was. */
void newtree_undo(struct newtree *);

/* ---- its pane, and the watcher that follows it: newpane.c ---------------- */

/* The name of an issue's session, unless another is chosen:
 * <project folder>-issue-<issue>, in letters that tmux leaves as they are.
 * For the caller to free. */
char *newpane_session(const struct context *, const char *issue);
/* Has the text only such letters, and may it begin so? */
bool newpane_session_valid(const char *name);

enum { NEWPANE_PROMPT = 100 << 10 };    /* bytes; the system takes 128 KiB */

/* May an agent be told that on its command line?  issue and its own marker may
 * be NULL.  False adds the reason to why. */
bool newpane_prompt(const char *prompt, const char *issue, const char *marker,
    struct buf *why);

/*
 * Opens the pane of the record's run, where agent-run runs what its launch file
 * says, and puts its place and the session's name into the record.  Of the
 * tmux_new socket, session, window, dead and cwd are set.  Anything but TMUX_OK
 * adds the reason to why.
 */
enum tmux_result newpane_open(const struct context *, struct tmux_new *,
     struct status *, struct buf *why);

/* Starts a watcher of the issue and waits until it has the lock, unless a
 * watcher of all issues takes it: that does so once this process has given back
 * the issue's lock.  Ends the program if it cannot. */
void newpane_watch(const struct context *, const char *issue);

/* ---- how a lost run's agent is started again ----------------------------- */

/*
 * With which command, in which directory, with which conversation.  start has
 * noted the command of its runs.  An adopted run gets the command of its
 * backend, without options, in the directory in which it was found.
 */

struct resume {
	struct launch launch;           /* the words of every start */
	const struct backend *backend;
	const char *session;            /* in the record; or else */
	const char *transcript;         /* in it, too; or else the last session
					   of its folder */
};

void resume_release(struct resume *);

/* Finds all of it; the record and the backends have to outlive it.  False adds
 * the reason to why. */
bool resume_find(struct resume *, struct backends *, const struct status *,
    const struct statusdir *, struct buf *why);

/* The second part of that: which conversation, with the backend that is set.
 * Looks only at whether the transcript is there. */
bool resume_session(struct resume *, const struct status *, struct buf *why);

/* "claude with session 7c1f in '/home/me/work'" */
void resume_describe(const struct resume *, struct buf *out);

#endif
