/*
 * answerrules.h - dialogs that are answered without a person: `answers` in the
 * user's configuration, a list that a person wrote.
 *
 *	"answers": [ { "asks": "permission", "pattern": "(make|npm) test",
 *	    "answer": "yes" } ]
 *
 * A rule is for one kind of dialog (agent/signs.h).  Its pattern has to
 * match the whole command that is asked about, or the whole question.
 *
 * Some words delete, push, or run another program (rm, push, force, sudo...), as
 * do some characters (";", "|", ">"...).  A command that holds one is matched
 * only by a pattern that names it, too, so never by one that is only a wildcard.
 * No such list is complete.
 */
#ifndef PANEWARD_ANSWERRULES_H
#define PANEWARD_ANSWERRULES_H

#include "data/strict.h"

struct answerrules {
	struct answerrule *v;
	size_t n;
};

/* For a row of strict.h; the field is a struct answerrules. */
strict_take answerrules_take;
void answerrules_release(struct answerrules *);

/* The answer of the first rule for a dialog that asks that, about that text;
 * NULL: a person answers it. */
const char *answerrules_find(const struct answerrules *, const char *asks,
    const char *text);

#endif
