/*
 * signs.h - patterns that recognise an agent's state; paneward-backend(5) has
 * their keys.
 */
#ifndef PANEWARD_SIGNS_H
#define PANEWARD_SIGNS_H

#include "data/pattern.h"
#include "data/strict.h"

enum sign_place { SIGN_ANNOUNCED, SIGN_TITLE, SIGN_SCREEN, SIGN_PLACES };

/* In the order of matching, behind a limit that asks. */
enum sign_kind {
	SIGN_ASKING, SIGN_LIMITED, SIGN_BUSY, SIGN_READY, SIGN_KINDS
};

/* A sign owns all; NULL is a key that is not set. */
struct sign {
	enum sign_place place;
	enum sign_kind  kind;
	unsigned        number;         /* in its list, from 1 */
	char           *what, *asks;
	struct pattern *pattern, *yes, *no, *own, *shows, *field, *highlight,
	    *choice, *box;
	bool            colored;        /* highlight sees sequences */
	char           *yes_key, *no_key, *toggle, *submit;
};

struct signs {
	struct sign *all;
	size_t       n;
	enum sign_place place;          /* of the object being read */
	int64_t      osc;               /* 0: none announces */
	char        *app;               /* NULL: any */
	struct pattern *choice, *empty, *pasted;
};

enum { SIGN_ASKED = 100 * 4 + 1, SIGN_UNTIL = 48 * 4 + 1 };

struct sign_match {
	const struct sign *sign;        /* borrowed, or NULL */
	msec reset;                     /* wall time; 0: unknown */
	char until[SIGN_UNTIL];         /* the end of a limit, or "" */
	char asked[SIGN_ASKED];         /* on one line, or "" */
	uint32_t question;              /* hash of the meaning with asked */
	uint32_t command;               /* of the group command; 0: none */
};

/* least of the row is an enum sign_place. */
strict_take signs_take;
/* Sub-patterns by their names, as one text for strict.patterns: char *. */
strict_take signs_define;
void signs_release(struct signs *);

/* Its pattern has the groups. */
struct sign_match signs_find(const struct signs *, enum sign_place,
    const char *text, size_t len, msec wall);

/* Hash of a command without blanks, since clients break its lines. */
uint32_t signs_command(const char *, size_t len);

/* Adds lines without trailing blanks and empty lines. */
void signs_lines(struct buf *, const char *screen, size_t len);

/* Adds one line with single blanks; the bars of a frame are blanks. */
void signs_squeeze(struct buf *line, const char *, size_t len);
/* The same without blanks. */
void signs_pack(struct buf *out, const char *, size_t len);

/* By kind: its key, and its usual meaning. */
extern const struct sign_words {
	const char *key, *what;
} sign_kinds[];

/* ---- the end of a limit: reset.c ----------------------------------------- */

enum { RESET_GRACE = 60000 };   /* ms to go on by itself */

/*
 * The wall time in a text like these; 0: none.
 *
 *	limit reached|1764590400          seconds since 1970
 *	resets at 2026-12-01T15:00:00Z
 *	resets 3pm, resets at 3:30 PM, try again at 15:00
 *	retrying in 35s, try again in 2 hours 5 minutes
 */
msec reset_find(const char *text, size_t len, msec now);

/* The same behind such words: "3pm", "at 15:00", "2h52m39s". */
msec reset_time(const char *text, msec now);

/* ---- a dialog, and the prompt: dialog.c ---------------------------------- */

/* Its last list has the choices: a command above may look like one. */

enum {
	DIALOG_CHOICES = 9,             /* one digit each */
	DIALOG_ID = 16,                 /* hexadecimal digits */
	DIALOG_TEXT = 1000,             /* bytes of an answer, */
	PROMPT_TEXT = 64 << 10          /* of a prompt */
};

struct dialog {
	const struct sign *rules;       /* borrowed */
	bool   limit;                   /* its sign is one */
	char  *what;                    /* "it asks for permission: Bash ls" */
	char  *asked, *command;         /* the groups as one line; or NULL */
	char  *text;                    /* its lines */
	size_t first;                   /* of the screen, from 0 */
	char  *choices[DIALOG_CHOICES]; /* their texts, */
	size_t rows[DIALOG_CHOICES];    /* and lines of the screen */
	size_t n;
	uint32_t question;              /* as in struct sign_match */
	size_t asked_row, asked_stop;   /* its lines, up to stop; or 0 */
	bool   moves;                   /* keys move a highlight, */
	size_t marked;                  /* which is on this choice */
	char   id[DIALOG_ID + 1];       /* of this text, */
	char   rest[DIALOG_ID + 1];     /* wherever the highlight is */
};

/* False: there is none, and the struct is empty.  colored are the same rows with
 * their sequences. */
bool dialog_read(struct dialog *, const struct signs *, const char *screen,
    const char *colored);
void dialog_release(struct dialog *);

bool dialog_answerable(const struct dialog *);
/* The key that moves the highlight there, one step; NULL: it is there. */
const char *dialog_step(const struct dialog *, size_t from, size_t choice);

struct dialog_reply {
	char        key[24];            /* by tmux's name */
	const char *choice;             /* its text, or "yes", "no" */
	size_t      number;             /* of the choice, from 1, or 0 */
	unsigned    boxes;              /* to be marked and sent, as bits; else 0 */
	const char *text;               /* to type after the key, or NULL */
	bool        guarded;            /* rules->shows has to match */
	bool        marks;              /* the key toggles the choice */
};

/* The word is "yes", "no", a number, numbers of boxes as "1,3", or a text; the
 * reply borrows it.  -1 with the reason. */
int dialog_choose(const struct dialog *, const char *word,
    struct dialog_reply *, struct buf *why);

/* The next step so that exactly these boxes are marked and sent. */
void dialog_boxes(const struct dialog *, unsigned boxes, struct dialog_reply *);

/* "yes", "no" or NULL. */
const char *dialog_meaning(const struct dialog *, size_t choice);
bool dialog_takes_text(const struct dialog *, size_t choice);

struct prompt {
	bool   ready;                   /* the agent neither works nor asks */
	bool   empty;                   /* nothing is typed in it */
	size_t first;                   /* of the screen, from 0 */
};

/* As dialog_read(). */
struct prompt prompt_read(const struct signs *, const char *rows,
    const char *colored);

/* Printable lines, and no command of the client unless that is meant? */
bool prompt_text_valid(const char *, bool command, struct buf *why);

/* Is the text in the prompt, whatever its blanks?  A long one may have
 * scrolled, or stand there as the client's own words. */
bool prompt_holds(const struct prompt *, const struct signs *, const char *rows,
    const char *text);

#endif
