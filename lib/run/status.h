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
 * Which detector decided: its name, of small letters, or "session" if tmux
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
 * What a run has used, as the transcripts of its agent tell.
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

/* What follows is another file: a new conversation, or a copy that goes on. */
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

#endif
