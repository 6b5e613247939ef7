/*
 * memo.h - what an agent leaves for itself before its restart.
 *
 * The memo is by default .claude/self-reborn/handoff.md of the agent's project.
 * The agent's session hook writes the session's id beside it.
 *
 * A memo is a regular file of the user with one link, and no link is followed
 * on the way to it.  A memo older than its agent, or than MEMO_FRESH, is stale
 * and not delivered.  A delivered memo is renamed, unless it has changed.
 */
#ifndef PANEWARD_RELOAD_MEMO_H
#define PANEWARD_RELOAD_MEMO_H

#include "os/file.h"
#include "project/context.h"
#include "run/events.h"
#include "run/restart.h"
#include "tmux/tmux.h"

enum {
	MEMO_MAX = 100 << 10,           /* bytes; one argument holds 128 KiB */
	MEMO_FRESH = 600000             /* ms before the request */
};

#define MEMO_FOLDER ".claude/" PROJECT_SESSIONS
#define MEMO_FILE "handoff.md"

struct memo {
	struct buf text;                /* without control bytes */
	dev_t dev;
	ino_t ino;
	msec  written;                  /* wall time */
};

/* folder is absolute and without links.  1: read, 0: no such file, -1 with the
 * reason added to why. */
int  memo_read(struct memo *, const char *folder, const char *file,
    struct buf *why);
void memo_release(struct memo *);

bool memo_stale(const struct memo *, msec agent_began, msec asked);

/*
 * Renames it to handoff-<time>.md; *name is the new name, freed by the caller,
 * or NULL if the file has changed and was left.  -1 with errno.
 */
int  memo_put_away(const struct memo *, const char *folder, const char *file,
    msec wall, char **name);

/*
 * The folder of an agent in that directory: in the nearest .claude at or below
 * root, else in root's.  The caller frees it.
 */
char *memo_folder(const char *cwd, const char *root);

/*
 * The session id that the hook has recorded there; the caller frees it.  NULL
 * if there is none, or if more than one session is open: then *open is more
 * than 1.
 */
char *memo_session(const char *folder, unsigned *open);

/* The prompt of the restarted agent; reason and memo may be NULL. */
void memo_prompt(struct buf *, const char *reason, const struct memo *);
/* Does it hold a finished marker of the issue, or the custom one (or NULL)? */
bool memo_marked(const struct buf *prompt, const char *issue,
    const char *custom);

#endif
