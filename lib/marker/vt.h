/*
 * vt.h - what a terminal would show as lines of text (tests/vectors/README.md,
 * "markers", rule 2): bytes in, lines out.
 *
 * Cursor moves to another line or column end a line that is not empty, so that
 * nothing painted is lost; colours, titles, hyperlinks and device strings
 * vanish; a backspace lets the next character overwrite.  No terminal is
 * emulated: the order of the lines is the order of the bytes.
 *
 * A line feed always brings the ground state: whatever sequence was open is
 * over, and the line is empty.  Every line beginning, soft or hard, is in the
 * ground state.  So what stands between two line feeds can be read without
 * what stood before.
 *
 * A struct vt that is all zero is at the beginning of a stream.  The caller
 * takes the lines out of it, as they come:
 *
 *	while (len > 0) {
 *		used = vt_feed(&vt, bytes, len, &event);
 *		if (event == VT_FULL)
 *			vt_drop(&vt, vt.line.len / 2);
 *		else if (event != VT_MORE)
 *			... vt.line is a whole line ..., vt_next(&vt);
 *		bytes += used;
 *		len -= used;
 *	}
 *
 * A line holds no control bytes but tabs, and any other bytes: invalid UTF-8
 * passes.  It is never longer than VT_LINE_MAX; the beginning of a longer one
 * has to be dropped on the way, and is then out of a backspace's reach.  The
 * events do not depend on how the stream was cut into pieces.
 */
#ifndef PANEWARD_VT_H
#define PANEWARD_VT_H

#include "base/base.h"

enum { VT_LINE_MAX = 8192 };

enum vt_event {
	VT_MORE,                /* all bytes are taken, the line goes on */
	VT_SOFT,                /* a line ended by a cursor move */
	VT_HARD,                /* a line ended by a line feed; may be empty */
	VT_FULL                 /* the line cannot grow: vt_drop() */
};

enum vt_mode {
	VT_GROUND,
	VT_ESCAPE,              /* behind ESC */
	VT_INTERMEDIATE,        /* behind ESC and bytes 20-2F */
	VT_CSI,                 /* behind ESC [ */
	VT_OSC,                 /* behind ESC ]: BEL ends it as well */
	VT_STRING,              /* DCS, SOS, PM, APC, the title of tmux */
	VT_STRING_ESCAPE        /* behind ESC in one of the two above */
};

struct vt {
	struct buf   line;      /* of the line, so far */
	size_t       at;        /* where the next character goes in it */
	enum vt_mode mode;
	bool         cr;        /* the next byte shows what it means */
	bool         again;     /* the line begins behind a carriage return, in
				   the place of the one before it */
	bool         returned;  /* so does the next one */
};

/*
 * Takes bytes up to the first event and returns how many.  At VT_SOFT and
 * VT_HARD the next call must be vt_next(), at VT_FULL vt_drop() of at least
 * one byte.
 */
size_t vt_feed(struct vt *, const char *bytes, size_t len, enum vt_event *);

/* Adds each line that ends, with a line feed behind it. */
void vt_add_lines(struct vt *, const char *bytes, size_t len,
    struct buf *lines);

/* Begins the next line. */
void vt_next(struct vt *);

/* Removes size bytes from the beginning of the line. */
void vt_drop(struct vt *, size_t size);

/* Is it where a line begins, with nothing open? */
bool vt_begins(const struct vt *);

/*
 * May a byte be inside a word without being visible?  True for all control
 * bytes but the tab and those that end a line: each may begin a sequence.
 */
bool vt_invisible(char);

/* Gives back the memory that the line does not use. */
void vt_rest(struct vt *);

void vt_release(struct vt *);

#endif
