/*
 * sweep.h - what the parts of a sweep share.
 *
 * A sweep is one round over everything that is known: sweep.c finds the issues
 * (a struct visit each) and asks the tmux servers, visit.c looks at one of
 * them and acts on the verdict, jobs.c hands off what is due.
 */
#ifndef PANEWARD_SWEEP_H
#define PANEWARD_SWEEP_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/issue.h"
#include "chain/backend.h"
#include "handoff/runner.h"
#include "os/lock.h"
#include "run/context.h"
#include "run/handoffstate.h"
#include "run/paneowner.h"
#include "run/status.h"
#include "tmux/servers.h"

enum { VISIT_CLAIMS = 4 };

struct visit {
	char   issue[ISSUE_MAX + 1];
	struct status record;           /* as it was when the sweep began */
	bool   signal;                  /* a file is called like one of it */
	struct server_pane pane;        /* the one that the record names, */
	enum pane_life     life;        /* and what became of it */
	struct server_pane claims[VISIT_CLAIMS];        /* panes that belong */
	size_t nclaims;                 /* to the issue otherwise */
	bool   named;                   /* these only by their names */
	bool   marked;                  /* its pane has the option */
	bool   past;                    /* a pane of an earlier run is there */
	bool   quiet;                   /* nothing to be done */
	bool   orphaned;                /* gone with its server, as it turned
					   out just now */
	/* While it is handed off. */
	bool   due;
	unsigned attempts;              /* begun before */
	struct lock lock;
	struct runner runner;
};

struct sweep {
	bool   dry_run, check_errors, json;
	long   jobs;
	struct context context;
	struct pattern *pattern;
	struct claim_rules rules;
	struct visit *visits;
	size_t n;
	struct servers servers;
	struct backends backends;
	msec   wall;                    /* when the sweep began */
	int    status;                  /* what it exits with */
};

/* visit.c */
/* Is there nothing to be done about it, and no lock or file needed to know? */
bool visit_quiet(struct sweep *, struct visit *);
/* Wants a capture of its pane, if one is due. */
void visit_want(struct sweep *, struct visit *);
/* Judges it and acts on that; sets due where a hand-off is to be run. */
void visit_run(struct sweep *, struct visit *);
/* Sends the notice that the record says is due. */
void visit_notify(struct sweep *, const struct status *);

/* jobs.c: hands off what is due, some at a time, until all have ended. */
void jobs_run(struct sweep *);

#endif
