/*
 * agenthooks.h - paneward's hooks among the settings of an agent.
 *
 * What is registered where is data, "hooks" in backends/AGENT.json: the file,
 * the form of an entry, and a row for each event.  Settings are JSON; an agent
 * without hooks in its settings gets a plugin, a file that only init writes.
 *
 * An entry that is ours (ourhooks.h) and has options is the user's: it is never
 * removed; its path is changed only if no program is there any more.
 */
#ifndef PANEWARD_SETUP_AGENTHOOKS_H
#define PANEWARD_SETUP_AGENTHOOKS_H

#include <stdbool.h>

#include "agent/dialect.h"
#include "agent/ourhooks.h"
#include "base/buf.h"
#include "data/json.h"

struct agenthooks {
	struct dialect dialect;
	const cJSON *data;              /* in it; the texts are borrowed */
	const char *title;              /* the agent's name for people */
	const char *folder, *file;      /* below the project */
	const char *user_folder;        /* below the home folder */
	const char *plugin;             /* the template; NULL: settings */
	const char *skills;             /* the folder of skills, beside the
					   file, or NULL */
	const char *note;               /* what a person has to know, or NULL */
	bool        comments;           /* it reads settings with comments */
};

/* -1 with the reason; errno ENOENT if the agent has no backend with hooks. */
int  agenthooks_read(struct agenthooks *, const char *agent,
    struct buf *error);
void agenthooks_release(struct agenthooks *);

/* The parts that the agent offers. */
unsigned agenthooks_parts(const struct agenthooks *);

/*
 * Adds the hooks that are missing; they run the program of that path.  The
 * settings may be blank.  -1 with the reason if they cannot be changed; then
 * they stay as they were.
 */
int agenthooks_add(const struct agenthooks *, struct buf *settings,
    const char *program, unsigned parts, struct buf *why);

/* The command of the first hook of another tool that ours replaces, "replaces"
 * in the backend; false: there is none, or the settings cannot be read. */
bool agenthooks_replaced(const struct agenthooks *,
    const struct buf *settings, struct buf *command);
/* Removes all of those.  -1 with the reason. */
int  agenthooks_cut_replaced(const struct agenthooks *, struct buf *settings,
    struct buf *why);

/*
 * Removes our hooks.  before is the text before agenthooks_add(), or NULL if
 * there was no file: then the settings are empty if nothing is left.  If the
 * user changed nothing since, they are byte for byte what they were, also with
 * hooks that ours have replaced.
 */
int agenthooks_remove(const struct agenthooks *, struct buf *settings,
    const char *program, const struct buf *before, struct buf *why);

/* The plugin, running the program of that path, not yet signed (ownfile.h).  -1
 * with the reason. */
int  agenthooks_plugin(const struct agenthooks *, struct buf *out,
    const char *program, struct buf *why);

#endif
