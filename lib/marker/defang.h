/*
 * defang.h - texts of others, shown where markers are looked for.
 *
 * What stands in an inbox, a channel or a prompt anybody may have written, and
 * it comes to stand in a pane.  So each finished marker in it (markerset.h) is
 * broken up, of whatever issue, and that of the run whose pane it is: nothing
 * of it may be taken for a report.
 */
#ifndef PANEWARD_DEFANG_H
#define PANEWARD_DEFANG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* What becomes of a character of a marker. */
enum harmless_how {
	HARMLESS_BLANK,         /* a blank behind it */
	HARMLESS_TEXT,          /* it is written as msg_escape() would */
	HARMLESS_JSON           /* the text is JSON, and says what it said */
};

/* Adds the text with its markers broken up.  marker is the run's own custom
 * one, or NULL. */
void harmless_add(struct buf *, const char *text, size_t len,
    const char *marker, enum harmless_how);

/* Is there none in the text?  Some cannot be broken up: a single letter, or
 * what JSON itself is written with. */
bool harmless_is(const char *text, size_t len, const char *marker);

#endif
