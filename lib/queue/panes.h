/*
 * panes.h - the panes of all tmux servers of the user, and the agents in them.
 *
 * Each server is asked by one call of tmux, which also captures the screens
 * that may have changed.  A server that does not answer is asked again later,
 * and does not delay the others.
 */
#ifndef PANEWARD_PANES_H
#define PANEWARD_PANES_H

#include "os/loop.h"
#include "queue/agentpane.h"

struct panes;

/* Whose is a pane? */
enum panes_owner {
	PANES_FREE,                     /* an agent without an issue may be in
					   it */
	PANES_ISSUE,
	PANES_JUDGED                    /* an issue's, which judge() is for */
};

struct panes_how {
	struct agentpane_how agent;
	bool all;                       /* all servers are found, and all agents
					   in their panes; else only servers
					   that were added are asked */
	char *const *sockets;           /* configured ones; NULL: none */
	struct loop *loop;              /* in which it goes on; NULL: none */
	msec pace;                      /* between calls for one server; 0: a
					   second */
	/* Called for each pane of each answer. */
	enum panes_owner (*owner)(void *, const struct paneat *);
	/* Called then, with its screen if that was captured: is the screen
	 * wanted in the next answer? */
	bool (*judge)(void *, const struct paneat *,
	    const struct tmux_capture *);
	void *context;
};

struct panes *panes_new(const struct panes_how *);
void panes_free(struct panes *);

/* Those that are asked. */
struct servers *panes_servers(struct panes *);

/* Adds the server of a record. */
void panes_add(struct panes *, const char *socket);

/* The first look: asks all servers that are found, and meanwhile more may be
 * added; panes_look() asks those, waits until each has answered or failed to,
 * and judges the agents. */
void panes_begin(struct panes *);
void panes_look(struct panes *);

/* Has something changed since the last call? */
bool panes_changed(struct panes *);

/* The pace is a second for once: something was reported. */
void panes_hurry(struct panes *);

/* The screen of that pane is wanted in each answer (NULL: of none). */
void panes_show(struct panes *, const struct pane_ref *);
/* Its text, as captured last; NULL: not yet. */
const char *panes_screen(struct panes *);

/* Calls take for the row of each agent, and of each server that does not
 * answer. */
void panes_rows(const struct panes *, void (*take)(void *, struct row *),
    void *);

#endif
