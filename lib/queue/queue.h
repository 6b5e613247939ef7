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

#include "chain/sources.h"
#include "os/notify.h"
#include "queue/lines.h"
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

/* ---- for the files of the queue itself: issues.c -------------------------- */

/*
 * The agents of this host, a source of the queue's rows: the issues
 * of status directories, and agents without one in the panes of tmux.
 *
 * A row is the agent's record, or what stands for it while it waits for its
 * start, compared with what the system has of it.  An unwatched row is judged
 * here once its pane was listed; nothing is written.
 *
 * An agent without an issue is found by its process.  Its record is in the
 * folder of panes (paneevents.h) if a watcher wrote one; else its run begins
 * here, in memory.
 */

enum { QUEUE_TICK = 1000 };             /* ms */

/* The queue is all zero, but for how it is to be, with its pace. */
void issues_init(struct queue *);
void issues_release(struct queue *);

/* Opens and reads the status directories that are new. */
void issues_find(struct queue *);
/* Drops those whose paths lead elsewhere by now, or nowhere. */
void issues_forget(struct queue *);

/* Adds the tmux servers that are to be asked for agents. */
void issues_servers(struct queue *);

/*
 * For each answer of a server, in this order.  Its panes are compared with the
 * agents; the screens that are wanted, if wishes is not NULL, are those of
 * unwatched issues, and of panes in which an agent is likely.  Then agents are
 * searched in the panes that are no issue's, and judged: in the first look each
 * once, with its screen, or without it if no more screens come.
 */
size_t issues_listed(struct queue *, struct tmux_server *,
    struct tmux_wish *wishes);
void issues_search(struct queue *, struct tmux_server *);
void issues_judge(struct queue *, struct tmux_server *);
/* The screens of that server that are wanted in its next answer: nentries at
 * most. */
size_t issues_wishes(const struct queue *, const struct tmux_server *,
    struct tmux_wish *);

/* A change of a directory; one that is no directory's may be any one's. */
void issues_note(struct queue *, int watch, enum notify_change,
    const char *name);
/* Compares agents with the system: an end that is not reported is found by
 * looking.  Watched agents are compared only each so many turns. */
void issues_tick(struct queue *, unsigned turn, unsigned slow);

void issues_rows(const struct queue *, void (*take)(void *, struct row *),
    void *);

/* Calls what reports trouble, if anything does. */
void issues_report(struct queue *, const char *path, const char *issue,
    int error);

/* ---- a look -------------------------------------------------------------- */

/*
 * A look at a pane that no watcher follows: what its agent does now.
 *
 * The chain judges the agent by all that its issue has; one without an issue by
 * what its hooks and its client wrote, and by its screen.  The record is changed
 * in memory alone: nothing is written, handed off or notified.
 */

struct look {
	struct sources  sources;
	struct evidence evidence;
	msec     activity;              /* wall time of the last output */
	msec     captured;              /* wall time; 0: never */
	msec     judged;                /* wall time; 0: never */
	uint64_t title;                 /* a hash of the title then */
};

/* Has the pane done nothing since it was judged, and no hook reported?  What
 * happens without both is seen a few seconds later. */
bool look_rests(const struct look *, const struct tmux_pane *);

/* May its screen show something else than what was judged?  Then it is to be
 * captured; so it is before the first look (NULL). */
bool look_wants(const struct look *);

/* Once the clock was set back, all times from before mislead. */
bool look_misled(const struct look *);

/* ---- their panes: panes.c ------------------------------------------------ */

/*
 * The panes of all tmux servers of the user, in which agents are found
 * and judged.
 *
 * Each server is asked by one call of tmux, which also captures the screens
 * that may have changed.  A server that does not answer is asked again later,
 * and does not delay the others.
 */

/* If agents are to be found in panes, too, all servers are asked, else only
 * those that were added. */
void panes_init(struct queue *);
/* Asks none of its servers any more. */
void panes_leave(struct queue *);

/* Adds the server of a record. */
void panes_add(struct queue *, const char *socket);

/* The first look: asks all servers that are found, and meanwhile more may be
 * added; panes_look() asks those, waits until each has answered or failed to,
 * and judges the agents. */
void panes_begin(struct queue *);
void panes_look(struct queue *);

/* Calls take for the row of each server that does not answer. */
void panes_rows(const struct queue *, void (*take)(void *, struct row *),
    void *);

/* ---- other hosts: hosts.c ------------------------------------------------ */

/*
 * The queues of other hosts: of each by one ssh that runs `paneward
 * status --all --json --follow` there, and of the fleet's by `paneward-fleet
 * follow --json` here.  Each is a feed (queue/lines.h), whose lines are parsed
 * here.
 *
 * Rows from there are only shown.  Lines and bytes are limited.  A host
 * that cannot be reached, answers something else, or falls silent is one row
 * that says so, and is asked again.
 *
 * A host that ssh reaches is shown as ssh has it, also if it is in the fleet.
 */

struct host {
	const char *name;               /* for ssh; NULL: each row says whose
					   it is */
	const char *argv[11];
	struct rowfeed feed;
	struct row  problem;            /* why there are none */
};

/* Connects in that loop, again after each pause.  Borrows the names, which
 * hostname_valid() has accepted; the path of paneward-fleet is NULL if there is
 * no fleet. */
void hosts_begin(struct queue *, char *const *names, const char *fleet,
    struct loop *);
/* Ends the connections. */
void hosts_end(struct queue *);

/* Runs the loop until each host has answered or failed to, two seconds from the
 * connecting at most. */
void hosts_wait(struct queue *);

/* Calls take for each row. */
void hosts_rows(struct queue *, void (*take)(void *, struct row *), void *);

#endif
