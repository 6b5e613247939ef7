/*
 * tmux.h - the one door to tmux.
 *
 * tmux is run as a program, by argument vector, with the server's socket named
 * (-S), without TMUX and TMUX_PANE, in UTF-8, with a time limit.  Panes are
 * addressed by id only.  Names, titles and paths are data: answers are never
 * split at a character that they may hold.
 *
 * One query is one call that lists all panes and clients of a server and
 * carries wishes: captures, pipes, names.  It runs beside the caller's loop (see
 * spawn.h).
 */
#ifndef PANEWARD_TMUX_H
#define PANEWARD_TMUX_H

#include "os/file.h"
#include "os/spawn.h"
#include "tmux/listing.h"

enum {
	TMUX_LIMIT = 5000,              /* ms a call may take */
	TMUX_HISTORY = 500              /* lines above a captured screen */
};

enum tmux_result {
	TMUX_OK,                /* also without any session or pane; then the
				   listing may name no server */
	TMUX_NO_SERVER,         /* no server listens on the socket */
	TMUX_SILENT,            /* a server runs there but does not answer */
	TMUX_MISSING,           /* no tmux program */
	TMUX_OLD,               /* before 3.0 */
	TMUX_FAILED             /* anything else; the message says what */
};

#define TMUX_NO_SERVER_WHY "no tmux server at '%s'"

/* What a wish wants of one pane. */
enum tmux_want {
	TMUX_CAPTURE = 1 << 0,
	TMUX_PIPE    = 1 << 1,          /* with pipe; after the capture */
	TMUX_STAY    = 1 << 2,          /* set remain-on-exit */
	TMUX_NAME    = 1 << 3           /* set @paneward_issue, _run, _dir */
};

struct tmux_wish {
	const char *pane;               /* an id; borrowed during the begin */
	unsigned    want;               /* enum tmux_want */
	const char *pipe;               /* from tmux_pipe_command() */
	const char *issue, *run, *dir;
};

struct tmux_query {
	char  *socket;
	msec   limit;                   /* ms it may take */
	char   token[TMUX_TOKEN + 1];
	enum tmux_lists lists;
	bool   sets;                    /* by tmux_show_begin() */
	struct spawn spawn;             /* see spawn_follow() */
};

#define TMUX_QUERY_INIT { .limit = TMUX_LIMIT, .spawn = SPAWN_INIT }

/* The query must not be running.  A call has a size limit: returns how many of
 * the wishes it carries, at least one; the others are for the next query.  -1
 * with errno. */
ssize_t tmux_query_begin(struct tmux_query *, const char *socket,
    enum tmux_lists, const struct tmux_wish *, size_t count);
/* The result of an ended query.  Anything but TMUX_OK leaves the listing empty
 * and adds the reason to why; a failed wish does not fail the listing. */
enum tmux_result tmux_query_answer(struct tmux_query *,
    struct tmux_listing *, struct buf *why);
void tmux_query_release(struct tmux_query *);

/* What a server is to show in its status lines.  All texts are plain: letters,
 * digits and spaces. */
struct tmux_show {
	const char *queue;              /* of PANEWARD_QUEUE; NULL: it stays */
	const struct tmux_listing *listing;     /* with the clients that draw it
						   again */
	const struct tmux_mark {
		const char *window;
		const char *text;       /* of @paneward_state; "": none */
	} *marks;
	size_t nmarks;
};

/* Begins one call that sets it; what comes of it tells tmux_query_answer().
 * Returns how many of the marks it carries; -1 with errno. */
ssize_t tmux_show_begin(struct tmux_query *, const char *socket,
    const struct tmux_show *);

/* A whole query at once, with a wish (NULL: none). */
enum tmux_result tmux_ask(const char *socket, enum tmux_lists,
    const struct tmux_wish *, struct tmux_listing *, struct buf *why);
/* The same for all panes. */
enum tmux_result tmux_list(const char *socket, struct tmux_listing *,
    struct buf *why);
/* Expands a format for a pane, without the line feed at its end. */
enum tmux_result tmux_pane_tell(const char *socket, const char *pane,
    const char *format, struct buf *answer, struct buf *why);
/* Adds what a pane shows, with history set also all that it showed before. */
enum tmux_result tmux_text(const struct pane_ref *, bool history,
    struct buf *text, struct buf *why);
/* Shows a text in a client's status line, for as long as the user lets messages
 * stand; of a long one the begin.  With tmux 3.2, of the clients that show the
 * same session only the one that was used last can be reached. */
enum tmux_result tmux_message(const char *socket, const struct tmux_client *,
    const char *text, struct buf *why);
/* Is it an id of that kind: '$' session, '@' window, '%' pane? */
bool tmux_id_valid(const char *, char kind);

/* The socket that a plain tmux command would use here: that of $TMUX, else the
 * usual one.  The caller frees it. */
char *tmux_socket(void);
char *tmux_usual_socket(void);

/* Does certainly no server listen at the path?  An ended server may leave its
 * socket; one that stands still is there.  Takes a tenth of a millisecond,
 * without running tmux, and never waits. */
bool socket_dead(const char *path);

/* The sockets in the user's tmux folder, ${TMUX_TMPDIR:-/tmp}/tmux-UID, that
 * are the user's and not dead, in any order; for argv_free().  NULL with errno:
 * 0 if there are none, or the folder is another user's, or not private, as tmux
 * demands; else why it cannot be read. */
char **sockets_of_user(void);

/* The pane in which this process runs, as $TMUX and $TMUX_PANE say, borrowed
 * from the environment, and the process of its server; NULL: none. */
const char *tmux_own_pane(pid_t *server);
/* Is it that very one? */
bool tmux_here(const struct pane_ref *);

/* The command of pipe-pane that runs our log writer: argv as words of a shell
 * line that tmux's expansion of formats and dates leaves unchanged, and the
 * pane as pane_ref_name() names it.  The caller frees it. */
char *tmux_pipe_command(const char *const *argv);

/* ---- opening and closing ------------------------------------------------- */

/* What tmux_open() opens. */
struct tmux_new {
	const char *socket;
	const char *session;            /* its name; for a window the id of the
					   session it goes into */
	bool        window;             /* a window in an existing session */
	const char *name;               /* of a new window */
	const char *dead;               /* a pane to close before, if its
					   process has ended; or NULL */
	const char *cwd;
	const char *const *argv;        /* run without a shell */
	const char *pipe;               /* from tmux_pipe_command(); or NULL */
	const char *issue, *run, *dir;  /* issue NULL: the pane is no issue's
					   and closes with its process */
};

/* Opens a session or window, its pipe, its options (remain-on-exit on this
 * pane, @paneward_issue, _run, _dir) in one call, and fills in the pane_ref
 * (without pane_start).  After a failure nothing stays open. */
enum tmux_result tmux_open(const struct tmux_new *, struct pane_ref *,
    char **session_name, struct buf *why);

/* Closes that very pane: the server compares and closes it in one step. */
enum tmux_result tmux_close_pane(const struct pane_ref *, struct buf *why);

/* Closes a session, by its exact name. */
enum tmux_result tmux_end(const char *socket, const char *session,
    struct buf *why);

/* ---- what is typed into a pane ------------------------------------------- */

/* Anything but TMUX_OK adds the reason to why. */

/* Would typed text reach the program in front, and no other pane? */
enum tmux_result tmux_input(const struct pane_ref *, struct buf *why);
/* One key by tmux's name; the pane leaves its copy mode first. */
enum tmux_result tmux_key(const struct pane_ref *, const char *key,
    struct buf *why);
/* A line at a prompt, replacing what is typed there, and Enter. */
enum tmux_result tmux_line(const struct pane_ref *, const char *line,
    struct buf *why);

/* ---- what it shows still: still.c ---------------------------------------- */

/*
 * What a pane shows at one moment, and a question to tmux whether it
 * shows it still.
 *
 * The question is a format, which tmux evaluates in the same step in which it
 * types: nothing that a program prints comes in between.  #{C/r:...} finds the
 * first line of the screen that a regular expression matches, so each line
 * becomes an expression, and the answer is its number.  tmux 3.0a and later
 * have that.
 *
 * tmux takes about 30 us for a row, in which it reads nothing, and more for a
 * long run of one sign, so that is an expression of its own.
 *
 * An expression holds ASCII letters, digits, and few other characters as they
 * are, and every other one of ASCII, "#" among them, as one class of them all.
 * So nothing that the screen shows is expanded as a format.
 */

enum { TMUX_QUESTION = 14000 };         /* bytes; a call has 16,000 */

struct tmux_still {
	char  *facts;                   /* ids, size, cursor, what is in front */
	char  *rows;                    /* the screen, each with a line feed, */
	char  *colored;                 /* and the same with its sequences */
	bool   dead, mode, off, together, odd;  /* what keeps keys away */
};

/* The format of the facts; they are of the pane if it is that very one. */
extern const char still_facts[];
/* Reads the facts, the rows and the rows with colors, in this order.  False: it
 * is something else. */
bool still_parse(struct tmux_still *, const char *answer,
    const struct pane_ref *);
void still_release(struct tmux_still *);

/* Why keys would not reach the program in front, or would reach others, too;
 * NULL: they reach it. */
const char *still_refuses(const struct tmux_still *);

/*
 * Adds the question about the rows from that one on.  False with the reason: a
 * row of letters or digits stands on the screen above, too, so that its change
 * might not be seen, unless twice allows that; or they are too many.
 */
bool still_question(const struct tmux_still *, size_t first, bool twice,
    struct buf *format, struct buf *why);

/* Rows of a screen; without any, stop is 0. */
struct still_span {
	size_t first, stop;             /* stop is behind the last one */
};

/* Adds a quick question about a few of the rows, for a moment after the other
 * one was answered.  False: nothing in them can be compared. */
bool still_quick(const struct tmux_still *, const struct still_span *, size_t n,
    struct buf *format);

/* What the pane shows, with the reason if that is not known or the pane is
 * another one by now. */
enum tmux_result tmux_look(const struct pane_ref *, struct tmux_still *,
    struct buf *why);

/* What is typed if the answer to questions (still.h) is yes. */
struct tmux_typing {
	const char *question;
	const char *quick;              /* NULL: there is none */
	const char *key;                /* by tmux's name, */
	const char *text;               /* or this, as if pasted */
};

enum tmux_typed {
	TMUX_CHANGED,                   /* nothing was typed */
	TMUX_TYPED,
	TMUX_TYPED_LATE                 /* the screen had changed, which tmux
					   read as it wrote the key */
};

/* The server reads the pane, asks the last question and types in one step. */
enum tmux_result tmux_type(const struct pane_ref *, const struct tmux_typing *,
    enum tmux_typed *, struct buf *why);

/* Makes the pane stay when its process ends, unless it would (*stays), or no
 * longer (stays is NULL). */
enum tmux_result tmux_keep(const struct pane_ref *, bool *stays,
    struct buf *why);
/* Replaces the pane's process; argv is run without a shell. */
enum tmux_result tmux_respawn(const struct pane_ref *, const char *const *argv,
    struct buf *why);

/* ---- what a client shows ------------------------------------------------- */

/* A client is named by its terminal; NULL is the one that shows the pane in
 * which we run, as $TMUX_PANE names it. */

/* The client shows a pane of its server: session, window and pane. */
enum tmux_result tmux_switch(const char *socket, const char *client,
    const char *pane, struct buf *why);
/* The client's terminal shows a pane of another server, if it is let; else it
 * comes back to the pane from.  A popup over the client ends, and what runs in
 * it gets SIGHUP. */
enum tmux_result tmux_move(const char *socket, const char *client,
    const char *from, const struct pane_ref *to, struct buf *why);
/* This process becomes a client of the pane's server and shows the pane.
 * Returns only after a failure. */
void tmux_enter(const struct pane_ref *, struct buf *why);

/* ---- a client's terminal: terminal.c ------------------------------------- */

/*
 * A notice for the terminal of a tmux client, past tmux.
 *
 * What is written to a client's terminal reaches it also over ssh.  tmux writes
 * there as well: one short write never ends up inside what tmux writes.  A
 * terminal has no answer, so nothing tells whether it showed the notice.
 */

/* Can a person see what is written there?  Not at a control client, nor while
 * it is suspended. */
bool terminal_there(const struct tmux_client *);

/* Is it inside another tmux, which drops what is not wrapped? */
bool terminal_nested(const struct tmux_client *);

/* Adds the sequence (OSC 9, 777 or 99, as this terminal knows them) that shows
 * a notice, wrapped for another tmux if need be; returns that number.  The title
 * must not begin with a digit.  Of a long text the begin is sent. */
int  terminal_notice(struct buf *, const struct tmux_client *,
    const char *title, const char *body);

/* Writes to a terminal, which must be a device of ours below /dev; waits for
 * room up to a second.  -1 with errno. */
int  terminal_write(const char *tty, const void *bytes, size_t len);

#endif
