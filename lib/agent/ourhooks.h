/*
 * ourhooks.h - paneward's hooks in the settings of an agent, or its plugin.
 *
 * The command of our hook is the path of a paneward, "hook", and the hook's
 * name; options behind them are the user's.
 */
#ifndef PANEWARD_OURHOOKS_H
#define PANEWARD_OURHOOKS_H

#include "agent/dialect.h"
#include "run/launch.h"

enum { OURHOOKS_MAX = 1 << 20 };        /* bytes of settings */

enum ourhook_part { OURHOOK_INBOX = 1 << 0, OURHOOK_LOOP = 1 << 1 };

struct ourhook_kind {
	const char *name;
	unsigned    part;               /* 0: each registers it */
};

/* The last one has no name. */
extern const struct ourhook_kind ourhook_kinds[];

/* Adds a program's path, quoted if need be. */
void ourhook_add_program(struct buf *line, const char *program);
/* Reads such a line's first word; returns the text behind, or NULL. */
const char *ourhook_word(const char *line, struct buf *word);

struct ourhook {
	const struct json *event;       /* the list of the event's entries, */
	const struct json *entry;       /* one of them, */
	const struct json *object;      /* and the hook in it, or itself */
	const char  *name;
	struct buf   program;
	bool         options;
};

#define OURHOOK_INIT { .program = BUF_INIT }

/* Finds the hook at this place, from 0 on, among ours (files is NULL) or those
 * whose command names one of these files. */
bool ourhook_find(struct ourhook *, const struct json *root, size_t place,
    const struct json *files);

/* Only white space?  A crash may leave NULs, which are none. */
bool ourhooks_blank(struct buf *settings);

/* NULL with the reason.  *comment is the line of the first comment, or 0. */
struct json *ourhooks_parse(const struct buf *settings, unsigned *comment,
    struct buf *why);

/* Lists the programs of our hooks, for argv_free(); *own: a hook has no options
 * of the user's.  -1 with the reason; 1: why names the line of a comment. */
int ourhooks_list(const struct dialect *, struct buf *settings,
    char ***programs, bool *own, struct buf *why);

/* *folder of the user's settings, if the environment names it, or NULL.  False
 * with the reason: the path is not absolute. */
bool ourhooks_named_folder(const struct dialect *, const char **folder,
    struct buf *why);

bool ourhooks_installed(const struct dialect *, const char *cwd);

/* ---- session hooks ------------------------------------------------------- */

/* Adds "session" of the backend (NULL: unknown) to the words and to our
 * environment, unless our hooks are installed there.  -1 with the reason: the
 * user's setting is in the way, and nothing was added. */
int sessionhooks_add(const char *backend, const char *cwd, char ***argv,
    struct buf *why);
/* Warns with the reason. */
void sessionhooks_launch(struct launch *, const char *backend);

#endif
