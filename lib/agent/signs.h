/*
 * signs.h - patterns that recognise an agent's state, from its backend's file.
 *
 * A sign is a pattern for one place (a state that the agent announces, the
 * title of its pane, the visible text) and what it means when it matches:
 *
 *	"title":  { "busy": ["^[\u2800-\u28FF] "], "ready": ["^\u2733 "] },
 *	"screen": { "asking": [{ "pattern": "...", "what": "asks ..." }] }
 *
 * "announces" has the same lists and the number of the OSC sequence, whose text
 * is like "state=working:app=codex".  A group called reset in the pattern of a
 * limit is the time when that ends; a group called asked is added to what the
 * sign means.
 *
 * "screen" also has "choice", a pattern for a line of a dialog that can be
 * chosen; other keys tell how a dialog is answered.  Its "empty"
 * is a pattern for the screen with its colors, while nothing is typed in the
 * agent's prompt.
 */
#ifndef PANEWARD_SIGNS_H
#define PANEWARD_SIGNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "data/pattern.h"
#include "data/strict.h"

enum sign_place { SIGN_ANNOUNCED, SIGN_TITLE, SIGN_SCREEN, SIGN_PLACES };

/* In the order in which they are tried in one place; a limit that asks comes
 * first. */
enum sign_kind {
	SIGN_ASKING,                    /* a dialog, or a turn that failed */
	SIGN_LIMITED,
	SIGN_BUSY,
	SIGN_READY,                     /* its prompt; waits for a person */
	SIGN_KINDS
};

/*
 * A sign, and how its dialog is answered.
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
 *
 * All is owned; NULL: there is none.
 */
struct sign {
	enum sign_place place;
	enum sign_kind  kind;
	unsigned        number;         /* in its list, from 1 */
	char           *what;           /* in a few words */
	char           *asks;
	struct pattern *pattern, *yes, *no, *own, *shows, *field, *highlight,
	    *choice, *box;
	char           *yes_key, *no_key;       /* by tmux's names */
};

/* The rows of its keys. */
extern const struct strict_row sign_keys[];

void sign_release(struct sign *);

struct signs {
	struct sign *all;
	size_t       n;
	enum sign_place place;          /* of those that are being read */
	int64_t      osc;               /* the sequence; 0: none announces */
	char        *app;               /* only those of this one; NULL: all */
	struct pattern *choice;         /* of all dialogs; NULL: none has any */
	struct pattern *empty;          /* of the screen with its sequences when
					   nothing is typed; NULL */
};

enum { SIGN_ASKED = 100 * 4 + 1, SIGN_UNTIL = 48 * 4 + 1 };

/* What was found; sign is borrowed from the signs, NULL: none. */
struct sign_match {
	const struct sign *sign;
	msec reset;                     /* wall time; 0: unknown */
	char until[SIGN_UNTIL];         /* in the agent's words, or "" */
	char asked[SIGN_ASKED];         /* the same, on one line, or "" */
	uint32_t question;              /* hash of what it means with asked */
	uint32_t command;               /* signs_command() of the group command;
					   0: it has none */
};

/* Adds the signs of an object to a struct signs; least of the row is the place,
 * an enum sign_place. */
strict_take signs_take;
void signs_release(struct signs *);

/* The first sign of a place that is in the text. */
struct sign_match signs_find(const struct signs *, enum sign_place,
    const char *text, size_t len, msec wall);

/* Hash of the beginning of a command without its blanks, since a client breaks
 * its lines. */
uint32_t signs_command(const char *, size_t len);

/* Adds lines without the blanks at their ends, and without empty ones at the
 * bottom. */
void signs_lines(struct buf *, const char *screen, size_t len);

/* Adds a part of a screen as one line, with one blank between its words.  The
 * bars of a frame count as blanks. */
void signs_squeeze(struct buf *line, const char *, size_t len);

/* The key of a kind in a file. */
const char *sign_kind_name(enum sign_kind);

#endif
