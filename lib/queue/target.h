/*
 * target.h - the agent that a word of the command line names.
 *
 * The word is an issue, "%5" for a pane, "4711%5" for that of the tmux server
 * with this pid, or the name that the queue shows ("api:1.0").
 */
#ifndef PANEWARD_TARGET_H
#define PANEWARD_TARGET_H

#include "queue/queue.h"
#include "tmux/listing.h"

/* An issue of this project comes before those of others, a pane of our tmux
 * server before those of others.  NULL with the reason: none has that name, or
 * several have. */
struct row *target_row(const struct queue *, const struct context *,
    const char *name, struct buf *why);

/* The parts that a command reads. */
struct target_agent {
	const char *issue;              /* the name of its files in the context's
					   status directory */
	const char *pane;               /* "api:1.0": it has no issue, and that
					   directory is the user's "panes";
					   NULL: it has one */
	struct status record;           /* of one without an issue, which may be
					   in memory alone */
};

/* Opens the context of the agent that a command_agent() names: of a pane that
 * is an issue's, the issue's own; of NULL, that of the project.  If none has
 * that name, the program ends with "cannot ACT 'NAME': REASON". */
void target_open(struct target_agent *, struct context *, const char *act,
    const char *name, const char *status_dir);

/* ---- going there --------------------------------------------------------- */

/*
 * Going to the pane of a row.
 *
 * In tmux the client in which we are shows it from then on, also if another
 * server has it; outside, this process becomes a client.  A popup and the
 * command of a key are in no pane: then the client has to be named, unless it
 * is the only one.
 */

struct jump {
	char       *socket;             /* of the server that we are in; NULL:
					   outside tmux */
	const char *client;             /* its terminal; NULL: tmux knows it by
					   our pane */
	bool        named;              /* the caller knew the client */
	char        here[PANE_REF_NAME];        /* the pane that it shows, as
					   pane_ref_name(); "": not known */
	struct tmux_listing listing;
};

/* Where are we?  client is the terminal of a tmux client, or NULL; it is
 * borrowed.  -1 with the reason; release it in any case. */
int  jump_open(struct jump *, const char *client, struct buf *why);
void jump_release(struct jump *);

/* Goes to the pane, after asking its server whether it is still that pane, and
 * marks the row as seen.  Outside tmux it takes over our terminal, and does not
 * return if it succeeds.  To the row of another host it goes by ssh.  -1 with
 * the reason. */
int  jump_to(const struct jump *, struct queue *, struct row *,
    struct buf *why);
/* Goes to another host, where 'paneward attach' gets the word. */
int  jump_abroad(const struct jump *, const char *host, const char *word,
    struct buf *why);

/* The command of a key has no terminal for messages: a client that was named
 * shows this one in its status line. */
void jump_tell(const struct jump *, const char *text);

/* The word of a row for 'paneward attach', also on its host: "4711%5" is pane %5
 * of the server with that pid; without a pane it is the issue. */
enum { JUMP_WORD = PANE_REF_NAME + ISSUE_MAX };
void jump_word(char word[JUMP_WORD], const struct row *);
/* Is it such a word, or "%5"? */
bool jump_word_valid(const char *);

#endif
