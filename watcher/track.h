/*
 * track.h - one issue that is followed, and the watch that follows many.
 *
 * A turn goes down this list; each file uses only the files below it:
 *
 *	watch.c   waits for events, which mark tracks
 *	query.c   asks tmux; all.c, everywhere.c find issues and projects
 *	hold.c    takes the issue's lock, or follows its holder's record
 *	turn.c    judges a track and acts on the verdict
 *	adopt.c   decides which run the issue has
 *	gather.c  collects evidence from files and processes
 *	panes.c   follows agents without an issue
 *	track.c   makes tracks and sites, computes exit statuses
 */
#ifndef PANEWARD_WATCHER_TRACK_H
#define PANEWARD_WATCHER_TRACK_H

#include "chain/sources.h"
#include "handoff/runner.h"
#include "os/file.h"
#include "project/context.h"
#include "run/journal.h"
#include "run/paneowner.h"
#include "run/queued.h"
#include "run/run.h"

/* Times in ms. */
enum {
	TRACK_QUIET = 1000,     /* A pause of that length ends a burst. */
	TRACK_UNTRUSTED = 2000, /* between captures that replace a log */
	TRACK_DRAINING = 2000, TRACK_RETRY = 1000, SERVER_LISTING = 300000,
	/* for a log writer to record the pipe; until a warning */
	TRACK_CLAIMING = 2000, TRACK_CLAIMED_LATE = 8000,
	TRACK_LASTING = 3000,   /* of output outdate a capture */
	TRACK_PATIENCE = 60000, /* for another watcher to find a replaced
				   directory */
	TRACK_REPAIRS = 5, TRACK_CAPTURES = 3,  /* attempts */
	/* bytes read in a turn: of all logs; of each, even beyond that */
	WATCH_BUDGET = 64 << 20, WATCH_SHARE = 1 << 20
};

enum warning {
	WARNED_STALE_COMPLETE, WARNED_STALE_ERROR,
	WARNED_REFUSED_COMPLETE, WARNED_REFUSED_ERROR,
	WARNED_STALE_MARKER, WARNED_LOG, WARNED_LONG, WARNED_SAVE,
	WARNED_REMOVE, WARNED_PIPE, WARNED_NAME, WARNED_RECORD, WARNED_EVENTS,
	WARNED_LOCK, WARNED_RUNNER, WARNED_NOTIFY, WARNED_STOPPED,
	WARNED_BACKEND, WARNED_SIGNALS, WARNINGS
};

enum track_fd {
	FD_AGENT, FD_PANE, FD_WRITER, FD_HOLDER, FD_RESTART, TRACK_FDS
};

/* Times at which a track has something to do, or CLOCK_NEVER. */
enum track_timer {
	AT_QUIET, AT_CAPTURE,   /* The output pauses, or goes on and on. */
	AT_UNTRUSTED, AT_CLAIM, AT_RETRY,
	AT_AGAIN,               /* Time alone changes the evidence. */
	TRACK_WAKES,            /* The next ones need everything recorded: */
	AT_HANDOFF = TRACK_WAKES, AT_NOTICE, AT_PARKED, AT_MARK,
	TRACK_ACTS,             /* The next ones count until the end: */
	AT_ENDING = TRACK_ACTS, AT_DRAIN, TRACK_TIMERS
};

enum track_files { FILE_LOG, FILE_HOOKS, FILE_TRANSCRIPT, TRACK_FILES };

enum pipe_state {
	PIPE_UNKNOWN, PIPE_SEEN, PIPE_OPENED, PIPE_FOREIGN, PIPE_FAILED,
	PIPE_CLAIMED, PIPE_BROKEN       /* ours, its writer living or killed */
};

/* One issue that is followed.  Fields that every turn reads stand first, close
 * together: there may be a thousand tracks. */
struct track {
	struct track  *next;
	struct {
		msec at;
		bool marked, claims;    /* at once; agent-run or log-writer may
					   have written */
	} due;
	bool held;              /* A pass leaves its verdict to the next one. */
	struct {
		/* It had the lock, or found its holder; its lock or run is
		 * gone. */
		bool begun, lost, finished;
		int  exit;
		msec search;    /* of its run, since then; 0: none */
	} life;
	struct lock    lock;    /* not held: the record is another watcher's */
	struct site   *site;
	struct runner  runner;          /* It owns the record while it runs. */
	struct loop_wait handed;
	struct track_file {
		int   watch;
		ino_t ino;
	} files[TRACK_FILES];
	char           issue[ISSUE_MAX + 1];
	struct watch  *watch;
	const struct statusdir *dir;
	const struct config    *config;
	struct status  record;
	struct evidence evidence;
	struct sources sources;
	msec           judged_at, at[TRACK_TIMERS];
	int            fd[TRACK_FDS];
	struct {
		struct tmux_server *server;     /* NULL: none, or ended */
		unsigned want;          /* of the next query: enum tmux_want */
		bool     listed, moved; /* moved: since the capture */
		bool     unnamed;       /* Its options do not name the run. */
		int      repairs;
		msec     captured_at;
		char    *foreground;    /* the program that chose the backend */
	} pane;
	struct {
		enum pipe_state state;
		pid_t writer;           /* of PIPE_CLAIMED */
		bool  stuck;            /* The screen changes, the log does
					   not. */
	} pipe;
	struct {                        /* the capture after the end */
		bool     captured;      /* It is there, or cannot be had. */
		unsigned query;         /* the server's first that counts */
		int      tries;
	} last;
	struct {
		msec wall, burst;       /* sources.output as a date, 0: not
					   known; its begin */
	} output;
	struct { bool record, journal; } unsaved;
	/* The record of the lock's holder, as this track first read it. */
	struct track_followed {
		bool     known;
		uint64_t changes;
		char     run[RUN_ID_LEN + 1];   /* "": the run was not over */
		msec     patience;      /* A living holder has the lock. */
	} followed;
	/* A restarted track does not repeat any of this. */
	struct {
		enum state state;
		enum handoff_state handoff;
		unsigned attempt;
		uint64_t answered;
		msec     parked_from, notice_from;      /* not before */
		bool     left_place;
		bool     warned[WARNINGS];
	} shown;
};

struct site {
	struct site    *next;
	struct watch   *watch;
	struct context  context;
	struct paneowner_rules rules;
	int      dir_watch, state_watch;
	struct lock all;                /* STATUSDIR_ALL, if it is ours */
	char   **unread;
	bool     warned_directory;
};

struct policy {
	/* pass: an issue has one turn, which follows no process and no file,
	 * prints ends and errors alone, and leaves half-written evidence to the
	 * next pass.  once: one round, in which it counts.  errors: detected
	 * without --check-errors, too.  pipes: the pane gets a pipe and the
	 * names of its run.  saves: it locks the issue, writes, and acts. */
	bool pass, once, errors, pipes, saves;
};

enum { POLICY_WATCH, POLICY_ONCE, POLICY_SWEEP, POLICY_DRY, POLICIES };
extern const struct policy policies[POLICIES];

struct watch {
	const struct policy *policy;
	struct site    *sites, *panes;  /* panes: of agents without an issue */
	struct backends backends;
	struct notify  *notify;
	bool     kernel;
	struct loop loop;
	struct loop_wait trap, changes, ends;   /* signals, files, processes */
	loop_fn *handed;
	struct track  *tracks;
	struct servers servers;
	uint64_t budget;
	msec     now, tick_at;
	size_t   ticks, turn;           /* turn: the track of the next tick */
	msec     ahead;                 /* the wall clock less now */
	bool     lost, deaf;            /* The next tick checks all tracks, or
					   each: ends are not reported. */
	msec     asked;                 /* all servers, before the tracks begin,
					   or 0 */
	msec     around_at, panes_at;   /* the next looks for new panes, and for
					   agents without an issue */
	bool     around;
	struct queue *queue;            /* NULL: no tmux server shows it */
	struct segment *segment;
	size_t   most;                  /* issues that can be locked at once */
	struct {
		struct lock lock;
		int    watch;           /* of the registry's folder; -1 */
		bool   due;
		char **paths, **refused;        /* known; with a warning */
	} registry;
	bool     warned_most;
	/* The options. */
	bool     all, everywhere, json, new, steal_pipe, no_handoff,
		 check_errors;
	long     tick;
	const char *session, *pane, *marker, *handoff, *status_dir;
	unsigned exit_on;               /* 1 << enum state */
	int      schedule;              /* -1: none */
};

/* ---- track.c ------------------------------------------------------------ */

struct track *track_new(struct site *, const char *issue);
void track_free(struct track *);
struct track *track_find(const struct site *, const char *issue);
msec track_deadline(const struct track *);
void track_schedule(struct track *);
void track_finish(struct track *, int exit);
void track_journal(struct track *, enum journal_type, const char *detail);
bool track_first(struct track *, enum warning);
/* Awaits another process's end; as proc_open(). */
int  track_open(struct track *, enum track_fd, pid_t, uint64_t start);
void track_close(struct track *, enum track_fd);
/* Watches another open file (-1: none). */
void track_watch(struct track *, enum track_files, int fd, ino_t);

/* Adds a site to a list.  The caller opens its context, then calls
 * site_prepare(), and frees its tracks before it. */
struct site *site_new(struct watch *, struct site **list);
void site_free(struct site *);
/* -1 with what is wrong in the configuration. */
int  site_prepare(struct site *, struct buf *wrong);
void site_watch(struct site *);
/* Shows `start` that this process follows all issues of the directory. */
void site_claim(struct site *);

/* "error,dead" as the sum of 1 << enum state, or the program ends. */
unsigned settle_states(const struct command *, const char *option,
    const char *list);
/* The exit status of an issue in one of the states; -1: it is in another one,
 * or its hand-off is open. */
int settle_exit(const struct status *, unsigned states);
int settle_both(int, int);

/* ---- gather.c ----------------------------------------------------------- */

void gather_open(struct track *);
/* Finds the backend by the record, else by the program in front (or NULL). */
void gather_backend(struct track *, const char *foreground);
void gather_ask(struct track *, unsigned want);
bool gather_writer(struct track *);
/* Finds a restart, which replaces the run's agent.  True if the pane's process
 * is the run's now. */
bool gather_restart(struct track *, const struct tmux_pane *pane);
/* A process has ended.  False: fd is not the track's. */
bool gather_end(struct track *, int fd);
void gather_due(struct track *);
void gather_done(struct track *, const struct verdict *);
void gather_tick(struct track *);

/* ---- panes.c ------------------------------------------------------------ */

/* Follows the agents in a listing.  True: it needs another look, though nothing
 * may change. */
bool panes_listing(struct watch *, struct tmux_server *);
/* Does the verdict only show the agent's first prompt? */
bool panes_begins(const struct track *, const struct verdict *);
/* Did a person end the agent?  Then only the journal keeps its run. */
bool panes_quit(struct track *);
/* The issue's new run continues that of an agent without one, in its pane. */
void panes_hand_over(struct status *, const struct statusdir *);

/* ---- adopt.c ------------------------------------------------------------ */

enum { ADOPT_LATER = -1 };
/* Finds or begins a run.  0, or the exit status after a message; ADOPT_LATER:
 * answers of the servers will mark the track. */
int adopt_run(struct track *);
/* Is there anything to follow?  The same, but it waits, and writes nothing. */
int adopt_nothing(struct track *);

/*
 * ---- turn.c
 *
 * The order is a promise of paneward-watch(1).  A verdict is printed at once,
 * then journaled, then recorded.  Only a recorded verdict removes a signal or
 * ends the watch.  A failed write is retried.
 */
void turn_judge(struct track *);
void turn_start(struct track *);
/* The signal that killed the runner, or 0. */
int  turn_handed(struct track *);
/* Records the read positions. */
/* Does our lock still count?  If not, the track is lost: another process may have
 * acted. */
bool turn_locked(struct track *);
void turn_stop(struct track *);
void turn_print_state(struct track *);
void turn_print_handoff(struct track *);
void turn_settle(struct track *);

/* ---- hold.c ------------------------------------------------------------- */

void hold_begin(struct track *);
void hold_turn(struct track *);
/* check: an event may have missed something. */
void hold_tick(struct track *, bool check);
/* Follows a status directory that was replaced or removed; so does a track. */
void hold_renew(struct site *);
void hold_moved(struct track *);

/* ---- query.c ------------------------------------------------------------ */

void query_open(struct watch *);
void query_pass(struct track *);
void query_forget(struct watch *);

/*
 * ---- all.c
 *
 * An issue is followed once it has a record, a signal or a pane.  After its end
 * it is forgotten, until its record has another run or a signal comes late.
 */
/* Follows the issue of a name in the status directory, if it has one; all of
 * them; those of a listing, as panes_listing(). */
void all_name(struct site *, const char *name);
void all_names(struct site *);
bool all_listing(struct watch *, struct tmux_server *);
void all_turn(struct watch *);

/*
 * ---- everywhere.c
 *
 * A directory that the registry gains is followed, a removed one drops out.  A
 * wrong configuration leaves it out, with one warning, until it is mended.
 */
/* Follows all projects, and agents without an issue.  Ends the program if
 * another process of the user does the same, unless this is one round. */
void everywhere_open(struct watch *);
void everywhere_turn(struct watch *);
bool everywhere_drop(struct site *);
/* Starts or stops the queue in tmux's status lines.  It costs a listing of each
 * server a second, so it runs only while a server shows it, or is silent. */
void feed_look(struct watch *);
void feed_end(struct watch *);

#endif
