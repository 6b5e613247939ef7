/*
 * engine.h - a loop: its sessions, its state, its log, its output.
 */
#ifndef PANEWARD_LOOP_ENGINE_H
#define PANEWARD_LOOP_ENGINE_H

#include <signal.h>

#include "agent/backend.h"
#include "project/context.h"
#include "run/launch.h"

/*
 * Sessions (manager.c and a file each).  The first process of each,
 * `loop-agent` (keeper.c), runs the agent in a process group of its own, and
 * records it under the title (run/launch.h).  It ends the agent on SIGTERM, or
 * without an engine.
 */

enum {
	LOOP_NAME = ISSUE_MAX + 6,      /* "loop-42" */
	LOOP_FILE = LOOP_NAME + 24,     /* "loop-42.3.log" */
	LOOP_TITLE = LOOP_NAME + 32     /* "loop-42-3-0f1e2d3c", unique */
};

#define LOG_OPEN UINT64_MAX

/* The agent writes to: */
enum keeper_way {
	KEEPER_LOG,                     /* a pipe */
	KEEPER_TERMINAL,                /* our terminal */
	KEEPER_RELAY                    /* its own, copied to log and ours */
};

/* create() fills in the part from end on. */
struct loop_session {
	const struct session_manager *manager;
	const struct statusdir *dir;
	const struct loop_state *state; /* NULL: unknown */
	long        iteration;
	struct launch launch;
	bool        input;              /* the prompt is stdin */
	char        title[LOOP_TITLE];
	int         log;                /* open for reading; -1 */
	uint64_t    end;                /* of output, or LOG_OPEN */
	uint64_t    searched;           /* no end before */
	struct child keeper;            /* pid 0: unknown */
	struct pane_ref place;          /* in zellij only the id */
};

struct session_manager {
	const char *name;
	enum keeper_way way;
	const char *program;            /* NULL: none */
	/* Adds why it cannot be used.  May be NULL. */
	bool (*present)(struct buf *why);
	/* -1 with the reason, and nothing left. */
	int  (*create)(struct loop_session *, const char *const *keeper,
	    struct buf *why);
	/* Adds the screen; NULL: the log is shown. */
	void (*output)(const struct loop_session *, struct buf *text);
	/* Is the output of the ended agent in the log?  Sets end if others may
	 * print on.  NULL: always. */
	bool (*stream)(struct loop_session *);
	/* Ends all at once; title and place are enough. */
	void (*close)(struct loop_session *);
	/* Adds a command for a person, to be escaped as in messages. */
	void (*attach)(const struct loop_session *, struct buf *command);
	/* Adds what is left.  May be NULL. */
	void (*list)(const struct loop_session *, struct buf *words);
};

extern const struct session_manager native_manager, tmux_manager,
    zellij_manager;

/* "auto" is the first one that can be used.  NULL with why. */
const struct session_manager *manager_find(const char *name, struct buf *why);
/* Without a check; not "auto". */
const struct session_manager *manager_named(const char *name);
#define manager_known(name) \
	(manager_named(name) != NULL || strcmp((name), "auto") == 0)

#define loop_log_name(name, loop, iteration) \
	snprintf((name), LOOP_FILE, "%s.%ld.log", (loop), (iteration))
#define LOOP_INPUT "prompt"
/* The keeper prints it, with the run id, behind the last output; terminals do
 * not show it. */
#define LOOP_END_MARK "\033_paneward:end:%s\033\\"

/* False: no agent is recorded, or its end is. */
bool session_agent(const struct loop_session *, struct launched *);
/* SIGTERM ends the agent, a second one at once. */
void session_signal(struct loop_session *, int signo);
/* Waits for the end of the pipe, which locks the log. */
bool session_await_log(const struct loop_session *, msec patience);
/* Kills all, once an unknown keeper had a moment for its record. */
void session_destroy(struct loop_session *);

/* ---- the state: state.c -------------------------------------------------- */

/*
 * The file .paneward/loop-<issue>.json is written before and after each round,
 * so that another engine can go on.
 */

enum { STATE_ROUNDS = 1000 };

enum report { REPORT_JSON, REPORT_HTML, REPORTS };

enum round_end {
	ROUND_EXITED,
	ROUND_LOST,                     /* with an unknown status */
	ROUND_KEYWORD, ROUND_SIGNAL, ROUND_IDLE, ROUND_TIME,
	ROUND_LIMITED,
	ROUND_INTERRUPTED, ROUND_NO_SESSION, ROUND_ENDS
};

extern const char *const round_names[ROUND_ENDS];

struct round {
	long     iteration;
	msec     began, ended;          /* wall time */
	enum round_end end;
	int      exit_code, exit_signal;        /* -1: none */
	uint64_t bytes;
};

struct loop_state {
	char    *loop;                  /* "loop-42" */

	/* Options. */
	char    *issue;                 /* NULL: none */
	char    *backend, *manager, *keyword, *cwd;
	char    *prompt_file;           /* absolute; NULL: none */
	char   **words;                 /* NULL: the backend */
	char    *reports[REPORTS];      /* absolute; NULL: none */
	long     max_iterations, max_time, idle_timeout;        /* 0: none */
	long     same_rounds;           /* 0: no limit */

	/* Progress. */
	msec     started;               /* wall time */
	msec     elapsed;               /* of all engines */
	long     done, iteration;       /* rounds; the last that was begun */
	long     failures, same;        /* rounds in a row */
	msec     limited_until;         /* wall time; 0: no usage limit */
	char    *reason;                /* of its end; NULL */

	/* The current session. */
	char     run[RUN_ID_LEN + 1];   /* empty: none */
	char     boot[PROC_BOOT];
	char    *title, *socket;        /* socket may be NULL */

	struct round *rounds;           /* the last ones */
	size_t   nrounds;
};

/* 1: read, 0: there is none, -1 with errno; EBADMSG: malformed. */
int  loop_state_read(struct loop_state *, int state_fd, const char *loop);
int  loop_state_write(const struct loop_state *, int state_fd);
void loop_state_release(struct loop_state *);
/* Replaces a text by a copy. */
void loop_state_text(char **, const char *text);
void loop_state_add(struct loop_state *, const struct round *);

#define round_failed(r) ((r)->end == ROUND_IDLE || (r)->end == ROUND_LOST || \
	((r)->end == ROUND_EXITED && (r)->exit_code != 0))
/* False: it is repeated. */
#define round_counts(r) ((r)->end != ROUND_INTERRUPTED && \
	(r)->end != ROUND_TIME && (r)->end != ROUND_NO_SESSION)

/* ---- engine and rounds: engine.c ----------------------------------------- */

struct progress {
	bool json, live, drawn;         /* the live line on a terminal */
	msec drawn_at;
};

struct engine {
	struct context  context;
	struct backend  backend;
	const struct session_manager *manager;
	struct loop_state state;
	struct progress progress;
	struct notify  *notify;
	int             trap;
	bool            unsaved;        /* a warning was printed */
	msec            began, before;  /* before: ms of earlier engines */
	struct round    round;
	struct buf      prompt, why;    /* why there is no session */
};

/* Returns the exit status. */
int  engine_run(struct engine *);
/* -1 with the reason in why. */
int  round_prompt(struct engine *);

/* ---- output and reports: report.c ---------------------------------------- */

void progress_wipe(struct progress *);
/* Returns the time of the next line. */
msec progress_live(struct progress *, const struct loop_state *,
    const struct loop_session *, msec now);
/* Prints a line and releases it. */
void progress_say(struct progress *, struct buf *line);
/* log may be -1. */
void progress_round(struct progress *, const struct round *, int log);
void progress_end(struct progress *, const struct loop_state *, bool success,
    const char *logs);

/* By the end of the path; REPORTS: none. */
enum report report_kind(const char *path);
/* logs is their folder.  -1 with the reason. */
int report_write(const struct loop_state *, enum report, const char *logs,
    struct buf *why);

/* ---- a round's log: roundlog.c ------------------------------------------- */

enum { TAIL_MAX = 16 << 10 };

/* Adds the end of the log as text. */
void tail_read(struct buf *text, int log);
/* Adds the last line that is not blank. */
void tail_last_line(struct buf *, const struct buf *text, size_t columns);

/*
 * Agents also write about limits, so only words of a failed agent count.  With
 * status 0 they must begin a line, or be a sign of the backend, and name the
 * end of the limit.  *until is that end, wall time, or 0.
 */
bool limit_find(const struct signs *, int log, bool failed, msec wall,
    msec *until);

/*
 * The scanner of the markers (marker/marker.h) searches the keyword.  Agents
 * show their prompt and their command line: a word behind the same ECHO_LETTERS
 * letters as there is an echo.  Other characters are ignored, since terminals
 * wrap and decorate, and tools number lines.
 */

struct keyword;

enum {
	ECHO_LETTERS = 12,
	ECHO_LEAST = 8                  /* at the beginning */
};

/* See marker_set_init(). */
bool keyword_valid(const char *word);
struct keyword *keyword_new(const char *word);
void keyword_free(struct keyword *);
/* The agent may show this text.  False: fewer letters than ECHO_LEAST stand
 * before the word, so its echo counts.  The keyword may be NULL. */
bool keyword_echo(struct keyword *, const char *word, const char *text);
/*
 * Reads up to that offset or for 50 ms; a shorter log is read anew.  With
 * settled set an unfinished line counts.  *grown: there may be more.
 */
bool keyword_read(struct keyword *, int log, uint64_t end, bool settled,
    bool *grown);
/* Does a word at the end wait for what follows? */
bool keyword_waits(const struct keyword *);

#endif
