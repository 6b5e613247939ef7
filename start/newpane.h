/*
 * newpane.h - the pane that an agent of a run begins in, and the watcher that
 * follows it: what start and revive share.
 */
#ifndef PANEWARD_START_NEWPANE_H
#define PANEWARD_START_NEWPANE_H

#include "project/context.h"
#include "run/status.h"
#include "tmux/tmux.h"

struct newpane {
	const struct context *context;
	const char *socket;
	const char *session;            /* its name; for a window its id */
	bool        window;             /* in a session that is there */
	const char *dead;               /* a pane to close before; or NULL */
	const char *cwd;
};

/* The name of an issue's session, unless another is chosen:
 * <project folder>-issue-<issue>, in letters that tmux leaves as they are.
 * For the caller to free. */
char *newpane_session(const struct context *, const char *issue);
/* Has the text only such letters, and may it begin so? */
bool newpane_session_valid(const char *name);

/*
 * Is there room for a session of that name (NULL: for a window)?  One that is
 * there is in the way, unless all that it has is a dead pane of the issue's
 * last run, by its record, which was judged: its id is put into dead, for the
 * new one to replace it.  False with the reason in *why.
 */
bool newpane_room(const char *socket, const char *session,
    const struct status *last, char dead[TMUX_ID], struct buf *why);

enum { NEWPANE_PROMPT = 100 << 10 };    /* bytes; the system takes 128 KiB */

/* May an agent be told that on its command line?  issue and its own marker may
 * be NULL.  False adds the reason to why. */
bool newpane_prompt(const char *prompt, const char *issue, const char *marker,
    struct buf *why);

/*
 * Opens the pane of the record's run, where agent-run runs what its launch file
 * says, and puts its place and the session's name into the record.  Anything
 * but TMUX_OK adds the reason to why.
 */
enum tmux_result newpane_open(const struct newpane *, struct status *,
    struct buf *why);

/* Starts a watcher of the issue and waits until it has the lock.  Ends the
 * program if it cannot. */
void newpane_watch(const struct context *, const char *issue);

/*
 * Does a watcher of all issues take this one, too?  It does when this process
 * has given back the issue's lock.  The watcher of all projects has to find a
 * new one first.
 */
bool newpane_left(const struct context *);

#endif
