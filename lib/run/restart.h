/*
 * restart.h - the restart of an agent by itself: the one under way, and those
 * before; see paneward-reload(1).
 *
 * One process restarts the agent of a pane.  It writes .paneward/<key>.reload
 * before each step; the file stays, since it limits how many follow.  The key
 * is the issue, or for a pane without one a word that no issue can be.  The
 * process holds the lock <key>.reload.
 *
 * Other processes read the file as evidence: while that process lives, the end
 * of the agent means nothing.  The file does not say whether the restart
 * succeeded: the new agent's process records itself as the run's (launch.h).
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
	RELOAD_DELIVERING,              /* does the agent take the prompt? */
	RELOAD_DONE,
	RELOAD_FAILED
};

/* Where the agent stands in its pane. */
enum reload_shape {
	RELOAD_IN_SHELL,                /* a shell is its parent */
	RELOAD_OWN,                     /* it is the pane's own process */
	RELOAD_STARTED                  /* start's agent-run is its parent */
};

struct reload {
	char     run[RUN_ID_LEN + 1];   /* the issue's, or one of its own */
	enum reload_phase phase;
	char     why[RELOAD_WHY];       /* what became of it, for people */
	msec     since;                 /* wall time of the request */
	pid_t    pid;                   /* the process that does it, */
	uint64_t start;
	char     boot[PROC_BOOT];       /* in this boot */
	msec     past[RELOAD_PAST];     /* when agents were stopped, the */
	size_t   npast;                 /* oldest first */

	enum reload_shape shape;
	struct pane_ref place;          /* the agent's pane */
	pid_t    agent;                 /* it leads its process group */
	uint64_t agent_start;
	pid_t    shell;                 /* of RELOAD_IN_SHELL: its parent */
	uint64_t shell_start;
	char     shell_name[24];
	char    *backend, *program, *cwd;
	char    *session;               /* NULL: the last one */
	char    *reason;                /* or NULL */
	char    *folder, *file;         /* of the memo to deliver: an absolute
					   folder, a name in it or NULL */
	bool     own_turn;              /* requested within a turn */
	msec     not_before;            /* wall time; the pause between two */
	int64_t  log_cap;               /* of the configuration */
};

void reload_release(struct reload *);

extern const char *const reload_phases[];

/* The key of a pane that belongs to no issue begins with this. */
#define RELOAD_PANE "_pane-"
void reload_pane_key(char key[RELOAD_KEY], pid_t server, const char *pane);

/* 1: read, 0: there is none, -1 with errno; EBADMSG if it is no such file. */
int  reload_read(struct reload *, int state_fd, const char *key);
int  reload_write(const struct reload *, int state_fd, const char *key);

/* Is it the run's (NULL: any), unfinished, and does its process live? */
bool reload_under_way(const struct reload *, const char *run);

/*
 * May there be one more now?  Forgets those before RELOAD_SPAN.  False: again
 * at *next, wall time.  True: not before *next.
 */
bool reload_allowed(struct reload *, msec wall, msec *next);

/* Records whether a restart of the run is under way.  True if that changes the
 * record. */
bool reload_take(struct status *, int state_fd, bool *under_way);

/* Does the agent draw its old conversation again, as the record says?  Markers
 * that it shows then are not new. */
bool reload_redraws(const struct status *);
/* Ignores the markers that the log got between before and now, and all on the
 * screen. */
void reload_redrawn(struct status *, const struct marker_hits *now,
    const struct marker_hits *before);

/*
 * Did another agent, which lives, replace the run's?  Then it is recorded, and
 * the process of the pane that came with it (pane may be NULL: not checked).
 * True if that changes the record.
 */
bool reload_find(struct status *, int state_fd, const struct tmux_pane *pane);

#endif
