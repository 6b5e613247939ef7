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

/* Prefers an issue of this project, and a pane of our tmux server.  NULL with
 * the reason: no agent, or several agents have that name. */
struct row *target_row(const struct queue *, const struct context *,
    const char *name, struct buf *why);

struct target_agent {
	const char *issue;              /* of its files in the context's status
					   directory */
	const char *pane;               /* "api:1.0" without an issue; that
					   directory is the user's "panes" */
	struct status record;           /* without an issue */
};

/* Opens the context of the agent that a command_agent() names: the issue's own,
 * also for its pane; of NULL, the project's.  If no agent has that name, the
 * program ends with "cannot ACT 'NAME': REASON". */
void target_open(struct target_agent *, struct context *, const char *act,
    const char *name, const char *status_dir);

/* ---- going there --------------------------------------------------------- */

/*
 * In tmux our client shows the pane, also if another server has it; outside,
 * this process becomes a client.  A popup and the command of a key are in no
 * pane: their client has to be named, unless there is only one.
 */

struct jump {
	char       *socket;             /* of our server; NULL: outside tmux */
	const char *client;             /* its terminal; NULL: tmux knows it by
					   our pane */
	bool        named;              /* the caller named the client */
	char        here[PANE_REF_NAME];        /* the pane that it shows, as
					   pane_ref_name(); or "" */
	struct tmux_listing listing;
};

/* Finds out where we are.  client is the terminal of a tmux client, borrowed, or
 * NULL.  -1 with the reason.  The caller frees socket and releases listing. */
int  jump_open(struct jump *, const char *client, struct buf *why);

/* Checks the pane, marks the row as seen and goes there; to another host by ssh.
 * Outside tmux it takes over our terminal, and returns only if it fails.  -1
 * with the reason. */
int  jump_to(const struct jump *, struct queue *, struct row *,
    struct buf *why);
/* Runs 'paneward attach WORD' on the host. */
int  jump_abroad(const struct jump *, const char *host, const char *word,
    struct buf *why);

/* Shows a message in the status line of a named client: the command of a key has
 * no terminal. */
void jump_tell(const struct jump *, const char *text);

/* The word of a row for 'paneward attach', also on its host: "4711%5", or the
 * issue if no pane is known. */
enum { JUMP_WORD = PANE_REF_NAME + ISSUE_MAX };
void jump_word(char word[JUMP_WORD], const struct row *);
/* Is it such a word, or "%5"? */
bool jump_word_valid(const char *);

#endif
