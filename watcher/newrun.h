/*
 * newrun.h - one run that start begins: what it needs is checked, then its
 * files and its pane are made.
 *
 * The order lets the next watch continue after a crash: the record with the
 * run's id is written before the pane is opened, and the pane has the id as an
 * option, so that the two find each other.  If tmux refuses, everything is put
 * back.
 *
 * The start of a queued issue may be repeated, with the same run: what an
 * interrupted one has made is found and used, or removed and made again.
 */
#ifndef PANEWARD_NEWRUN_H
#define PANEWARD_NEWRUN_H

#include <stdbool.h>

struct command;
struct newrun;

/* What is asked for; all borrowed, and NULL if it is not given. */
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
/* The backend's name. */
const char *newrun_backend(const struct newrun *);
/* The folder in which its agent will work; NULL: that is still to be made. */
const char *newrun_folder(const struct newrun *);
/* Begins it, starts its watcher and prints where it is.  Ends the program, with
 * everything put back, if it cannot. */
void newrun_begin(struct newrun *);
void newrun_free(struct newrun *);

#endif
