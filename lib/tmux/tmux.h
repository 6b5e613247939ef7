/*
 * tmux.h - the one door to tmux.
 *
 * A call names the server's socket (-S) and has a time limit.  Ids address
 * panes.  Names, titles and paths are data: answers are never split at
 * characters that they may hold.  A query lists a server's panes and clients in
 * one call that carries wishes.
 */
#ifndef PANEWARD_TMUX_H
#define PANEWARD_TMUX_H

#include "os/file.h"
#include "os/spawn.h"
#include "tmux/listing.h"

enum { TMUX_LIMIT = 5000 };             /* ms */
enum { TMUX_HISTORY = 500 };            /* lines above a captured screen */

enum tmux_result {
	TMUX_OK,                /* even without a session */
	TMUX_NO_SERVER,
	TMUX_SILENT,            /* no answer */
	TMUX_MISSING,           /* no tmux program */
	TMUX_OLD,               /* before 3.0 */
	TMUX_FAILED
};

#define TMUX_NO_SERVER_WHY "no tmux server at '%s'"

enum tmux_want {
	TMUX_CAPTURE = 1 << 0,
	TMUX_PIPE    = 1 << 1,          /* after the capture */
	TMUX_STAY    = 1 << 2,          /* set remain-on-exit */
	TMUX_NAME    = 1 << 3           /* set @paneward_issue, _run, _dir */
};

struct tmux_wish {
	unsigned    want;               /* enum tmux_want */
	const char *pane, *pipe;        /* an id; a tmux_pipe_command() */
	const char *issue, *run, *dir;
};

#define TMUX_CAPTURE_WISH(of) \
	((struct tmux_wish){ .pane = (of), .want = TMUX_CAPTURE })

struct tmux_query {
	char  *socket;
	msec   limit;
	char   token[TMUX_TOKEN + 1];
	enum tmux_lists lists;
	struct spawn spawn;
};

#define TMUX_QUERY_INIT { .limit = TMUX_LIMIT, .spawn = SPAWN_INIT }

/* How many wishes fit, at least one; -1 with errno. */
ssize_t tmux_query_begin(struct tmux_query *, const char *socket,
    enum tmux_lists, const struct tmux_wish *, size_t count);
/* Here and below, any result but TMUX_OK adds the reason to why and leaves the
 * listing empty.  A failed wish is ignored. */
enum tmux_result tmux_query_answer(struct tmux_query *,
    struct tmux_listing *, struct buf *why);
void tmux_query_release(struct tmux_query *);

/* Status lines.  All texts are letters, digits and spaces. */
struct tmux_show {
	const char *queue;              /* PANEWARD_QUEUE; NULL: kept */
	const struct tmux_listing *listing;     /* its clients redraw */
	const struct tmux_mark {
		const char *window, *text;      /* @paneward_state, or "" */
	} *marks;
	size_t nmarks;
};

/* How many marks fit; -1 with errno. */
ssize_t tmux_show_begin(struct tmux_query *, const char *socket,
    const struct tmux_show *);

/* The wish may be NULL. */
enum tmux_result tmux_ask(const char *socket, enum tmux_lists,
    const struct tmux_wish *, struct tmux_listing *, struct buf *why);
#define tmux_list(socket, listing, why) \
	tmux_ask((socket), TMUX_PANES, NULL, (listing), (why))
/* Expands a format. */
enum tmux_result tmux_pane_tell(const char *socket, const char *pane,
    const char *format, struct buf *answer, struct buf *why);
/* Adds the screen, or all lines. */
enum tmux_result tmux_text(const struct pane_ref *, bool history,
    struct buf *text, struct buf *why);
/* In the client's status line; tmux 3.2: that of its session's last used
 * client. */
enum tmux_result tmux_message(const char *socket, const struct tmux_client *,
    const char *text, struct buf *why);
/* kind: '$' session, '@' window, '%' pane. */
bool tmux_id_valid(const char *, char kind);

/* Runs argv with a pane_ref_name(); the caller frees it. */
char *tmux_pipe_command(const char *const *argv);

/* ---- opening and closing ------------------------------------------------- */

struct tmux_new {
	const char *socket;
	const char *session;            /* a new name, or an id for a window */
	bool        window;
	const char *name;
	const char *dead;               /* a dead pane to close; or NULL */
	const char *cwd;
	const char *const *argv;        /* run without a shell */
	struct tmux_wish wish;          /* of the new pane, whose id is not
					   known */
};

/* Sets all but pane_start.  After a failure nothing stays open. */
enum tmux_result tmux_open(const struct tmux_new *, struct pane_ref *,
    char **session_name, struct buf *why);

/* Closes that very pane, in one step. */
enum tmux_result tmux_close_pane(const struct pane_ref *, struct buf *why);

enum tmux_result tmux_end(const char *socket, const char *session,
    struct buf *why);

/* ---- typing into a pane -------------------------------------------------- */

/* Would keys reach the program in front alone? */
enum tmux_result tmux_input(const struct pane_ref *, struct buf *why);
/* Types a key by tmux's name, then, unless NULL, a line and Enter. */
enum tmux_result tmux_key(const struct pane_ref *, const char *key,
    const char *line, struct buf *why);

/* ---- an unchanged screen: still.c ---------------------------------------- */

/*
 * A pane's screen, and a format by which tmux checks that it still shows that,
 * in the step in which it types: no output comes in between.  #{C/r:...} (tmux
 * 3.0a) has the number of the first row that matches an expression, in about 30
 * us.  Letters, digits and few others of ASCII stand for themselves.  The rest,
 * with "#", is one class: so tmux expands nothing of the screen.
 */

enum { TMUX_QUESTION = 14000 };         /* bytes; a call has 16,000 */

struct tmux_still {
	char  *facts;                   /* ids, size, cursor, program */
	char  *rows, *colored;          /* colored: with sequences */
	bool   dead, mode, off, together, odd;
};

extern const char still_facts[];
/* False: malformed, or of another pane. */
bool still_parse(struct tmux_still *, const char *answer,
    const struct pane_ref *);
void still_release(struct tmux_still *);

/* The reason not to type, or NULL. */
const char *still_refuses(const struct tmux_still *);

/* Covers the rows from first on.  False: too large, or above a row from strict on
 * an equal one might hide a change. */
bool still_question(const struct tmux_still *, size_t first, size_t strict,
    struct buf *format, struct buf *why);

/* Rows first to stop - 1; without any, stop is 0. */
struct still_span {
	size_t first, stop;
};

/* A quicker second question.  False: nothing can be compared. */
bool still_quick(const struct tmux_still *, const struct still_span *, size_t n,
    struct buf *format);

/* Fails also for another pane. */
enum tmux_result tmux_look(const struct pane_ref *, struct tmux_still *,
    struct buf *why);

struct tmux_typing {
	const char *question, *quick;   /* quick: or NULL */
	const char *key, *text;         /* a key's name, else a pasted text */
};

enum tmux_typed {
	TMUX_CHANGED,                   /* nothing was typed */
	TMUX_TYPED,
	TMUX_TYPED_LATE                 /* the screen changed meanwhile */
};

/* The last question and typing are one step. */
enum tmux_result tmux_type(const struct pane_ref *, const struct tmux_typing *,
    enum tmux_typed *, struct buf *why);

/* Sets remain-on-exit, unless it is set (*stays), or unsets it (NULL). */
enum tmux_result tmux_keep(const struct pane_ref *, bool *stays,
    struct buf *why);
enum tmux_result tmux_respawn(const struct pane_ref *, const char *const *argv,
    struct buf *why);

/* ---- a client's view ----------------------------------------------------- */

/* client NULL: that of $TMUX_PANE. */
enum tmux_result tmux_switch(const char *socket, const char *client,
    const char *pane, struct buf *why);
/* To another server's pane, or if that fails, to from.  A popup over the client
 * gets SIGHUP. */
enum tmux_result tmux_move(const char *socket, const char *client,
    const char *from, const struct pane_ref *to, struct buf *why);
/* Returns only after a failure. */
void tmux_enter(const struct pane_ref *, struct buf *why);

/* ---- a client's terminal: terminal.c ------------------------------------- */

/*
 * A notice goes past tmux, also over ssh.  A short write never splits one of
 * tmux.
 */

bool terminal_there(const struct tmux_client *);

/* Adds whole characters that fit; a blank replaces each that a terminal
 * obeys. */
void terminal_text(struct buf *, const char *text, size_t most);

/* An outer tmux drops unwrapped sequences. */
bool terminal_nested(const struct tmux_client *);

/* Adds OSC 9, 777 or 99, wrapped if need be; returns that.  A title must not
 * begin with a digit: OSC 9 would be another command. */
int  terminal_notice(struct buf *, const struct tmux_client *,
    const char *title, const char *body);

/* Tries for a second; only a terminal of ours below /dev.  -1 with errno. */
int  terminal_write(const char *tty, const void *bytes, size_t len);

#endif
