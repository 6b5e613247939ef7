/*
 * defang.h - markers in other people's text, broken up.
 *
 * Inbox, channel and prompt text is untrusted and will be shown in a pane.  So
 * each finished marker in it (marker.h), of any issue, and the custom
 * marker of the pane's own run is changed until it is none.
 */
#ifndef PANEWARD_DEFANG_H
#define PANEWARD_DEFANG_H

#include "base/base.h"

/* What becomes of one character of a marker. */
enum defang_how {
	DEFANG_BLANK,           /* a blank follows it */
	DEFANG_TEXT,            /* it is escaped as by msg_escape() */
	DEFANG_JSON             /* the text is JSON and keeps its meaning */
};

/* Adds the text with its markers broken up.  marker is the run's own custom
 * one, or NULL. */
void defang_add(struct buf *, const char *text, size_t len,
    const char *marker, enum defang_how);

/* Does the text hold no marker?  Some cannot be broken up: a single letter, or
 * the characters JSON itself is written with. */
bool defang_clean(const char *text, size_t len, const char *marker);

#endif
