/*
 * markerwindow.h - the markers in a capture, which is the visible tail of
 * something longer (tests/vectors/README.md, "markers", rules 5 and 6).
 */
#ifndef PANEWARD_MARKERWINDOW_H
#define PANEWARD_MARKERWINDOW_H

#include <stddef.h>

#include "base/buf.h"
#include "marker/marker.h"

enum { MARKER_WINDOW_MAX = 1 << 20 };

/*
 * Counts the lines with an accepted marker; adds the message of the last
 * counted error to message unless that is NULL or there is no error.  The
 * window may begin inside a code block: a line counts only if it counts either
 * way.  A marker that the client wrapped counts on its first line.  Of more
 * than MARKER_WINDOW_MAX bytes only the last are read.
 */
struct marker_hits marker_window(const struct marker_set *, const char *text,
    size_t len, struct buf *message);

#endif
