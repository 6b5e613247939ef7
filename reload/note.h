/*
 * note.h - what an agent leaves for itself before its restart: the hand-off
 * file, by default .claude/self-reborn/handoff.md of its project, and beside it
 * the session's id, which the hook keeps.
 *
 * A note is a regular file of ours with one link, reached without following
 * any.  One that is older than its agent, or than NOTE_FRESH, is stale and not
 * delivered.  One that was delivered is renamed, unless it is another one by
 * then.
 */
#ifndef PANEWARD_RELOAD_NOTE_H
#define PANEWARD_RELOAD_NOTE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"

enum {
	NOTE_MAX = 100 << 10,           /* bytes; a word may have 128 KiB */
	NOTE_FRESH = 600000             /* ms before the restart is asked for */
};

#define NOTE_FOLDER ".claude/self-reborn"
#define NOTE_FILE "handoff.md"

struct note {
	struct buf text;                /* without control bytes */
	dev_t dev;
	ino_t ino;
	msec  written;                  /* wall time */
};

/* folder is absolute and without links.  1: read, 0: there is none, -1 with
 * the reason added to why. */
int  note_read(struct note *, const char *folder, const char *file,
    struct buf *why);
void note_release(struct note *);

bool note_stale(const struct note *, msec agent_began, msec asked);

/*
 * Renames it to handoff-<time>.md; *name, for the caller to free, is what it is
 * called now, NULL where it was left.  -1 with errno.
 */
int  note_put_away(const struct note *, const char *folder, const char *file,
    msec wall, char **name);

/*
 * The folder of an agent in that directory: beside the nearest .claude up to
 * root (or above it: root itself).  The caller frees it.
 */
char *note_folder(const char *cwd, const char *root);

/*
 * The session that the hook has written down there; the caller frees it.  NULL
 * where there is none, or (*open is then more than 1) more sessions than that
 * one have begun there and not ended.
 */
char *note_session(const char *folder, unsigned *open);

/* What the agent is told when it is there again. */
void note_prompt(struct buf *, const char *reason, const struct note *);

#endif
