/*
 * choice.h - the rows of the queue that are shown, and the one that is chosen.
 *
 * The chosen agent stays chosen when its row moves.  If its row leaves, the one
 * that takes its place is chosen.
 */
#ifndef PANEWARD_CHOICE_H
#define PANEWARD_CHOICE_H

#include "queue/row.h"

/* All zero: nothing is shown. */
struct choice {
	bool        finished;           /* rows that are finished, too */
	struct buf  filter;             /* words that a row has to hold */
	struct row **rows;              /* of the queue */
	size_t      n, room;
	size_t      hidden;             /* rows that are finished */
	size_t      at;                 /* the chosen one; 0 if there is none */
	size_t      first;              /* the first one on the screen */
	struct buf  agent;              /* tells the chosen one from others */
};

/* Chooses anew from all rows of the queue, after they or what is shown of them
 * changed. */
void choice_update(struct choice *, struct row *const *rows, size_t n,
    msec wall);
void choice_release(struct choice *);

/* NULL: nothing is shown. */
struct row *choice_row(const struct choice *);
/* Chooses the row that is so many behind, or before, or the nearest one. */
void choice_move(struct choice *, long by);
/* Chooses the row at that place; false if there is none. */
bool choice_set(struct choice *, size_t at);
/* Scrolls as little as the chosen row needs in so many lines. */
void choice_scroll(struct choice *, size_t lines);

/* Is each word of the filter, in any case of ASCII, in what the row says of
 * name, agent, project, state or text? */
bool choice_matches(const char *filter, const struct row *, msec wall);

#endif
