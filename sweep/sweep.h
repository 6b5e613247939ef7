/*
 * sweep.h - what the parts of a sweep share.
 *
 * sweep.c finds the issues (a struct visit each) and asks the tmux servers,
 * visit.c judges one of them and acts on the verdict, jobs.c runs the hand-offs
 * that are due.
 */
#ifndef PANEWARD_SWEEP_H
#define PANEWARD_SWEEP_H

#include <stdbool.h>

#include "backend/backend.h"
#include "handoff/runner.h"
#include "os/lock.h"
#include "os/loop.h"
#include "project/context.h"
#include "run/handoffstate.h"
#include "run/paneowner.h"
#include "run/status.h"
#include "tmux/servers.h"

enum { VISIT_CLAIMS = 4 };

struct visit {
	char   issue[ISSUE_MAX + 1];
	struct status record;           /* as it was when the sweep began */
	bool   signal;                  /* a file has the name of its signal */
	struct server_pane pane;        /* the pane that the record names */
	enum pane_life     life;        /* of it */
	struct server_pane claims[VISIT_CLAIMS];        /* other panes of the
					   issue, the first of them */
	size_t nclaims;                 /* how many there are */
	bool   marked;                  /* a pane has its option */
	bool   past;                    /* a pane of an earlier run is there */
	bool   quiet;                   /* nothing is to be done */
	bool   orphaned, lost;          /* this sweep found that its server
					   has ended, or cannot be reached */
	/* for its hand-off */
	bool   due;
	unsigned attempts;              /* begun before */
	struct lock lock;
	struct runner runner;
	struct loop_wait ended;         /* the runner */
	struct sweep *sweep;
};

struct sweep {
	bool   dry_run, check_errors, json;
	long   jobs;
	struct context context;
	struct paneowner_rules rules;
	struct visit *visits;
	size_t n;
	struct servers servers;
	bool   unreached;               /* the panes of one are not known */
	struct backends backends;
	msec   wall;                    /* when the sweep began */
	int    status;                  /* the exit status */
	long   running;                 /* runners */
};

/* visit.c */
/* Is it known without a lock or a file that nothing is to be done? */
bool visit_quiet(struct sweep *, struct visit *);
/* Wants a capture of its pane, if one is due. */
void visit_want(struct sweep *, struct visit *);
/* Judges it and acts on the verdict; sets due if a hand-off is to run. */
void visit_run(struct sweep *, struct visit *);
/* Sends the notice that the record says is due. */
void visit_notify(struct sweep *, const struct status *);

/* jobs.c: runs the hand-offs that are due, and waits for all of them. */
void jobs_run(struct sweep *);

#endif
