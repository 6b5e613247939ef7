/*
 * vt.h - terminal output as lines of text, in the order of the bytes
 * (tests/vectors/README.md, "markers", rule 2).
 *
 * A line holds tabs, but no other controls.  It begins in the ground state, so
 * the bytes between two line feeds can be read alone.
 */
#ifndef PANEWARD_VT_H
#define PANEWARD_VT_H

#include "base/base.h"

enum { VT_LINE_MAX = 8192 };

enum vt_event {
	VT_MORE,
	VT_SOFT,                /* a cursor move ended a line */
	VT_HARD,                /* a line feed did */
	VT_FULL                 /* the line cannot grow: vt_drop() */
};

enum vt_mode {
	VT_GROUND,
	VT_ESCAPE,
	VT_INTERMEDIATE,        /* behind ESC and bytes 20-2F */
	VT_CSI,
	VT_OSC,                 /* BEL ends it, too */
	VT_STRING,
	VT_STRING_ESCAPE        /* behind ESC in those two */
};

/* All zero at the beginning of a stream. */
struct vt {
	struct buf   line;
	size_t       at;
	enum vt_mode mode;
	bool         cr;        /* the last byte was one */
	bool         again, returned;   /* the line, or the next one, overwrites
					   the one before */
};

/* Takes bytes up to the first event and returns how many.  Call vt_next() after
 * a line. */
size_t vt_feed(struct vt *, const char *bytes, size_t len, enum vt_event *);

/* Adds each line that ends, with a line feed. */
void vt_add_lines(struct vt *, const char *bytes, size_t len,
    struct buf *lines);

void vt_next(struct vt *);

/* Removes the beginning of the line. */
void vt_drop(struct vt *, size_t size);

/* Does a line begin here, with nothing open? */
bool vt_begins(const struct vt *);

/* May a byte be inside a word, unseen? */
bool vt_invisible(char);

/* Frees memory that the line does not use. */
void vt_rest(struct vt *);

void vt_release(struct vt *);

#endif
