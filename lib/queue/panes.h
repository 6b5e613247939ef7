/*
 * panes.h - the panes of all tmux servers of the user, in which agents are found
 * and judged (issues.h).
 *
 * Each server is asked by one call of tmux, which also captures the screens
 * that may have changed.  A server that does not answer is asked again later,
 * and does not delay the others.
 */
#ifndef PANEWARD_PANES_H
#define PANEWARD_PANES_H

#include "os/loop.h"
#include "queue/issues.h"

struct panes;

/* The agents are borrowed.  If they are to be found in panes, too, all servers
 * are asked, else only those that were added. */
struct panes *panes_new(struct issues *);
void panes_free(struct panes *);

/* The servers that are asked. */
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

/* Calls take for the row of each server that does not answer. */
void panes_rows(const struct panes *, void (*take)(void *, struct row *),
    void *);

#endif
