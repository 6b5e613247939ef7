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
#include "os/newer.h"
#include "run/paneowner.h"
#include "run/queued.h"
#include "run/run.h"

/* Times in ms. */
enum {
	/* The pause that ends a burst.  Some clients draw all again each second. */
	TRACK_QUIET = 700,
	TRACK_UNTRUSTED = 2000, /* between captures that replace a log */
	TRACK_DRAINING = 2000, TRACK_RETRY = 1000, SERVER_LISTING = 300000,
	/* for a log writer to record the pipe; until a warning */
	TRACK_CLAIMING = 2000, TRACK_CLAIMED_LATE = 8000,
	TRACK_LASTING = 3000,   /* of output outdate a capture */
	TRACK_PATIENCE = 60000, /* for another watcher to find a replaced
				   directory */
	TRACK_REPAIRS = 5, TRACK_CAPTURES = 3,  /* attempts */
	/* bytes a turn reads: of all logs; of each, even then */
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

/* A track's deadlines, or CLOCK_NEVER. */
enum track_timer {
	AT_QUIET, AT_CAPTURE,   /* The output pauses, or goes on. */
	AT_UNTRUSTED, AT_CLAIM, AT_RETRY,
	AT_AGAIN,               /* Time alone changes the evidence. */
	TRACK_WAKES,            /* The next ones need everything recorded: */
	AT_HANDOFF = TRACK_WAKES, AT_NOTICE, AT_PARKED, AT_MARK,
	AT_REST,                /* It leaves its place to a queued one. */
	TRACK_ACTS,             /* The next ones count until the end: */
	AT_ENDING = TRACK_ACTS, AT_DRAIN, TRACK_TIMERS
};

enum track_files { FILE_LOG, FILE_HOOKS, FILE_TRANSCRIPT, TRACK_FILES };

enum pipe_state {
	PIPE_UNKNOWN, PIPE_SEEN, PIPE_OPENED, PIPE_FOREIGN, PIPE_FAILED,
	PIPE_CLAIMED, PIPE_BROKEN       /* ours, its writer living or killed */
};

/* Fields that every turn reads stand first: there may be a thousand tracks. */
struct track {
	struct track  *next;
	struct {
		msec at;
		bool marked, claims;    /* claims: agent-run or log-writer may
					   have written */
	} due;
	bool held;              /* A pass leaves its verdict to the next one. */
	struct {
		/* begun: with the lock or a known holder; lost: its lock or
		 * run */
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
		bool     captured;      /* done, or impossible */
		unsigned query;         /* the server's first that counts */
		int      tries;
	} last;
	struct {
		msec wall, burst;       /* sources.output as a date, or 0; its
					   begin */
	} output;
	struct { bool record, journal; } unsaved;
	struct spawn   tree;            /* counts what the agent has changed */
	/* The lock holder's record, as first read. */
	struct track_followed {
		bool     known;
		uint64_t changes;
		char     run[RUN_ID_LEN + 1];   /* "": the run was not over */
		msec     patience;      /* A living holder has the lock. */
	} followed;
	/* A restarted track does not repeat these. */
	struct {
		enum state state;
		enum handoff_state handoff;
		unsigned attempt;
		uint64_t answered;
		uint64_t doing;         /* its hash; 0: not known */
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
	/* pass: an issue has one turn, which follows no process or file, prints
	 * only ends and errors, and leaves half-written evidence to the next
	 * pass.  once: one round, in which it counts.  errors: even without
	 * --check-errors.  pipes: the pane gets a pipe and its run's names.
	 * saves: locks, writes, acts. */
	bool pass, once, errors, pipes, saves;
};

enum { POLICY_WATCH, POLICY_ONCE, POLICY_SWEEP, POLICY_DRY, POLICIES };
extern const struct policy policies[POLICIES];

struct watch {
	const struct policy *policy;
	struct site    *sites, *panes;  /* panes: of agents without an issue */
	struct backends backends;
	struct notify  *notify;
	struct loop loop;
	struct loop_wait trap, changes, ends;   /* signals, files, processes */
	loop_fn *handed;
	struct track  *tracks;
	struct servers servers;
	uint64_t budget;
	msec     now, tick_at;
	size_t   ticks, turn;           /* turn: the track of the next tick */
	msec     ahead;                 /* the wall clock less now */
	bool     lost, deaf;            /* lost: the next tick checks all
					   tracks; deaf: each does */
	msec     asked;                 /* all servers, before the tracks begin,
					   or 0 */
	msec     around_at, panes_at;   /* the next searches: for panes; for
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
	bool     all, everywhere, json, new, steal_pipe, no_handoff,
		 check_errors;
	long     tick;
	const char *session, *pane, *marker, *handoff, *status_dir;
	unsigned exit_on;               /* 1 << enum state */
	int      schedule;              /* -1: none */
	struct newer newer;
	char   **words;                 /* of our command line */
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
/* Watches another open file or folder (-1: none) instead. */
void watch_again(struct watch *, int *id, int fd, enum notify_what);
void track_watch(struct track *, enum track_files, int fd, ino_t);

/* The caller opens the site's context, then calls site_prepare(), and frees the
 * tracks before the site. */
struct site *site_new(struct watch *, struct site **list);
void site_free(struct site *);
/* -1 with the configuration's error. */
int  site_prepare(struct site *, struct buf *wrong);
/* what: of the directory's changes. */
void site_watch(struct site *, enum notify_what what);
/* Shows `start` that we follow all issues of the directory. */
void site_claim(struct site *);

/* -1: the issue is in none of the states, or its hand-off is open. */
int settle_exit(const struct status *, unsigned states);
int settle_both(int, int);

/* ---- gather.c ----------------------------------------------------------- */

void gather_open(struct track *);
/* Finds the backend by the record, else by the program in front (or NULL). */
void gather_backend(struct track *, const char *foreground);
void gather_ask(struct track *, unsigned want);
bool gather_writer(struct track *);
/* True: a restart made the pane's process the run's. */
bool gather_restart(struct track *, const struct tmux_pane *pane);
/* False: fd is not the track's. */
bool gather_end(struct track *, int fd);
void gather_due(struct track *);
void gather_done(struct track *, const struct verdict *);
void gather_tick(struct track *);

/* ---- panes.c ------------------------------------------------------------ */

/* True: it needs another look, though nothing may change. */
bool panes_listing(struct watch *, struct tmux_server *);
/* Does the verdict only show the agent's first prompt? */
bool panes_begins(const struct track *, const struct verdict *);
/* Did a person end the agent?  Then only the journal keeps its run. */
bool panes_quit(struct track *);
/* Makes the run of the pane's agent that of the issue. */
void panes_hand_over(struct status *, const struct statusdir *);

/* ---- adopt.c ------------------------------------------------------------ */

enum { ADOPT_LATER = -1 };
/* 0, or the exit status after a message; ADOPT_LATER: the servers' answers mark
 * the track. */
int adopt_run(struct track *);
/* Is there anything to follow?  It waits, and writes nothing. */
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
/* Does our lock still count?  If not, the track is lost: another process may
 * have acted. */
bool turn_locked(struct track *);
void turn_stop(struct track *);
void turn_print_state(struct track *);
void turn_print_handoff(struct track *);
void turn_settle(struct track *);

/* ---- hold.c ------------------------------------------------------------- */

void hold_begin(struct track *);
void hold_turn(struct track *);
/* check: an event may be missing. */
void hold_tick(struct track *, bool check);
/* They follow a replaced or removed status directory. */
void hold_renew(struct site *);

/* ---- query.c ------------------------------------------------------------ */

void query_open(struct watch *);
void query_pass(struct track *);
void query_forget(struct watch *);

/*
 * ---- all.c
 *
 * An issue is followed once it has a record, a signal or a pane.  After its end
 * it is forgotten, until another run or a late signal.
 */
/* They follow the issue that a directory entry names; all of them; a listing's,
 * as panes_listing(). */
void all_name(struct site *, const char *name);
void all_names(struct site *);
bool all_listing(struct watch *, struct tmux_server *);
void all_turn(struct watch *);

/*
 * ---- everywhere.c
 *
 * The watch follows the registry's directories.  A wrong configuration excludes
 * one, with one warning, until mended.
 */
/* Ends the program if another process watches everywhere, unless this is one
 * round. */
void everywhere_open(struct watch *);
void everywhere_turn(struct watch *);
bool everywhere_drop(struct site *);
/* The queue in tmux's status lines.  It lists each server every second, so it
 * runs only while a server shows it, or is silent. */
void feed_look(struct watch *);
void feed_end(struct watch *);

#endif
