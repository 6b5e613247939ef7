/*
 * loopfile.h - where the state of a loop is kept: .claude/th-loop.local.md in
 * the agent's folder, for an agent with a name .claude/th-loop-NAME.local.md.
 *
 * An open file is locked with flock(2), so that two hooks at once count two
 * turns, and replaced as sharedfile.h says.  The file steers the agent: one
 * that belongs to another user, or that any user can write to, is refused.
 */
#ifndef PANEWARD_HOOK_LOOPFILE_H
#define PANEWARD_HOOK_LOOPFILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "hook/loopstate.h"

enum { LOOPFILE_AGENT = 100 };          /* letters of an agent's name */

enum loopfile_result {
	LOOPFILE_OK,
	LOOPFILE_MISSING,
	LOOPFILE_MALFORMED,             /* the file is not as it should be */
	LOOPFILE_FAILED                 /* the system, or no permission */
};

struct loopfile {
	int    dir, fd;                 /* .claude; the file, locked; -1 */
	char   path[LOOPFILE_AGENT + 32];       /* from the root on */
	struct stat seen;               /* the file; all zero: none was there */
	struct loopstate state;
};

#define LOOPFILE_INIT { .dir = -1, .fd = -1, .state = LOOPSTATE_INIT }

/*
 * The folder of the agent's session, which has its loop and its channel: that
 * of the client's variable, else the current one.  The hook and `loop start`
 * both ask here, so that each finds what the other has written.
 */
const char *loopfile_root(void);

/* May it be the name of an agent?  [A-Za-z0-9_-], LOOPFILE_AGENT at most. */
bool loopfile_agent_valid(const char *agent);

/*
 * Opens the state of an agent (NULL: of the one without a name) below root,
 * locks it, and reads its structure.  Whatever comes back, path is filled, why
 * says what is wrong unless it is LOOPFILE_OK, and it is to be closed.
 */
enum loopfile_result loopfile_open(struct loopfile *, const char *root,
    const char *agent, struct buf *why);

/* Puts state.text into its place.  -1 with errno; ESTALE if another process
 * changed the file meanwhile. */
int  loopfile_write(struct loopfile *);

/* The same where loopfile_open() has said LOOPFILE_MISSING; the folder is made
 * if need be. */
int  loopfile_make(struct loopfile *, const char *root);

void loopfile_close(struct loopfile *);

/*
 * Why an agent must not obey a file: a stranger may have written it.  NULL: it
 * may.  The reason is a constant.
 */
const char *loopfile_refusal(const struct stat *);

#endif
