/*
 * launch.h - small files in .paneward between start and the pane's process: no
 * word of a command line passes through tmux.
 *
 * <issue>.launch is the order, <issue>.command keeps it for reload.  In
 * <issue>.agent the agent's parent records "RUN PID START", then "exit CODE" or
 * "signal N", and "lease".  A failure returns -1 with errno.
 */
#ifndef PANEWARD_LAUNCH_H
#define PANEWARD_LAUNCH_H

#include "base/issue.h"
#include "os/child.h"
#include "os/spawn.h"

struct launch {
	char   run[RUN_ID_LEN + 1];
	char  *program, *cwd, *status_dir;      /* absolute paths */
	char **argv;
	size_t base;                    /* words of every start */
	char **setup;                   /* a command before it, or NULL */
};

#define LAUNCH_ORDER   "launch"
#define LAUNCH_COMMAND "command"

void launch_release(struct launch *);
int  launch_write(const struct launch *, int state_fd, const char *issue,
    const char *kind);
/* Reads and removes the order, unless it is of another run (NULL: any):
 * ENOENT. */
int  launch_take(struct launch *, int state_fd, const char *issue,
    const char *run);
#define launch_remove(state_fd, issue) \
	unlinkat((state_fd), ISSUE_NAME((issue), LAUNCH_ORDER), 0)

void launch_environment(const struct launch *, const char *issue);

/* False: no command of this run can be read. */
bool launch_noted(struct launch *, int state_fd, const char *issue,
    const char *run);

struct launched {
	pid_t    pid;
	uint64_t start;
	bool     ended;
	int      exit_code, exit_signal;        /* or -1 */
	bool     lease_over;
};

/* 1: read; 0: none of this run. */
int  launched_write(const struct launched *, int state_fd, const char *issue,
    const char *run);
int  launched_read(struct launched *, int state_fd, const char *issue,
    const char *run);
/* Removes the command, too. */
void launched_remove(int state_fd, const char *issue);

/* An agent's parent: agent-run in a run's pane, loop-agent in a loop's session.
 * The agent leads our terminal's foreground group, and is continued if it
 * stops. */
struct parent {
	int    terminal, trap;          /* trap: readable once a signal came */
	struct child agent;
	struct launched now;
	struct spawn_gated gated;
};

int  parent_catch(struct parent *, int terminal);

/* The agent's process waits at its gate.  Once now is recorded, parent_open()
 * opens it. */
int  parent_begin(struct parent *, const struct spawn_how *, int in, int out);
void parent_open(struct parent *);

/* The next signal, or 0.  The caller waits for trap and for agent.fd. */
int  parent_signal(struct parent *);
void parent_end(struct parent *);

#endif
