/*
 * queue.h - every agent of this user: one row each, worst first.
 *
 * An issue's row is its status record, compared with what the system has of it:
 * its watcher has judged it.  An issue that nothing watches, but whose pane is
 * there, is judged here (queue/look.c), and so is a pane without an issue in
 * which a known agent runs.
 *
 * A queue is filled once by queue_look().  A live one then goes on in a loop.
 */
#ifndef PANEWARD_QUEUE_H
#define PANEWARD_QUEUE_H

#include "queue/row.h"

struct queue;

struct queue *queue_new(const struct queue_how *);
void queue_free(struct queue *);

/* For a process that ends now: ends the calls of tmux and the connections to
 * hosts, and leaves the rest to the system. */
void queue_end(struct queue *);

/* Reads everything and asks all tmux servers and hosts at once.  A live queue
 * does not wait for the hosts. */
void queue_look(struct queue *);

/* To be called after each round of a live one's loop.  True: rows may have
 * changed. */
bool queue_changed(struct queue *);

/* The screen of the row's pane is captured once a second (NULL: none is), and
 * its text; NULL: not yet. */
void   queue_show(struct queue *, const struct row *);
const char *queue_screen(struct queue *);

/* The backends of its agents, complete; valid as long as the queue. */
struct backends *queue_backends(struct queue *);

/* The tmux servers of one with panes, after a look; valid as long. */
struct servers *queue_servers(struct queue *);

/* All rows, in their order; valid until the next look or round. */
struct row *const *queue_rows(const struct queue *, size_t *n);

/* The row, of this host, is seen in its present state; an issue that waits for
 * its start is taken out if it is forgotten.  -1 with errno: not recorded. */
int  queue_see(struct queue *, struct row *, enum seen);
/* The directory in which a row of this host has its journal, and what was seen
 * of it; the queue owns it.  That of panes may have no state_fd. */
const struct statusdir *queue_dir(struct queue *, const struct row *);

#endif
