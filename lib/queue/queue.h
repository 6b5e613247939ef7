/*
 * queue.h - every agent of this user: one row each, worst first.
 *
 * A row is a status record, compared with the system.  Unwatched agents with
 * panes are judged here: issues, and known agents in panes without one.  Their
 * records change in memory alone.
 */
#ifndef PANEWARD_QUEUE_H
#define PANEWARD_QUEUE_H

#include "agent/agentprocess.h"
#include "chain/sources.h"
#include "queue/lines.h"
#include "run/queued.h"
#include "tmux/servers.h"

/* A record cannot be read (errno), or a named issue has none (0).  Issue NULL:
 * another file or folder, or with errno 0 a whole message; path NULL: the
 * registry. */
typedef void queue_trouble(void *, const char *path, const char *issue,
    int error);

struct queue_how {
	const struct context *context;
	bool all;                       /* adds the registry's projects */
	bool panes;                     /* asks tmux for more agents */
	bool hosts;
	bool names;                     /* judges no issue */
	struct loop *loop;              /* makes it live; or NULL */
	msec pace;                      /* of a live one; 0: a second */
	char *const *issues;            /* only these, a list; NULL: all */
	queue_trouble *trouble;         /* or NULL */
	void *trouble_context;
};

struct queue {
	struct row     **rows;          /* until the next round */
	size_t           nrows;
	struct servers   servers;
	struct buf       screen;        /* of the shown pane */
	int              trouble;       /* errno, but of no refusal; or 0 */

	/* Private: */
	struct queue_how how;
	struct backends  backends;      /* complete if panes are searched */
	struct notify   *notify;        /* NULL unless it is live */
	struct loop_wait changes, tick, search;
	unsigned         ticks, found;  /* ticks and entries so far */
	msec             ticked;
	bool             hurry;         /* looks again early */
	bool             first, more;   /* the first look; it lacks screens */
	bool             changed, sorted;
	uint64_t         budget;        /* bytes of logs in this turn */
	struct folder  **folders, *panes;       /* panes: the one without
						   issues */
	struct queue_entry **entries, **placed; /* placed: by pane */
	size_t           nfolders, nentries, nplaced;
	struct presence  presence;
	struct pane_ref  shown;         /* socket NULL: none */
	struct host     *hosts;
	size_t           nhosts;
	char            *fleet;
	struct loop      own;           /* of hosts, unless it is live */
};

struct queue *queue_new(const struct queue_how *);
void queue_free(struct queue *);

/* Ends calls and connections; the process ends now. */
void queue_end(struct queue *);

/* The first look.  A live queue does not wait for hosts. */
void queue_look(struct queue *);

/* After each round of the loop. */
bool queue_changed(struct queue *);

/* Captures the row's pane (or NULL) at each pace. */
void queue_show(struct queue *, const struct row *);

struct backends *queue_backends(struct queue *);

/* Records that a row of this host was seen; a forgotten issue is not started.
 * -1 with errno. */
int  queue_see(struct queue *, struct row *, enum seen);
/* The panes' directory may have no state_fd. */
const struct statusdir *queue_dir(struct queue *, const struct row *);

/* ---- segment.c ---------------------------------------------------------- */

/*
 * A tmux server has the counts in PANEWARD_QUEUE of its environment, a window
 * the worst state of its agents in @paneward_state.  One process of the user,
 * the lock's holder, sets what differs.
 */

struct segment;

struct segment *segment_new(struct servers *);
/* Clears what servers show; waits a second at most. */
void segment_free(struct segment *);

void segment_set(struct segment *, struct row *const *, size_t n);

enum { QUEUE_TICK = 1000 };             /* ms */

void queue_row(struct queue *, struct row *);
void queue_sort(struct queue *);

/* ---- issues.c ----------------------------------------------------------- */

/* The status directory of a project, or the folder of panes. */
struct folder {
	struct statusdir dir;           /* fd is -1 for panes */
	char            *project;       /* its root; NULL for panes */
	struct context   settings;      /* the project's, if config is there */
	const struct config *config;    /* or ours; NULL: not read yet */
	struct queued_list queued;
	int              watch;
};

struct queue_entry {
	struct row     row;             /* first: queue_dir() finds the entry */
	struct folder *folder;
	struct agentprocess process;    /* in front of a pane */
	char          *path;
	bool           ended;           /* since its record was written */
	bool           open;            /* unwatched, with a pane perhaps */
	bool           listed;          /* in its server's last answer */
	unsigned       order;           /* in which entries were found */
	struct look   *look;            /* NULL: not judged here */
	msec           looked;          /* wall time of the last look; or 0 */
};

/* A pane may be without an agent. */
bool entry_there(const struct queue_entry *);
/* Reads whether it was seen. */
void entry_rate(struct queue_entry *);
void entry_leave(struct queue_entry *);
void entry_find_project(const struct queue *, struct queue_entry *,
    const char *path);

struct queue_entry *issues_add(struct queue *, struct folder *);
void issues_drop(struct queue *, size_t place);
void issues_release(struct queue *);

/* Reads new directories; drops those whose paths lead elsewhere. */
void issues_find(struct queue *);

/* Reads what changed in a directory; watch -1: in any. */
void issues_note(struct queue *, int watch, enum notify_change,
    const char *name);
/* Finds ends without a report; of watched agents only each slow turns. */
void issues_tick(struct queue *, unsigned turn, unsigned slow);

void issues_report(struct queue *, const char *path, const char *issue,
    int error);

/* ---- panes.c ------------------------------------------------------------ */

/* One call lists a server's panes and captures screens that may have changed.
 * A silent server does not delay the others. */

struct side {
	struct tmux_server server;
	struct row problem;             /* of a silent server */
};

/* Times are wall times; or 0. */
struct look {
	struct sources  sources;
	struct evidence evidence;
	msec     activity, captured, judged;
	uint64_t title;                 /* a hash */
};

/* No output and no hook came since the pane was judged. */
bool look_rests(const struct look *, const struct tmux_pane *);
/* The screen may have changed.  NULL: there was no look. */
bool look_wants(const struct look *);

/* The entry gets a new run of an agent without an issue. */
void entry_begin(const struct queue *, struct queue_entry *);
/* Judges it; the capture may be NULL. */
void entry_look(struct queue *, struct queue_entry *, const struct tmux_pane *,
    const struct tmux_capture *);

void panes_init(struct queue *);
/* Forgets all servers, or ended ones. */
void panes_drop(struct queue *, bool all);
void panes_servers(struct queue *);

/* The first look: asks servers; waits and judges. */
void panes_begin(struct queue *);
void panes_look(struct queue *);

/* For each answer: compares panes with agents; fills the wishes (or NULL); */
size_t panes_listed(struct queue *, struct tmux_server *,
    struct tmux_wish *wishes);
/* finds agents without an issue; */
void panes_search(struct queue *, struct tmux_server *);
/* judges agents, at first with their screens. */
void panes_judge(struct queue *, struct tmux_server *);
/* The screens for the next answer, for free(). */
struct tmux_wish *panes_wishes(const struct queue *,
    const struct tmux_server *, size_t *n);

/* ---- sessions.c ---------------------------------------------------------- */

/* Sessions in the background of their clients, by the clients' files.  An
 * issue's or a pane's session has no row of its own. */
void sessions_look(struct queue *);

/* ---- hosts.c ------------------------------------------------------------ */

/* A host that fails or falls silent is one row with the reason, and is asked
 * again.  If ssh reaches a host, its rows in the fleet are not shown. */

struct host {
	const char *name;               /* NULL: rows name their host */
	const char *argv[11];
	struct rowfeed feed;
	struct row  problem;
};

/* Borrows the names. */
void hosts_begin(struct queue *, char *const *names);
void hosts_end(struct queue *);

/* Waits two seconds at most. */
void hosts_wait(struct queue *);

void hosts_rows(struct queue *);

#endif
