/*
 * agentpane.h - a pane without an issue, in which a known agent runs.
 *
 * It is judged by the chain that judges an issue: by what its hooks reported,
 * what its client wrote down, and what its screen shows.  Nothing is recorded.
 */
#ifndef PANEWARD_AGENTPANE_H
#define PANEWARD_AGENTPANE_H

#include "backend/backend.h"
#include "project/config.h"
#include "project/statusdir.h"
#include "queue/row.h"
#include "tmux/listing.h"

struct agentpane;

/* A pane in a listing of its server. */
struct paneat {
	const char *socket;
	const struct tmux_listing *listing;
	const struct tmux_pane    *pane;
};

/* "session:window.pane", for people; the caller frees it. */
char *paneat_name(const struct paneat *);

/* A folder, and its project (NULL: none), which agents may share. */
struct agentplace {
	char *path;                     /* NULL: none was searched */
	char *root;
};

void agentplace_release(struct agentplace *);

struct agentpane_how {
	struct backends        *backends;       /* borrowed, as the others */
	const struct config    *config;
	const struct statusdir *dir;    /* with the events of panes */
	const char             *boot;   /* this one */
	struct agentplace      *last;   /* that was searched last */
};

/* A pane of which nothing is known yet. */
struct agentpane *agentpane_new(const struct agentpane_how *,
    const struct paneat *);
void agentpane_free(struct agentpane *);

/* Is it that pane, by its id, process and server? */
bool agentpane_is(const struct agentpane *, const struct paneat *);

/* Looks for the agent in the pane as a listing has it now.  True: it is another
 * one, or there is one no more. */
bool agentpane_look(struct agentpane *, const struct paneat *);
/* Judges the agent that was found; the capture is NULL if there is none.  True:
 * the row changed. */
bool agentpane_judge(struct agentpane *, const struct paneat *,
    const struct tmux_capture *);

/* May its screen show something else than what was judged?  Then it is to be
 * captured. */
bool agentpane_wants(const struct agentpane *);

const struct pane_ref *agentpane_place(const struct agentpane *);
/* Its row, which it owns; NULL: no known agent runs in it. */
struct row *agentpane_row(struct agentpane *);

#endif
