/*
 * restart.h - an agent's restart of itself: what is known of it while it is
 * under way, and of those before; see paneward-reload(1).
 *
 * .paneward/<key>.reload is written by the one process that restarts the agent
 * of a pane, at each step before it is done, and stays for the budget.  The key
 * is the issue, or for a pane without one a word that no issue can be.  The
 * restarting process holds the lock of that key.
 *
 * To all others the file is evidence: a restart whose process lives is
 * under way, and the end of the agent means nothing.  Whether it succeeded is
 * not asked here: the new agent's process writes down itself, as the run's
 * (launch.h), that it has taken the old one's place.
 */
#ifndef PANEWARD_RESTART_H
#define PANEWARD_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/issue.h"
#include "marker/marker.h"
#include "os/proc.h"
#include "run/status.h"
#include "tmux/listing.h"

enum {
	RELOAD_KEY = ISSUE_MAX + 1,
	RELOAD_WHY = 300,
	RELOAD_PAST = 8,                /* restarts in RELOAD_SPAN at most */
	RELOAD_SPAN = 3600000           /* ms */
};

/* In the order in which they are gone through. */
enum reload_phase {
	RELOAD_WAITING,                 /* for the turn to end */
	RELOAD_STOPPING,
	RELOAD_STARTING,
	RELOAD_DELIVERING,              /* is the prompt taken? */
	RELOAD_DONE,
	RELOAD_FAILED
};

/* Where the agent stands in its pane. */
enum reload_shape {
	RELOAD_IN_SHELL,                /* a shell has started it */
	RELOAD_OWN,                     /* it is the pane's own process */
	RELOAD_STARTED                  /* start's agent-run is its parent */
};

struct reload {
	char     run[RUN_ID_LEN + 1];   /* the issue's, or one of its own */
	enum reload_phase phase;
	char     why[RELOAD_WHY];       /* what became of it, for people */
	msec     since;                 /* wall time: it was asked for */
	pid_t    pid;                   /* who does it, */
	uint64_t start;
	char     boot[PROC_BOOT];       /* in this boot */
	msec     past[RELOAD_PAST];     /* when agents were stopped, oldest */
	size_t   npast;                 /* first */

	enum reload_shape shape;
	struct pane_ref place;             /* the agent's pane */
	pid_t    agent;                 /* it leads its process group */
	uint64_t agent_start;
	pid_t    shell;                 /* of RELOAD_IN_SHELL: its parent */
	uint64_t shell_start;
	char     shell_name[24];
	char    *backend, *program, *cwd;
	char    *session;               /* NULL: the last one */
	char    *reason;                /* or NULL */
	char    *folder, *file;         /* the note to be delivered: an absolute
					   folder, a name in it; file NULL:
					   none */
	bool     own_turn;              /* it was asked for within a turn */
	msec     not_before;            /* wall time; the pause between two */
	int64_t  log_cap;               /* of the configuration */
};

void reload_init(struct reload *);
void reload_release(struct reload *);

const char *reload_phase_name(enum reload_phase);

/* The key of a pane that belongs to no issue begins with this. */
#define RELOAD_PANE "_pane-"
void reload_pane_key(char key[RELOAD_KEY], pid_t server, const char *pane);

/* 1: read, 0: there is none, -1 with errno; EBADMSG if it is no such file. */
int  reload_read(struct reload *, int state_fd, const char *key);
int  reload_write(const struct reload *, int state_fd, const char *key);

/* The lock: a descriptor, -1 with errno; EWOULDBLOCK: it is held. */
int  reload_lock(int state_fd, const char *key);

/* Is it the run's (NULL: any), unfinished, and does its process live? */
bool reload_under_way(const struct reload *, const char *run);

/*
 * May there be one more?  Forgets what is too long ago.  False: when, as wall
 * time, in *next.  True: not before *next.
 */
bool reload_allowed(struct reload *, msec wall, msec *next);

/*
 * What the file says for the status record: whether one of its run is under
 * way.  True if that changes the record.
 */
bool reload_take(struct status *, int state_fd, bool *under_way);

/* Does the agent draw its old conversation again, as the record says?  What
 * markers it shows then are no news. */
bool reload_redraws(const struct status *);
/*
 * The markers of the log, now and before the redrawing began: those between
 * are past, and so are all that the screen shows.
 */
void reload_redrawn(struct status *, const struct marker_hits *now,
    const struct marker_hits *before);

/*
 * Has the run's agent been replaced by another one, which lives?  Then that is
 * in the record, with the process of the pane that it came with (pane may be
 * NULL: not looked at).  True if that changes the record.
 */
bool reload_find(struct status *, int state_fd, const struct tmux_pane *pane);

#endif
