/*
 * watch.h - what the parts of a watch share.
 *
 * One process follows many issues.  A struct watch holds them (tracks), the
 * tmux servers on which they live, and what wakes it.  watch.c waits, server.c
 * asks tmux, adopt.c finds out which run an issue has, gather.c and pane.c gather
 * the evidence, track.c has it judged and acts on the verdict.
 */
#ifndef PANEWARD_WATCHER_WATCH_H
#define PANEWARD_WATCHER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "chain/backend.h"
#include "chain/evidence.h"
#include "chain/screen.h"
#include "handoff/runner.h"
#include "os/lock.h"
#include "os/notify.h"
#include "run/context.h"
#include "run/handoffstate.h"
#include "run/journal.h"
#include "run/panelog.h"
#include "run/paneowner.h"
#include "run/status.h"
#include "tmux/servers.h"
#include "tmux/tmux.h"

enum {
	TRACK_QUIET = 1000,     /* ms without output that end a burst */
	TRACK_UNTRUSTED = 2000, /* ms between captures that replace a log */
	TRACK_DRAINING = 2000,  /* ms for the log writer to flush at the end */
	TRACK_CLAIMING = 2000,  /* ms for it to record that it has the pipe */
	TRACK_SETTLED = EVIDENCE_GRACE + 100, /* ms; see there */
	TRACK_RETRY = 1000,     /* ms until a failed write is retried */
	TRACK_LASTING = 3000,   /* re-capture a possibly outdated screen after
				   this much continuous output (ms) */
	TRACK_PATIENCE = 60000, /* ms for another watcher to find a directory
				   that was replaced */
	TRACK_REPAIRS = 5,      /* of a process's end that tmux missed */
	TRACK_CAPTURES = 3,     /* attempts to get the last capture */
	SERVER_LISTING = 300000, /* ms between listings at most */
	WATCH_BUDGET = 64 << 20, /* bytes of logs read in a turn, */
	WATCH_SHARE = 1 << 20,  /* and of one log at least */
	WATCH_DESCRIPTORS = 5,  /* that an issue may need */
	WATCH_KEPT = 32         /* for the watch, tmux and hand-offs */
};

/* A tmux server on which watched panes live. */
struct server {
	struct server *next;
	char    *socket;
	pid_t    pid;                   /* 0: not known yet */
	int64_t  start;                 /* tmux's start_time */
	uint64_t proc_start;
	int      fd;                    /* tells of its end; -1 */
	struct tmux_query query;
	unsigned queries;               /* begun so far */
	bool     running;               /* the last one is under way */
	bool     asked;                 /* somebody wants a listing */
	bool     stuck;                 /* tmux cannot be run; that was said */
	bool     silent;                /* it lives and does not answer */
	bool     ended;                 /* its process is gone */
	msec     due;                   /* the next listing at the latest */
};

/* Warnings and requests that a track makes once. */
enum warning {
	WARNED_STALE_COMPLETE, WARNED_STALE_ERROR,
	WARNED_REFUSED_COMPLETE, WARNED_REFUSED_ERROR,
	WARNED_STALE_MARKER, WARNED_LOG, WARNED_LONG, WARNED_SAVE,
	WARNED_REMOVE, WARNED_PIPE, WARNED_NAME, WARNED_RECORD, WARNED_EVENTS,
	WARNED_LOCK, WARNED_RUNNER, WARNED_NOTIFY, WARNED_STOPPED,
	WARNED_BACKEND,
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
	AT_SILENCE,             /* a held marker counts */
	AT_SETTLE,              /* see gather_settle_next() */
	AT_RETRY,               /* writing, or the lock, is tried again */
	TRACK_WAKES,            /* These need everything recorded: */
	AT_HANDOFF = TRACK_WAKES,
	AT_NOTICE,
	TRACK_ACTS,             /* And these count on a condition: */
	AT_FILL = TRACK_ACTS,   /* an empty error file counts */
	AT_ENDING,              /* what the end left behind is read */
	AT_DRAIN,               /* the log writer is not waited for */
	TRACK_TIMERS
};

/* Files whose changes the kernel reports. */
enum track_files {
	FILE_LOG, FILE_HOOKS,
	TRACK_FILES
};

/* What the next turn has to do, and when.  (watch.c) */
struct track_due {
	msec at;
	bool marked;            /* at once: something has changed */
	bool claims;            /* agent-run or log-writer may have written */
	bool hooks;             /* hooks may have written */
};

struct track_file {
	int   watch;            /* notify.h's number; -1: none */
	ino_t ino;              /* of the watched file; 0: none */
};

/* How far the watch of the issue has come.  (track.c) */
struct track_life {
	bool begun;             /* it had the lock, or found its holder */
	bool lost;              /* its lock, or its run */
	bool finished;
	int  exit;              /* once finished */
};

/* The run's pane on its tmux server.  (pane.c, server.c) */
struct track_pane {
	struct server *server;  /* NULL: no pane is known */
	unsigned want;          /* of the next query: enum tmux_want */
	bool     listed;        /* the server has answered once, or will not */
	int      repairs;       /* see TRACK_REPAIRS */
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

struct track_pipe {
	enum pipe_state state;
	pid_t writer;           /* of PIPE_CLAIMED */
	bool  stuck;            /* the screen changes, the log does not */
};

/* What the agent shows on its screen.  (gather.c, pane.c) */
struct track_agent {
	const struct backend *backend;  /* NULL: not known */
	char    *front;         /* the foreground program that chose it */
	struct screen screen;
	bool     captured;      /* the evidence has a capture, */
	msec     captured_at;   /* made then */
};

/* The capture that is made after the end.  (gather.c, pane.c) */
struct track_last {
	bool     captured;      /* it is there, or cannot be had */
	unsigned query;         /* the server's first query that counts */
	int      tries;
};

/* When something was printed.  (gather.c, pane.c) */
struct track_output {
	msec at;                /* last, */
	msec wall;              /* as a date */
	msec burst;             /* when continuous output began */
	bool replaying;         /* a restarted agent redraws its conversation */
	struct marker_hits baseline;    /* what the log held before */
};

/* Lines that the agent's hooks have written.  (gather.c) */
struct track_hooks {
	struct events_reader reader;
	msec heard;             /* when the last one was written */
};

/* The record of the watcher that holds the lock.  (track.c) */
struct track_followed {
	bool     known;         /* the rest is what it said at first */
	bool     over;          /* nothing was left to do */
	uint64_t changes;
	char     run[RUN_ID_LEN + 1];
	msec     patience;      /* the lock is left to the holder until then */
};

/* What still has to be written.  (track.c) */
struct track_unsaved {
	bool record, journal;
};

/* What was printed already; a restarted track does not repeat it. */
struct track_shown {
	enum state state;
	enum handoff_state handoff;
	unsigned attempt;               /* of that hand-off */
	msec     notice_from;           /* no notice is sent before, unless it
					   is the last chance */
	bool     warned[WARNINGS];
};

/* One issue that is followed.  What every turn reads stands first, close
 * together: there may be a thousand of them. */
struct track {
	struct track       *next;
	struct track_due    due;
	struct track_life   life;
	struct track_file   files[TRACK_FILES];
	struct runner       runner;     /* while it runs, it owns the record */
	char                issue[ISSUE_MAX + 1];
	struct watch       *watch;
	struct lock         lock;       /* not held: another watcher's record
					   is followed */
	struct status       record;
	struct evidence     evidence;
	struct panelog      log;        /* once the lock is held */
	msec                judged_at;
	msec                at[TRACK_TIMERS];
	int                 fd[TRACK_FDS];      /* -1: none */
	struct track_pane   pane;
	struct track_pipe   pipe;
	struct track_agent  agent;
	struct track_last   last;
	struct track_output output;
	struct track_hooks  hooks;
	struct track_unsaved unsaved;
	struct track_followed followed;
	struct track_shown  shown;
};

struct watch {
	struct context  context;
	struct pattern *pattern;
	struct claim_rules rules;
	struct files   *files;
	bool     kernel;                /* tells of them */
	int      dir_watch, own_watch;  /* of the status directory */
	struct track  *tracks;
	struct server *servers;
	struct backends backends;
	struct servers snapshot;         /* of this turn */
	uint64_t budget;                /* bytes of logs left for this turn */
	int      ends;                  /* of processes; see proc.h */
	msec     now;
	msec     tick, tick_at;
	bool     all;                   /* every issue, until it is stopped */
	msec     around_at;             /* when panes of others are looked for */
	char   **refused;               /* issues, until then; or NULL */
	char   **unread;                /* issues whose records could not be
					   read, which was said; or NULL */
	size_t   most;                  /* issues that it can hold */
	bool     told_most;
	bool     json, once, new, steal_pipe;
	bool     told_directory;        /* what is wrong with a replaced one */
	const char *session, *pane;     /* the options, or NULL */
	const char *marker;
	const char *handoff;            /* the option, or NULL */
	bool     no_handoff;
	unsigned exit_on;               /* 1 << enum state */
};

/* all.c */
/* What is called like this may be of an issue that is not followed yet. */
void all_name(void *watch, const char *name);
/* The same of everything in the status directory, and of a listing. */
void all_names(struct watch *);
void all_listing(struct watch *, const struct tmux_listing *);
void all_turn(struct watch *);

/* server.c */
struct server *server_at(struct watch *, const char *socket);
/* Which process it is, so that its end can be told from its silence. */
void server_identify(struct server *, pid_t, int64_t start);
void server_ask(struct server *);
void server_turn(struct watch *, struct server *);
void server_ended(struct watch *, struct server *);
msec server_deadline(const struct server *, msec now);
void server_free(struct server *);

/*
 * adopt.c: finds the run that is followed, or begins one.  0, or the exit
 * status after having said why not.
 */
int  track_adopt(struct track *);
/* 0 if there is anything to follow, else as above.  Asked before anything is
 * written. */
int  track_nothing(struct track *);

/* gather.c */
/* Opens the log, and what tells of ends, for the record's run. */
void gather_open(struct track *);
void gather_open_log(struct track *);
/*
 * What kind of agent the record names, or, where it names none, the program in
 * front of the pane (NULL: not known yet).  -1 if that cannot be used, with a
 * word, once.
 */
int  gather_backend(struct track *, const char *front);
/* For judge_walk, with the track as its context. */
bool gather(void *track, struct evidence *, enum evidence_part);
/* A process has ended.  False: fd is not the track's. */
bool gather_end(struct track *, int fd);
/* Deadlines that have passed ask for captures. */
void gather_due(struct track *);
/*
 * When what the hooks have told is to be judged again, though nothing happens:
 * once the screen must show it, and once a marker has waited long enough for
 * the record of its turn.
 */
msec gather_settle_next(const struct track *);
/* Ends that nothing tells of, on systems that cannot. */
void gather_tick(struct track *);
/* Has everything been read that the end left behind? */
void gather_last_look(struct track *);
/* The command for the pane's pipe; the caller frees it. */
char *gather_pipe(const struct track *);

/* Wants something of the next query, and a listing. */
void gather_ask(struct track *, unsigned want);
/*
 * Has the agent been replaced by another one of the run (reload)?  True if the
 * pane's process (pane may be NULL) is the run's now.
 */
bool gather_restart(struct track *, const struct tmux_pane *pane);
/* Does a living writer of ours claim the pane's pipe? */
bool gather_writer(struct track *);

/* pane.c */
/* What a query says of the track's pane; pane is NULL if it is not there. */
void pane_listed(struct track *, const struct tmux_listing *,
    const struct tmux_pane *pane);
void pane_server(struct track *, bool silent);
void pane_server_ended(struct track *);
/* Where the log cannot be trusted, captures take its place. */
void pane_trust(struct track *);

/* track.c */
struct track *track_new(struct watch *, const char *issue);
void track_free(struct track *);
/* Takes the lock and the run, or follows the watcher that has them. */
void track_begin(struct track *);
void track_turn(struct track *);
void track_tick(struct track *);
/* The status directory is another one: locks and files are there now. */
void track_moved(struct track *);
/* Its runner has ended. */
void track_handed(struct track *);
/* Writes down how far everything was read. */
void track_stop(struct track *);
msec track_deadline(const struct track *);
void track_journal(struct track *, enum journal_type, const char *detail);
/* True the first time. */
bool track_first(struct track *, enum warning);
/* Waits for the end of a process, instead of the earlier one, as proc_open()
 * does; -1 with errno. */
int  track_open(struct track *, enum track_fd, pid_t, uint64_t start);
void track_close(struct track *, enum track_fd);
/* Watches the file that fd is open on (-1: none), instead of the earlier. */
void track_watch(struct track *, enum track_files, int fd, ino_t);

#endif
