/*
 * engine.h - what runs a loop: sessions one after the other, the state of the
 * loop, the word that ends it, and what is printed of it.
 */
#ifndef PANEWARD_LOOP_ENGINE_H
#define PANEWARD_LOOP_ENGINE_H

#include <signal.h>

#include "agent/backend.h"
#include "os/file.h"
#include "os/proc.h"
#include "project/context.h"
#include "run/launch.h"
#include "run/status.h"

/* ---- where sessions run: manager.c and a file each ----------------------- */

/*
 * The first process of each session is our own `loop-agent` (keeper.c).  It
 * runs the agent in a process group of its own, records its process and its end
 * (run/launch.h, under the session's title), and ends it on SIGTERM, or when
 * the engine is gone.
 */

enum {
	LOOP_NAME = ISSUE_MAX + 6,      /* "loop-" and the issue */
	LOOP_FILE = LOOP_NAME + 24,     /* and what its files end with */
	LOOP_TITLE = LOOP_NAME + 32     /* "loop-42-3-0f1e2d3c", unique */
};

#define LOG_OPEN UINT64_MAX

/* How the keeper passes the agent's output on. */
enum keeper_way {
	KEEPER_LOG,                     /* through a pipe, into the log */
	KEEPER_TERMINAL,                /* the agent has ours */
	KEEPER_RELAY                    /* the agent has a terminal of its own,
					   copied to the log and to ours */
};

/* The session of one round. */
struct loop_session {
	const struct session_manager *manager;
	const struct statusdir *dir;
	const struct loop_state *state; /* unknown if its engine is gone */
	long        iteration;
	struct launch launch;           /* its run id is the session's */
	bool        input;              /* the prompt is its standard input */
	char        title[LOOP_TITLE];  /* the name of session and files */

	/* Filled in by create(). */
	int         log;                /* open for reading; -1 */
	uint64_t    end;                /* of the agent's output in the log;
					   LOG_OPEN: not known */
	uint64_t    searched;           /* the end is not before this */
	pid_t       keeper;             /* our process in it; 0: none */
	uint64_t    keeper_start;
	struct pane_ref place;          /* its pane; in zellij only the id */
};

struct session_manager {
	const char *name;
	enum keeper_way way;
	const char *program;            /* that must be there; NULL: none */
	/* Can it be used?  If not, adds why.  NULL: if the program is there. */
	bool (*present)(struct buf *why);
	/* Runs the keeper's command line in a new session.  -1 with the reason
	 * in *why; then nothing is left. */
	int  (*create)(struct loop_session *, const char *const *keeper,
	    struct buf *why);
	/* Adds what it shows now, as text.  NULL: the end of the log. */
	void (*output)(const struct loop_session *, struct buf *text);
	/* Is all output of the ended agent in the log?  Sets end if others may
	 * continue to print.  NULL: the keeper writes the log, all of it before
	 * it records the agent's end. */
	bool (*stream)(struct loop_session *);
	/* Ends the session and all its processes at once.  If its engine is
	 * gone, only the title is known, and for tmux the socket. */
	void (*close)(struct loop_session *);
	/* Adds the command that shows the session to a person. */
	void (*attach)(const struct loop_session *, struct buf *command);
	/* Adds what is left of the session, in words.  NULL: processes only. */
	void (*list)(const struct loop_session *, struct buf *words);
};

extern const struct session_manager native_manager, tmux_manager,
    zellij_manager;

/* The manager of that name; "auto" is the first of tmux, zellij and native that
 * can be used.  NULL: it cannot be used, and why. */
const struct session_manager *manager_find(const char *name, struct buf *why);
/* The same, whether it can be used or not; not "auto".  NULL: none. */
const struct session_manager *manager_named(const char *name);
#define manager_known(name) \
	(manager_named(name) != NULL || strcmp((name), "auto") == 0)

/* ---- for all managers ---------------------------------------------------- */

/* The name of a round's log in .paneward. */
#define loop_log_name(name, loop, iteration) \
	snprintf((name), LOOP_FILE, "%s.%ld.log", (loop), (iteration))
/* For issue_file(): the prompt, if it is the agents' standard input. */
#define LOOP_INPUT "prompt"
/* With the run id, the sequence that the keeper prints behind the agent's last
 * output; terminals do not show it. */
#define LOOP_END_MARK "\033_paneward:end:%s\033\\"

/* Reads which process the agent is, if it is not recorded as ended. */
bool session_agent(const struct loop_session *, struct launched *);
/* Signals the keeper: SIGTERM ends the agent, a second one at once. */
void session_signal(const struct loop_session *, int signo);
/* Waits for so many ms for the lock of tmux's pipe on the log.  True: the pipe
 * has ended. */
bool session_await_log(const struct loop_session *, msec patience);
/* Kills the recorded processes of a session.  A keeper that is not known is
 * given a moment to record the agent's end. */
void session_destroy(struct loop_session *);
/* Adds a word of a shell's line, quoted and printable. */
void session_quote(struct buf *command, const char *word);

/* ---- the state: state.c -------------------------------------------------- */

/*
 * The state of a loop, .paneward/loop-<issue>.json, is written before and after
 * each round.  After any end of the engine the next one knows where to
 * continue, and which agent it may have to end.
 */

enum { STATE_ROUNDS = 1000 };           /* so many are kept */

enum report { REPORT_JSON, REPORT_HTML, REPORTS };

/* How a round ended. */
enum round_end {
	ROUND_EXITED,                   /* the agent exited by itself */
	ROUND_LOST,                     /* the same, with an unknown status */
	ROUND_KEYWORD, ROUND_SIGNAL,    /* of the agent; of its issue */
	ROUND_IDLE, ROUND_TIME,         /* the loop's time is over */
	ROUND_LIMITED,                  /* by a usage limit */
	ROUND_INTERRUPTED, ROUND_NO_SESSION, ROUND_ENDS
};

extern const char *const round_names[ROUND_ENDS];

struct round {
	long     iteration;
	msec     began, ended;          /* wall time */
	enum round_end end;
	int      exit_code, exit_signal;        /* -1: none */
	uint64_t bytes;                 /* of output */
};

struct loop_state {
	char    *loop;                  /* its name */

	/* Its options. */
	char    *issue;                 /* NULL: none */
	char    *backend, *manager, *keyword, *cwd;
	char    *prompt_file;           /* absolute; NULL: none */
	char   **words;                 /* COMMAND; NULL: the backend's */
	char    *reports[REPORTS];      /* absolute; NULL: none */
	long     max_iterations, max_time, idle_timeout;        /* 0: none */
	long     same_rounds;           /* that end it; 0: no limit */

	/* Its progress. */
	msec     started;               /* wall time */
	msec     elapsed;               /* ms of all engines so far */
	long     done;                  /* rounds that are over */
	long     iteration;             /* the last one that was begun */
	long     failures, same;        /* of the last rounds, in a row */
	msec     limited_until;         /* wall time; 0: no usage limit */
	char    *reason;                /* why it ended; NULL: it has not */

	/* The current session, for the next engine if this one is killed. */
	char     run[RUN_ID_LEN + 1];   /* empty: none */
	char     boot[PROC_BOOT];
	char    *title, *socket;        /* socket NULL: not known, or none */

	struct round *rounds;           /* the last ones */
	size_t   nrounds;
};

/* 1: read, 0: there is none, -1 with errno; EBADMSG: it is malformed. */
int  loop_state_read(struct loop_state *, int state_fd, const char *loop);
int  loop_state_write(const struct loop_state *, int state_fd);
void loop_state_release(struct loop_state *);

/* Replaces a text of a state by a copy; NULL: by none. */
void loop_state_text(char **, const char *text);
void loop_state_add(struct loop_state *, const struct round *);

/* Did the agent fail? */
#define round_failed(r) ((r)->end == ROUND_IDLE || (r)->end == ROUND_LOST || \
	((r)->end == ROUND_EXITED && (r)->exit_code != 0))
/* False: it was broken off, and is repeated. */
#define round_counts(r) ((r)->end != ROUND_INTERRUPTED && \
	(r)->end != ROUND_TIME && (r)->end != ROUND_NO_SESSION)

/* ---- engine and rounds: engine.c ----------------------------------------- */

/* What is printed while it runs: one live line on a terminal, else a line for
 * each round, or objects with --json. */
struct progress {
	bool json, live;
	bool drawn;                     /* the live line is on the screen */
	msec drawn_at;                  /* clock_now() */
};

struct engine {
	struct context  context;
	struct backend  backend;
	const struct session_manager *manager;
	struct loop_state state;
	struct progress progress;
	struct notify  *notify;
	int             trap;
	bool            unsaved;        /* the state; that was warned of */
	msec            began;          /* clock_now() of this engine */
	msec            before;         /* ms that earlier engines took */
	struct round    round;          /* the current one, or the last */
	struct buf      prompt;         /* of the current round */
	struct buf      why;            /* no session could be made */
};

/* Round after round, until one of the ends in find_end() applies.  Returns the
 * exit status. */
int  engine_run(struct engine *);

/* Reads the prompt of the next round; -1 with the reason in why. */
int  round_prompt(struct engine *);

/* ---- what it prints while it runs: report.c ------------------------------ */

/* Removes the live line, so that something else can be printed. */
void progress_wipe(struct progress *);
/* Draws the live line once a second; returns when it is due again. */
msec progress_live(struct progress *, const struct loop_state *,
    const struct loop_session *, msec now);
/* Prints a line and releases it. */
void progress_say(struct progress *, struct buf *line);
/* log may be -1. */
void progress_round(struct progress *, const struct round *, int log);
/* logs: the pattern of the logs' paths. */
void progress_end(struct progress *, const struct loop_state *, bool success,
    const char *logs);

/* ---- the report: report.c ------------------------------------------------ */

/* The kind of a file, by its name; REPORTS: none. */
enum report report_kind(const char *path);

/* Writes the loop's report of that kind to its file; logs is the folder of its
 * logs.  -1 with the reason. */
int report_write(const struct loop_state *, enum report, const char *logs,
    struct buf *why);

/* ---- what a round's log says: roundlog.c --------------------------------- */

enum { TAIL_MAX = 16 << 10 };           /* bytes of the end */

/* Adds the end of the log as lines without control sequences. */
void tail_read(struct buf *text, int log);

/* Adds the last line of a text that is not blank, made printable and cut to
 * that many columns. */
void tail_last_line(struct buf *, const struct buf *text, size_t columns);

/*
 * Does the very end of a round's output say that a usage limit was reached?
 * Agents also write about limits, and name files and tests after them.  So only
 * words that report a limit as reached count, and only of an agent that has
 * failed.  Some agents end with such a message and status 0: then it counts if
 * it begins a line or is a sign of the backend, and names the end of the limit.
 *
 * *until: the limit's end, wall time; 0: not known.
 */
bool limit_find(const struct signs *, int log, bool failed, msec wall,
    msec *until);

/*
 * Has the agent printed the word that ends its loop?
 *
 * The log of a round is read once, in pieces, with the scanner of the markers
 * (marker/marker.h).  The word counts outside of code blocks, in the same
 * spelling, not beside words that only speak of it, and not as part of a
 * longer word.
 *
 * Agents show their prompt and their command line, which may hold the word.  An
 * occurrence that follows the same letters as there, ECHO_LETTERS of them, is
 * an echo and does not count.  Only letters are compared, since terminals wrap
 * and decorate, and tools number lines.
 */

struct keyword;

enum {
	ECHO_LETTERS = 12,
	ECHO_LEAST = 8                  /* if the text begins there */
};

/* Can it be a keyword?  See marker_set_init(). */
bool keyword_valid(const char *word);

struct keyword *keyword_new(const char *word);
void keyword_free(struct keyword *);

/* The agent may show this text (keyword NULL: that is only a question).  False:
 * fewer letters than ECHO_LEAST stand before the word somewhere, so that its
 * echo would count. */
bool keyword_echo(struct keyword *, const char *word, const char *text);

/*
 * Reads on, up to that offset of the log or for 50 ms; from the beginning if
 * the log has become shorter.  With settled set an unfinished line counts as
 * it is.  True once the word was found.  *grown: there was something to read,
 * and there may be more.
 */
bool keyword_read(struct keyword *, int log, uint64_t end, bool settled,
    bool *grown);

/* Is the word there, but may become part of something that does not count? */
bool keyword_waits(const struct keyword *);

#endif
