/*
 * agenthooks.h - paneward's hooks among the settings of an agent.
 *
 * What is registered where is data, "hooks" in backends/AGENT.json: the file,
 * the form of an entry, and a row for each event.  Settings are JSON; an agent
 * that has no hooks in them gets a plugin, a file that is all ours.
 *
 * An entry is ours if its command is the path of a paneward, followed by
 * "hook" and the name of a hook, and nothing else.  One with options behind
 * that is the user's: it is never taken out, and counts as being there; its
 * path is changed only where no program is there any more.
 */
#ifndef PANEWARD_SETUP_AGENTHOOKS_H
#define PANEWARD_SETUP_AGENTHOOKS_H

#include <stdbool.h>

#include "base/buf.h"
#include "chain/dialect.h"
#include "text/json.h"

enum { AGENTHOOKS_MAX = 1 << 20 };      /* bytes of settings */

/* What is registered beside hook record. */
enum agenthooks_part {
	AGENTHOOKS_INBOX = 1 << 0,
	AGENTHOOKS_LOOP  = 1 << 1
};

struct agenthooks {
	struct dialect dialect;
	const cJSON *data;              /* in it; the texts are borrowed */
	const char *title;              /* the agent's name for people */
	const char *folder, *file;      /* below the project */
	const char *user_folder;        /* below the home folder, ... */
	const char *user_variable;      /* ... unless this names it; or NULL */
	const char *plugin;             /* the template; NULL: settings */
	const char *skills;             /* the folder of skills, beside the
					   file, or NULL */
	const char *note;               /* what a person has to know, or NULL */
	bool        comments;           /* it reads settings with comments */
};

/* -1 with the reason; errno ENOENT if nothing is known of such an agent. */
int  agenthooks_read(struct agenthooks *, const char *agent,
    struct buf *error);
void agenthooks_release(struct agenthooks *);

/* The folder of the user's own settings, where the environment names one, else
 * NULL.  False, with the reason, if that hangs on the current folder. */
bool agenthooks_named_folder(const struct agenthooks *, const char **folder,
    struct buf *why);

/* Which parts can the agent have? */
unsigned agenthooks_parts(const struct agenthooks *);

/*
 * Brings settings (which may be blank) to have the hooks, run by the program
 * of that path.  -1 with the reason where they are not what can be changed;
 * then they stay as they were.
 */
int agenthooks_add(const struct agenthooks *, struct buf *settings,
    const char *program, unsigned parts, struct buf *why);

/*
 * Takes out what is ours.  before is what the settings were before
 * agenthooks_add(), or NULL where there were none: then they are empty in the
 * end if nothing is left.  If nothing else has changed since, they are byte
 * for byte what they were.  Where nothing is ours they stay as they are.
 */
int agenthooks_remove(const struct agenthooks *, struct buf *settings,
    const char *program, const struct buf *before, struct buf *why);

/* The programs that our hooks in the settings or the plugin run, for
 * argv_free(); *own: one has no options of the user's.  -1 with the reason;
 * comments are none, but then it is 1, and why tells where the first is. */
int agenthooks_list(const struct agenthooks *, const struct buf *settings,
    char ***programs, bool *own, struct buf *why);

/* The plugin, running the program of that path, not yet signed (ownfile.h).  -1
 * with the reason. */
int  agenthooks_plugin(const struct agenthooks *, struct buf *out,
    const char *program, struct buf *why);

#endif
