/*
 * live.h - what the parts of paneward-top share.
 *
 * top.c has the loop; keys.c does what the keys say; view.c draws:
 *
 *	 paneward  1 asking  1 error  3 working                        14:02
 *	   NAME     STATE    FOR  AGENT   PROJECT  WHAT
 *	 > api:1.0  asking   2m   claude  api      may it run: make deploy
 *	   42       error    12m  codex   shop     3 of 120 tests fail
 *	-- api:1.0, claude in /home/me/api ---------------------------------
 *	 may it run: make deploy
 *	 2 agents need you: api:1.0, 42       Enter go  / filter  ? help  q
 */
#ifndef PANEWARD_LIVE_H
#define PANEWARD_LIVE_H

#include <unistd.h>

#include "agent/signs.h"
#include "base/columns.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "queue/queue.h"

/* ---- the one door to ncurses: canvas.c ----------------------------------- */

/*
 * Text is drawn on a screen of our own; canvas_flush() sends what differs
 * from what the terminal shows.  All text passes base/columns.h here, so that
 * no text from outside controls the terminal or shifts what stands beside it.
 */

/* How text looks: a color from 1 to 7 as terminals number them, or 0. */
struct paint {
	int  color;
	bool bold, dim, reverse;
};

/* A key is a character, or one of these. */
enum typed {
	TYPED_NOTHING = -1,
	TYPED_ESCAPE = 0x1b,
	TYPED_OTHER = 0x110000,           /* behind the last character */
	TYPED_UP, TYPED_DOWN, TYPED_PAGE_UP, TYPED_PAGE_DOWN,
	TYPED_HOME, TYPED_END, TYPED_ENTER, TYPED_BACKSPACE, TYPED_RESIZE,
	TYPED_CLICK, TYPED_WHEEL_UP, TYPED_WHEEL_DOWN
};

/* Takes the terminal of standard input and output.  -1 with the reason: it
 * cannot do what is needed. */
int  canvas_open(struct buf *why);
/* Gives it back as it was, if it was taken; takes it anew. */
void canvas_close(void);
void canvas_regain(void);

void canvas_size(unsigned *lines, unsigned *columns);

void canvas_clear(void);
/* Draws the text in so many columns, cut off or filled up with blanks. */
void canvas_put(unsigned line, unsigned column, unsigned width,
    const char *text, struct paint);
/* Draws a line of so many signs, to the right or down. */
void canvas_rule(unsigned line, unsigned column, unsigned length, bool down,
    struct paint);
/* The cursor is shown there, unless the column is 0. */
void canvas_flush(unsigned line, unsigned column);

/* The next key that was typed; TYPED_NOTHING: there is none.  Of TYPED_CLICK,
 * the line of the mouse. */
long canvas_typed(unsigned *line);

/* ---- the rows that are shown, and the one that is chosen ----------------- */

/* The chosen agent stays chosen when its row moves.  If its row leaves, the one
 * that takes its place is chosen.  All zero: nothing is shown. */
struct choice {
	bool        finished;           /* rows that are finished, too */
	struct buf  filter;             /* words that a row has to hold */
	struct row **rows;              /* of the queue */
	size_t      n;
	size_t      hidden;             /* rows that are finished */
	size_t      at;                 /* the chosen one; 0 if there is none */
	size_t      first;              /* the first one on the screen */
	struct buf  agent;              /* tells the chosen one from others */
};

/* Chooses anew from all rows of the queue, after they or what is shown of them
 * changed. */
void choice_update(struct choice *, struct row *const *rows, size_t n,
    msec wall);

/* NULL: nothing is shown. */
struct row *choice_row(const struct choice *);
/* Chooses the row that is so many behind, or before, or the nearest one. */
void choice_move(struct choice *, long by);
/* Chooses the row at that place; false if there is none. */
bool choice_set(struct choice *, size_t at);
/* Scrolls as little as the chosen row needs in so many lines. */
void choice_scroll(struct choice *, size_t lines);

/* Is each word of the filter, in any case of ASCII, in what the row says of
 * name, agent, project, state or text? */
bool choice_matches(const char *filter, const struct row *, msec wall);

/* ---- answers to dialogs -------------------------------------------------- */

struct live;

/* The dialog is the one that was on the screen when the answer was begun; if it
 * is another one when the answer is given, nothing is typed into the pane. */
struct reply {
	struct reply *next;             /* that is given, too */
	struct buf    key;              /* of its row, */
	char         *name;             /* which a person knows by this */
	char          dialog[DIALOG_ID + 1];
	struct buf    typed;
	struct spawn  spawn;            /* gives it, and outlives us */
};

/* Begins the one for the dialog of the chosen row.  Unless it does, with the
 * reason. */
void reply_begin(struct live *, struct buf *why);
/* Begins to give it; 'y' and 'n' are yes and no. */
void reply_give(struct live *);
void reply_free(struct reply *);
/* The results of given answers become the message; true: there was one. */
bool reply_turn(struct live *);

/* ---- all of it ----------------------------------------------------------- */

struct live {
	struct context context;
	struct queue  *queue;
	struct segment *segment;        /* NULL: only one project is shown */
	struct choice  choice;
	const char    *client;          /* the tmux client whose popup we are
					   in; NULL: we are in none */
	const char    *program;         /* paneward */
	msec           now, wall;       /* of this turn */
	msec           clicked;         /* when a row was, last */
	struct buf     message;         /* until the next key */
	bool           typing;          /* a filter */
	struct reply  *reply;           /* being typed; NULL: none is */
	struct reply  *given;           /* those that are being given */
	bool           screen;          /* the chosen pane's screen is shown */
	size_t         help;            /* from which key on it is shown, from
					   1; 0: it is not */
	bool           over;
	struct loop    loop;
	struct loop_wait typed, trap;   /* keys, and signals */
	bool           changed;         /* something, in this round */
	bool           gone;            /* the terminal */
	size_t         list_line;       /* where the first row is drawn */
	size_t         list_rows;       /* how many fit */
};

enum { VIEW_COLUMNS = 20, VIEW_LINES = 5 };     /* the smallest terminal */

/* Draws it all; sets list_line and list_rows. */
void view_draw(struct live *);

/* Does what a key says, and of the mouse its line. */
void keys_do(struct live *, long key, unsigned line);

/* The keys that the help shows, by number; false behind the last one. */
bool keys_help(size_t i, const char **key, const char **what);

#endif
