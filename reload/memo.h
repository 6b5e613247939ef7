/*
 * memo.h - the memo of an agent for itself, by default
 * .claude/self-reborn/handoff.md of its project.  The session hook writes the
 * session's id beside it.
 *
 * A memo is a regular file of the user with one link, reached without links.  A
 * memo older than its agent, or than MEMO_FRESH, is stale and stays.  A
 * delivered memo is renamed, unless it has changed.
 */
#ifndef PANEWARD_RELOAD_MEMO_H
#define PANEWARD_RELOAD_MEMO_H

#include "project/context.h"
#include "run/events.h"
#include "run/restart.h"
#include "tmux/tmux.h"

enum {
	MEMO_MAX = 100 << 10,           /* one argument has 128 KiB */
	MEMO_FRESH = 600000             /* ms before the request */
};

#define MEMO_FOLDER ".claude/" PROJECT_SESSIONS
#define MEMO_FILE "handoff.md"

struct memo {
	struct buf text;                /* without control bytes; owned */
	struct stat seen;
	msec  written;                  /* wall time */
};

/* folder is absolute and without links. 1: read, 0: no such file, -1 with
 * why. */
int  memo_read(struct memo *, const char *folder, const char *file,
    struct buf *why);

bool memo_stale(const struct memo *, msec agent_began, msec asked);

/*
 * Renames it to handoff-<time>.md.  The caller frees *name; NULL: the file has
 * changed, and stays.  -1 with errno.
 */
int  memo_put_away(const struct memo *, const char *folder, const char *file,
    msec wall, char **name);

/*
 * The folder in the nearest .claude from cwd up to root.  The caller frees it.
 */
char *memo_folder(const char *cwd, const char *root);

/*
 * The recorded session id, for the caller to free.  NULL: there is none, or
 * *open sessions are more than one.
 */
char *memo_session(const char *folder, unsigned *open);

/* reason and memo may be NULL. */
void memo_prompt(struct buf *, const char *reason, const struct memo *);
/* Does it hold a finished marker of the issue, or the custom one (may be
 * NULL)? */
bool memo_marked(const struct buf *prompt, const char *issue,
    const char *custom);

#endif
