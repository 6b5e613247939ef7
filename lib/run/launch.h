/*
 * launch.h - small files in .paneward between start and the process of the
 * pane, so that no word of a command line passes through tmux.
 *
 * <issue>.launch is the order: start writes it, the pane's process reads and
 * removes it.  <issue>.command keeps that of a run, for reload.  <issue>.agent
 * says which process the agent is and how it ended, by its parent: "RUN PID
 * START", then "... exit CODE" or "... signal N", and "lease" if its lease was
 * over.
 */
#ifndef PANEWARD_LAUNCH_H
#define PANEWARD_LAUNCH_H

#include "base/issue.h"
#include "os/child.h"
#include "os/spawn.h"

struct launch {
	char   run[RUN_ID_LEN + 1];
	char  *program;                 /* absolute path */
	char  *cwd;
	char **argv;                    /* NULL-ended */
	size_t base;                    /* words of any start of the agent */
	char  *status_dir;              /* absolute */
	char **setup;                   /* a command before it, or NULL */
};

#define LAUNCH_ORDER   "launch"
#define LAUNCH_COMMAND "command"

void launch_release(struct launch *);
/* Writes the file of that kind.  -1 with errno. */
int  launch_write(const struct launch *, int state_fd, const char *issue,
    const char *kind);
/* Reads the order and removes it.  -1 with errno: EBADMSG if it is not one,
 * ENOENT if it is not of that run (NULL: any), which stays. */
int  launch_take(struct launch *, int state_fd, const char *issue,
    const char *run);
void launch_remove(int state_fd, const char *issue);

/* Sets the variables by which an agent's tools find its run. */
void launch_environment(const struct launch *, const char *issue);

/* Reads the command.  1; 0: there is none of this run, -1 with errno; then it
 * is all zero. */
int  launch_noted(struct launch *, int state_fd, const char *issue,
    const char *run);

struct launched {
	pid_t    pid;
	uint64_t start;                 /* proc.h's unit */
	bool     ended;
	int      exit_code, exit_signal;        /* -1: not so */
	bool     lease_over;            /* we ended it: run/lease.h */
};

/* Writes <issue>.agent.  -1 with errno. */
int  launched_write(const struct launched *, int state_fd, const char *issue,
    const char *run);
/* Reads it.  1: read, 0: there is none of this run, -1 with errno. */
int  launched_read(struct launched *, int state_fd, const char *issue,
    const char *run);
/* Removes <issue>.agent and <issue>.command. */
void launched_remove(int state_fd, const char *issue);

/* ---- the agent's parent: parent.c ---------------------------------------- */

/* The parent of an agent: agent-run in the pane of a run, loop-agent in a
 * session of a loop.  The agent leads a process group in front of our terminal,
 * and is continued if it is stopped: no shell does that here. */
struct parent {
	int    terminal;                /* -1: none */
	int    trap;                    /* readable once a signal came */
	struct child agent;
	struct launched now;            /* to be recorded */
	struct spawn_gated gated;
};

/* Ignores the keys of the terminal, and catches the signals of trap.h.  -1 with
 * errno. */
int  parent_catch(struct parent *, int terminal);

/* Makes the agent's process, which waits at its gate.  Once now is recorded,
 * parent_open() opens the gate.  -1 with errno. */
int  parent_begin(struct parent *, const struct spawn_how *, int in, int out);
void parent_open(struct parent *);

/* The next signal, or 0.  The caller waits for trap and for agent.fd. */
int  parent_signal(struct parent *);

/* Reaps the agent; now says how it ended. */
void parent_end(struct parent *);

#endif
