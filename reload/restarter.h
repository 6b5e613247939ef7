/*
 * restarter.h - the process that restarts an agent.
 *
 * phases.c runs the phases; restarter.c records them, checks processes, and
 * observes the agent by its hooks and its screen.
 */
#ifndef PANEWARD_RELOAD_RESTARTER_H
#define PANEWARD_RELOAD_RESTARTER_H

#include <stdbool.h>

#include "backend/backend.h"
#include "chain/screen.h"
#include "project/statusdir.h"
#include "reload/memo.h"
#include "run/events.h"
#include "run/restart.h"

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
