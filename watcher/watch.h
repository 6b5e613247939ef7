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
	SILENCE = 200,          /* ms after which a marker waits no longer */
	QUIET = 1000,           /* ms without output that end a burst */
	UNTRUSTED = 2000,       /* ms between captures that replace a log */
	FILLING = 1000,         /* ms an empty error file is given */
	DRAINING = 2000,        /* ms the log writer is given at the end */
	CLAIMING = 2000,        /* ms it is given to say that the pipe is ours */
	SETTLED = EVIDENCE_GRACE + 100, /* ms; see there */
	RETRY = 1000,           /* ms until what could not be written is tried
				   again */
	LASTING = 3000,         /* ms of output after which a screen that may be
				   another one by now is looked at */
	LISTING = 300000,       /* ms between listings that nobody asked for */
	PATIENCE = 60000,       /* ms a watcher is given to find a directory that
				   was replaced */
	REPAIRS = 5,            /* of a death that tmux has lost */
	LOOKS = 3,              /* tries to get the last capture */
	BUDGET = 64 << 20,      /* bytes of logs that are read in a turn, */
	SHARE = 1 << 20,        /* and of one log at least */
	DESCRIPTORS = 5,        /* that an issue may need */
	KEPT = 32               /* for the watch, tmux and hand-offs */
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

/* What is said or done once for each track. */
enum told {
	TOLD_STALE_COMPLETE, TOLD_STALE_ERROR,
	TOLD_REFUSED_COMPLETE, TOLD_REFUSED_ERROR,
	TOLD_STALE_MARKER, TOLD_LOG, TOLD_LONG, TOLD_SAVE, TOLD_REMOVE, TOLD_PIPE, TOLD_NAME,
	TOLD_RECORD, TOLD_EVENTS, TOLD_LOCK, TOLD_RUNNER, TOLD_NOTIFY,
	TOLD_STOPPED, TOLD_BACKEND,
	TOLD_COUNT
};

/* Whose is the pane's pipe? */
enum pipe_state {
	PIPE_UNKNOWN,
	PIPE_CLAIMED,           /* by a living writer of ours */
	PIPE_BROKEN,            /* ours, and its writer was killed */
	PIPE_SEEN,              /* it is there; a writer may still claim it */
	PIPE_OPENED,            /* we asked for it; its writer may still come */
	PIPE_FOREIGN,
	PIPE_FAILED             /* none of ours could be had */
};

/* One issue that is followed.  What is looked at in every turn stands first,
 * close together: there may be a thousand of them. */
struct track {
	struct track  *next;
	msec           due;             /* the first of its deadlines, unless */
	bool           marked;          /* it is to be judged in this turn */
	bool           finished;
	bool           lost;            /* its lock, or its run */
	int            log_watch, events_watch;        /* files.h's numbers, or
					   -1 */
	struct runner runner;   /* while it runs, the record is its */
	char           issue[ISSUE_MAX + 1];
	struct watch  *watch;
	struct status  record;
	struct lock    lock;            /* not held: the record of the watcher
					   that has it is followed */
	int            exit;            /* once finished */
	bool           begun;           /* it had the lock, or knew who has */
	struct server *server;          /* NULL: no pane is known */
	struct evidence evidence;
	struct panelog log;             /* once the lock is held */
	const struct backend *backend;  /* of the agent, as far as it is known */
	char          *front;           /* by which program in front; or NULL */
	struct screen  screen;          /* what the agent shows */
	struct events_reader events;
	ino_t          events_ino;     /* what events_watch watches, 0:
					   nothing */
	bool           events_due;     /* they may be longer now */
	msec           settle_at;       /* see gather_settle_next() */
	msec           told_at;         /* when a hook last told something */
	msec           judged_at;       /* when it was judged last */
	ino_t          log_ino;         /* what log_watch watches */
	int            agent_fd, pane_fd, writer_fd, holder_fd,
	               reload_fd;       /* ends; -1 */
	unsigned       want;            /* of the next query: enum tmux_want */
	bool           claims_due;      /* what our agent-run and log-writer
					   wrote down is to be read again */
	bool           listed;          /* its server has answered once, or
					   will not */
	bool           captured;        /* the evidence has a capture */
	bool           redraws;         /* a restarted agent draws what is old; */
	struct marker_hits drawn;       /* what the log held before */
	bool           looked;          /* the last look has its capture, */
	unsigned       look_query;      /* from this query of the server, or a
					   later one */
	enum pipe_state pipe;
	pid_t          writer;          /* of PIPE_CLAIMED */
	bool           filled;          /* the empty error file had its time */
	bool           stuck;           /* the screen moves, the log does not */
	bool           unsaved, unjournaled;    /* what is still to be written */
	bool           told[TOLD_COUNT];
	int            repairs, looks;
	enum state     shown;           /* printed last */
	enum handoff_state handed;      /* printed last, and of which attempt */
	unsigned       attempt;
	bool           glanced;         /* another watcher's record was read: */
	bool           was_over;        /* there was nothing left to do, */
	uint64_t       glance;          /* and it had so many changes */
	char           glanced_run[RUN_ID_LEN + 1];
	msec           output;          /* when something was printed last */
	msec           output_wall;     /* the same, as a date */
	msec           burst;           /* when that began to go on and on */
	msec           pictured;        /* when the screen was captured last */
	/* Deadlines; CLOCK_NEVER where nothing is waited for. */
	msec           quiet_at;        /* the burst of output is over */
	msec           capture_at;      /* output goes on and on */
	msec           untrusted_at;    /* the log's stand-in is due */
	msec           claim_at;        /* a writer that claims its pipe has
					   had its time */
	msec           silence_at;      /* a marker has waited long enough */
	msec           fill_at;         /* an empty error file counts */
	msec           ending_at;       /* the last look may be over */
	msec           drain_at;        /* the log writer had its time */
	msec           retry_at;        /* writing is tried again */
	msec           patient_until;   /* the lock is left to its holder */
	msec           handoff_at;      /* the hand-off is due */
	msec           notify_at;       /* a notice is due */
	msec           notify_from;     /* none is sent before, unless it is
					   the last chance */
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
	struct servers snapshot;        /* of this turn */
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
/* A descriptor that tells of a process's end, as proc_open() does; it is among
 * the watch's ends. */
int  gather_open_end(struct track *, pid_t, uint64_t start);
void gather_close_end(struct track *, int *fd);
/* It tells.  False: it is not the track's. */
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
bool track_first(struct track *, enum told);

#endif
