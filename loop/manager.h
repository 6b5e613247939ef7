/*
 * manager.h - where the sessions of a loop run: a row of functions for each
 * session manager.
 *
 * In each of them the first process is our own `loop-agent` (keeper.c).  It
 * runs the agent in a process group of its own, records its process and how it
 * ended (run/launch.h, under the session's title), and ends it on SIGTERM, or
 * when the engine is gone.
 */
#ifndef PANEWARD_LOOP_MANAGER_H
#define PANEWARD_LOOP_MANAGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/issue.h"
#include "project/statusdir.h"
#include "run/launch.h"
#include "run/status.h"

enum {
	LOOP_NAME = ISSUE_MAX + 6,      /* "loop-" and the issue */
	LOOP_FILE = LOOP_NAME + 24,     /* and what its files end with */
	LOOP_TITLE = LOOP_NAME + 32     /* "loop-42-3-0f1e2d3c", unique */
};

#define LOG_OPEN UINT64_MAX

struct session_manager;

/* How the keeper passes the agent's output on. */
enum keeper_way {
	KEEPER_LOG,                     /* through a pipe, into the log */
	KEEPER_TERMINAL,                /* the agent has ours */
	KEEPER_RELAY                    /* the agent has a terminal of its own,
					   copied to the log and to ours */
};

/* One round's session. */
struct loop_session {
	const struct session_manager *manager;
	const struct statusdir *dir;    /* borrowed */
	const char *name;               /* of the loop; borrowed */
	const char *issue;              /* borrowed; NULL: none */
	const char *backend;            /* borrowed */
	long        iteration;
	struct launch launch;           /* what is run; its run id is the
					   session's */
	bool        input;              /* the prompt is its standard input */
	char        title[LOOP_TITLE];  /* the name of session and files */

	/* What create() fills in. */
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
	/* Can it be used?  If not, adds why.  NULL: if it is there. */
	bool (*present)(struct buf *why);
	/* Runs the keeper's command line in a new session.  -1 with the reason
	 * in *why; then nothing is left. */
	int  (*create)(struct loop_session *, const char *const *keeper,
	    struct buf *why);
	/* Adds what it shows now, as text, for the live line. */
	void (*output)(const struct loop_session *, struct buf *text);
	/* Is all output of the ended agent in the log?  Sets end if others may
	 * continue to print.  NULL: the keeper writes the log, all of it before
	 * it records the agent's end. */
	bool (*stream)(struct loop_session *);
	/* Ends the session and all its processes at once.  Of one whose engine
	 * is gone only the title is known, and of tmux the socket. */
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
/* Is it the name of a manager, or "auto"? */
bool manager_known(const char *name);

/* ---- for all managers ---------------------------------------------------- */

/* The name of a round's log in .paneward. */
void loop_log_name(char name[LOOP_FILE], const char *loop, long iteration);
/* For issue_file(): the prompt, if it is the agents' standard input. */
#define LOOP_INPUT "prompt"

/* Opens a new log, and the session.  -1 with the reason in *why. */
int  session_open(struct loop_session *, struct buf *why);
/* Does the keeper run, or if it is not known the agent? */
bool session_runs(const struct loop_session *);
/* Signals the keeper: SIGTERM ends the agent, a second one at once. */
void session_signal(const struct loop_session *, int signo);
/* Waits for so many ms for the lock of tmux's pipe on the log.  True: the pipe
 * has ended. */
bool session_await_log(const struct loop_session *, msec patience);
/* Kills the recorded processes of a session.  A keeper that is not known is
 * given a moment to record the agent's end. */
void session_destroy(struct loop_session *);
/* Adds what is left of the session, in words. */
void session_list(const struct loop_session *, struct buf *words);
void session_release(struct loop_session *);

/* The sequence that the keeper prints behind the agent's last output; terminals
 * do not show it.  Freed by the caller. */
char *session_end_mark(const char *run);

/* Adds a word of a shell's line, quoted and printable. */
void session_quote(struct buf *command, const char *word);

#endif
