/*
 * dialog.h - a dialog on an agent's screen: what is asked, the choices, and the
 * key that means an answer.  Or the prompt there, and whether a text is in it.
 *
 * The signs of the backend recognise it (signs.h).  It begins at the line in
 * which its sign begins and ends with the last line of the screen.  Its choices
 * are the last lines in it that are numbered 1, 2, 3...: a command that is asked
 * about stands above them, whatever it is made to look like.  Choices
 * without numbers are the last adjacent lines of which one is highlighted.
 */
#ifndef PANEWARD_DIALOG_H
#define PANEWARD_DIALOG_H

#include <stdbool.h>

#include "agent/signs.h"

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

/* What an answer means to it. */
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
