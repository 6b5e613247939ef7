/*
 * target.h - the agent that a word of the command line names.
 *
 * An issue, a pane "%5", with the pid of its tmux server "4711%5", or the name
 * that the queue shows ("api:1.0").
 */
#ifndef PANEWARD_TARGET_H
#define PANEWARD_TARGET_H

#include "queue/queue.h"

/* Prefers this project and our tmux server.  NULL with the reason: no agent, or
 * several. */
struct row *target_row(const struct queue *, const struct context *,
    const char *name, struct buf *why);

/* The same after a look at all agents, some unreadable.  NULL: *status is
 * EXIT_NO or EXIT_COULD_NOT. */
struct row *target_find(const struct queue *, const struct context *,
    const char *name, enum exit_status *, struct buf *why);

struct target_agent {
	const char *issue;              /* of its files in the context's status
					   directory */
	const char *pane;               /* "api:1.0" without an issue, in the
					   user's "panes"; or NULL */
	struct status record;
};

/* Opens the context of the agent of a command_agent(), of NULL the project's;
 * or the program ends with "cannot ACT 'NAME': REASON". */
void target_open(struct target_agent *, struct context *, const char *act,
    const char *name, const char *status_dir);

/*
 * In tmux our client shows the pane, also of another server; outside, this
 * process becomes a client.  A popup and a key's command are in no pane: they
 * must name their client, unless it is alone.
 */

struct jump {
	char       *socket;             /* NULL: outside tmux */
	const char *client;             /* its terminal; NULL: the pane tells */
	bool        named;
	char        here[PANE_REF_NAME];        /* the pane that it shows; or
					   "" */
	struct tmux_listing listing;
};

/* client is a terminal, borrowed, or NULL.  -1 with the reason.  The caller
 * frees socket and releases listing. */
int  jump_open(struct jump *, const char *client, struct buf *why);

/* Checks the pane, marks the row as seen and goes there; to another host by
 * ssh, with a word as the row's name.  Outside tmux it returns only if it
 * fails.  -1 with the reason. */
int  jump_to(const struct jump *, struct queue *, struct row *,
    struct buf *why);

/* For the status line of a named client. */
void jump_tell(const struct jump *, const char *text);

/* For 'paneward attach', also on its host: "4711%5", or the issue. */
enum { JUMP_WORD = PANE_REF_NAME + ISSUE_MAX };
void jump_word(char word[JUMP_WORD], const struct row *);
bool jump_word_valid(const char *);

#endif
