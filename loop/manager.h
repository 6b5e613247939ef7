/*
 * manager.h - where the sessions of a loop run: a row of functions for each
 * kind of place.
 *
 * Whatever the place, the process that is begun there is our own `loop-agent`
 * (keeper.c): it runs the agent in a process group of its own, writes down
 * which process that is and how it ended (launch.h, under the session's
 * title), ends it when it is told to, and when the engine is no longer there.
 */
#ifndef PANEWARD_LOOP_MANAGER_H
#define PANEWARD_LOOP_MANAGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/issue.h"
#include "run/launch.h"
#include "run/status.h"
#include "run/statusdir.h"

enum {
	LOOP_NAME = ISSUE_MAX + 6,      /* "loop-" and the issue */
	LOOP_FILE = LOOP_NAME + 24,     /* and what its files end with */
	LOOP_TITLE = LOOP_NAME + 32     /* "loop-42-3-0f1e2d3c": no other
					   session has it, ever */
};

#define LOG_OPEN UINT64_MAX

struct session_manager;

/* One round's session. */
struct loop_session {
	const struct session_manager *manager;
	const struct statusdir *dir;    /* borrowed */
	const char *name;               /* of the loop; borrowed */
	const char *issue;              /* borrowed; NULL: none */
	long        iteration;
	struct launch launch;           /* what is run; its run id is the
					   session's */
	bool        input;              /* the prompt is its standard input */
	char        title[LOOP_TITLE];  /* what it and its files are called */

	/* What create() fills in. */
	int         log;                /* open for reading; -1 */
	uint64_t    end;                /* of what the agent has printed, in
					   it; LOG_OPEN: not known */
	uint64_t    searched;           /* before this it is not */
	pid_t       keeper;             /* our process in it; 0: none */
	uint64_t    keeper_start;
	struct pane_ref place;             /* where that is a pane; of zellij's
					   the id alone */
};

struct session_manager {
	const char *name;
	/* Can it be used here?  If not, why. */
	bool (*present)(struct buf *why);
	/* -1 with the reason in *why; then nothing runs and nothing is left. */
	int  (*create)(struct loop_session *, struct buf *why);
	/* Adds what it shows now, as text: for people, who are asked for it
	 * from time to time. */
	void (*output)(const struct loop_session *, struct buf *text);
	/* What the agent prints goes to the log as it comes.  Is all of it
	 * there, now that the agent has ended?  If others may print on, end is
	 * set. */
	bool (*stream)(struct loop_session *);
	/* Is the keeper there? */
	bool (*running)(const struct loop_session *);
	/* Asks the keeper to end the agent; once more: at once. */
	void (*kill)(const struct loop_session *);
	/* Ends at once whatever there is of the session: also of one whose
	 * engine has gone, of which the title alone is known, and of tmux the
	 * socket. */
	void (*close)(struct loop_session *);
	/* Adds the command with which a person looks on. */
	void (*attach)(const struct loop_session *, struct buf *command);
	/* Adds what there is of the session, in words. */
	void (*list)(const struct loop_session *, struct buf *words);
};

extern const struct session_manager native_manager, tmux_manager,
    zellij_manager;

/*
 * The manager of that name; "auto" is the first of tmux, zellij and native
 * that can be used.  NULL, with the whole message in *error.
 */
const struct session_manager *manager_find(const char *name,
    struct buf *error);
/* That of a name that was found before, whether it can be used or not; NULL:
 * there is none. */
const struct session_manager *manager_named(const char *name);
/* Is there one of that name, here or elsewhere, or is it "auto"? */
bool manager_known(const char *name);

/* ---- what all of them need ----------------------------------------------- */

/* The name of a round's log in .paneward. */
void loop_log_name(char name[LOOP_FILE], const char *loop, long iteration);
/* The name of the file that is the standard input of the loop's agents. */
void loop_input_name(char name[LOOP_FILE], const char *loop);

/* How the keeper passes the agent's output on. */
#define KEEPER_LOG      "log"           /* through a pipe, into the log */
#define KEEPER_TERMINAL "terminal"      /* it has the keeper's terminal */
#define KEEPER_RELAY    "relay"         /* it has a terminal of its own, which
					   is copied to the log and to ours */

/* An empty log, open for reading; -1 with errno. */
int  session_open_log(struct loop_session *);
/* The words that run our keeper; NULL-ended, freed by argv_free().  NULL with
 * errno. */
char **session_keeper(const struct loop_session *, const char *way);
/* Is the keeper, or where that is not known the agent, there? */
bool session_runs(const struct loop_session *);
/* Sends the keeper, if it is still that process, a signal. */
void session_signal(const struct loop_session *, int signo);
/* Waits for so many ms until nobody holds a lock on the log, as who writes to
 * it from outside of the keeper does.  True: so it is. */
bool session_await_log(const struct loop_session *, msec patience);
/* Ends at once whatever processes of a session were written down, and waits a
 * moment for a keeper that nobody knows to see that. */
void session_destroy(struct loop_session *);
/* Adds the session's process, if it is there. */
void session_list(const struct loop_session *, struct buf *words);
void session_release(struct loop_session *);

/* How the keeper says on a terminal that the agent has printed everything: a
 * sequence that terminals do not show.  Freed by the caller. */
char *session_end_mark(const char *run);

#endif
