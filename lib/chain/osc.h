/*
 * osc.h - what a program sends to the terminal beside its text: the title of its
 * window (OSC 0 and 2), and its state (a sequence of its own, whose text is like
 * "state=working:app=codex").
 *
 * Only whole sequences count: ESC ], a number, a semicolon, text without
 * control bytes, and BEL or ESC \ at the end.  A sequence that is cut is ignored,
 * so pieces of a stream should overlap by OSC_OVERLAP bytes.
 */
#ifndef PANEWARD_OSC_H
#define PANEWARD_OSC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { OSC_OVERLAP = 1024 };

/* The last title; false, and nothing added, if there is none. */
bool osc_title(const char *bytes, size_t len, struct buf *title);

/*
 * The last word for state in a sequence of that number, of that app unless
 * that is NULL.
 */
bool osc_state(const char *bytes, size_t len, unsigned number,
    const char *app, struct buf *state);

#endif
