/*
 * canvas.h - the one door to ncurses: a full screen of text, and keys.
 *
 * Text is drawn on a screen of our own; canvas_flush() sends what differs
 * from what the terminal shows.  All text passes base/columns.h here, so that
 * no text from outside controls the terminal or shifts what stands beside it.
 */
#ifndef PANEWARD_CANVAS_H
#define PANEWARD_CANVAS_H

#include <stdbool.h>

#include "base/buf.h"

/* How text looks: a color from 1 to 7 as terminals number them, or 0. */
struct paint {
	int  color;
	bool bold, dim, reverse;
};

/* A key is a character, or one of these. */
enum typed {
	TYPED_NOTHING = -1,
	TYPED_ESCAPE = 0x1b,
	TYPED_OTHER = 0x110000,           /* behind the last character */
	TYPED_UP, TYPED_DOWN, TYPED_PAGE_UP, TYPED_PAGE_DOWN,
	TYPED_HOME, TYPED_END, TYPED_ENTER, TYPED_BACKSPACE, TYPED_RESIZE,
	TYPED_CLICK, TYPED_WHEEL_UP, TYPED_WHEEL_DOWN
};

/* Takes the terminal of standard input and output.  -1 with the reason: it
 * cannot do what is needed. */
int  canvas_open(struct buf *why);
/* Gives it back as it was, if it was taken. */
void canvas_close(void);
/* The same for a while: another program gets it. */
void canvas_lend(void);
void canvas_regain(void);

void canvas_size(unsigned *lines, unsigned *columns);

void canvas_clear(void);
/* Draws the text in so many columns, cut off or filled up with blanks. */
void canvas_put(unsigned line, unsigned column, unsigned width,
    const char *text, struct paint);
/* Where the cursor is shown; without a call after canvas_clear(), it is
 * not. */
void canvas_cursor(unsigned line, unsigned column);
void canvas_flush(void);

/* The next key that was typed; TYPED_NOTHING: there is none.  Of TYPED_CLICK,
 * the line of the mouse. */
long canvas_typed(unsigned *line);

#endif
