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

/* The first sign of a place that is in the text; its pattern has the groups. */
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

/* By kind: its key in a file, and what it means unless its pattern says so. */
extern const struct sign_words {
	const char *key, *what;
} sign_kinds[];

/* ---- the end of a limit, in the client's words: reset.c ------------------ */

enum { RESET_GRACE = 60000 };   /* ms after the end of a limit in which the
				   agent may go on by itself */

/*
 * The wall time that a text like these names, 0 if it names none:
 *
 *	limit reached|1764590400          seconds since 1970
 *	resets at 2026-12-01T15:00:00Z
 *	resets 3pm, resets at 3:30 PM, try again at 15:00   local time, the next
 *	retrying in 35s, try again in 2 hours 5 minutes     from now
 */
msec reset_find(const char *text, size_t len, msec now);

/* The same of what stands behind such words: "3pm", "at 15:00", "2h52m39s". */
msec reset_time(const char *text, msec now);

/* ---- a dialog, and the prompt: dialog.c ---------------------------------- */

/*
 * A dialog on an agent's screen: what is asked, the choices, and the
 * key that means an answer.  Or the prompt there, and whether a text is in it.
 *
 * The signs of the backend recognise it.  It begins at the line in
 * which its sign begins and ends with the last line of the screen.  Its choices
 * are the last lines in it that are numbered 1, 2, 3...: a command that is asked
 * about stands above them, whatever it is made to look like.  Choices
 * without numbers are the last adjacent lines of which one is highlighted.
 */

enum {
	DIALOG_CHOICES = 9,             /* one digit each */
	DIALOG_ID = 16,                 /* hexadecimal digits */
	DIALOG_TEXT = 1000              /* bytes of an answer */
};

struct dialog {
	const struct sign *rules;       /* its sign; borrowed */
	bool   limit;                   /* it is about a usage limit: "yes" goes
					   on, "no" leads to the prompt */
	char  *what;                    /* "it asks for permission: Bash ls" */
	char  *asked;                   /* all of the group "asked", in one
					   line; or NULL */
	char  *command;                 /* the line of the group "command", if
					   it is one; or NULL */
	char  *text;                    /* its lines */
	size_t first;                   /* line of the screen, from 0 */
	char  *choices[DIALOG_CHOICES]; /* their texts */
	size_t rows[DIALOG_CHOICES];    /* where they are on the screen */
	size_t n;
	uint32_t question;              /* hash of what is asked, as signs.h has
					   it */
	size_t asked_row, asked_stop;   /* where the group "asked" begins, and
					   the line behind it; or 0 */
	bool   moves;                   /* the highlight has to be moved, */
	size_t marked;                  /* which is on that choice */
	char   id[DIALOG_ID + 1];       /* of this text, */
	char   rest[DIALOG_ID + 1];     /* and wherever the highlight is */
};

/* False: no dialog is known in the lines of the screen, and the struct is
 * empty. */
bool dialog_read(struct dialog *, const struct signs *, const char *screen,
    size_t len);
void dialog_release(struct dialog *);

/* Does its sign say how it is answered? */
bool dialog_answerable(const struct dialog *);

/* The meaning of an answer to it. */
struct dialog_reply {
	char        key[24];            /* by tmux's name */
	const char *choice;             /* its text, or "yes", "no" */
	size_t      number;             /* of the choice, from 1; 0: none */
	const char *text;               /* to be typed after the key; NULL:
					   none */
	bool        guarded;            /* only if rules->shows matches */
	bool        marks;              /* the key marks the choice, or no longer
					   does, and the dialog stays */
};

/* "yes", "no", a number, the text of a choice, or one that a choice takes;
 * borrowed by the reply.  -1 with the reason: it has no such answer. */
int dialog_choose(const struct dialog *, const char *word,
    struct dialog_reply *, struct buf *why);

/* Which of "yes" and "no" is that choice?  NULL: neither. */
const char *dialog_meaning(const struct dialog *, size_t choice);
/* Does the choice take a text? */
bool dialog_takes_text(const struct dialog *, size_t choice);

/* May the text be typed: one line, no command of the client? */
bool dialog_text_valid(const char *, struct buf *why);

struct prompt {
	bool   ready;                   /* it is there, and the agent neither
					   works nor asks */
	bool   empty;                   /* with nothing typed in it */
	size_t first;                   /* its line of the screen, from 0 */
};

/* Reads the lines of a screen, and the same with their sequences. */
struct prompt prompt_read(const struct signs *, const char *rows,
    const char *colored);

/* Is the text in the prompt?  Blanks and line breaks do not count. */
bool prompt_holds(const struct prompt *, const char *rows, const char *text);

#endif
