/*
 * inquiry.h - tmux servers that are asked again and again, beside a loop.
 *
 * Each server has one call at a time.  One that does not answer is asked again
 * after ten seconds, then once a minute, and does not delay the others.
 */
#ifndef PANEWARD_INQUIRY_H
#define PANEWARD_INQUIRY_H

#include <poll.h>

#include "tmux/tmux.h"

/* One server.  Its user has a larger struct, whose first member this is. */
struct inquiry {
	char    *socket;
	struct tmux_query query;
	bool     running;               /* the query */
	msec     due;                   /* the next one; CLOCK_NEVER: none */
	unsigned misses;                /* answers that did not come */
};

struct inquiries {
	struct inquiry **all;
	size_t n;
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

/* Poll what inquiries_poll() says (so many at most) until inquiries_due(); then
 * inquiries_read() takes the answers that are there, and inquiries_ask() asks
 * the servers that are due. */
size_t inquiries_poll(const struct inquiries *, struct pollfd *, size_t most);
msec   inquiries_due(const struct inquiries *, msec now);
void   inquiries_read(struct inquiries *, msec now);
void   inquiries_ask(struct inquiries *, msec now);

/* Waits for an answer, and takes it.  False: no query runs, or it is the end,
 * a time or CLOCK_NEVER. */
bool   inquiries_wait(struct inquiries *, msec end);

#endif
