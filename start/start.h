/*
 * start.h - a run that begins, its work tree and its pane; how a lost one is
 * resumed.  start and revive end soon, and leave memory to the system.
 */
#ifndef PANEWARD_START_START_H
#define PANEWARD_START_START_H

#include "agent/backend.h"
#include "project/context.h"
#include "run/launch.h"
#include "tmux/tmux.h"

struct command;
struct newrun;

/* ---- one run: newrun.c --------------------------------------------------- */

/*
 * The record with the run's id is written before the pane is opened, which has
 * the id as an option: so the next watch continues after a crash.  A repeated
 * start of a queued run uses what an interrupted one has made.
 */

/* The options; borrowed, or NULL. */
struct newrun_how {
	const struct command *command;
	const char *issue;
	const char *backend, *session, *cwd, *worktree, *marker, *handoff;
	const char *prompt, *prompt_file, *status_dir;
	const char *branch, *base;      /* of the new work tree */
	bool        window, no_watch, no_handoff, exit_is_report, new_worktree;
	bool        no_report;
	char      **words;              /* COMMAND, or none */
	bool        queued;             /* its start waits: */
	bool        at_once;            /* for a place, as others do */
	const char *run;                /* the id of its run */
	bool        again;              /* after an interrupted start */
	int         turn;               /* a lock that git keeps; 0: none */
};

/* Checks everything, and makes nothing, or ends the program.  Warns or asks if
 * its folder is shared, unless it is queued. */
struct newrun *newrun_plan(const struct newrun_how *);
/* Checks alone.  The caller frees the backend's name and the agent's folder,
 * NULL if that is still to be made. */
void newrun_check(const struct newrun_how *, char **backend, char **folder);
/* Begins it and its watcher, and prints where it is, or ends the program. */
void newrun_begin(struct newrun *);

/* ---- agents in one folder: shared.c -------------------------------------- */

struct shared {
	const char *issue;
	char *folder;                   /* NULL: a new work tree */
};

/* Warns of folders in which more than one of these agents, or of those that
 * work already, would work; forgets them.  On a terminal it asks, and ends the
 * program unless the answer is yes. */
void shared_ask(const struct context *, struct shared *, size_t n);

/* For qsort(). */
int issue_order(const void *, const void *);

/* ---- its work tree: newtree.c -------------------------------------------- */

/*
 * The folder issue-<issue> below worktree_root, on a branch that no work tree
 * has checked out; git ignores it.  All in it is ours, until the agent begins.
 *
 * -1 has the whole reason in *why, which was empty; nothing is left of it.
 */

struct newtree {
	const struct newrun_how *how;   /* both borrowed */
	const struct context *context;
	char *path;                     /* absolute; NULL: none is made */
	char *branch, *ref, *commit;    /* where it begins */
	bool  new_branch, made;
	char *ignore;                   /* for git; NULL: outside the project */
};

/* Makes nothing.  The place of a queued one must be free. */
int  newtree_plan(struct newtree *, struct buf *why);
/* Copies the files of worktree_copy, too.  What an interrupted start has left
 * goes before, unless work would be lost. */
int  newtree_make(struct newtree *, struct buf *why);
void newtree_undo(struct newtree *);

/* ---- its pane, and the watcher that follows it: newpane.c ---------------- */

/* <project folder>-issue-<issue>, in letters that tmux keeps; for free(). */
char *newpane_session(const struct context *, const char *issue);
bool newpane_session_valid(const char *name);

enum { NEWPANE_PROMPT = 100 << 10 };    /* bytes; the system takes 128 KiB */

/* issue and its own marker may be NULL.  False adds the reason to why. */
bool newpane_prompt(const char *prompt, const char *issue, const char *marker,
    struct buf *why);

/* Opens and records the pane of the record's run.  The caller sets socket,
 * session, window, dead and cwd of the tmux_new.  Unless TMUX_OK, adds the
 * reason to why. */
enum tmux_result newpane_open(const struct context *, struct tmux_new *,
     struct status *, struct buf *why);

/* Starts a watcher of the issue and waits for it, unless a watcher of all
 * issues is there.  Ends the program if it cannot. */
void newpane_watch(const struct context *, const char *issue);

/* ---- how a lost run's agent is started again: revive.c ------------------- */

/* A run has its command recorded.  An adopted one gets that of its backend,
 * without options, where it was found. */

struct resume {
	struct launch launch;           /* the words of every start */
	const struct backend *backend;
	const char *session;            /* in the record; or else */
	const char *transcript;         /* in it, too; or else the last session
					   of its folder */
};

/* Sets session and transcript, by the backend; the record outlives them.  False
 * adds the reason to why. */
bool resume_session(struct resume *, const struct status *, struct buf *why);

#endif
