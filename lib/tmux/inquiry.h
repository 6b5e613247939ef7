/*
 * inquiry.h - tmux servers that are asked again and again, beside a loop.
 *
 * Each server has one call at a time.  One that does not answer is asked again
 * after ten seconds, then once a minute, and does not delay the others.
 */
#ifndef PANEWARD_INQUIRY_H
#define PANEWARD_INQUIRY_H

#include "tmux/tmux.h"

/* One server.  Its user has a larger struct, whose first member this is. */
struct inquiry {
	char    *socket;
	struct tmux_query query;
	bool     running;               /* the query */
	msec     due;                   /* the next one; CLOCK_NEVER: none */
	unsigned misses;                /* answers that did not come */
	struct inquiries *all;          /* whose it is */
	struct loop_wait wait;          /* until it is due */
};

struct inquiries {
	struct inquiry **all;
	size_t n;
	struct loop *loop;              /* in which they wait; NULL: in none */
	/* Begins a query, and says so by inquiry_begun(). */
	void (*ask)(void *, struct inquiry *, msec now);
	/* Takes the answer, by tmux_query_answer(). */
	void (*answered)(void *, struct inquiry *, msec now);
	void  *context;
};

/* Adds a server that is due; size is that of the struct around it, which is all
 * zero otherwise. */
struct inquiry *inquiries_add(struct inquiries *, const char *socket,
    size_t size);
/* NULL: it was not added. */
struct inquiry *inquiries_find(const struct inquiries *, const char *socket);
/* Frees all, after the callback has released what is behind each. */
void inquiries_release(struct inquiries *, void (*release)(struct inquiry *));
void inquiry_free(struct inquiry *);

/* It runs now, or could not be begun, which is a miss. */
void inquiry_begun(struct inquiry *, bool begun, msec now);
/* There was no answer. */
void inquiry_missed(struct inquiry *, msec now);
/* Its next query is due then, or once the one that runs is over. */
void inquiry_at(struct inquiry *, msec due);

/* From now on in that loop: each server is asked when it is due. */
void inquiries_follow(struct inquiries *, struct loop *);

/* Without a loop, or before one is entered: asks the servers that are due; and
 * waits for an answer, and takes it.  False: no query runs, or it is the end, a
 * time or CLOCK_NEVER. */
void inquiries_ask(struct inquiries *, msec now);
bool inquiries_wait(struct inquiries *, msec end);

#endif
