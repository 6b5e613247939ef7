/*
 * fence.h - code blocks in Markdown, as panes show it
 * (tests/vectors/README.md, "markers", rule 3).
 *
 * A struct fence is the open block; all zero: none.  A struct fence_line judges
 * whether a line opens or closes one.  It is all zero at the beginning of a
 * line and gets the line's text, whole or in pieces that end with a character.
 */
#ifndef PANEWARD_FENCE_H
#define PANEWARD_FENCE_H

#include <stdbool.h>
#include <stddef.h>

struct fence {
	char     mark;          /* '`' or '~'; 0: no block is open */
	unsigned len;           /* how many of them opened it */
};

enum fence_place {
	FENCE_BEFORE,           /* among what is skipped before a fence */
	FENCE_NUMBER,           /* in the digits of a list marker */
	FENCE_LISTED,           /* behind a list marker: a blank must follow */
	FENCE_RUN,              /* in the backticks or tildes */
	FENCE_BEHIND,           /* behind three of them or more */
	FENCE_NONE              /* whatever follows: no fence line */
};

struct fence_line {
	enum fence_place place;
	char     mark;
	unsigned len;
	bool     listed;        /* a list marker stands before: cannot close */
	bool     words;         /* more than is skipped stands behind */
	bool     ticks;         /* a backtick stands behind */
};

void fence_line_add(struct fence_line *, const char *text, size_t len);

bool fence_opens(const struct fence_line *);
bool fence_closes(const struct fence *, const struct fence_line *);

/* Applies a whole line; did it open or close a block? */
bool fence_pass(struct fence *, const struct fence_line *);

/* The same with the text of a line; is it no part of a block? */
bool fence_outside(struct fence *, const char *line, size_t len);

/*
 * The size of the blank, tab, or line of a quote or a box (> U+2502 U+2503)
 * that begins at text; 0 if it is something else.
 */
size_t fence_skipped(const char *text, size_t len);

/*
 * Searches raw bytes: the offset of the first backtick or tilde from which a
 * fence may begin, whatever escape sequences are in it; len if there is none.
 * Sometimes too early.  Ignores backspaces.
 */
size_t fence_search(const char *bytes, size_t len);

#endif
