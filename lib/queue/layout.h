/*
 * layout.h - rows of the queue as the columns of a terminal.
 */
#ifndef PANEWARD_LAYOUT_H
#define PANEWARD_LAYOUT_H

#include "queue/row.h"

/* In their order on the line. */
enum cell {
	CELL_HOST, CELL_NAME, CELL_STATE, CELL_AGE, CELL_AGENT, CELL_PROJECT,
	CELL_PANE, CELL_TOKENS, CELL_TEXT,
	CELLS
};

/* By cell. */
extern const struct layout_column {
	const char *title;
	unsigned most;                  /* columns; more are cut off */
	unsigned text;                  /* the cell is left out if the text got
					   fewer columns; 0: it stays */
} layout_columns[CELLS];

struct layout {
	unsigned width[CELLS];          /* columns; 0: left out */
};

/* Adds what a cell of the row says.  If its text is wider than that, what the
 * agent said is worth more than why its state is believed. */
void layout_cell(struct buf *, const struct row *, enum cell, unsigned width,
    msec wall);

/* Fits the columns of all rows into a width, or into COLUMNS_ALL.  In a narrow
 * one cells are left out, the last one first, before the text gets too short. */
void layout_fit(struct layout *, struct row *const *, size_t n,
    unsigned width, msec wall);

/* Adds the row as one line, without its end.  color: with the sequences of
 * select graphic rendition. */
void layout_line(struct buf *, const struct layout *, const struct row *,
    bool color, msec wall);

/* How a rank stands out: a color from 1 to 7 as terminals number them, or 0;
 * bold, or dim. */
extern const struct layout_style {
	int  color;
	bool bold, dim;
} layout_styles[ROW_RANKS];

#endif
