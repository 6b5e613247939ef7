/*
 * defang.h - breaks up markers of any issue in untrusted text that a pane
 * will show.
 */
#ifndef PANEWARD_DEFANG_H
#define PANEWARD_DEFANG_H

#include "base/base.h"

enum defang_how {
	DEFANG_BLANK,           /* adds a blank */
	DEFANG_TEXT,            /* escapes as msg_escape() does */
	DEFANG_JSON             /* keeps the meaning of JSON */
};

/* marker: a custom one, or NULL. */
void defang_add(struct buf *, const char *text, size_t len,
    const char *marker, enum defang_how);

/* Does the text hold no marker?  A custom one of one letter, or of JSON's own
 * characters, cannot be broken up. */
bool defang_clean(const char *text, size_t len, const char *marker);

#endif
