/*
 * queue.h - every agent of this user: one row each, worst first.
 *
 * An issue's row is its status record, compared with what the system has of it:
 * its watcher has judged it.  An issue that nothing watches, but whose pane is
 * there, is judged here (queue/issues.c), and so is a pane without an issue in
 * which a known agent runs.
 *
 * A queue is filled once by queue_look().  A live one then goes on in a loop.
 */
#ifndef PANEWARD_QUEUE_H
#define PANEWARD_QUEUE_H

#include "agent/backend.h"
#include "os/notify.h"
#include "queue/row.h"
#include "tmux/servers.h"

struct queue {
	struct row     **rows;          /* all, in their order; valid until the
					   next look or round */
	size_t           nrows;
	struct servers   servers;       /* that are asked for panes */
	struct buf       screen;        /* of the pane that is shown, as
					   captured last */
	int              trouble;       /* errno of what could not be read; 0:
					   all could, or is refused */

	/* Private: */
	struct queue_how how;
	struct backends  backends;      /* complete if panes are searched */
	struct notify   *notify;        /* NULL: changes are not awaited */
	struct loop_wait changes;       /* of that */
	struct loop_wait tick;
	unsigned         ticks;
	msec             ticked;        /* the time of the last one */
	bool             hurry;         /* something was reported that a look
					   is to find */
	bool             changed;       /* rows may have */
	/* The agents of this host: issues.c */
	uint64_t         budget;        /* bytes of logs that are read */
	struct folder  **folders;       /* status directories */
	size_t           nfolders;
	struct folder   *panes;         /* of agents without an issue; NULL */
	struct queue_entry **entries;   /* all agents */
	size_t           nentries;
	unsigned         found;         /* so far */
	struct queue_entry **placed;    /* those with a pane, in the order of
					   panes */
	size_t           nplaced;
	bool             sorted;        /* placed is as the entries are */
	struct presence  presence;      /* of the last look or tick */
	/* Their panes: panes.c */
	struct loop_wait search;        /* until new servers are searched */
	struct pane_ref  shown;         /* socket NULL: none */
	bool             first;         /* the first look is under way, */
	bool             more;          /* and more of its screens are to be
					   captured */
	/* Other hosts: hosts.c */
	struct host     *hosts;
	size_t           nhosts;
	char            *fleet;         /* the program that they have */
	struct loop      own;           /* theirs, of one that is not live */
};

struct queue *queue_new(const struct queue_how *);
void queue_free(struct queue *);

/* For a process that ends now: ends the calls of tmux and the connections to
 * hosts, and leaves the rest to the system. */
void queue_end(struct queue *);

/* Reads everything and asks all tmux servers and hosts at once.  A live queue
 * does not wait for the hosts. */
void queue_look(struct queue *);

/* To be called after each round of a live one's loop.  True: rows may have
 * changed. */
bool queue_changed(struct queue *);

/* The screen of the row's pane is captured once a second (NULL: none is). */
void queue_show(struct queue *, const struct row *);

/* The backends of its agents, complete; valid as long as the queue. */
struct backends *queue_backends(struct queue *);

/* The row, of this host, is seen in its present state; an issue that waits for
 * its start is taken out if it is forgotten.  -1 with errno: not recorded. */
int  queue_see(struct queue *, struct row *, enum seen);
/* The directory in which a row of this host has its journal, and what was seen
 * of it; the queue owns it.  That of panes may have no state_fd. */
const struct statusdir *queue_dir(struct queue *, const struct row *);

/* ---- what tmux itself shows of it: segment.c ----------------------------- */

/*
 * In the status line how many agents need a person, and at a window the state
 * of its agent.
 *
 * Each tmux server of the user has the counts in the variable PANEWARD_QUEUE of
 * its environment ("2 asking 1 error"; unset: none), and each window with an
 * agent has the worst state of its agents in the option @paneward_state.  Both
 * are compared with what the server has, and set only if they differ.
 *
 * One process of the user does this, which a lock in the user's state folder
 * decides; in all others a segment does nothing, until the lock is free.
 */

struct segment;

/* Its servers are asked in a loop, each second. */
struct segment *segment_new(struct servers *);
/* All servers show nothing then; waits a second at most for one that does not
 * answer. */
void segment_free(struct segment *);

/* The rows have changed: all agents of this user, in any order. */
void segment_set(struct segment *, struct row *const *, size_t n);

/* Adds the counts: "2 asking 1 error". */
void segment_text(struct buf *, struct row *const *, size_t n);

#endif
