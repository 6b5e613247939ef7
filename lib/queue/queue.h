/*
 * queue.h - every agent of this user: one row each, worst first.
 *
 * The row of an issue is its status record, compared with the system.  An issue
 * that no watcher follows is judged here while its pane is there, and so is a
 * pane without an issue in which a known agent runs.  Their records then change
 * in memory alone: nothing is written, handed off or notified.
 *
 * queue_look() fills a queue once.  A live queue goes on in a loop.
 */
#ifndef PANEWARD_QUEUE_H
#define PANEWARD_QUEUE_H

#include "agent/agentprocess.h"
#include "chain/sources.h"
#include "os/notify.h"
#include "queue/lines.h"
#include "run/queued.h"
#include "tmux/servers.h"

/* Called for a status record in that directory that cannot be read (error is its
 * errno), for a named issue without a record (0), and with issue NULL for a file
 * or folder that cannot be read; path NULL is the registry. */
typedef void queue_trouble(void *, const char *path, const char *issue,
    int error);

struct queue_how {
	const struct context *context;  /* where we are; borrowed */
	bool all;                       /* adds the projects of the registry */
	bool panes;                     /* asks tmux for the agents in panes */
	bool hosts;                     /* asks the configured hosts */
	bool names;                     /* judges no issue: only the rows
					   matter */
	struct loop *loop;              /* makes the queue live; or NULL */
	msec pace;                      /* between looks of a live queue; 0: a
					   second */
	char *const *issues;            /* only these; NULL: all */
	size_t nissues;
	queue_trouble *trouble;         /* or NULL */
	void *trouble_context;
};

struct queue {
	struct row     **rows;          /* in their order, valid until the next
					   look or round */
	size_t           nrows;
	struct servers   servers;       /* asked for panes */
	struct buf       screen;        /* last capture of the shown pane */
	int              trouble;       /* errno of a failed read, refusals
					   excepted; 0: none failed */

	/* Private: */
	struct queue_how how;
	struct backends  backends;      /* complete if panes are searched */
	struct notify   *notify;        /* NULL unless the queue is live */
	struct loop_wait changes, tick, search;
	unsigned         ticks;
	msec             ticked;        /* time of the last tick */
	bool             hurry;         /* a report makes the next look early */
	bool             changed;       /* rows may have changed */
	bool             first;         /* the first look is under way, */
	bool             more;          /* and screens are still missing */
	uint64_t         budget;        /* bytes of logs left for this turn */
	struct folder  **folders;       /* status directories */
	struct folder   *panes;         /* of agents without an issue; or NULL */
	struct queue_entry **entries;   /* all agents of this host */
	struct queue_entry **placed;    /* those with a pane, ordered by pane */
	size_t           nfolders, nentries, nplaced;
	unsigned         found;         /* entries so far */
	bool             sorted;        /* placed is up to date */
	struct presence  presence;      /* of the last look or tick */
	struct pane_ref  shown;         /* socket NULL: none */
	struct host     *hosts;
	size_t           nhosts;
	char            *fleet;         /* path of paneward-fleet; or NULL */
	struct loop      own;           /* for the hosts of a queue without a
					   loop */
};

struct queue *queue_new(const struct queue_how *);
void queue_free(struct queue *);

/* For a process that ends now: ends the calls of tmux and the connections to
 * hosts, and leaves the rest to the system. */
void queue_end(struct queue *);

/* Reads everything and asks all tmux servers and hosts at once.  A live queue
 * does not wait for the hosts. */
void queue_look(struct queue *);

/* Call it after each round of the loop.  True: rows may have changed. */
bool queue_changed(struct queue *);

/* Captures the screen of the row's pane (NULL: none) once a second. */
void queue_show(struct queue *, const struct row *);

/* Complete, and valid as long as the queue. */
struct backends *queue_backends(struct queue *);

/* Marks the row, of this host, as seen in its present state; a forgotten issue
 * that waits for its start is taken out.  -1 with errno: not recorded. */
int  queue_see(struct queue *, struct row *, enum seen);
/* The directory with the journal of a row of this host; owned by the queue.  The
 * folder of panes may have no state_fd. */
const struct statusdir *queue_dir(struct queue *, const struct row *);

/* ---- what tmux itself shows of it: segment.c ----------------------------- */

/*
 * The status line shows how many agents need a person, each window the state of
 * its agent.
 *
 * Each tmux server of the user has the counts in the variable PANEWARD_QUEUE of
 * its environment ("2 asking 1 error"; unset: none), and each window the worst
 * state of its agents in the option @paneward_state.  Both are set only if they
 * differ.
 *
 * A lock in the user's state folder lets one process do this; a segment of any
 * other process waits for the lock.
 */

struct segment;

/* Asks its servers in their loop, each second. */
struct segment *segment_new(struct servers *);
/* Clears what all servers show; waits a second at most. */
void segment_free(struct segment *);

/* The rows have changed: all agents of this user, in any order. */
void segment_set(struct segment *, struct row *const *, size_t n);

/* Adds the counts: "2 asking 1 error". */
void segment_text(struct buf *, struct row *const *, size_t n);

/* ---- for the files of the queue itself ----------------------------------- */

enum { QUEUE_TICK = 1000 };             /* ms */

/* Adds a row, unless its project is not asked for. */
void queue_row(struct queue *, struct row *);
/* Collects the rows anew. */
void queue_sort(struct queue *);

/*
 * issues.c: the agents of this host, from the records of status directories and
 * of the folder of panes (paneevents.h).
 *
 * The entry of an issue that waits for its start has what stands for a record.
 * An agent without a record gets one in memory.
 */

/* The status directory of a project, or the folder of panes. */
struct folder {
	struct statusdir dir;           /* fd is -1 in the folder of panes */
	char            *project;       /* its root; NULL for panes */
	struct context   settings;      /* configuration, once it is read; its
					   directory is closed */
	enum { SETTINGS_UNREAD, SETTINGS_READ, SETTINGS_WRONG } read;
	struct queued_list queued;
	int              watch;         /* of its .paneward; -1: none */
};

struct queue_entry {
	struct row     row;
	struct folder *folder;
	struct agentprocess process;    /* in front of a pane */
	char          *path;            /* where its project was searched */
	bool           ended;           /* since its record was written */
	bool           open;            /* no watcher follows it, and its pane
					   may be there */
	bool           listed;          /* in the last answer of its server */
	unsigned       order;           /* in which entries were found */
	struct look   *look;            /* NULL: not judged here */
	msec           looked;          /* wall time of the last look; 0 */
};

/* A pane without an issue may have no agent. */
bool entry_there(const struct queue_entry *);
/* Reads what was seen of the agent. */
void entry_rate(struct queue_entry *);
/* Ends the looks at it. */
void entry_leave(struct queue_entry *);
void entry_find_project(const struct queue *, struct queue_entry *,
    const char *path);

struct queue_entry *issues_add(struct queue *, struct folder *);
void issues_drop(struct queue *, size_t place);
void issues_release(struct queue *);

/* Opens and reads the status directories that are new. */
void issues_find(struct queue *);
/* Drops those whose paths now lead elsewhere. */
void issues_forget(struct queue *);

/* Reads what changed in a watched directory; -1 stands for any directory. */
void issues_note(struct queue *, int watch, enum notify_change,
    const char *name);
/* Compares agents with the system, since an end may come without a report.
 * Watched agents are compared only each so many turns. */
void issues_tick(struct queue *, unsigned turn, unsigned slow);

/* Calls how.trouble; error 0 is no failure. */
void issues_report(struct queue *, const char *path, const char *issue,
    int error);

/*
 * panes.c: the panes of tmux servers, in which agents are found and judged.
 *
 * One call of tmux asks a server for its panes and captures the screens that
 * may have changed.  A silent server is asked again later, and does not delay
 * the others.
 */

/* A tmux server, which keeps its listing while its agents are judged. */
struct side {
	struct tmux_server server;
	struct row problem;             /* why the server does not answer */
};

/* A look at a pane that no watcher follows.  All times are wall times; 0:
 * never. */
struct look {
	struct sources  sources;
	struct evidence evidence;
	msec     activity;              /* last output */
	msec     captured, judged;
	uint64_t title;                 /* hash of the title then */
};

/* Has the pane done nothing since it was judged, and no hook reported?  An event
 * without either is seen some seconds later. */
bool look_rests(const struct look *, const struct tmux_pane *);
/* Must the screen be captured, since it may have changed?  The first look (NULL)
 * needs it. */
bool look_wants(const struct look *);

void panes_init(struct queue *);
/* Forgets all servers. */
void panes_leave(struct queue *);
/* Adds the servers of agents that are judged here, and of live ones. */
void panes_servers(struct queue *);

/* The first look: panes_begin() asks all servers that are found.  More may be
 * added until panes_look() waits for all and judges the agents. */
void panes_begin(struct queue *);
void panes_look(struct queue *);

/*
 * For each answer of a server, in this order: panes_listed() compares its panes
 * with the agents, and fills the wishes (or NULL) with the screens of unwatched
 * agents and of panes that may have one.  panes_search() finds the agents in
 * panes without an issue.  panes_judge() judges: in the first look each agent
 * once, with its screen unless no more screens come.
 */
size_t panes_listed(struct queue *, struct tmux_server *,
    struct tmux_wish *wishes);
void panes_search(struct queue *, struct tmux_server *);
void panes_judge(struct queue *, struct tmux_server *);
/* The screens that the next answer of the server has to bring, for free(). */
struct tmux_wish *panes_wishes(const struct queue *,
    const struct tmux_server *, size_t *n);

/*
 * hosts.c: the queues of other hosts.  One ssh each runs `paneward status --all
 * --json --follow` there; `paneward-fleet follow --json` here follows the fleet.
 *
 * Their rows are only shown, and their size is limited.  A host that fails or
 * falls silent is one row with the reason, and is asked again.  If ssh reaches a
 * host, its rows in the fleet are not shown.
 */

struct host {
	const char *name;               /* for ssh; NULL: each row names its
					   host */
	const char *argv[11];
	struct rowfeed feed;
	struct row  problem;            /* why there are no rows */
};

/* Connects to these hosts, which hostname_valid() has accepted, and to the fleet
 * if there is one.  Borrows the names. */
void hosts_begin(struct queue *, char *const *names);
void hosts_end(struct queue *);

/* Runs the loop until each host has answered or failed, two seconds at most. */
void hosts_wait(struct queue *);

void hosts_rows(struct queue *);

#endif
