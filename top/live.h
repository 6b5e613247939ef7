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

#include "base/columns.h"
#include "queue/queue.h"

/* ---- the one door to ncurses: canvas.c ----------------------------------- */

/*
 * All text passes base/columns.h here, so that no text from outside controls
 * the terminal or shifts its neighbours.  canvas_flush() sends what differs.
 */

struct paint {
	int  color;                     /* from 1 to 7 as terminals number
					   them, or 0 */
	bool bold, dim, reverse;
};

enum typed {
	TYPED_NOTHING = -1,
	TYPED_ESCAPE = 0x1b,
	TYPED_OTHER = 0x110000,         /* behind the last character */
	TYPED_UP, TYPED_DOWN, TYPED_PAGE_UP, TYPED_PAGE_DOWN,
	TYPED_HOME, TYPED_END, TYPED_ENTER, TYPED_BACKSPACE, TYPED_RESIZE,
	TYPED_CLICK, TYPED_WHEEL_UP, TYPED_WHEEL_DOWN,
	TYPED_LEFT, TYPED_RIGHT,
	TYPED_PASTE, TYPED_PASTED       /* before and behind a pasted text */
};

/* Takes the terminal.  -1 with the reason: it lacks something. */
int  canvas_open(struct buf *why);
/* Gives it back, if it was taken; takes it anew. */
void canvas_close(void);
void canvas_regain(void);

void canvas_clear(unsigned *lines, unsigned *columns);
/* Draws the text, cut to that many columns; in reverse it fills them. */
void canvas_put(unsigned line, unsigned column, unsigned width,
    const char *text, struct paint);
void canvas_rule(unsigned line, unsigned column, unsigned length, bool down);
/* Shows the cursor there, unless the column is 0. */
void canvas_flush(unsigned line, unsigned column);

/* The next key, or TYPED_NOTHING; of TYPED_CLICK the line. */
long canvas_typed(unsigned *line);

/* ---- habits: habits.c ---------------------------------------------------- */

/* In "top.json" of the user's folder of state.  A broken file counts as
 * none. */
struct habits {
	bool        grouped;            /* by project */
	bool        calm;               /* hides what works */
	char      **pinned, **folded;   /* keys of rows and of groups */
	struct stat file;               /* as it was read */
	bool        newer;              /* its format: it is left alone */
};

/* Reads the file if it has changed. */
void habits_read(struct habits *);
/* On failure they last as long as we run. */
void habits_write(const struct habits *);
/* Adds the word, or removes it; writes them. */
void habits_turn(struct habits *, char ***words, const char *word);

/* ---- the rows that are shown, and the chosen one ------------------------- */

/* The choice follows its agent's row.  If that leaves, the row in its place is
 * chosen. */
struct choice {
	bool          finished;         /* shows finished rows, too */
	struct buf    filter;           /* words that a row has to hold */
	struct habits habits;
	struct row  **rows;             /* of the queue, and heads of groups */
	struct row   *heads;            /* not of the queue */
	size_t        n, nheads, pinned;        /* pinned rows come first */
	size_t        found;            /* agents, in folded groups too */
	size_t        hidden, busy;     /* agents that are finished, or work */
	size_t        at, first;        /* the chosen row, and the first on the
					   screen */
	struct buf    agent;            /* key of the chosen row */
};

/* Chooses anew after a change of the rows or the view. */
void choice_update(struct choice *, struct row *const *rows, size_t n,
    msec wall);

struct row *choice_row(const struct choice *);
/* The head of a group is its row without an agent. */
bool choice_head(const struct row *);
/* Chooses the row so many behind, or before, or the nearest one. */
void choice_move(struct choice *, long by);
/* Turns the chosen group if it is so: "-" open, "+" folded, or "+-".  "-" of a
 * row chooses its group, "+" of an open group its first row.  False: no group
 * was chosen. */
bool choice_fold(struct choice *, const char *marks);
/* Scrolls only until the chosen row shows. */
void choice_scroll(struct choice *, size_t lines);

/* ---- answers to dialogs, and prompts ------------------------------------- */

struct live;

/* Types only into the dialog for which it was begun, or into a prompt. */
struct reply {
	struct reply *next;
	struct buf    key;              /* of its row */
	char         *name;
	char          dialog[DIALOG_ID + 1];    /* "": a prompt */
	struct buf    typed;
	bool          given;
	struct spawn  spawn;            /* gives the answer, and outlives us */
};

/* Begins the answer to the dialog of the chosen row, or (prompt, or if it shows
 * none and may take one) its next prompt, with what was typed and not sent; or
 * adds the reason. */
void reply_begin(struct live *, bool prompt, struct buf *why);
/* Why a row takes no prompt, whatever its screen shows; or NULL. */
const char *reply_refuses(struct live *, const struct row *);
/* Gives it, or leaves it: the text of a prompt is kept. */
void reply_give(struct live *);
void reply_leave(struct live *);
/* Results become the message; true: there was one. */
bool reply_turn(struct live *);

/* ---- all of it ----------------------------------------------------------- */

struct live {
	struct context context;
	struct queue  *queue;
	struct segment *segment;        /* NULL: only one project is shown */
	struct choice  choice;
	const char    *client;          /* the tmux client with our popup; or
					   NULL */
	const char    *program;
	msec           now, wall;       /* of this turn */
	msec           clicked;
	msec           pasted;          /* until then keys are a text */
	struct buf     message;         /* until the next key */
	struct reply  *reply;           /* being typed; or NULL */
	struct reply  *replies;         /* given, or prompts to be sent */
	bool           typing;
	bool           screen;          /* shows the chosen pane's screen */
	bool           over, gone;      /* gone: the terminal is */
	bool           changed;         /* something did in this round */
	size_t         help;            /* first key of the help; 0: none */
	struct loop    loop;
	struct loop_wait typed, trap;
	bool           sidebar;         /* rows have two lines */
	size_t         list_line, list_rows;
};

enum { VIEW_COLUMNS = 20, VIEW_LINES = 5 };     /* the smallest terminal */

/* Sets list_line and list_rows. */
void view_draw(struct live *);

/* line: of the mouse. */
void keys_do(struct live *, long key, unsigned line);

/* The key that fits the chosen row, for the last line: "s send"; or "". */
const char *keys_hint(struct live *);

/* The keys of the help, by number; false behind the last one. */
bool keys_help(size_t i, const char **key, const char **what);

#endif
