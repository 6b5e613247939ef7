/*
 * dialogrules.h - how a dialog is answered: keys of its sign in a backend's
 * file (signs.h).
 *
 *	{ "pattern": "...", "what": "it asks for permission",
 *	  "asks": "permission", "yes": "^Yes$", "no": "^No\\b" }
 *
 * "asks" is the kind of dialog; without it, the dialog cannot be answered.
 * "yes", "no" and "own" are patterns for the text of a choice: the one that
 * means yes, the one that means no, and the one that takes a text.  "yes_key"
 * and "no_key" are keys that mean the same without a choice.  "shows" has to
 * match the screen with its colors before yes_key is typed, "field" the screen
 * before a text is.  "highlight" is a pattern for a choice's line in a dialog
 * whose choices have no numbers: the group "mark" holds more than blanks in the
 * line that is highlighted, "text" is the choice.  Down and Up move the
 * highlight, and Enter chooses.  "choice" takes the place of the one of all
 * dialogs; "box" is a pattern for the beginning of a choice that its digit only
 * marks, or no longer marks.
 */
#ifndef PANEWARD_DIALOGRULES_H
#define PANEWARD_DIALOGRULES_H

#include "text/pattern.h"
#include "text/strict.h"

/* All is owned; NULL: there is none. */
struct dialogrules {
	char *asks;
	struct pattern *yes, *no, *own, *shows, *field, *highlight, *choice,
	    *box;
	char *yes_key, *no_key;         /* by tmux's names */
};

void dialogrules_release(struct dialogrules *);

/* Functions for rows of a sign: a struct pattern *, one with the groups of
 * "highlight" or "choice", and a key's name. */
strict_take dialogrules_pattern, dialogrules_highlight, dialogrules_choice,
    dialogrules_key;

/* The rows of the keys, for a struct dialogrules at that offset. */
#define DIALOGRULES_ROWS(type, field_) \
	{ "asks", strict_filled, .at = offsetof(type, field_.asks) }, \
	{ "yes", dialogrules_pattern, .at = offsetof(type, field_.yes) }, \
	{ "no", dialogrules_pattern, .at = offsetof(type, field_.no) }, \
	{ "own", dialogrules_pattern, .at = offsetof(type, field_.own) }, \
	{ "shows", dialogrules_pattern, .at = offsetof(type, field_.shows) }, \
	{ "field", dialogrules_pattern, .at = offsetof(type, field_.field) }, \
	{ "highlight", dialogrules_highlight, .at = offsetof(type, \
	    field_.highlight) }, \
	{ "choice", dialogrules_choice, .at = offsetof(type, field_.choice) }, \
	{ "box", dialogrules_pattern, .at = offsetof(type, field_.box) }, \
	{ "yes_key", dialogrules_key, .at = offsetof(type, field_.yes_key) }, \
	{ "no_key", dialogrules_key, .at = offsetof(type, field_.no_key) }

#endif
