/*
 * tmux.h - the one door to tmux.
 *
 * A call runs the program with the server's socket (-S) and a time limit.  Ids
 * address panes.  Names, titles and paths are data: an answer is never split
 * at a character that they may hold.
 *
 * One query is one call that lists all panes and clients of a server and
 * carries wishes: captures, pipes, names.
 */
#ifndef PANEWARD_TMUX_H
#define PANEWARD_TMUX_H

#include "os/file.h"
#include "os/spawn.h"
#include "tmux/listing.h"

enum { TMUX_LIMIT = 5000 };             /* ms a call may take */
enum { TMUX_HISTORY = 500 };            /* lines above a captured screen */

enum tmux_result {
	TMUX_OK,                /* also without any session or pane */
	TMUX_NO_SERVER,
	TMUX_SILENT,            /* a server runs, but does not answer */
	TMUX_MISSING,           /* no tmux program */
	TMUX_OLD,               /* before 3.0 */
	TMUX_FAILED
};

#define TMUX_NO_SERVER_WHY "no tmux server at '%s'"

enum tmux_want {
	TMUX_CAPTURE = 1 << 0,
	TMUX_PIPE    = 1 << 1,          /* with pipe; after the capture */
	TMUX_STAY    = 1 << 2,          /* set remain-on-exit */
	TMUX_NAME    = 1 << 3           /* set @paneward_issue, _run, _dir */
};

struct tmux_wish {
	unsigned    want;               /* enum tmux_want */
	const char *pane, *pipe;        /* an id; of tmux_pipe_command() */
	const char *issue, *run, *dir;
};

struct tmux_query {
	char  *socket;
	msec   limit;
	char   token[TMUX_TOKEN + 1];
	enum tmux_lists lists;
	bool   sets;                    /* by tmux_show_begin() */
	struct spawn spawn;
};

#define TMUX_QUERY_INIT { .limit = TMUX_LIMIT, .spawn = SPAWN_INIT }

/* How many of the wishes fit into the call, at least one; -1 with errno. */
ssize_t tmux_query_begin(struct tmux_query *, const char *socket,
    enum tmux_lists, const struct tmux_wish *, size_t count);
/* Here and below, anything but TMUX_OK adds the reason to why, and the listing
 * is empty.  A failed wish does not fail it. */
enum tmux_result tmux_query_answer(struct tmux_query *,
    struct tmux_listing *, struct buf *why);
void tmux_query_release(struct tmux_query *);

/* The status lines of a server.  All texts are letters, digits and spaces. */
struct tmux_show {
	const char *queue;              /* of PANEWARD_QUEUE; NULL: it stays */
	const struct tmux_listing *listing;     /* its clients draw it again */
	const struct tmux_mark {
		const char *window, *text;      /* of @paneward_state, or "" */
	} *marks;
	size_t nmarks;
};

/* How many of the marks fit; -1 with errno. */
ssize_t tmux_show_begin(struct tmux_query *, const char *socket,
    const struct tmux_show *);

/* The wish may be NULL. */
enum tmux_result tmux_ask(const char *socket, enum tmux_lists,
    const struct tmux_wish *, struct tmux_listing *, struct buf *why);
enum tmux_result tmux_list(const char *socket, struct tmux_listing *,
    struct buf *why);
/* Expands a format, without the line feed at its end. */
enum tmux_result tmux_pane_tell(const char *socket, const char *pane,
    const char *format, struct buf *answer, struct buf *why);
/* Adds the screen, maybe with all lines above it. */
enum tmux_result tmux_text(const struct pane_ref *, bool history,
    struct buf *text, struct buf *why);
/* Shows it in a client's status line; in tmux 3.2, in that of the last used
 * client of its session. */
enum tmux_result tmux_message(const char *socket, const struct tmux_client *,
    const char *text, struct buf *why);
/* Is it an id of that kind: '$' session, '@' window, '%' pane? */
bool tmux_id_valid(const char *, char kind);

/* That of $TMUX, else the usual one, for the caller to free. */
char *tmux_socket(void);
char *tmux_usual_socket(void);

/* Certainly no server listens.  Cheap, and never waits. */
bool socket_dead(const char *path);

/* The live sockets in ${TMUX_TMPDIR:-/tmp}/tmux-UID, for argv_free().  NULL
 * with errno: 0: none, or tmux refuses the folder; else it cannot be read. */
char **sockets_of_user(void);

/* Our pane, by $TMUX and $TMUX_PANE, borrowed; NULL: none. */
const char *tmux_own_pane(pid_t *server);
bool tmux_here(const struct pane_ref *);

/* Runs argv with a pane_ref_name(); the caller frees it. */
char *tmux_pipe_command(const char *const *argv);

/* ---- opening and closing ------------------------------------------------- */

struct tmux_new {
	const char *socket;
	const char *session;            /* a new name, or an id for a window */
	bool        window;
	const char *name;               /* of a new window */
	const char *dead;               /* a dead pane to close; or NULL */
	const char *cwd;
	const char *const *argv;        /* run without a shell */
	const char *pipe;               /* from tmux_pipe_command(); or NULL */
	const char *issue, *run, *dir;  /* issue NULL: the pane does not stay */
};

/* Opens all in one call, and sets the pane_ref without pane_start.  After a
 * failure nothing stays open. */
enum tmux_result tmux_open(const struct tmux_new *, struct pane_ref *,
    char **session_name, struct buf *why);

/* Closes that very pane, in one step. */
enum tmux_result tmux_close_pane(const struct pane_ref *, struct buf *why);

enum tmux_result tmux_end(const char *socket, const char *session,
    struct buf *why);

/* ---- typing into a pane -------------------------------------------------- */

/* Would keys reach the program in front, and no other pane? */
enum tmux_result tmux_input(const struct pane_ref *, struct buf *why);
/* Types a key by tmux's name, and unless NULL, a line and Enter. */
enum tmux_result tmux_key(const struct pane_ref *, const char *key,
    const char *line, struct buf *why);

/* ---- an unchanged screen: still.c ---------------------------------------- */

/*
 * A pane's screen, and a question to tmux whether it still shows that.
 *
 * The question is a format, which tmux evaluates in the same step in which it
 * types: no output comes in between.  #{C/r:...} (tmux 3.0a) has the number of
 * the first row that a regular expression matches, in about 30 us.  An
 * expression holds letters, digits, and few other characters of ASCII as they
 * are, and all others, "#" among them, as one class: so tmux expands nothing
 * of the screen.
 */

enum { TMUX_QUESTION = 14000 };         /* bytes; a call has 16,000 */

struct tmux_still {
	char  *facts;                   /* ids, size, cursor, program */
	char  *rows, *colored;          /* the screen, without and with its
					   sequences */
	bool   dead, mode, off, together, odd;  /* keep keys away */
};

/* The format of the facts. */
extern const char still_facts[];
/* False: the answer has another form, or is of another pane. */
bool still_parse(struct tmux_still *, const char *answer,
    const struct pane_ref *);
void still_release(struct tmux_still *);

/* Why keys would miss the program in front, or reach others; or NULL. */
const char *still_refuses(const struct tmux_still *);

/* Asks for the rows from that one on.  False with the reason: too many, or
 * (unless twice) one stands above, too, so that its change might go unseen. */
bool still_question(const struct tmux_still *, size_t first, bool twice,
    struct buf *format, struct buf *why);

/* Rows of a screen; without any, stop is 0. */
struct still_span {
	size_t first, stop;             /* stop is behind the last one */
};

/* A quick question behind the other one.  False: nothing can be compared. */
bool still_quick(const struct tmux_still *, const struct still_span *, size_t n,
    struct buf *format);

/* Fails also for another pane. */
enum tmux_result tmux_look(const struct pane_ref *, struct tmux_still *,
    struct buf *why);

struct tmux_typing {
	const char *question, *quick;   /* quick may be NULL */
	const char *key, *text;         /* a key by tmux's name, or else a text,
					   as if pasted */
};

enum tmux_typed {
	TMUX_CHANGED,                   /* nothing was typed */
	TMUX_TYPED,
	TMUX_TYPED_LATE                 /* the screen changed meanwhile */
};

/* tmux answers the last question and types in one step. */
enum tmux_result tmux_type(const struct pane_ref *, const struct tmux_typing *,
    enum tmux_typed *, struct buf *why);

/* Sets remain-on-exit, unless it is set (*stays), or unsets it (NULL). */
enum tmux_result tmux_keep(const struct pane_ref *, bool *stays,
    struct buf *why);
enum tmux_result tmux_respawn(const struct pane_ref *, const char *const *argv,
    struct buf *why);

/* ---- a client's view ----------------------------------------------------- */

/* NULL is the client of $TMUX_PANE. */

/* The client shows a pane of its server. */
enum tmux_result tmux_switch(const char *socket, const char *client,
    const char *pane, struct buf *why);
/* The client shows a pane of another server, or if that fails, the pane from.
 * A popup over it gets SIGHUP. */
enum tmux_result tmux_move(const char *socket, const char *client,
    const char *from, const struct pane_ref *to, struct buf *why);
/* Becomes a client of the pane; returns only after a failure. */
void tmux_enter(const struct pane_ref *, struct buf *why);

/* ---- a client's terminal: terminal.c ------------------------------------- */

/*
 * A notice for the terminal of a tmux client, past tmux, also over ssh.  One
 * short write never ends up inside a write of tmux.
 */

/* Can a person see the terminal? */
bool terminal_there(const struct tmux_client *);

/* Another tmux around it drops sequences that are not wrapped. */
bool terminal_nested(const struct tmux_client *);

/* Adds OSC 9, 777 or 99, wrapped if need be; returns that.  A title with a
 * digit first would make OSC 9 another command. */
int  terminal_notice(struct buf *, const struct tmux_client *,
    const char *title, const char *body);

/* Tries for up to a second; only a terminal of ours below /dev.  -1 with
 * errno. */
int  terminal_write(const char *tty, const void *bytes, size_t len);

#endif
