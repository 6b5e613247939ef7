/*
 * track.h - one issue that is followed, and the watch that follows many.
 *
 * A turn goes down this list; each file uses only what stands below it:
 *
 *	watch.c   waits for events, which mark tracks
 *	query.c   asks tmux, whose answers are evidence; all.c finds issues
 *	          for --all, everywhere.c projects for --everywhere, and sets
 *	          what tmux shows
 *	hold.c    takes the issue's lock, or follows the record of its holder
 *	turn.c    judges a track and acts on the verdict
 *	adopt.c   decides which run the issue has
 *	gather.c  evidence from files and processes
 *	panes.c   agents without an issue, for --everywhere
 *	track.c   what a track and its project consist of; when an issue is
 *	          settled, and the exit status, also of wait
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

enum {
	TRACK_QUIET = 1000,     /* ms without output that end a burst */
	TRACK_UNTRUSTED = 2000, /* ms between captures that replace a log */
	TRACK_DRAINING = 2000,  /* ms for the log writer to flush at the end */
	TRACK_CLAIMING = 2000,  /* ms for it to record that it has the pipe,
				   until captures replace the log, */
	TRACK_CLAIMED_LATE = 8000, /* and more, until that is warned of: on a
				   busy machine it begins late */
	TRACK_RETRY = 1000,     /* ms until a failed write is retried */
	TRACK_LASTING = 3000,   /* re-capture a possibly outdated screen after
				   this much continuous output (ms), then
				   after twice as much, and so on */
	TRACK_PATIENCE = 60000, /* ms for another watcher to find a directory
				   that was replaced */
	TRACK_REPAIRS = 5,      /* of a process's end that tmux missed */
	TRACK_CAPTURES = 3,     /* attempts to get the last capture */
	SERVER_LISTING = 300000, /* ms between listings at most */
	WATCH_BUDGET = 64 << 20, /* bytes of all logs read in a turn */
	WATCH_SHARE = 1 << 20   /* bytes of each log, even beyond that */
};

/* Warnings and requests that a track makes once. */
enum warning {
	WARNED_STALE_COMPLETE, WARNED_STALE_ERROR,
	WARNED_REFUSED_COMPLETE, WARNED_REFUSED_ERROR,
	WARNED_STALE_MARKER, WARNED_LOG, WARNED_LONG, WARNED_SAVE,
	WARNED_REMOVE, WARNED_PIPE, WARNED_NAME, WARNED_RECORD, WARNED_EVENTS,
	WARNED_LOCK, WARNED_RUNNER, WARNED_NOTIFY, WARNED_STOPPED,
	WARNED_BACKEND, WARNED_SIGNALS,
	WARNINGS
};

/* Descriptors that become readable when a process ends; see proc_open(). */
enum track_fd {
	FD_AGENT, FD_PANE, FD_WRITER, FD_HOLDER /* of the lock */, FD_RESTART,
	TRACK_FDS
};

/* Times at which a track has something to do, or CLOCK_NEVER. */
enum track_timer {
	AT_QUIET,               /* the burst of output is over */
	AT_CAPTURE,             /* output goes on and on */
	AT_UNTRUSTED,           /* the next capture that replaces the log */
	AT_CLAIM,               /* no log writer has recorded the pipe */
	AT_AGAIN,               /* time alone changes the evidence */
	AT_RETRY,               /* writing, or the lock, is tried again */
	TRACK_WAKES,            /* These need everything recorded: */
	AT_HANDOFF = TRACK_WAKES,
	AT_NOTICE,
	AT_PARKED,              /* the agent is told to go on */
	AT_MARK,                /* how far log and transcript are read is
				   recorded */
	TRACK_ACTS,             /* These count until the evidence is final: */
	AT_ENDING = TRACK_ACTS, /* what the end left behind is read */
	AT_DRAIN,               /* the log writer is not waited for */
	TRACK_TIMERS
};

/* Files whose changes the kernel reports. */
enum track_files {
	FILE_LOG, FILE_HOOKS, FILE_TRANSCRIPT,
	TRACK_FILES
};

/* Who reads the pane's output from tmux? */
enum pipe_state {
	PIPE_UNKNOWN,
	PIPE_CLAIMED,           /* a living log writer of ours */
	PIPE_BROKEN,            /* ours, but its writer was killed */
	PIPE_SEEN,              /* a pipe; its writer may still record itself */
	PIPE_OPENED,            /* we asked for it; its writer is to come */
	PIPE_FOREIGN,
	PIPE_FAILED             /* no writer of ours could be started */
};

/* One issue that is followed.  What every turn reads stands first, close
 * together: there may be a thousand of them. */
struct track {
	struct track  *next;
	/* What the next turn has to do, and when.  (watch.c) */
	struct {
		msec at;
		bool marked;    /* at once: something has changed */
		bool claims;    /* agent-run or log-writer may have written */
	} due;
	bool held;              /* a pass leaves its verdict to the next one */
	/* How far the watch of the issue has come.  (hold.c) */
	struct {
		bool begun;     /* it had the lock, or found its holder */
		bool lost;      /* its lock, or its run */
		msec search;    /* since then the servers are asked which run it
				   has; 0: they are not */
		bool finished;
		int  exit;      /* once finished */
	} life;
	struct lock    lock;            /* not held: another watcher's record
					   is followed */
	struct site   *site;
	struct runner  runner;          /* while it runs, it owns the record */
	struct loop_wait handed;        /* its end */
	struct track_file {
		int   watch;    /* notify.h's number; -1: none */
		ino_t ino;      /* of the watched file; 0: none */
	} files[TRACK_FILES];
	char           issue[ISSUE_MAX + 1];
	struct watch  *watch;
	const struct statusdir *dir;    /* of the site */
	const struct config    *config; /* the same */
	struct status  record;
	struct evidence evidence;
	struct sources sources;         /* their log: once the lock is held */
	msec           judged_at;
	msec           at[TRACK_TIMERS];
	int            fd[TRACK_FDS];   /* -1: none */
	/* The run's pane on its tmux server.  (query.c) */
	struct {
		struct tmux_server *server;     /* NULL: no pane is known, or
						   its server has ended */
		unsigned want;          /* of the next query: enum tmux_want */
		bool     listed;        /* the server has answered once, or
					   will not */
		bool     unnamed;       /* its options do not name the run */
		bool     moved;         /* its window, since the capture */
		int      repairs;       /* see TRACK_REPAIRS */
		msec     captured_at;
		char    *foreground;    /* the foreground program that chose
					   the backend */
	} pane;
	struct {
		enum pipe_state state;
		pid_t writer;           /* of PIPE_CLAIMED */
		bool  stuck;            /* the screen changes, the log does
					   not */
	} pipe;
	/* The capture that is made after the end.  (gather.c, query.c) */
	struct {
		bool     captured;      /* it is there, or cannot be had */
		unsigned query;         /* the server's first that counts */
		int      tries;
	} last;
	/* When something was printed.  (gather.c, query.c) */
	struct {
		msec wall;              /* last; sources.output as a date; 0: not
					   known */
		msec burst;             /* when continuous output began */
	} output;
	/* What still has to be written.  (turn.c) */
	struct {
		bool record, journal;
	} unsaved;
	/* The record of the watcher that holds the lock, as it was when this
	 * track first read it.  (hold.c) */
	struct track_followed {
		bool     known;         /* it was read */
		uint64_t changes;
		char     run[RUN_ID_LEN + 1];   /* "": the run was not over */
		msec     patience;      /* until then the lock is left to a
					   holder that lives */
	} followed;
	/* What was printed already; a restarted track does not repeat it. */
	struct {
		enum state state;
		enum handoff_state handoff;
		unsigned attempt;       /* of that hand-off */
		uint64_t answered;      /* the episode for which answer-run was
					   begun */
		msec     parked_from;   /* nor is the agent told to go on */
		msec     notice_from;   /* no notice is sent before, unless it
					   is the last chance */
		bool     left_place;    /* of an agent at work; run/queued.h */
		bool     warned[WARNINGS];
	} shown;
};

/* A project whose issues are followed: its status directory. */
struct site {
	struct site    *next;
	struct watch   *watch;
	struct context  context;
	struct paneowner_rules rules;
	int      dir_watch, state_watch;        /* of the status directory */
	struct lock all;                /* STATUSDIR_ALL; not held: another
					   process has it, or may not */
	char   **unread;                /* issues with a warning that the record
					   cannot be read, or NULL */
	bool     warned_directory;
};

/* The steps of a turn that a command takes. */
struct policy {
	bool pass;      /* An issue has one turn, with what its server answered
			   before.  It follows no process and no file, prints
			   ends and errors alone, and leaves to the next one
			   what is being written, or cannot be. */
	bool once;      /* one round: half-written evidence counts */
	bool errors;    /* are looked for, also without --check-errors */
	bool pipes;     /* the pane gets a pipe and the names of its run */
	bool saves;     /* locks the issue, writes, and acts */
};

enum { POLICY_WATCH, POLICY_ONCE, POLICY_SWEEP, POLICY_DRY, POLICIES };
extern const struct policy policies[POLICIES];

/* What is followed, with which options, and what wakes it.  (watch.c) */
struct watch {
	const struct policy *policy;
	struct site    *sites, *panes;  /* of projects; of agents without an
					   issue, or NULL */
	struct backends backends;
	struct notify  *notify;
	bool     kernel;                /* reports their changes */
	struct loop loop;
	struct loop_wait trap, changes; /* signals, and of notify */
	struct loop_wait ends;          /* of processes; see proc.h */
	loop_fn *handed;                /* the runner of a track has ended */
	struct track  *tracks;          /* of all sites */
	struct servers servers;         /* see query.c */
	uint64_t budget;                /* bytes of logs left for this turn */
	msec     now;
	msec     tick_at;               /* the slow tick */
	size_t   ticks;
	size_t   turn;                  /* the track that it checks next */
	msec     ahead;                 /* of now is the wall clock */
	bool     lost;                  /* the next tick checks all tracks */
	bool     deaf;                  /* the system does not tell the end of
					   a process: each tick does */
	msec     asked;                 /* all servers, before the tracks begin;
					   0: they have begun */
	msec     around_at;             /* --all: the next look for new panes */
	msec     panes_at;              /* and for agents without an issue */
	bool     around;                /* that look is under way */
	struct queue *queue;            /* NULL: no server of tmux shows it */
	struct segment *segment;        /* its counts, while there is one */
	size_t   most;                  /* issues that can be locked at once */
	struct {
		struct lock lock;       /* of the only process */
		int    watch;           /* of the registry's folder; -1 */
		bool   due;             /* it may be another one */
		char **paths;           /* that it had last; NULL: none */
		char **refused;         /* directories with a warning */
	} registry;                     /* --everywhere */
	bool     warned_most;
	/* The options. */
	bool     all, everywhere, json, new, steal_pipe, no_handoff,
		 check_errors;
	long     tick;                  /* ms between slow ticks */
	const char *session, *pane, *marker, *handoff, *status_dir; /* or NULL */
	unsigned exit_on;               /* 1 << enum state */
	int      schedule;              /* is printed instead; -1: none */
};

/* ---- track.c: a track, its site, and when an issue is settled ------------ */

struct track *track_new(struct site *, const char *issue);
void track_free(struct track *);
/* NULL: the issue is not followed. */
struct track *track_find(const struct site *, const char *issue);
msec track_deadline(const struct track *);
/* Computes its deadline anew, after a turn. */
void track_schedule(struct track *);
void track_finish(struct track *, int exit);
void track_journal(struct track *, enum journal_type, const char *detail);
/* True the first time. */
bool track_first(struct track *, enum warning);
/* Waits for the end of a process, instead of the earlier one, as proc_open()
 * does; -1 with errno. */
int  track_open(struct track *, enum track_fd, pid_t, uint64_t start);
void track_close(struct track *, enum track_fd);
/* Watches the file that fd is open on (-1: none), instead of the earlier. */
void track_watch(struct track *, enum track_files, int fd, ino_t);

/* Adds one to a list of the watch; the caller opens its context, then calls
 * site_prepare(). */
struct site *site_new(struct watch *, struct site **list);
/* Removes it from the watch; its tracks must be freed before. */
void site_free(struct site *);
/* Checks what the configuration names.  -1 with the reason in *wrong. */
int  site_prepare(struct site *, struct buf *wrong);
/* Has changes of the open directory reported. */
void site_watch(struct site *);
/* Tells `start` that all issues of the directory are followed, and their
 * completions handed off as configured.  Again from time to time: another
 * process may hold that lock, and `status` shows its age. */
void site_claim(struct site *);

/*
 * "error,dead" as the sum of 1 << enum state.  A word that is no state ends
 * the program with a message that names the option (with its dashes).
 */
unsigned settle_states(const struct command *, const char *option,
    const char *list);
bool settle_over(const struct status *);
/* The exit status of an issue that has reached one of the states; -1: it has
 * not, or its hand-off is still open. */
int settle_exit(const struct status *, unsigned states);
/* The exit status of two issues together: the more urgent one. */
int settle_both(int, int);

/* ---- gather.c: evidence from files and processes -------------------------- */

/* Opens the log of the record's run, and waits for its processes. */
void gather_open(struct track *);
/*
 * Finds the agent's backend by the record, or, if that names none, by the
 * program in front of the pane (NULL: not known yet).  Warns if it cannot be
 * used.
 */
void gather_backend(struct track *, const char *foreground);
/* Wants something of the next query, and a listing. */
void gather_ask(struct track *, unsigned want);
/* True if our log writer has the pane's pipe and lives. */
bool gather_writer(struct track *);
/*
 * Looks for a restart, which replaces the run's agent.  True if the pane's
 * process (pane may be NULL) is the run's now.
 */
bool gather_restart(struct track *, const struct tmux_pane *pane);
/* A process has ended.  False: fd is not the track's. */
bool gather_end(struct track *, int fd);
/* Before a track is judged, and afterwards. */
void gather_due(struct track *);
void gather_done(struct track *, const struct verdict *);
/* Ends that the system does not report. */
void gather_tick(struct track *);

/* ---- panes.c: agents without an issue -------------------------------------- */

/* Opens their site, or ends the program. */
void panes_open(struct site *);
/* Asks all servers of the user, when that is due. */
void panes_turn(struct watch *);
/* Follows the agents in a listing that no issue has.  True: it is to be looked
 * at again, though nothing may change. */
bool panes_listing(struct watch *, struct tmux_server *);
/* Does the verdict say only that it stands at the prompt with which its agent
 * began? */
bool panes_begins(const struct track *, const struct verdict *);
/* Did a person end the agent?  Then only the journal is left of its run. */
bool panes_quit(struct track *);
/* The record is of a new run of an issue, in a pane in which an agent had a run
 * without one: that run goes on as the issue's. */
void panes_hand_over(struct status *, const struct statusdir *);

/* ---- adopt.c: which run an issue has --------------------------------------- */

enum { ADOPT_LATER = -1 };
/* Settles which run is followed, or begins one.  0, or the exit status after a
 * message; ADOPT_LATER: not yet, and the answers of the servers mark the track.
 */
int adopt_run(struct track *);
/* 0 if there is anything to follow, else the exit status after a message.
 * Waits for the servers; writes nothing. */
int adopt_nothing(struct track *);

/*
 * ---- turn.c: a track whose lock we hold is judged, and acted on -------------
 *
 * The order of acting is a promise; see paneward-watch(1).  A verdict is
 * printed at once, then journaled, then recorded, and only a recorded verdict
 * removes a signal or ends the watch.  A failed write is retried.
 */
void turn_judge(struct track *);
/* Starts a runner, if the record calls for one. */
void turn_start(struct track *);
/* Its runner has ended: returns the signal that killed it, or 0. */
int  turn_handed(struct track *);
/* The watch is stopped: records how far everything was read. */
void turn_stop(struct track *);
/* Prints the recorded state, or hand-off unless it was printed already. */
void turn_print_state(struct track *);
void turn_print_handoff(struct track *);
/* Finishes the track if its record calls for that. */
void turn_settle(struct track *);

/*
 * ---- hold.c: one process acts on an issue ------------------------------------
 *
 * This watcher, which then judges it, or another one, whose record is followed
 * until its lock is free.
 */
/* Takes the lock and the run, or follows the lock's holder. */
void hold_begin(struct track *);
void hold_turn(struct track *);
/* The slow tick.  With check set it reads everything that an event may have
 * missed. */
void hold_tick(struct track *, bool check);
/* Opens the status directory again if it was replaced or removed. */
void hold_renew(struct site *);
/* It was: locks and files are there now. */
void hold_moved(struct track *);

/* ---- query.c: asks tmux for what the tracks want --------------------------- */

/* A server is asked when a track wants something, and each SERVER_LISTING. */
void query_open(struct watch *);
/* For a pass: what the servers have said of the track's pane. */
void query_pass(struct track *);
/* Forgets servers that no track needs. */
void query_forget(struct watch *);

/*
 * ---- all.c: every issue of a project in one watch, later ones too -----------
 *
 * An issue is followed from the moment that anything is known of it: a record,
 * a signal, a pane.  When it has ended it is forgotten, and followed again when
 * its record has another run, or when a signal comes late.  What decides that
 * is on the disk.
 */
/* Follows the issue of a name in the status directory, if it has one. */
void all_name(struct site *, const char *name);
/* The same for everything in the status directory, and for a listing.  True as
 * of panes_listing(). */
void all_names(struct site *);
bool all_listing(struct watch *, struct tmux_server *);
/* Forgets what has ended; asks the servers that no track asks. */
void all_turn(struct watch *);

/*
 * ---- everywhere.c: a site for each status directory of the registry ---------
 *
 * A directory that the registry gains is followed from then on.  One that is
 * gone drops out.  One whose configuration is wrong is left out, with one
 * warning, until it is mended.
 */
/* Ends the program if another process of the user does the same, unless this
 * is one round. */
void everywhere_open(struct watch *);
/* Opens the sites that the registry has and the watch has not, and follows
 * their issues.  The registry is read again if it is due. */
void everywhere_turn(struct watch *);
/* Drops the site if its project is gone.  True: it was. */
bool everywhere_drop(struct site *);

/*
 * What tmux itself shows of the queue (queue/queue.h).  It costs a listing of
 * each tmux server a second, so it is done only while one of them shows it: in
 * status-left, status-right or the windows' formats.
 */
/* Begins or ends it, by the servers that have all been asked.  It goes on while
 * one of them does not answer. */
void feed_look(struct watch *);
/* To be called after each round of the loop. */
void feed_turn(struct watch *);
/* The servers show nothing then. */
void feed_end(struct watch *);

#endif
