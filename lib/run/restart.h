/*
 * restart.h - the restart of an agent by itself; see paneward-reload(1).
 *
 * One process restarts the agent of a pane.  It holds the lock <key>.reload and
 * writes .paneward/<key>.reload before each step; the file stays and limits how
 * many follow.  While that process lives, the end of the agent means nothing.
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

enum reload_phase {
	RELOAD_WAITING,                 /* for the turn to end */
	RELOAD_STOPPING, RELOAD_STARTING, RELOAD_DELIVERING, RELOAD_DONE,
	RELOAD_FAILED
};

/* The agent's parent: a shell, none, agent-run. */
enum reload_shape { RELOAD_IN_SHELL, RELOAD_OWN, RELOAD_STARTED };

struct reload {
	char     run[RUN_ID_LEN + 1];
	enum reload_phase phase;
	char     why[RELOAD_WHY];
	msec     since;                 /* wall time of the request */
	struct proc_id process;
	msec     past[RELOAD_PAST];     /* the oldest first */
	size_t   npast;

	enum reload_shape shape;
	struct pane_ref place;
	pid_t    agent, shell;
	uint64_t agent_start, shell_start;
	char     shell_name[24];
	char    *backend, *program, *cwd, *reason;
	char    *session;               /* NULL: the last one */
	char    *folder, *file;         /* of the memo, or NULL */
	bool     own_turn;              /* requested within a turn */
	msec     not_before;
	int64_t  log_cap;
};

void reload_release(struct reload *);

extern const char *const reload_phases[];

#define RELOAD_PANE "_pane-"
void reload_pane_key(char key[RELOAD_KEY], pid_t server, const char *pane);

/* 1: read; 0: none; -1 with errno. */
int  reload_read(struct reload *, int state_fd, const char *key);
int  reload_write(const struct reload *, int state_fd, const char *key);

/* Is it the run's (NULL: any), and unfinished? */
bool reload_under_way(const struct reload *, const char *run);

/* May another follow at *next?  Else ask again then. */
bool reload_allowed(struct reload *, msec wall, msec *next);

/* True if the record changes. */
bool reload_take(struct status *, int state_fd, bool *under_way);

/* Ignores the new markers, and all on the screen. */
void reload_redrawn(struct status *, const struct marker_hits *now,
    const struct marker_hits *before);

/* Records a living agent that replaced the run's, and its process in the pane
 * (or NULL).  True if the record changes. */
bool reload_find(struct status *, int state_fd, const struct tmux_pane *pane);

#endif
