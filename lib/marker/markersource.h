/*
 * markersource.h - the markers in what an agent wrote, as it wrote it: Markdown
 * that no terminal has drawn.
 *
 * Such a text shows all its fences, and also what clients leave out when they
 * draw it: a marker in a list item, in a quote, or indented by four columns or
 * more is an example, not a report.  So is one with a word behind it on its
 * line.  Otherwise the rules are those of tests/vectors/README.md, "markers".
 */
#ifndef PANEWARD_MARKERSOURCE_H
#define PANEWARD_MARKERSOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "marker/fence.h"
#include "marker/marker.h"

/*
 * Counts the lines with an accepted marker; adds the message of the last
 * counted error to message unless that is NULL or there is no error.  *fence
 * is the block that is open before the text, and then after it: a text may come
 * in pieces, cut at the ends of lines.
 */
struct marker_hits marker_source(const struct marker_set *, const char *text,
    size_t len, struct fence *, struct buf *message);

/* Does the command line of a shell print a marker, rather than read a text that
 * holds one?  The issue in it may be a variable. */
bool marker_command(const struct marker_set *, const char *command);

#endif
