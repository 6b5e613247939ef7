/*
 * status.h - the status record of an issue, .paneward/<issue>.json;
 * see paneward-files(5).
 *
 * The record of the issue's last run decides; the journal is history.  It is
 * replaced whole.  Readers ignore unknown fields.
 */
#ifndef PANEWARD_STATUS_H
#define PANEWARD_STATUS_H

#include "base/state.h"
#include "marker/marker.h"
#include "os/lock.h"
#include "os/proc.h"
#include "tmux/paneref.h"

/* ---- the answer of the detectors: verdict.c ------------------------------ */

enum { VERDICT_SOURCE = 16, VERDICT_WHY = 320, VERDICT_MESSAGE = 200 * 4 + 1 };

/* A value.  Its texts are printable, and cut between characters. */
struct verdict {
	enum state  state;
	char        source[VERDICT_SOURCE];     /* the detector's name */
	char        why[VERDICT_WHY];
	char        message[VERDICT_MESSAGE];   /* of the agent */
	uint32_t    question;           /* hash of the one on screen, or 0 */
	/* Not recorded: */
	bool        anew;               /* ASKING: a new question */
	msec        reset;              /* a limit's end, wall time, or 0 */
};

/* Small letters; any other name is no source.  Older records have "record" for
 * "hook". */
void verdict_set_source(struct verdict *, const char *name);
/* "none" without a source. */
const char *verdict_source(const struct verdict *);

/* The watched pane itself may show the text, so "###" becomes full-width. */
void verdict_shown(char *to, size_t size, const char *text, size_t len);

void verdict_why(struct verdict *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verdict_add_why(struct verdict *, const char *text);
void verdict_message(struct verdict *, const char *text, size_t len);

/* ---- what a run has used: tokens.c --------------------------------------- */

enum { TOKENS_ID = 80 };                /* bytes; a longer id is none */

struct tokens {
	uint64_t input, cached, output; /* cached: a part of input */
};

/* A line counts for its growth over the line before with its id: clients repeat
 * an answer, or write the sum so far.  A smaller count starts from zero. */
struct token_count {
	struct tokens sum;
	struct tokens last;             /* the last line, */
	char     id[TOKENS_ID];         /* and its id */
	uint64_t read;                  /* bytes */
	msec     newest;                /* of a counted line */
	msec     since;                 /* older lines are copies */
};

bool tokens_known(const struct tokens *);

/* Counts a line, if it is newer than `began`. */
void tokens_count(struct token_count *, const char *id, const struct tokens *,
    msec time, msec began);

/* Another file follows. */
void tokens_next_file(struct token_count *);

/* "12.3k in, 4.5k out". */
void tokens_describe(struct buf *, const struct tokens *);

/* ---- the record ---------------------------------------------------------- */

enum {
	STATUS_MAX = 65536,             /* bytes of a record that are read */
	STATUS_MESSAGE = 4096           /* of the agent's last message */
};

/* How far a run's log was read. */
struct log_mark {
	dev_t    dev;
	ino_t    ino;                   /* 0: no file yet */
	/* Offsets in the stream: of the file, of the run, of what was read. */
	uint64_t base, begin, read;
	unsigned head_len;              /* inodes are reused: the hash of so */
	uint64_t head;                  /* many bytes tells files apart */
	struct marker_state scan;       /* where the scan continues */
};

/* Markers that do not count. */
struct marker_ignored {
	unsigned complete, error;
};

enum handoff_state {
	HANDOFF_NONE,
	HANDOFF_PENDING,
	HANDOFF_RUNNING,                /* no end is recorded */
	HANDOFF_DONE,
	HANDOFF_FAILED,                 /* for good */
	HANDOFF_REFUSED
};

struct handoff {
	enum handoff_state state;
	enum handoff_state before;      /* restored if a manual attempt fails */
	char     id[RUN_ID_LEN + 1];
	unsigned attempts, failures;
	unsigned delays;                /* in succession */
	int      last_exit;             /* over 128: by a signal; -1: none */
	msec     next, begun;           /* attempts, wall time */
	pid_t    pid;                   /* leads the running command's group */
	uint64_t start;
	char     boot[PROC_BOOT];
	char    *signal;                /* its sigfile_id(), or NULL */
	char    *message;               /* last words, or NULL */
};

enum notice { NOTICE_NONE, NOTICE_STATE, NOTICE_HANDOFF };

struct json;
struct sigfile;
struct statusdir;

/* Pointers may be NULL; times are wall time. */
struct status {
	char     issue[ISSUE_MAX + 1];
	char    *name;                  /* "session:1.0", without an issue */
	char     run[RUN_ID_LEN + 1];   /* empty: there is no record */
	struct verdict verdict;
	msec     since;                 /* the last change of state */
	char    *last_message;          /* of the agent, at that time */
	char    *backend;
	char    *marker;                /* a custom one */
	bool     adopted;               /* `start` did not begin it */
	bool     hidden;                /* a sweep left an error unreported */
	bool     exit_is_report;        /* the agent's end is its report */
	char   **handoff_command;       /* of `start`; no words: no hand-off;
					   NULL: the configured one */
	bool     fresh;                 /* of `watch --new`: everything older is
					   stale, without slack */
	struct pane_ref place;
	char    *session_name;          /* opened by `start` */
	char     boot[PROC_BOOT];
	struct {
		pid_t    pid;
		uint64_t start;
		char    *session;
		bool     moved;         /* to another process of the client */
	} agent;
	char    *cwd;                   /* of an adopted agent */
	char    *worktree, *branch;
	char    *base;                  /* the commit at its start */
	struct {
		char    *path;
		uint64_t read;          /* bytes */
		bool     said;          /* it had a message of the agent */
		msec     past;          /* markers up to then never count */
	} transcript;
	struct token_count tokens;
	msec     started;
	struct log_mark log;
	struct marker_ignored ignored_log, ignored_capture, ignored_events;
	uint64_t events;                /* bytes read */
	msec     captured;              /* the last capture, or 0 */
	bool     ended;                 /* the exit is known or lost */
	int      exit_code, exit_signal;        /* -1: unknown */
	uint64_t changes;               /* of state; makes journal ids */
	struct { msec since; char phase[16]; } reload;  /* since 0: none */
	struct handoff handoff;
	struct {
		pid_t    pid;           /* 0: none so far */
		uint64_t start;
		char     boot[PROC_BOOT];
	} runner;                       /* of the last hand-off */
	struct {
		msec     since;         /* 0: it is not parked */
		msec     until;         /* the limit's end, or 0 */
		msec     next, asked;   /* prompts to go on, or 0 */
		unsigned asks;          /* in this episode */
	} parked;
	uint64_t episode;               /* changes with its state or question */
	enum notice notice;             /* due */
};

void status_init(struct status *, const char *issue);
void status_release(struct status *);

bool status_over(const struct status *);

/* Records the agent's session, unless it is empty.  True if that is new. */
bool status_session(struct status *, const char *session);

extern const char *const handoff_states[];

/* Is it the name of a record, and not of a loop's state (loop/state.h)? */
bool status_named(int state_fd, const char *name, char issue[ISSUE_MAX + 1]);
/* The issues with a record, for argv_free(); NULL with errno. */
char **status_issues(int state_fd);

/* Reads the record; state_fd may be -1.  1; 0: there is none; -1 with errno,
 * EBADMSG if it is no record of this issue.  Unless it was read, it is as after
 * status_init(). */
int  status_read(struct status *, int state_fd, const char *issue);

/* The same from an object of json.h; 0, or -1. */
int  status_take(struct status *, const struct json *);

/* Writes it durably.  -1 with errno: the old one stands. */
int  status_write(const struct status *, int state_fd);

/*
 * One process acts on an issue at a time: the holder of its lock, or the runner
 * in its record, as long as that lives, even without the file of its lock.
 *
 * status_lock() is lock_await(), and 0 if such a runner lives.  status_save()
 * is status_write() under the lock; -1 with EBUSY if the file of the lock was
 * removed: another process may hold it by now.
 */
int  status_lock(struct lock *, int state_fd, const char *issue,
    msec patience);
int  status_save(const struct status *, const struct lock *, int state_fd);
void status_set_runner(struct status *, pid_t);
bool status_runs(const struct status *);

/* Adds the member "handoff", if there is one. */
void status_add_handoff(struct json *, const struct status *);
struct json *status_object(const struct status *);
/* Adds one line of JSON, without a line feed. */
void status_print(struct buf *, const struct status *);

/* ---- its hand-off: handoffstate.c --------------------------------------- */

/*
 * Completed work is handed on exactly once, as the record decides.  The holder
 * of the issue's lock starts a runner for a pending hand-off that is due.  The
 * runner records that the command runs, runs it, records its result, and
 * removes the signal last.  It inherits the descriptor of the lock.
 *
 *	none -> pending -> running -> done
 *	           ^          |   \-> refused
 *	           +- later --+   \-> failed
 *
 * A free lock and a running hand-off mean that the runner was killed.  A new
 * runner waits for the command if that still runs, counts a failure, and
 * repeats it at once, with the same id and a higher number.
 */

enum {                                  /* exit statuses */
	HANDOFF_LATER = 75,
	HANDOFF_NEVER = 77,
	HANDOFF_LATE = 124,             /* ours: ended at its deadline */
	HANDOFF_LOST = 255              /* ours: its runner was killed */
};

/* Is it pending or running? */
bool handoff_open(const struct handoff *);

/* Makes it pending, with the run's id.  A manual attempt that runs now counts
 * as its first. */
void handoff_want(struct handoff *, const char *run);

/* Milliseconds until a pending one is due. */
msec handoff_wait(const struct handoff *, msec wall);

/* An attempt of one that is not open is manual: a failure restores its state,
 * without a retry. */
void handoff_begin(struct handoff *, msec wall);

/* The attempt ended with that status; `most` attempts may fail. */
void handoff_end(struct handoff *, int status, int64_t most, msec wall);
/* The attempt may not begin, and does not count: HANDOFF_LATER or _NEVER. */
void handoff_withhold(struct handoff *, int status, msec wall);
void handoff_interrupt(struct handoff *);

/* Records the run's present completion signal, if any, as the one acted on.  -1
 * with errno. */
int  handoff_take_signal(struct status *, const struct statusdir *);
/* Is the signal that a done hand-off acted on still there, in *s?  1, 0, or -1
 * with errno. */
int  handoff_find_signal(const struct status *, const struct statusdir *,
    struct sigfile *s);
/* Removes that signal only.  -1 with errno. */
int  handoff_remove_signal(const struct status *, const struct statusdir *);

/* For people: "handed off", "hand-off failed (exit 3), ...". */
void handoff_describe(struct buf *, const struct handoff *, msec wall);
/* The end of the last attempt alone. */
void handoff_describe_end(struct buf *, const struct handoff *);

/* ---- parked by a usage limit: parked.c ---------------------------------- */

/*
 * A parked run's agent is prompted to go on some moments after the limit's end,
 * other ones for each run; without a known end after 5, 10 and 20 minutes.  Ten
 * minutes of work begin a new episode.
 */

enum {
	PARKED_MOST = 3,                /* prompts in an episode */
	PARKED_SPREAD = 3000            /* ms */
};

/* Records a verdict; on: agents are prompted; reset: the limit's end, wall
 * time, or 0.  True if the record changes. */
bool parked_take(struct status *, enum state, msec reset, bool on, msec wall);

/* Milliseconds until the prompt, or CLOCK_NEVER. */
msec parked_wait(const struct status *, msec wall);
void parked_begin(struct status *, msec wall);

/* Adds "; goes on at 15:00 (in 42m), 1 of 3", if it is parked. */
void parked_describe(struct buf *, const struct status *, msec wall);

/* ---- reports of it: report.c -------------------------------------------- */

/* Prints a change, of its state or its hand-off: "42 complete: why: message",
 * with a project (or NULL) "folder/42 ...", or JSON. */
void report_print(const struct status *, const char *project, bool handoff,
    bool json);

/* Adds how to revive it, if its pane is gone and its conversation is known.
 * True if it did. */
bool report_way_back(struct buf *, const struct status *, enum state);

#endif
