/*
 * defang.h - markers of any issue in untrusted text, which a pane will show,
 * broken up.
 */
#ifndef PANEWARD_DEFANG_H
#define PANEWARD_DEFANG_H

#include "base/base.h"

enum defang_how {
	DEFANG_BLANK,           /* a blank follows it */
	DEFANG_TEXT,            /* it is escaped as by msg_escape() */
	DEFANG_JSON             /* the text is JSON and keeps its meaning */
};

/* marker is a custom one, or NULL. */
void defang_add(struct buf *, const char *text, size_t len,
    const char *marker, enum defang_how);

/* Does the text hold no marker?  A custom one of a single letter, or of JSON's
 * own characters, cannot be broken up. */
bool defang_clean(const char *text, size_t len, const char *marker);

#endif
