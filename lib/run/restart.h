/*
 * restart.h - the restart of an agent by itself: the one under way, and those
 * before; see paneward-reload(1).
 *
 * One process restarts the agent of a pane.  It holds the lock <key>.reload and
 * writes .paneward/<key>.reload before each step; the file stays, since it
 * limits how many follow.  The key is the issue, or a word that is none.
 *
 * Other processes read the file as evidence: while that process lives, the end
 * of the agent means nothing.  The new agent's process records itself as the
 * run's (launch.h).
 */
#ifndef PANEWARD_RESTART_H
#define PANEWARD_RESTART_H

#include "run/status.h"
#include "tmux/listing.h"

enum {
	RELOAD_KEY = ISSUE_MAX + 1,
	RELOAD_WHY = 300,
	RELOAD_PAST = 8,                /* restarts in RELOAD_SPAN at most */
	RELOAD_SPAN = 3600000           /* ms */
};

/* In this order. */
enum reload_phase {
	RELOAD_WAITING,                 /* for the turn to end */
	RELOAD_STOPPING,
	RELOAD_STARTING,
	RELOAD_DELIVERING,              /* the prompt */
	RELOAD_DONE,
	RELOAD_FAILED
};

/* The parent of the agent. */
enum reload_shape {
	RELOAD_IN_SHELL,
	RELOAD_OWN,                     /* none: it is the pane's process */
	RELOAD_STARTED                  /* start's agent-run */
};

struct reload {
	char     run[RUN_ID_LEN + 1];   /* the issue's, or its own */
	enum reload_phase phase;
	char     why[RELOAD_WHY];       /* the result, for people */
	msec     since;                 /* wall time of the request */
	pid_t    pid;                   /* the process that restarts it */
	uint64_t start;
	char     boot[PROC_BOOT];
	msec     past[RELOAD_PAST];     /* former restarts, */
	size_t   npast;                 /* the oldest first */

	enum reload_shape shape;
	struct pane_ref place;          /* the agent's pane */
	pid_t    agent;                 /* it leads its process group */
	uint64_t agent_start;
	pid_t    shell;                 /* of RELOAD_IN_SHELL */
	uint64_t shell_start;
	char     shell_name[24];
	char    *backend, *program, *cwd;
	char    *session;               /* NULL: the last one */
	char    *reason;                /* or NULL */
	char    *folder, *file;         /* of the memo: an absolute folder, a
					   name in it or NULL */
	bool     own_turn;              /* requested within a turn */
	msec     not_before;            /* wall time */
	int64_t  log_cap;               /* of the configuration */
};

void reload_release(struct reload *);

extern const char *const reload_phases[];

/* The key of a pane that belongs to no issue. */
#define RELOAD_PANE "_pane-"
void reload_pane_key(char key[RELOAD_KEY], pid_t server, const char *pane);

/* 1: read, 0: there is none, -1 with errno; EBADMSG if it is no such file. */
int  reload_read(struct reload *, int state_fd, const char *key);
int  reload_write(const struct reload *, int state_fd, const char *key);

/* Is it the run's (NULL: any), unfinished, and does its process live? */
bool reload_under_way(const struct reload *, const char *run);

/* May another one follow?  Forgets those before RELOAD_SPAN.  *next is the wall
 * time of the next one, or if false, of the next question. */
bool reload_allowed(struct reload *, msec wall, msec *next);

/* Records whether a restart of the run is under way.  True if the record
 * changes. */
bool reload_take(struct status *, int state_fd, bool *under_way);

/* Does the agent draw its old conversation, by the record?  Markers in it are
 * not new. */
bool reload_redraws(const struct status *);
/* Ignores the log's markers between before and now, and all on the screen. */
void reload_redrawn(struct status *, const struct marker_hits *now,
    const struct marker_hits *before);

/* Records another living agent that replaced the run's, and with a pane (or
 * NULL) its new process.  True if the record changes. */
bool reload_find(struct status *, int state_fd, const struct tmux_pane *pane);

#endif
