/*
 * status.h - the status record of an issue, .paneward/<issue>.json;
 * see paneward-files(5).
 *
 * The record holds what is known of the issue's last run.  It decides; the
 * journal is history.  It is replaced whole, so a reader sees an old one or a
 * new one.  Readers ignore fields they do not know.
 */
#ifndef PANEWARD_STATUS_H
#define PANEWARD_STATUS_H

#include "base/state.h"
#include "marker/marker.h"
#include "os/lock.h"
#include "os/proc.h"
#include "tmux/paneref.h"

/* ---- the answer of the detectors: verdict.c ------------------------------ */

/*
 * The answer: state, source, reason.
 *
 * A verdict is a value: copied, compared, forgotten.  Its texts are for
 * people; they hold no control bytes (verdict_why() and verdict_message()
 * see to that) and are cut, where they are too long, between characters.
 */

enum { VERDICT_SOURCE = 16, VERDICT_WHY = 320, VERDICT_MESSAGE = 200 * 4 + 1 };

struct verdict {
	enum state  state;
	char        source[VERDICT_SOURCE];     /* the detector's name */
	char        why[VERDICT_WHY];
	char        message[VERDICT_MESSAGE];   /* what the agent said */
	uint32_t    question;                   /* hash of the question on the
						   screen; 0: not seen */
	bool        anew;                       /* ASKING: another question than
						   the record's; not recorded */
	msec        reset;                      /* of a limit, wall time; 0: not
						   known; not recorded */
};

/*
 * The detector that decided: its name, of small letters, or "session" if tmux
 * did.  Any other word is no source.  An older version wrote "record" for
 * "hook".  verdict_source() is "none" where there is no source.
 */
void verdict_set_source(struct verdict *, const char *name);
const char *verdict_source(const struct verdict *);

/*
 * Copies a text as it may be shown, cut between two characters if it is too
 * long.  The watched pane itself may show it, so three hash signs, which begin
 * a marker, become full-width ones.
 */
void verdict_shown(char *to, size_t size, const char *text, size_t len);

void verdict_why(struct verdict *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verdict_add_why(struct verdict *, const char *text);
void verdict_message(struct verdict *, const char *text, size_t len);

/* ---- what a run has used: tokens.c --------------------------------------- */

/*
 * The tokens that a run has used, as the transcripts of its agent tell.
 *
 * A client tells the tokens of an answer in several lines, with the answer's
 * id: the newest line counts.  Or each line tells the sum so far, under one id
 * for all.  Either way a line counts for what it has more than the one before.
 * If it has less, the client began to count again.
 */

enum { TOKENS_ID = 80 };                /* bytes; a longer id is none */

struct tokens {
	uint64_t input;                 /* all that the model was given, */
	uint64_t cached;                /* of it what came from a cache, */
	uint64_t output;                /* and what it wrote */
};

/* The sum of a run, and how far its transcript is counted.  All zero: nothing
 * was counted. */
struct token_count {
	struct tokens sum;
	struct tokens last;             /* told by the last line, */
	char     id[TOKENS_ID];         /* of that id; "": it had none */
	uint64_t read;                  /* bytes */
	msec     newest;                /* time of a line that told some */
	msec     since;                 /* lines up to that time are copies of
					   what was counted */
};

/* Is anything known? */
bool tokens_known(const struct tokens *);

/* Takes a line of that id ("": none) and time.  What it tells of the time up to
 * began is not the run's. */
void tokens_count(struct token_count *, const char *id, const struct tokens *,
    msec time, msec began);

/* Another file follows: a new conversation, or a copy that goes on. */
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
	dev_t    dev;                   /* which file; ino 0: none yet */
	ino_t    ino;
	/* Offsets in the stream of the run's output: */
	uint64_t base;                  /* the beginning of the file, */
	uint64_t begin;                 /* of the run, */
	uint64_t read;                  /* the end of what was read */
	unsigned head_len;              /* a hash of that many bytes tells */
	uint64_t head;                  /* files apart: inodes are reused */
	struct marker_state scan;       /* where a scan continues; marker.h */
};

/* Markers that do not count: those from before the run, and completions from
 * before its error. */
struct marker_ignored {
	unsigned complete, error;
};

/* The hand-off of a completed run.  Running: the command may have been started,
 * and its end is not recorded yet. */
enum handoff_state {
	HANDOFF_NONE,                   /* there is none, or none is due yet */
	HANDOFF_PENDING,
	HANDOFF_RUNNING,
	HANDOFF_DONE,
	HANDOFF_FAILED,                 /* for good */
	HANDOFF_REFUSED
};

struct handoff {
	enum handoff_state state;
	enum handoff_state before;      /* state to restore if a manual attempt
					   fails */
	char     id[RUN_ID_LEN + 1];    /* the same for every attempt */
	unsigned attempts;              /* begun so far */
	unsigned failures;              /* of these, failed */
	unsigned delays;                /* "not yet" in succession */
	int      last_exit;             /* 128 and more: by a signal; -1: none */
	msec     next;                  /* wall time of the next attempt */
	msec     begun;                 /* and of the last one */
	pid_t    pid;                   /* of a running command, which leads its */
	uint64_t start;                 /* process group, */
	char     boot[PROC_BOOT];       /* in this boot */
	char    *signal;                /* the signal that is acted on, as
					   sigfile_id() names it, or NULL */
	char    *message;               /* its last words, or NULL */
};

/* What a notice is of. */
enum notice {
	NOTICE_NONE,
	NOTICE_STATE,
	NOTICE_HANDOFF                  /* which needs a person */
};

struct json;
struct sigfile;
struct statusdir;

struct status {
	char     issue[ISSUE_MAX + 1];
	char    *name;                  /* of an agent without an issue, whose
					   record is the user's: "session:1.0";
					   NULL: it has an issue */
	char     run[RUN_ID_LEN + 1];   /* empty: there is no record */
	struct verdict verdict;         /* state, source, why, message */
	msec     since;                 /* wall time of the last change of state */
	char    *last_message;          /* of the agent, as far as it was known
					   then: printable; or NULL */
	char    *backend;               /* NULL: not known */
	char    *marker;                /* a custom one, or NULL */
	bool     adopted;               /* not begun by start */
	bool     hidden;                /* a sweep left an error unreported */
	bool     exit_is_report;        /* how the agent ends is its report */
	char   **handoff_command;       /* that start was given: words, none of
					   them: no hand-off; NULL: the
					   configured one */
	bool     fresh;                 /* begun by watch --new: whatever is
					   older is stale, without slack */
	struct pane_ref place;
	char    *session_name;          /* in which start opened it; NULL */
	char     boot[PROC_BOOT];
	struct {
		pid_t    pid;
		uint64_t start;
		char    *session;
		bool     moved;         /* the session went on in another
					   process of the client */
	} agent;
	char    *cwd;                   /* of an adopted agent; NULL */
	char    *worktree, *branch;     /* or NULL */
	char    *base;                  /* the commit checked out when it was
					   started; NULL */
	struct {
		char    *path;          /* once it was found */
		uint64_t read;          /* bytes */
		bool     said;          /* a message of the agent was in it */
		msec     past;          /* a marker of that time, or before,
					   never counts */
	} transcript;
	struct token_count tokens;      /* used, as far as its transcripts were
					   read */
	msec     started;               /* wall time at which the run began */
	struct log_mark log;
	struct marker_ignored ignored_log, ignored_capture, ignored_events;
	uint64_t events;                /* bytes of them that were read */
	msec     captured;              /* wall time of the last capture, or 0 */
	bool     ended;                 /* exit below is known, or never will
					   be */
	int      exit_code, exit_signal;        /* -1: not known */
	uint64_t changes;               /* of state so far; makes journal ids */
	struct { msec since; char phase[16]; } reload;  /* a restart of the
					   agent that is under way; since 0:
					   none is */
	struct handoff handoff;
	struct {
		pid_t    pid;           /* 0: none so far */
		uint64_t start;
		char     boot[PROC_BOOT];
	} runner;                       /* the process that hands it off, or
					   did so last */
	struct {
		msec     since;         /* wall time; 0: it is not parked */
		msec     until;         /* the limit's end; 0: not known */
		msec     next;          /* when its agent is told to go on; 0:
					   it is not */
		msec     asked;         /* when it was told last */
		unsigned asks;          /* how often in this episode */
	} parked;                       /* by a usage limit; parked.h */
	uint64_t episode;               /* changes when its state, or its
					   question, began */
	enum notice notice;             /* to be sent; see notice.h */
};

void status_init(struct status *, const char *issue);
void status_release(struct status *);

/* Has the run ended, by its verdict or its agent's end? */
bool status_over(const struct status *);

/* The agent's session is that; true if that is new.  Empty: nothing. */
bool status_session(struct status *, const char *session);

/* "none", "pending", ... */
extern const char *const handoff_states[];

/* Has a status record that name in .paneward?  Then of which issue?  The state
 * of a loop (loop/state.h) may have such a name, too. */
bool status_named(int state_fd, const char *name, char issue[ISSUE_MAX + 1]);
/* The issues that have one, for argv_free().  NULL with errno if they cannot be
 * read. */
char **status_issues(int state_fd);

/*
 * Reads the record from the open .paneward; -1 is one without records.  1:
 * read, 0: there is none, -1 with errno; EBADMSG if it is not a status record
 * of this issue.  Unless it was read, the record is as status_init() leaves
 * it.
 */
int  status_read(struct status *, int state_fd, const char *issue);

/* Reads one from an object of json.h.  -1: it is none; then the record is as
 * status_init() leaves it. */
int  status_take(struct status *, const struct json *);

/* Writes it durably.  -1 with errno: the old one stands. */
int  status_write(const struct status *, int state_fd);

/*
 * One process acts on an issue at a time: the holder of its lock, and the
 * runner that its record names.  A runner holds the issue as long as it lives,
 * even if it is stopped and the file of its lock was removed.
 *
 * status_lock() is lock_await(), and 0 if such a runner is the holder.
 * status_save() is status_write() under the lock; -1 with EBUSY if the file of
 * the lock was removed, since there may be another holder by now.
 */
int  status_lock(struct lock *, int state_fd, const char *issue,
    msec patience);
int  status_save(const struct status *, const struct lock *, int state_fd);
/* Makes that process its runner, and: does its runner live? */
void status_set_runner(struct status *, pid_t);
bool status_runs(const struct status *);

/* Adds the member "handoff" to an object of json.h, if there is one. */
void status_add_handoff(struct json *, const struct handoff *);

/* The record as an object of json.h, for the caller to free. */
struct json *status_object(const struct status *);
/* Adds it as one line of JSON, without a line feed. */
void status_print(struct buf *, const struct status *);

/* ---- its hand-off: handoffstate.c --------------------------------------- */

/*
 * Completed work is handed on, exactly once.
 *
 * The status record decides.  A completion makes its hand-off pending.  The
 * holder of the issue's lock starts a runner for one that is due.  The runner
 * records that the command runs, runs it, records its result, and removes the
 * signal last.  It inherits the descriptor of the lock, so it may outlive its
 * parent, and no other process acts on the issue meanwhile.
 *
 *	none -> pending -> running -> done
 *	           ^          |   \-> refused
 *	           +- later --+   \-> failed
 *
 * If the lock is free and the record says running, the runner was killed.  A
 * new runner waits for the command itself, if that still runs, counts a
 * failure, and repeats it at once, with the same id and a higher number.
 *
 * A person may start an attempt of a hand-off that is not open.  If it succeeds
 * the hand-off is done; otherwise its state is restored, and it is not retried.
 */

enum {
	HANDOFF_LATER = 75,             /* exit status: not yet, ask again */
	HANDOFF_NEVER = 77,             /* refused: do not ask again */
	HANDOFF_LATE = 124,             /* of ours: ended at its deadline */
	HANDOFF_LOST = 255              /* and: its runner was killed */
};

/* Is it pending or running? */
bool handoff_open(const struct handoff *);

/* A run has completed: pending.  A run is handed off once, so the hand-off has
 * the run's id.  An attempt by hand that runs meanwhile counts as its first. */
void handoff_want(struct handoff *, const char *run);

/* Milliseconds until an open one is due; 0: now. */
msec handoff_wait(const struct handoff *, msec wall);

/* The next attempt begins, of an open one or, by hand, of any. */
void handoff_begin(struct handoff *, msec wall);

/* It ended, with an exit status; so many attempts may fail. */
void handoff_end(struct handoff *, int status, int64_t most, msec wall);
/* It may not begin: HANDOFF_LATER or HANDOFF_NEVER.  That is no attempt. */
void handoff_withhold(struct handoff *, int status, msec wall);
/* It was interrupted: the former state is restored. */
void handoff_interrupt(struct handoff *);

/* Records the signal on which an attempt acts: the run's completion that is
 * there now, if any.  -1 with errno if the lookup fails. */
int  handoff_take_signal(struct status *, const struct statusdir *);
/* 1: the signal is there on which the done hand-off acted, in *s; 0: it is not;
 * -1 with errno. */
int  handoff_find_signal(const struct status *, const struct statusdir *,
    struct sigfile *s);
/* Removes that one, and no other.  -1 with errno. */
int  handoff_remove_signal(const struct status *, const struct statusdir *);

/* For people: "handed off", "hand-off failed (exit 3), ...". */
void handoff_describe(struct buf *, const struct handoff *, msec wall);
/* How the last attempt ended, whatever that means for the hand-off. */
void handoff_describe_end(struct buf *, const struct handoff *);

/* ---- parked by a usage limit: parked.c ---------------------------------- */

/*
 * A run that a usage limit holds: when its agent is told to go on.
 *
 * The agent is told when the limit ends, some moments later, other ones for each
 * run; if its end is not known, after 5, 10 and 20 minutes.  A limit that has not
 * ended parks the run again, by its new end.  Within an episode the agent is
 * told three times at most; an agent that then works for ten minutes begins a
 * new one.
 */

enum {
	PARKED_MOST = 3,                /* times in an episode */
	PARKED_SPREAD = 3000            /* ms */
};

/*
 * Takes a verdict into the record; on: such runs are told to go on.  True if
 * that changes the record.  reset: the end of the limit, wall time; 0: it is
 * not known.
 */
bool parked_take(struct status *, enum state, msec reset, bool on, msec wall);

/* In how many ms is the agent to be told?  CLOCK_NEVER: it is not. */
msec parked_wait(const struct status *, msec wall);

/* It is told now, once more. */
void parked_begin(struct status *, msec wall);

/* Adds "; goes on at 15:00 (in 42m), 1 of 3"; nothing if it is not parked. */
void parked_describe(struct buf *, const struct status *, msec wall);

/* ---- reports of it: report.c -------------------------------------------- */

/*
 * A line on standard output: what changed for an issue.
 */

/* "42 complete: why: message", or for its hand-off "42 handed off"; or for both
 * the same object of JSON.  Without an issue it is the agent's name.  With a
 * project (NULL: none) it is "folder/42", and the object has the whole path. */
void report_print(const struct status *, const char *project, bool handoff,
    bool json);

/* Adds "'paneward revive 42' brings it back" if the pane of a run in that state
 * is gone and its conversation is known.  True if it did. */
bool report_way_back(struct buf *, const struct status *, enum state);

#endif
