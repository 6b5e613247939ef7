/*
 * restarter.h - what an agent leaves for itself before its restart, and the
 * process that restarts it.
 */
#ifndef PANEWARD_RELOAD_RESTARTER_H
#define PANEWARD_RELOAD_RESTARTER_H

#include <stdbool.h>
#include <sys/types.h>

#include "agent/backend.h"
#include "base/buf.h"
#include "base/clock.h"
#include "chain/sources.h"
#include "project/project.h"
#include "project/statusdir.h"
#include "run/events.h"
#include "run/restart.h"

/* ---- the memo: memo.c ---------------------------------------------------- */

/*
 * The memo is by default .claude/self-reborn/handoff.md of the agent's project.
 * The agent's session hook writes the session's id beside it.
 *
 * A memo is a regular file of the user with one link, and no link is followed
 * on the way to it.  A memo older than its agent, or than MEMO_FRESH, is stale
 * and not delivered.  A delivered memo is renamed, unless it has changed.
 */

enum {
	MEMO_MAX = 100 << 10,           /* bytes; one argument holds 128 KiB */
	MEMO_FRESH = 600000             /* ms before the request */
};

#define MEMO_FOLDER ".claude/" PROJECT_SESSIONS
#define MEMO_FILE "handoff.md"

struct memo {
	struct buf text;                /* without control bytes */
	dev_t dev;
	ino_t ino;
	msec  written;                  /* wall time */
};

/* folder is absolute and without links.  1: read, 0: no such file, -1 with the
 * reason added to why. */
int  memo_read(struct memo *, const char *folder, const char *file,
    struct buf *why);
void memo_release(struct memo *);

bool memo_stale(const struct memo *, msec agent_began, msec asked);

/*
 * Renames it to handoff-<time>.md; *name is the new name, freed by the caller,
 * or NULL if the file has changed and was left.  -1 with errno.
 */
int  memo_put_away(const struct memo *, const char *folder, const char *file,
    msec wall, char **name);

/*
 * The folder of an agent in that directory: in the nearest .claude at or below
 * root, else in root's.  The caller frees it.
 */
char *memo_folder(const char *cwd, const char *root);

/*
 * The session id that the hook has recorded there; the caller frees it.  NULL
 * if there is none, or if more than one session is open: then *open is more
 * than 1.
 */
char *memo_session(const char *folder, unsigned *open);

/* The prompt of the restarted agent; reason and memo may be NULL. */
void memo_prompt(struct buf *, const char *reason, const struct memo *);
/* Does it hold a finished marker of the issue, or the custom one (or NULL)? */
bool memo_marked(const struct buf *prompt, const char *issue,
    const char *custom);

/* ---- the restarter: phases.c, restarter.c -------------------------------- */

/* phases.c runs the phases; restarter.c records them, checks processes, and
 * observes the agent by its hooks and its screen. */
struct restarter {
	struct statusdir dir;
	const char *key;
	bool   issue;
	struct reload r;
	struct backend backend;
	bool   typed;                   /* the prompt is typed */
	struct memo memo;
	struct buf prompt;
	bool   kept;                    /* we have made the pane stay open */
	bool   logged;                  /* the pane had our pipe */
	struct tmux_listing listing;    /* the last one */
	/* What is observed. */
	struct events_reader reader;
	struct event_evidence events;
	msec   started;                 /* the run, wall time */
	struct screen screen;
	char  *old_title;               /* the old agent's, to be ignored;
					   NULL */
	bool   old_text;                /* ignore its last "busy" */
	bool   counted;                 /* drawn has the log's markers */
	struct marker_hits drawn;       /* before the new agent draws */
	struct buf shown;               /* the last capture */
	msec   changed;                 /* when it changed last */
	msec   ready;                   /* since when the prompt is there; 0 */
	msec   looked;                  /* when the last capture was made */
};

/* Writes a line with its time to the log. */
void restarter_say(const struct restarter *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Records a phase before it begins; ends the process if that fails. */
void restarter_begin(struct restarter *, enum reload_phase, const char *what);
/* End the process; the second with the reason of the failure. */
_Noreturn void restarter_end(struct restarter *, enum reload_phase);
_Noreturn void restarter_fail(struct restarter *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* If we made the pane stay open, it no longer does. */
void restarter_unkeep(struct restarter *);

/* Is the agent's process alive? */
bool restarter_alive(const struct restarter *);
/* The same, and would it get what is typed into the pane? */
bool restarter_in_front(const struct restarter *);
/* Waits for that long, or until the agent ends. */
void restarter_pause(const struct restarter *, msec time);
/* Lists the pane's server; NULL: no such pane. */
const struct tmux_pane *restarter_pane(struct restarter *);

/* Reads the new events of the agent's hooks. */
void observe_events(struct restarter *);
/* Captures the pane, at most ten times a second. */
void observe_screen(struct restarter *);
bool observe_shows(const struct restarter *, enum sign_kind);
/* Does the agent show its prompt, and neither work nor ask? */
bool observe_prompts(const struct restarter *);
/* Captures; for how many ms has the prompt been there?  -1: it is not. */
msec observe_prompting(struct restarter *);
/* For how many ms has the pane shown the same? */
msec observe_unchanged(const struct restarter *);
/* The agent has ended: ignores what it left on the screen. */
void observe_reset(struct restarter *);

#endif
