/*
 * status.h - the status record of an issue's last run, .paneward/<issue>.json;
 * see paneward-files(5).
 *
 * The record decides.  Times are wall time, or 0; pointers may be NULL.
 * A failure returns -1 with errno.
 */
#ifndef PANEWARD_STATUS_H
#define PANEWARD_STATUS_H

#include "base/state.h"
#include "marker/marker.h"
#include "os/lock.h"
#include "os/proc.h"
#include "tmux/paneref.h"

/* ---- verdict.c ---------------------------------------------------------- */

enum { VERDICT_SOURCE = 16, VERDICT_WHY = 320, VERDICT_MESSAGE = 200 * 4 + 1 };

/* Its texts are printable. */
struct verdict {
	enum state  state;
	char        source[VERDICT_SOURCE], why[VERDICT_WHY];
	char        message[VERDICT_MESSAGE];
	uint32_t    question;           /* its hash, or 0 */
	/* Not recorded: */
	bool        anew;               /* a new question */
	msec        reset;              /* a limit's end */
};

/* A detector's name, or "none".  Older records have "record" for "hook". */
void verdict_set_source(struct verdict *, const char *name);
const char *verdict_source(const struct verdict *);

/* The watched pane may show it, so "###" becomes full-width. */
void verdict_shown(char *to, size_t size, const char *text, size_t len);

void verdict_why(struct verdict *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verdict_add_why(struct verdict *, const char *text);
#define verdict_message(v, text, len) \
	verdict_shown((v)->message, sizeof((v)->message), (text), (len))

/* ---- tokens.c ----------------------------------------------------------- */

enum { TOKENS_ID = 80 };

struct tokens {
	uint64_t input, cached, output; /* cached is input */
};

/* A line counts for its growth over the last one with its id. */
struct token_count {
	struct tokens sum, last;
	char     id[TOKENS_ID];
	uint64_t read;
	msec     newest, since;         /* lines older than since are copies */
};

void tokens_count(struct token_count *, const char *id, const struct tokens *,
    msec time, msec began);

/* Adds before, then known tokens, or nothing. */
void tokens_describe(struct buf *, const char *before, const struct tokens *);

/* ---- the record ---------------------------------------------------------- */

enum {
	STATUS_MAX = 65536,
	STATUS_MESSAGE = 4096
};

struct log_mark {
	dev_t    dev;
	ino_t    ino;                   /* 0: no file yet */
	/* Offsets of the file, of the run, of the reader. */
	uint64_t base, begin, read;
	unsigned head_len;
	uint64_t head;                  /* of head_len bytes: inodes are
					   reused */
	struct marker_state scan;
};

struct marker_ignored {
	unsigned complete, error;
};

enum handoff_state {
	HANDOFF_NONE, HANDOFF_PENDING, HANDOFF_RUNNING, HANDOFF_DONE,
	HANDOFF_FAILED, HANDOFF_REFUSED
};

struct handoff {
	enum handoff_state state, before;       /* before a manual attempt */
	char     id[RUN_ID_LEN + 1];
	unsigned attempts, failures, delays;
	int      last_exit;             /* over 128: a signal; -1: none */
	msec     next, begun;
	struct proc_id group;           /* of the command: its leader */
	char    *signal, *message;      /* signal: sigfile_id(), cut before
					   the time of an empty one */
};

enum notice { NOTICE_NONE, NOTICE_STATE, NOTICE_HANDOFF };

struct json;
struct sigfile;
struct statusdir;

struct status {
	char     issue[ISSUE_MAX + 1];
	char    *name;                  /* "session:1.0", without an issue */
	char     run[RUN_ID_LEN + 1];   /* empty: there is no record */
	struct verdict verdict;
	msec     since;                 /* of the state */
	char    *last_message;
	char    *backend, *marker;      /* marker: a custom one */
	bool     adopted;               /* not begun by `start` */
	bool     hidden;                /* a sweep left an error unreported */
	bool     exit_is_report;
	char   **handoff_command;       /* NULL: the configured one */
	bool     fresh;                 /* everything older is stale */
	struct pane_ref place;
	char    *session_name;          /* of `start` */
	char     boot[PROC_BOOT];
	struct {
		pid_t    pid;
		uint64_t start;
		char    *session;
		bool     moved;         /* to another process */
		bool     background;    /* the client's: the session has left
					   its pane */
	} agent;
	char    *cwd;                   /* of an adopted agent */
	char    *worktree, *branch, *base;      /* base: the commit at its
					   start */
	/* Lines for its row, as the agent wrote them. */
	char    *task, *prompt, *said;  /* said: the last one of its answer */
	struct {
		char    *branch;        /* at the end of its last turn */
		int      changes;       /* files; -1: unknown */
	} tree;
	struct {
		char    *path;
		uint64_t read;
		bool     said;
		msec     past;          /* older markers never count */
	} transcript;
	struct token_count tokens;
	msec     started;
	struct log_mark log;
	struct marker_ignored ignored_log, ignored_capture, ignored_events;
	uint64_t events;
	msec     captured;
	bool     ended;                 /* the exit is known or lost */
	int      exit_code, exit_signal;
	uint64_t changes, episode;      /* of state; of state or question */
	struct { msec since; char phase[16]; } reload;
	struct handoff handoff;
	struct proc_id runner;
	struct {
		msec     since, until;  /* until: the limit's end */
		msec     next, asked;   /* prompts to go on */
		unsigned asks;
	} parked;
	enum notice notice;
};

void status_init(struct status *, const char *issue);
void status_release(struct status *);

bool status_over(const struct status *);

bool status_session(struct status *, const char *session);

extern const char *const handoff_states[];

/* False for the name of a loop's state (loop/state.h). */
bool status_named(int state_fd, const char *name, char issue[ISSUE_MAX + 1]);
/* NULL with errno. */
char **status_issues(int state_fd);

/* 1: read; 0: there is none.  Else it is as after status_init(). */
int  status_read(struct status *, int state_fd, const char *issue);

int  status_take(struct status *, const struct json *);

/* Durable once it returns. */
int  status_write(const struct status *, int state_fd);

/* One process acts on an issue: the holder of its lock, or its living runner.
 * status_lock() is lock_await(), and 0 if such a runner lives.  status_save()
 * fails with EBUSY if the file of the lock was removed. */
int  status_lock(struct lock *, int state_fd, const char *issue,
    msec patience);
int  status_save(const struct status *, const struct lock *, int state_fd);

/* For other programs: without what only paneward reads. */
struct json *status_object(const struct status *);
void status_print(struct buf *, const struct status *);

/* ---- handoffstate.c ----------------------------------------------------- */

/*
 * Completed work is handed on exactly once.  The holder of the issue's lock
 * starts a runner, which inherits the lock.  The runner records that the
 * command runs, runs it, records its result, and removes the signal last.
 *
 *	none -> pending -> running -> done
 *	           ^          |   \-> refused
 *	           +- later --+   \-> failed
 *
 * With a free lock a running hand-off has lost its runner.  A new runner waits
 * for the command, counts a failure, and repeats it at once.
 */

enum {                                  /* exit statuses */
	HANDOFF_LATER = 75,
	HANDOFF_NEVER = 77,
	HANDOFF_LATE = 124,
	HANDOFF_LOST = 255              /* its runner was killed */
};

bool handoff_open(const struct handoff *);

void handoff_want(struct handoff *, const char *run);

msec handoff_wait(const struct handoff *, msec wall);

/* A manual attempt, of one that is not open, restores its state on failure. */
void handoff_begin(struct handoff *, msec wall);

/* `most` attempts may fail. */
void handoff_end(struct handoff *, int status, int64_t most, msec wall);
/* The attempt does not count: HANDOFF_LATER or _NEVER. */
void handoff_withhold(struct handoff *, int status, msec wall);
void handoff_interrupt(struct handoff *);

/* Records the run's completion signal as acted on. */
int  handoff_take_signal(struct status *, const struct statusdir *);
/* Does the signal of a done hand-off remain, in *s? */
int  handoff_find_signal(const struct status *, const struct statusdir *,
    struct sigfile *s);
/* Removes that signal only. */
int  handoff_remove_signal(const struct status *, const struct statusdir *);

void handoff_describe(struct buf *, const struct handoff *, msec wall);
void handoff_describe_end(struct buf *, const struct handoff *);

/* ---- parked.c ----------------------------------------------------------- */

/* A parked run's agent is prompted just after the limit's end, or after 5, 10
 * and 20 minutes.  Ten minutes of work begin a new episode. */
enum {
	PARKED_MOST = 3,                /* prompts in an episode */
	PARKED_SPREAD = 3000            /* ms */
};

/* on: agents are prompted; reset: a limit's end.  True: the record changed. */
bool parked_take(struct status *, enum state, msec reset, bool on, msec wall);

msec parked_wait(const struct status *, msec wall);
void parked_begin(struct status *, msec wall);

void parked_describe(struct buf *, const struct status *, msec wall);

/* ---- report.c ----------------------------------------------------------- */

/* "folder/42 complete: why", or JSON. */
void report_print(const struct status *, const char *project, bool handoff,
    bool json);

/* Adds how to revive it, if its pane is gone and its conversation known. */
bool report_way_back(struct buf *, const struct status *, enum state);

#endif
